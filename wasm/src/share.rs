//! Writes and reads files, links and reproductions.

use vitrine_protocol::{Bytes, ExportRequest, File, NamedFile, SharedRequest, SharedState, Tab};

use vitrine_core::pipeline::compare::{Dump, bundle, by_name, dumps_of, join};
use vitrine_core::share;

use crate::Compiler;

impl Compiler {
    /// A version as a file. Errors: the reason that it cannot be written in this format.
    pub(crate) fn export(&mut self, request: ExportRequest) -> Result<File, String> {
        let ExportRequest { version, function, format, raster, versions } = request;
        let backend = vitrine_core::back::named(&format).map_err(|diag| diag.message())?;
        let last = self.session.versions() - 1;
        let at = version.map_or(last, |version| (version as usize).min(last));
        let versions: Vec<usize> = versions.into_iter().map(|at| at as usize).collect();
        let file = self.session.export(at, function, &versions, backend)?;
        let [extension, media] = [file.extension, file.media].map(str::to_owned);
        Ok(File { bytes: Bytes(file.bytes), extension, media, raster })
    }

    /// The part of an address after `#`. A log or an archive is shared as its programs, which are smaller.
    pub(crate) fn link(&self, request: SharedRequest) -> String {
        let mut state = self.state(request);
        if let Some(Ok(dumps)) = dumps_of(&state.input) {
            state.input = bundle(&dumps);
        }
        state.link()
    }

    /// Several programs as one input, which becomes the current one.
    pub(crate) fn join(&mut self, files: Vec<NamedFile>) -> SharedState {
        let mut dumps: Vec<Dump> =
            files.into_iter().map(|file| Dump { name: file.name, bytes: file.bytes.0 }).collect();
        dumps.sort_by(|a, b| by_name(&a.name, &b.name));
        let first = dumps.first().map_or_else(String::new, |dump| dump.name.clone());
        let name = match dumps.len() {
            0 | 1 => first,
            count => format!("{first} and {} more", count - 1),
        };
        let state = |input| share::SharedState {
            input,
            name,
            shown: Tab::Changes.number(),
            ..share::SharedState::default()
        };
        match join(dumps) {
            Ok(dumps) if dumps.is_empty() => {
                self.shared(state(Vec::new()), "there is no program in these files")
            }
            Ok(dumps) => self.shared(state(bundle(&dumps)), ""),
            Err(why) => self.shared(state(Vec::new()), &why),
        }
    }

    /// The content of such a fragment; its input becomes the current one.
    pub(crate) fn read_link(&mut self, link: &str) -> SharedState {
        let (state, problem) = share::SharedState::read(link);
        self.shared(state, problem.unwrap_or_default())
    }

    /// A reproduction of the current input, with the results of the last run.
    pub(crate) fn repro(&mut self, request: SharedRequest) -> File {
        let text = self.session.repro(self.state(request)).text();
        let [extension, media] = ["repro", "text/plain"].map(str::to_owned);
        File { bytes: Bytes(text.into_bytes()), extension, media, raster: false }
    }

    /// The content of a reproduction; its input becomes the current one, and is compared after it has run.
    pub(crate) fn read_repro(&mut self, bytes: &[u8]) -> SharedState {
        let (repro, problem) = share::Repro::read(bytes);
        let state = repro.state.clone();
        self.repro = Some(repro);
        self.shared(state, problem.unwrap_or_default())
    }

    /// The result of the comparison with the reproduction, returned a single time; empty until its input has
    /// run.
    pub(crate) fn verdict(&mut self) -> String {
        let Some(repro) = &self.repro else { return String::new() };
        let words = match self.session.verdict(repro) {
            None => return String::new(),
            // The problem with the file was reported when it was read.
            Some(share::Verdict::Nothing) => String::new(),
            Some(verdict) => verdict.words(&repro.version),
        };
        self.repro = None;
        words
    }

    fn state(&self, request: SharedRequest) -> share::SharedState {
        let SharedRequest {
            name,
            pipeline,
            version,
            function,
            shown,
            target,
            pane,
            assignments,
            source_options,
            overlay,
            columns,
            trials,
            expected: [text, digest],
            made_by: _,
        } = request;
        let digest = u64::from_str_radix(&digest, 16).ok();
        let expected = digest.map(|digest| share::Expected { text, digest });
        let made_by = env!("CARGO_PKG_VERSION").to_owned();
        share::SharedState {
            input: self.input.clone(),
            name,
            pipeline,
            at: version,
            func: function,
            shown: shown.number(),
            target,
            pane,
            assignments,
            source_options,
            overlay,
            columns,
            trials,
            expected,
            made_by,
        }
    }

    fn shared(&mut self, state: share::SharedState, problem: &str) -> SharedState {
        let share::SharedState {
            input,
            name,
            pipeline,
            at,
            func,
            shown,
            target,
            pane,
            assignments,
            source_options,
            overlay,
            columns,
            trials,
            expected,
            made_by,
        } = state;
        let expected = expected.map_or_else(Default::default, |of| [of.text, format!("{:016x}", of.digest)]);
        self.input.clone_from(&input);
        let shown = Tab::numbered(shown);
        let view = SharedRequest {
            name,
            pipeline,
            version: at,
            function: func,
            shown,
            target,
            pane,
            assignments,
            source_options,
            overlay,
            columns,
            trials,
            expected,
            made_by,
        };
        SharedState { input: Bytes(input), view, problem: problem.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_and_a_reproduction_come_back_as_they_were() {
        let mut compiler =
            Compiler { input: b"func @0() graph {\n^0:\n  return\n}\n".to_vec(), ..Compiler::default() };
        for shown in Tab::ALL {
            let view = SharedRequest {
                name: "a.ir".to_owned(),
                pipeline: "dce".to_owned(),
                version: Some(1),
                function: None,
                shown,
                target: "spvasm".to_owned(),
                pane: "output".to_owned(),
                source_options: "stage=frag\ndefine=A=1".to_owned(),
                made_by: env!("CARGO_PKG_VERSION").to_owned(),
                ..SharedRequest::default()
            };
            // A reproduction has no runs.
            let with_run = SharedRequest { assignments: "time = 1".to_owned(), overlay: 15, ..view.clone() };
            let link = compiler.link(with_run.clone());
            let read = Compiler::default().read_link(&link);
            assert_eq!(
                (read.view, read.input.0, read.problem),
                (with_run, compiler.input.clone(), String::new())
            );
            let file = compiler.repro(view.clone());
            let read = compiler.read_repro(&file.bytes.0);
            assert_eq!((read.view, read.problem), (view, String::new()));
        }
        assert!(!Compiler::default().read_link("nothing").problem.is_empty());
    }

    #[test]
    fn a_format_that_does_not_exist_is_refused() {
        let mut compiler = Compiler::default();
        assert!(
            compiler.export(ExportRequest { format: "moon".to_owned(), ..ExportRequest::default() }).is_err()
        );
    }
}

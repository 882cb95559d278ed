//! Writes and reads files, links and reproductions.

use vitrine_protocol::{
    Answer, Bytes, ExportRequest, File, NamedFile, SharedRequest, SharedState, Tab, Translation,
};

use vitrine_core::pipeline::compare::{Dump, bundle, by_name, dumps_of, join};
use vitrine_core::share;

use crate::Compiler;
use crate::sources::Source;

/// A comparison whose sources are being translated.
#[derive(Debug)]
pub(crate) struct Joining {
    name: String,
    dumps: Vec<Dump>,
    /// The program whose source waits.
    at: usize,
    source: Option<Source>,
}

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

    /// Several programs as one input, which becomes the current one after its sources are translated.
    pub(crate) fn join(&mut self, files: Vec<NamedFile>) -> Answer {
        let mut dumps: Vec<Dump> =
            files.into_iter().map(|file| Dump { name: file.name, bytes: file.bytes.0 }).collect();
        dumps.sort_by(|a, b| by_name(&a.name, &b.name));
        let first = dumps.first().map_or_else(String::new, |dump| dump.name.clone());
        let name = match dumps.len() {
            0 | 1 => first,
            count => format!("{first} and {} more", count - 1),
        };
        match join(dumps) {
            Ok(dumps) if dumps.is_empty() => self.joined(name, &[], "there is no program in these files"),
            Ok(dumps) => {
                self.joining = Some(Joining { name, dumps, at: 0, source: None });
                self.join_next()
            }
            Err(why) => self.joined(name, &[], &why),
        }
    }

    /// The same for an input that is a comparison with sources; `None` for any other input.
    pub(crate) fn join_input(&mut self, name: &str) -> Option<Answer> {
        let dumps = dumps_of(&self.input)?.ok()?;
        let is_source = |dump: &Dump| Source::of(&dump.bytes, &dump.name, "").is_some();
        dumps.iter().any(is_source).then(|| {
            self.joining = Some(Joining { name: name.to_owned(), dumps, at: 0, source: None });
            self.join_next()
        })
    }

    /// Takes the translation of a source of the comparison.
    pub(crate) fn join_translated(&mut self, translation: Translation) -> Answer {
        let Some(Joining { name, mut dumps, at, source: Some(source) }) = self.joining.take() else {
            return Answer::Refused("no comparison waits for a translation".to_owned());
        };
        let (translation, _) = source.finished(Some(translation));
        let translation = translation.unwrap_or_default();
        if translation.words.0.is_empty() {
            let file = dumps.get(at).map_or("", |dump| dump.name.as_str());
            let why = format!("{file} cannot be compiled: {}", source.first_problem(&translation));
            return self.joined(name, &[], &why);
        }
        if let Some(dump) = dumps.get_mut(at) {
            dump.bytes = translation.words.0;
        }
        self.joining = Some(Joining { name, dumps, at: at + 1, source: None });
        self.join_next()
    }

    /// The next source of the comparison, or the comparison if there is none.
    fn join_next(&mut self) -> Answer {
        let Some(Joining { name, dumps, at, .. }) = self.joining.take() else {
            return Answer::Refused("there are no programs to compare".to_owned());
        };
        let rest = dumps.iter().enumerate().skip(at);
        let next =
            rest.into_iter().find_map(|(at, dump)| Some((at, Source::of(&dump.bytes, &dump.name, "")?)));
        let Some((at, source)) = next else { return self.joined(name, &dumps, "") };
        match source.request(0) {
            Some(request) => {
                self.joining = Some(Joining { name, dumps, at, source: Some(source) });
                Answer::JoinSource(request)
            }
            None => {
                self.joining = Some(Joining { name, dumps, at, source: Some(source) });
                self.join_translated(Translation::default())
            }
        }
    }

    /// The programs of a comparison as the input, or the reason that there is none.
    fn joined(&mut self, name: String, dumps: &[Dump], problem: &str) -> Answer {
        let input = if problem.is_empty() { bundle(dumps) } else { Vec::new() };
        let shown = Tab::Changes.number();
        let state = share::SharedState { input, name, shown, ..share::SharedState::default() };
        Answer::Shared(self.shared(state, problem))
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
    fn sources_of_a_comparison_are_translated_first() {
        let glsl = |name: &str| NamedFile {
            name: name.to_owned(),
            bytes: Bytes(b"#version 450\nvoid main() {}\n".to_vec()),
        };
        let ir = NamedFile { name: "c.ir".to_owned(), bytes: Bytes(b"func @0() graph {\n}\n".to_vec()) };
        let mut compiler = Compiler::default();
        let source = |answer: Answer| match answer {
            Answer::JoinSource(source) => source,
            other => panic!("{other:?}"),
        };
        let first = source(compiler.join(vec![glsl("b.frag"), ir, glsl("a.vert")]));
        assert_eq!((first.name.as_str(), first.stage.as_str()), ("a.vert", "vert"));
        let words = |byte| Translation { words: Bytes(vec![3, 2, 0x23, 7, byte]), ..Translation::default() };
        assert_eq!(source(compiler.join_translated(words(1))).name, "b.frag");
        let Answer::Shared(shared) = compiler.join_translated(words(2)) else { panic!("not joined") };
        assert_eq!((shared.view.name.as_str(), shared.problem.as_str()), ("a.vert and 2 more", ""));
        let dumps = dumps_of(&shared.input.0).and_then(Result::ok).unwrap_or_default();
        let ends: Vec<u8> = dumps.iter().filter_map(|dump| dump.bytes.last().copied()).collect();
        assert_eq!(ends, [1, 2, b'\n']);
        // An error names its file and line; a link of an older release has texts.
        source(compiler.join(vec![glsl("a.vert"), glsl("b.vert")]));
        let log = "ERROR: 0:2: 'x' : undeclared identifier".to_owned();
        let wrong = compiler.join_translated(Translation { log, ..Translation::default() });
        let Answer::Shared(shared) = wrong else { panic!("not refused") };
        assert!(shared.problem.starts_with("a.vert cannot be compiled: line 2: 'x'"), "{}", shared.problem);
        let files = [glsl("a.vert"), glsl("b.vert")].map(|of| Dump { name: of.name, bytes: of.bytes.0 });
        compiler.input = bundle(&files);
        assert_eq!(compiler.join_input("two").map(source).map(|of| of.name), Some("a.vert".to_owned()));
    }

    #[test]
    fn a_format_that_does_not_exist_is_refused() {
        let mut compiler = Compiler::default();
        assert!(
            compiler.export(ExportRequest { format: "moon".to_owned(), ..ExportRequest::default() }).is_err()
        );
    }
}

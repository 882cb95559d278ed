//! The state of the page in links and reproductions: [`crate::share`] in the types of the page.
//!
//! Refuses to keep anything: the caller has the input and the reproduction that waits for its run.

use super::Session;
use crate::front::bundle;
use crate::lab::compare::dumps_of;
use crate::share::{self, Expected, Repro, Verdict};
use vitrine_protocol::{Bytes, File, SharedRequest, SharedState, Tab};

/// The part of an address after `#`. A log or an archive is shared as its programs, which are smaller.
pub fn link(input: &[u8], view: SharedRequest) -> String {
    let input = match dumps_of(input) {
        Some(Ok(dumps)) => bundle(&dumps),
        Some(Err(_)) | None => input.to_vec(),
    };
    state(input, view).link()
}

/// The content of such a fragment.
pub fn read_link(link: &str) -> SharedState {
    let (state, problem) = share::SharedState::read(link);
    shared(state, problem.unwrap_or_default())
}

/// The content of a reproduction, and the reproduction itself, which is compared after its input has run.
pub fn read_repro(bytes: &[u8]) -> (SharedState, Repro) {
    let (repro, problem) = Repro::read(bytes);
    (shared(repro.state.clone(), problem.unwrap_or_default()), repro)
}

impl Session {
    /// A reproduction of an input, with the results of the last run if that was of this input.
    pub fn repro_file(&self, input: &[u8], view: SharedRequest) -> File {
        let text = self.repro(state(input.to_vec(), view)).text();
        let [extension, media] = ["repro", "text/plain"].map(str::to_owned);
        File { bytes: Bytes(text.into_bytes()), extension, media, raster: false }
    }

    /// The result of the comparison with a reproduction, in words; empty until its input has run. The reproduction is taken when
    /// it has been compared.
    pub fn verdict_on(&self, waiting: &mut Option<Repro>) -> String {
        let Some(verdict) = waiting.as_ref().and_then(|repro| self.verdict(repro)) else {
            return String::new();
        };
        let Some(repro) = waiting.take() else { return String::new() };
        match verdict {
            // The problem with the file was reported when it was read.
            Verdict::Nothing => String::new(),
            Verdict::Same(_) | Verdict::Differs(..) => verdict.words(&repro.version),
        }
    }
}

fn state(input: Vec<u8>, view: SharedRequest) -> share::SharedState {
    let [text, digest] = view.expected;
    let digest = u64::from_str_radix(&digest, 16).ok();
    share::SharedState {
        input,
        name: view.name,
        pipeline: view.pipeline,
        at: view.version,
        func: view.function,
        shown: view.shown.number(),
        target: view.target,
        pane: view.pane,
        assignments: view.assignments,
        source_options: view.source_options,
        overlay: view.overlay,
        columns: view.columns,
        trials: view.trials,
        expected: digest.map(|digest| Expected { text, digest }),
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// A state, and the problem with the link or file; empty if there is none.
pub(super) fn shared(state: share::SharedState, problem: &str) -> SharedState {
    let expected = state.expected;
    let expected = expected.map_or_else(Default::default, |of| [of.text, format!("{:016x}", of.digest)]);
    let view = SharedRequest {
        name: state.name,
        pipeline: state.pipeline,
        version: state.at,
        function: state.func,
        shown: Tab::numbered(state.shown),
        target: state.target,
        pane: state.pane,
        assignments: state.assignments,
        source_options: state.source_options,
        overlay: state.overlay,
        columns: state.columns,
        trials: state.trials,
        expected,
        made_by: state.made_by,
    };
    SharedState { input: Bytes(state.input), view, problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_and_a_reproduction_come_back_as_they_were() {
        let input = b"func @0() graph {\n^0:\n  return\n}\n";
        let session = Session::new();
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
            let read = read_link(&link(input, with_run.clone()));
            assert_eq!((read.view, &read.input.0[..], read.problem), (with_run, &input[..], String::new()));
            let file = session.repro_file(input, view.clone());
            let (read, _) = read_repro(&file.bytes.0);
            assert_eq!((read.view, read.problem), (view, String::new()));
        }
        assert!(!read_link("nothing").problem.is_empty());
    }

    #[test]
    fn a_reproduction_is_compared_a_single_time() {
        let input = b"func @0() graph {\n^0:\n  return\n}\n";
        let mut session = Session::new();
        session.open(input, "dce");
        let view = SharedRequest { pipeline: "dce".to_owned(), ..SharedRequest::default() };
        let (_, repro) = read_repro(&session.repro_file(input, view).bytes.0);
        let mut waiting = Some(repro);
        assert_eq!(Session::new().verdict_on(&mut waiting), "", "its input has not run");
        assert!(session.verdict_on(&mut waiting).starts_with("same result"));
        assert!(waiting.is_none());
    }
}

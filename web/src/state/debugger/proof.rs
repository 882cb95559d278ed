//! The first difference that a link expects, and the verdict on it after a check.

use vitrine_protocol::CheckReport;

use super::State;

/// A difference that the maker of a link saw.
#[derive(Debug, Default)]
pub struct Proof {
    /// In words, and as hexadecimal digest; empty without one.
    pub expected: [String; 2],
    /// The release that found it.
    pub made_by: String,
    /// The revision of the input that it is about.
    revision: u32,
}

/// The verdict on a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofVerdict {
    /// In words.
    pub words: String,
    /// True if the difference is the expected one.
    pub reproduced: bool,
}

impl Proof {
    /// Returns true if a difference is expected of the current input.
    pub fn is_about(&self, state: &State) -> bool {
        !self.expected[1].is_empty() && self.revision == state.input.revision
    }

    /// Compares a finished check with the expectation.
    pub fn verdict(&self, report: &CheckReport) -> ProofVerdict {
        let here = env!("CARGO_PKG_VERSION");
        let releases = match self.made_by.as_str() {
            made_by if made_by == here => here.to_owned(),
            made_by => format!("{made_by} → {here}"),
        };
        let [text, digest] = &self.expected;
        let reproduced = report.expected[1] == *digest;
        let words = match (reproduced, report.expected[1].is_empty()) {
            (true, _) => format!("Reproduced ({releases})."),
            (false, true) => format!("No longer reproduced ({releases}). Expected: {text}."),
            (false, false) => format!("A different failure ({releases}). Expected: {text}."),
        };
        ProofVerdict { words, reproduced }
    }
}

/// Takes the expectation of a link that was just opened; the panel of checks shows it.
pub(in crate::state) fn expect(state: &mut State, expected: [String; 2], made_by: String) {
    state.debugger.proof = Proof { expected, made_by, revision: state.input.revision };
    if !state.debugger.proof.is_about(state) {
        return;
    }
    state.debugger.of = (state.input.revision, state.pipeline.clone());
    let Proof { expected: [text, _], made_by, .. } = &state.debugger.proof;
    let check = &mut state.debugger.check;
    check.open = true;
    check.report = CheckReport {
        summary: format!("This link was made with Vitrine {made_by}. Check looks for: {text}."),
        ..CheckReport::default()
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_check_is_compared_with_the_expectation() {
        let expected = |digest: &str| ["licm; main, seed 3".to_owned(), digest.to_owned()];
        let proof = Proof { expected: expected("aa"), made_by: "0.0.7".to_owned(), revision: 0 };
        let verdict = |digest: &str| {
            proof.verdict(&CheckReport { expected: expected(digest), ..CheckReport::default() })
        };
        assert!(verdict("aa").reproduced && verdict("aa").words.starts_with("Reproduced (0.0.7 → "));
        assert!(
            verdict("ab").words.starts_with("A different failure (0.0.7 → ") && !verdict("ab").reproduced
        );
        let gone = verdict("").words;
        assert!(gone.starts_with("No longer reproduced (0.0.7 → ") && gone.ends_with("licm; main, seed 3."));
    }

    #[test]
    fn a_link_without_an_expectation_opens_no_panel() {
        let mut state = State::default();
        expect(&mut state, Default::default(), String::new());
        assert!(!state.debugger.check.open && !state.debugger.proof.is_about(&state));
        expect(&mut state, ["licm".to_owned(), "aa".to_owned()], "0.0.7".to_owned());
        assert!(state.debugger.check.open && state.debugger.proof.is_about(&state));
        state.input.replaced();
        assert!(!state.debugger.proof.is_about(&state), "the input changed");
    }
}

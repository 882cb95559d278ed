//! An input that is a source, with the result of its translation to SPIR-V by another program.
//!
//! The text stays the input, for links and reproductions; the module is that of the words. While an edited source has errors,
//! the last module stays, so that the page shows it together with the errors.
//!
//! Refuses to translate.

use super::origins::Origins;
use super::read::{Read, views};
use crate::front::{self, InputKind};
use crate::ir::{Anchor, Diag};
use crate::text::SourceMap;
use vitrine_protocol::{SourceProblem, Translation};

/// Returns true if there is a program.
pub(super) fn succeeded(translation: &Translation) -> bool {
    !translation.words.0.is_empty()
}

/// The program of a translated source; of a source with errors, `last`, with the errors of this one.
pub(super) fn read_translated(text: &[u8], translation: &Translation, last: Option<Read>) -> Read {
    if succeeded(translation) {
        let (_, read) = front::read(&translation.words.0);
        let (sound, diags) = (read.is_sound(), views(&read.diags));
        let origins = Origins::of_source(&String::from_utf8_lossy(text), &read.module);
        return Read {
            kind: InputKind::Spirv,
            sound,
            diags,
            module: read.module,
            origins,
            ..Read::default()
        };
    }
    let text = String::from_utf8_lossy(text);
    let map = SourceMap::of(&text);
    let mut diags: Vec<Diag> = translation.problems.iter().map(|problem| diag(problem, &map)).collect();
    if diags.is_empty() {
        diags.push(Diag::error("I008", Anchor::Module).says("the front end failed without a message"));
    }
    let last = last.unwrap_or_else(|| Read { kind: InputKind::Foreign, ..Read::default() });
    Read { diags: views(&diags), origins: last.origins.in_text(&text), ..last }
}

fn diag(problem: &SourceProblem, map: &SourceMap) -> Diag {
    let code = if problem.not_run { "I009" } else { "I008" };
    let diag = Diag::error(code, Anchor::Module).says(problem.message.as_str());
    let diag = if problem.help.is_empty() { diag } else { diag.help(problem.help.as_str()) };
    match problem.range {
        Some([start, end]) => diag.placed(map.span(start, end.saturating_sub(start))),
        None => diag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::{AsmOptions, assemble};
    use crate::view_model::Session;
    use vitrine_protocol::Bytes;

    const ASSEMBLY: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpFunction %1 None %2\n%4 = OpLabel\nOpReturn\nOpFunctionEnd\n";

    fn bytes(words: &[u32]) -> Bytes {
        Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    fn translated() -> Translation {
        let words = assemble(ASSEMBLY, &AsmOptions::default()).words;
        Translation { words: bytes(&words), ..Translation::default() }
    }

    fn wrong() -> Translation {
        let problem = SourceProblem {
            message: "unknown".to_owned(),
            help: "a".to_owned(),
            range: Some([3, 5]),
            not_run: false,
        };
        Translation { problems: vec![problem], ..Translation::default() }
    }

    #[test]
    fn an_error_has_its_place_in_the_source_and_the_last_program_stays() {
        let mut session = Session::new();
        let mut open = |text: &str, translation: &Translation, keeps| {
            session.open_translated(text.as_bytes(), Some((translation, keeps)), "dce", Default::default());
            let places: Vec<_> = session.diags().iter().map(|diag| (diag.line, diag.column)).collect();
            (session.functions(0).len(), session.source().is_some(), places)
        };
        assert_eq!(open("a", &translated(), false), (1, false, vec![]));
        assert_eq!(open("a\nbcd", &wrong(), true), (1, false, vec![(2, 2)]));
        assert_eq!(open("a\n\ncd", &wrong(), true), (1, false, vec![(3, 1)]), "the text changed");
        assert_eq!(open("other", &wrong(), false), (0, false, vec![(1, 4)]));
        assert_eq!(open("other", &Translation::default(), true).2, [(0, 0)], "always a message");
        assert_eq!(open("a", &translated(), true), (1, false, vec![]));
    }

    #[test]
    fn instructions_have_the_positions_of_their_lines() {
        let assembly = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%9 = OpString \"a.frag\"\n%8 = OpString \"b.inc\"\nOpSource GLSL 450 %9\n%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%5 = OpTypeFloat 32\n%6 = OpConstant %5 1\n%3 = OpFunction %1 None %2\n%4 = OpLabel\nOpLine %9 2 1\n%10 = OpFAdd %5 %6 %6\n%11 = OpFMul %5 %10 %6\nOpLine %8 1 1\n%12 = OpFMul %5 %11 %6\nOpReturn\nOpFunctionEnd\n";
        let words = assemble(assembly, &AsmOptions::default()).words;
        let done = Translation { words: bytes(&words), ..Translation::default() };
        let mut session = Session::new();
        session.open_translated("// é\n  a = b;\n".as_bytes(), Some((&done, false)), "", Default::default());
        let ties = session.ties(0);
        let ties = ties.entries();
        let places: Vec<[u32; 2]> = ties.iter().map(|tie| [tie.start, tie.len]).collect();
        assert_eq!(places, [[8, 6], [8, 6]], "the included line has none");
        assert!(ties[0].id > ties[1].id, "the result comes first: {ties:?}");
        session.open_translated(b"\n  a = ;\n", Some((&wrong(), true)), "", Default::default());
        let first = session.ties(0).entries()[0];
        assert_eq!([first.start, first.len], [3, 5], "the text changed, and the program is the last one");
    }

    #[test]
    fn a_front_end_that_did_not_run_is_no_error_of_the_source() {
        let problem = SourceProblem { not_run: true, ..SourceProblem::default() };
        let translation = Translation { problems: vec![problem], ..Translation::default() };
        assert_eq!(read_translated(b"x", &translation, None).diags[0].code, "I009");
    }

    #[test]
    fn places_outside_of_the_source_are_no_panic() {
        let problem = SourceProblem { range: Some([7, 2]), ..SourceProblem::default() };
        let translation = Translation { problems: vec![problem], ..Translation::default() };
        assert_eq!(read_translated("\u{2192}".as_bytes(), &translation, None).diags.len(), 1);
    }
}

//! Inputs that are sources: the text for a front end, and what that front end returned.
//!
//! WGSL is translated as it is. GLSL, HLSL and Slang are prepared here, and their words and errors get the lines of the source
//! here, so that the workers of their front ends need no program of ours.
//!
//! Refuses to translate: the page does, and opens the input again with the result.

use crate::front::source::{self, OfferedOption, Prepared, Problem, SourceOptions};
use crate::front::{SourceLanguage, source_language_of};
use crate::lab::compare::dumps_of;
use vitrine_protocol::{
    Bytes, Diagnostic, FrontEnd, Level, OpenRequest, PreparedSource, SourceOption, SourceProblem, Translation,
};

/// The last opened input, if it is a source that the page can translate.
#[derive(Debug, Default)]
pub struct InputSource {
    source: Option<Source>,
}

/// A source.
#[derive(Debug)]
pub(super) struct Source {
    /// Its language, in words.
    kind: &'static str,
    front_end: FrontEnd,
    name: String,
    text: String,
    /// The prepared text, or the reason that there is none; `None` for WGSL.
    prepared: Option<Result<Prepared, Problem>>,
    /// The options that it was prepared with.
    options: String,
    /// The options that its front end has.
    offered: Vec<SourceOption>,
}

impl InputSource {
    /// The source that the sender of a request has to translate first, if the input is one. `is_new` is true if the input
    /// changed after the last request.
    pub fn open(&mut self, input: &[u8], is_new: bool, request: &OpenRequest) -> Option<PreparedSource> {
        let has_other_options =
            self.source.as_ref().is_some_and(|source| source.options != request.source_options);
        if is_new || has_other_options {
            let source = || Source::of(input, &request.name, &request.source_options);
            self.source = if request.translates { source() } else { None };
        }
        let source = self.source.as_ref().filter(|_| request.translation.is_none())?;
        let source = source.request(request.revision)?;
        // The sender has the text of the input.
        let text = if source.front_end == FrontEnd::Naga { String::new() } else { source.text };
        Some(PreparedSource { text, ..source })
    }

    /// Returns true if the input is a source.
    pub fn is_source(&self) -> bool {
        self.source.is_some()
    }

    /// The language of the source, in words.
    pub fn kind(&self) -> Option<&'static str> {
        self.source.as_ref().map(|source| source.kind)
    }

    /// The options that its front end has; none for an input that is no source.
    pub fn options(&self) -> Vec<SourceOption> {
        self.source.as_ref().map_or_else(Vec::new, |source| source.offered.clone())
    }

    /// The finished translation of the source, and the notes about what was added to it; nothing for an input that is no source.
    pub fn finished(&self, given: Option<Translation>) -> (Option<Translation>, Vec<Diagnostic>) {
        self.source.as_ref().map_or((None, Vec::new()), |source| source.finished(given))
    }
}

impl Source {
    /// The source that an input is, if it is one.
    pub(super) fn of(input: &[u8], name: &str, options: &str) -> Option<Source> {
        let language = source_language_of(input, name).filter(|_| dumps_of(input).is_none())?;
        let text = std::str::from_utf8(input).ok()?;
        let chosen = SourceOptions::read(options);
        let prepared = || Some(source::prepare(text, name, language, &chosen, &|_| None));
        let (kind, front_end, prepared) = match language {
            SourceLanguage::Wgsl => ("WGSL", FrontEnd::Naga, None),
            SourceLanguage::Glsl => ("GLSL", FrontEnd::Glslang, prepared()),
            SourceLanguage::Shadertoy => ("Shadertoy GLSL", FrontEnd::Glslang, prepared()),
            SourceLanguage::Hlsl if name.ends_with(".slang") => ("Slang", FrontEnd::Slang, prepared()),
            SourceLanguage::Hlsl => ("HLSL", FrontEnd::Slang, prepared()),
        };
        let offered = source::offered(language, name, text, &chosen).into_iter().map(offered).collect();
        let [name, text, options] = [name, text, options].map(str::to_owned);
        Some(Source { kind, front_end, name, text, prepared, options, offered })
    }

    /// The text for the front end; `None` if the source has an error that only its preparation finds.
    pub(super) fn request(&self, revision: u32) -> Option<PreparedSource> {
        let name = if self.name.is_empty() { "source.wgsl" } else { &self.name };
        let Source { front_end, options, .. } = self;
        let whole = PreparedSource {
            revision,
            front_end: *front_end,
            name: name.to_owned(),
            options: options.clone(),
            ..PreparedSource::default()
        };
        match &self.prepared {
            None => Some(PreparedSource { text: self.text.clone(), ..whole }),
            Some(Ok(of)) => Some(PreparedSource {
                stage: of.stage.to_owned(),
                entry: of.entry.clone(),
                text: of.text.clone(),
                ..whole
            }),
            Some(Err(_)) => None,
        }
    }

    /// The finished translation, and the notes about what was added to the source.
    pub(super) fn finished(&self, given: Option<Translation>) -> (Option<Translation>, Vec<Diagnostic>) {
        let note = |message: &str| Diagnostic {
            level: Level::Note,
            code: "I010".to_owned(),
            message: message.to_owned(),
            ..Diagnostic::default()
        };
        // The front end has notes about the words that it made.
        let of_words = |given: &Translation| -> Vec<Diagnostic> {
            if given.words.0.is_empty() { Vec::new() } else { given.log.lines().map(note).collect() }
        };
        let prepared = match &self.prepared {
            None => {
                let notes = given.as_ref().map_or_else(Vec::new, of_words);
                return (given, notes);
            }
            Some(Err(problem)) => {
                let problems = vec![self.problem(problem.clone())];
                return (Some(Translation { problems, ..Translation::default() }), Vec::new());
            }
            Some(Ok(prepared)) => prepared,
        };
        let Some(mut given) = given else { return (None, Vec::new()) };
        if given.words.0.is_empty() {
            if given.problems.is_empty() {
                let problems = prepared.problems(&given.log).into_iter();
                given.problems = problems.map(|problem| self.problem(problem)).collect();
            }
        } else if !given.is_finished {
            given.words = Bytes(prepared.finish(&given.words.0));
            given.is_finished = true;
        }
        let added = prepared.notes.iter().map(|message| note(message));
        let notes = added.chain(of_words(&given)).collect();
        (Some(given), notes)
    }

    /// The first error of a translation in words, with its line.
    pub(super) fn first_problem(&self, translation: &Translation) -> String {
        let Some(SourceProblem { message, help, range, .. }) = translation.problems.first() else {
            return "the front end failed without a message".to_owned();
        };
        let line = |[start, _]: [u32; 2]| {
            let before = self.text.as_bytes().get(..start as usize).unwrap_or_default();
            format!("line {}: ", 1 + before.iter().filter(|byte| **byte == b'\n').count())
        };
        let help = if help.is_empty() { String::new() } else { format!("; {help}") };
        format!("{}{message}{help}", range.map_or_else(String::new, line))
    }

    fn problem(&self, problem: Problem) -> SourceProblem {
        let range = problem.place_in(&self.text).map(|range| [range.start as u32, range.end as u32]);
        SourceProblem { message: problem.says, help: problem.help, range, not_run: false }
    }
}

fn offered(of: OfferedOption) -> SourceOption {
    let [key, label, help] = [of.key, of.label, of.help].map(str::to_owned);
    SourceOption { key, label, help, choices: of.choices, preset: of.preset, value: of.value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::{AsmOptions, assemble};
    use crate::view_model::Session;

    fn request(source_options: &str) -> OpenRequest {
        let source_options = source_options.to_owned();
        OpenRequest { revision: 3, translates: true, source_options, ..OpenRequest::default() }
    }

    /// The code, line and column of each diagnostic of a source with the answer of a front end, then of each note.
    fn diagnostics(input: &InputSource, text: &str, given: Option<Translation>) -> Vec<(String, u32, u32)> {
        let (translation, notes) = input.finished(given);
        let mut session = Session::new();
        let translation = translation.as_ref().map(|of| (of, false));
        session.open_translated(text.as_bytes(), translation, "dce", Default::default());
        let place = |code: &str, line, column| (code.to_owned(), line, column);
        let found = session.diags().iter().map(|of| place(&of.code, of.line, of.column));
        found.chain(notes.iter().map(|of| place(&of.code, of.line, of.column))).collect()
    }

    fn failed(log: &str) -> Option<Translation> {
        Some(Translation { log: log.to_owned(), ..Translation::default() })
    }

    #[test]
    fn glsl_is_prepared_and_its_errors_have_the_lines_of_the_source() {
        let text = "void main() {\n  gl_FragColor = vec4(foo);\n}\n";
        let mut input = InputSource::default();
        let source = input.open(text.as_bytes(), true, &request("")).expect("a source");
        assert!(
            source.front_end == FrontEnd::Glslang
                && source.stage == "frag"
                && source.text.starts_with("#version 450\n"),
            "{source:?}"
        );
        let line = 1 + source.text.lines().position(|line| line.contains("foo")).unwrap_or_default();
        let log = format!("ERROR: 0:{line}: 'foo' : undeclared identifier \n");
        let found = diagnostics(&input, text, failed(&log));
        assert_eq!(found[0], ("I008".to_owned(), 2, 23));
        assert!(found[1..].iter().any(|(code, ..)| code == "I010"), "{found:?}");
        assert_eq!(input.kind(), Some("GLSL"));
    }

    #[test]
    fn hlsl_is_prepared_for_slang_and_its_notes_are_those_of_the_words() {
        let text = "float4 PS(float2 uv : UV) : SV_Target {\n  return foo;\n}\n";
        let mut input = InputSource::default();
        let source = input.open(text.as_bytes(), true, &request("")).expect("a source");
        assert_eq!(
            (source.front_end, source.stage.as_str(), source.entry.as_str(), source.text.as_str()),
            (FrontEnd::Slang, "frag", "PS", text)
        );
        let log = "/user.slang(2): error 30015: undefined identifier 'foo'.\n  return foo;\n         ^~~\n";
        assert_eq!(diagnostics(&input, text, failed(log)), [("I008".to_owned(), 2, 10)]);
        assert_eq!(input.kind(), Some("HLSL"));
        let assembly = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
        let words = assemble(assembly, &AsmOptions::default()).words;
        let words = Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let noted = Translation { words, log: "no lines".to_owned(), ..Translation::default() };
        let (translation, notes) = input.finished(Some(noted));
        assert!(translation.is_some_and(|of| of.is_finished));
        let notes: Vec<_> = notes.iter().map(|of| (of.code.as_str(), of.message.as_str())).collect();
        assert_eq!(notes, [("I010", "no lines")]);
    }

    #[test]
    fn a_source_without_a_known_stage_is_an_error_that_names_the_remedy() {
        let text = "#version 450\nvoid main() {}\n";
        let mut input = InputSource::default();
        assert_eq!(input.open(text.as_bytes(), true, &request("")), None, "it cannot be prepared");
        let (translation, _) = input.finished(None);
        let problems = translation.unwrap_or_default().problems;
        let words = format!("{}; {}", problems[0].message, problems[0].help);
        assert!(words.contains("stage") && words.contains("shader_stage"), "{words}");
    }

    #[test]
    fn other_options_prepare_the_same_text_again() {
        let text = "#version 450\nvoid draw() {}\nvoid main() { gl_FragDepth = 0.0; }\n";
        let mut input = InputSource::default();
        let mut asked = |options: &str, is_new| input.open(text.as_bytes(), is_new, &request(options));
        assert_eq!(asked("", true).expect("a source").stage, "frag");
        let other = asked("stage=vert\nentry=draw\ndefine=A=2", false).expect("a source");
        assert_eq!(other.stage, "vert");
        assert!(other.text.contains("#define A 2\n") && other.text.contains("{ draw(); }"), "{}", other.text);
        let translation = failed("ERROR: 0:1: '' : x");
        input.open(text.as_bytes(), false, &OpenRequest { translation, ..request("stage=vert") });
        let options: Vec<_> = input.options().into_iter().map(|of| (of.key, of.value)).collect();
        let wanted = [("stage", "vert"), ("entry", "main"), ("define", ""), ("target", "1.3")];
        assert_eq!(options, wanted.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_sender_that_cannot_translate_and_another_text_have_no_source() {
        let wgsl = b"@compute @workgroup_size(1)\nfn main() {}\n";
        let mut input = InputSource::default();
        let named =
            PreparedSource { revision: 3, name: "source.wgsl".to_owned(), ..PreparedSource::default() };
        assert_eq!(input.open(wgsl, true, &request("")), Some(named), "the sender has the text");
        assert_eq!(input.open(b"func @0() graph {\n^0:\n  return\n}\n", true, &request("")), None);
        assert!(!input.is_source());
        assert_eq!(input.open(wgsl, true, &OpenRequest { translates: false, ..request("") }), None);
        assert_eq!(input.finished(failed("x")), (None, Vec::new()));
    }
}

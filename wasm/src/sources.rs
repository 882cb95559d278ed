//! Inputs that are sources: the text for a front end, and what the page sends back.
//!
//! WGSL is translated as it is. GLSL, HLSL and Slang are prepared here, and their words and errors get the lines of the source
//! here, so that the workers of their front ends need no program of ours.

use vitrine_core::front::source::{self, Prepared, Problem, SourceOptions};
use vitrine_core::front::{SourceLanguage, source_language_of};
use vitrine_core::pipeline::compare::dumps_of;
use vitrine_protocol::{
    Bytes, Diagnostic, FrontEnd, Level, OpenRequest, PreparedSource, SourceOption, SourceProblem, Translation,
};

use crate::Compiler;

/// A source.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its language, in words.
    pub(crate) kind: &'static str,
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

impl Source {
    /// The source that an input is, if it is one.
    pub(crate) fn of(input: &[u8], name: &str, options: &str) -> Option<Source> {
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
    pub(crate) fn request(&self, revision: u32) -> Option<PreparedSource> {
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
    pub(crate) fn finished(&self, given: Option<Translation>) -> (Option<Translation>, Vec<Diagnostic>) {
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
    pub(crate) fn first_problem(&self, translation: &Translation) -> String {
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

impl Compiler {
    /// The source that the sender of the request has to translate first, if the input is one.
    pub(crate) fn needs_translation(&mut self, request: &OpenRequest) -> Option<PreparedSource> {
        let has_other_options =
            self.source.as_ref().is_some_and(|source| source.options != request.source_options);
        if self.is_new || has_other_options {
            let source = || Source::of(&self.input, &request.name, &request.source_options);
            self.source = if request.translates { source() } else { None };
        }
        let source = self.source.as_ref().filter(|_| request.translation.is_none())?;
        let source = source.request(request.revision)?;
        // The sender has the text of the input.
        let text = if source.front_end == FrontEnd::Naga { String::new() } else { source.text };
        Some(PreparedSource { text, ..source })
    }

    /// The options that the front end of the opened input has; none for an input that is no source.
    pub(crate) fn source_options(&self) -> Vec<SourceOption> {
        self.source.as_ref().map_or_else(Vec::new, |source| source.offered.clone())
    }

    /// The finished translation of the input, if that is a source, and the notes about what was added to the source.
    pub(crate) fn translated(&self, given: Option<Translation>) -> (Option<Translation>, Vec<Diagnostic>) {
        self.source.as_ref().map_or((None, Vec::new()), |source| source.finished(given))
    }
}

fn offered(of: source::OfferedOption) -> SourceOption {
    let [key, label, help] = [of.key, of.label, of.help].map(str::to_owned);
    SourceOption { key, label, help, choices: of.choices, preset: of.preset, value: of.value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Answer, InputEdit, Opened, Request};

    fn opened(compiler: &mut Compiler, request: OpenRequest) -> Opened {
        match compiler.answer(Request::Open(request)) {
            Some(Answer::Opened(opened)) => *opened,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn glsl_is_prepared_and_its_errors_have_the_lines_of_the_source() {
        let text = "void main() {\n  gl_FragColor = vec4(foo);\n}\n";
        let mut compiler = Compiler::default();
        compiler.answer(Request::Input(Bytes(text.as_bytes().to_vec())));
        let request = |translation| OpenRequest {
            revision: 3,
            translates: true,
            translation,
            ..OpenRequest::default()
        };
        let source = match compiler.answer(Request::Open(request(None))) {
            Some(Answer::Source(source)) => source,
            other => panic!("{other:?}"),
        };
        assert!(
            source.front_end == FrontEnd::Glslang
                && source.stage == "frag"
                && source.text.starts_with("#version 450\n"),
            "{source:?}"
        );
        let line = 1 + source.text.lines().position(|line| line.contains("foo")).unwrap_or_default();
        let log = format!("ERROR: 0:{line}: 'foo' : undeclared identifier \n");
        let opened = opened(&mut compiler, request(Some(Translation { log, ..Translation::default() })));
        let first = &opened.diagnostics[0];
        assert_eq!((first.code.as_str(), first.line, first.column), ("I008", 2, 23));
        assert_eq!((opened.kind.as_str(), opened.program.0.len()), ("GLSL", 0));
        assert!(opened.diagnostics.iter().any(|of| of.level == Level::Note));
    }

    #[test]
    fn hlsl_is_prepared_for_slang_and_its_notes_are_those_of_the_words() {
        let text = "float4 PS(float2 uv : UV) : SV_Target {\n  return foo;\n}\n";
        let mut compiler = Compiler::default();
        compiler.answer(Request::Input(Bytes(text.as_bytes().to_vec())));
        let request = |translation| OpenRequest { translates: true, translation, ..OpenRequest::default() };
        let source = match compiler.answer(Request::Open(request(None))) {
            Some(Answer::Source(source)) => source,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (source.front_end, source.stage.as_str(), source.entry.as_str(), source.text.as_str()),
            (FrontEnd::Slang, "frag", "PS", text)
        );
        let log = "/user.slang(2): error 30015: undefined identifier 'foo'.\n  return foo;\n         ^~~\n"
            .to_owned();
        let wrong = opened(&mut compiler, request(Some(Translation { log, ..Translation::default() })));
        let places: Vec<_> =
            wrong.diagnostics.iter().map(|of| (of.code.as_str(), of.line, of.column)).collect();
        assert_eq!((wrong.kind.as_str(), places), ("HLSL", vec![("I008", 2, 10)]));
        let words = translated(WGSL).words;
        let noted = Translation { words, log: "no lines".to_owned(), ..Translation::default() };
        let right = opened(&mut compiler, request(Some(noted)));
        let found: Vec<_> =
            right.diagnostics.iter().map(|of| (of.code.as_str(), of.message.as_str())).collect();
        assert_eq!(found, [("I010", "no lines")]);
    }

    #[test]
    fn a_source_without_a_known_stage_is_an_error_that_names_the_remedy() {
        let mut compiler = Compiler::default();
        compiler.answer(Request::Input(Bytes(b"#version 450\nvoid main() {}\n".to_vec())));
        let of = OpenRequest { translates: true, ..OpenRequest::default() };
        let message = opened(&mut compiler, of).diagnostics[0].message.clone();
        assert!(message.contains("stage") && message.contains("shader_stage"), "{message}");
    }

    #[test]
    fn other_options_prepare_the_same_text_again() {
        let mut compiler = Compiler::default();
        let text = "#version 450\nvoid draw() {}\nvoid main() { gl_FragDepth = 0.0; }\n";
        compiler.answer(Request::Input(Bytes(text.as_bytes().to_vec())));
        let mut asked = |source_options: &str| {
            let source_options = source_options.to_owned();
            let request = OpenRequest { translates: true, source_options, ..OpenRequest::default() };
            match compiler.answer(Request::Open(request)) {
                Some(Answer::Source(source)) => source,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(asked("").stage, "frag");
        let other = asked("stage=vert\nentry=draw\ndefine=A=2");
        assert_eq!(other.stage, "vert");
        assert!(other.text.contains("#define A 2\n") && other.text.contains("{ draw(); }"), "{}", other.text);
        let translation =
            Some(Translation { log: "ERROR: 0:1: '' : x".to_owned(), ..Translation::default() });
        let source_options = "stage=vert".to_owned();
        let request = OpenRequest { translates: true, translation, source_options, ..OpenRequest::default() };
        let keys: Vec<_> =
            opened(&mut compiler, request).source_options.into_iter().map(|of| (of.key, of.value)).collect();
        let wanted = [("stage", "vert"), ("entry", "main"), ("define", ""), ("target", "1.3")];
        assert_eq!(keys, wanted.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    const WGSL: &str =
        "@compute @workgroup_size(1)\nfn main() {\n  var i = 0u;\n  while (i < 3u) { i += 1u; }\n}\n";

    /// A translation as the worker of sources makes it.
    fn translated(text: &str) -> Translation {
        match vitrine_sources::translate(text, "a.wgsl", &vitrine_sources::Options::default()) {
            Ok(done) => {
                let bytes = done.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                Translation { words: Bytes(bytes), ..Translation::default() }
            }
            Err(problems) => {
                let problem = |of: vitrine_sources::Problem| SourceProblem {
                    message: of.says,
                    help: of.help,
                    range: of.range.map(|range| [range.start as u32, range.end as u32]),
                    not_run: false,
                };
                Translation { problems: problems.into_iter().map(problem).collect(), ..Default::default() }
            }
        }
    }

    #[test]
    fn a_source_is_opened_with_its_translation_and_keeps_it_while_it_has_errors() {
        let request = |translation| OpenRequest {
            revision: 4,
            pipeline: "dce".to_owned(),
            translates: true,
            translation,
            ..OpenRequest::default()
        };
        let mut compiler = Compiler::default();
        compiler.answer(Request::Input(Bytes(WGSL.as_bytes().to_vec())));
        assert_eq!(
            compiler.answer(Request::Open(request(None))),
            Some(Answer::Source(PreparedSource {
                revision: 4,
                name: "source.wgsl".to_owned(),
                ..PreparedSource::default()
            }))
        );
        let first = opened(&mut compiler, request(Some(translated(WGSL))));
        assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
        assert_eq!((first.kind.as_str(), first.source.0.as_str()), ("WGSL", ""));
        assert!(first.graph.blocks.entries().len() > 3);

        let at = WGSL.find("i += 1u").unwrap_or_default() as u32;
        let edit = InputEdit { from: at, to: at + 1, text: "k".to_owned() };
        compiler.answer(Request::Edit(vec![edit]));
        assert_eq!(
            compiler.answer(Request::Open(request(None))),
            Some(Answer::Source(PreparedSource {
                revision: 4,
                name: "source.wgsl".to_owned(),
                ..PreparedSource::default()
            }))
        );
        let wrong = WGSL.replace("i += 1u", "k += 1u");
        let second = opened(&mut compiler, request(Some(translated(&wrong))));
        let places: Vec<_> = second.diagnostics.iter().map(|of| (of.code.as_str(), of.line)).collect();
        assert_eq!(places, [("I008", 4)]);
        assert_eq!((&second.text, &second.graph), (&first.text, &first.graph));

        let link = match compiler.answer(Request::WriteLink(Default::default())) {
            Some(Answer::Link(link)) => link,
            other => panic!("{other:?}"),
        };
        let shared = match Compiler::default().answer(Request::ReadLink(link)) {
            Some(Answer::Shared(shared)) => shared,
            other => panic!("{other:?}"),
        };
        assert_eq!(shared.input.0, wrong.as_bytes(), "a link has the source");

        // Another text is no source, whatever comes with it; without a translator a source is refused as before.
        compiler.answer(Request::Input(Bytes(b"func @0() graph {\n^0:\n  return\n}\n".to_vec())));
        assert_eq!(opened(&mut compiler, request(Some(translated(WGSL)))).kind, "IR text");
        compiler.answer(Request::Input(Bytes(WGSL.as_bytes().to_vec())));
        let refused = opened(&mut compiler, OpenRequest { translates: false, ..request(None) });
        assert_eq!((refused.kind.as_str(), refused.diagnostics[0].code.as_str()), ("not read yet", "I001"));
    }
}

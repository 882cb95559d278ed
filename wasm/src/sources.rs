//! Inputs that are sources: the text for a front end, and what the page sends back.
//!
//! WGSL is translated as it is. GLSL, HLSL and Slang are prepared here, and their words and errors get the lines of the source
//! here, so that the workers of their front ends need no program of ours.

use vitrine_core::front::source::{self, Prepared, Problem, SourceOptions};
use vitrine_core::front::{SourceLanguage, source_language};
use vitrine_protocol::{
    Bytes, Diagnostic, FrontEnd, Level, OpenRequest, PreparedSource, SourceProblem, Translation,
};

use crate::Compiler;

/// A source.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its language, in words.
    pub(crate) kind: &'static str,
    front_end: FrontEnd,
    /// The prepared text, or the reason that there is none; `None` for WGSL.
    prepared: Option<Result<Prepared, Problem>>,
}

impl Compiler {
    /// The source that the sender of the request has to translate first, if the input is one.
    pub(crate) fn needs_translation(&mut self, request: &OpenRequest) -> Option<PreparedSource> {
        if self.is_new {
            self.source = if request.translates { self.source_of(&request.name) } else { None };
        }
        let source = self.source.as_ref().filter(|_| request.translation.is_none())?;
        let revision = request.revision;
        match &source.prepared {
            None => Some(PreparedSource { revision, ..PreparedSource::default() }),
            Some(Ok(of)) => Some(PreparedSource {
                revision,
                front_end: source.front_end,
                stage: of.stage.to_owned(),
                entry: of.entry.clone(),
                text: of.text.clone(),
            }),
            Some(Err(_)) => None,
        }
    }

    fn source_of(&self, name: &str) -> Option<Source> {
        let language = source_language(&self.input)?;
        let (kind, front_end) = match language {
            SourceLanguage::Wgsl => {
                return Some(Source { kind: "WGSL", front_end: FrontEnd::Naga, prepared: None });
            }
            SourceLanguage::Glsl => ("GLSL", FrontEnd::Glslang),
            SourceLanguage::Shadertoy => ("Shadertoy GLSL", FrontEnd::Glslang),
            SourceLanguage::Hlsl if name.ends_with(".slang") => ("Slang", FrontEnd::Slang),
            SourceLanguage::Hlsl => ("HLSL", FrontEnd::Slang),
        };
        let text = std::str::from_utf8(&self.input).ok()?;
        let prepared = source::prepare(text, name, language, &SourceOptions::default(), &|_| None);
        Some(Source { kind, front_end, prepared: Some(prepared) })
    }

    /// The finished translation of the input, if that is a source, and the notes about what was added to the source.
    pub(crate) fn translated(&self, given: Option<Translation>) -> (Option<Translation>, Vec<Diagnostic>) {
        let Some(source) = &self.source else { return (None, Vec::new()) };
        let prepared = match &source.prepared {
            None => return (given, Vec::new()),
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
        let note = |message: &str| Diagnostic {
            level: Level::Note,
            code: "I010".to_owned(),
            message: message.to_owned(),
            ..Diagnostic::default()
        };
        // The front end has notes about the words that it made.
        let of_words = given.log.lines().filter(|_| !given.words.0.is_empty());
        let notes = prepared.notes.iter().map(String::as_str).chain(of_words).map(note).collect();
        (Some(given), notes)
    }

    fn problem(&self, problem: Problem) -> SourceProblem {
        let text = String::from_utf8_lossy(&self.input);
        let range = problem.place_in(&text).map(|range| [range.start as u32, range.end as u32]);
        SourceProblem { message: problem.says, help: problem.help, range, not_run: false }
    }
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

    const WGSL: &str =
        "@compute @workgroup_size(1)\nfn main() {\n  var i = 0u;\n  while (i < 3u) { i += 1u; }\n}\n";

    /// A translation as the worker of sources makes it.
    fn translated(text: &str) -> Translation {
        match vitrine_sources::translate(text, "a.wgsl", None) {
            Ok(words) => {
                let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
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
            Some(Answer::Source(PreparedSource { revision: 4, ..PreparedSource::default() }))
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
            Some(Answer::Source(PreparedSource { revision: 4, ..PreparedSource::default() }))
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

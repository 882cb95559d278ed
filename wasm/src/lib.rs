//! The compiler's interface for JavaScript: two classes, [`Compiler`] and [`Debugger`], each created by a Web
//! Worker, and a function that reports a finding.
//!
//! A worker passes every message of the page to `dispatch`; answers are sent by the worker's `postMessage`,
//! with their buffers transferred. The messages are declared in `vitrine-protocol`. No logic: this crate
//! turns requests into calls of `vitrine_core` and results into answers. Its state can be rebuilt: the page
//! may end a worker at any time and start another.

mod debugger; // programs run, compared and stepped through
mod lessons; // tasks and facts of lessons
mod open; // start here: an input that is read, run and drawn
mod port; // answers, progress and faults to the page
mod report; // reports of findings

pub use debugger::Debugger;
pub use lessons::lesson;
pub use report::{release, report};

use vitrine_core::catalog;
/// The data of the page in `vitrine_core`.
use vitrine_core::view_model as model;
use vitrine_protocol::{
    Answer, Columns, Found, InspectRequest, Inspected, MemoryMap, MemoryRequest, OpenRequest, Origins,
    OriginsRequest, PathsRequest, PointerPaths, Request, Utf8,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The compiler, as seen by its worker.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Compiler {
    session: model::Session,
    input: Vec<u8>,
    /// True if the input came after the last [`Request::Open`].
    is_new: bool,
    /// True if the input was replaced as a whole after the last [`Request::Open`].
    is_replaced: bool,
    /// The last opened input, if it is a source that the page can translate.
    source: model::InputSource,
    /// A comparison whose sources are being translated.
    joining: model::Joining,
    /// The last opened reproduction, until it is compared.
    repro: Option<vitrine_core::share::Repro>,
}

#[wasm_bindgen]
impl Compiler {
    /// A compiler that sends its messages in binary form, or as objects; see `vitrine_protocol::js`.
    #[wasm_bindgen(constructor)]
    pub fn new(binary: bool) -> Compiler {
        port::open(binary);
        Compiler::default()
    }

    /// Reports to the page that requests are answered from now on.
    pub fn ready(&self) {
        port::post(&self.greeting());
    }

    /// Answers a request of the page; an invalid message is a fault. Returns true if the answer is a version.
    pub fn dispatch(&mut self, request: JsValue) -> bool {
        let answer = match port::read(request) {
            Ok(request) => self.answer(request),
            Err(message) => {
                port::post_fault(message);
                None
            }
        };
        answer.iter().for_each(port::post);
        matches!(answer, Some(Answer::Opened(_)))
    }

    /// Sends the words of the languages, as if they were requested.
    pub fn words(&self) {
        port::post(&Answer::Words(model::words()));
    }

    /// A line of checksums for an input and a pipeline; an empty pipeline is the default one.
    pub fn digest(&self, input: &[u8], pipeline: &str) -> String {
        model::digest(input, if pipeline.is_empty() { model::DEFAULT_PIPELINE } else { pipeline })
    }
}

/// The same for Rust: for prerendering the page, and for tests without JavaScript.
impl Compiler {
    /// The first message of the compiler.
    pub fn greeting(&self) -> Answer {
        let classes = model::class_names().iter().map(|name| (*name).to_owned()).collect();
        Answer::Ready { classes, pipeline: model::DEFAULT_PIPELINE.to_owned(), formats: catalog::formats() }
    }

    /// The answer to a request, if it has one.
    pub fn answer(&mut self, request: Request) -> Option<Answer> {
        Some(match request {
            Request::Input(input) => {
                (self.input, self.is_new, self.is_replaced) = (input.0, true, true);
                return None;
            }
            Request::Edit(edits) => {
                edits.iter().for_each(|edit| model::edit(&mut self.input, edit));
                self.is_new |= !edits.is_empty();
                return None;
            }
            Request::Open(request) => self.opened(request),
            Request::Columns(request) => {
                let start = port::now();
                let columns = self.session.columns(&request);
                Answer::Columns(Columns { tenths_ms: port::tenths_since(start), ..columns })
            }
            Request::ColumnsText => Answer::ColumnsText(Utf8(self.session.columns_text())),
            Request::Inspect(InspectRequest { serial, version, id }) => {
                Answer::Inspected(Inspected { serial, ..self.session.inspect(version as usize, id) })
            }
            Request::Origins(OriginsRequest { revision, version }) => {
                Answer::Origins(Origins { revision, table: self.session.ties(version as usize) })
            }
            Request::Memory(MemoryRequest { serial, version, id }) => {
                Answer::Memory(MemoryMap { serial, ..self.session.memory(version as usize, id) })
            }
            Request::Paths(PathsRequest { serial, versions }) => {
                Answer::Paths(PointerPaths { serial, paths: self.session.paths(&versions) })
            }
            Request::Find(request) => {
                let places = self.session.find(request.version as usize, request.function, &request.query);
                Answer::Found(Found { request, places })
            }
            Request::Overlay(request) => Answer::Overlay(self.session.overlay(&request)),
            Request::Catalog => Answer::Catalog(catalog::page_catalog()),
            Request::Words => Answer::Words(model::words()),
            Request::Export(request) => {
                self.session.export(&request).map_or_else(Answer::Refused, Answer::File)
            }
            Request::WriteLink(request) => Answer::Link(model::link(&self.input, request)),
            Request::ReadLink(link) => self.joined(Answer::Shared(model::read_link(&link))),
            Request::WriteRepro(request) => Answer::File(self.session.repro_file(&self.input, request)),
            Request::ReadRepro(bytes) => {
                let (shared, repro) = model::read_repro(&bytes.0);
                self.repro = Some(repro);
                self.joined(Answer::Shared(shared))
            }
            Request::Join(files) => {
                let answer = self.joining.join(files);
                self.joined(answer)
            }
            Request::JoinTranslated(translation) => {
                let answer = self.joining.translated(translation);
                self.joined(answer)
            }
            Request::Anchors(numbers) => Answer::Anchors(self.session.anchors(&numbers)),
            Request::Numbers(anchors) => Answer::Numbers(self.session.numbers_of(&anchors)),
        })
    }

    /// A source and the sources of a comparison are translated first.
    fn opened(&mut self, request: OpenRequest) -> Answer {
        if let Some(source) = self.source.open(&self.input, self.is_new, &request) {
            return Answer::Source(source);
        }
        if self.is_new
            && request.translates
            && !self.source.is_source()
            && let Some(answer) = self.joining.join_input(&self.input, &request.name)
        {
            return self.joined(answer);
        }
        Answer::Opened(Box::new(self.open(request)))
    }

    /// The same answer; its input becomes the current one.
    fn joined(&mut self, answer: Answer) -> Answer {
        if let Answer::Shared(shared) = &answer {
            self.input.clone_from(&shared.input.0);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Bytes, InputEdit, Opened, PreparedSource, SourceProblem, Translation};

    const WGSL: &str =
        "@compute @workgroup_size(1)\nfn main() {\n  var i = 0u;\n  while (i < 3u) { i += 1u; }\n}\n";

    fn opened(compiler: &mut Compiler, request: OpenRequest) -> Opened {
        match compiler.answer(Request::Open(request)) {
            Some(Answer::Opened(opened)) => *opened,
            other => panic!("{other:?}"),
        }
    }

    /// A translation as the worker of sources makes it.
    fn translated(text: &str) -> Option<Translation> {
        Some(match vitrine_sources::translate(text, "a.wgsl", &vitrine_sources::Options::default()) {
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
        })
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
        let source =
            PreparedSource { revision: 4, name: "source.wgsl".to_owned(), ..PreparedSource::default() };
        assert_eq!(compiler.answer(Request::Open(request(None))), Some(Answer::Source(source.clone())));
        let first = opened(&mut compiler, request(translated(WGSL)));
        assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
        assert_eq!((first.kind.as_str(), first.source.0.as_str()), ("WGSL", ""));
        assert!(first.graph.blocks.entries().len() > 3);

        let at = WGSL.find("i += 1u").unwrap_or_default() as u32;
        let edit = InputEdit { from: at, to: at + 1, text: "k".to_owned() };
        compiler.answer(Request::Edit(vec![edit]));
        assert_eq!(compiler.answer(Request::Open(request(None))), Some(Answer::Source(source)));
        let wrong = WGSL.replace("i += 1u", "k += 1u");
        let second = opened(&mut compiler, request(translated(&wrong)));
        let places: Vec<_> = second.diagnostics.iter().map(|of| (of.code.as_str(), of.line)).collect();
        assert_eq!(places, [("I008", 4)]);
        assert_eq!((&second.text, &second.graph), (&first.text, &first.graph));

        let link = match compiler.answer(Request::WriteLink(Default::default())) {
            Some(Answer::Link(link)) => link,
            other => panic!("{other:?}"),
        };
        let mut other = Compiler::default();
        assert!(matches!(other.answer(Request::ReadLink(link)), Some(Answer::Shared(_))));
        assert_eq!(other.input, wrong.as_bytes(), "a link has the source, which becomes the input");

        // Another text is no source, whatever comes with it; without a translator a source is refused as before.
        compiler.answer(Request::Input(Bytes(b"func @0() graph {\n^0:\n  return\n}\n".to_vec())));
        assert_eq!(opened(&mut compiler, request(translated(WGSL))).kind, "IR text");
        compiler.answer(Request::Input(Bytes(WGSL.as_bytes().to_vec())));
        let refused = opened(&mut compiler, OpenRequest { translates: false, ..request(None) });
        assert_eq!((refused.kind.as_str(), refused.diagnostics[0].code.as_str()), ("not read yet", "I001"));
    }
}

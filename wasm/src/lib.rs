//! The compiler's interface for JavaScript: two classes, [`Compiler`] and [`Debugger`], each created by a Web
//! Worker, and a function that reports a finding.
//!
//! A worker passes every message of the page to `dispatch`; answers are sent by the worker's `postMessage`,
//! with their buffers transferred. The messages are declared in `vitrine-protocol`. No logic: this crate
//! turns requests into calls of `vitrine_core` and results into answers. Its state can be rebuilt: the page
//! may end a worker at any time and start another.

mod catalog; // the catalog
mod debugger; // programs run, compared and stepped through
mod lessons; // tasks and facts of lessons
mod open; // start here: an input that is read, run and drawn
mod sources; // sources, which the page translates
mod port; // answers, progress and faults to the page
mod report; // reports of findings
mod share; // files, links, reproductions
mod views; // columns, the inspector, memory, positions in the input

pub use debugger::Debugger;
pub use lessons::lesson;
pub use report::{release, report};

/// The data of the page in `vitrine_core`.
use vitrine_core::view_model as model;

use vitrine_protocol::{Answer, Request, Utf8};
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
    source: Option<sources::Source>,
    /// A comparison whose sources are being translated.
    joining: Option<share::Joining>,
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
        port::post(&Answer::Words(catalog::words()));
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
            Request::Open(request) => match self.needs_translation(&request) {
                Some(source) => Answer::Source(source),
                None if self.is_new && request.translates && self.source.is_none() => {
                    match self.join_input(&request.name) {
                        Some(answer) => answer,
                        None => self.open_answer(request),
                    }
                }
                None => self.open_answer(request),
            },
            Request::Columns(request) => Answer::Columns(self.columns(request)),
            Request::ColumnsText => Answer::ColumnsText(Utf8(self.session.columns_text())),
            Request::Inspect(request) => Answer::Inspected(self.inspect(request)),
            Request::Origins(request) => Answer::Origins(self.origins(request)),
            Request::Memory(request) => Answer::Memory(self.memory(request)),
            Request::Paths(request) => Answer::Paths(self.paths(request)),
            Request::Find(request) => Answer::Found(self.find(request)),
            Request::Overlay(request) => Answer::Overlay(self.session.overlay(&request)),
            Request::Catalog => Answer::Catalog(catalog::catalog()),
            Request::Words => Answer::Words(catalog::words()),
            Request::Export(request) => self.export(request).map_or_else(Answer::Refused, Answer::File),
            Request::WriteLink(request) => Answer::Link(self.link(request)),
            Request::ReadLink(link) => Answer::Shared(self.read_link(&link)),
            Request::WriteRepro(request) => Answer::File(self.repro(request)),
            Request::ReadRepro(bytes) => Answer::Shared(self.read_repro(&bytes.0)),
            Request::Join(files) => self.join(files),
            Request::JoinTranslated(translation) => self.join_translated(translation),
            Request::Anchors(numbers) => Answer::Anchors(self.session.anchors(&numbers)),
            Request::Numbers(anchors) => Answer::Numbers(self.session.numbers_of(&anchors)),
        })
    }

    fn open_answer(&mut self, request: vitrine_protocol::OpenRequest) -> Answer {
        Answer::Opened(Box::new(self.open(request)))
    }
}

//! The compiler's surface for JavaScript: one class, made and called by `www/worker.js` in a Web Worker, and one for
//! the laboratory, made by `www/lab.js` in another.
//!
//! No logic of its own: it calls `vitrine_core::view_model` and hands the answer over, small things as
//! plain objects, large ones as one string and one typed array that the worker transfers without a copy.
//! No state that matters: the page may end the worker at any moment and start another.

mod columns; // versions side by side, one thing in detail
mod editor; // what the text editor asks
mod fault; // a panic becomes a message to the page
mod header; // the small part of an answer
mod lab; // the laboratory, in a worker of its own
mod look; // how graphs are drawn, and where words stand in them
mod memory; // which bytes, as what, by whom
mod part; // what is loaded when it is called
mod progress; // which pass is running
mod reference; // the catalogue
mod repro; // reproductions

use header::{Header, Moment};
use vitrine_core::view_model::{
    self, DEFAULT_PIPELINE, Graph, Repro, Session, Shown, Text, Toggle, Watch,
};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

/// The compiler, as the worker sees it.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Compiler {
    session: Session,
    input: Vec<u8>,
    text: Text,
    source: Text,
    graph: Graph,
    toggle: Option<Toggle>,
    graph_only: bool,
    file: [String; 2],
    /// What [`Compiler::paths`] found.
    numbers: Vec<u32>,
    /// The reproduction that was opened last.
    repro: Option<Repro>,
}

#[wasm_bindgen]
impl Compiler {
    /// A compiler that reports its panics to the page.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Compiler {
        fault::install();
        Compiler::default()
    }

    /// Names of the token classes, by the number that stands in the spans.
    pub fn classes(&self) -> Vec<String> {
        view_model::class_names().iter().map(|name| (*name).to_owned()).collect()
    }

    /// The pipeline to begin with.
    pub fn pipeline(&self) -> String {
        DEFAULT_PIPELINE.to_owned()
    }

    /// Takes an input for the next [`Compiler::open`]: bytes of any kind.
    pub fn give(&mut self, input: Vec<u8>) {
        self.input = input;
    }

    /// Reads the input, runs the pipeline, shows a version of a function: `{ kind, diags, pipeline, functions, steps,
    /// counts, at, func, extent, labels, refused, reasons, verdict }`. A version or function below 0 leaves the
    /// choice to us. `shown` is 0 for IR, 1 for changes, 2 for SPIR-V. What is large waits to be taken.
    pub fn open(&mut self, pipeline: &str, at: i32, func: i32, shown: u32) -> Result<JsValue, JsError> {
        let (mut told, mut clock) = (progress::teller(), progress::clock());
        let watch = Watch { told: Some(&mut told), clock: Some(&mut clock) };
        self.session.open_watched(&self.input, pipeline, watch);
        let last = self.session.versions() - 1;
        let at = usize::try_from(at).map_or(last, |at| at.min(last));
        let functions = self.session.functions();
        let wanted = u32::try_from(func).ok().filter(|func| functions.iter().any(|of| of.number == *func));
        let func = wanted.or_else(|| self.session.first_choice());
        let shown =
            [Shown::Ir, Shown::Changes, Shown::Spirv].get(shown as usize).copied().unwrap_or_default();
        let mut moment = Moment { at, func, ..Moment::default() };
        let text = if self.graph_only { Ok(Text::default()) } else { self.session.text(at, shown) };
        self.text = text.unwrap_or_else(|why| {
            moment.refused = why;
            Text::default()
        });
        self.toggle(at, func);
        self.graph = func.map_or_else(Graph::default, |func| self.session.graph(at, func));
        moment.extent = self.graph.extent;
        moment.verdict = self.verdict();
        moment.labels = std::mem::take(&mut self.graph.labels);
        self.source = self.session.source().cloned().unwrap_or_default();
        Header::of(&self.session, moment).to_js()
    }

    /// The text of the last [`Compiler::open`] in UTF-8, which the page takes without a copy; empty the second time.
    pub fn take_text(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text.text).into_bytes()
    }

    /// Its styled runs, five words each: start byte, length in bytes, class, link (1 definition, 2 use), id.
    pub fn take_spans(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.text.runs)
    }

    /// What became of each line: 0 nothing, 1 added, 2 gone, 3 changed, 4 moved. Empty if nothing is compared.
    pub fn take_marks(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text.marks)
    }

    /// A text to edit in place of a binary; empty where the input is a text.
    pub fn take_source(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.source.text).into_bytes()
    }

    /// The words in the blocks of the graph.
    pub fn take_words(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.graph.text.text).into_bytes()
    }

    /// Their runs.
    pub fn take_word_spans(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.graph.text.runs)
    }

    /// The blocks of the graph, twelve numbers each, see `view_model::Graph`.
    pub fn take_blocks(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.graph.blocks)
    }

    /// Its loops, six numbers each.
    pub fn take_bands(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.graph.bands)
    }

    /// Its lines, seven numbers each and then their points.
    pub fn take_lines(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.graph.lines)
    }

    /// A version of the open input as a file. Throws the reason where it cannot be written so.
    pub fn export(&mut self, at: i32, func: i32, format: &str) -> Result<Vec<u8>, JsError> {
        let backend = vitrine_core::back::named(format).map_err(|diag| JsError::new(&diag.to_string()))?;
        let at = usize::try_from(at).unwrap_or(usize::MAX).min(self.session.versions() - 1);
        let file = self.session.export(at, u32::try_from(func).ok(), backend);
        let file = file.map_err(|why| JsError::new(&why))?;
        self.file = [file.extension.to_owned(), file.media.to_owned()];
        Ok(file.bytes)
    }

    /// What is open and shown as the part of an address behind `#`. `pipeline` is empty for the one to begin with.
    pub fn link(&self, name: String, pipeline: String, at: i32, func: i32, shown: u32) -> String {
        let (at, func) = (u32::try_from(at).ok(), u32::try_from(func).ok());
        view_model::Moment { input: self.input.clone(), name, pipeline, at, func, shown }.link()
    }

    /// What such a part says: `{ name, pipeline, at, func, shown, problem }`. The input waits to be taken.
    pub fn unlink(&mut self, link: &str) -> Result<JsValue, JsError> {
        let (moment, problem) = view_model::Moment::read(link);
        let header = header::linked(&moment, problem.unwrap_or_default());
        self.input = moment.input;
        header
    }

    /// The input of the last [`Compiler::unlink`].
    pub fn take_input(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.input)
    }

    /// What an input and a pipeline come to, in a line: see `view_model::digest`.
    pub fn digest(&self, input: &[u8], pipeline: &str) -> String {
        view_model::digest(input, pipeline)
    }

    /// What the name of the last file ends with, and its media type.
    pub fn file(&self) -> Vec<String> {
        self.file.to_vec()
    }
}

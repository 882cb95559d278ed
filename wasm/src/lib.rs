//! The compiler's surface for JavaScript: one class, made and called by `www/worker.js` in a Web Worker.
//!
//! No logic of its own: it calls `vitrine_core::playground` and hands the answer over, small things as
//! plain objects, large ones as one string and one typed array that the worker transfers without a copy.
//! No state that matters: the page may end the worker at any moment and start another.

mod fault; // a panic becomes a message to the page
mod header; // the small part of an answer

use vitrine_core::playground;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

/// The compiler, as the worker sees it.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Compiler {
    text: String,
    spans: Vec<u32>,
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
        playground::class_names().iter().map(|name| (*name).to_owned()).collect()
    }

    /// Reads IR text: `{ diags, functions, blocks, instructions }`. Text and spans wait to be taken.
    pub fn open(&mut self, input: &str) -> Result<JsValue, JsError> {
        let view = playground::open_text(input);
        let header = header::Header::of(&view).to_js();
        self.text = view.text;
        self.spans = view.spans;
        header
    }

    /// The canonical text of the last [`Compiler::open`]; empty the second time.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Its styled runs, five words each: start byte, length in bytes, class, link (1 definition, 2 use), id.
    pub fn take_spans(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.spans)
    }
}

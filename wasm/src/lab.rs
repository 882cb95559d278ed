//! The laboratory's surface for JavaScript: one class, made and called by `www/lab.js` in a Web Worker of its own.
//!
//! What only the laboratory calls becomes a part of its own when the site is built (xtask's `site/cut`), so that nobody
//! who only looks waits for the interpreter; the compiler's worker stays free to answer while something runs. No logic:
//! it calls `vitrine_core::view_model::lab`. A panic is a line in the console and a trap, which the worker tells the
//! page; the page ends it and starts another.

use vitrine_core::view_model::lab::{self, Answer};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
unsafe extern "C" {
    /// The worker's clock, in ms.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    safe fn now() -> f64;
}

/// The laboratory, as the worker sees it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Lab {
    lab: lab::Lab,
    answer: Answer,
}

#[wasm_bindgen]
impl Lab {
    /// An empty laboratory that reports its panics in the console.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Lab {
        console_error_panic_hook::set_once();
        Lab::default()
    }

    /// Takes an input for the next [`Lab::open`]: bytes of any kind.
    pub fn give(&mut self, input: Vec<u8>) {
        self.lab.give(input);
    }

    /// Reads the input and runs the pipeline, as far as either is new.
    pub fn open(&mut self, pipeline: &str) {
        self.lab.open(pipeline, &mut |_, _| {});
    }

    /// Begins a task, see `view_model::lab`.
    pub fn begin(&mut self, task: &str, numbers: &[u32]) {
        self.lab.begin(task, numbers);
    }

    /// Goes on with it for so many ms; whether there is more. The answer so far waits to be taken.
    pub fn slice(&mut self, ms: f64) -> bool {
        let end = now() + ms;
        let more = self.lab.slice(&mut || now() < end);
        self.answer = self.lab.answer();
        more
    }

    /// Asks about what the task left behind, see `view_model::lab`; the answer waits to be taken.
    pub fn ask(&mut self, question: &str, numbers: &[u32]) {
        self.lab.ask(question, numbers);
        self.answer = self.lab.answered();
    }

    /// The numbers of the last answer; empty the second time, as the other parts.
    pub fn numbers(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.answer.numbers)
    }

    /// Its words.
    pub fn text(&mut self) -> String {
        std::mem::take(&mut self.answer.text)
    }

    /// Its pictures.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answer.bytes)
    }
}

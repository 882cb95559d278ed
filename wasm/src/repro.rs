//! Reproductions, in and out.

use vitrine_core::view_model::{Moment, Repro, Verdict};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

use crate::{Compiler, header};

#[wasm_bindgen]
impl Compiler {
    /// What is open and shown as a reproduction; `pipeline` is spelled out.
    pub fn repro(&mut self, name: String, pipeline: String, at: i32, func: i32, shown: u32) -> Vec<u8> {
        let (at, func) = (u32::try_from(at).ok(), u32::try_from(func).ok());
        let moment = Moment { input: self.input.clone(), name, pipeline, at, func, shown };
        self.file = ["repro", "text/plain"].map(str::to_owned);
        self.session.repro(moment).text().into_bytes()
    }

    /// What a reproduction says, as [`Compiler::unlink`] does for a link. The next [`Compiler::open`] of what is
    /// in it compares.
    pub fn unrepro(&mut self, bytes: &[u8]) -> Result<JsValue, JsError> {
        let (repro, problem) = Repro::read(bytes);
        let header = header::linked(&repro.moment, problem.unwrap_or_default());
        self.input.clone_from(&repro.moment.input);
        self.repro = Some(repro);
        header
    }
}

impl Compiler {
    /// What came of comparing, once; empty until what is in the reproduction has run.
    pub(crate) fn verdict(&mut self) -> String {
        let Some(repro) = &self.repro else { return String::new() };
        let words = match self.session.verdict(repro) {
            None => return String::new(),
            // What is wrong with the file was said already.
            Some(Verdict::Nothing) => String::new(),
            Some(verdict) => verdict.words(&repro.version),
        };
        self.repro = None;
        words
    }
}

//! The front ends as seen by their Web Worker, `www/sources.js`. No logic: a request becomes a call, its result an answer.
//!
//! A trap or an endless loop ends with the worker: the page starts another one.

use vitrine_protocol::{Bytes, Fault, SourceAnswer, SourceProblem, SourceRequest, Translation, js};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::{Options, Problem, translate};

/// The front ends of a worker.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Translator {}

#[wasm_bindgen]
impl Translator {
    /// Front ends that are ready for requests.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Translator {
        console_error_panic_hook::set_once();
        Translator {}
    }

    /// Translates a source; the request and the answer have binary form. Errors: an answer that cannot be encoded.
    pub fn dispatch(&self, request: JsValue) -> Result<JsValue, JsValue> {
        let request =
            request.dyn_ref().ok_or_else(|| "a request has no binary form".to_owned()).and_then(js::decode);
        let answer = match request {
            Ok(request) => answer(request),
            Err(message) => SourceAnswer::Fault(Fault { message }),
        };
        js::encode(&answer)
            .map(|message| message.value)
            .map_err(|message| js_sys::Error::new(&message).into())
    }
}

fn answer(SourceRequest { revision, text, name, options, .. }: SourceRequest) -> SourceAnswer {
    let options = Options::read(&options).map_err(|problem| vec![problem]);
    let translation = match options.and_then(|options| translate(&text, &name, &options)) {
        Ok(done) => {
            let bytes = done.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            Translation { words: Bytes(bytes), log: done.notes.join("\n"), ..Translation::default() }
        }
        Err(problems) => {
            Translation { problems: problems.into_iter().map(problem).collect(), ..Translation::default() }
        }
    };
    SourceAnswer::Done { revision, translation }
}

fn problem(Problem { says, help, range }: Problem) -> SourceProblem {
    let range = range.map(|range| [range.start as u32, range.end as u32]);
    SourceProblem { message: says, help, range, not_run: false }
}

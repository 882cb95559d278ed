//! Tasks and figures of lessons, for `www/tutor.js`, the worker of lessons.

use vitrine_core::judge;
use vitrine_core::view_model::figures;
use vitrine_protocol::{LessonAnswer, LessonRequest, js};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The answer to a `LessonRequest`, as a `LessonAnswer`. Errors: the field of the request that is missing or wrong.
#[wasm_bindgen]
pub fn lesson(request: JsValue) -> Result<JsValue, JsValue> {
    Ok(js::encode_object(&answer(js::decode_object(request)?))?.value)
}

fn answer(request: LessonRequest) -> LessonAnswer {
    let answer = match request {
        LessonRequest::Judge(request) => judge::findings(request).map(LessonAnswer::Judged),
        LessonRequest::Fact { program, text } => {
            judge::fact(program.as_bytes(), &text).map(LessonAnswer::Fact)
        }
        LessonRequest::Run(of) => judge::ran(of.program.as_bytes(), &of.inputs).map(LessonAnswer::Ran),
        LessonRequest::Steps(of) => figures::steps(of.program.as_bytes(), &of.inputs).map(LessonAnswer::Html),
        LessonRequest::Memory { program, variable } => {
            figures::memory_map(program.as_bytes(), &variable).map(LessonAnswer::Html)
        }
    };
    answer.unwrap_or_else(LessonAnswer::Refused)
}

//! Reports of findings, for `www/reporter.js`: a worker of its own, which the page terminates to stop it.

use js_sys::Uint8Array;
use vitrine_protocol::js;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The version of this release.
#[wasm_bindgen]
pub fn release() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The report of a program, in binary form, as a `ReportAnswer` to a `ReportRequest`.
///
/// Errors: the reason why there is no report, in words.
#[wasm_bindgen]
pub fn report(program: &Uint8Array, request: JsValue) -> Result<JsValue, JsValue> {
    let answer = crate::model::report::answer(js::decode_object(request)?, js::decode(program)?)?;
    Ok(js::encode_object(&answer)?.value)
}

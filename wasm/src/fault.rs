//! A panic becomes a line in the console and a message to the page.
//!
//! Nothing is caught: after a panic the instance is ruined, and the page starts another worker.

use std::panic;

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
unsafe extern "C" {
    /// The worker's own: sends a message to the page.
    #[wasm_bindgen(js_name = postMessage)]
    pub(crate) safe fn post_message(message: &JsValue);
}

/// What the page is told.
#[derive(Debug, Serialize)]
struct Fault {
    kind: &'static str,
    message: String,
}

/// Reports every later panic.
pub(crate) fn install() {
    panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let fault = Fault { kind: "fault", message: info.to_string() };
        if let Ok(message) = serde_wasm_bindgen::to_value(&fault) {
            post_message(&message);
        }
    }));
}

//! Tells the page which pass is running: the worker itself is busy then, and can answer nothing.

use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::fault::post_message;

/// Not more often than this, in ms: a message costs more than a small pass.
const EVERY_MS: f64 = 200.0;

#[wasm_bindgen]
unsafe extern "C" {
    /// The worker's clock, in ms.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    safe fn now() -> f64;
}

/// What the page is told: how many passes ran, and which is next.
#[derive(Debug, Serialize)]
struct Progress {
    kind: &'static str,
    done: usize,
    pass: &'static str,
}

/// Something that tells the page now and then.
pub(crate) fn teller() -> impl FnMut(usize, &'static str) {
    let mut told = now();
    move |done, pass| {
        let time = now();
        if time - told < EVERY_MS {
            return;
        }
        told = time;
        if let Ok(message) = serde_wasm_bindgen::to_value(&Progress { kind: "progress", done, pass }) {
            post_message(&message);
        }
    }
}

/// The worker's clock in nanoseconds: what passes took. As coarse as the browser lets it be.
pub(crate) fn clock() -> impl FnMut() -> u64 {
    || (now() * 1e6) as u64
}

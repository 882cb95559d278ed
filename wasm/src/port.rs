//! Messages to the page: answers, progress, faults.
//!
//! A panic becomes a line in the console and a fault. Nothing is caught: after a panic the instance is
//! unusable, and the page starts another worker.

use std::cell::Cell;
use std::panic;

use js_sys::Uint8Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use vitrine_protocol::{Answer, Fault, Progress, js};
use wasm_bindgen::{JsCast, JsValue};

/// Progress is sent no more often than this, in ms: a message costs more than a small pass.
const EVERY_MS: f64 = 200.0;

#[cfg(target_arch = "wasm32")]
mod worker {
    use js_sys::Array;
    use wasm_bindgen::JsValue;
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    unsafe extern "C" {
        /// The worker's `postMessage`: sends a message to the page.
        #[wasm_bindgen(js_name = postMessage)]
        pub(super) safe fn post_message(message: &JsValue, transfer: &Array);

        /// The worker's clock, in ms.
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        pub(super) safe fn now() -> f64;
    }
}

/// The host has no page and no clock: messages are dropped, and the time is 0.
#[cfg(not(target_arch = "wasm32"))]
mod worker {
    pub(super) fn now() -> f64 {
        0.0
    }
}

/// The worker's clock, in ms.
pub(crate) fn now() -> f64 {
    worker::now()
}

thread_local! {
    /// True if messages are sent in binary form, see `vitrine_protocol::js`.
    static IS_BINARY: Cell<bool> = const { Cell::new(true) };
}

/// Chooses the form of all messages, and reports every later panic.
pub(crate) fn open(binary: bool) {
    IS_BINARY.set(binary);
    panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        post_fault(info.to_string());
    }));
}

/// The request that a message holds, in either form.
pub(crate) fn read<M: DeserializeOwned>(message: JsValue) -> Result<M, String> {
    match message.dyn_into::<Uint8Array>() {
        Ok(bytes) => js::decode(&bytes),
        Err(object) => js::decode_object(object),
    }
}

fn encode<M: Serialize>(message: &M) -> Result<js::Message, String> {
    if IS_BINARY.get() { js::encode(message) } else { js::encode_object(message) }
}

/// Sends a message to the page; if it cannot be encoded, a fault.
pub(crate) fn post<M: Serialize>(message: &M) {
    match encode(message) {
        Ok(message) => send(&message),
        Err(error) => post_fault(error),
    }
}

/// Sends a fault.
pub(crate) fn post_fault(message: String) {
    // In the form of the workers' loaders, which the page accepts in addition to the form of other messages.
    if let Ok(message) = js::encode_object(&fault(message)) {
        send(&message);
    }
}

#[cfg(target_arch = "wasm32")]
fn send(message: &js::Message) {
    worker::post_message(&message.value, &message.transfer);
}

#[cfg(not(target_arch = "wasm32"))]
fn send(_: &js::Message) {}

/// A fault as an answer.
pub(crate) fn fault(message: String) -> Answer {
    Answer::Fault(Fault { message })
}

/// A function that sends progress at intervals. Meanwhile the worker is busy and answers no requests.
pub(crate) fn progress() -> impl FnMut(usize, &'static str) {
    let mut sent = now();
    move |done, pass| {
        let time = now();
        if time - sent >= EVERY_MS {
            sent = time;
            post(&Answer::Progress(Progress { done: done as u32, pass: pass.to_owned() }));
        }
    }
}

/// The worker's clock in nanoseconds, for the times of passes, with the browser's resolution.
pub(crate) fn clock() -> impl FnMut() -> u64 {
    || (now() * 1e6) as u64
}

/// The time since `start`, in tenths of a millisecond.
pub(crate) fn tenths_since(start: f64) -> u32 {
    ((now() - start) * 10.0) as u32
}

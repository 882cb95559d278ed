//! The times of an answer: from the request to the drawn answer, and the part of the front end of a source.
//!
//! Measured here, because the state has no clock, and in the page, so that the time of messages and of loading a front end counts.

use std::cell::Cell;

use js_sys::Function;
use wasm_bindgen::JsCast;

use crate::dom::{get, window};
use crate::state::{Msg, Took};
use crate::store;

thread_local! {
    /// The times when the last request and the last source were sent, in ms.
    static SENT: Cell<[f64; 2]> = const { Cell::new([0.0; 2]) };
    /// The time that the front end took for the last request, in ms; none if it was not asked.
    static FRONT: Cell<Option<f64>> = const { Cell::new(None) };
}

/// A request was sent to the compiler.
pub(super) fn begin() {
    FRONT.set(None);
    let [_, source] = SENT.get();
    SENT.set([now(), source]);
}

/// A source was sent to its front end.
pub(super) fn begin_source() {
    let [request, _] = SENT.get();
    SENT.set([request, now()]);
}

/// A front end has answered.
pub(super) fn end_source() {
    FRONT.set(Some(now() - SENT.get()[1]));
}

/// The compiler has answered: sends the times.
pub(super) fn end() {
    let tenths = |ms: f64| (ms.max(0.0) * 10.0).round() as u32;
    let whole_tenths = tenths(now() - SENT.get()[0]);
    store::send(Msg::Took(Took { front_tenths: FRONT.get().map(tenths), whole_tenths }));
}

fn now() -> f64 {
    let clock = get(&window(), "performance");
    let now = get(&clock, "now").unchecked_into::<Function>().call0(&clock);
    now.ok().and_then(|now| now.as_f64()).unwrap_or_default()
}

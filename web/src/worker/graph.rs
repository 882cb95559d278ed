//! What a question says about the graph, and the search in it. See `Compiler::look` and `Compiler::find`.

use js_sys::{Int32Array, Object, Reflect, Uint32Array};
use wasm_bindgen::JsValue;
use web_sys::Worker;

use super::{number, object, text, words_of};
use crate::state::{GraphEvent, Msg, State};

/// Adds how the graph is to be drawn.
pub(super) fn ask(request: &Object, state: &State) {
    let scene = &state.scene;
    let (toggle, only) = scene.sending;
    let fields: [(&str, JsValue); 6] = [
        ("folds", Uint32Array::from(&scene.folds[..]).into()),
        ("opened", Uint32Array::from(&scene.opened[..]).into()),
        ("pins", Int32Array::from(&scene.pins[..]).into()),
        ("toggle", Uint32Array::from(&toggle[..]).into()),
        ("graphOnly", only.into()),
        ("facts", scene.facts.into()),
    ];
    for (name, value) in fields {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(request, &name.into(), &value);
    }
}

/// Asks where the searched words stand in what is shown.
pub(super) fn find(worker: &Worker, state: &State) {
    let Some(func) = state.shown.func else { return };
    let request = object(&[
        ("task", "find".into()),
        ("at", (state.shown_at() as u32).into()),
        ("func", func.into()),
        ("query", state.scene.find.query.as_str().into()),
    ]);
    // A worker that is at work answers later; a dead one says so by its error event.
    let _ = worker.post_message(&request);
}

/// The answer.
pub(super) fn found(data: &JsValue) -> Msg {
    let at = number(data, "at") as usize;
    Msg::Graph(GraphEvent::Found(text(data, "query"), at, number(data, "func"), words_of(data, "found")))
}

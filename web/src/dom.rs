//! The few DOM calls that the page is built on.
//!
//! Elements of `www/index.html` are found by id; a missing one is a bug, reported in the
//! console with its name. Listeners live as long as the page.

use std::fmt::Write;

use js_sys::{Function, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, EventTarget, Window};

/// The window.
pub(crate) fn window() -> Window {
    web_sys::window().expect("the page runs in a window")
}

/// The document.
pub(crate) fn document() -> Document {
    window().document().expect("a window has a document")
}

/// The element of that id, as its type in `www/index.html`.
pub(crate) fn by_id<T: JsCast>(id: &str) -> T {
    let element =
        document().get_element_by_id(id).unwrap_or_else(|| panic!("index.html has no element #{id}"));
    element.dyn_into().unwrap_or_else(|_| panic!("#{id} is another kind of element"))
}

/// Calls `react` on every event of that name.
pub(crate) fn listen<E: FromWasmAbi + 'static>(
    target: &EventTarget,
    name: &str,
    react: impl FnMut(E) + 'static,
) {
    let closure = Closure::<dyn FnMut(E)>::new(react);
    let function: &Function = closure.as_ref().unchecked_ref();
    target.add_event_listener_with_callback(name, function).expect("listeners can be added");
    closure.forget();
}

/// Calls `react` on every event of that name before the listeners of elements inside of the target.
pub(crate) fn listen_first<E: FromWasmAbi + 'static>(
    target: &EventTarget,
    name: &str,
    react: impl FnMut(E) + 'static,
) {
    let closure = Closure::<dyn FnMut(E)>::new(react);
    let function: &Function = closure.as_ref().unchecked_ref();
    let added = target.add_event_listener_with_callback_and_bool(name, function, true);
    added.expect("listeners can be added");
    closure.forget();
}

/// Calls `act` after a time in milliseconds.
pub(crate) fn later(ms: i32, act: impl FnOnce() + 'static) {
    let function = Closure::once_into_js(act);
    let set = window().set_timeout_with_callback_and_timeout_and_arguments_0(function.unchecked_ref(), ms);
    set.expect("a window has timers");
}

/// Calls a function of a script in a task of its own: its errors are in the console.
pub(crate) fn call_later(function: &Function, argument: &JsValue) {
    let set = window().set_timeout_with_callback_and_timeout_and_arguments_1(function, 0, argument);
    set.expect("a window has timers");
}

/// Calls `act` before the next frame.
pub(crate) fn frame(act: impl FnOnce() + 'static) {
    let function = Closure::once_into_js(act);
    // It fails only for a page that is being closed.
    let _ = window().request_animation_frame(function.unchecked_ref());
}

/// The value of `data-NAME` on the nearest element around the target of an event.
pub(crate) fn data_around(target: Option<EventTarget>, name: &str) -> Option<String> {
    let element: Element = target?.dyn_into().ok()?;
    let attribute = format!("data-{name}");
    element.closest(&format!("[{attribute}]")).ok()??.get_attribute(&attribute)
}

/// Calls a function when a promise is resolved or rejected.
pub(crate) fn after(
    promise: &Promise,
    fulfilled: impl FnOnce(JsValue) + 'static,
    rejected: impl FnOnce() + 'static,
) {
    let fulfilled = Closure::once_into_js(fulfilled);
    let rejected = Closure::once_into_js(move |_: JsValue| rejected());
    let then = get(promise, "then").unchecked_into::<Function>();
    // `then` of a promise does not throw.
    let _ = then.call2(promise, &fulfilled, &rejected);
}

/// A property of a plain object.
pub(crate) fn get(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}

/// Words joined by a separator.
pub(crate) fn joined(words: &[String], between: &str) -> String {
    let mut all = String::new();
    for word in words {
        if !all.is_empty() {
            all.push_str(between);
        }
        all.push_str(word);
    }
    all
}

/// Appends text as HTML, for markup that is built as one string.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Invisible characters must be shown: they may be the reason why a shader does not parse.
            char if char.is_control() && char != '\t' => {
                let _ = write!(out, "\u{fffd}<small>{:x}</small>", u32::from(char));
            }
            char => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        let mut out = String::new();
        escape_into(&mut out, "<b a=\"1\">&\t\u{1}");
        assert_eq!(out, "&lt;b a=&quot;1&quot;&gt;&amp;\t\u{fffd}<small>1</small>");
    }
}

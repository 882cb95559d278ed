//! The compiler's side of the page: one Web Worker, started, asked, ended and started again.
//!
//! The only file that talks to the worker. It decides nothing: what to do stands in the state, what
//! happened becomes a message. The messages themselves are described in `www/worker.js`.

use js_sys::{Array, Object, Reflect, Uint32Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::app;
use crate::dom::{document, get, later};
use crate::state::{Dirty, Document, Engine, Msg, Opened, Problem, State};

/// After this the person is offered a stop.
const SLOW_MS: i32 = 1000;
/// After this the worker is ended.
const DEADLINE_MS: i32 = 8000;

/// A worker, and what outlives it.
pub(crate) struct Client {
    worker: Option<Living>,
}

/// A worker with the functions it calls: dropped together, so an ended worker cannot speak.
struct Living {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

thread_local! {
    /// The compiled module: a second worker starts without compiling it again.
    static MODULE: std::cell::RefCell<JsValue> = const { std::cell::RefCell::new(JsValue::UNDEFINED) };
}

impl Client {
    /// Starts the first worker.
    pub(crate) fn start() -> Client {
        Client { worker: spawn() }
    }

    /// Does what the state says.
    pub(crate) fn obey(&mut self, state: &State, dirty: Dirty) {
        if dirty.has(Dirty::RESTART) {
            self.worker = None;
            self.worker = spawn();
        }
        if let (Engine::Busy { revision, .. }, true) = (state.engine, dirty.has(Dirty::REQUEST)) {
            self.ask(revision, &state.input.text);
        }
    }

    fn ask(&self, revision: u32, text: &str) {
        let Some(living) = &self.worker else { return };
        let request = object(&[("revision", revision.into()), ("text", text.into())]);
        if let Err(error) = living.worker.post_message(&request) {
            later(0, move || app::send(Msg::Fault(words(&error))));
        }
        later(SLOW_MS, move || app::send(Msg::StillBusy(revision)));
        later(DEADLINE_MS, move || app::send(Msg::TookTooLong(revision)));
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn spawn() -> Option<Living> {
    let address = document().body().and_then(|body| body.get_attribute("data-worker")).unwrap_or_default();
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name("compiler");
    let worker = match Worker::new_with_options(&address, &options) {
        Ok(worker) => worker,
        Err(error) => {
            later(0, move || app::send(Msg::Fault(words(&error))));
            return None;
        }
    };
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        if let Some(msg) = read(&event.data()) {
            app::send(msg);
        }
    });
    let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(|event: ErrorEvent| {
        event.prevent_default();
        let message = Some(event.message()).filter(|message| !message.is_empty());
        let message = message.unwrap_or_else(|| "its script did not arrive".to_owned());
        app::send(Msg::Fault(message));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    let module = MODULE.with_borrow(JsValue::clone);
    // A fresh worker always takes a message; one that does not start says so by its error event.
    let _ = worker.post_message(&object(&[("module", module)]));
    Some(Living { worker, _on_message: on_message, _on_error: on_error })
}

/// A message of the worker, in the page's words.
fn read(data: &JsValue) -> Option<Msg> {
    match get(data, "kind").as_string()?.as_str() {
        "ready" => {
            MODULE.with_borrow_mut(|module| *module = get(data, "module"));
            let classes = Array::from(&get(data, "classes"));
            Some(Msg::Ready(classes.iter().filter_map(|name| name.as_string()).collect()))
        }
        "opened" => Some(Msg::Opened(Box::new(opened(data)))),
        "fault" => Some(Msg::Fault(text(data, "message"))),
        _ => None,
    }
}

fn opened(data: &JsValue) -> Opened {
    let header = get(data, "header");
    let spans = get(data, "spans").dyn_into::<Uint32Array>().map(|spans| spans.to_vec()).unwrap_or_default();
    let diags = Array::from(&get(&header, "diags"));
    let problems = diags.iter().map(|diag| Problem {
        level: text(&diag, "level"),
        code: text(&diag, "code"),
        message: text(&diag, "message"),
        line: number(&diag, "line"),
        column: number(&diag, "column"),
    });
    Opened {
        revision: number(data, "revision"),
        problems: problems.collect(),
        counts: ["functions", "blocks", "instructions"].map(|name| number(&header, name)),
        tenths_ms: (get(data, "ms").as_f64().unwrap_or_default() * 10.0) as u32,
        document: Document::new(text(data, "text"), &spans),
    }
}

fn text(object: &JsValue, name: &str) -> String {
    get(object, name).as_string().unwrap_or_default()
}

fn number(object: &JsValue, name: &str) -> u32 {
    get(object, name).as_f64().unwrap_or_default() as u32
}

fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), value);
    }
    object
}

/// What a JavaScript error says.
fn words(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}

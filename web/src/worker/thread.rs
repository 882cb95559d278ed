//! A web worker and the functions it calls: dropped together, so a terminated worker cannot send anything.
//!
//! Before its module is loaded, a worker sends the compiled modules, so that the next worker starts without compiling them
//! again; see `www/program.js`. All other messages are those of `vitrine-protocol`.

use std::cell::RefCell;
use std::rc::Rc;
use std::thread::LocalKey;

use js_sys::{Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use vitrine_protocol::js;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::dom::{document, get, later};

#[wasm_bindgen]
extern "C" {
    /// A message of a loader, see `www/program.js`.
    type Loaded;

    #[wasm_bindgen(method, getter, structural)]
    fn modules(this: &Loaded) -> JsValue;

    #[wasm_bindgen(method, getter, structural)]
    fn fault(this: &Loaded) -> JsValue;
}

/// The compiled modules of a kind of worker.
pub(super) type Modules = LocalKey<RefCell<JsValue>>;

/// A kind of worker with messages of type `A`.
pub(super) struct WorkerKind<A: 'static> {
    /// The attribute of the body with the address of its script.
    pub(super) attribute: &'static str,
    /// Its name in the browser's tools.
    pub(super) name: &'static str,
    /// The storage of its compiled modules.
    pub(super) modules: &'static Modules,
    /// Handles a message.
    pub(super) receive: fn(A),
    /// Makes a message of a failure.
    pub(super) fault: fn(String) -> A,
    /// Called when the modules are compiled and the worker waits for requests.
    pub(super) loaded: fn(),
}

/// A running worker.
pub(super) struct Thread<A: 'static> {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
    held: Held<A>,
    kind: &'static WorkerKind<A>,
}

/// The messages of a spare worker; none after its release.
type Held<A> = Rc<RefCell<Option<Vec<A>>>>;

impl<A: DeserializeOwned + 'static> Thread<A> {
    /// Starts a worker, or takes the one that `www/boot.js` started. `known` are modules that were compiled earlier.
    /// With `hold`, messages are held until [`Thread::release`]; a worker that does not start is then not reported.
    pub(super) fn start(kind: &'static WorkerKind<A>, known: &JsValue, hold: bool) -> Option<Thread<A>> {
        let address =
            document().body().and_then(|body| body.get_attribute(kind.attribute)).unwrap_or_default();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(kind.name);
        let started = started(kind.name).map_or_else(|| Worker::new_with_options(&address, &options), Ok);
        let worker = match started {
            Ok(worker) => worker,
            Err(_) if hold => return None,
            Err(error) => {
                later(0, move || (kind.receive)((kind.fault)(words(&error))));
                return None;
            }
        };
        let held: Held<A> = Rc::new(RefCell::new(hold.then(Vec::new)));
        let (of_messages, of_errors) = (Rc::clone(&held), Rc::clone(&held));
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            let modules = data.unchecked_ref::<Loaded>().modules();
            if modules.is_truthy() {
                kind.modules.with_borrow_mut(|slot| *slot = modules);
                return (kind.loaded)();
            }
            let answer = match data.dyn_ref::<Uint8Array>() {
                Some(bytes) => js::decode(bytes).unwrap_or_else(kind.fault),
                None => (kind.fault)(loader_fault(&data)),
            };
            take(kind, &of_messages, answer);
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            // A script that cannot be loaded or linked causes an event without a message.
            let message = get(&event, "message").as_string().filter(|message| !message.is_empty());
            let message = message.unwrap_or_else(|| "its script did not arrive".to_owned());
            take(kind, &of_errors, (kind.fault)(message));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // A new worker always takes a message; one that does not start reports that by its error event.
        let _ = worker.post_message(&loader(known));
        Some(Thread { worker, _on_message: on_message, _on_error: on_error, held, kind })
    }

    /// Releases the worker. Returns the held messages, or none if one of them is a failure.
    pub(super) fn release(&self, is_fault: fn(&A) -> bool) -> Option<Vec<A>> {
        let held = self.held.take().unwrap_or_default();
        (!held.iter().any(is_fault)).then_some(held)
    }

    /// Sends a request. If it cannot be sent, that is a failure of the worker.
    pub(super) fn post<R: Serialize>(&self, request: &R) {
        let sent = js::encode(request).and_then(|message| {
            let posted = self.worker.post_message_with_transfer(&message.value, &message.transfer);
            posted.map_err(|error| words(&error))
        });
        if let Err(message) = sent {
            let kind = self.kind;
            later(0, move || (kind.receive)((kind.fault)(message)));
        }
    }
}

impl<A: 'static> Drop for Thread<A> {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn take<A>(kind: &WorkerKind<A>, held: &Held<A>, answer: A) {
    if let Some(held) = held.borrow_mut().as_mut() {
        return held.push(answer);
    }
    (kind.receive)(answer);
}

/// The worker that `www/boot.js` started, at the first call.
fn started(name: &str) -> Option<Worker> {
    if name != super::compiler::NAME {
        return None;
    }
    let (page, name) = (js_sys::global(), "firstWorker");
    let worker = get(&page, name);
    let _ = Reflect::set(&page, &name.into(), &JsValue::UNDEFINED);
    worker.is_truthy().then(|| worker.unchecked_into())
}

/// The first message of a worker: modules that were compiled earlier, and the form of all other messages.
fn loader(modules: &JsValue) -> JsValue {
    let message = js_sys::Object::new();
    // Setting a property of a plain object cannot fail.
    let _ = Reflect::set(&message, &"modules".into(), modules);
    let _ = Reflect::set(&message, &"binary".into(), &true.into());
    message.into()
}

/// The failure that a loader reports, or that the message is malformed.
fn loader_fault(data: &JsValue) -> String {
    let fault = data.unchecked_ref::<Loaded>().fault();
    get(&fault, "message").as_string().unwrap_or_else(|| "a message cannot be decoded".to_owned())
}

/// The message of a JavaScript error.
fn words(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}

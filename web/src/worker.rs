//! The compiler's side of the page: one Web Worker, started, asked, ended and started again.
//!
//! The only file that talks to the worker. It decides nothing: what to do stands in the state, what
//! happened becomes a message. The messages themselves are described in `www/worker.js`.

mod beside; // columns, the inspector, places of the input
mod catalog; // what there is to take and to read
mod lab; // the laboratory's worker
mod graph; // how the graph is drawn, and where words stand in it

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Int32Array, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::app;
use crate::dom::{document, get, later};
use crate::save;
use crate::state::passes::{self, Reason};
use crate::state::{
    Dirty, Document, Engine, Graph, Linked, Msg, Opened, Outcome, Problem, State, Tab, Timeline, TimelineStep,
};
use crate::view::editor;

/// After this the person is offered a stop.
const SLOW_MS: i32 = 1000;
/// After this the worker is ended.
const DEADLINE_MS: i32 = 8000;

/// How long a person rests before the compiler is asked about a large text.
const REST_MS: i32 = 300;

/// A worker, and what outlives it.
pub(crate) struct Client {
    worker: Option<Living>,
    /// Another one while the first is slow, for it may be ended: nobody waits then until one has started.
    spare: Option<Living>,
    /// The revision of the input that this worker has.
    has: Option<u32>,
    lab: lab::Lab,
}

/// A worker with the functions it calls: dropped together, so an ended worker cannot speak.
struct Living {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
    held: Held,
}

/// What a spare worker said, until somebody listens to it; none of one that is listened to.
type Held = Rc<RefCell<Option<Vec<JsValue>>>>;

thread_local! {
    /// The compiled modules, as the worker lists them: a second worker starts without compiling them again.
    static MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

impl Client {
    /// Starts the first worker.
    pub(crate) fn start() -> Client {
        Client { worker: spawn(None), spare: None, has: None, lab: lab::Lab::default() }
    }

    /// Does what the state says.
    pub(crate) fn obey(&mut self, state: &State, dirty: Dirty) {
        self.lab.obey(state, dirty);
        if dirty.has(Dirty::RESTART) {
            self.worker = None;
            self.worker = self.spare.take().and_then(Living::adopted).or_else(|| spawn(None));
            self.has = None;
        }
        match state.engine {
            Engine::Busy { slow: true, .. } if self.spare.is_none() => self.spare = spawn(Some(Vec::new())),
            Engine::Busy { slow: true, .. } => {}
            _ => self.spare = None,
        }
        if let (Engine::Busy { revision, .. }, true) = (state.engine, dirty.has(Dirty::REQUEST)) {
            self.ask(revision, state);
        }
        if dirty.has(Dirty::REST) {
            let revision = state.revision;
            later(REST_MS, move || app::send(Msg::Rested(revision)));
        }
        self.link(state, dirty);
        if let Some(living) = &self.worker {
            for question in beside::questions(state, dirty) {
                // A worker that is at work answers later; a dead one says so by its error event.
                let _ = living.worker.post_message(&question);
            }
        }
        if let (Some(living), true) = (&self.worker, dirty.has(Dirty::CATALOG)) {
            let _ = living.worker.post_message(&object(&[("task", "catalog".into())]));
        }
        if let (Some(living), true) = (&self.worker, dirty.has(Dirty::FIND)) {
            graph::find(&living.worker, state);
        }
        if let (Some(format), Some(living), true) = (state.format, &self.worker, dirty.has(Dirty::SAVE)) {
            if format == "repro" {
                return self.moment("repro", state, &state.pipeline);
            }
            let at = state.at.map_or(-1, |at| at as i32);
            let func = state
                .shown
                .func
                .filter(|_| matches!(format, "svg" | "png" | "dot"))
                .map_or(-1, |func| func as i32);
            // A picture of points is made here, of the picture of lines.
            let raster = format == "png";
            let format = if raster { "svg" } else { format };
            let request = object(&[
                ("task", "write".into()),
                ("raster", raster.into()),
                ("format", format.into()),
                ("at", at.into()),
                ("func", func.into()),
            ]);
            // A worker that is at work answers later; a dead one says so by its error event.
            let _ = living.worker.post_message(&request);
        }
    }

    /// Asks for a link to what is shown, or for what a link or a reproduction says.
    fn link(&mut self, state: &State, dirty: Dirty) {
        if dirty.has(Dirty::SHARE) {
            let pipeline = if state.own_pipeline { state.pipeline.as_str() } else { "" };
            self.moment("link", state, pipeline);
        }
        let Some(living) = &self.worker else { return };
        let request = match (&state.link, &state.repro) {
            _ if !dirty.has(Dirty::UNLINK) => return,
            (Some(link), _) => object(&[("task", "unlink".into()), ("link", link.as_str().into())]),
            (None, Some(bytes)) => {
                object(&[("task", "unrepro".into()), ("bytes", Uint8Array::from(bytes.as_slice()).into())])
            }
            (None, None) => return,
        };
        // What it holds takes the place of what this worker has.
        self.has = None;
        // A worker that is at work answers later; a dead one says so by its error event.
        let _ = living.worker.post_message(&request);
    }

    /// Asks for what is open and shown in one piece: a link or a reproduction.
    fn moment(&mut self, task: &str, state: &State, pipeline: &str) {
        let Some(living) = &self.worker else { return };
        let mut moved = Array::new();
        // A worker that was started anew has no input yet.
        let request = object(&[
            ("task", task.into()),
            ("input", whole_input(state, self.has, &mut moved)),
            ("edits", edits(state, self.has)),
            ("name", state.input.name.as_str().into()),
            ("pipeline", pipeline.into()),
            ("at", below_zero(state.at.map(|at| at as u32))),
            ("func", below_zero(state.func)),
            ("shown", state.tab.number().into()),
        ]);
        self.has = Some(state.input.revision);
        // A worker that is at work answers later; a dead one says so by its error event.
        let _ = living.worker.post_message_with_transfer(&request, &moved);
    }

    fn ask(&mut self, revision: u32, state: &State) {
        let Some(living) = &self.worker else { return };
        let mut moved = Array::new();
        let request = object(&[
            ("revision", revision.into()),
            ("input", whole_input(state, self.has, &mut moved)),
            ("edits", edits(state, self.has)),
            ("pipeline", state.pipeline.as_str().into()),
            ("at", below_zero(state.at.map(|at| at as u32))),
            ("func", below_zero(state.func)),
            ("shown", state.tab.number().into()),
        ]);
        graph::ask(&request, state);
        self.has = Some(state.input.revision);
        if let Err(error) = living.worker.post_message_with_transfer(&request, &moved) {
            later(0, move || app::send(Msg::Fault(words(&error))));
        }
        later(SLOW_MS, move || app::send(Msg::StillBusy(revision)));
        later(DEADLINE_MS, move || app::send(Msg::TookTooLong(revision)));
    }
}

/// The input, if edits of what the worker `has` do not tell it. Its bytes are moved, not copied.
fn whole_input(state: &State, has: Option<u32>, moved: &mut Array) -> JsValue {
    if has.is_some_and(|has| state.input.edits_since(has).is_some()) {
        return JsValue::UNDEFINED;
    }
    let bytes = Uint8Array::from(state.input.bytes());
    moved.push(&bytes.buffer());
    bytes.into()
}

/// The edits since what the worker `has`: from, to, text.
fn edits(state: &State, has: Option<u32>) -> JsValue {
    let edits = has.and_then(|has| state.input.edits_since(has)).unwrap_or_default();
    let edits = edits.iter().map(|edit| {
        Array::of3(&(edit.from as u32).into(), &(edit.to as u32).into(), &edit.text.as_str().into())
    });
    edits.collect::<Array>().into()
}

impl Drop for Living {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// What the compiler's worker is called in the browser's tools.
const COMPILER: &str = "compiler";

/// The kind of message by which a worker says that it failed.
const FAULT: &str = "fault";

/// The worker that `www/boot.js` started, the first time.
fn started() -> Option<Worker> {
    let (page, name) = (js_sys::global(), "firstWorker");
    let worker = get(&page, name);
    let _ = Reflect::set(&page, &name.into(), &JsValue::UNDEFINED);
    worker.is_truthy().then(|| worker.unchecked_into())
}

/// Starts a compiler; one that holds what it says is a spare.
fn spawn(held: Option<Vec<JsValue>>) -> Option<Living> {
    Living::start("data-worker", COMPILER, &MODULES.with_borrow(JsValue::clone), read, Msg::Fault, held)
}

impl Living {
    /// Starts the worker whose script an attribute of the page's body names; `modules` is what was compiled earlier.
    fn start(
        attribute: &str,
        name: &str,
        modules: &JsValue,
        read: fn(&JsValue) -> Option<Msg>,
        fault: fn(String) -> Msg,
        held: Option<Vec<JsValue>>,
    ) -> Option<Living> {
        let address = document().body().and_then(|body| body.get_attribute(attribute)).unwrap_or_default();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(name);
        let ready = match name == COMPILER {
            true => started(),
            false => None,
        };
        let worker = match ready.map_or_else(|| Worker::new_with_options(&address, &options), Ok) {
            Ok(worker) => worker,
            // Without a spare one is started when it is needed, and its fault is told then.
            Err(_) if held.is_some() => return None,
            Err(error) => {
                later(0, move || app::send(fault(words(&error))));
                return None;
            }
        };
        let held: Held = Rc::new(RefCell::new(held));
        let (of_messages, of_errors) = (Rc::clone(&held), Rc::clone(&held));
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(held) = of_messages.borrow_mut().as_mut() {
                held.push(event.data());
            } else if let Some(msg) = read(&event.data()) {
                app::send(msg);
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            // A script that does not arrive, or cannot be linked, gives an event without a message.
            let message = get(&event, "message").as_string().filter(|message| !message.is_empty());
            let message = message.unwrap_or_else(|| "its script did not arrive".to_owned());
            if let Some(held) = of_errors.borrow_mut().as_mut() {
                held.push(object(&[("kind", FAULT.into())]).into());
            } else {
                app::send(fault(message));
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // A fresh worker always takes a message; one that does not start says so by its error event.
        let _ = worker.post_message(&object(&[("modules", modules.clone())]));
        Some(Living { worker, _on_message: on_message, _on_error: on_error, held })
    }

    /// The spare compiler as the one that is listened to, what it said included; none if it failed meanwhile.
    fn adopted(self) -> Option<Living> {
        let said = self.held.take().unwrap_or_default();
        if said.iter().any(|data| get(data, "kind") == FAULT) {
            return None;
        }
        for msg in said.iter().filter_map(read) {
            app::send(msg);
        }
        Some(self)
    }
}

/// A message of the worker, in the page's words.
fn read(data: &JsValue) -> Option<Msg> {
    match get(data, "kind").as_string()?.as_str() {
        "ready" => {
            keep_modules(data);
            let classes = Array::from(&get(data, "classes"));
            let classes = classes.iter().filter_map(|name| name.as_string()).collect();
            Some(Msg::Ready { classes, pipeline: text(data, "pipeline") })
        }
        "parts" => {
            keep_modules(data);
            editor::learn(&get(data, "words"));
            None
        }
        "opened" => Some(Msg::Opened(Box::new(opened(data)))),
        "progress" => Some(Msg::Progress(number(data, "done"), text(data, "pass"))),
        "catalog" => Some(passes::Event::Catalog(catalog::read(&get(data, "rows"))).into()),
        FAULT => Some(Msg::Fault(text(data, "message"))),
        "refused" => Some(Msg::Refused(format!("Nothing was saved: {}", text(data, "message")))),
        "link" => {
            save::share(&text(data, "link"));
            None
        }
        "linked" => Some(Msg::Linked(Box::new(linked(data)))),
        "found" => Some(graph::found(data)),
        "file" if get(data, "raster").is_truthy() => {
            save::raster(bytes(data, "bytes"));
            None
        }
        "file" => {
            let bytes = get(data, "bytes").dyn_into::<Uint8Array>().ok()?;
            save::keep(&bytes, &text(data, "extension"), &text(data, "media"));
            None
        }
        kind => beside::read(kind, data),
    }
}

/// Keeps what a worker compiled for the next one.
fn keep_modules(data: &JsValue) {
    MODULES.with_borrow_mut(|modules| *modules = get(data, "modules"));
}

fn opened(data: &JsValue) -> Opened {
    let header = get(data, "header");
    let functions = Array::from(&get(&header, "functions"));
    let functions =
        functions.iter().map(|of| (number(&of, "number"), text(&of, "name"), number(&of, "blocks")));
    let counts: Vec<u32> =
        Array::from(&get(&header, "counts")).iter().map(|count| whole(&count) as u32).collect();
    Opened {
        revision: number(data, "revision"),
        problems: problems(&header, "diags"),
        counts: [0, 1, 2].map(|at| counts.get(at).copied().unwrap_or(0)),
        tenths_ms: (get(data, "ms").as_f64().unwrap_or_default() * 10.0) as u32,
        document: read_text(data, "text", "spans").marked(bytes(data, "marks")),
        kind: text(&header, "kind"),
        source: String::from_utf8(bytes(data, "source")).unwrap_or_default(),
        pipeline_problems: problems(&header, "pipeline"),
        timeline: timeline(&header),
        functions: functions.collect(),
        func: get(&header, "func").as_f64().map(|func| func as u32),
        graph: graph(data, &header).hiding(&numbers(data, "hidden")),
        graph_only: get(data, "graphOnly").is_truthy(),
        drawn: (words_of(data, "folds"), words_of(data, "opened"), numbers(data, "pins")),
        refused: text(&header, "refused"),
        reasons: reasons(&header),
        verdict: text(&header, "verdict"),
    }
}

/// A choice as the worker takes it: below zero where there is none.
fn below_zero(choice: Option<u32>) -> JsValue {
    choice.map_or(-1, |choice| choice as i32).into()
}

fn linked(data: &JsValue) -> Linked {
    let header = get(data, "header");
    let choice = |name| get(&header, name).as_f64().map(|choice| choice as u32);
    Linked {
        bytes: bytes(data, "bytes"),
        name: text(&header, "name"),
        pipeline: text(&header, "pipeline"),
        at: choice("at").map(|at| at as usize),
        func: choice("func"),
        tab: Tab::ALL.get(number(&header, "shown") as usize).copied().unwrap_or_default(),
        problem: text(&header, "problem"),
    }
}

fn problems(header: &JsValue, name: &str) -> Vec<Problem> {
    let diags = Array::from(&get(header, name));
    let problems = diags.iter().map(|diag| Problem {
        level: text(&diag, "level"),
        code: text(&diag, "code"),
        message: text(&diag, "message"),
        line: number(&diag, "line"),
        column: number(&diag, "column"),
    });
    problems.collect()
}

fn reasons(header: &JsValue) -> Vec<Reason> {
    let reasons = Array::from(&get(header, "reasons"));
    let reasons = reasons.iter().map(|of| Reason {
        count: number(&of, "count"),
        rule: text(&of, "rule"),
        words: text(&of, "words"),
    });
    reasons.collect()
}

fn timeline(header: &JsValue) -> Timeline {
    let steps = Array::from(&get(header, "steps"));
    let steps = steps.iter().map(|of| TimelineStep {
        pass: text(&of, "pass"),
        options: text(&of, "options"),
        round: number(&of, "round"),
        outcome: Outcome::named(&text(&of, "outcome")),
        changes: number(&of, "changes"),
        insts: number(&of, "insts"),
        blocks: number(&of, "blocks"),
        rewrites: number(&of, "rewrites"),
        micros: number(&of, "micros"),
        skipped: text(&of, "skipped"),
        message: text(&of, "message"),
        row: number(&of, "row"),
    });
    Timeline { steps: steps.collect(), at: number(header, "at") as usize }
}

fn graph(data: &JsValue, header: &JsValue) -> Graph {
    let extent: Vec<i32> = Array::from(&get(header, "extent")).iter().map(|edge| whole(&edge)).collect();
    let labels = Array::from(&get(header, "labels"));
    let labels = labels.iter().map(|label| label.as_string().unwrap_or_default());
    Graph::new(
        [0, 1, 2, 3].map(|at| extent.get(at).copied().unwrap_or(0)),
        &numbers(data, "blocks"),
        &numbers(data, "bands"),
        &numbers(data, "lines"),
        labels.collect(),
        read_text(data, "words", "wordSpans"),
    )
}

/// Bytes that the compiler made of characters, and their runs.
fn read_text(data: &JsValue, words: &str, runs: &str) -> Document {
    Document::new(String::from_utf8(bytes(data, words)).unwrap_or_default(), &words_of(data, runs))
}

fn words_of(data: &JsValue, name: &str) -> Vec<u32> {
    get(data, name).dyn_into::<Uint32Array>().map(|array| array.to_vec()).unwrap_or_default()
}

fn numbers(data: &JsValue, name: &str) -> Vec<i32> {
    get(data, name).dyn_into::<Int32Array>().map(|array| array.to_vec()).unwrap_or_default()
}

fn bytes(data: &JsValue, name: &str) -> Vec<u8> {
    get(data, name).dyn_into::<Uint8Array>().map(|array| array.to_vec()).unwrap_or_default()
}

fn whole(value: &JsValue) -> i32 {
    value.as_f64().unwrap_or_default() as i32
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

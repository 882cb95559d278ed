//! The laboratory's worker: started when somebody first asks for something, ended when it does not stop.
//!
//! Its messages are described in `www/lab.js`.

use js_sys::{Array, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;

use super::{Living, MODULES as COMPILERS, bytes, number, object, text, words_of};
use crate::app;
use crate::dom::{get, later};
use crate::state::lab::{Answer, Event, PATIENCE_MS};
use crate::state::{Dirty, Msg, State};

/// The worker, if there is one, and the revision of the input that it has.
#[derive(Default)]
pub(super) struct Lab {
    worker: Option<Living>,
    has: Option<u32>,
}

thread_local! {
    /// The compiled modules: a second worker starts without compiling them again, the first one with the compiler's.
    static MODULES: std::cell::RefCell<JsValue> = const { std::cell::RefCell::new(JsValue::UNDEFINED) };
}

impl Lab {
    /// Does what the state says.
    pub(super) fn obey(&mut self, state: &State, dirty: Dirty) {
        if dirty.has(Dirty::LAB_END) {
            *self = Lab::default();
        }
        if dirty.has(Dirty::LAB_STOP) {
            self.post(&object(&[("stop", true.into())]), &Array::new());
            let serial = state.lab.serial;
            later(PATIENCE_MS, move || app::send(Event::Late(serial).into()));
        }
        if dirty.has(Dirty::LAB_BEGIN) {
            self.begin(state);
        }
        let run = &state.lab.run;
        if dirty.has(Dirty::LAB_SMALL) {
            self.ask("smallest", 0, &[]);
        }
        if dirty.has(Dirty::LAB_POINT) {
            self.ask("pixel", 0, &run.pointer);
        }
        if let (true, Some(step)) = (dirty.has(Dirty::LAB_LANE), &run.step) {
            self.ask("lane", 0, &step.lanes[..1]);
        }
        if let (true, Some((question, numbers))) = (dirty.has(Dirty::LAB_LOOK), run.table.question()) {
            self.ask(question, run.table.serial, &numbers);
        }
    }

    fn ask(&self, question: &str, serial: u32, numbers: &[u32]) {
        let request = object(&[
            ("ask", true.into()),
            ("task", question.into()),
            ("serial", serial.into()),
            ("numbers", Uint32Array::from(numbers).into()),
        ]);
        self.post(&request, &Array::new());
    }

    fn begin(&mut self, state: &State) {
        let Some(task) = &state.lab.task else { return };
        if self.worker.is_none() {
            let fault = |message| Event::Fault(message).into();
            let known = MODULES.with_borrow(JsValue::clone);
            let known = if known.is_truthy() { known } else { COMPILERS.with_borrow(JsValue::clone) };
            self.worker = Living::start("data-lab", "laboratory", &known, read, fault, None);
            self.has = None;
        }
        let moved = Array::new();
        let input = match self.has == Some(state.input.revision) {
            true => JsValue::UNDEFINED,
            false => {
                let bytes = Uint8Array::from(state.input.bytes());
                moved.push(&bytes.buffer());
                bytes.into()
            }
        };
        self.has = Some(state.input.revision);
        let request = object(&[
            ("task", task.name.into()),
            ("serial", state.lab.serial.into()),
            ("input", input),
            ("pipeline", state.pipeline.as_str().into()),
            ("numbers", Uint32Array::from(&task.numbers[..]).into()),
        ]);
        self.post(&request, &moved);
    }

    fn post(&self, request: &JsValue, moved: &Array) {
        if let Some(living) = &self.worker {
            // A worker that is at work answers later; a dead one says so by its error event.
            let _ = living.worker.post_message_with_transfer(request, moved);
        }
    }
}

/// A message of the worker, in the page's words.
fn read(data: &JsValue) -> Option<Msg> {
    let kind = get(data, "kind").as_string()?;
    let event = match kind.as_str() {
        "ready" => {
            MODULES.with_borrow_mut(|modules| *modules = get(data, "modules"));
            return None;
        }
        "fault" => Event::Fault(text(data, "message")),
        "stopped" => Event::Stopped,
        _ => Event::Answer(Answer {
            kind,
            serial: number(data, "serial"),
            done: get(data, "done").is_truthy(),
            numbers: words_of(data, "numbers"),
            text: text(data, "text"),
            bytes: bytes(data, "bytes"),
        }),
    };
    Some(event.into())
}

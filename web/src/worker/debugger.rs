//! The debugger's worker: started with its first task, terminated when it does not stop.

use std::cell::RefCell;

use vitrine_protocol::{BeginTask, DebuggerAnswer, DebuggerRequest, Fault};
use wasm_bindgen::JsValue;

use super::compiler;
use super::thread::{Thread, WorkerKind};
use crate::dom::later;
use crate::state::debugger::{Event, PATIENCE_MS};
use crate::state::{DebuggerCommand, Msg, State};
use crate::store;

thread_local! {
    /// The compiled modules: a second worker starts without compiling them again.
    static MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

static DEBUGGER: WorkerKind<DebuggerAnswer> = WorkerKind {
    attribute: "data-debugger",
    name: "debugger",
    modules: &MODULES,
    receive: |answer| store::send(Msg::DebuggerAnswer(answer)),
    fault: |message| DebuggerAnswer::Fault(Fault { message }),
    loaded: || (),
};

/// The worker, if it was started, and the revision of its input, with a flag for the translation of a source.
#[derive(Default)]
pub(crate) struct DebuggerWorker {
    thread: Option<Thread<DebuggerAnswer>>,
    has: Option<(u32, bool)>,
}

impl DebuggerWorker {
    /// Carries out a command.
    pub(crate) fn dispatch(&mut self, state: &State, command: DebuggerCommand) {
        match command {
            DebuggerCommand::End => *self = DebuggerWorker::default(),
            DebuggerCommand::Stop => {
                self.post(&DebuggerRequest::Stop);
                let serial = state.debugger.serial;
                later(PATIENCE_MS, move || store::send(Event::Late(serial).into()));
            }
            DebuggerCommand::Begin => self.begin(state),
            DebuggerCommand::Ask(question) => self.post(&DebuggerRequest::Ask(question)),
        }
    }

    fn begin(&mut self, state: &State) {
        let Some(task) = state.debugger.task.clone() else { return };
        if self.thread.is_none() {
            let known = MODULES.with_borrow(JsValue::clone);
            let known = if known.is_truthy() { known } else { compiler::MODULES.with_borrow(JsValue::clone) };
            self.thread = Thread::start(&DEBUGGER, &known, false);
            self.has = None;
        }
        // The state begins no task without a program.
        let Ok(program) = state.program() else { return };
        let input = (state.input.revision, program.is_source());
        if self.has != Some(input) {
            self.has = Some(input);
            self.post(&DebuggerRequest::Program(program));
        }
        let (serial, pipeline) = (state.debugger.serial, state.pipeline.clone());
        self.post(&DebuggerRequest::Begin(BeginTask { serial, pipeline, task }));
    }

    fn post(&self, request: &DebuggerRequest) {
        if let Some(thread) = &self.thread {
            thread.post(request);
        }
    }
}

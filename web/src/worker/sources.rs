//! The worker of source languages: started with the first source, terminated when it fails or does not finish.

use std::cell::RefCell;

use vitrine_protocol::{Fault, SourceAnswer, SourceRequest};
use wasm_bindgen::JsValue;

use super::thread::{Thread, WorkerKind};
use crate::state::{Msg, SourceCommand, State};
use crate::store;

thread_local! {
    /// The compiled module: a second worker starts without compiling it again.
    static MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

static SOURCES: WorkerKind<SourceAnswer> = WorkerKind {
    attribute: "data-sources",
    name: "sources",
    modules: &MODULES,
    receive: |answer| store::send(Msg::SourceAnswer(answer)),
    fault: |message| SourceAnswer::Fault(Fault { message }),
};

/// The worker, if it was started.
#[derive(Default)]
pub(crate) struct SourceWorker {
    thread: Option<Thread<SourceAnswer>>,
}

impl SourceWorker {
    /// Carries out a command.
    pub(crate) fn dispatch(&mut self, state: &State, command: SourceCommand) {
        match command {
            SourceCommand::End => self.thread = None,
            SourceCommand::Translate => {
                if self.thread.is_none() {
                    self.thread = Thread::start(&SOURCES, &MODULES.with_borrow(JsValue::clone), false);
                }
                let (text, name) = (state.input.text.clone(), state.input.name.clone());
                let name = if name.is_empty() { "source.wgsl".to_owned() } else { name };
                if let Some(thread) = &self.thread {
                    thread.post(&SourceRequest { revision: state.requested_input, text, name });
                }
            }
        }
    }
}

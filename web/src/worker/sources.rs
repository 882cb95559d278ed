//! The workers of source languages, one for GLSL and one for the others: started with the first source, terminated when they
//! fail or do not finish.

use std::cell::RefCell;

use vitrine_protocol::{Fault, SourceAnswer, SourceRequest};
use wasm_bindgen::JsValue;

use super::clock;
use super::thread::{Thread, WorkerKind};
use crate::state::{Msg, SourceCommand, State};
use crate::store;

thread_local! {
    /// The compiled module: a second worker starts without compiling it again.
    static MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
    /// The same for GLSL.
    static GLSL_MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

const SOURCES: WorkerKind<SourceAnswer> = WorkerKind {
    attribute: "data-sources",
    name: "sources",
    modules: &MODULES,
    receive: |answer| {
        clock::end_source();
        store::send(Msg::SourceAnswer(answer));
    },
    fault: |message| SourceAnswer::Fault(Fault { message }),
};

static GLSL: WorkerKind<SourceAnswer> =
    WorkerKind { attribute: "data-glsl", name: "glsl", modules: &GLSL_MODULES, ..SOURCES };

/// The workers that were started.
#[derive(Default)]
pub(crate) struct SourceWorker {
    wgsl: Option<Thread<SourceAnswer>>,
    glsl: Option<Thread<SourceAnswer>>,
}

static WGSL: WorkerKind<SourceAnswer> = SOURCES;

impl SourceWorker {
    /// Carries out a command.
    pub(crate) fn dispatch(&mut self, state: &State, command: SourceCommand) {
        match command {
            SourceCommand::End => *self = SourceWorker::default(),
            SourceCommand::Translate => {
                let source = &state.prepared;
                let (kind, thread) = match source.is_glsl {
                    true => (&GLSL, &mut self.glsl),
                    false => (&WGSL, &mut self.wgsl),
                };
                if thread.is_none() {
                    *thread = Thread::start(kind, &kind.modules.with_borrow(JsValue::clone), false);
                }
                let name = if state.input.name.is_empty() { "source.wgsl" } else { &state.input.name };
                let text = if source.is_glsl { &source.text } else { &state.input.text };
                if let Some(thread) = thread {
                    clock::begin_source();
                    thread.post(&SourceRequest {
                        revision: state.requested_input,
                        text: text.clone(),
                        name: name.to_owned(),
                        stage: source.stage.clone(),
                        options: state.input.options.clone(),
                    });
                }
            }
        }
    }
}

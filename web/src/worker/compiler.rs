//! The compiler's worker, and a spare one while it is slow, because it may have to be terminated.

use std::cell::RefCell;

use vitrine_protocol::{Answer, Bytes, Fault, InputEdit, Request};
use wasm_bindgen::JsValue;

use super::thread::{Thread, WorkerKind};
use super::{clock, requests};
use crate::dom::later;
use crate::state::{CompilerCommand, Engine, Msg, State};
use crate::store;

/// Time after which a stop is offered, in ms.
const SLOW_MS: i32 = 1000;
/// Time after which the worker is terminated, in ms.
const DEADLINE_MS: i32 = 8000;

/// The worker's name in the browser's tools.
pub(super) const NAME: &str = "compiler";

thread_local! {
    /// The compiled modules: a second worker starts without compiling them again.
    pub(super) static MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

static COMPILER: WorkerKind<Answer> = WorkerKind {
    attribute: "data-worker",
    name: NAME,
    modules: &MODULES,
    receive: |answer| {
        if matches!(answer, Answer::Opened(_)) {
            clock::end();
        }
        store::send(Msg::Answer(answer));
    },
    fault: |message| Answer::Fault(Fault { message }),
    loaded: || (),
};

/// The compiler's worker, and its state.
pub(crate) struct CompilerWorker {
    thread: Option<Thread<Answer>>,
    /// A spare worker while the first is slow: it replaces the first at once if that is terminated.
    spare: Option<Thread<Answer>>,
    /// The revision of the input that the worker has.
    has: Option<u32>,
}

impl CompilerWorker {
    /// Starts the first worker.
    pub(super) fn start() -> CompilerWorker {
        CompilerWorker { thread: spawn(false), spare: None, has: None }
    }

    /// Carries out a command.
    pub(crate) fn dispatch(&mut self, state: &State, command: CompilerCommand) {
        match command {
            CompilerCommand::Restart => self.restart(),
            CompilerCommand::Open => self.open(state),
            CompilerCommand::Reopen => {
                if let Engine::Busy { revision, .. } = state.engine {
                    self.post(Some(requests::open(state, revision)));
                }
            }
            CompilerCommand::ReadShared => {
                // Its input replaces that of the worker.
                self.has = None;
                self.post(requests::read_shared(state));
            }
            CompilerCommand::JoinTranslated => {
                self.has = None;
                self.post(Some(Request::JoinTranslated(state.join_translation.clone())));
            }
            CompilerCommand::WriteLink => {
                self.give_input(state);
                self.post(Some(requests::write_link(state)));
            }
            CompilerCommand::Export => {
                let request = requests::export(state);
                if matches!(request, Some(Request::WriteRepro(_))) {
                    self.give_input(state);
                }
                self.post(request);
            }
            CompilerCommand::Columns => self.post(Some(requests::columns(state))),
            CompilerCommand::ColumnsText => self.post(Some(Request::ColumnsText)),
            CompilerCommand::Inspect => self.post(requests::inspect(state)),
            CompilerCommand::Card => self.post(Some(requests::card(state))),
            CompilerCommand::Origins => self.post(Some(requests::origins(state))),
            CompilerCommand::Memory => self.post(Some(requests::memory(state))),
            CompilerCommand::Paths => self.post(Some(requests::paths(state))),
            CompilerCommand::Find => self.post(requests::find(state)),
            CompilerCommand::Overlay => self.post(requests::overlay(state)),
            CompilerCommand::Anchors => self.post(Some(Request::Anchors(state.keep.asked()))),
            CompilerCommand::Numbers => self.post(Some(Request::Numbers(state.keep.anchors()))),
            CompilerCommand::Catalog => self.post(Some(Request::Catalog)),
        }
    }

    /// Starts a spare worker while the compiler is slow, and terminates it afterwards.
    pub(crate) fn keep_spare(&mut self, state: &State) {
        match state.engine {
            Engine::Busy { slow: true, .. } if self.spare.is_none() => self.spare = spawn(true),
            Engine::Busy { slow: true, .. } => {}
            Engine::Starting
            | Engine::Recovering(_)
            | Engine::Idle
            | Engine::Busy { slow: false, .. }
            | Engine::Down => self.spare = None,
        }
    }

    fn restart(&mut self) {
        self.thread = None;
        self.has = None;
        let spare = self.spare.take();
        let held =
            spare.as_ref().and_then(|spare| spare.release(|answer| matches!(answer, Answer::Fault(_))));
        self.thread = match held {
            Some(answers) => {
                answers.into_iter().for_each(|answer| store::send(Msg::Answer(answer)));
                spare
            }
            None => spawn(false),
        };
    }

    fn open(&mut self, state: &State) {
        let Engine::Busy { revision, .. } = state.engine else { return };
        clock::begin();
        self.give_input(state);
        self.post(Some(requests::open(state, revision)));
        later(SLOW_MS, move || store::send(Msg::StillBusy(revision)));
        later(DEADLINE_MS, move || store::send(Msg::TookTooLong(revision)));
    }

    /// Updates the input of the worker. A restarted worker has none.
    fn give_input(&mut self, state: &State) {
        match self.has.and_then(|has| state.input.edits_since(has)) {
            Some([]) => {}
            Some(edits) => {
                let edit = |edit: &crate::state::Edit| InputEdit {
                    from: edit.from as u32,
                    to: edit.to as u32,
                    text: edit.text.clone(),
                };
                self.post(Some(Request::Edit(edits.iter().map(edit).collect())));
            }
            None => self.post(Some(Request::Input(Bytes(state.input.bytes().to_vec())))),
        }
        self.has = Some(state.input.revision);
    }

    fn post(&self, request: Option<Request>) {
        if let (Some(thread), Some(request)) = (&self.thread, request) {
            thread.post(&request);
        }
    }
}

fn spawn(hold: bool) -> Option<Thread<Answer>> {
    Thread::start(&COMPILER, &MODULES.with_borrow(JsValue::clone), hold)
}

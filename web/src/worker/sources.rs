//! The workers of source languages, one for each front end: started with the first source, terminated when they fail or do not
//! finish. That of Slang is started on request, and its files are then kept for use without a network.

use std::cell::RefCell;

use js_sys::Function;
use vitrine_protocol::{Fault, FrontEnd, PreparedSource, SourceAnswer, SourceRequest};
use wasm_bindgen::{JsCast, JsValue};

use super::clock;
use super::thread::{Thread, WorkerKind};
use crate::dom::{document, get, later, window};
use crate::state::{JOINED, Msg, SlangEvent, SourceCommand, State};
use crate::store;
use crate::view::theme::storage;

thread_local! {
    /// The compiled module: a second worker starts without compiling it again.
    static MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
    /// The same for GLSL.
    static GLSL_MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
    /// The same for Slang.
    static SLANG_MODULES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
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
    loaded: || (),
};

static GLSL: WorkerKind<SourceAnswer> =
    WorkerKind { attribute: "data-glsl", name: "glsl", modules: &GLSL_MODULES, ..SOURCES };

static SLANG: WorkerKind<SourceAnswer> = WorkerKind {
    attribute: "data-slang",
    name: "slang",
    modules: &SLANG_MODULES,
    loaded: || {
        // `www/boot.js` has the service worker keep the files.
        let _ = get(&window(), "keepSlang").unchecked_into::<Function>().call0(&window());
        store::send(SlangEvent::Loaded.into());
    },
    ..SOURCES
};

/// Time after which the translation of a source of a comparison is given up, in ms.
const DEADLINE_MS: i32 = 8000;

/// The key of the user's request for Slang in the storage of the browser.
const SLANG_KEY: &str = "vitrine-slang";
const SLANG_WANTED: &str = "load";

/// Reports that this copy of the page has Slang, and the request of an earlier visit.
pub(crate) fn find_slang() {
    let size = document().body().and_then(|body| body.get_attribute("data-slang-mb")).unwrap_or_default();
    if !size.is_empty() {
        let stored = storage().and_then(|storage| storage.get_item(SLANG_KEY).ok().flatten());
        let wanted = stored.as_deref() == Some(SLANG_WANTED);
        store::send(SlangEvent::Found { megabytes: size, wanted }.into());
    }
}

/// Stores the request for Slang for the next visit.
pub(crate) fn store_slang() {
    if let Some(storage) = storage() {
        // If the browser refuses to store it, it lasts until the page is closed.
        let _ = storage.set_item(SLANG_KEY, SLANG_WANTED);
    }
}

/// The workers that were started.
#[derive(Default)]
pub(crate) struct SourceWorker {
    wgsl: Option<Thread<SourceAnswer>>,
    glsl: Option<Thread<SourceAnswer>>,
    slang: Option<Thread<SourceAnswer>>,
}

static WGSL: WorkerKind<SourceAnswer> = SOURCES;

impl SourceWorker {
    /// Carries out a command.
    pub(crate) fn dispatch(&mut self, state: &State, command: SourceCommand) {
        match command {
            SourceCommand::End => {
                if self.slang.is_some() {
                    store::send(SlangEvent::Ended.into());
                }
                *self = SourceWorker::default();
            }
            SourceCommand::LoadSlang => self.slang = start(&SLANG),
            SourceCommand::Translate => self.translate(state, &state.prepared, state.requested_input),
            SourceCommand::TranslateJoined => {
                if let Some(source) = &state.join_source {
                    let name = source.name.clone();
                    later(DEADLINE_MS, move || store::send(Msg::JoinTookTooLong(name)));
                    self.translate(state, source, JOINED);
                }
            }
        }
    }

    /// Sends a source to its front end, whose worker is started first if it is not there.
    fn translate(&mut self, state: &State, source: &PreparedSource, revision: u32) {
        let (kind, thread) = match source.front_end {
            FrontEnd::Naga => (&WGSL, &mut self.wgsl),
            FrontEnd::Glslang => (&GLSL, &mut self.glsl),
            FrontEnd::Slang => (&SLANG, &mut self.slang),
        };
        if thread.is_none() {
            *thread = start(kind);
        }
        // The compiler does not repeat the text of the input.
        let text = if source.text.is_empty() { &state.input.text } else { &source.text };
        if let Some(thread) = thread {
            clock::begin_source();
            thread.post(&SourceRequest {
                revision,
                text: text.clone(),
                name: source.name.clone(),
                stage: source.stage.clone(),
                entry: source.entry.clone(),
                options: source.options.clone(),
            });
        }
    }
}

fn start(kind: &'static WorkerKind<SourceAnswer>) -> Option<Thread<SourceAnswer>> {
    Thread::start(kind, &kind.modules.with_borrow(JsValue::clone), false)
}

//! The stored inputs: reads the session of the last visit, stores what changed.
//!
//! Binds `www/keep.js`, which owns the browser's storage. What is stored is decided by `crate::state::keep`.

use js_sys::{Array, Float64Array, Int32Array, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Event as DomEvent;

use crate::dom::{after, document, get, later, listen as on, window};
use crate::save;
use crate::state::keep::{Entry, Event, Save};
use crate::state::{KeepCommand, Msg};
use crate::store;

/// Length of a pause after which changes are stored, in ms.
const PAUSE_MS: i32 = 400;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = kept, js_name = saveSession)]
    fn save_session(frame: Uint8Array, ids: Float64Array, current: u32);
    #[wasm_bindgen(js_namespace = kept, js_name = saveEntry)]
    fn save_entry(
        id: f64,
        name: &str,
        size: f64,
        errors: Option<u32>,
        is_listed: bool,
        picture: Int32Array,
        kept: Uint8Array,
        content: Option<Uint8Array>,
    );
    #[wasm_bindgen(js_namespace = kept)]
    fn load(id: f64) -> Promise;
    #[wasm_bindgen(js_namespace = kept, js_name = startOver)]
    fn start_over();
}

/// Carries out a command.
pub(crate) fn dispatch(command: KeepCommand) {
    match command {
        KeepCommand::Pause => later(PAUSE_MS, || store::send(Event::Pause.into())),
        KeepCommand::Save(Save { session, current, entry }) => {
            if let Some(entry) = entry {
                save_one(&entry);
            }
            if let Some((frame, ids)) = session {
                let ids: Vec<f64> = ids.into_iter().map(|id| id as f64).collect();
                save_session(bytes(&frame), Float64Array::from(&ids[..]), current as u32);
            }
        }
        KeepCommand::Load(id) => {
            let loaded = move |found: JsValue| {
                store::send(Event::Loaded(id, vec_of(&get(&found, "bytes"))).into());
            };
            after(&load(id as f64), loaded, move || store::send(Event::Loaded(id, None).into()));
        }
        KeepCommand::StartOver => start_over(),
    }
}

fn save_one(entry: &Entry) {
    let content = entry.content.as_deref().map(bytes);
    let errors = entry.errors.map(|errors| errors as u32);
    let picture = Int32Array::from(&entry.picture[..]);
    save_entry(
        entry.id as f64,
        &entry.name,
        entry.size as f64,
        errors,
        entry.is_listed,
        picture,
        bytes(&entry.kept),
        content,
    );
}

/// Sends the input of the page: the session of the last visit, or the example; then the link.
pub(crate) fn listen(name: String, example: String) {
    on(&window(), "pagehide", |_: DomEvent| store::send(Event::Pause.into()));
    on(&document(), "visibilitychange", |_: DomEvent| store::send(Event::Pause.into()));
    on(&window(), "vitrine-refused", |event: web_sys::CustomEvent| {
        store::send(Event::Refused(event.detail().as_string().unwrap_or_default()).into());
    });
    let kept = get(&window(), "kept");
    let seed = get(&kept, "seed").as_f64().unwrap_or(1.0) as u64;
    // `www/theme.js` hides the example if there is a session, or a link.
    let is_hidden = document().document_element().is_some_and(|root| root.has_attribute("data-linked"));
    let mut example = Some(example);
    if is_hidden {
        store::send(Msg::AwaitSession);
    } else if let Some(example) = example.take() {
        store::send(Msg::Begin { name: name.clone(), text: example });
    }
    let first: Promise = get(&kept, "first").unchecked_into();
    let begin = move |found: JsValue| {
        let content = vec_of(&get(&found, "bytes"));
        let entries = get(&found, "entries").dyn_into::<Array>();
        if let (Some(content), Ok(entries), true) = (content, entries, example.is_some()) {
            let entries = entries.iter().filter_map(|entry| vec_of(&entry)).collect();
            let frame = vec_of(&get(&found, "frame")).unwrap_or_default();
            store::send(Event::Restore(seed, frame, entries, content).into());
        } else {
            store::send(Event::Begin(seed).into());
        }
        // There was no session, or it cannot be read.
        let is_example = store::with_state(|state| state.input.revision == 0) == Some(true);
        if let (Some(example), true) = (example, is_example) {
            store::send(Msg::Begin { name: name.clone(), text: example });
        }
        if !open_link() {
            show(is_example);
        }
    };
    after(&first, begin, || {});
}

/// Opens the link of the address, unless the session has it: after a reload, and after Back. Returns true if it is opened.
fn open_link() -> bool {
    let Some(link) = save::linked() else { return false };
    let known = store::with_state(|state| state.keep.link == link) == Some(true);
    let opens = !known || is_new_visit();
    if opens {
        store::send(Msg::Link(link));
    }
    opens
}

/// Shows the input; the results of a session follow when the compiler has answered.
fn show(is_example: bool) {
    let Some(root) = document().document_element().filter(|root| root.has_attribute("data-linked")) else {
        return;
    };
    // Attributes with plain names can always be set.
    let _ = match is_example {
        true => root.remove_attribute("data-linked"),
        false => root.set_attribute("data-linked", "results"),
    };
}

/// Returns true if the page was opened by a link or an address, not by a reload or by Back.
fn is_new_visit() -> bool {
    let performance = get(&window(), "performance");
    let entries = get(&performance, "getEntriesByType").unchecked_into::<js_sys::Function>();
    let entries = entries.call1(&performance, &"navigation".into()).unwrap_or_default();
    get(&get(&entries, "0"), "type").as_string().as_deref() == Some("navigate")
}

fn bytes(of: &[u8]) -> Uint8Array {
    Uint8Array::from(of)
}

fn vec_of(value: &JsValue) -> Option<Vec<u8>> {
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
}

/// Opens a recent input: called by `www/recent.js`.
#[wasm_bindgen]
pub fn open_recent(kept: Vec<u8>, content: Vec<u8>) {
    store::send(Event::Recent(kept, content).into());
}

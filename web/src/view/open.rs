//! Ways to open an input: examples, the file dialog, drag and drop, paste.
//!
//! Reads only what the user opens, and forwards it: text as text, anything else as bytes. Nothing is
//! sent anywhere. Only the latest request counts: a file or an example that arrives after a newer request is dropped.

use js_sys::{Array, Function, JsString, Promise, Uint8Array};
use std::cell::{Cell, RefCell};
use vitrine_protocol::{Bytes, NamedFile};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    ClipboardEvent, DataTransfer, DragEvent, Element, Event, File, FileList, HtmlElement, HtmlInputElement,
    HtmlSelectElement,
};

use crate::dom::{after, by_id, document, get, listen as on, window};
use crate::joined::joined;
use crate::state::{MOST_BYTES, Msg, too_large};
use crate::store;
use crate::view::frame::in_control;

/// Listens to the controls, drag and drop, and paste.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("open"), "click", |_: Event| by_id::<HtmlElement>("file").click());
    on(&by_id::<HtmlElement>("file"), "change", |_: Event| {
        let chooser: HtmlInputElement = by_id("file");
        open_all(chooser.files());
        // Allows opening the same file again.
        chooser.set_value("");
    });
    on(&by_id::<HtmlElement>("examples"), "change", |_: Event| {
        let chooser: HtmlSelectElement = by_id("examples");
        let option = chooser.selected_options().item(0);
        let name = option.and_then(|option| option.text_content()).unwrap_or_default();
        fetch(chooser.value(), name);
        chooser.set_value("");
    });
    on(&document(), "dragover", |event: DragEvent| {
        if let Some(transfer) = event.data_transfer().filter(holds_file) {
            event.prevent_default();
            transfer.set_drop_effect("copy");
            store::send(Msg::Dragging(true));
        }
    });
    on(&document(), "dragleave", |event: DragEvent| {
        // Also sent between two elements of the page; the pointer left the page only if none is entered.
        if event.related_target().is_none() {
            store::send(Msg::Dragging(false));
        }
    });
    on(&document(), "drop", |event: DragEvent| {
        let Some(transfer) = event.data_transfer().filter(holds_file) else { return };
        event.prevent_default();
        store::send(Msg::Dragging(false));
        open_all(transfer.files());
    });
    on(&document(), "paste", |event: ClipboardEvent| {
        let Some(transfer) = event.clipboard_data() else { return };
        if transfer.files().is_some_and(|files| files.length() > 0) {
            open_all(transfer.files());
        } else if in_control(&event) {
            // The control handles the paste.
        } else if let Some(text) = transfer.get_data("text").ok().filter(|text| !text.is_empty()) {
            next_request();
            take(String::new(), text.into_bytes());
        }
    });
}

/// Opens an example by its name in the list.
pub(crate) fn example(name: &str) {
    let Ok(options) = document().query_selector_all("#examples option") else { return };
    for at in 0..options.length() {
        let option = options.item(at).and_then(|option| option.dyn_into::<Element>().ok());
        let option = option.filter(|option| option.text_content().as_deref() == Some(name));
        if let Some(address) = option.and_then(|option| option.get_attribute("value")) {
            return fetch(address, name.to_owned());
        }
    }
}

thread_local! {
    /// Number of requests so far.
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
}

/// Counts a request and returns its number.
fn next_request() -> u32 {
    REQUESTS.replace(REQUESTS.get().wrapping_add(1)).wrapping_add(1)
}

fn is_latest(number: u32) -> bool {
    REQUESTS.get() == number
}

fn holds_file(transfer: &DataTransfer) -> bool {
    transfer.types().iter().any(|kind| kind == JsValue::from_str("Files"))
}

/// Reads files, one after the other, each into a tab.
fn open_all(files: Option<FileList>) {
    let files =
        files.map_or_else(Vec::new, |files| (0..files.length()).filter_map(|at| files.get(at)).collect());
    read_next(next_request(), files.into_iter(), Vec::new());
}

/// Reads files, one after the other. Several are opened as the user chooses.
fn read_next(number: u32, mut files: std::vec::IntoIter<File>, mut done: Vec<NamedFile>) {
    let Some(file) = files.next() else { return open_read(done) };
    let name = file.name();
    if file.size() > MOST_BYTES as f64 {
        store::send(Msg::Refused(too_large(&name)));
        return read_next(number, files, done);
    }
    let (refused, further, before) = (name.clone(), files.clone(), done.clone());
    let taken = move |buffer: JsValue| {
        if is_latest(number) {
            done.push(NamedFile { name, bytes: Bytes(Uint8Array::new(&buffer).to_vec()) });
            read_next(number, files, done);
        }
    };
    after(&file.array_buffer(), taken, move || {
        store::send(Msg::Refused(format!("{refused} could not be read")));
        read_next(number, further, before);
    });
}

thread_local! {
    /// Several files, until the user chooses how to open them.
    static WAITING: RefCell<Vec<NamedFile>> = const { RefCell::new(Vec::new()) };
}

/// Opens a file, or asks how to open several: `www/several.js` calls `open_waiting` with the answer.
fn open_read(files: Vec<NamedFile>) {
    if files.len() < 2 {
        return take_all(files);
    }
    if let Some(file) = joined(&files) {
        return take(file.name, file.bytes.0);
    }
    let names: Array = files.iter().map(|file| JsValue::from(&file.name)).collect();
    WAITING.set(files);
    let ask = get(&window(), "askSeveral").unchecked_into::<Function>();
    // `www/boot.js` handles a module that cannot be loaded.
    let _ = ask.call1(&window(), &names);
}

/// Opens the waiting files: `compare`, `tabs`, or nothing.
pub(crate) fn open_waiting(how: &str) {
    let files = WAITING.take();
    match how {
        "compare" => store::send(Msg::Compare(files)),
        "tabs" => take_all(files),
        _ => {}
    }
}

fn take_all(files: Vec<NamedFile>) {
    files.into_iter().for_each(|file| take(file.name, file.bytes.0));
}

fn take(name: String, bytes: Vec<u8>) {
    // A binary may be valid UTF-8: its first bytes decide.
    if matches!(bytes.get(..4), Some([3, 2, 0x23, 7] | [7, 0x23, 2, 3])) {
        return store::send(Msg::Given { name, bytes });
    }
    // An archive of programs is a comparison.
    if bytes.starts_with(b"PK\x03\x04") {
        return store::send(Msg::Compare(vec![NamedFile { name, bytes: Bytes(bytes) }]));
    }
    // Like a link, a reproduction contains its pipeline.
    if bytes.starts_with(b"Vitrine reproduction ") {
        return store::send(Msg::Repro(bytes));
    }
    store::send(match String::from_utf8(bytes) {
        Ok(text) => Msg::Replaced { name, text },
        Err(error) => Msg::Given { name, bytes: error.into_bytes() },
    });
}

/// Fetches an example from the site.
fn fetch(address: String, name: String) {
    let refused = name.clone();
    let number = next_request();
    after(
        &window().fetch_with_str(&address),
        move |response| {
            let text = get(&response, "text").unchecked_into::<Function>().call0(&response);
            let Some(text) = text.ok().and_then(|text| text.dyn_into::<Promise>().ok()) else { return };
            let failed = name.clone();
            let taken = move |text: JsValue| {
                let text = text.dyn_into::<JsString>().map(String::from).unwrap_or_default();
                if is_latest(number) {
                    store::send(Msg::Example(name, text));
                }
            };
            after(&text, taken, move || store::send(Msg::Refused(format!("{failed} could not be read"))));
        },
        move || store::send(Msg::Refused(format!("{refused} could not be loaded"))),
    );
}

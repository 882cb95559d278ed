//! The functions of the page that the command palette (`www/palette.js`) calls: the catalog, and what an entry of it does.
//!
//! All other commands of the palette are the page's own buttons, menus and keys, which the palette finds in the document.

use std::cell::RefCell;

use js_sys::Function;
use vitrine_protocol::CatalogEntry;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::dom::call_later;
use crate::state::State;
use crate::state::passes::{Event, is_step};
use crate::store;
use crate::view::kind_name;

thread_local! {
    /// Functions that are called with the catalog when it arrives.
    static WAITING: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };
}

/// Calls `taken` with the entries of the catalog, one per line in the order of their numbers: kind, name, `+` for a step of a
/// pipeline, sentence. Requests them from the compiler the first time.
#[wasm_bindgen]
pub fn catalog(taken: Function) {
    WAITING.with_borrow_mut(|waiting| waiting.push(taken));
    store::with_state(arrived);
    if !WAITING.with_borrow(Vec::is_empty) {
        store::send(Event::Request.into());
    }
}

/// Passes a catalog that has arrived to those who wait for it.
pub(crate) fn arrived(state: &State) {
    if !state.passes.catalog.is_empty() && !WAITING.with_borrow(Vec::is_empty) {
        deliver(state);
    }
}

fn deliver(state: &State) {
    let lines = JsValue::from(lines(&state.passes.catalog));
    WAITING.take().iter().for_each(|taken| call_later(taken, &lines));
}

fn lines(catalog: &[CatalogEntry]) -> String {
    let mut lines = String::new();
    for entry in catalog {
        for part in
            [kind_name(entry.kind), "\t", entry.name.as_str(), if is_step(entry) { "\t+\t" } else { "\t\t" }]
        {
            lines.push_str(part);
        }
        lines.extend(entry.doc.chars().map(|char| if char.is_whitespace() { ' ' } else { char }));
        lines.push('\n');
    }
    lines
}

/// Adds an entry to the pipeline, after the shown step.
#[wasm_bindgen]
pub fn add_entry(number: usize) {
    store::send(Event::AddHere(number).into());
}

/// Shows an entry in the catalog.
#[wasm_bindgen]
pub fn show_entry(number: usize) {
    store::send(Event::Open(true).into());
    store::send(Event::Read(number).into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::EntryKind;

    #[test]
    fn an_entry_is_one_line_of_four_parts() {
        let entry = |kind, name: &str| CatalogEntry {
            kind,
            name: name.to_owned(),
            doc: "Two\tlines\nof it.".to_owned(),
            ..CatalogEntry::default()
        };
        let catalog = [entry(EntryKind::Pass, "cse"), entry(EntryKind::Rule, "add_zero")];
        assert_eq!(lines(&catalog), "pass\tcse\t+\tTwo lines of it.\nrule\tadd_zero\t\tTwo lines of it.\n");
    }
}

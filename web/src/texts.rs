//! The functions of the page that the search of texts (`www/find.js`) calls: the shown text, and the cells of the columns.
//!
//! The search itself runs in a worker of its own with the expressions of JavaScript; this file only passes texts.

use std::cell::RefCell;

use js_sys::{Function, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::dom::call_later;
use crate::state::Tab;
use crate::state::columns::Event;
use crate::store;

/// The functions of the search, and the text that they know.
#[derive(Default)]
struct Search {
    /// Called after another text is shown.
    changed: Option<Function>,
    /// Called with the text of all cells, after the answer to the last of this number of requests.
    taken: Option<Function>,
    requests: u32,
    /// What the columns of the last call depended on; empty for a text.
    key: String,
}

thread_local! {
    static SEARCH: RefCell<Search> = RefCell::default();
}

/// Calls `changed` from now on after another text is shown.
#[wasm_bindgen]
pub fn watch_text(changed: Function) {
    SEARCH.with_borrow_mut(|search| search.changed = Some(changed));
}

/// The shown text in UTF-8.
#[wasm_bindgen]
pub fn shown_text() -> Uint8Array {
    store::with_state(|state| Uint8Array::from(state.shown.document.text().as_bytes()))
        .unwrap_or_else(|| Uint8Array::new_with_length(0))
}

/// The number of columns; 0 if they are not shown.
#[wasm_bindgen]
pub fn column_count() -> usize {
    let count = store::with_state(|state| match state.tab {
        Tab::Columns => state.columns.view.window.versions.len(),
        Tab::Ir | Tab::Changes | Tab::Target | Tab::Memory => 0,
    });
    count.unwrap_or(0)
}

/// Calls `taken` with the text of all cells, a line each, row by row.
#[wasm_bindgen]
pub fn columns_text(taken: Function) {
    SEARCH.with_borrow_mut(|search| {
        search.taken = Some(taken);
        search.requests += 1;
    });
    store::send(Event::Text.into());
}

/// Scrolls to a cell of the columns: its row in the table without folds, and its column.
#[wasm_bindgen]
pub fn show_cell(row: u32, column: usize) {
    store::send(Event::Show(row, column).into());
}

/// Passes the text of all cells to the search.
pub(crate) fn deliver(text: String) {
    let taken = SEARCH.with_borrow_mut(|search| {
        search.requests = search.requests.saturating_sub(1);
        if search.requests == 0 { search.taken.take() } else { None }
    });
    if let Some(taken) = taken {
        call_later(&taken, &text.into());
    }
}

/// Another text is shown, or rows of the columns that depend on `key`. The same columns again are not another text.
pub(crate) fn changed(key: String) {
    let changed = SEARCH.with_borrow_mut(|search| {
        let is_same = !key.is_empty() && search.key == key;
        search.key = key;
        search.changed.clone().filter(|_| !is_same)
    });
    if let Some(changed) = changed {
        call_later(&changed, &JsValue::UNDEFINED);
    }
}

//! The functions of the page that hover cards (`www/card.js`) call: the details of a thing, and entries of the catalog.

use std::cell::RefCell;

use js_sys::Function;
use vitrine_protocol::Inspected;
use vitrine_protocol::layout::InspectSection;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::dom::call_later;
use crate::state::inspect::Event;
use crate::state::{Document, State};
use crate::store;
use crate::view::draw_pieces;

thread_local! {
    /// Called with the details of the thing.
    static WAITING: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Calls `taken` with the details of a thing as markup: its definition, facts about it, the number of its uses. A later call
/// replaces an earlier one.
#[wasm_bindgen]
pub fn details(id: u32, taken: Function) {
    WAITING.set(Some(taken));
    store::send(Event::Card(id).into());
}

/// The thing under the pointer, by id.
#[wasm_bindgen]
pub fn hovered() -> Option<u32> {
    store::with_state(|state| state.hover).flatten()
}

/// The thing that is chosen, by id.
#[wasm_bindgen]
pub fn chosen() -> Option<u32> {
    store::with_state(|state| state.chosen).flatten()
}

/// Chooses a thing in all views (`www/refusals.js`).
#[wasm_bindgen]
pub fn choose(id: u32) {
    store::send(Event::Choose(id).into());
}

/// The description of an entry of the catalog, in Markdown.
#[wasm_bindgen]
pub fn entry_about(number: usize) -> String {
    let about = |state: &State| state.passes.catalog.get(number).map(|entry| entry.about.clone());
    store::with_state(about).flatten().unwrap_or_default()
}

/// Passes the details to the card.
pub(crate) fn deliver(state: &State, inspected: Inspected) {
    let Some(taken) = WAITING.take() else { return };
    call_later(&taken, &markup(&state.classes, inspected).into());
}

/// The definition and the facts, line by line, and the number of uses; empty for a thing that the version does not have.
fn markup(classes: &[String], inspected: Inspected) -> String {
    let document = Document::of(inspected.text);
    let mut html = String::new();
    let mut uses = 0;
    for (line, row) in (0..document.line_count()).zip(inspected.rows.entries()) {
        let tag = match row.section() {
            Some(InspectSection::Definition) => "pre",
            Some(InspectSection::Facts) => "p",
            Some(InspectSection::Uses) => {
                uses += 1;
                continue;
            }
            Some(InspectSection::Origin | InspectSection::Later) | None => continue,
        };
        for part in ["<", tag, ">"] {
            html.push_str(part);
        }
        draw_pieces(&mut html, classes, &document, line);
        for part in ["</", tag, ">"] {
            html.push_str(part);
        }
    }
    if uses > 0 {
        html.push_str("<p><span class=t-note>uses</span> ");
        html.push_str(&uses.to_string());
        html.push_str("</p>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{StyledText, Table, Utf8};

    #[test]
    fn a_card_has_the_definition_the_facts_and_the_number_of_uses() {
        let text = StyledText {
            text: Utf8("%1 < 2\ntype f32\n%2\n%3\nread from\n".to_owned()),
            ..StyledText::default()
        };
        let rows = [[0, 0, 0, 0], [1, 0, 0, 0], [2, 1, 0, 0], [2, 1, 1, 0], [3, 0, 0, 0]];
        let inspected = Inspected { serial: 1, text, rows: Table::from_words(rows.concat()) };
        let wanted = "<pre>%1 &lt; 2</pre><p>type f32</p><p><span class=t-note>uses</span> 2</p>";
        assert_eq!(markup(&[], inspected), wanted);
        assert_eq!(markup(&[], Inspected::default()), "");
    }
}

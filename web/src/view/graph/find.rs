//! The bar that searches the graph: query, number of results, next and previous.

use web_sys::{Event, HtmlElement, HtmlInputElement, KeyboardEvent};

use crate::dom::{by_id, listen as on};
use crate::state::{Dirty, GraphEvent, Msg, State};
use crate::store;

/// Its elements.
pub(super) struct Bar {
    bar: HtmlElement,
    word: HtmlInputElement,
    count: HtmlElement,
}

impl Bar {
    /// Finds the elements.
    pub(super) fn find() -> Bar {
        Bar { bar: by_id("find-bar"), word: by_id("find"), count: by_id("find-count") }
    }

    /// Shows the state of the search; an opened bar gets the focus.
    pub(super) fn draw(&self, state: &State, dirty: Dirty) {
        if !dirty.intersects(Dirty::OVERLAY) {
            return;
        }
        let find = &state.scene.find;
        let opens = find.open && self.bar.hidden();
        self.bar.set_hidden(!find.open);
        self.count.set_text_content(Some(&find.label()));
        if opens {
            // It fails only for a hidden element.
            let _ = self.word.focus();
            self.word.select();
        }
    }
}

fn send(event: GraphEvent) {
    store::send(Msg::Graph(event));
}

/// Closes the bar; the graph gets the focus.
fn close() {
    send(GraphEvent::FindBar(false));
    let _ = by_id::<HtmlElement>("graph").focus();
}

/// Listens to the bar.
pub(super) fn listen() {
    let word: HtmlInputElement = by_id("find");
    on(&word, "input", |_: Event| send(GraphEvent::Find(by_id::<HtmlInputElement>("find").value())));
    on(&word, "keydown", |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => send(GraphEvent::FindNext(!event.shift_key())),
        "Escape" => {
            event.prevent_default();
            close();
        }
        _ => {}
    });
    on(&by_id::<HtmlElement>("find-next"), "click", |_: Event| send(GraphEvent::FindNext(true)));
    on(&by_id::<HtmlElement>("find-previous"), "click", |_: Event| send(GraphEvent::FindNext(false)));
    on(&by_id::<HtmlElement>("find-close"), "click", |_: Event| close());
}

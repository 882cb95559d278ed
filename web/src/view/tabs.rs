//! The open inputs as tabs above the text; one alone has no tab. And the list of recent inputs, which `www/recent.js` shows.

use std::fmt::Write;

use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event as DomEvent, HtmlElement, KeyboardEvent, MouseEvent};

use crate::dom::{by_id, data_around, document, escape_into, get, listen as on, window};
use crate::state::keep::{Event, label};
use crate::state::{Dirty, State};
use crate::store;

/// The elements of the tabs.
pub(crate) struct Tabs {
    tabs: HtmlElement,
    recent: HtmlElement,
    /// The drawn tabs.
    drawn: String,
}

impl Tabs {
    /// Finds the elements.
    pub(crate) fn find() -> Tabs {
        Tabs { tabs: by_id("tabs"), recent: by_id("recent-empty"), drawn: String::new() }
    }

    /// Shows the tabs.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.intersects(Dirty::OUTPUT | Dirty::INPUT) {
            let is_empty = state.shown.any && state.input.bytes().is_empty();
            self.recent.set_hidden(!is_empty);
        }
        if !dirty.intersects(Dirty::KEEP) {
            return;
        }
        let keep = &state.keep;
        let focused = document().active_element().is_some_and(|element| self.tabs.contains(Some(&element)));
        let mut html = String::new();
        for (at, kept) in keep.tabs.iter().enumerate() {
            let is_current = at == keep.current;
            let _ = write!(html, "<span><button data-input-tab={at} aria-pressed={is_current} title=\"");
            escape_into(&mut html, label(kept));
            html.push_str("\">");
            escape_into(&mut html, label(kept));
            let _ = write!(
                html,
                "</button><button data-input-close={at} title=\"Close (Delete)\" aria-label=\"Close "
            );
            escape_into(&mut html, label(kept));
            html.push_str("\">×</button></span>");
        }
        // An element that is replaced between the press and the release of a button gets no click.
        if html == self.drawn {
            return;
        }
        self.tabs.set_inner_html(&html);
        self.drawn = html;
        self.tabs.set_hidden(keep.tabs.len() < 2);
        let current = self.tabs.query_selector("[aria-pressed=true]").ok().flatten();
        let Some(current) = current.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) else { return };
        if focused {
            let _ = current.focus();
        }
        if keep.tabs.len() < 2 {
            return;
        }
        let (left, width, room) = (current.offset_left(), current.offset_width(), self.tabs.client_width());
        let scrolled = self.tabs.scroll_left();
        if left < scrolled || left + width > scrolled + room {
            self.tabs.set_scroll_left(left - room / 3);
        }
    }
}

/// Listens to the tabs and to the buttons of the list.
pub(crate) fn listen() {
    let tabs: HtmlElement = by_id("tabs");
    on(&tabs, "click", |event: DomEvent| {
        if let Some(at) = index(&event, "input-close") {
            store::send(Event::Close(at).into());
        } else if let Some(at) = index(&event, "input-tab") {
            store::send(Event::Show(at).into());
        }
    });
    // A middle click closes; without this it would scroll, or paste a selection.
    for kind in ["mousedown", "mouseup", "auxclick"] {
        on(&tabs, kind, move |event: MouseEvent| {
            if event.button() != 1 {
                return;
            }
            event.prevent_default();
            let at = index(&event, "input-tab").or(index(&event, "input-close"));
            if let ("mouseup", Some(at)) = (kind, at) {
                store::send(Event::Close(at).into());
            }
        });
    }
    on(&tabs, "keydown", |event: KeyboardEvent| {
        let msg = match event.key().as_str() {
            "ArrowLeft" => Event::Next(false),
            "ArrowRight" => Event::Next(true),
            "Delete" => match index(&event, "input-tab").or(index(&event, "input-close")) {
                Some(at) => Event::Close(at),
                None => return,
            },
            _ => return,
        };
        event.prevent_default();
        store::send(msg.into());
    });
    on(&by_id::<HtmlElement>("tab-new"), "click", |_: DomEvent| store::send(Event::New.into()));
    for id in ["recent", "recent-here", "recent-empty"] {
        on(&by_id::<HtmlElement>(id), "click", |_: DomEvent| show_recent());
    }
}

/// Handles the keys that work anywhere. Returns false for other ones.
pub(crate) fn key(key: &str) -> bool {
    match key {
        "<" => store::send(Event::Next(false).into()),
        ">" => store::send(Event::Next(true).into()),
        "H" => show_recent(),
        _ => return false,
    }
    true
}

/// Shows the list of recent inputs: `www/boot.js` loads its script.
fn show_recent() {
    // What is open is stored first, so that the list has it.
    store::send(Event::Pause.into());
    let _ = get(&window(), "showRecent").unchecked_into::<Function>().call0(&JsValue::NULL);
}

fn index(event: &DomEvent, name: &str) -> Option<usize> {
    data_around(event.target(), name)?.parse().ok()
}

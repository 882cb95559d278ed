//! Pointer and keys in the list of passes: everything the pointer can do, a key can do.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event as DomEvent, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, PointerEvent,
};

use crate::dom::{by_id, data_around, document, listen as on};
use crate::state::passes::Event;
use crate::store;

/// The indentation of a group, in px, as in `www/style/passes.css`.
const STEP: i32 = 22;

/// Shows or hides the list.
pub(crate) fn toggle() {
    let open = store::with_state(|state| state.passes.open) == Some(true);
    store::send(Event::Open(!open).into());
    let place = if open { "#list" } else { "#passes-list [data-part=grip], #passes-find" };
    focus(place);
}

/// Shows or hides the reasons of the shown step.
pub(crate) fn toggle_why() {
    let open = store::with_state(|state| state.passes.why) == Some(true);
    store::send(Event::Why(!open).into());
}

fn focus(selector: &str) {
    let found = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// A number in an attribute around the target.
fn number(event: &DomEvent, name: &str) -> Option<usize> {
    data_around(event.target(), name)?.parse().ok()
}

/// Listens to the list, the catalog and the reasons.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("list"), "click", |_: DomEvent| toggle());
    on(&by_id::<HtmlElement>("passes-close"), "click", |_: DomEvent| toggle());
    on(&by_id::<HtmlElement>("reasons"), "click", |_: DomEvent| toggle_why());
    on(&by_id::<HtmlElement>("passes-undo"), "click", |_: DomEvent| store::send(Event::Undo.into()));
    on(&by_id::<HtmlElement>("passes-redo"), "click", |_: DomEvent| store::send(Event::Redo.into()));
    on(&by_id::<HtmlElement>("passes-fix"), "click", |_: DomEvent| store::send(Event::Group(true).into()));
    on(&by_id::<HtmlElement>("passes-repeat"), "click", |_: DomEvent| {
        store::send(Event::Group(false).into());
    });
    on(&by_id::<HtmlElement>("why"), "click", |event: DomEvent| {
        if let Some(item) = number(&event, "read") {
            store::send(Event::Open(true).into());
            store::send(Event::Read(item).into());
        }
    });
    let pane: HtmlElement = by_id("passes");
    on(&pane, "click", |event: DomEvent| {
        let act = match (number(&event, "read"), number(&event, "add"), number(&event, "row")) {
            (Some(item), ..) => Event::Read(item),
            (_, Some(item), _) => Event::Add(item),
            (.., Some(row)) => match data_around(event.target(), "part").as_deref() {
                Some("take") => Event::Take(row),
                Some("spread") => Event::Spread(row),
                Some("up") => Event::Shift(row, false),
                Some("down") => Event::Shift(row, true),
                _ => return,
            },
            _ => return,
        };
        store::send(act.into());
    });
    on(&pane, "change", |event: DomEvent| {
        let Some(row) = number(&event, "row") else { return };
        let Some(target) = event.target() else { return };
        let value = target.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value);
        let value = value.or_else(|| target.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value));
        let value = value.unwrap_or_default();
        store::send(match (data_around(event.target(), "part").as_deref(), number(&event, "field")) {
            (Some("on"), _) => Event::Switch(row).into(),
            (Some("rounds"), _) => Event::Rounds(row, value.parse().ok()).into(),
            (_, Some(field)) => Event::Set(row, field, value).into(),
            _ => return,
        });
    });
    on(&pane, "focusin", |event: DomEvent| {
        if let Some(row) = number(&event, "row") {
            store::send(Event::Touch(row).into());
        }
    });
    on(&by_id::<HtmlElement>("passes-find"), "input", |_: DomEvent| {
        store::send(Event::Query(by_id::<HtmlInputElement>("passes-find").value()).into());
    });
    on(&pane, "keydown", |event: KeyboardEvent| {
        if key(&event) {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    drag(&by_id("passes-list"));
}

/// Handles a key; returns false for a key that is not handled here.
fn key(event: &KeyboardEvent) -> bool {
    let name = event.key();
    let part = data_around(event.target(), "part");
    let is_grip = part.as_deref() == Some("grip");
    let is_search = event.target() == Some(by_id::<HtmlElement>("passes-find").into());
    if let Some(step) = step_of(event).filter(|_| !is_search) {
        store::send(step.into());
        return true;
    }
    let Some(row) = number(event, "row") else {
        match (name.as_str(), is_search) {
            ("Escape", _) => toggle(),
            // Enter takes the first result.
            ("Enter", true) => match store::with_state(|state| state.passes.found().first().copied())
                .flatten()
            {
                Some(item) => {
                    store::send(if event.shift_key() { Event::Read(item) } else { Event::Add(item) }.into());
                }
                None => return false,
            },
            _ => return false,
        }
        return true;
    };
    match (name.as_str(), event.alt_key(), is_grip) {
        ("ArrowUp", true, _) => store::send(Event::Shift(row, false).into()),
        ("ArrowDown", true, _) => store::send(Event::Shift(row, true).into()),
        ("ArrowUp", false, true) => focus(&grip(row.saturating_sub(1))),
        ("ArrowDown", false, true) => focus(&grip(row + 1)),
        (" ", _, true) => store::send(Event::Switch(row).into()),
        ("Delete" | "Backspace", _, true) => store::send(Event::Take(row).into()),
        ("Enter", _, true) => focus(&format!("[data-row=\"{row}\"] :is(select, [type=number], [type=text])")),
        ("Escape", ..) => toggle(),
        _ => return false,
    }
    true
}

/// The event of a key that undoes or redoes.
pub(crate) fn step_of(event: &KeyboardEvent) -> Option<Event> {
    if !event.ctrl_key() && !event.meta_key() {
        return None;
    }
    match (event.key().as_str(), event.shift_key()) {
        ("z", false) => Some(Event::Undo),
        ("z" | "Z", true) | ("y", false) => Some(Event::Redo),
        _ => None,
    }
}

fn grip(row: usize) -> String {
    format!("[data-row=\"{row}\"] [data-part=grip]")
}

/// A row that is dragged by its handle.
#[derive(Clone, Copy)]
struct Held {
    row: usize,
    /// The row before which it would be dropped, once it has been moved.
    before: Option<usize>,
}

thread_local! {
    // Not in the state: the list may be redrawn by an answer during a drag.
    static HELD: Cell<Option<Held>> = const { Cell::new(None) };
}

/// Drags a row by its handle; a line shows the target.
fn drag(list: &HtmlElement) {
    let (on_move, on_up) = (list.clone(), list.clone());
    on(list, "pointerdown", move |event: PointerEvent| {
        let is_grip = data_around(event.target(), "part").as_deref() == Some("grip");
        if let (Some(row), true, 0) = (number(&event, "row"), is_grip, event.button()) {
            // Otherwise the handle would select text and scroll.
            event.prevent_default();
            focus(&grip(row));
            HELD.set(Some(Held { row, before: None }));
        }
    });
    on(list, "pointermove", move |event: PointerEvent| {
        let Some(held) = HELD.get() else { return };
        let _ = on_move.set_pointer_capture(event.pointer_id());
        let (before, _) = target(&on_move, &event);
        HELD.set(Some(Held { before: Some(before), ..held }));
        mark(&on_move);
    });
    let release = Rc::new(move |event: PointerEvent| {
        let Some(Held { row, .. }) = HELD.take() else { return };
        mark(&on_up);
        let (before, depth) = target(&on_up, &event);
        // A row cannot be dropped at its own position.
        if event.type_() == "pointerup" && before != row && before != row + 1 {
            store::send(Event::Carry(row, before, depth).into());
        }
    });
    for name in ["pointerup", "pointercancel"] {
        let release = Rc::clone(&release);
        on(list, name, move |event: PointerEvent| release(event));
    }
}

/// Draws the line at the target of the drag, or none.
pub(super) fn mark(list: &HtmlElement) {
    let before = HELD.get().and_then(|held| held.before);
    for (at, row) in rows(list).iter().enumerate() {
        let classes = row.class_list();
        let _ = classes.toggle_with_force("above", Some(at) == before);
        let _ = classes.toggle_with_force("below", Some(at + 1) == before);
    }
}

fn rows(list: &HtmlElement) -> Vec<Element> {
    let children = list.children();
    (0..children.length()).filter_map(|at| children.item(at)).collect()
}

/// The row before which the pointer is, and its depth.
fn target(list: &HtmlElement, event: &PointerEvent) -> (usize, usize) {
    let middle = |row: &Element| {
        let edge = row.get_bounding_client_rect();
        (edge.top() + edge.bottom()) as i32 / 2
    };
    let rows = rows(list);
    let before = rows.iter().position(|row| event.client_y() < middle(row)).unwrap_or(rows.len());
    let left = list.get_bounding_client_rect().left() as i32;
    (before, ((event.client_x() - left) / STEP).max(0) as usize)
}

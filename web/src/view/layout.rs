//! Splitters between the panes, closed panes and maximized panes: large screens only.
//!
//! The state has the sizes; this file sets CSS variables, and stores them for the next visit. `www/theme.js`
//! sets the same ones before the first paint.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event as DomEvent, HtmlElement, KeyboardEvent, PointerEvent};

use crate::dom::{by_id, data_around, document, later, listen as on};
use crate::state::layout::{Event, Layout};
use crate::state::{Dirty, Msg, Pane, State};
use crate::store;
use crate::view::{frame, graph, theme};

const KEY: &str = "vitrine-layout";
const SPLITS: [&str; 3] = ["split-1", "split-2", "split-3"];
/// The step of an arrow key on a splitter, in thousandths.
const STEP: i32 = 20;

/// Sets the sizes of the panes.
pub(crate) fn draw(state: &State, dirty: Dirty) {
    if !dirty.intersects(Dirty::LAYOUT) {
        return;
    }
    let layout = &state.layout;
    let Some(root) = document().document_element().and_then(|root| root.dyn_into::<HtmlElement>().ok())
    else {
        return;
    };
    for (name, value) in layout.style() {
        let _ = root.style().set_property(name, &value);
    }
    let _ = root.set_attribute("data-closed", &layout.closed());
    let _ = match layout.whole {
        Some(pane) => root.set_attribute("data-whole", pane.name()),
        None => root.remove_attribute("data-whole"),
    };
    for (at, id) in SPLITS.iter().enumerate() {
        let split: HtmlElement = by_id(id);
        split.set_hidden(!layout.has(at) || layout.whole.is_some());
        let _ = split.set_attribute("aria-valuenow", &(layout.place(at) / 10).to_string());
    }
    for pane in Pane::ALL {
        let button: HtmlElement = by_id(&format!("show-{}", pane.name()));
        button.set_hidden(!layout.is_closed(pane));
        if let Ok(Some(button)) = document().query_selector(&format!("[data-whole-pane={}]", pane.name())) {
            let is_whole = layout.whole == Some(pane);
            let _ = button.set_attribute("aria-pressed", if is_whole { "true" } else { "false" });
        }
    }
    // The panes have their new sizes in the next frame.
    later(0, || {
        store::redraw(Dirty::FRAME);
        graph::measure();
    });
}

/// Listens to splitters and buttons, and restores the layout of the last visit.
pub(crate) fn listen() {
    for (at, id) in SPLITS.iter().enumerate() {
        listen_to(at, &by_id(id));
    }
    on(&document(), "click", |event: DomEvent| {
        let pane = |name| data_around(event.target(), name).as_deref().and_then(Pane::named);
        let done = match (pane("whole-pane"), pane("close-pane"), pane("show-pane")) {
            (Some(pane), ..) => Event::Whole(pane),
            (_, Some(pane), _) => Event::Close(pane),
            (.., Some(pane)) => Event::Open(pane),
            (None, None, None) => return,
        };
        store::send(done.into());
    });
    let stored = theme::storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    if let Some(stored) = stored {
        store::send(Msg::RestoreLayout(Layout::read(&stored)));
    }
}

/// Handles the key of a pane: shows and focuses the pane; if it has the focus, maximizes it.
pub(crate) fn key(number: &str) -> bool {
    let Some(pane) = number.parse().ok().and_then(|at: usize| Pane::ALL.get(at.wrapping_sub(1))).copied()
    else {
        return false;
    };
    match frame::focused() == Some(pane) {
        true => store::send(Event::Whole(pane).into()),
        false => {
            let is_hidden = store::with_state(|state| {
                state.layout.is_closed(pane) || state.layout.whole.is_some_and(|whole| whole != pane)
            });
            if is_hidden == Some(true) {
                store::send(Event::Open(pane).into());
            }
        }
    }
    frame::go_to(pane);
    true
}

/// Stores the layout for the next visit.
pub(crate) fn store(layout: &Layout) {
    if let Some(storage) = theme::storage() {
        // If the browser refuses to store it, it lasts until the page is closed.
        let _ = storage.set_item(KEY, &layout.stored());
    }
}

fn listen_to(at: usize, split: &HtmlElement) {
    let is_held = Rc::new(Cell::new(false));
    let (down, moved, up) = (Rc::clone(&is_held), Rc::clone(&is_held), is_held);
    let target = split.clone();
    on(split, "pointerdown", move |event: PointerEvent| {
        event.prevent_default();
        let _ = target.set_pointer_capture(event.pointer_id());
        let _ = target.focus();
        down.set(true);
    });
    on(split, "pointermove", move |event: PointerEvent| {
        let main = document().query_selector("main").ok().flatten();
        if let (true, Some(main)) = (moved.get(), main) {
            store::send(Event::Drag(at, place(at, &main, &event)).into());
        }
    });
    for name in ["pointerup", "pointercancel"] {
        let up = Rc::clone(&up);
        on(split, name, move |_: PointerEvent| {
            if up.replace(false) {
                store::send(Event::By(at, 0).into());
            }
        });
    }
    on(split, "dblclick", move |_: DomEvent| store::send(Event::Reset(at).into()));
    on(split, "keydown", move |event: KeyboardEvent| {
        let back = if at == 2 { "ArrowUp" } else { "ArrowLeft" };
        let forth = if at == 2 { "ArrowDown" } else { "ArrowRight" };
        let moved = match event.key().as_str() {
            key if key == back => Event::By(at, -STEP),
            key if key == forth => Event::By(at, STEP),
            "Home" => Event::Split(at, 0),
            "End" => Event::Split(at, 1000),
            "Enter" => Event::Reset(at),
            _ => return,
        };
        store::send(moved.into());
        event.prevent_default();
    });
}

/// The position of the pointer among the panes, in thousandths.
fn place(at: usize, main: &Element, event: &PointerEvent) -> i32 {
    let edge = main.get_bounding_client_rect();
    let (from, size, pointer) = match at {
        2 => (edge.top(), edge.height(), event.client_y()),
        _ => (edge.left(), edge.width(), event.client_x()),
    };
    (pointer - from as i32) * 1000 / (size as i32).max(1)
}

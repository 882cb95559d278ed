//! The frame around the panes: the pane of a small screen, the outline of a drop, keys that work anywhere.

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement, HtmlElement, KeyboardEvent};

use crate::dom::{by_id, data_around, document, listen as on, listen_first};
use crate::state::{Dirty, Msg, Pane, State, keep, memory};
use crate::store;
use crate::view::{graph, layout, output, passes, tabs, theme, timeline};

/// Shows the pane and the outline.
pub(crate) fn draw(state: &State, dirty: Dirty) {
    if !dirty.intersects(Dirty::FRAME) {
        return;
    }
    let Some(body) = document().body() else { return };
    if let Some(root) = document().document_element().filter(|_| state.shown.any) {
        let _ = root.remove_attribute("data-linked");
    }
    let _ = body.set_attribute("data-pane", state.pane.name());
    let _ = body.class_list().toggle_with_force("dragging", state.dragging);
    for pane in Pane::ALL {
        if let Ok(Some(button)) = document().query_selector(&format!("nav [data-pane={}]", pane.name())) {
            let _ = button.set_attribute("aria-pressed", if pane == state.pane { "true" } else { "false" });
        }
    }
}

/// Listens to the buttons of the panes and to keys.
pub(crate) fn listen() {
    on(&document(), "click", |event: Event| {
        let pane = data_around(event.target(), "pane").as_deref().and_then(Pane::named);
        // The body has the name of the shown pane: a click on it changes nothing.
        if let Some(pane) = pane.filter(|pane| store::with_state(|state| state.pane) != Some(*pane)) {
            store::send(Msg::ShowPane(pane));
            graph::measure();
        }
    });
    // Before the panes, whose arrow keys have other meanings.
    listen_first(&document(), "keydown", |event: KeyboardEvent| {
        let forward = match event.key().as_str() {
            "ArrowLeft" => false,
            "ArrowRight" => true,
            _ => return,
        };
        if event.alt_key() && !in_control(&event) {
            event.prevent_default();
            event.stop_propagation();
            store::send(keep::Event::Travel(forward).into());
        }
    });
    on(&by_id::<HtmlElement>("share"), "click", |_: Event| store::send(Msg::Share));
    on(&by_id::<HtmlElement>("help"), "click", |_: Event| show_keys());
    on(&document(), "keydown", |event: KeyboardEvent| {
        if event.key() == "F6" {
            event.prevent_default();
            return next_stop(if event.shift_key() { -1 } else { 1 });
        }
        if event.ctrl_key() || event.meta_key() || event.alt_key() || in_control(&event) {
            return;
        }
        match event.key().as_str() {
            "t" => theme::turn(),
            "o" => by_id::<HtmlElement>("file").click(),
            "s" => store::send(Msg::Share),
            "e" => timeline::edit(),
            "E" => passes::toggle(),
            "w" => passes::toggle_why(),
            "b" => store::send(memory::Event::Toggle.into()),
            "n" => output::next_change(true),
            "N" => output::next_change(false),
            "?" => show_keys(),
            key if layout::key(key) || tabs::key(key) => {}
            key => match (timeline::go_of(key), graph::msg_of(key)) {
                (Some(go), _) => store::send(Msg::Go(go)),
                (None, Some(msg)) => {
                    // Panels below may have changed the size of the graph's pane.
                    graph::measure();
                    store::send(msg);
                }
                (None, None) => return,
            },
        }
        event.prevent_default();
    });
}

/// Returns true if the event belongs to a control that handles keys itself.
pub(crate) fn in_control(event: &Event) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| {
        element.closest("textarea, input, select, dialog, .cm-editor").is_ok_and(|found| found.is_some())
    })
}

fn show_keys() {
    let dialog: HtmlDialogElement = by_id("keys");
    // It fails only for an open dialog.
    let _ = dialog.show_modal();
}

/// The pane that has the focus.
pub(crate) fn focused() -> Option<Pane> {
    let element = document().active_element()?;
    let inside =
        |pane: &Pane| element.closest(&format!("#pane-{}", pane.name())).is_ok_and(|found| found.is_some());
    Pane::ALL.into_iter().find(inside)
}

/// The stops of F6, in reading order, inner parts after the outer one: the part of the page, and what takes the focus in it, the
/// first visible element. The first four are the panes of [`Pane::ALL`].
const STOPS: [(&str, &[&str]); 10] = [
    ("#pane-input", &["#input", ".cm-content"]),
    ("#pane-graph", &["#graph"]),
    ("#pane-output", &["#output", "#columns", "#memory"]),
    ("#pane-problems", &["#problems button:not([disabled])", "#pane-problems"]),
    ("#inspect", &["#inspect"]),
    ("#passes", &["#passes-list [data-part=grip]", "#passes-find"]),
    ("#debugger", &["#debugger-result", "#debugger-entry"]),
    ("#timeline", &["#steps [aria-current]", "#pipeline"]),
    ("#why", &["#why"]),
    ("#checked", &["#check-runs"]),
];

/// Moves the focus to a pane, and shows it on a small screen. Returns false if nothing in it takes the focus.
pub(crate) fn go_to(pane: Pane) -> bool {
    Pane::ALL.iter().position(|of| *of == pane).is_some_and(stop_at)
}

/// Moves the focus to a stop; a pane is shown first.
fn stop_at(at: usize) -> bool {
    if let Some(pane) = Pane::ALL.get(at) {
        store::send(Msg::ShowPane(*pane));
    }
    let find = |place: &&str| document().query_selector(place).ok()??.dyn_into::<HtmlElement>().ok();
    // An element without an offset parent is not drawn.
    let mut found = STOPS[at].1.iter().filter_map(find).filter(|element| element.offset_parent().is_some());
    let Some(element) = found.next() else { return false };
    let _ = element.focus();
    graph::measure();
    true
}

/// Moves the focus to the next part of the page, cyclically; on a small screen, the pane is shown.
fn next_stop(by: isize) {
    let active = document().active_element();
    let inside = |stop: &(&str, &[&str])| active.as_ref()?.closest(stop.0).ok()?;
    let here = STOPS.iter().rposition(|stop| inside(stop).is_some());
    let count = STOPS.len() as isize;
    let start = here.map_or(if by > 0 { -1 } else { count }, |place| place as isize);
    for step in 1..=count {
        let place = (start + by * step).rem_euclid(count) as usize;
        let is_closed = |pane: &Pane| store::with_state(|state| state.layout.is_closed(*pane)) == Some(true);
        if !Pane::ALL.get(place).is_some_and(is_closed) && stop_at(place) {
            return;
        }
    }
}

//! The frame around the panes: the pane of a small screen, the outline of a drop, keys that work anywhere.

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement, HtmlElement, KeyboardEvent};

use crate::dom::{by_id, data_around, document, listen as on};
use crate::state::{Dirty, Msg, Pane, State, memory};
use crate::store;
use crate::view::{graph, layout, output, passes, theme, timeline};

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
    on(&by_id::<HtmlElement>("share"), "click", |_: Event| store::send(Msg::Share));
    on(&by_id::<HtmlElement>("help"), "click", |_: Event| show_keys());
    on(&document(), "keydown", |event: KeyboardEvent| {
        if event.key() == "F6" {
            event.prevent_default();
            return next_pane(if event.shift_key() { -1 } else { 1 });
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
            key if layout::key(key) => {}
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

/// Moves the focus to a pane, and shows it on a small screen. Returns false if nothing in it takes the focus.
pub(crate) fn go_to(pane: Pane) -> bool {
    let place = match pane {
        Pane::Input => "#input:not([hidden]), .cm-content",
        Pane::Graph => "body:not([data-tab=columns]) #graph",
        Pane::Output => {
            "body:not([data-tab=columns], [data-tab=memory]) #output, [data-tab=columns] #columns, [data-tab=memory] #memory"
        }
        Pane::Problems => "#problems button:not([disabled])",
    };
    store::send(Msg::ShowPane(pane));
    let found = document().query_selector(place).ok().flatten();
    let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) else {
        return false;
    };
    let _ = element.focus();
    graph::measure();
    true
}

/// Moves the focus to the next pane, cyclically, and shows the pane on a small screen.
fn next_pane(by: isize) {
    let here = focused().and_then(|pane| Pane::ALL.iter().position(|of| *of == pane));
    let count = Pane::ALL.len() as isize;
    let start = here.map_or(if by > 0 { -1 } else { count }, |place| place as isize);
    for step in 1..=count {
        let place = (start + by * step).rem_euclid(count) as usize;
        let pane = Pane::ALL[place];
        let is_closed = store::with_state(|state| state.layout.is_closed(pane)) == Some(true);
        if !is_closed && go_to(pane) {
            return;
        }
    }
}

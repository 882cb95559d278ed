//! Pointer, wheel and keys in the graph: dragging pans, the wheel pans, with Ctrl it zooms, a click chooses.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, HtmlSelectElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

use crate::app;
use crate::dom::{by_id, data_around, listen as on, window};
use crate::state::{Look, Msg, Way};

/// A pointer that moved further than this, in px, drags and does not click.
const SLACK: i32 = 4;
/// What a turn of the wheel or a press of a button zooms to, in per cent.
const LARGER: i32 = 120;
const SMALLER: i32 = 83;

/// Listens to the pane and its buttons.
pub(crate) fn listen() {
    let pane: HtmlElement = by_id("graph");
    drag(&pane);
    on(&pane, "wheel", |event: WheelEvent| {
        event.prevent_default();
        // Browsers that count lines count them in these.
        let unit = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE { 20.0 } else { 1.0 };
        let (x, y) = ((event.delta_x() * unit) as i32, (event.delta_y() * unit) as i32);
        app::send(Msg::Look(match (event.ctrl_key() || event.meta_key(), event.shift_key()) {
            (true, _) => Look::Zoom(if y < 0 { LARGER } else { SMALLER }, Some(place(&event))),
            (false, true) if x == 0 => Look::Pan([-y, 0]),
            (false, _) => Look::Pan([-x, -y]),
        }));
    });
    on(&pane, "mouseover", |event: Event| app::send(Msg::Hover(id_under(&event))));
    on(&pane, "mouseleave", |_: Event| app::send(Msg::Hover(None)));
    on(&pane, "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        app::send(match event.key().as_str() {
            "ArrowDown" => Msg::Walk(Way::Down),
            "ArrowUp" => Msg::Walk(Way::Up),
            "ArrowLeft" => Msg::Walk(Way::Left),
            "ArrowRight" => Msg::Walk(Way::Right),
            "Escape" => Msg::ChooseId(None),
            _ => return,
        });
        event.prevent_default();
    });
    for (id, look) in [
        ("larger", Look::Zoom(LARGER, None)),
        ("smaller", Look::Zoom(SMALLER, None)),
        ("fit", Look::Fit),
        ("zoom", Look::Full),
    ] {
        on(&by_id::<HtmlElement>(id), "click", move |_: Event| app::send(Msg::Look(look)));
    }
    on(&by_id::<HtmlElement>("functions"), "change", |_: Event| {
        if let Ok(number) = by_id::<HtmlSelectElement>("functions").value().parse() {
            app::send(Msg::Func(number));
        }
    });
    on(&window(), "resize", |_: Event| measure());
    measure();
}

/// What a key does to the graph from anywhere on the page.
pub(crate) fn look_of(key: &str) -> Option<Look> {
    match key {
        "f" => Some(Look::Fit),
        "0" => Some(Look::Full),
        "+" | "=" => Some(Look::Zoom(LARGER, None)),
        "-" => Some(Look::Zoom(SMALLER, None)),
        "c" => Some(Look::Centre),
        _ => None,
    }
}

/// Tells the size of the pane; a pane that is not shown has none.
pub(crate) fn measure() {
    let pane: HtmlElement = by_id("graph");
    let size = [pane.client_width(), pane.client_height()];
    if size[0] > 0 && app::with_state(|state| state.camera.pane) != Some(size) {
        app::send(Msg::Look(Look::Pane(size)));
    }
}

/// Pans while a button is held, and chooses where it was not moved.
fn drag(pane: &HtmlElement) {
    /// Where the pointer was last, and how far it went.
    type Held = Option<([i32; 2], i32)>;
    let held: Rc<Cell<Held>> = Rc::default();
    let (down, moved, up) = (Rc::clone(&held), Rc::clone(&held), held);
    let target = pane.clone();
    on(pane, "pointerdown", move |event: PointerEvent| {
        if event.button() == 0 {
            down.set(Some(([event.client_x(), event.client_y()], 0)));
        }
    });
    on(pane, "pointermove", move |event: PointerEvent| {
        let Some((from, far)) = moved.get() else { return };
        let to = [event.client_x(), event.client_y()];
        let by = [to[0] - from[0], to[1] - from[1]];
        let far = far + by[0].abs() + by[1].abs();
        moved.set(Some((to, far)));
        if far > SLACK {
            // It fails only for a pointer that is gone, whose last event comes next.
            let _ = target.set_pointer_capture(event.pointer_id());
            app::send(Msg::Look(Look::Pan(by)));
        }
    });
    let release = move |event: PointerEvent| {
        if let Some((_, far)) = up.take()
            && far <= SLACK
            && event.type_() == "pointerup"
        {
            app::send(Msg::ChooseId(id_under(&event)));
        }
    };
    let release = Rc::new(release);
    for name in ["pointerup", "pointercancel"] {
        let release = Rc::clone(&release);
        on(pane, name, move |event: PointerEvent| release(event));
    }
}

/// The place of the pointer in the pane.
fn place(event: &MouseEvent) -> [i32; 2] {
    let corner = by_id::<HtmlElement>("graph").get_bounding_client_rect();
    [event.client_x() - corner.left() as i32, event.client_y() - corner.top() as i32]
}

/// The thing under the pointer: a word, or the block around it.
fn id_under(event: &Event) -> Option<u32> {
    let word = data_around(event.target(), "id").or_else(|| data_around(event.target(), "block"));
    event.target()?.dyn_ref::<web_sys::Element>()?;
    word?.parse().ok()
}

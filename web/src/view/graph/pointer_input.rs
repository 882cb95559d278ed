//! Pointer, fingers, wheel and keys in the graph: dragging pans, two fingers pan and zoom, the wheel pans, with Ctrl
//! it zooms, a click chooses, a double tap fits.

use std::cell::RefCell;
use std::rc::Rc;

use vitrine_protocol::OverlayKind;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Event, HtmlElement, HtmlSelectElement, KeyboardEvent, MouseEvent, PointerEvent, ResizeObserver,
    WheelEvent,
};

use super::{LETTERS_FROM, find, map, tree};
use crate::dom::{by_id, data_around, listen as on};
use crate::state::{Arrow, CameraMove, GraphEvent, Msg};
use crate::store;

/// A pointer that moved further than this, in px, drags instead of clicking.
const SLACK: i32 = 4;
/// The zoom step of a button, in thousandths.
const LARGER: i32 = 1_200;
const SMALLER: i32 = 833;
/// Two taps within this time, in ms, and this distance, in px, are a double tap.
const TAP_MS: f64 = 320.0;
const TAP_PX: i32 = 24;

/// Listens to the pane, its buttons and its overlays.
pub(crate) fn listen() {
    let pane: HtmlElement = by_id("graph");
    drag(&pane);
    find::listen();
    map::listen();
    tree::listen();
    on(&pane, "wheel", |event: WheelEvent| {
        event.prevent_default();
        // Height of a line for browsers that scroll by lines.
        let unit = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE { 20.0 } else { 1.0 };
        let (x, y) = ((event.delta_x() * unit) as i32, (event.delta_y() * unit) as i32);
        store::send(Msg::Camera(match (event.ctrl_key() || event.meta_key(), event.shift_key()) {
            // A notch of a wheel is 100 or 120, a pinch on a trackpad a few at a time.
            (true, _) => CameraMove::Zoom((1000 - 2 * y).clamp(SMALLER, LARGER), Some(place(&event))),
            (false, true) if x == 0 => CameraMove::Pan([-y, 0]),
            (false, _) => CameraMove::Pan([-x, -y]),
        }));
    });
    on(&pane, "mouseover", |event: Event| store::send(Msg::Hover(id_under(&event))));
    on(&pane, "mouseleave", |_: Event| store::send(Msg::Hover(None)));
    on(&pane, "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        store::send(match event.key().as_str() {
            "ArrowDown" => Msg::Walk(Arrow::Down),
            "ArrowUp" => Msg::Walk(Arrow::Up),
            "ArrowLeft" => Msg::Walk(Arrow::Left),
            "ArrowRight" => Msg::Walk(Arrow::Right),
            "Enter" => Msg::Graph(GraphEvent::Open(None)),
            "Escape" => Msg::ChooseId(None),
            _ => return,
        });
        event.prevent_default();
    });
    for (id, key) in [
        ("larger", "+"),
        ("smaller", "-"),
        ("fit", "f"),
        ("zoom", "0"),
        ("find-open", "/"),
        ("fold", "z"),
        ("pin", "p"),
        ("overlays", "a"),
        ("inline", "I"),
        ("legend-open", "l"),
        ("legend-close", "l"),
        ("layout", "L"),
    ] {
        on(&by_id::<HtmlElement>(id), "click", move |_: Event| {
            if let Some(msg) = msg_of(key) {
                store::send(msg);
            }
        });
    }
    on(&by_id::<HtmlElement>("functions"), "change", |_: Event| {
        if let Ok(number) = by_id::<HtmlSelectElement>("functions").value().parse() {
            store::send(Msg::Func(number));
        }
    });
    on(&by_id::<HtmlElement>("overlay"), "change", |_: Event| {
        if let Some(kind) = OverlayKind::named(&by_id::<HtmlSelectElement>("overlay").value()) {
            store::send(Msg::Graph(GraphEvent::Overlay(kind)));
        }
    });
    // Its box changes with the window, the splitters, the rows below, the legend.
    let resized = Closure::<dyn Fn()>::new(measure).into_js_value();
    if let Ok(observer) = ResizeObserver::new(resized.unchecked_ref()) {
        observer.observe(&pane);
    }
    measure();
}

/// The message of a key of the graph, which works anywhere on the page.
pub(crate) fn msg_of(key: &str) -> Option<Msg> {
    let event = match key {
        "f" => return Some(Msg::Camera(CameraMove::Fit)),
        "0" => return Some(Msg::Camera(CameraMove::Full)),
        "+" | "=" => return Some(Msg::Camera(CameraMove::Zoom(LARGER, None))),
        "-" => return Some(Msg::Camera(CameraMove::Zoom(SMALLER, None))),
        "c" => return Some(Msg::Camera(CameraMove::Center)),
        "z" => GraphEvent::Fold,
        "Z" => GraphEvent::FoldAll,
        "p" => GraphEvent::Pin,
        "m" => GraphEvent::Map,
        "a" => GraphEvent::Overlays,
        "I" => GraphEvent::Inline,
        "l" => GraphEvent::Legend,
        "L" => GraphEvent::Layout,
        "/" => GraphEvent::FindBar(true),
        _ => return None,
    };
    Some(Msg::Graph(event))
}

/// Sends the size of the pane; a hidden pane has none.
pub(crate) fn measure() {
    let pane: HtmlElement = by_id("graph");
    let size = [pane.client_width(), pane.client_height()];
    if size[0] > 0 && store::with_state(|state| state.camera.pane) != Some(size) {
        store::send(Msg::Camera(CameraMove::Pane(size)));
    }
}

/// The pressed pointers, their movement, and the last tap.
#[derive(Default)]
struct Held {
    /// Number and position of each.
    down: Vec<(i32, [i32; 2])>,
    distance: i32,
    tap: Option<(f64, [i32; 2])>,
}

impl Held {
    /// Midpoint of the first two pointers, and their distance.
    fn pair(&self) -> Option<([i32; 2], i32)> {
        let [(_, a), (_, b), ..] = self.down[..] else { return None };
        let (x, y) = (f64::from(a[0] - b[0]), f64::from(a[1] - b[1]));
        Some(([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], x.hypot(y) as i32))
    }

    /// Moves a pointer. Returns the message for the graph.
    fn moved(&mut self, pointer: i32, to: [i32; 2]) -> Option<Msg> {
        let before = self.pair();
        let held = self.down.iter_mut().find(|(id, _)| *id == pointer)?;
        let by = [to[0] - held.1[0], to[1] - held.1[1]];
        held.1 = to;
        self.distance += by[0].abs() + by[1].abs();
        if let (Some((middle, apart)), Some((now, wide))) = (before, self.pair()) {
            let per_mille = 1000 * wide.max(1) / apart.max(1);
            return Some(Msg::Graph(GraphEvent::Pinch(middle, now, per_mille)));
        }
        (self.distance > SLACK).then_some(Msg::Camera(CameraMove::Pan(by)))
    }

    /// Returns true if a tap is the second of a double tap.
    fn twice(&mut self, now: f64, at: [i32; 2]) -> bool {
        let near = |(before, place): &(f64, [i32; 2])| {
            now - before < TAP_MS && (0..2).all(|axis| (place[axis] - at[axis]).abs() < TAP_PX)
        };
        let twice = self.tap.as_ref().is_some_and(near);
        self.tap = (!twice).then_some((now, at));
        twice
    }
}

/// Pans with one pointer, zooms with two, and chooses if none moved.
fn drag(pane: &HtmlElement) {
    let held: Rc<RefCell<Held>> = Rc::default();
    let (down, moved, up) = (Rc::clone(&held), Rc::clone(&held), held);
    let target = pane.clone();
    on(pane, "pointerdown", move |event: PointerEvent| {
        if event.button() == 0 {
            let mut held = down.borrow_mut();
            // A second finger ends the click.
            held.distance = if held.down.is_empty() { 0 } else { SLACK + 1 };
            held.down.push((event.pointer_id(), place(&event)));
        }
    });
    on(pane, "pointermove", move |event: PointerEvent| {
        let msg = moved.borrow_mut().moved(event.pointer_id(), place(&event));
        match msg {
            Some(msg) => {
                // It fails only for a released pointer, whose last event follows.
                let _ = target.set_pointer_capture(event.pointer_id());
                store::send(msg);
            }
            None if moved.borrow().down.is_empty() && is_far() => store::send(Msg::Hover(id_under(&event))),
            None => {}
        }
    });
    let release = move |event: PointerEvent| {
        let mut held = up.borrow_mut();
        let before = held.down.len();
        held.down.retain(|(id, _)| *id != event.pointer_id());
        if before != 1 || !held.down.is_empty() || held.distance > SLACK || event.type_() != "pointerup" {
            return;
        }
        let twice = event.pointer_type() == "touch" && held.twice(event.time_stamp(), place(&event));
        drop(held);
        store::send(if twice { Msg::Camera(CameraMove::Fit) } else { clicked(&event) });
    };
    let release = Rc::new(release);
    for name in ["pointerup", "pointercancel"] {
        let release = Rc::clone(&release);
        on(pane, name, move |event: PointerEvent| release(event));
    }
}

/// The message of a click: folds at the header of a loop, opens folded and shortened blocks, chooses anything else.
fn clicked(event: &Event) -> Msg {
    let number = |name| data_around(event.target(), name).and_then(|word| word.parse().ok());
    match (number("loop"), number("open")) {
        (Some(header), _) => Msg::Graph(GraphEvent::FoldLoop(header)),
        (None, Some(block)) => Msg::Graph(GraphEvent::Open(Some(block))),
        (None, None) => Msg::ChooseId(id_under(event)),
    }
}

/// Returns true if the zoom is so small that the canvas is shown.
fn is_far() -> bool {
    store::with_state(|state| state.camera.zoom < LETTERS_FROM).unwrap_or(false)
}

/// The position of the pointer in the pane.
fn place(event: &MouseEvent) -> [i32; 2] {
    let corner = by_id::<HtmlElement>("graph").get_bounding_client_rect();
    [event.client_x() - corner.left() as i32, event.client_y() - corner.top() as i32]
}

/// The thing under the pointer: a word, or the block around it; in the overview the block at that position.
fn id_under(event: &Event) -> Option<u32> {
    if is_far() {
        let at = place(event.dyn_ref::<MouseEvent>()?);
        return store::with_state(|state| state.shown.graph.block_at(state.camera.point(at))).flatten();
    }
    let word = data_around(event.target(), "id").or_else(|| data_around(event.target(), "block"));
    word?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_finger_pans_and_two_zoom_around_their_midpoint() {
        let mut held = Held { down: vec![(1, [100, 100])], ..Held::default() };
        assert!(held.moved(1, [102, 100]).is_none(), "a small movement");
        assert!(matches!(held.moved(1, [112, 100]), Some(Msg::Camera(CameraMove::Pan([10, 0])))));
        assert!(held.moved(7, [0, 0]).is_none());
        held.down.push((2, [212, 100]));
        let Some(Msg::Graph(GraphEvent::Pinch(before, now, per_mille))) = held.moved(2, [312, 100]) else {
            panic!()
        };
        assert_eq!((before, now, per_mille), ([162, 100], [212, 100], 2000));
    }

    #[test]
    fn two_taps_at_one_position_are_a_double_tap() {
        let mut held = Held::default();
        assert_eq!(
            [(0.0, [5, 5]), (200.0, [9, 5]), (300.0, [9, 5])].map(|(at, place)| held.twice(at, place)),
            [false, true, false]
        );
        assert!(!held.twice(900.0, [9, 5]) && !held.twice(1000.0, [90, 5]));
    }

    #[test]
    fn every_listed_key_has_a_message() {
        assert!(
            ["f", "0", "+", "-", "c", "z", "Z", "p", "m", "a", "I", "l", "L", "/"]
                .iter()
                .all(|key| msg_of(key).is_some())
        );
        assert!(msg_of("q").is_none());
    }
}

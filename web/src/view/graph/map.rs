//! The minimap: all blocks in a corner, and the part in view as a frame that can be dragged.
//!
//! Hidden when the whole graph is in view, when the user closed it, and while it would cover a block that cannot be moved free.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, PointerEvent};

use super::palette::Palette;
use crate::dom::{by_id, listen as on};
use crate::state::{Camera, Dirty, GraphEvent, Msg, Rect, State};
use crate::store;
use vitrine_core::base::sort_by_number;

/// Room around the graph in the map, in px.
const EDGE: i32 = 4;

/// Its elements.
pub(super) struct Map {
    whole: HtmlElement,
    canvas: HtmlCanvasElement,
    pen: CanvasRenderingContext2d,
    visible: HtmlElement,
    palette: Palette,
    /// The size at which the blocks were drawn.
    painted: Option<[i32; 2]>,
}

/// The transform from the graph to the map: scale and offset.
#[derive(Clone, Copy)]
struct Fit {
    scale: f64,
    corner: [f64; 2],
}

fn fit(extent: Rect, [width, height]: [i32; 2]) -> Fit {
    let room = [width, height].map(|px| f64::from((px - 2 * EDGE).max(1)));
    let [x, y, across, down] = extent.map(f64::from);
    let scale = (room[0] / across.max(1.0)).min(room[1] / down.max(1.0));
    let corner =
        |room: f64, from: f64, size: f64| f64::from(EDGE) + (room - size * scale) / 2.0 - from * scale;
    Fit { scale, corner: [corner(room[0], x, across), corner(room[1], y, down)] }
}

impl Map {
    /// Finds the elements.
    pub(super) fn find() -> Map {
        let canvas: HtmlCanvasElement = by_id("map-blocks");
        let pen = canvas.get_context("2d").ok().flatten().expect("a canvas can be drawn on");
        let (whole, visible) = (by_id("map"), by_id("map-view"));
        Map { whole, canvas, pen: pen.unchecked_into(), visible, palette: Palette::find(), painted: None }
    }

    /// Draws the map.
    pub(super) fn draw(&mut self, state: &State, camera: Camera, dirty: Dirty) {
        if dirty.intersects(Dirty::GRAPH | Dirty::LINKS | Dirty::THEME | Dirty::OVERLAY) {
            self.painted = None;
        }
        let graph = &state.shown.graph;
        let is_useful = state.scene.map && !graph.blocks.is_empty() && !camera.shows(graph.extent);
        let shown = is_useful && !graph.blocks.iter().any(|block| camera.must_hide_map(block.rect));
        self.whole.set_hidden(!shown);
        if !shown {
            return;
        }
        let size = [self.whole.client_width(), self.whole.client_height()];
        let fit = fit(graph.extent, size);
        // A hidden pane had no size.
        if self.painted != Some(size) {
            self.painted = Some(size);
            self.paint(state, fit, size);
        }
        let [x, y, width, height] = camera.visible().map(f64::from);
        let style = self.visible.style();
        let (left, top) = (fit.corner[0] + x * fit.scale, fit.corner[1] + y * fit.scale);
        // The smallest visible frame.
        let (across, down) = ((width * fit.scale).max(6.0), (height * fit.scale).max(6.0));
        for (name, px) in [("left", left), ("top", top), ("width", across), ("height", down)] {
            let _ = style.set_property(name, &format!("{}px", px as i32));
        }
    }

    fn paint(&self, state: &State, fit: Fit, [width, height]: [i32; 2]) {
        let graph = &state.shown.graph;
        self.canvas.set_width((2 * width).max(1) as u32);
        self.canvas.set_height((2 * height).max(1) as u32);
        let (scale, [x, y]) = (2.0 * fit.scale, fit.corner.map(|px| 2.0 * px));
        let _ = self.pen.set_transform(scale, 0.0, 0.0, scale, x, y);
        let least = 2.0 / scale;
        let rect = |of: Rect| {
            let [x, y, width, height] = of.map(f64::from);
            self.pen.fill_rect(x, y, width.max(least), height.max(least));
        };
        self.pen.set_fill_style_str(&self.palette.color("lit"));
        graph.bands.iter().filter(|band| band.depth == 1).for_each(|band| rect(band.rect));
        let home = |id: u32| graph.block_of(id).map(|block| block.id);
        let chosen = state.chosen.and_then(home);
        let mut found: Vec<u32> =
            state.scene.find.found.iter().filter_map(|[block, _]| home(*block)).collect();
        sort_by_number(&mut found, |&id| id.into());
        // Highlights are drawn last.
        let [plain, looped, changed, added, focus] =
            ["dim", "keyword", "back", "true", "focus"].map(|name| self.palette.color(name));
        let rank = |block: &crate::state::Block| match block {
            _ if chosen == Some(block.id) => 4,
            block if found.binary_search(&block.id).is_ok() => 4,
            block if block.added => 3,
            block if block.changed => 2,
            block => usize::from(block.band.is_some()),
        };
        for (at, color) in [plain, looped, changed, added, focus].iter().enumerate() {
            self.pen.set_fill_style_str(color);
            graph.blocks.iter().filter(|block| rank(block) == at).for_each(|block| rect(block.rect));
        }
    }
}

/// A click in the map centers that point; dragging continues to.
pub(super) fn listen() {
    let map: HtmlElement = by_id("map");
    let target = map.clone();
    let go = move |event: &PointerEvent| {
        let corner = target.get_bounding_client_rect();
        let at = [f64::from(event.client_x()) - corner.left(), f64::from(event.client_y()) - corner.top()];
        let size = [target.client_width(), target.client_height()];
        let extent = store::with_state(|state| state.shown.graph.extent).unwrap_or_default();
        let fit = fit(extent, size);
        let place = [0, 1].map(|axis| ((at[axis] - fit.corner[axis]) / fit.scale) as i32);
        store::send(Msg::Graph(GraphEvent::At(place)));
    };
    let (first, target) = (go.clone(), map.clone());
    on(&map, "pointerdown", move |event: PointerEvent| {
        // It fails only for a released pointer.
        let _ = target.set_pointer_capture(event.pointer_id());
        first(&event);
    });
    on(&map, "pointermove", move |event: PointerEvent| {
        if event.buttons() & 1 != 0 {
            go(&event);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_graph_is_in_the_map() {
        let Fit { scale, corner } = fit([-100, 0, 1000, 500], [108, 108]);
        assert_eq!(scale, 0.1);
        assert_eq!(corner, [14.0, 29.0], "in the middle");
    }
}

//! The overview of the graph at small zooms: rectangles, edges and names on a canvas that is larger than the pane.
//!
//! Panning moves the canvas; it is redrawn only when the view leaves it or the zoom changes.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::palette::Palette;
use crate::dom::{by_id, window};
use crate::state::{Camera, EdgeKind, LIFE, Rect, State, overlap};
use vitrine_core::base::sort_by_number;

/// Height of names on the screen, in px, and the smallest box with a name.
const NAME_PX: i32 = 10;
const HOLDS_NAME: [i32; 2] = [26, 12];

/// The canvas.
pub(super) struct Overview {
    canvas: HtmlCanvasElement,
    pen: CanvasRenderingContext2d,
    palette: Palette,
    /// The camera it was drawn for.
    drawn: Option<Camera>,
}

impl Overview {
    /// Finds the element.
    pub(super) fn find() -> Overview {
        let canvas: HtmlCanvasElement = by_id("overview");
        let pen = canvas.get_context("2d").ok().flatten().expect("a canvas can be drawn on");
        Overview { canvas, pen: pen.unchecked_into(), palette: Palette::find(), drawn: None }
    }

    /// Discards the drawn picture.
    pub(super) fn forget(&mut self) {
        self.drawn = None;
    }

    /// Hides the canvas.
    pub(super) fn hide(&mut self) {
        if self.drawn.take().is_some() || !self.canvas.hidden() {
            self.canvas.set_hidden(true);
        }
    }

    /// Shows the graph: moves the canvas if that is sufficient, otherwise draws it.
    pub(super) fn show(&mut self, state: &State, camera: Camera) {
        self.canvas.set_hidden(false);
        let by = |drawn: Camera| [camera.x - drawn.x, camera.y - drawn.y];
        let near = |drawn: &Camera| {
            let [x, y] = by(*drawn);
            let same = drawn.zoom == camera.zoom && drawn.pane == camera.pane;
            same && x.abs() <= camera.pane[0] / 2 && y.abs() <= camera.pane[1] / 2
        };
        if !self.drawn.as_ref().is_some_and(near) {
            self.paint(state, camera);
            self.drawn = Some(camera);
        }
        let [x, y] = self.drawn.map_or([0, 0], by);
        let _ = self.canvas.style().set_property("transform", &format!("translate({x}px,{y}px)"));
    }

    /// Draws the pane and half a pane around it.
    fn paint(&self, state: &State, camera: Camera) {
        let [width, height] = camera.pane;
        let ratio = window().device_pixel_ratio().clamp(1.0, 2.0);
        self.canvas.set_width((f64::from(2 * width) * ratio) as u32);
        self.canvas.set_height((f64::from(2 * height) * ratio) as u32);
        let style = self.canvas.style();
        for (name, px) in
            [("width", 2 * width), ("height", 2 * height), ("left", -width / 2), ("top", -height / 2)]
        {
            let _ = style.set_property(name, &format!("{px}px"));
        }
        let scale = f64::from(camera.zoom) / f64::from(LIFE);
        let [x, y] = [camera.x + width / 2, camera.y + height / 2].map(|px| f64::from(px) * ratio);
        let _ = self.pen.set_transform(scale * ratio, 0.0, 0.0, scale * ratio, x, y);
        let [left, top, across, down] = camera.visible();
        let around = [left - across / 2 - 1, top - down / 2 - 1, 2 * across + 2, 2 * down + 2];
        let pixel = 1.0 / scale;
        self.bands(state, around, pixel);
        self.lines(state, around, pixel);
        self.blocks(state, around, pixel, camera);
    }

    fn rect(&self, [x, y, width, height]: Rect) {
        self.pen.fill_rect(f64::from(x), f64::from(y), f64::from(width), f64::from(height));
    }

    fn bands(&self, state: &State, around: Rect, pixel: f64) {
        let [band, rule] = ["band", "rule"].map(|name| self.palette.color(name));
        self.pen.set_line_width(pixel);
        self.pen.set_stroke_style_str(&rule);
        for of in state.shown.graph.bands.iter().filter(|band| overlap(band.rect, around)) {
            self.pen.set_fill_style_str(&band);
            self.rect(of.rect);
            let [x, y, width, height] = of.rect.map(f64::from);
            self.pen.stroke_rect(x, y, width, height);
        }
    }

    fn lines(&self, state: &State, around: Rect, pixel: f64) {
        for (name, is_it) in [
            (
                "dim",
                (|line| !line.back && !matches!(line.kind, EdgeKind::True | EdgeKind::False))
                    as fn(&crate::state::Line) -> bool,
            ),
            ("true", |line| !line.back && line.kind == EdgeKind::True),
            ("false", |line| !line.back && line.kind == EdgeKind::False),
            ("back", |line| line.back),
        ] {
            self.pen.begin_path();
            self.pen.set_stroke_style_str(&self.palette.color(name));
            self.pen.set_line_width(pixel);
            for line in
                state.shown.graph.lines.iter().filter(|line| is_it(line) && overlap(line.extent(), around))
            {
                for (at, [x, y]) in line.points.iter().enumerate() {
                    let (x, y) = (f64::from(*x), f64::from(*y));
                    if at == 0 { self.pen.move_to(x, y) } else { self.pen.line_to(x, y) }
                }
            }
            self.pen.stroke();
        }
    }

    fn blocks(&self, state: &State, around: Rect, pixel: f64, camera: Camera) {
        let graph = &state.shown.graph;
        let [plain, rule, back, added, focus, lit, text] =
            ["ground-3", "dim", "back", "true", "focus", "lit", "text"].map(|name| self.palette.color(name));
        let home = |id: Option<u32>| id.and_then(|id| graph.block_of(id)).map(|block| block.id);
        let (chosen, under) = (home(state.chosen), home(state.lit()));
        let mut found: Vec<u32> = state.scene.find.found.iter().map(|[block, _]| *block).collect();
        sort_by_number(&mut found, |&id| id.into());
        // Whole hundredths: formatting of floats would add 7 KB to the page.
        let hundredths = (f64::from(NAME_PX) * pixel * 100.0) as u32;
        self.pen.set_font(&format!("{}.{:02}px sans-serif", hundredths / 100, hundredths % 100));
        for block in graph.blocks.iter().filter(|block| overlap(block.rect, around)) {
            let is_found = found.binary_search(&block.id).is_ok();
            self.pen.set_fill_style_str(if under == Some(block.id) || is_found { &lit } else { &plain });
            self.rect(block.rect);
            let (edge, wide) = match block {
                _ if chosen == Some(block.id) => (&focus, 3.0),
                _ if is_found => (&focus, 1.5),
                block if block.added => (&added, 1.5),
                block if block.changed => (&back, 1.5),
                _ => (&rule, 0.7),
            };
            self.pen.set_stroke_style_str(edge);
            self.pen.set_line_width(wide * pixel);
            let [x, y, width, height] = block.rect.map(f64::from);
            self.pen.stroke_rect(x, y, width, height);
            if camera.px(block.rect[2]) >= HOLDS_NAME[0] && camera.px(block.rect[3]) >= HOLDS_NAME[1] {
                self.pen.set_fill_style_str(&text);
                let _ =
                    self.pen.fill_text(graph.name(block.id), x + 3.0 * pixel, y + f64::from(NAME_PX) * pixel);
            }
        }
    }
}

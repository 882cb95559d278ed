//! The overview of the graph at small zooms: rectangles and edges on a canvas that is larger than the pane, and labels in
//! letters of one size.
//!
//! Panning moves the canvas and the labels; they are drawn again only when the view leaves them or the zoom changes.

use std::fmt::Write;

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use super::palette::Palette;
use crate::dom::{by_id, document, escape_into, window};
use crate::state::{Camera, EdgeKind, LABEL_LEADING, LIFE, Label, Rect, State, labels, overlap};
use vitrine_core::base::sort_by_number;

/// The canvas.
pub(super) struct Overview {
    canvas: HtmlCanvasElement,
    pen: CanvasRenderingContext2d,
    labels: Element,
    palette: Palette,
    /// The camera it was drawn for.
    drawn: Option<Camera>,
}

impl Overview {
    /// Finds the element.
    pub(super) fn find() -> Overview {
        let canvas: HtmlCanvasElement = by_id("overview");
        let pen = canvas.get_context("2d").ok().flatten().expect("a canvas can be drawn on");
        let labels = document().get_element_by_id("labels").expect("index.html has #labels");
        Overview { canvas, pen: pen.unchecked_into(), labels, palette: Palette::find(), drawn: None }
    }

    /// Discards the drawn picture.
    pub(super) fn forget(&mut self) {
        self.drawn = None;
    }

    /// Hides the canvas.
    pub(super) fn hide(&mut self) {
        if self.drawn.take().is_some() || !self.canvas.hidden() {
            self.canvas.set_hidden(true);
            self.labels.set_inner_html("");
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
        let _ = self.labels.set_attribute("transform", &format!("translate({x} {y})"));
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
        let found = found(state);
        self.blocks(state, around, pixel, &found);
        let chosen = state.chosen.and_then(|id| state.shown.graph.block_of(id)).map(|block| block.id);
        let first: Vec<u32> = found.into_iter().chain(chosen).collect();
        self.labels.set_inner_html(&markup(&labels(&state.shown.graph, &camera, &first)));
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

    fn blocks(&self, state: &State, around: Rect, pixel: f64, found: &[u32]) {
        let graph = &state.shown.graph;
        let [plain, rule, back, added, focus, lit] =
            ["ground-3", "dim", "back", "true", "focus", "lit"].map(|name| self.palette.color(name));
        let home = |id: Option<u32>| id.and_then(|id| graph.block_of(id)).map(|block| block.id);
        let (chosen, under) = (home(state.chosen), home(state.lit()));
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
        }
    }
}

/// The boxes with results of the search, sorted.
fn found(state: &State) -> Vec<u32> {
    let graph = &state.shown.graph;
    let home = |[block, _]: &[u32; 2]| graph.block_of(*block).map(|block| block.id);
    let mut found: Vec<u32> = state.scene.find.found.iter().filter_map(home).collect();
    sort_by_number(&mut found, |&id| id.into());
    found
}

/// The labels as text elements: names first, then lines about their blocks.
fn markup(labels: &[Label]) -> String {
    let mut out = String::new();
    for Label { block, at: [x, y], lines } in labels {
        for (row, line) in lines.iter().enumerate() {
            let baseline = y + row as i32 * LABEL_LEADING + 10;
            let name = if row == 0 { line.split(" · ").next().unwrap_or_default() } else { "" };
            let _ =
                write!(out, "<text data-block={block} x={x} y={baseline}><tspan class=name>{name}</tspan>");
            escape_into(&mut out, line.get(name.len()..).unwrap_or_default());
            out.push_str("</text>");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_text_elements_and_escaped() {
        let lines = ["^1 loop · if %0", "a < b"].map(str::to_owned).to_vec();
        let html = markup(&[Label { block: 7, at: [3, 4], lines }]);
        let (name, about) = html.split_at(html.find("</text>").map_or(0, |at| at + 7));
        assert_eq!(name, "<text data-block=7 x=3 y=14><tspan class=name>^1 loop</tspan> · if %0</text>");
        assert_eq!(about, "<text data-block=7 x=3 y=27><tspan class=name></tspan>a &lt; b</text>");
    }
}

//! The control-flow graph: an SVG of which only the part in sight, and some around it, is elements.
//!
//! Panning and zooming move one group; what is drawn changes only where sight leaves it. Another lit value
//! changes classes and draws nothing.

mod hand; // pointer, wheel and keys
mod paint; // markup

pub(crate) use hand::{listen, look_of, measure};

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlSelectElement};

use crate::dom::{by_id, document, escape_into};
use crate::state::{Camera, Dirty, Rect, State, inside};

/// Below this zoom, in per cent, letters are no longer drawn.
const LETTERS_FROM: i32 = 28;

/// The elements of the pane.
pub(crate) struct Graph {
    pane: HtmlElement,
    scene: Element,
    zoom: HtmlElement,
    empty: HtmlElement,
    functions: HtmlSelectElement,
    /// The part of the graph that is elements now, and whether with letters.
    drawn: Option<(Rect, bool)>,
    /// The list of functions as it is drawn.
    listed: String,
}

impl Graph {
    /// Finds them.
    pub(crate) fn find() -> Graph {
        Graph {
            pane: by_id("graph"),
            scene: document().get_element_by_id("scene").expect("index.html has #scene"),
            zoom: by_id("zoom"),
            empty: by_id("graph-empty"),
            functions: by_id("functions"),
            drawn: None,
            listed: String::new(),
        }
    }

    /// Shows the part in sight, and what is lit in it.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.has(Dirty::GRAPH) {
            self.drawn = None;
            self.list(state);
            self.empty.set_hidden(!state.shown.any || !state.shown.graph.blocks.is_empty());
        }
        let mut painted = false;
        if dirty.has(Dirty::GRAPH | Dirty::CAMERA) {
            self.place(state.camera);
            painted = self.paint(state);
        }
        if painted || dirty.has(Dirty::LINKS) {
            self.light(state);
        }
    }

    fn place(&self, camera: Camera) {
        let Camera { x, y, zoom, .. } = camera;
        let scale = format!("{}.{:02}", zoom / 100, zoom % 100);
        let _ = self.scene.set_attribute("transform", &format!("translate({x} {y}) scale({scale})"));
        self.zoom.set_text_content(Some(&format!("{zoom} %")));
    }

    /// Draws if sight has left what is drawn.
    fn paint(&mut self, state: &State) -> bool {
        let sight = state.camera.sight();
        let letters = state.camera.zoom >= LETTERS_FROM;
        if self.drawn.is_some_and(|(drawn, with)| with == letters && inside(sight, drawn)) {
            return false;
        }
        let [x, y, width, height] = sight;
        let around = [x - width / 2, y - height / 2, 2 * width, 2 * height];
        self.drawn = Some((around, letters));
        self.scene.set_inner_html(&paint::scene(&state.shown.graph, &state.classes, around, letters));
        true
    }

    /// Marks the blocks and words of the lit thing.
    fn light(&self, state: &State) {
        let lit = state.lit();
        let home = lit.and_then(|id| state.shown.graph.home(id)).map(|block| block.id);
        let chosen = state.chosen.and_then(|id| state.shown.graph.home(id)).map(|block| block.id);
        let Ok(found) = self.scene.query_selector_all("[data-id]") else { return };
        for place in 0..found.length() {
            let Some(element) = found.item(place).and_then(|node| node.dyn_into::<Element>().ok()) else {
                continue;
            };
            let id: Option<u32> = element.get_attribute("data-id").and_then(|word| word.parse().ok());
            let classes = element.class_list();
            if classes.contains("box") {
                let _ = classes.toggle_with_force("lit", id.is_some() && id == home);
                let _ = classes.toggle_with_force("chosen", id.is_some() && id == chosen);
            } else {
                let _ = classes.toggle_with_force("lit", id.is_some() && id == lit);
            }
        }
        let name = home.and_then(|id| paint::told(state, id)).unwrap_or_default();
        let _ = self.pane.set_attribute("aria-description", &name);
    }

    /// The list of functions, if it is another one.
    fn list(&mut self, state: &State) {
        let mut html = String::new();
        for (number, name, blocks) in state.shown.functions.iter().filter(|(_, _, blocks)| *blocks > 0) {
            html.push_str(&format!("<option value={number}>"));
            escape_into(&mut html, name);
            html.push_str(&format!(" · {blocks} block{}</option>", if *blocks == 1 { "" } else { "s" }));
        }
        if self.listed != html {
            self.functions.set_inner_html(&html);
            self.listed = html;
        }
        self.functions.set_hidden(self.listed.is_empty());
        if let Some(func) = state.shown.func {
            self.functions.set_value(&func.to_string());
        }
    }
}

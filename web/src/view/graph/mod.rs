//! The control-flow graph: an SVG with elements for the part in view and some around it; a canvas at small zooms.
//!
//! Panning and zooming move one group; elements are redrawn only when the view leaves the drawn part. Highlighting
//! changes classes and redraws nothing. The camera glides after a command, and follows the pointer at once.

mod overview; // the canvas
mod find; // the search bar
mod pointer_input; // pointer, fingers, wheel and keys
mod map; // the minimap
mod paint; // markup
mod palette; // the theme's colors, for canvases
mod tree; // the graph as a tree, for screen readers

pub(crate) use pointer_input::{listen, measure, msg_of};

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlSelectElement};

use crate::dom::{by_id, document, escape_into, frame, window};
use crate::state::{Camera, Dirty, FunctionInfo, LIFE, Rect, State, inside};
use crate::store;
use crate::view::formats::push_option;
use vitrine_core::base::sort_by_number;
use vitrine_protocol::OverlayKind;

/// Below this zoom characters are not legible: blocks have labels instead of their text.
const LETTERS_FROM: i32 = 3_000;
/// Duration of a glide, in ms.
const GLIDE_MS: f64 = 140.0;

/// The elements of the pane.
pub(crate) struct Graph {
    pane: HtmlElement,
    scene: Element,
    zoom: HtmlElement,
    empty: HtmlElement,
    functions: HtmlSelectElement,
    overview: overview::Overview,
    find: find::Bar,
    map: map::Map,
    tree: tree::Tree,
    /// The part of the graph that is drawn as elements.
    drawn: Option<Rect>,
    /// The drawn camera; start and time of its glide.
    seen: Camera,
    glide: Option<(Camera, f64)>,
    /// The drawn list of functions.
    listed: String,
}

impl Graph {
    /// Finds the elements, and fills the menu of overlays.
    pub(crate) fn find() -> Graph {
        by_id::<HtmlElement>("overlay").set_inner_html(&overlays());
        Graph {
            pane: by_id("graph"),
            scene: document().get_element_by_id("scene").expect("index.html has #scene"),
            zoom: by_id("zoom"),
            empty: by_id("graph-empty"),
            functions: by_id("functions"),
            overview: overview::Overview::find(),
            find: find::Bar::find(),
            map: map::Map::find(),
            tree: tree::Tree::find(),
            drawn: None,
            seen: Camera::default(),
            glide: None,
            listed: String::new(),
        }
    }

    /// Shows the part in view and its highlights.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.intersects(Dirty::GRAPH) {
            self.drawn = None;
            self.list(state);
            self.empty.set_hidden(!state.shown.any || !state.shown.graph.blocks.is_empty());
        }
        let lit = dirty.intersects(Dirty::GRAPH | Dirty::LINKS | Dirty::THEME);
        let mut painted = false;
        if lit || dirty.intersects(Dirty::CAMERA | Dirty::GLIDE) {
            if lit {
                self.overview.forget();
            }
            self.travel(state, dirty);
            // Until the compiler answers, the prerendered picture remains.
            painted = state.shown.any && self.show(state);
        }
        if painted || lit {
            self.light(state);
        }
        if dirty.intersects(Dirty::OVERLAY) {
            self.tools(state);
        }
        self.map.draw(state, self.seen, dirty);
        self.find.draw(state, dirty);
        self.tree.draw(state, dirty);
    }

    /// Sets the drawn camera: a position between two cameras during a glide, otherwise that of the state.
    fn travel(&mut self, state: &State, dirty: Dirty) {
        let target = state.camera;
        let now = js_sys::Date::now();
        if dirty.intersects(Dirty::GLIDE)
            && self.glide.is_none()
            && self.seen.pane == target.pane
            && !prefers_reduced_motion()
        {
            self.glide = Some((self.seen, now));
        } else if dirty.intersects(Dirty::CAMERA) && !dirty.intersects(Dirty::GLIDE) {
            self.glide = None;
        }
        self.seen = target;
        if let Some((from, start)) = self.glide {
            let part = ((now - start) / GLIDE_MS).clamp(0.0, 1.0);
            // Fast at first, slow at the end.
            let eased = 1.0 - (1.0 - part) * (1.0 - part);
            self.seen = from.towards(&target, (eased * 1000.0) as i32);
            if part < 1.0 {
                frame(|| store::redraw(Dirty::GLIDE));
            } else {
                self.glide = None;
            }
        }
        // For tests and tools, which wait until the glide is over.
        let _ = self.pane.class_list().toggle_with_force("gliding", self.glide.is_some());
        let _ = self.scene.set_attribute("transform", &transform(self.seen));
        self.zoom.set_text_content(Some(&format!("{} %", target.per_cent())));
    }

    /// Draws if the view has left the drawn part. Returns true if it drew.
    fn show(&mut self, state: &State) -> bool {
        if self.seen.zoom < LETTERS_FROM {
            if self.drawn.take().is_some() || self.scene.has_child_nodes() {
                self.scene.set_inner_html("");
            }
            self.overview.show(state, self.seen);
            return false;
        }
        self.overview.hide();
        let visible = self.seen.visible();
        if self.drawn.is_some_and(|drawn| inside(visible, drawn)) {
            return false;
        }
        let [x, y, width, height] = visible;
        let around = [x - width / 2, y - height / 2, 2 * width, 2 * height];
        self.drawn = Some(around);
        self.scene.set_inner_html(&paint::scene(&state.shown.graph, &state.classes, around));
        true
    }

    /// Marks the blocks and words of the highlighted thing, and the results of the search.
    fn light(&self, state: &State) {
        let lit = state.lit();
        let home = lit.and_then(|id| state.shown.graph.block_of(id)).map(|block| block.id);
        let chosen = state.chosen.and_then(|id| state.shown.graph.block_of(id)).map(|block| block.id);
        let find = &state.scene.find;
        let mut found: Vec<u32> = find.found.iter().map(|[_, line]| *line).collect();
        found.extend(find.found.iter().filter_map(|[block, _]| Some(state.shown.graph.block_of(*block)?.id)));
        sort_by_number(&mut found, |&id| id.into());
        let current = find.current().map(|[_, line]| line);
        let Ok(all) = self.scene.query_selector_all("[data-id]") else { return };
        for place in 0..all.length() {
            let Some(element) = all.item(place).and_then(|node| node.dyn_into::<Element>().ok()) else {
                continue;
            };
            let id: Option<u32> = element.get_attribute("data-id").and_then(|word| word.parse().ok());
            let classes = element.class_list();
            let is_box = classes.contains("box");
            let is_found = id.is_some_and(|id| found.binary_search(&id).is_ok());
            let marks = [
                ("lit", id.is_some() && id == if is_box { home } else { lit }),
                ("chosen", is_box && id.is_some() && id == chosen),
                ("match", is_found),
                ("current", id.is_some() && id == current),
            ];
            for (name, is) in marks {
                let _ = classes.toggle_with_force(name, is);
            }
        }
        let name = home.and_then(|id| paint::describe(state, id)).unwrap_or_default();
        let _ = self.pane.set_attribute("aria-description", &name);
    }

    /// Shows the state of the buttons below the graph, and the legend, which takes space from the graph.
    fn tools(&self, state: &State) {
        let scene = &state.scene;
        for (id, name, is) in [
            ("overlays", "aria-pressed", scene.overlays),
            ("inline", "aria-pressed", scene.inline),
            ("legend-open", "aria-expanded", scene.legend),
        ] {
            let _ = by_id::<HtmlElement>(id).set_attribute(name, if is { "true" } else { "false" });
        }
        by_id::<HtmlElement>("legend").set_hidden(!scene.legend);
        by_id::<HtmlSelectElement>("overlay").set_value(scene.overlay.name());
    }

    /// Draws the list of functions if it changed.
    fn list(&mut self, state: &State) {
        let html = options(state);
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

/// The transform of the group that contains the graph.
pub(crate) fn transform(camera: Camera) -> String {
    let Camera { x, y, zoom, .. } = camera;
    format!("translate({x} {y}) scale({}.{:04})", zoom / LIFE, zoom % LIFE)
}

/// The functions as options.
pub(crate) fn options(state: &State) -> String {
    let mut html = String::new();
    for FunctionInfo { number, name, blocks, .. } in state.shown.functions.iter().filter(|of| of.blocks > 0) {
        html.push_str(&format!("<option value={number}>"));
        escape_into(&mut html, name);
        html.push_str(&format!(" · {blocks} block{}</option>", if *blocks == 1 { "" } else { "s" }));
    }
    html
}

/// The overlays as options.
fn overlays() -> String {
    let mut html = String::new();
    for kind in OverlayKind::ALL {
        push_option(&mut html, kind.name(), kind.label());
    }
    html
}

/// The whole graph as markup: for printing and prerendering.
pub(crate) fn picture(state: &State) -> String {
    let graph = &state.shown.graph;
    paint::scene(graph, &state.classes, graph.extent)
}

/// Returns true if the user prefers reduced motion.
fn prefers_reduced_motion() -> bool {
    let media = window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    media.is_some_and(|query| query.matches())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_has_every_overlay_by_its_name() {
        let html = overlays();
        assert!(
            html.starts_with("<option value=\"loops\">Loops and cost</option><option value=\"dominators\">")
        );
        assert_eq!(html.matches("<option").count(), OverlayKind::ALL.len());
    }
}

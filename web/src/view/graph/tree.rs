//! The graph as a tree of blocks, loops and edges: for screen readers, and visible
//! while it has the focus.
//!
//! Of a long tree only the rows around the active one are elements; their attributes have the total number.

use std::fmt::Write;

use web_sys::{Event, HtmlElement, KeyboardEvent};

use crate::dom::{by_id, data_around, document, escape_into, listen as on};
use crate::state::{Dirty, GraphEvent, Item, Msg, Row, State, TreeStep, row_label, rows};
use crate::store;

/// A tree with at most this number of rows is drawn completely, otherwise this number on either side of the active row.
const WHOLE: usize = 300;
const AROUND: usize = 60;

/// The element, and its drawn content.
pub(super) struct Tree {
    list: HtmlElement,
    drawn: String,
}

impl Tree {
    /// Finds the element.
    pub(super) fn find() -> Tree {
        Tree { list: by_id("outline"), drawn: String::new() }
    }

    /// Draws the rows, the active and the chosen one.
    pub(super) fn draw(&mut self, state: &State, dirty: Dirty) {
        if !dirty.intersects(Dirty::GRAPH | Dirty::OVERLAY) {
            return;
        }
        let rows = rows(&state.shown.graph, &state.scene.outline);
        let at = state.scene.outline.at(&rows);
        self.list.set_hidden(rows.is_empty());
        let html = markup(state, &rows, at);
        if html != self.drawn {
            self.list.set_inner_html(&html);
            self.drawn = html;
        }
        let _ = self.list.set_attribute("aria-activedescendant", &format!("row-{at}"));
        // Without the focus it is not visible.
        if document().active_element().is_some_and(|active| active.id() == "outline") {
            reveal();
        }
    }
}

fn markup(state: &State, rows: &[Item], at: usize) -> String {
    let graph = &state.shown.graph;
    let chosen = state.chosen.and_then(|id| graph.block_of(id)).map(|block| block.id);
    let part = if rows.len() <= WHOLE {
        0..rows.len()
    } else {
        at.saturating_sub(AROUND)..(at + AROUND).min(rows.len())
    };
    let mut out = String::new();
    for (number, item) in part.clone().zip(&rows[part]) {
        let [place, count] = item.place;
        let selected = matches!(item.row, Row::Block(id) if Some(id) == chosen);
        let active = if number == at { " class=active" } else { "" };
        let level = item.level;
        let _ = write!(
            out,
            "<li role=treeitem id=row-{number} data-row={number}{active} aria-level={level} aria-posinset={place} aria-setsize={count} aria-selected={selected}"
        );
        if let Some(open) = item.open {
            let _ = write!(out, " aria-expanded={open}");
        }
        out.push_str("><span class=indent aria-hidden=true>");
        (1..level).for_each(|_| out.push_str("│ "));
        out.push_str(match item.open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "· ",
        });
        out.push_str("</span>");
        escape_into(&mut out, &row_label(graph, item.row));
        out.push_str("</li>");
    }
    out
}

/// Scrolls to the active row.
fn reveal() {
    if let Ok(Some(row)) = document().query_selector("#outline .active") {
        row.scroll_into_view_with_bool(false);
    }
}

/// Listens to keys and clicks in the tree.
pub(super) fn listen() {
    let list: HtmlElement = by_id("outline");
    on(&list, "focus", |_: Event| reveal());
    on(&list, "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let step = match event.key().as_str() {
            "ArrowDown" => TreeStep::Next,
            "ArrowUp" => TreeStep::Previous,
            "ArrowRight" => TreeStep::In,
            "ArrowLeft" => TreeStep::Out,
            "Home" => TreeStep::First,
            "End" => TreeStep::Last,
            "Enter" | " " => TreeStep::Take,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        store::send(Msg::Graph(GraphEvent::Tree(step)));
    });
    on(&list, "click", |event: Event| {
        if let Some(row) = data_around(event.target(), "row").and_then(|row| row.parse().ok()) {
            store::send(Msg::Graph(GraphEvent::TreeAt(row)));
        }
    });
}

//! Details of the chosen thing: a pane below the text, a sheet over a small screen.
//!
//! A line with an action is a button; ids in it are links.

use std::fmt::Write;

use vitrine_protocol::layout::{InspectAction, InspectSection};
use web_sys::{Event, HtmlElement, HtmlTextAreaElement, KeyboardEvent};

use crate::dom::{by_id, data_around, document, listen as on};
use crate::state::inspect::Event as Inspected;
use crate::state::{Dirty, Msg, State};
use crate::store;
use crate::view::frame::in_control;
use crate::view::{graph, output};

/// The sections, in the order of their numbers.
const SECTIONS: [&str; 5] = ["", "Properties", "Uses", "Origin", "Later versions"];

/// The elements of the pane.
pub(crate) struct Inspect {
    pane: HtmlElement,
    lines: HtmlElement,
    button: HtmlElement,
}

impl Inspect {
    /// Finds the elements.
    pub(crate) fn find() -> Inspect {
        Inspect { pane: by_id("inspect"), lines: by_id("inspect-lines"), button: by_id("inspect-toggle") }
    }

    /// Shows the details and their highlights.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        let inspect = &state.inspect;
        if dirty.intersects(Dirty::INSPECT) {
            let is_open = inspect.thing().is_some() && !inspect.closed;
            self.pane.set_hidden(!is_open);
            let _ = self.button.set_attribute("aria-pressed", if inspect.closed { "false" } else { "true" });
            let _ = self.pane.class_list().toggle_with_force("stale", !inspect.is_fresh());
            if inspect.is_fresh() {
                self.lines.set_inner_html(&lines(state));
                self.pane.set_scroll_top(0);
            }
        }
        if dirty.intersects(Dirty::INSPECT | Dirty::LINKS) && !self.pane.hidden() {
            output::light(&self.lines, &inspect.document, state.lit(), None);
        }
    }
}

/// The lines, as markup.
fn lines(state: &State) -> String {
    let document = &state.inspect.document;
    let mut html = String::new();
    let mut last = None;
    for line in 0..document.line_count() {
        let Some((section, action)) = state.inspect.row(line) else { break };
        if last != Some(section) {
            if last.is_some() {
                html.push_str("</ul>");
            }
            last = Some(section);
            let title = SECTIONS.get(section as usize).copied().unwrap_or_default();
            if !title.is_empty() {
                let _ = write!(html, "<h3>{title}</h3>");
            }
            let _ = write!(html, "<ul class=s{}>", section as u32);
        }
        // The definition is highlighted instead of linked.
        let leads = action != InspectAction::Nothing && section != InspectSection::Definition;
        let _ = match leads {
            true => write!(html, "<li><div class=leads role=button tabindex=0 data-act={line}>"),
            false => write!(html, "<li><div data-act={line}>"),
        };
        output::draw_pieces(&mut html, &state.classes, document, line);
        html.push_str("</div></li>");
    }
    if last.is_some() {
        html.push_str("</ul>");
    }
    html
}

/// Listens to the pane, the editor's cursor and the key.
pub(crate) fn listen() {
    let pane: HtmlElement = by_id("inspect");
    on(&pane, "click", |event: Event| act(&event));
    on(&pane, "keydown", |event: KeyboardEvent| match event.key().as_str() {
        "Enter" | " " if data_around(event.target(), "act").is_some() => {
            event.prevent_default();
            act(&event);
        }
        "Escape" => store::send(Inspected::Toggle.into()),
        _ => {}
    });
    on(&pane, "mouseover", |event: Event| {
        let span = output::span_under(&event);
        let id = store::with_state(|state| span.and_then(|span| state.inspect.document.span(span).link.id()));
        store::send(Msg::Hover(id.flatten()));
    });
    on(&pane, "mouseleave", |_: Event| store::send(Msg::Hover(None)));
    for id in ["inspect-toggle", "inspect-close"] {
        on(&by_id::<HtmlElement>(id), "click", |_: Event| store::send(Inspected::Toggle.into()));
    }
    on(&document(), "keydown", |event: KeyboardEvent| {
        let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        if plain && event.key() == "i" && !in_control(&event) {
            event.prevent_default();
            store::send(Inspected::Toggle.into());
        }
    });
    let area: HtmlTextAreaElement = by_id("input");
    for name in ["click", "keyup"] {
        on(&area, name, |_: Event| {
            let area: HtmlTextAreaElement = by_id("input");
            let at = area.selection_start().ok().flatten();
            // A click that ends a selection is not an action.
            if let Some(at) = at.filter(|_| at == area.selection_end().ok().flatten()) {
                store::send(Inspected::Caret(at).into());
            }
        });
    }
}

fn act(event: &Event) {
    let Some(line) = data_around(event.target(), "act").and_then(|word| word.parse().ok()) else { return };
    store::send(Inspected::Act(line, output::span_under(event)).into());
    graph::measure();
}

//! The list of passes below the panes, with the catalog beside it, and the reasons of the shown step.
//!
//! Redrawn as a whole when it changes, since a pipeline has only tens of rows. The focused control is focused
//! again afterwards, on the current row.

mod catalog; // entries of the catalog
mod pointer_input; // pointer and keys
mod rows; // markup of the list

pub(crate) use catalog::kind_name;
pub(crate) use pointer_input::{listen, step_of, toggle, toggle_why};

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::dom::{by_id, document};
use crate::palette;
use crate::state::{Dirty, State};

/// The elements of the list.
pub(crate) struct Passes {
    pane: HtmlElement,
    list: HtmlElement,
    found: HtmlElement,
    about: HtmlElement,
    why: HtmlElement,
    /// Their drawn markup: list, entries, article, reasons.
    drawn: [String; 4],
}

impl Passes {
    /// Finds the elements.
    pub(crate) fn find() -> Passes {
        Passes {
            pane: by_id("passes"),
            list: by_id("passes-list"),
            found: by_id("passes-found"),
            about: by_id("passes-about"),
            why: by_id("why"),
            drawn: Default::default(),
        }
    }

    /// Shows the open parts.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if !dirty.intersects(Dirty::PASSES | Dirty::TIMELINE) {
            return;
        }
        let passes = &state.passes;
        palette::arrived(state);
        for (pane, button, open) in [(&self.pane, "list", passes.open), (&self.why, "reasons", passes.why)] {
            pane.set_hidden(!open);
            let _ = by_id::<HtmlElement>(button)
                .set_attribute("aria-expanded", if open { "true" } else { "false" });
        }
        if passes.why {
            set(&self.why, &mut self.drawn[3], catalog::reasons(state));
        }
        if !passes.open {
            return;
        }
        let part = document().active_element().and_then(|element| element.get_attribute("data-part"));
        let list = rows::list(state);
        if list != self.drawn[0] {
            set(&self.list, &mut self.drawn[0], list);
            pointer_input::mark(&self.list);
            if let Some(part) = part {
                self.focus(passes.at, &part);
            }
        }
        set(&self.found, &mut self.drawn[1], catalog::found(passes));
        set(&self.about, &mut self.drawn[2], catalog::article(passes));
        for (id, texts) in [("passes-undo", &passes.before), ("passes-redo", &passes.after)] {
            let is_disabled = if texts.is_empty() { "true" } else { "false" };
            let _ = by_id::<HtmlElement>(id).set_attribute("aria-disabled", is_disabled);
        }
    }

    /// Focuses the same control of the current row again, or the row's handle.
    fn focus(&self, row: usize, part: &str) {
        let found = |part: &str| {
            let selector = format!("[data-row=\"{row}\"] [data-part=\"{part}\"]");
            self.list.query_selector(&selector).ok().flatten()
        };
        let element: Option<Element> = found(part).or_else(|| found("grip"));
        if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
        }
    }
}

/// Draws markup that differs, so that scroll position and focus are kept otherwise.
fn set(element: &HtmlElement, drawn: &mut String, html: String) {
    if *drawn != html {
        element.set_inner_html(&html);
        *drawn = html;
    }
}

//! Printing: the graph and the text of the shown version, complete, and nothing else of the page.
//!
//! Panes contain only what is in view, so the sheet is written when printing begins and emptied afterwards.
//! Limits: the lines of a text after the first [`MOST`] are counted and not printed.

use std::fmt::Write;

use web_sys::{Event, HtmlElement};

use crate::dom::{by_id, escape_into, listen as on, window};
use crate::state::State;
use crate::store;
use crate::view::{graph, input, output, timeline};

/// More than a hundred pages.
const MOST: usize = 8000;

/// Listens for the beginning and the end of printing.
pub(crate) fn listen() {
    on(&window(), "beforeprint", |_: Event| {
        let sheet = store::with_state(sheet).unwrap_or_default();
        by_id::<HtmlElement>("paper").set_inner_html(&sheet);
    });
    on(&window(), "afterprint", |_: Event| by_id::<HtmlElement>("paper").set_inner_html(""));
}

/// The sheet as markup; empty before the first answer.
fn sheet(state: &State) -> String {
    let mut html = String::new();
    if !state.shown.any {
        return html;
    }
    html.push_str("<h2>");
    escape_into(&mut html, &input::name(state));
    let _ = write!(html, "</h2><p>{}</p>", timeline::describe(state));
    let [x, y, width, height] = state.shown.graph.extent;
    // The same class names as in the panes, so that the same style rules apply.
    if width > 0 {
        let _ = write!(
            html,
            "<svg viewBox=\"{} {} {} {}\" width={width}><g id=scene>{}</g></svg>",
            x - 8,
            y - 8,
            width + 16,
            height + 16,
            graph::picture(state)
        );
    }
    html.push_str("<div class=rows>");
    let count = state.shown.document.line_count();
    (0..count.min(MOST)).for_each(|line| output::draw_line(&mut html, state, line));
    if count > MOST {
        let _ = write!(html, "<p>and {} more lines: save the text instead</p>", count - MOST);
    }
    html + "</div>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Document, Shown};

    #[test]
    fn a_sheet_holds_every_line_and_an_empty_page_none() {
        let document = Document::new("line\n".repeat(MOST + 5), &[]);
        let mut state =
            State { shown: Shown { document, any: true, ..Shown::default() }, ..State::default() };
        let html = sheet(&state);
        assert_eq!(html.matches("data-line=").count(), MOST);
        assert!(html.contains("and 5 more lines"));
        state.shown.any = false;
        assert_eq!(sheet(&state), "");
    }
}

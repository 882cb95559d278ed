//! The editor: a text area with line numbers beside it.
//!
//! The text area holds the text while the person types; the state follows. Lines never wrap, so that a line
//! is a row and only the numbers in sight are drawn.
//! Limits: a browser lays out all of a text area; of a text of 1 MB that is half a second when it arrives, and
//! 20 ms for a key.

use std::fmt::Write;

use web_sys::{Event, HtmlElement, HtmlTextAreaElement};

use crate::app;
use crate::dom::{by_id, listen as on, window};
use crate::save;
use crate::state::{Dirty, Msg, Selection, State};

/// Height of a line in CSS pixels, as `www/style.css` has it.
const ROW: i32 = 20;

/// The elements of the pane.
pub(crate) struct Input {
    area: HtmlTextAreaElement,
    gutter: HtmlElement,
    name: HtmlElement,
    /// Lines of the text, counted when it changes.
    lines: usize,
    revision: Option<u32>,
    /// The numbers as they are drawn: drawing the same again would lay out the text again.
    drawn: String,
}

impl Input {
    /// Finds them.
    pub(crate) fn find() -> Input {
        let (area, gutter, name) = (by_id("input"), by_id("gutter"), by_id("name"));
        Input { area, gutter, name, lines: 1, revision: None, drawn: String::new() }
    }

    /// Shows the text if another took its place, the numbers, the selection.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.has(Dirty::INPUT) {
            self.area.set_value(&state.input.text);
            self.area.set_scroll_top(0);
        }
        // A binary becomes text without being another input.
        if dirty.has(Dirty::INPUT) || self.revision != Some(state.input.revision) {
            self.revision = Some(state.input.revision);
            self.lines = 1 + state.input.text.bytes().filter(|byte| *byte == b'\n').count();
        }
        if dirty.has(Dirty::INPUT | Dirty::PROBLEMS) {
            self.name.set_text_content(Some(&name(state)));
        }
        if let (Some(place), true) = (state.selection, dirty.has(Dirty::SELECTION)) {
            self.select(place);
        }
        if dirty.has(Dirty::INPUT | Dirty::PROBLEMS | Dirty::STATUS | Dirty::NUMBERS | Dirty::FRAME) {
            self.numbers(state);
        }
    }

    fn select(&self, place: Selection) {
        let _ = self.area.focus();
        let _ = self.area.set_selection_range(place.start, place.end);
        let wanted = place.line as i32 * ROW - self.area.client_height() / 2;
        self.area.set_scroll_top(wanted.max(0));
        // Browsers bring only the end of a selection into sight sideways, and only when typing.
        self.area.set_scroll_left(0);
    }

    /// Draws the numbers in sight, with a mark where a problem is.
    fn numbers(&mut self, state: &State) {
        let top = self.area.scroll_top();
        let first = top / ROW;
        let last = (first + self.area.client_height() / ROW + 2).min(self.lines as i32);
        let mut html = String::new();
        for line in first..last.max(first) {
            let bad = state.shown.problems.iter().any(|problem| problem.line as i32 == line + 1);
            let class = if bad { " class=bad" } else { "" };
            let _ = write!(html, "<div{class}>{}</div>", line + 1);
        }
        let style = self.gutter.style();
        if self.drawn != html {
            let digits = self.lines.to_string().len().max(2);
            let _ = style.set_property("width", &format!("calc({digits}ch + 30px)"));
            self.gutter.set_inner_html(&html);
            self.drawn = html;
        }
        let _ = style.set_property("transform", &format!("translateY({}px)", first * ROW - top));
    }
}

/// What is open, and what it was found to be.
fn name(state: &State) -> String {
    let kind = if state.shown.any { state.shown.kind.as_str() } else { "" };
    let parts = [state.input.name.as_str(), kind].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

/// Listens to the editor, and sends the text that the page came with.
pub(crate) fn listen() {
    let area: HtmlTextAreaElement = by_id("input");
    on(&area, "input", |_: Event| app::send(Msg::Edited(value())));
    on(&area, "scroll", |_: Event| app::redraw(Dirty::NUMBERS));
    on(&window(), "resize", |_: Event| app::redraw(Dirty::FRAME));
    app::send(Msg::Edited(value()));
    on(&window(), "hashchange", |_: Event| {
        if let Some(link) = save::linked() {
            app::send(Msg::Link(link));
        }
    });
    if let Some(link) = save::linked() {
        app::send(Msg::Link(link));
    }
}

fn value() -> String {
    by_id::<HtmlTextAreaElement>("input").value()
}

//! The input: a text area with line numbers until the editor is loaded, and permanently if it cannot be loaded.
//!
//! The text area shows the text before any script runs. The editor takes over its changes, its selection and its
//! scroll position. Lines never wrap, so a line is a row, and only the numbers in view
//! are drawn.
//! Limits: a browser lays out the whole text area, which takes half a second for a text of 1 MB, so
//! large texts wait for the editor if it may still be loaded.

use std::cell::Cell;
use std::fmt::Write;

use web_sys::{Event, HtmlElement, HtmlTextAreaElement};

use super::editor::{self, Editor, Loading};
use crate::dom::{by_id, listen as on, window};
use crate::state::{Change, Dirty, Engine, Msg, Selection, State, units};
use crate::store;
use crate::{keep, save};

/// Height of a line in CSS pixels, as in `www/style.css`.
const ROW: i32 = 20;

thread_local! {
    /// True during text composition in the text area: its changes are sent at the end.
    static COMPOSES: Cell<bool> = const { Cell::new(false) };
}

/// The elements of the pane.
pub(crate) struct Input {
    area: HtmlTextAreaElement,
    gutter: HtmlElement,
    name: HtmlElement,
    /// The editor, after it took over.
    editor: Option<Editor>,
    /// True if the text is not shown yet.
    waits: bool,
    /// The input that is shown: a count of changes to another one, and its number.
    shown: (u32, u64),
    /// Lines of the text area, counted when it changes.
    lines: usize,
    revision: Option<u32>,
    /// The drawn numbers: drawing the same ones again would cause another layout of the text.
    drawn: String,
}

impl Input {
    /// Finds the elements.
    pub(crate) fn find() -> Input {
        let (area, gutter, name) = (by_id("input"), by_id("gutter"), by_id("name"));
        let drawn = String::new();
        Input {
            area,
            gutter,
            name,
            editor: None,
            waits: false,
            shown: (0, 0),
            lines: 1,
            revision: None,
            drawn,
        }
    }

    /// Shows the text, its diagnostics, the selection.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if state.shown.any {
            editor::load();
        }
        let key = state.keep.editor_key();
        if let (Some(editor), true) = (&self.editor, self.shown.0 == state.keep.epoch && self.shown.1 != key)
        {
            self.shown.1 = key;
            editor.rename(key as f64);
        }
        let arrived = dirty.intersects(Dirty::EDITOR) && self.editor.is_none() && self.take_over(state);
        if dirty.intersects(Dirty::INPUT) || self.revision != Some(state.input.revision) {
            self.revision = Some(state.input.revision);
            let news = editor::speak(&state.input.text);
            if let (Some(editor), true) = (&self.editor, news) {
                editor.relex();
            }
            if self.editor.is_none() {
                self.lines = 1 + state.input.text.bytes().filter(|byte| *byte == b'\n').count();
            }
        }
        self.waits |= dirty.intersects(Dirty::INPUT);
        if self.waits && self.editor.is_none() {
            editor::load();
            self.area.set_read_only(true);
        }
        if self.waits && !self.must_wait(state) {
            self.waits = false;
            self.show(state);
        }
        if dirty.intersects(Dirty::INPUT | Dirty::PROBLEMS) {
            self.name.set_text_content(Some(&name(state)));
        }
        match &self.editor {
            Some(editor) => {
                // Diagnostics of an older text have no positions in this one; the shown ones move along with edits.
                if (arrived || dirty.intersects(Dirty::INPUT | Dirty::PROBLEMS))
                    && state.shown.input == state.input.revision
                {
                    editor.show_problems(&state.shown.problems);
                }
                if arrived || dirty.intersects(Dirty::LINKS | Dirty::PROBLEMS) {
                    let lines = state.lit_line().map(|line| line + 1);
                    let (name, within) = state.lit_name().unwrap_or_default();
                    let place = |byte: usize| units(state.input.text.get(..byte).unwrap_or_default());
                    editor.mark(lines.as_slice(), name, [place(within.start), place(within.end)]);
                }
                if dirty.intersects(Dirty::EDITOR) {
                    editor.relex();
                }
            }
            None if dirty.intersects(
                Dirty::INPUT | Dirty::PROBLEMS | Dirty::STATUS | Dirty::NUMBERS | Dirty::FRAME | Dirty::LINKS,
            ) =>
            {
                self.numbers(state);
            }
            None => {}
        }
        if let (Some(place), true) = (state.selection, dirty.intersects(Dirty::SELECTION)) {
            match &self.editor {
                Some(editor) => editor.go(place),
                None => self.select(place),
            }
        }
    }

    /// Returns true if the text cannot be shown yet: a binary without a disassembly, or a long text without an editor.
    fn must_wait(&self, state: &State) -> bool {
        let is_read = match state.engine {
            Engine::Starting | Engine::Busy { .. } => false,
            Engine::Recovering(_) | Engine::Idle | Engine::Down => true,
        };
        (state.input.is_bare() && !is_read)
            || (state.input.is_large() && self.editor.is_none() && editor::loading() != Loading::Failed)
    }

    fn show(&mut self, state: &State) {
        let text = &state.input.text;
        let shown = (state.keep.epoch, state.keep.editor_key());
        let is_other = std::mem::replace(&mut self.shown, shown).0 != shown.0;
        match &self.editor {
            Some(editor) => {
                editor.freeze(if state.input.is_editable() { "" } else { TOO_LARGE });
                match is_other {
                    true => editor.open(shown.1 as f64, text),
                    false => editor.replace(text, state.input.decoded),
                }
            }
            None if is_other => {
                editor::forget();
                let _ = self.area.set_default_value(text);
                self.area.set_value(text);
                self.area.set_read_only(!state.input.is_editable());
                self.area.set_scroll_top(0);
            }
            None => {
                editor::remember(&Change { from: 0, to: self.area.text_length(), text: text.clone() });
                self.area.set_value(text);
                self.area.set_read_only(!state.input.is_editable());
                self.area.set_scroll_top(0);
            }
        }
    }

    /// Replaces the text area by the editor. Returns true if the editor is there.
    fn take_over(&mut self, state: &State) -> bool {
        if editor::loading() != Loading::There || COMPOSES.get() {
            return false;
        }
        editor::speak(&state.input.text);
        let host: HtmlElement = by_id("editor");
        self.editor = editor::create(&host, &self.area);
        if let (Some(editor), false) = (&self.editor, self.waits) {
            self.shown.1 = state.keep.editor_key();
            editor.rename(self.shown.1 as f64);
        }
        self.editor.is_some()
    }

    fn select(&self, place: Selection) {
        let _ = self.area.focus();
        let _ = self.area.set_selection_range(place.start, place.end);
        let wanted = place.line as i32 * ROW - self.area.client_height() / 2;
        self.area.set_scroll_top(wanted.max(0));
        // Browsers scroll horizontally only to the end of a selection, and only while typing.
        self.area.set_scroll_left(0);
    }

    /// Draws the numbers in view, with a mark on lines with a diagnostic.
    fn numbers(&mut self, state: &State) {
        let top = self.area.scroll_top();
        let first = top / ROW;
        let last = (first + self.area.client_height() / ROW + 2).min(self.lines as i32);
        let lit = state.lit_line();
        let mut html = String::new();
        for line in first..last.max(first) {
            let bad = state.shown.problems.iter().any(|problem| problem.line as i32 == line + 1);
            let class = match (bad, lit == Some(line as u32)) {
                (false, false) => "",
                (true, false) => " class=bad",
                (false, true) => " class=lit",
                (true, true) => " class=\"bad lit\"",
            };
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

/// The reason why a shown text cannot be edited.
const TOO_LARGE: &str = "This text is larger than 4 MB: it can be read and searched here, but not edited. \
                         Edit it elsewhere and open it again.";

/// Name and kind of the input.
pub(crate) fn name(state: &State) -> String {
    let kind = match (state.shown.any, state.shown.programs) {
        (false, _) => String::new(),
        (true, 0) => state.shown.kind.clone(),
        (true, programs) => format!("{programs} programs, the first one shown: {}", state.shown.kind),
    };
    let mut name = state.input.name.clone();
    if !name.is_empty() && !kind.is_empty() {
        name.push_str(" · ");
    }
    name + &kind
}

/// Listens to the text area, and sends the text of the page.
pub(crate) fn listen() {
    let area: HtmlTextAreaElement = by_id("input");
    on(&area, "input", |_: Event| typed());
    on(&area, "focus", |_: Event| editor::load());
    on(&area, "scroll", |_: Event| store::redraw(Dirty::NUMBERS));
    on(&area, "compositionstart", |_: Event| COMPOSES.set(true));
    on(&area, "compositionend", |_: Event| {
        COMPOSES.set(false);
        store::redraw(Dirty::EDITOR);
    });
    on(&window(), "resize", |_: Event| store::redraw(Dirty::FRAME));
    on(&window(), "hashchange", |_: Event| {
        if let Some(link) = save::linked() {
            store::send(Msg::Link(link));
        }
    });
    keep::listen(area.get_attribute("data-name").unwrap_or_default(), area.value());
}

/// Handles an edit of the text area: sends the change, and records it for the editor's history.
fn typed() {
    let text = by_id::<HtmlTextAreaElement>("input").value();
    let change = store::with_state(|state| Change::between(&state.input.text, &text));
    let Some(change) = change.filter(|change| change.from != change.to || !change.text.is_empty()) else {
        return;
    };
    editor::remember(&change);
    store::send(Msg::Typed { changes: vec![change], undone: false });
}

//! The printed text: only the lines in view are elements, independent of the size of the document.
//!
//! A window of rows is drawn as one string of markup and moved into place; scrolling within it redraws
//! nothing, and scrolling beyond it only the rows that come into it. Highlighting another value changes classes and no rows, so
//! that the pointer keeps its target.

use std::fmt::Write;
use std::ops::Range;

use vitrine_protocol::{Mark, Refusal};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

use crate::dom::{by_id, data_around, escape_into, listen as on, window};
use crate::state::{
    CursorMove, Dirty, Document, Engine, Link, Msg, State, Tab, block_of_line, thing_of_line,
};
use crate::{refusals, store, texts};

/// Height of a line in CSS pixels, as in `www/style.css`. All lengths are integers: formatting
/// of floats would be a sixth of the page's download.
const ROW: i32 = 20;
/// Space above the first and below the last line.
const PADDING: i32 = 8;
/// Rows drawn above and below those in view.
const SPARE: usize = 20;

/// The changes after which rows may have to be drawn.
const DRAWS: Dirty =
    Dirty::STEP.union(Dirty::OUTPUT).union(Dirty::SCROLL).union(Dirty::FRAME).union(Dirty::REVEAL);

/// The elements of the pane.
pub(crate) struct Output {
    scroller: HtmlElement,
    sheet: HtmlElement,
    rows: HtmlElement,
    empty: HtmlElement,
    /// The shown reason in it, and the reasons that it is a list of.
    reason: (String, Vec<Refusal>),
    about: HtmlElement,
    /// The lines that are elements.
    drawn: Range<usize>,
    /// The tab and the version at the last scroll position.
    shown: (Tab, usize),
    /// The scroll position and the height of the pane, in px.
    view: [i32; 2],
}

impl Output {
    /// Finds the elements.
    pub(crate) fn find() -> Output {
        Output {
            scroller: by_id("output"),
            sheet: by_id("sheet"),
            rows: by_id("rows"),
            empty: by_id("empty"),
            reason: Default::default(),
            about: by_id("about"),
            drawn: 0..0,
            shown: (Tab::Ir, 0),
            view: [0; 2],
        }
    }

    /// Reads the scroll position and the height of the pane. Called before anything is drawn, when the layout of the page is
    /// known: reading them after a change would lay out the page once more.
    pub(crate) fn measure(&mut self, dirty: Dirty) {
        if dirty.intersects(DRAWS) {
            self.view = [self.scroller.scroll_top(), self.scroller.client_height()];
        }
    }

    /// Shows the document, the lines in view, the highlighted value.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.intersects(Dirty::OUTPUT) {
            self.lay_out(state);
            texts::changed(String::new());
            if self.shown != (state.shown.tab, state.shown_at()) {
                self.shown = (state.shown.tab, state.shown_at());
                self.begin(state);
            }
        }
        if dirty.intersects(Dirty::FRAME) {
            mark_tabs(state.tab);
        }
        // The pane was hidden, or has another size now. An answer changes the size by a row or two at most.
        if self.view[1] == 0 || !dirty.intersects(Dirty::OUTPUT) {
            self.measure(dirty);
        }
        if let (Some(span), true) = (state.cursor, dirty.intersects(Dirty::REVEAL)) {
            self.reveal(state, span);
        }
        if let (Some(line), true) = (state.debugger.line, dirty.intersects(Dirty::STEP)) {
            self.scroll_to(line);
        }
        let moved = dirty.intersects(DRAWS) && self.draw_rows(state, dirty);
        if moved || dirty.intersects(Dirty::LINKS) {
            light(&self.rows, &state.shown.document, state.lit(), state.cursor);
        }
        if dirty.intersects(Dirty::LINKS | Dirty::OUTPUT) {
            self.about.set_text_content(Some(&about(state)));
        }
        if dirty.intersects(Dirty::STATUS | Dirty::OUTPUT) {
            let stale = matches!(
                state.engine,
                Engine::Busy { slow: true, .. } | Engine::Recovering(_) | Engine::Down
            );
            let _ = self.scroller.class_list().toggle_with_force("stale", stale);
            self.explain(state);
            let has_rows = state.shown.any && state.shown.document.line_count() > 0;
            self.empty.set_hidden(has_rows || state.prerendered);
        }
    }

    /// Shows the reason why the document is empty, if it is another one: a list of reasons may have the keyboard focus.
    fn explain(&mut self, state: &State) {
        let reason = (emptiness(state), state.shown.refused.clone());
        if self.reason == reason {
            return;
        }
        self.empty.set_text_content(Some(&reason.0));
        if let Some(head) = refused(state) {
            refusals::show(&head, &reason.1);
        }
        self.reason = reason;
    }

    /// Scrolls to the first change, or to the chosen thing.
    fn begin(&mut self, state: &State) {
        let document = &state.shown.document;
        let change = document.marked_beside(None, true).filter(|_| state.shown.tab == Tab::Changes);
        match (change, state.cursor) {
            (Some(line), _) => self.show_line(line),
            (None, Some(span)) => self.reveal(state, span),
            (None, None) => {}
        }
    }

    fn show_line(&mut self, line: usize) {
        self.scroll(line as i32 * ROW - self.view[1] / 3);
    }

    /// Scrolls to a position if it is another one.
    fn scroll(&mut self, wanted: i32) {
        let wanted = wanted.max(0);
        if wanted != self.view[0] {
            self.scroller.set_scroll_top(wanted);
            // The end of the document limits it.
            self.view[0] = self.scroller.scroll_top();
        }
    }

    /// Sets the size of the sheet to that of the whole document.
    fn lay_out(&self, state: &State) {
        let document = &state.shown.document;
        let lines = document.line_count();
        let digits = lines.to_string().len().max(3);
        let height = lines as i32 * ROW + 2 * PADDING;
        // Tabs may be wider than one column; a line with many cannot be scrolled to its end.
        let width = format!("calc({}ch + 40px)", digits + document.widest() + 2);
        let style = self.sheet.style();
        for (name, value) in [("height", format!("{height}px")), ("width", width)] {
            let _ = style.set_property(name, &value);
        }
        let _ = self.rows.style().set_property("--digits", &format!("{}ch", digits + 1));
    }

    /// Draws another window of rows if the view has left the drawn one.
    fn draw_rows(&mut self, state: &State, dirty: Dirty) -> bool {
        let document = &state.shown.document;
        // Of a shorter document the browser shows the end, and reports it as a scroll.
        let end = document.line_count() as i32 * ROW + 2 * PADDING - self.view[1];
        let top = self.view[0].min(end) - PADDING;
        let first = (top.max(0) / ROW) as usize;
        let count = (self.view[1] / ROW) as usize + 2;
        let visible = first.min(document.line_count())..(first + count).min(document.line_count());
        if !dirty.intersects(Dirty::OUTPUT | Dirty::STEP)
            && self.drawn.start <= visible.start
            && visible.end <= self.drawn.end
        {
            return false;
        }
        let wanted = visible.start.saturating_sub(SPARE)..(visible.end + SPARE).min(document.line_count());
        let drawn = std::mem::replace(&mut self.drawn, wanted.clone());
        let is_near = wanted.start < drawn.end && drawn.start < wanted.end;
        match is_near && !dirty.intersects(Dirty::OUTPUT | Dirty::STEP) {
            true => self.shift_rows(state, &drawn, &wanted),
            false => self.rows.set_inner_html(&lines(state, wanted)),
        }
        let offset = self.drawn.start as i32 * ROW;
        let _ = self.rows.style().set_property("transform", &format!("translateY({offset}px)"));
        true
    }

    /// Draws the rows that come into the window and removes those that leave it. The others keep their elements: a click
    /// that begins on one ends on it, also if the window moves in between.
    fn shift_rows(&self, state: &State, drawn: &Range<usize>, wanted: &Range<usize>) {
        for _ in drawn.start..wanted.start {
            self.rows.first_element_child().iter().for_each(Element::remove);
        }
        for _ in wanted.end..drawn.end {
            self.rows.last_element_child().iter().for_each(Element::remove);
        }
        // A position with a known name is valid.
        let _ = self.rows.insert_adjacent_html("afterbegin", &lines(state, wanted.start..drawn.start));
        let _ = self.rows.insert_adjacent_html("beforeend", &lines(state, drawn.end..wanted.end));
    }

    /// Scrolls as little as necessary to show a span.
    fn reveal(&mut self, state: &State, span: usize) {
        self.scroll_to(state.shown.document.line_of(span));
    }

    /// The same for a line, from 0.
    fn scroll_to(&mut self, line: usize) {
        let line = line as i32;
        let [top, height] = self.view;
        let (above, below) = (line * ROW, (line + 1) * ROW + 2 * PADDING);
        self.scroll(if above < top { above } else { top.max(below - height) });
    }
}

/// Lines as markup.
fn lines(state: &State, lines: Range<usize>) -> String {
    let mut html = String::new();
    for line in lines {
        draw_line(&mut html, state, line);
    }
    html
}

/// One line as markup.
pub(crate) fn draw_line(html: &mut String, state: &State, line: usize) {
    let document = &state.shown.document;
    let (class, sign) = match document.mark(line) {
        Mark::Same if document.is_compared() => (" class=same", ""),
        Mark::Same => ("", ""),
        Mark::Added => (" class=added", "+"),
        Mark::Gone => (" class=gone", "−"),
        Mark::Changed => (" class=changed", "~"),
        Mark::Moved => (" class=moved", "»"),
    };
    let here = state.stepping().is_some_and(|step| step.line == Some(line as u32) && !step.finished);
    let (class, sign) = if here { (" class=here aria-current=step", "▸") } else { (class, sign) };
    let _ = write!(html, "<div{class} data-line={line}><i aria-hidden=true>{}{sign}</i>", line + 1);
    draw_pieces(html, &state.classes, document, line);
    if let Some(value) = state.value_on(line) {
        html.push_str("<u>");
        escape_into(html, value);
        html.push_str("</u>");
    }
    html.push_str("</div>");
}

/// The tokens of a line as markup; links have the index of their span.
pub(crate) fn draw_pieces(html: &mut String, classes: &[String], document: &Document, line: usize) {
    for piece in document.pieces(line) {
        let Some(number) = piece.span else {
            escape_into(html, piece.text);
            continue;
        };
        let span = document.span(number);
        let class = classes.get(span.class as usize).map_or("plain", String::as_str);
        let _ = match span.link {
            Link::None => write!(html, "<span class=t-{class}>"),
            Link::Def(id) | Link::Use(id) => {
                write!(html, "<span class=\"t-{class} link\" data-span={number} data-id={id}>")
            }
        };
        escape_into(html, piece.text);
        html.push_str("</span>");
    }
}

/// Marks the definition and the uses of the highlighted value among drawn tokens. Changes only the tokens that differ.
pub(crate) fn light(rows: &HtmlElement, document: &Document, lit: Option<u32>, cursor: Option<usize>) {
    let each = |selector: &str, act: &dyn Fn(&Element)| {
        let Ok(found) = rows.query_selector_all(selector) else { return };
        for place in 0..found.length() {
            if let Some(element) = found.item(place).and_then(|node| node.dyn_into::<Element>().ok()) {
                act(&element);
            }
        }
    };
    // Adding and removing classes with plain names cannot fail.
    each(".lit, .chosen", &|element| {
        let _ = element.class_list().remove_3("lit", "def", "chosen");
    });
    if let Some(id) = lit {
        each(&format!("[data-id=\"{id}\"]"), &|element| {
            let span = element.get_attribute("data-span").and_then(|word| word.parse::<usize>().ok());
            let is_def = span.is_some_and(|span| matches!(document.span(span).link, Link::Def(_)));
            let _ = element.class_list().add_1("lit");
            let _ = element.class_list().toggle_with_force("def", is_def);
        });
    }
    if let Some(span) = cursor {
        each(&format!("[data-span=\"{span}\"]"), &|element| {
            let _ = element.class_list().add_1("chosen");
        });
    }
}

/// A description of the highlighted value.
fn about(state: &State) -> String {
    let document = &state.shown.document;
    let Some(id) = state.lit() else { return String::new() };
    let path = state.memory.path(id).map_or_else(String::new, |path| format!("points to {path}"));
    let (definition, uses) = (document.definition(id), document.uses(id).count());
    let Some(name) = definition.or_else(|| document.uses(id).next()) else { return path };
    let place = definition.map_or_else(String::new, |span| format!("line {}, ", document.line_of(span) + 1));
    let name = document.text_of(name);
    let times = match uses {
        // A block of a tree is entered by its construct; no branch names it.
        0 if name.starts_with('^') => "a block".to_owned(),
        0 => "not used".to_owned(),
        1 => "used once".to_owned(),
        many => format!("used {many} times"),
    };
    let between = if path.is_empty() { "" } else { ", " };
    format!("{name}: {path}{between}{place}{times}")
}

/// The sentence before the reasons why the version has no text, if they are shown.
fn refused(state: &State) -> Option<String> {
    let is_refused = state.engine != Engine::Down && state.shown.any && !state.shown.refused.is_empty();
    let language = state.language().map_or("text", |format| &format.language);
    is_refused.then(|| format!("This version cannot be written as {language}"))
}

/// The text in place of an empty document.
fn emptiness(state: &State) -> String {
    if let Some(head) = refused(state) {
        return refusals::plain(&head, &state.shown.refused);
    }
    match (state.engine, state.shown.any) {
        (Engine::Down, _) => "The compiler is not loaded.".to_owned(),
        (_, false) => "Loading the compiler…".to_owned(),
        (_, true) if state.shown.problems.is_empty() => {
            "There is nothing to show yet: paste or drop a shader anywhere.".to_owned()
        }
        (_, true) => "Nothing could be read: see Problems.".to_owned(),
    }
}

/// Marks the chosen tab.
fn mark_tabs(tab: Tab) {
    for each in Tab::ALL {
        let button: HtmlElement = by_id(&format!("tab-{}", each.name()));
        let _ = button.set_attribute("aria-pressed", if each == tab { "true" } else { "false" });
    }
}

/// Scrolls to the next run of changed lines, or the previous one; on other tabs, opens the tab of changes.
pub(crate) fn next_change(forward: bool) {
    if store::with_state(|state| state.tab) != Some(Tab::Changes) {
        return store::send(Msg::Tab(Tab::Changes));
    }
    let scroller: HtmlElement = by_id("output");
    let third = scroller.client_height() / 3;
    let here = (scroller.scroll_top() + third) / ROW;
    let next =
        store::with_state(|state| state.shown.document.marked_beside(Some(here.max(0) as usize), forward));
    if let Some(line) = next.flatten() {
        scroller.set_scroll_top((line as i32 * ROW - third).max(0));
    }
}

/// Listens to the pointer and to keys in the pane.
pub(crate) fn listen() {
    let scroller: HtmlElement = by_id("output");
    on(&scroller, "scroll", |_: Event| store::redraw(Dirty::SCROLL));
    on(&scroller, "mouseover", |event: Event| {
        let span = span_under(&event);
        let line = data_around(event.target(), "line").and_then(|word| word.parse().ok());
        let id = store::with_state(|state| match (span, line) {
            (Some(span), _) => state.shown.document.span(span).link.id(),
            (None, Some(line)) if state.tab == Tab::Target && line < state.shown.document.line_count() => {
                thing_of_line(&state.shown.document, &state.classes, line)
            }
            // Outside of values, the block of the line.
            (None, Some(line)) if line < state.shown.document.line_count() => {
                block_of_line(&state.shown.document, &state.classes, line)
            }
            (None, _) => None,
        });
        store::send(Msg::Hover(id.flatten()));
    });
    for tab in Tab::ALL {
        let button: HtmlElement = by_id(&format!("tab-{}", tab.name()));
        on(&button, "click", move |_: Event| store::send(Msg::Tab(tab)));
    }
    on(&scroller, "mouseleave", |_: Event| store::send(Msg::Hover(None)));
    on(&scroller, "click", |event: Event| store::send(Msg::Choose(span_under(&event))));
    on(&scroller, "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let step = match (event.key().as_str(), event.shift_key()) {
            ("ArrowRight", false) => CursorMove::Next,
            ("ArrowLeft", false) => CursorMove::Previous,
            ("ArrowDown", false) => CursorMove::Down,
            ("ArrowUp", false) => CursorMove::Up,
            ("Enter", false) => CursorMove::Definition,
            ("Enter", true) => CursorMove::Use,
            ("Escape", false) => return store::send(Msg::Choose(None)),
            _ => return,
        };
        // A document without links is scrolled by keys.
        if store::with_state(|state| state.shown.document.linked_beside(None, true).is_some()) == Some(true) {
            event.prevent_default();
            store::send(Msg::Move(step));
        }
    });
    on(&by_id::<HtmlElement>("copy"), "click", |_: Event| {
        let text = store::with_state(|state| state.shown.document.text().to_owned()).unwrap_or_default();
        copy(&text, "Text copied.");
    });
}

/// The index of the linked span under the pointer.
pub(crate) fn span_under(event: &Event) -> Option<usize> {
    data_around(event.target(), "span")?.parse().ok()
}

/// Copies a text to the clipboard, and reports it.
pub(crate) fn copy(text: &str, done: &str) {
    // Not available on pages from an insecure origin.
    let clipboard = js_sys::Reflect::get(&window().navigator(), &JsValue::from_str("clipboard"));
    if clipboard.is_ok_and(|clipboard| clipboard.is_undefined()) {
        return store::send(Msg::Refused("This browser does not allow copying".to_owned()));
    }
    // The result arrives later; after a refusal the user can only try again.
    let _ = window().navigator().clipboard().write_text(text);
    store::send(Msg::Copied(done.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Shown;
    use vitrine_protocol::{Answer, PointerPath, PointerPaths};

    #[test]
    fn every_token_class_of_the_compiler_has_its_rule() {
        let style = include_str!("../../../www/style/tokens.css");
        for name in vitrine_core::view_model::class_names() {
            let rule = [",", " ", " {"].iter().any(|end| style.contains(&format!(".t-{name}{end}")));
            assert!(rule, "www/style/tokens.css has no rule for .t-{name}");
        }
    }

    #[test]
    fn a_line_is_markup_with_its_links() {
        let document = Document::new("%0 < 1\n".to_owned(), &[0, 2, 1, 1, 7, 5, 1, 9, 0, 0]);
        let shown = Shown { document, ..Shown::default() };
        let state = State { shown, classes: vec!["plain".into(), "value".into()], ..State::default() };
        let mut html = String::new();
        draw_line(&mut html, &state, 0);
        let line = "<i aria-hidden=true>1</i><span class=\"t-value link\" data-span=0 data-id=7>%0</span> &lt; <span class=t-plain>1</span>";
        assert_eq!(html, format!("<div data-line=0>{line}</div>"));
    }

    #[test]
    fn a_value_is_described_with_its_uses() {
        let words = [0, 2, 0, 1, 7, 3, 2, 0, 2, 7];
        let shown = Shown { document: Document::new("%0\n%0\n".to_owned(), &words), ..Shown::default() };
        let mut state = State { shown, hover: Some(7), engine: Engine::Idle, ..State::default() };
        assert_eq!(about(&state), "%0: line 1, used once");
        state.memory.paths_serial = 1;
        let path = PointerPath { id: 7, path: "a.b: byte 4 of $0".to_owned() };
        let paths = Answer::Paths(PointerPaths { serial: 1, paths: vec![path] });
        crate::state::update(&mut state, Msg::Answer(paths));
        assert_eq!(about(&state), "%0: points to a.b: byte 4 of $0, line 1, used once");
        state.hover = Some(8);
        assert_eq!(about(&state), "", "an id that the document does not have");
    }
}

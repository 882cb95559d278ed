//! Versions side by side: a row for each line, a column for each version. Only rows in view are elements.
//!
//! Widths are custom properties of the pane that the style sheet uses; a small screen shows one column at a time and
//! scrolls horizontally between them.

use std::fmt::Write;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, MouseEvent};

use crate::dom::{by_id, data_around, document, escape_into, frame, listen as on, window};
use crate::state::columns::{self, Cell, CellMove, Choice, Event as Columned, Row};
use crate::state::{Dirty, Document, Go, LINE_BYTES, Msg, Outcome, State, StepLabel, Tab};
use crate::view::output;
use crate::{store, texts};
use vitrine_protocol::Mark;

/// Height of a row in CSS pixels, as in `www/style/columns.css`.
const ROW: i32 = 20;
/// The least and greatest width of a column in characters; of two columns each may be wider. Four of the least width fit
/// beside the input.
const NARROWEST: u32 = 26;
const WIDEST: u32 = 38;
const WIDEST_OF_TWO: u32 = 64;
const WIDEST_OF_FOUR: u32 = 31;

/// The class and the sign of a cell, by its change.
fn sign_of(change: Mark) -> (&'static str, &'static str) {
    match change {
        Mark::Same => ("same", ""),
        Mark::Added => ("added", "+"),
        Mark::Gone => ("gone", "−"),
        Mark::Changed => ("changed", "~"),
        Mark::Moved => ("moved", "»"),
    }
}

/// The elements of the pane.
pub(crate) struct Columns {
    scroller: HtmlElement,
    head: HtmlElement,
    rows: HtmlElement,
    steps: HtmlElement,
    /// The serial number of the drawn answer, and the drawn list of steps.
    drawn: u32,
    listed: String,
}

impl Columns {
    /// Finds the elements.
    pub(crate) fn find() -> Columns {
        Columns {
            scroller: by_id("columns"),
            head: by_id("columns-head"),
            rows: by_id("columns-rows"),
            steps: by_id("columns-steps"),
            drawn: 0,
            listed: String::new(),
        }
    }

    /// Draws the rows in view, the highlighted value, and the choice of steps.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if let (Some(body), true) = (document().body(), dirty.intersects(Dirty::FRAME)) {
            let _ = body.set_attribute("data-tab", state.tab.name());
        }
        if dirty.intersects(Dirty::FRAME | Dirty::COLUMNS | Dirty::TIMELINE) {
            self.mark_steps(state);
        }
        if state.tab != Tab::Columns {
            return;
        }
        let view = &state.columns.view;
        let is_new = dirty.intersects(Dirty::COLUMNS) && self.drawn != view.window.serial;
        if is_new {
            self.drawn = view.window.serial;
            self.lay_out(state);
            self.draw_rows(state);
            texts::changed(key(state));
        }
        if let (Some(row), true) = (state.columns.reveal, dirty.intersects(Dirty::COLUMNS)) {
            let of_cursor = state.columns.cursor.map(|(_, column, _)| column);
            let column = state.columns.reveal_column.or(of_cursor);
            let [scroller, head] = [self.scroller.clone(), self.head.clone()];
            frame(move || reveal(&scroller, &head, row, column));
        }
        if dirty.intersects(Dirty::COLUMNS) {
            // In the next frame: reading sizes now would lay out the page in this task.
            frame(report_visible);
        }
        if is_new || dirty.intersects(Dirty::LINKS | Dirty::COLUMNS) {
            output::light(&self.rows, &view.document, state.lit(), state.columns.cursor_span());
            self.mark_cursor(state);
        }
    }

    /// Sets the size of the sheet, and the widths and heads of the columns.
    fn lay_out(&self, state: &State) {
        let view = &state.columns.view;
        let style = self.scroller.style();
        let mut widths = String::new();
        let most = widest(&state.columns);
        for head in view.window.heads.entries() {
            let letters = (head.widest + 3).clamp(NARROWEST, most);
            let _ = write!(widths, "minmax({letters}ch, 1fr) ");
        }
        for (name, value) in [
            ("--widths", widths),
            ("--count", view.window.versions.len().to_string()),
            ("--height", format!("{}px", view.window.rows as i32 * ROW)),
        ] {
            let _ = style.set_property(name, &value);
        }
        self.head.set_inner_html(&heads(state));
    }

    fn draw_rows(&self, state: &State) {
        let view = &state.columns.view;
        let mut html = String::new();
        for (at, row) in view.range().zip(view.all()) {
            draw_row(&mut html, state, at, row);
        }
        self.rows.set_inner_html(&html);
        let top = view.window.first as i32 * ROW;
        let _ = self.rows.style().set_property("transform", &format!("translateY({top}px)"));
    }

    /// Marks the cell at the cursor.
    fn mark_cursor(&self, state: &State) {
        let found = self.rows.query_selector_all(".here");
        if let Ok(found) = found {
            for place in 0..found.length() {
                if let Some(cell) = found.item(place).and_then(|node| node.dyn_into::<Element>().ok()) {
                    let _ = cell.class_list().remove_1("here");
                }
            }
        }
        let Some((row, column, _)) = state.columns.cursor else { return };
        let Some(row) = row.checked_sub(state.columns.view.window.first) else { return };
        let row = self.rows.children().item(row);
        // In a fold, the whole row.
        let cell = row.and_then(|row| row.children().item(column as u32 + 1).or(row.children().item(1)));
        if let Some(cell) = cell {
            let _ = cell.class_list().add_1("here");
        }
    }

    /// Marks the steps that are columns, on the timeline and in the list.
    fn mark_steps(&mut self, state: &State) {
        let is_open = state.tab == Tab::Columns;
        let Ok(chips) = document().query_selector_all("#steps button") else { return };
        for at in 0..chips.length() {
            let Some(chip) = chips.item(at).and_then(|node| node.dyn_into::<Element>().ok()) else {
                continue;
            };
            let here = is_open && state.columns.chosen.contains(&(at as usize));
            let _ = chip.class_list().toggle_with_force("column", here);
        }
        if !is_open {
            return;
        }
        let list = list(state);
        if list != self.listed {
            self.steps.set_inner_html(&list);
            self.listed = list;
        }
        // Separate from the list, so that a clicked check box keeps the focus.
        if let Ok(boxes) = self.steps.query_selector_all("input") {
            for at in 0..boxes.length() {
                let found = boxes.item(at).and_then(|node| node.dyn_into::<HtmlInputElement>().ok());
                if let Some(tick) = found {
                    tick.set_checked(state.columns.chosen.contains(&(at as usize)));
                }
            }
        }
        for (id, is_on) in [("columns-fold", !state.columns.unfolded), ("columns-wide", state.columns.wide)] {
            let button: HtmlElement = by_id(id);
            let _ = button.set_attribute("aria-pressed", if is_on { "true" } else { "false" });
        }
    }
}

/// Scrolls as little as necessary to show a row and a column.
fn reveal(scroller: &HtmlElement, head: &HtmlElement, row: u32, column: Option<usize>) {
    let (top, height) = (scroller.scroll_top(), scroller.client_height());
    let (above, below) = (row as i32 * ROW, (row as i32 + 2) * ROW + head.offset_height());
    let wanted = if above < top { above } else { top.max(below - height) };
    if wanted != top {
        scroller.set_scroll_top(wanted.max(0));
    }
    let Some(column) = column else { return };
    let cell = head.children().item(column as u32 + 1);
    let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) else { return };
    let label = head.children().item(0).map_or(0, |label| label.client_width());
    let (left, width) = (scroller.scroll_left(), scroller.client_width());
    let (from, to) = (cell.offset_left() - label, cell.offset_left() + cell.offset_width());
    if from < left || to > left + width {
        scroller.set_scroll_left(from);
    }
}

/// What the text of all cells depends on.
fn key(state: &State) -> String {
    let mut key = state.shown.input.to_string() + &state.pipeline;
    for version in &state.columns.view.window.versions {
        key.push(' ');
        key.push_str(&version.to_string());
    }
    key
}

/// The first row in view, and the number of rows.
fn visible(scroller: &HtmlElement) -> (u32, u32) {
    let first = (scroller.scroll_top() / ROW).max(0) as u32;
    (first, (scroller.client_height() / ROW).max(0) as u32 + 2)
}

/// Reports the rows in view.
fn report_visible() {
    let (first, count) = visible(&by_id("columns"));
    send(Columned::Visible(first, count));
}

/// The width of the widest shown cell in characters; columns share the remaining space.
fn widest(columns: &columns::Columns) -> u32 {
    match columns.view.window.versions.len() {
        _ if columns.wide => LINE_BYTES as u32,
        0..=2 => WIDEST_OF_TWO,
        4 => WIDEST_OF_FOUR,
        _ => WIDEST,
    }
}

/// The name of a version: that of the step that produced it.
fn name_of(state: &State, version: usize) -> String {
    let Some(step) = version.checked_sub(1).and_then(|at| state.shown.timeline.steps.get(at)) else {
        return "input".to_owned();
    };
    let iteration = if step.iteration > 1 { format!(" ({})", step.iteration) } else { String::new() };
    format!("{}{iteration}", step.name())
}

/// The heads of the columns as markup: pass, size of the change, a button to remove the column.
fn heads(state: &State) -> String {
    let view = &state.columns.view;
    let mut html = String::from("<div></div>");
    for (column, (&version, head)) in view.window.versions.iter().zip(view.window.heads.entries()).enumerate()
    {
        let is_shown = if version as usize == state.shown_at() { " class=now" } else { "" };
        let name = name_of(state, version as usize);
        let _ = write!(html, "<div{is_shown}><button data-go={version} title=\"Show ");
        escape_into(&mut html, &name);
        let _ = write!(html, "\"><small>{version}</small> <b>");
        escape_into(&mut html, &name);
        html.push_str("</b></button><span>");
        for ((name, sign), count) in [Mark::Changed, Mark::Added, Mark::Gone, Mark::Moved]
            .map(sign_of)
            .into_iter()
            .zip([head.changed, head.added, head.gone, head.moved])
            .filter(|(_, count)| *count > 0 && column > 0)
        {
            let _ = write!(html, "<i class={name} title=\"{count} {name}\">{sign}{count}</i> ");
        }
        if column > 0 && [head.added, head.gone, head.changed, head.moved] == [0; 4] {
            html.push_str("<i>no change</i>");
        }
        let _ = write!(html, "</span><button class=square data-drop={version} aria-label=\"Remove ");
        escape_into(&mut html, &name);
        html.push_str("\" title=\"Remove this column\">×</button></div>");
    }
    html
}

/// One row as markup.
fn draw_row(html: &mut String, state: &State, at: u32, row: Row<'_>) {
    let (classes, view) = (&state.classes, &state.columns.view);
    let label = |html: &mut String, document: &Document| {
        html.push_str("<div class=label>");
        if let Some(line) = row.label {
            output::draw_pieces(html, classes, document, line);
        }
        html.push_str("</div>");
    };
    if row.folded > 0 {
        let _ = write!(html, "<div class=fold><div class=label></div><button data-open={}>… ", row.number);
        let _ = write!(html, "{} rows the same</button></div>", row.folded);
        return;
    }
    let _ = write!(html, "<div data-row={at} data-number={}>", row.number);
    label(html, &view.document);
    let most = widest(&state.columns) as usize;
    for (column, cell) in row.cells().enumerate() {
        draw_cell(html, classes, &view.document, column, cell, most);
    }
    html.push_str("</div>");
}

/// A cell as markup; a text that may be cut off is also its title.
fn draw_cell(
    html: &mut String,
    classes: &[String],
    document: &Document,
    column: usize,
    cell: Cell,
    most: usize,
) {
    let (class, sign) = cell.change.map(sign_of).unwrap_or_default();
    let line = cell.line.filter(|line| *line < document.line_count());
    let kind = match (line, cell.change) {
        (None, Some(Mark::Same)) => "none",
        (None, _) => "away",
        (Some(_), _) => "line",
    };
    // `www/style/columns.css` has a rule for each depth.
    let depth = (cell.indent / 2).min(16);
    let _ = write!(html, "<div class=\"{kind} {class} d{depth}\" data-column={column}");
    if let Some(words) = line.map(|line| document.line(line)).filter(|words| words.len() + 3 > most) {
        html.push_str(" title=\"");
        escape_into(html, words.trim_start());
        html.push('"');
    }
    let _ = write!(html, "><i>{sign}</i>");
    if let Some(line) = line {
        output::draw_pieces(html, classes, document, line);
    }
    html.push_str("</div>");
}

/// The steps with check boxes, as markup.
fn list(state: &State) -> String {
    let mut html = String::new();
    for version in 0..=state.shown.timeline.last() {
        let step = version.checked_sub(1).and_then(|at| state.shown.timeline.steps.get(at));
        let dim = step.is_some_and(|step| step.outcome == Outcome::Unchanged);
        let class = if dim { " class=dim" } else { "" };
        let _ = write!(html, "<label{class}><input type=checkbox data-tick={version}> {version} ");
        escape_into(&mut html, &name_of(state, version));
        html.push_str("</label>");
    }
    html
}

fn send(event: Columned) {
    store::send(event.into());
}

/// Handles a click on a step of the timeline: with Ctrl its version becomes a column, with Shift all up to it. Returns true
/// if the click is handled.
pub(crate) fn chip(event: &MouseEvent, at: usize) -> bool {
    let with = event.ctrl_key() || event.meta_key();
    if !with && !event.shift_key() {
        return false;
    }
    store::send(Msg::Tab(Tab::Columns));
    send(if with { Columned::Toggle(at) } else { Columned::Until(at) });
    true
}

fn number(event: &Event, name: &str) -> Option<usize> {
    data_around(event.target(), name)?.parse().ok()
}

/// Listens to the pane.
pub(crate) fn listen() {
    let scroller: HtmlElement = by_id("columns");
    on(&scroller, "scroll", |_: Event| report_visible());
    on(&window(), "resize", |_: Event| report_visible());
    on(&scroller, "mouseover", |event: Event| {
        let span = output::span_under(&event);
        let id =
            store::with_state(|state| span.and_then(|span| state.columns.view.document.span(span).link.id()));
        store::send(Msg::Hover(id.flatten()));
    });
    on(&scroller, "mouseleave", |_: Event| store::send(Msg::Hover(None)));
    on(&scroller, "click", |event: Event| {
        if let Some(at) = number(&event, "go") {
            store::send(Msg::Go(Go::To(at)));
        } else if let Some(at) = number(&event, "drop") {
            send(Columned::Toggle(at));
        } else if let Some(row) = number(&event, "open") {
            send(Columned::Open(row as u32));
            // The button was removed with its fold.
            let _ = by_id::<HtmlElement>("columns").focus();
        } else if let (Some(column), Some(span)) = (number(&event, "column"), output::span_under(&event)) {
            send(Columned::Choose(column, span));
        }
    });
    on(&scroller, "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
            return;
        }
        let on_button = data_around(event.target(), "open").or(data_around(event.target(), "go"));
        if on_button.or(data_around(event.target(), "drop")).is_some() && event.key() == "Enter" {
            return;
        }
        match event.key().as_str() {
            "ArrowLeft" => send(Columned::Move(CellMove::Left)),
            "ArrowRight" => send(Columned::Move(CellMove::Right)),
            "ArrowUp" => send(Columned::Move(CellMove::Up)),
            "ArrowDown" => send(Columned::Move(CellMove::Down)),
            "Enter" => send(Columned::Definition),
            "Escape" => store::send(Msg::ChooseId(None)),
            "x" => toggle_shown(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    });
    on(&by_id::<HtmlElement>("steps"), "keydown", |event: KeyboardEvent| {
        if event.key() == "x" && !event.ctrl_key() && !event.meta_key() {
            store::send(Msg::Tab(Tab::Columns));
            toggle_shown();
            event.prevent_default();
            event.stop_propagation();
        }
    });
    let pick: HtmlElement = by_id("columns-pick");
    on(&document(), "click", |event: Event| {
        let inside = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let inside = inside.is_some_and(|of| of.closest("#columns-pick").is_ok_and(|found| found.is_some()));
        if !inside {
            let _ = by_id::<HtmlElement>("columns-pick").remove_attribute("open");
        }
    });
    on(&pick, "keydown", |event: KeyboardEvent| {
        if event.key() == "Escape" {
            let _ = by_id::<HtmlElement>("columns-pick").remove_attribute("open");
        }
    });
    on(&by_id::<HtmlElement>("columns-steps"), "change", |event: Event| {
        if let Some(at) = number(&event, "tick") {
            send(Columned::Toggle(at));
        }
    });
    for (id, event) in [
        ("columns-changed", (|| Columned::Take(Choice::Changed)) as fn() -> Columned),
        ("columns-pointers", || Columned::Take(Choice::Pointers)),
        ("columns-ends", || Columned::Take(Choice::Ends)),
        ("columns-fold", || Columned::Fold),
        ("columns-wide", || Columned::Widen),
    ] {
        on(&by_id::<HtmlElement>(id), "click", move |_: Event| send(event()));
    }
}

/// Adds the shown version as a column, or removes it.
fn toggle_shown() {
    if let Some(at) = store::with_state(State::shown_at) {
        send(Columned::Toggle(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Columns as Window, Table};

    #[test]
    fn cells_have_the_sign_of_their_change() {
        let document = Document::new("%1 < 2\n".to_owned(), &[0, 2, 1, 1, 7]);
        let classes = ["plain".to_owned(), "value".to_owned()];
        let mut html = String::new();
        draw_cell(
            &mut html,
            &classes,
            &document,
            1,
            Cell { line: Some(0), change: Some(Mark::Added), number: 3, indent: 6 },
            20,
        );
        draw_cell(
            &mut html,
            &classes,
            &document,
            2,
            Cell { line: None, change: Some(Mark::Gone), number: 0, indent: 0 },
            20,
        );
        draw_cell(
            &mut html,
            &classes,
            &document,
            3,
            Cell { line: Some(9), change: None, number: 0, indent: 0 },
            20,
        );
        let wanted = "<div class=\"line added d3\" data-column=1><i>+</i><span class=\"t-value link\" data-span=0 data-id=7>%1</span> &lt; 2</div><div class=\"away gone d0\" data-column=2><i>−</i></div><div class=\"away  d0\" data-column=3><i></i></div>";
        assert_eq!(html, wanted);
    }

    #[test]
    fn folds_have_the_number_of_hidden_rows() {
        let table = Table::from_words(vec![4, 120, 0, 0, 0, 0, 0]);
        let window = Window { rows: 9, versions: vec![0], table, ..Window::default() };
        let mut state = State::default();
        state.columns.view.window = window;
        let mut html = String::new();
        draw_row(&mut html, &state, 0, state.columns.view.row(0).unwrap());
        assert!(html.contains("<button data-open=4>… 120 rows the same</button>"), "{html}");
    }

    #[test]
    fn heads_have_the_pass_and_the_size_of_its_change() {
        let mut state = State::default();
        let step = crate::state::PassStep { pass: "a<b".to_owned(), ..Default::default() };
        state.shown.timeline.steps = vec![step];
        let heads_of = Table::from_words(vec![9, 0, 0, 0, 0, 9, 1, 0, 12, 0]);
        state.columns.view.window = Window { versions: vec![0, 1], heads: heads_of, ..Window::default() };
        let html = heads(&state);
        assert!(html.contains("<b>input</b>") && html.contains("<b>a&lt;b</b>"), "{html}");
        assert!(html.contains("~12</i> <i class=added title=\"1 added\">+1</i>"), "{html}");
    }
}

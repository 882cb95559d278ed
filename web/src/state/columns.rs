//! Versions side by side: their choice, the rows in view, the cursor.
//!
//! The compiler holds the table; the page has a window of rows and requests another when the view leaves it. An
//! answer counts only if it belongs to the last request.

use std::ops::Range;

use vitrine_core::base::sort_by_number;
use vitrine_protocol::layout::{CellEntry, column_rows};
use vitrine_protocol::{Columns as Window, Mark};

use crate::state::{CompilerCommand, Dirty, Document, Engine, Link, Outcome, Pane, State, Tab};

/// Rows requested above and below those in view.
const SPARE: u32 = 60;
/// The largest number of columns chosen by default.
const FIRST_COLUMNS: usize = 5;

/// An event of the columns.
#[derive(Debug)]
pub enum Event {
    /// A version becomes a column, or is removed.
    Toggle(usize),
    /// All versions from the shown one to this one become columns.
    Until(usize),
    /// A predefined choice.
    Take(Choice),
    /// Gives columns the width of their longest line, or the usual width again.
    Widen,
    /// Folds rows that are the same in all columns, or unfolds them.
    Fold,
    /// Opens the fold at that row.
    Open(u32),
    /// The rows in view: the first one, and their number.
    Visible(u32, u32),
    /// A token was clicked: column and span.
    Choose(usize, usize),
    /// Moves the cursor by a key.
    Move(CellMove),
    /// Moves the cursor to the definition of the token at the cursor.
    Definition,
    /// Scrolls to a cell: its row in the table without folds, and its column.
    Show(u32, usize),
    /// Requests the text of all cells.
    Text,
}

/// A choice of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The input, and the result of each step that changed something.
    Changed,
    /// The first and the last version.
    Ends,
    /// The stages of quasi-pointers: before, lowered, analyzed, lifted.
    Pointers,
}

/// A move of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellMove {
    /// To the token on the left, in this column or another.
    Left,
    /// To the token on the right.
    Right,
    /// To the row above.
    Up,
    /// To the row below.
    Down,
}

/// State of the columns.
#[derive(Debug, Default)]
pub struct Columns {
    /// The versions, in order.
    pub chosen: Vec<usize>,
    /// True if the user chose them.
    own: bool,
    /// True if columns are as wide as their longest line.
    pub wide: bool,
    /// True if nothing is folded.
    pub unfolded: bool,
    /// Open folds, by their first row.
    opened: Vec<u32>,
    /// The rows in view: the first one, and their number.
    visible: (u32, u32),
    /// The thing that is searched for, and its column.
    pub find: Option<(u32, usize)>,
    /// The stored anchor that is searched for, and its column.
    pub find_anchor: Option<([u32; 4], usize)>,
    /// The cell that is searched for: its row in the table without folds, and its column.
    pub find_cell: Option<(u32, usize)>,
    /// Counts requests.
    pub serial: u32,
    /// The last request: revision of the input, pipeline, number of versions.
    requested: Option<(u32, String, usize)>,
    /// The last answer.
    pub view: View,
    /// The cursor: row among the shown ones, column, index of the link in the cell.
    pub cursor: Option<(u32, usize, usize)>,
    /// A row to scroll into view.
    pub reveal: Option<u32>,
    /// The column to scroll into view with it; the one of the cursor by default.
    pub reveal_column: Option<usize>,
}

/// A window of rows.
#[derive(Debug, Default)]
pub struct View {
    /// The answer of the compiler; its text is in `document`.
    pub window: Window,
    /// The lines of the cells.
    pub document: Document,
}

/// A row of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'v> {
    /// Its number in the table.
    pub number: u32,
    /// Number of rows folded into it; 0 for a single row.
    pub folded: u32,
    /// The line with the name of the part that begins here.
    pub label: Option<usize>,
    cells: &'v [CellEntry],
}

/// A cell of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The line of the document.
    pub line: Option<usize>,
    /// See [`CellEntry::change`].
    pub change: Option<Mark>,
    /// The number of its line in its version; 0 for none.
    pub number: u32,
    /// Letters of indentation that need not be shown.
    pub indent: u32,
}

impl Row<'_> {
    /// Its cells, column by column.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let cell = |of: &CellEntry| Cell {
            line: line(of.line),
            change: of.change(),
            number: of.number,
            indent: of.indent,
        };
        self.cells.iter().map(cell)
    }
}

/// Converts a line number from 1, or 0 for none.
fn line(number: u32) -> Option<usize> {
    number.checked_sub(1).map(|line| line as usize)
}

impl View {
    /// The rows of the window.
    pub fn all(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        let lines = self.document.line_count();
        column_rows(&self.window.table, self.window.versions.len()).map(move |(row, cells)| Row {
            number: row.number,
            folded: row.folded,
            label: line(row.label).filter(|line| *line < lines),
            cells,
        })
    }

    /// A row, by its index among the shown ones.
    pub fn row(&self, at: u32) -> Option<Row<'_>> {
        let here = at.checked_sub(self.window.first)? as usize;
        self.all().nth(here)
    }

    /// The rows of the window, by their indices.
    pub fn range(&self) -> Range<u32> {
        self.window.first..self.window.first + self.all().len() as u32
    }

    /// The linked spans of a cell.
    fn links(&self, at: u32, column: usize) -> Vec<usize> {
        let line = self.row(at).and_then(|row| row.cells().nth(column)).and_then(|cell| cell.line);
        let spans = line.filter(|line| *line < self.document.line_count());
        let spans = spans.map_or(0..0, |line| self.document.spans_of_line(line));
        spans.filter(|span| self.document.span(*span).link != Link::None).collect()
    }
}

impl Columns {
    /// The rows to request.
    pub fn window(&self) -> Range<u32> {
        let (first, count) = self.visible;
        first.saturating_sub(SPARE)..first.saturating_add(count).saturating_add(SPARE)
    }

    /// Open folds, by their first row.
    pub fn opened(&self) -> &[u32] {
        &self.opened
    }

    /// The versions, if the user chose them.
    pub fn own_choice(&self) -> Vec<u32> {
        if self.own { self.chosen.iter().map(|at| *at as u32).collect() } else { Vec::new() }
    }

    /// Takes the choice of a stored view for a revision of the input.
    pub fn restore(&mut self, chosen: &[u32], unfolded: bool, revision: u32) {
        self.own = !chosen.is_empty();
        self.chosen = chosen.iter().map(|at| *at as usize).collect();
        self.unfolded = unfolded;
        self.requested = Some((revision, String::new(), usize::MAX));
    }

    /// The span at the cursor.
    pub fn cursor_span(&self) -> Option<usize> {
        let (row, column, nth) = self.cursor?;
        self.view.links(row, column).get(nth).copied()
    }

    /// Returns true if the last request is not answered yet.
    pub fn is_stale(&self) -> bool {
        self.view.window.serial != self.serial
    }
}

/// Changes the state by an event.
pub(super) fn update(state: &mut State, event: Event) -> Dirty {
    let last = state.shown.timeline.last();
    let columns = &mut state.columns;
    // A row is scrolled into view a single time.
    (columns.reveal, columns.reveal_column) = (None, None);
    match event {
        Event::Show(row, column) => {
            columns.find_cell = Some((row, column));
            columns.find = None;
            request(state)
        }
        Event::Text => {
            state.queue(CompilerCommand::ColumnsText);
            Dirty::empty()
        }
        Event::Toggle(at) => {
            let mut chosen = columns.chosen.clone();
            match chosen.binary_search(&at) {
                // At least one column remains.
                Ok(place) if chosen.len() > 1 => drop(chosen.remove(place)),
                Ok(_) => {}
                Err(place) => chosen.insert(place, at),
            }
            take(state, chosen)
        }
        Event::Until(at) => {
            let here = state.shown.timeline.at;
            let between = here.min(at)..=here.max(at);
            let mut chosen: Vec<usize> = columns.chosen.iter().copied().chain(between).collect();
            sort_by_number(&mut chosen, |&at| at as u64);
            chosen.dedup();
            take(state, chosen)
        }
        Event::Take(Choice::Ends) => take(state, if last > 0 { vec![0, last] } else { vec![0] }),
        Event::Take(Choice::Pointers) => pointers(state),
        Event::Take(Choice::Changed) => {
            let chosen = changed(state);
            take(state, chosen)
        }
        Event::Widen => {
            columns.wide = !columns.wide;
            request(state)
        }
        Event::Fold => {
            columns.unfolded = !columns.unfolded;
            columns.opened.clear();
            columns.cursor = None;
            columns.reveal = Some(0);
            request(state)
        }
        Event::Open(row) => {
            columns.opened.push(row);
            request(state)
        }
        Event::Visible(first, count) => {
            columns.visible = (first, count);
            let here = columns.view.range();
            let end = (first + count).min(columns.view.window.rows);
            match here.start <= first && end <= here.end || columns.is_stale() {
                true => Dirty::empty(),
                false => request(state),
            }
        }
        Event::Choose(column, span) => clicked(state, column, span),
        Event::Move(cell_move) => moved(state, cell_move),
        Event::Definition => {
            let (Some((_, column, _)), Some(span)) = (columns.cursor, columns.cursor_span()) else {
                return open_fold(state);
            };
            find(state, column, span)
        }
    }
}

/// Shows two versions side by side, at an event of one of them.
pub(super) fn beside(state: &mut State, versions: [usize; 2], event: Option<([u32; 4], usize)>) -> Dirty {
    state.pane = Pane::Output;
    let shown = match state.tab {
        Tab::Columns => Dirty::empty(),
        Tab::Ir | Tab::Changes | Tab::Target | Tab::Memory => super::update::show_tab(state, Tab::Columns),
    };
    let taken = take(state, versions.to_vec());
    let columns = &mut state.columns;
    columns.requested = Some((state.input.revision, state.pipeline.clone(), state.shown.timeline.last()));
    (columns.find, columns.find_cell, columns.find_anchor) = (None, None, event);
    shown | taken | request(state)
}

/// Requests rows if the shown versions changed; called after every message.
pub(super) fn follow(state: &mut State) -> Dirty {
    if matches!(state.engine, Engine::Starting | Engine::Recovering(_) | Engine::Down) {
        // A restarted compiler has no table, and other numbers for things.
        if let Some((_, _, versions)) = &mut state.columns.requested {
            *versions = usize::MAX;
        }
    }
    if state.tab != Tab::Columns || state.engine != Engine::Idle || !state.shown.any {
        return Dirty::empty();
    }
    let last = state.shown.timeline.last();
    let now = (state.input.revision, state.pipeline.clone(), last);
    if state.columns.requested == Some(now.clone()) {
        return Dirty::empty();
    }
    let columns = &mut state.columns;
    columns.chosen.retain(|at| *at <= last);
    let same_input = columns.requested.as_ref().is_some_and(|requested| requested.0 == now.0);
    columns.own &= same_input && !columns.chosen.is_empty();
    columns.requested = Some(now);
    columns.opened.clear();
    columns.cursor = None;
    columns.reveal = Some(0);
    if !state.columns.own {
        state.columns.chosen = first_choice(state);
    }
    request(state)
}

/// The input and every step that changed something.
fn changed(state: &State) -> Vec<usize> {
    let steps = state.shown.timeline.steps.iter().enumerate();
    let changed = steps.filter(|(_, step)| step.outcome != Outcome::Unchanged).map(|(at, _)| at + 1);
    [0].into_iter().chain(changed).collect()
}

/// The pipeline for quasi-pointers.
const POINTERS: &str = "ingest, qptr";

/// Shows the stages of quasi-pointers; if the pipeline has none, the input opens beside with one that does.
fn pointers(state: &mut State) -> Dirty {
    let chosen = of_pointers(state);
    if chosen.is_empty() {
        // The default choice of columns is then the stages.
        return super::keep::beside(state, " · quasi-pointers", POINTERS, Tab::Columns);
    }
    let shown = match state.tab {
        Tab::Columns => Dirty::empty(),
        _ => super::update::show_tab(state, Tab::Columns),
    };
    shown | take(state, chosen)
}

/// The version before the first pass on untyped pointers, and those after each pass that changed something; empty if there is
/// no such pass.
fn of_pointers(state: &State) -> Vec<usize> {
    let steps = (1..).zip(&state.shown.timeline.steps).filter(|(_, step)| step.pass.starts_with("qptr-"));
    let steps: Vec<(usize, Outcome)> = steps.map(|(at, step)| (at, step.outcome)).collect();
    // If no pass changed anything, the versions after all of them.
    let any = steps.iter().any(|(_, outcome)| *outcome != Outcome::Unchanged);
    let worth = steps.iter().filter(|(_, outcome)| !any || *outcome != Outcome::Unchanged);
    let made: Vec<usize> = worth.map(|(at, _)| *at).collect();
    let given = made.first().map(|at| at - 1);
    given.into_iter().chain(made).collect()
}

/// A few of the changed versions, evenly spread, the first and last among them; or the stages of quasi-pointers, if
/// there are any.
fn first_choice(state: &State) -> Vec<usize> {
    let pointers = of_pointers(state);
    if (1..=FIRST_COLUMNS).contains(&pointers.len()) {
        return pointers;
    }
    let all = changed(state);
    let most = all.len().min(FIRST_COLUMNS);
    let spread = |at: usize| all[at * (all.len() - 1) / (most - 1).max(1)];
    let mut chosen: Vec<usize> = (0..most).map(spread).collect();
    chosen.dedup();
    chosen
}

fn take(state: &mut State, chosen: Vec<usize>) -> Dirty {
    let columns = &mut state.columns;
    columns.own = true;
    if columns.chosen == chosen {
        return Dirty::empty();
    }
    columns.chosen = chosen;
    // The rows have other numbers now.
    columns.opened.clear();
    columns.cursor = None;
    request(state)
}

fn request(state: &mut State) -> Dirty {
    state.columns.serial += 1;
    // The compiler answers in order; while it is busy, `follow` sends the request later.
    state.queue(CompilerCommand::Columns);
    Dirty::COLUMNS
}

/// Takes rows of the compiler.
pub(super) fn answered(state: &mut State, mut window: Window) -> Dirty {
    let columns = &mut state.columns;
    if window.serial != columns.serial {
        return Dirty::empty();
    }
    let document = Document::of(std::mem::take(&mut window.text));
    columns.opened.clone_from(&window.opened_folds);
    columns.view = View { window, document };
    if let Some((_, column)) = columns.find_cell.take()
        && let Some(row) = columns.view.window.found
    {
        (columns.reveal, columns.reveal_column) = (Some(row), Some(column));
    }
    if let Some((_, column)) = columns.find_anchor.take()
        && let Some(row) = columns.view.window.found
    {
        columns.reveal = Some(row);
        columns.cursor = Some((row, column, 0));
    }
    if let Some((id, column)) = columns.find.take()
        && let Some(row) = columns.view.window.found
    {
        columns.reveal = Some(row);
        let links = columns.view.links(row, column);
        let nth = links.iter().position(|span| columns.view.document.span(*span).link == Link::Def(id));
        // If the definition is not in the window yet, the cursor is on the first link of its line until the window arrives.
        columns.cursor = Some((row, column, nth.unwrap_or(0)));
    }
    Dirty::COLUMNS | Dirty::LINKS
}

/// A click chooses a token; on a use it moves to the definition, in the same column.
fn clicked(state: &mut State, column: usize, span: usize) -> Dirty {
    let view = &state.columns.view;
    let link = view.document.span(span).link;
    let Some(id) = link.id() else { return Dirty::empty() };
    let line = view.document.line_of(span);
    let row = view.range().find(|at| {
        view.row(*at).is_some_and(|row| row.cells().nth(column).is_some_and(|cell| cell.line == Some(line)))
    });
    let nth = row.map(|row| view.links(row, column).iter().position(|of| *of == span).unwrap_or(0));
    state.columns.cursor = row.zip(nth).map(|(row, nth)| (row, column, nth));
    let chosen = super::update::choose_id(state, Some(id));
    match link {
        Link::Use(_) => chosen | find(state, column, span),
        Link::Def(_) | Link::None => chosen | Dirty::COLUMNS,
    }
}

/// Scrolls to the definition of a thing, in the column of the shown version or of the cursor.
pub(super) fn show(state: &mut State, id: u32) -> Dirty {
    if state.tab != Tab::Columns {
        return Dirty::empty();
    }
    let at = state.shown.timeline.at;
    let columns = &mut state.columns;
    let of_shown = columns.chosen.iter().position(|version| *version == at);
    let column = of_shown.or(columns.cursor.map(|(_, column, _)| column)).unwrap_or(0);
    columns.find = Some((id, column));
    request(state)
}

fn find(state: &mut State, column: usize, span: usize) -> Dirty {
    let id = state.columns.view.document.span(span).link.id();
    state.columns.find = id.map(|id| (id, column));
    if id.is_some() { request(state) } else { Dirty::empty() }
}

fn open_fold(state: &mut State) -> Dirty {
    let columns = &state.columns;
    let row = columns.cursor.and_then(|(row, ..)| columns.view.row(row));
    match row.filter(|row| row.folded > 0).map(|row| row.number) {
        Some(number) => update(state, Event::Open(number)),
        None => Dirty::empty(),
    }
}

/// Moves the cursor from token to token in a row, and from row to row.
fn moved(state: &mut State, cell_move: CellMove) -> Dirty {
    let columns = &state.columns;
    let view = &columns.view;
    let width = view.window.versions.len();
    let Some((row, column, nth)) = columns.cursor.filter(|(row, ..)| view.range().contains(row)) else {
        let (first, count) = columns.visible;
        let stops =
            |row: &u32| !view.links(*row, 0).is_empty() || view.row(*row).is_some_and(|row| row.folded > 0);
        let start = (first..first + count).find(stops).unwrap_or(first);
        return place(state, (start, 0, 0));
    };
    let to = match cell_move {
        CellMove::Left if nth > 0 => Some((row, column, nth - 1)),
        CellMove::Left => (0..column).rev().find_map(|column| {
            let links = view.links(row, column).len();
            (links > 0).then(|| (row, column, links - 1))
        }),
        CellMove::Right if nth + 1 < view.links(row, column).len() => Some((row, column, nth + 1)),
        CellMove::Right => {
            let mut further = column + 1..width;
            further.find(|column| !view.links(row, *column).is_empty()).map(|column| (row, column, 0))
        }
        // The cursor stops at a fold, so that it can be opened.
        CellMove::Down | CellMove::Up => {
            let stops = |row: &u32| {
                !view.links(*row, column).is_empty() || view.row(*row).is_some_and(|row| row.folded > 0)
            };
            let found = match cell_move {
                CellMove::Down => (row + 1..view.range().end).find(stops),
                CellMove::Up | CellMove::Left | CellMove::Right => {
                    (view.range().start..row).rev().find(stops)
                }
            };
            found.map(|row| (row, column, nth.min(view.links(row, column).len().saturating_sub(1))))
        }
    };
    to.map_or(Dirty::empty(), |to| place(state, to))
}

fn place(state: &mut State, to: (u32, usize, usize)) -> Dirty {
    state.columns.cursor = Some(to);
    state.columns.reveal = Some(to.0);
    state.hover = None;
    let span = state.columns.cursor_span();
    let id = span.and_then(|span| state.columns.view.document.span(span).link.id());
    super::update::choose_id(state, id) | Dirty::COLUMNS
}

#[cfg(test)]
mod tests;

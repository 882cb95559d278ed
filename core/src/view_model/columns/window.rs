//! A window of a table: a range of rows, with runs of equal rows folded, as one text and flat numbers.

use super::super::linked::{Numbers, StyledText};
use super::Columns;
use crate::back::picture::rows::{NONE, RowFacts, common_indent, folded, near};
use crate::ir::Anchor;
use crate::text::{Class, Link};
use std::collections::BTreeSet;

/// Numbers of a row of [`Window::table`] before those of its columns, and for each column.
const ROW_WORDS: usize = 3;
const CELL_WORDS: usize = 4;

/// A request for a window of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The versions, in the order of the columns.
    pub versions: Vec<usize>,
    /// If set, runs of rows that are equal in all columns are folded.
    pub fold: bool,
    /// Open folds, by their first row.
    pub opened: Vec<u32>,
    /// The first visible row of the window.
    pub first: u32,
    /// The end of the window, exclusive.
    pub last: u32,
    /// The number of an anchor to find, and its column.
    pub find: Option<(u32, usize)>,
    /// A row to find, if no anchor is.
    pub find_row: Option<u32>,
}

/// A window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The existing versions.
    pub versions: Vec<u32>,
    /// The number of visible rows in total. A fold counts as one.
    pub rows: u32,
    /// The first row of this window.
    pub first: u32,
    /// Five numbers a column: letters of its longest line, rows that are new, removed, changed, moved
    /// compared to the column before.
    pub heads: Vec<u32>,
    /// The lines of the cells, row by row, with their indentation.
    pub text: StyledText,
    /// The rows: number of the row, rows folded into it (0 for a visible row), line of `text` plus 1 that
    /// names the block, structure or function that begins here (0 for none). Then for each column: line of
    /// `text` plus 1 (0 for none), its change (a [`Mark`](super::super::Mark); 5 in the first column of a row
    /// with a difference), number of the line in its version, from 1 (0 for none), letters of indentation that all lines of
    /// the column have between two folds.
    pub table: Vec<u32>,
    /// The visible row of the anchor or row to find.
    pub found: Option<u32>,
    /// Open folds.
    pub opened: Vec<u32>,
}

/// The visible rows.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The options they were computed for.
    of: Option<(bool, Vec<u32>)>,
    /// A row, and the number of rows folded into it.
    rows: Vec<(u32, u32)>,
    /// The visible row after a range without folds, and the common indentation of each column in the range.
    indents: Vec<(usize, Vec<u32>)>,
}

impl Columns {
    /// A window. Linear in its size, and in the rows where folds were opened or closed.
    pub(in super::super) fn view(&mut self, ask: &Ask, numbers: &mut Numbers) -> Window {
        let mut opened = ask.opened.clone();
        let wanted = match ask.find {
            Some((number, column)) => {
                numbers.anchor(number).and_then(|anchor| self.definition(column, anchor))
            }
            None => ask.find_row.filter(|row| *row < self.row_count()),
        };
        self.show(ask.fold, &opened);
        let mut found = wanted.map(|row| self.shown_at(row));
        if let (Some(row), Some(Some(&(first, count)))) = (wanted, found.map(|at| self.shown.rows.get(at)))
            && count > 0
        {
            opened.push(first);
            self.show(ask.fold, &opened);
            found = Some(self.shown_at(row));
        }
        let rows = self.shown.rows.len() as u32;
        let (first, last) = (ask.first.min(rows), ask.last.min(rows));
        let mut view = Window {
            versions: self.versions.iter().map(|&at| at as u32).collect(),
            rows,
            first,
            heads: self.columns.iter().flat_map(|of| [of.widest].into_iter().chain(of.counts)).collect(),
            found: found.map(|at| at as u32),
            opened,
            ..Window::default()
        };
        view.table
            .reserve(last.saturating_sub(first) as usize * (ROW_WORDS + CELL_WORDS * self.columns.len()));
        let mut owner = None;
        let rows = self.shown.rows.get(first as usize..last as usize).unwrap_or(&[]);
        for (at, &(row, count)) in (first as usize..).zip(rows) {
            let range = self.shown.indents.partition_point(|(end, _)| *end <= at);
            let indents = self.shown.indents.get(range).map_or(&[][..], |(_, indents)| indents);
            self.put_row((row, count), indents, &mut owner, &mut view, numbers);
        }
        view
    }

    /// The lines of all cells, row by row, each on a line of its own; a cell without a line is an empty one. For searches.
    ///
    /// Linear in the cells of the table.
    pub(in super::super) fn text(&self) -> String {
        let mut text = String::new();
        for row in 0..self.row_count() {
            for column in 0..self.columns.len() {
                if let Some((part, line)) = self.cell(row, column).and_then(|cell| cell.line) {
                    text.push_str(part.line(line));
                }
                text.push('\n');
            }
        }
        text
    }

    fn put_row(
        &self,
        (row, count): (u32, u32),
        indents: &[u32],
        before: &mut Option<Anchor>,
        view: &mut Window,
        numbers: &mut Numbers,
    ) {
        let columns = 0..self.columns.len();
        let owner = columns.clone().find_map(|column| self.owner(row, column));
        let label = if owner == *before { 0 } else { put_label(owner, &mut view.text, numbers) };
        *before = owner;
        view.table.extend([row, count, label]);
        for column in columns {
            let is_lone = column == 0 && self.same.get(row as usize) != Some(&true);
            let line = self.line(row, column);
            let mark = if is_lone && line != NONE { 5 } else { self.mark(row, column) as u32 };
            if count > 0 || line == NONE {
                view.table.extend([0, mark, 0, 0]);
                continue;
            }
            self.put_line(row, column, &mut view.text, numbers);
            view.text.marks.push(mark as u8);
            let indent = indents.get(column).copied().unwrap_or(0);
            view.table.extend([view.text.marks.len() as u32, mark, line + 1, indent]);
        }
    }

    fn put_line(&self, row: u32, column: usize, out: &mut StyledText, numbers: &mut Numbers) {
        if let Some((part, line)) = self.cell(row, column).and_then(|cell| cell.line) {
            let start = part.lines.get(line).map_or(0, |line| line.start);
            for run in part.ranges_of(line) {
                let (kind, number) = match run.link {
                    Link::None => (0, 0),
                    Link::Def(anchor) => (1, numbers.number(anchor)),
                    Link::Use(anchor) => (2, numbers.number(anchor)),
                };
                let at = out.text.len() as u32 + run.start - start;
                out.runs.extend([at, run.len, run.class as u32, kind, number]);
            }
            out.text.push_str(part.line(line));
        }
        out.text.push('\n');
    }

    fn owner(&self, row: u32, column: usize) -> Option<Anchor> {
        let (part, line) = self.cell(row, column)?.line?;
        part.lines.get(line)?.owner
    }

    /// Computes the visible rows.
    fn show(&mut self, fold: bool, opened: &[u32]) {
        let of = Some((fold, opened.to_vec()));
        if self.shown.of == of {
            return;
        }
        let opened: BTreeSet<u32> = opened.iter().copied().collect();
        let rows = match fold && self.columns.len() > 1 {
            true => folded(&near(self.facts()), |row| opened.contains(&row)),
            false => (0..self.row_count()).map(|row| (row, 0)).collect(),
        };
        let indents = self.indents(&rows);
        self.shown = Shown { of, rows, indents };
    }

    /// The common indentation of each column in the ranges of rows between folds.
    fn indents(&self, rows: &[(u32, u32)]) -> Vec<(usize, Vec<u32>)> {
        let mut out = Vec::new();
        let mut end = 0;
        for range in rows.split_inclusive(|(_, count)| *count > 0) {
            end += range.len();
            let lines = range.iter().filter(|(_, count)| *count == 0);
            let of = |column: usize| {
                let cells = lines.clone().filter_map(|&(row, _)| self.cell(row, column)?.line);
                common_indent(cells.map(|(part, line)| part.line(line))) as u32
            };
            out.push((end, (0..self.columns.len()).map(of).collect()));
        }
        out
    }

    /// The facts of all rows.
    fn facts(&self) -> impl Iterator<Item = RowFacts> + '_ {
        let mut part = self.parts.iter().copied().peekable();
        (0..self.row_count()).map(move |row| {
            let about = (0..self.columns.len()).find_map(|column| {
                let (part, line) = self.cell(row, column)?.line?;
                part.lines.get(line)?.key.about
            });
            let owner = || (0..self.columns.len()).find_map(|column| self.owner(row, column));
            RowFacts {
                same: self.same.get(row as usize) == Some(&true),
                begins: part.next_if(|&start| start <= row).is_some(),
                blank: self.cell(row, 0).is_some_and(|cell| cell.words().is_empty()),
                heads: matches!(about, Some(Anchor::Block(..) | Anchor::Struct(_))) && about == owner(),
            }
        })
    }

    /// The index of a row among the visible ones.
    fn shown_at(&self, row: u32) -> usize {
        self.shown.rows.partition_point(|&(first, _)| first <= row).saturating_sub(1)
    }
}

/// Writes the owner of lines on a separate line; returns the number of the line, from 1.
fn put_label(owner: Option<Anchor>, out: &mut StyledText, numbers: &mut Numbers) -> u32 {
    let (class, spelled) = match owner {
        Some(Anchor::Block(_, block)) => (Class::Block, block.to_string()),
        Some(Anchor::Func(func)) => (Class::Name, func.to_string()),
        Some(Anchor::Struct(id)) => (Class::Type, id.to_string()),
        Some(_) | None => return 0,
    };
    let number = owner.map_or(0, |anchor| numbers.number(anchor));
    out.runs.extend([out.text.len() as u32, spelled.len() as u32, class as u32, 2, number]);
    out.text.push_str(&spelled);
    out.text.push('\n');
    out.marks.push(0);
    out.marks.len() as u32
}

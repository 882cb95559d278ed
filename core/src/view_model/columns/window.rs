//! A window of a table: a range of rows, with runs of equal rows folded, as one text and a table of cells.

use super::super::linked::{Numbers, StyledText, span, styled};
use super::super::numbers::from_words;
use super::{Aligned, Column};
use crate::back::picture::rows::{NONE, RowFacts, common_indent, folded, near};
use crate::ir::Anchor;
use crate::text::{Class, Link};
use std::collections::BTreeSet;
use vitrine_protocol::layout::{
    CellEntry, ColumnEntry, ColumnRows, FIRST_OF_DIFFERENCE, RowEntry, SpanEntry,
};
use vitrine_protocol::{Columns, ColumnsRequest, Table};

/// The text and the rows of a window under construction.
struct Window {
    text: String,
    spans: Vec<SpanEntry>,
    /// Number of lines of the text.
    lines: u32,
    rows: ColumnRows,
    /// The cells of the current row.
    cells: Vec<CellEntry>,
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

impl Aligned {
    /// A window. Linear in its size, and in the rows where folds were opened or closed.
    pub(in super::super) fn view(&mut self, request: &ColumnsRequest, numbers: &mut Numbers) -> Columns {
        let mut opened = request.opened_folds.clone();
        let find = match request.find_anchor {
            Some((anchor, column)) => Some((numbers.number(from_words(anchor)), column)),
            None => request.find,
        };
        let wanted = match find {
            Some((number, column)) => {
                numbers.anchor(number).and_then(|anchor| self.definition(column as usize, anchor))
            }
            None => request.find_row.filter(|row| *row < self.row_count()),
        };
        self.show(request.fold, &opened);
        let mut found = wanted.map(|row| self.shown_at(row));
        if let (Some(row), Some(Some(&(first, count)))) = (wanted, found.map(|at| self.shown.rows.get(at)))
            && count > 0
        {
            opened.push(first);
            self.show(request.fold, &opened);
            found = Some(self.shown_at(row));
        }
        let rows = self.shown.rows.len() as u32;
        let (first, last) = (request.first.min(rows), request.last.min(rows));
        let (text, table) = self.window(first as usize, last as usize, numbers);
        let heads: Vec<ColumnEntry> = self.columns.iter().map(Column::head).collect();
        Columns {
            serial: request.serial,
            rows,
            first,
            found: found.map(|at| at as u32),
            versions: self.versions.clone(),
            heads: Table::of_all(heads),
            opened_folds: opened,
            text,
            table,
            tenths_ms: 0,
        }
    }

    /// The text and the rows of a range of visible rows.
    fn window(&self, first: usize, last: usize, numbers: &mut Numbers) -> (StyledText, Table<[u32; 1]>) {
        let mut window = Window {
            text: String::new(),
            spans: Vec::new(),
            lines: 0,
            rows: ColumnRows::with_capacity(last.saturating_sub(first), self.columns.len()),
            cells: Vec::with_capacity(self.columns.len()),
        };
        let mut owner = None;
        let rows = self.shown.rows.get(first..last).unwrap_or(&[]);
        for (at, &(row, count)) in (first..).zip(rows) {
            let range = self.shown.indents.partition_point(|(end, _)| *end <= at);
            let indents = self.shown.indents.get(range).map_or(&[][..], |(_, indents)| indents);
            self.put_row((row, count), indents, &mut owner, &mut window, numbers);
        }
        (styled(window.text, window.spans), window.rows.finish())
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
        window: &mut Window,
        numbers: &mut Numbers,
    ) {
        let columns = 0..self.columns.len();
        let owner = columns.clone().find_map(|column| self.owner(row, column));
        let label = if owner == *before { 0 } else { put_label(owner, window, numbers) };
        *before = owner;
        window.cells.clear();
        for column in columns {
            let is_lone = column == 0 && self.same.get(row as usize) != Some(&true);
            let line = self.line(row, column);
            let mark =
                if is_lone && line != NONE { FIRST_OF_DIFFERENCE } else { self.mark(row, column) as u32 };
            if count > 0 || line == NONE {
                window.cells.push(CellEntry { line: 0, mark, number: 0, indent: 0 });
                continue;
            }
            self.put_line(row, column, window, numbers);
            let indent = indents.get(column).copied().unwrap_or(0);
            window.cells.push(CellEntry { line: window.lines, mark, number: line + 1, indent });
        }
        window.rows.push(RowEntry { number: row, folded: count, label }, &window.cells);
    }

    fn put_line(&self, row: u32, column: usize, out: &mut Window, numbers: &mut Numbers) {
        if let Some((part, line)) = self.cell(row, column).and_then(|cell| cell.line) {
            let start = part.lines.get(line).map_or(0, |line| line.start);
            for run in part.ranges_of(line) {
                let at = out.text.len() + (run.start - start) as usize;
                out.spans.push(span(at, run.len as usize, run.class, run.link, numbers));
            }
            out.text.push_str(part.line(line));
        }
        out.end_line();
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

impl Column {
    fn head(&self) -> ColumnEntry {
        let [added, gone, changed, moved] = self.counts;
        ColumnEntry { widest: self.widest, added, gone, changed, moved }
    }
}

impl Window {
    fn end_line(&mut self) {
        self.text.push('\n');
        self.lines += 1;
    }
}

/// Writes the owner of lines on a separate line; returns the number of the line, from 1.
fn put_label(owner: Option<Anchor>, out: &mut Window, numbers: &mut Numbers) -> u32 {
    let (class, spelled, anchor) = match owner {
        Some(anchor @ Anchor::Block(_, block)) => (Class::Block, block.to_string(), anchor),
        Some(anchor @ Anchor::Func(func)) => (Class::Name, func.to_string(), anchor),
        Some(anchor @ Anchor::Struct(id)) => (Class::Type, id.to_string(), anchor),
        Some(_) | None => return 0,
    };
    out.spans.push(span(out.text.len(), spelled.len(), class, Link::Use(anchor), numbers));
    out.text.push_str(&spelled);
    out.end_line();
    out.lines
}

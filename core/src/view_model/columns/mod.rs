//! Any number of versions side by side: one row per line, aligned by definitions, never by words.
//!
//! A table is built once for a choice of versions. It is displayed in windows of rows, so that the cost of
//! display does not depend on the size of the module. Parts that versions share (a function that no pass
//! changed) are printed once, and parts shared with the previous table are not printed again.
//!
//! Refuses to decide which versions get a column, and the width of a column.

mod window; // the visible part of a table

use super::linked::Mark;
use crate::back::picture::rows::{NONE, Part, Slot, merge};
use crate::ir::{Anchor, Func, FuncBody, Module};
use crate::pipeline::Trace;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Some versions as a table.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    /// The versions, in the order of the columns.
    versions: Vec<u32>,
    columns: Vec<Column>,
    /// A line of each column for each row, row after row.
    cells: Vec<u32>,
    /// For each row, true if all columns are equal.
    same: Vec<bool>,
    /// Rows of definitions with several rows, each with the others.
    moved: BTreeMap<u32, Vec<u32>>,
    /// First rows of parts, in order.
    parts: Vec<u32>,
    /// The visible rows.
    shown: window::Shown,
}

/// A version.
#[derive(Debug, Default)]
struct Column {
    /// Its parts, each with the number of its first line.
    parts: Vec<(Slot, Rc<Part>, u32)>,
    /// Lines, the empty ones between parts counted.
    lines: u32,
    /// Letters of its longest line.
    widest: u32,
    /// Rows that are new, removed, changed and moved, compared to the column to the left.
    counts: [u32; 4],
}

/// The content of a cell.
#[derive(Clone, Copy)]
struct Cell<'a> {
    /// The part, and the line in it; none for an empty line between parts.
    line: Option<(&'a Part, usize)>,
}

impl Cell<'_> {
    fn words(&self) -> &str {
        self.line.map_or("", |(part, line)| part.words(line))
    }
}

impl Aligned {
    /// The versions of the table.
    pub(super) fn versions(&self) -> &[u32] {
        &self.versions
    }

    /// The table of some versions; those the trace does not have are left out. `before` is a table of the
    /// same trace, whose parts are reused.
    ///
    /// Linear in the text of the versions, shared parts counted once, and in rows times columns.
    pub(super) fn of(input: &Module, trace: Option<&Trace>, versions: &[u32], before: &Aligned) -> Aligned {
        let module = |at: usize| match (trace, at) {
            (Some(trace), at) => trace.version(at),
            (None, 0) => Some(input),
            (None, _) => None,
        };
        let mut table = Aligned::default();
        let mut last: Option<(&Module, usize)> = None;
        for &version in versions {
            let Some(module) = module(version as usize) else { continue };
            let known = before.versions.iter().position(|&at| at == version);
            let known = known.and_then(|at| before.columns.get(at));
            let left = last.and_then(|(module, at)| Some((module, table.columns.get(at)?)));
            let column = Column::of(module, known, left);
            last = Some((module, table.columns.len()));
            table.columns.push(column);
            table.versions.push(version);
        }
        table.merge();
        table.compare();
        table
    }

    /// Puts the rows of all parts below each other.
    fn merge(&mut self) {
        let mut slots: Vec<Slot> =
            self.columns.iter().flat_map(|column| column.parts.iter().map(|part| part.0)).collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let found = |column: &Column| {
                let at = column.parts.binary_search_by_key(&slot, |part| part.0).ok()?;
                column.parts.get(at).map(|(_, part, first)| (part.clone(), *first))
            };
            let of_slot: Vec<Option<(Rc<Part>, u32)>> = self.columns.iter().map(found).collect();
            // The empty line above a part is the part's.
            let is_below =
                |part: &Option<(Rc<Part>, u32)>| part.as_ref().is_some_and(|&(_, first)| first > 0);
            self.parts.push(self.row_count());
            if of_slot.iter().any(is_below) {
                let blank = |part: &Option<(Rc<Part>, u32)>| match part {
                    Some((_, first)) if *first > 0 => first - 1,
                    Some(_) | None => NONE,
                };
                self.cells.extend(of_slot.iter().map(blank));
            }
            let base = self.row_count();
            let parts: Vec<Option<Rc<Part>>> =
                of_slot.iter().map(|part| part.as_ref().map(|(part, _)| part.clone())).collect();
            let firsts: Vec<u32> =
                of_slot.iter().map(|part| part.as_ref().map_or(0, |part| part.1)).collect();
            let rows = merge(&parts);
            self.cells.reserve(rows.cells.len());
            for row in rows.cells.chunks_exact(firsts.len()) {
                let global = |(&line, &first): (&u32, &u32)| if line == NONE { NONE } else { first + line };
                self.cells.extend(row.iter().zip(&firsts).map(global));
            }
            let shift = |(row, others): (u32, Vec<u32>)| {
                (row + base, others.into_iter().map(|other| other + base).collect())
            };
            self.moved.extend(rows.moved.into_iter().map(shift));
        }
    }

    /// Computes for every row if all columns are equal, and counts the differences.
    fn compare(&mut self) {
        let mut counts = vec![[0; 4]; self.columns.len()];
        let mut same = Vec::with_capacity(self.row_count() as usize);
        for row in 0..self.row_count() {
            let mut all = self.cell(row, 0).is_some();
            for (column, counts) in counts.iter_mut().enumerate().skip(1) {
                let mark = self.mark(row, column);
                all &= mark == Mark::Same && self.cell(row, column).is_some();
                match (mark as usize).checked_sub(1) {
                    // A moved definition is counted at its new row only.
                    Some(3) if self.cell(row, column).is_none() => {}
                    Some(which) => counts[which] += u32::from(!self.is_blank(row, column)),
                    None => {}
                }
            }
            same.push(all);
        }
        self.same = same;
        self.columns.iter_mut().zip(counts).for_each(|(column, counts)| column.counts = counts);
    }

    fn is_blank(&self, row: u32, column: usize) -> bool {
        let cell = self.cell(row, column).or_else(|| self.cell(row, column.saturating_sub(1)));
        cell.is_none_or(|cell| cell.words().is_empty())
    }

    fn row_count(&self) -> u32 {
        (self.cells.len() / self.columns.len().max(1)) as u32
    }

    /// The number of a cell's line in its version.
    fn line(&self, row: u32, column: usize) -> u32 {
        self.cells.get(row as usize * self.columns.len() + column).copied().unwrap_or(NONE)
    }

    fn cell(&self, row: u32, column: usize) -> Option<Cell<'_>> {
        let line = self.line(row, column);
        if line == NONE {
            return None;
        }
        let parts = &self.columns.get(column)?.parts;
        let at = parts.partition_point(|&(.., first)| first <= line);
        let part = at.checked_sub(1).and_then(|at| parts.get(at));
        let inside = part.map(|(_, part, first)| (&**part, (line - first) as usize));
        Some(Cell { line: inside.filter(|(part, line)| *line < part.lines.len()) })
    }

    /// The change of a row from the column to the left to this one; for a cell without a line, the change of
    /// the line to the left.
    fn mark(&self, row: u32, column: usize) -> Mark {
        let Some(left) = column.checked_sub(1) else { return Mark::Same };
        let elsewhere = |column: usize| {
            let others = self.moved.get(&row).into_iter().flatten();
            others.into_iter().any(|&other| self.line(other, column) != NONE)
        };
        match (self.cell(row, left), self.cell(row, column)) {
            (None, None) => Mark::Same,
            (Some(old), Some(new)) if is_shared(&old, &new) || old.words() == new.words() => Mark::Same,
            (Some(_), Some(_)) => Mark::Changed,
            (None, Some(_)) if elsewhere(left) => Mark::Moved,
            (None, Some(_)) => Mark::Added,
            (Some(_), None) if elsewhere(column) => Mark::Moved,
            (Some(_), None) => Mark::Gone,
        }
    }

    /// The row in which a column has a definition. Linear in the tokens of the column.
    fn definition(&self, column: usize, anchor: Anchor) -> Option<u32> {
        let parts = self.columns.get(column)?.parts.iter();
        let mut found = parts.filter_map(|(_, part, first)| Some(first + part.definition(anchor)? as u32));
        let line = found.next()?;
        (0..self.row_count()).find(|&row| self.line(row, column) == line)
    }
}

fn is_shared(old: &Cell<'_>, new: &Cell<'_>) -> bool {
    match (old.line, new.line) {
        (Some((old, a)), Some((new, b))) => a == b && std::ptr::eq(old, new),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

impl Column {
    /// Prints a version. Parts are reused from `known`, the same version in a table before, and from the
    /// version to the left.
    fn of(module: &Module, known: Option<&Column>, left: Option<(&Module, &Column)>) -> Column {
        let mut column = Column::default();
        if let Some(known) = known {
            (column.parts, column.lines) = (known.parts.clone(), known.lines);
            column.widest = known.widest;
            return column;
        }
        // The text of a function depends on declarations of the module: names, types, its variables.
        let left = left.filter(|(before, _)| same_declarations(before, module));
        let shared = |slot: Slot| {
            let (before, left) = left?;
            let is_same = match slot {
                Slot::Head => before.facts == module.facts && before.entries == module.entries,
                Slot::Func(func) => before.func(func)?.same_version(module.func(func)?),
                Slot::Tail => before.decors == module.decors && same_debug_table(before, module),
            };
            let at = left.parts.binary_search_by_key(&slot, |part| part.0).ok()?;
            left.parts.get(at).filter(|_| is_same).map(|part| part.1.clone())
        };
        let funcs = module.funcs().map(|(func, _)| Slot::Func(func));
        for slot in [Slot::Head].into_iter().chain(funcs).chain([Slot::Tail]) {
            let part = shared(slot).unwrap_or_else(|| Rc::new(Part::print(module, slot)));
            if part.lines.is_empty() {
                continue;
            }
            let first = column.lines + u32::from(column.lines > 0);
            column.lines = first + part.lines.len() as u32;
            // A line has at least as many bytes as letters, so the width is at most that of the longest line.
            let widest = (0..part.lines.len()).map(|line| part.line(line).len()).max().unwrap_or(0);
            column.widest = column.widest.max(widest as u32);
            column.parts.push((slot, part, first));
        }
        column
    }
}

/// Returns true if both tables are the same, with the values of functions that hold variables of the source.
fn same_debug_table(a: &Module, b: &Module) -> bool {
    let same_body =
        |(func, body): (Func, &FuncBody)| a.func(func).is_some_and(|before| before.same_version(body));
    a.debug().is_same(b.debug()) && (b.debug().is_empty() || b.funcs().all(same_body))
}

fn same_declarations(a: &Module, b: &Module) -> bool {
    let names = |module: &Module| module.funcs().map(|(func, body)| (func, body.name())).collect::<Vec<_>>();
    a.structs().eq(b.structs())
        && a.globals().eq(b.globals())
        && a.vars().eq(b.vars())
        && names(a) == names(b)
}

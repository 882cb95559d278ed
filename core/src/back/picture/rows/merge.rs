//! Rows: the lines of several versions of one part. Each row belongs to one definition, and the rows are in
//! an order that agrees with all versions.
//!
//! Each version is merged into the rows of those before it. Lines in the order of the rows are put into their
//! row. Of lines that changed places, the longest run that kept its order stays in its rows; the others get
//! new rows (their definition has *moved*). So reading down a column always gives the version, line by line.
//!
//! `O(rows · versions + lines · log lines)`; a part equal to that of an earlier version costs a copy of its
//! row numbers.

use super::lines::{Key, Part};
use crate::base::out_of_order;
use crate::ir::Anchor;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// No line.
pub const NONE: u32 = u32::MAX;

/// The rows of a part.
#[derive(Debug, Default)]
pub struct Rows {
    /// A line for each version, row after row, in order.
    pub cells: Vec<u32>,
    /// Definitions with several rows: each row with the others of its definition, sorted.
    pub moved: Vec<(u32, Vec<u32>)>,
}

/// A row while rows are still inserted.
struct Row {
    next: u32,
    owner: Option<Anchor>,
    /// The row that was made first for the same definition.
    first: u32,
}

struct Merge {
    width: usize,
    rows: Vec<Row>,
    cells: Vec<u32>,
    /// The most recent row of each key.
    latest: FxHashMap<Key, u32>,
    head: u32,
}

/// Merges the versions of a part; a version without it has `None`.
pub fn merge(parts: &[Option<Rc<Part>>]) -> Rows {
    let width = parts.len();
    let mut merge =
        Merge { width, rows: Vec::new(), cells: Vec::new(), latest: FxHashMap::default(), head: NONE };
    let mut before: Option<(usize, &Rc<Part>)> = None;
    for (column, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        match before {
            Some((from, same)) if Rc::ptr_eq(same, part) => merge.repeat(from, column),
            Some(_) | None => merge.add(column, part),
        }
        before = Some((column, part));
    }
    merge.finish()
}

impl Merge {
    /// A version equal to an earlier one.
    fn repeat(&mut self, from: usize, to: usize) {
        for row in self.cells.chunks_exact_mut(self.width) {
            row[to] = row[from];
        }
    }

    fn add(&mut self, column: usize, part: &Part) {
        let stays = self.staying(part);
        let mut taken = vec![false; self.rows.len()];
        stays.iter().filter(|&&row| row != NONE).for_each(|&row| taken[row as usize] = true);
        let mut here = NONE;
        for ((number, line), &stay) in (0..).zip(&part.lines).zip(&stays) {
            here = match stay {
                NONE => {
                    let after = self.after_removed(here, line.owner, &taken);
                    self.insert(after, line.key, line.owner)
                }
                row => row,
            };
            self.cells[here as usize * self.width + column] = number;
        }
    }

    /// The row of each line of a version; none for those that are new or moved.
    fn staying(&self, part: &Part) -> Vec<u32> {
        let mut places = vec![0; self.rows.len()];
        let (mut row, mut place) = (self.head, 0);
        while row != NONE {
            places[row as usize] = place;
            place += 1;
            row = self.rows[row as usize].next;
        }
        let rows = part.lines.iter().map(|line| self.latest.get(&line.key).copied().unwrap_or(NONE));
        let mut rows: Vec<u32> = rows.collect();
        let known = (0u32..).zip(&rows).filter(|&(_, &row)| row != NONE);
        let were: Vec<(u32, u32)> = known.map(|(line, &row)| (line, places[row as usize])).collect();
        for line in out_of_order(&were) {
            rows[line as usize] = NONE;
        }
        rows
    }

    /// The row after which a new one is inserted: rows of removed lines of the same block stay above the new
    /// line.
    fn after_removed(&self, from: u32, owner: Option<Anchor>, taken: &[bool]) -> u32 {
        let mut here = from;
        loop {
            let next = if here == NONE { self.head } else { self.rows[here as usize].next };
            let Some(row) = self.rows.get(next as usize) else { return here };
            let is_gone = taken.get(next as usize) == Some(&false);
            if !is_gone || row.owner != owner || here == NONE {
                return here;
            }
            here = next;
        }
    }

    fn insert(&mut self, after: u32, key: Key, owner: Option<Anchor>) -> u32 {
        let row = self.rows.len() as u32;
        let next = match self.rows.get_mut(after as usize) {
            Some(before) => std::mem::replace(&mut before.next, row),
            None => std::mem::replace(&mut self.head, row),
        };
        let first = self.latest.insert(key, row).map_or(row, |old| self.rows[old as usize].first);
        self.rows.push(Row { next, owner, first });
        self.cells.resize(self.cells.len() + self.width, NONE);
        row
    }

    /// The rows in order.
    fn finish(self) -> Rows {
        let mut out = Rows { cells: Vec::with_capacity(self.cells.len()), moved: Vec::new() };
        let again = (0u32..).zip(&self.rows).filter(|(at, row)| row.first != *at);
        let moved: FxHashSet<u32> = again.map(|(_, row)| row.first).collect();
        let mut of_thing: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let (mut row, mut place) = (self.head, 0);
        while row != NONE {
            let from = row as usize * self.width;
            out.cells.extend_from_slice(&self.cells[from..from + self.width]);
            let data = &self.rows[row as usize];
            if moved.contains(&data.first) {
                of_thing.entry(data.first).or_default().push(place);
            }
            place += 1;
            row = data.next;
        }
        for rows in of_thing.into_values() {
            let others = |row: u32| rows.iter().copied().filter(|&other| other != row).collect();
            out.moved.extend(rows.iter().map(|&row| (row, others(row))));
        }
        out.moved.sort_unstable();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Slot;
    use super::*;
    use crate::text::parse;

    fn table(texts: &[&str]) -> String {
        let parts: Vec<Option<Rc<Part>>> = texts
            .iter()
            .map(|text| {
                let module = parse(text).module;
                let func = module.funcs().next()?.0;
                Some(Rc::new(Part::print(&module, Slot::Func(func))))
            })
            .collect();
        let rows = merge(&parts);
        let cell = |part: &Option<Rc<Part>>, line: u32| match part {
            Some(part) if line != NONE => part.words(line as usize).to_owned(),
            _ => "·".to_owned(),
        };
        let lines = rows.cells.chunks(texts.len()).map(|row| {
            let cells: Vec<String> = parts.iter().zip(row).map(|(part, &line)| cell(part, line)).collect();
            cells.join(" | ") + "\n"
        });
        lines.collect()
    }

    #[test]
    fn lines_of_one_thing_stand_in_one_row() {
        let first =
            "func @0() -> b32 graph {\n^0:\n  %0: b32 = const 1\n  %1: b32 = const 2\n  return %1\n}\n";
        let second =
            "func @0() -> b32 graph {\n^0:\n  %1: b32 = const 3\n  %2: b32 = const 4\n  return %2\n}\n";
        let wanted = "func @0() -> b32 graph { | func @0() -> b32 graph {\n^0: | ^0:\n%0: b32 = const 1 | ·\n%1: b32 = const 2 | %1: b32 = const 3\nreturn %1 | ·\n· | %2: b32 = const 4\n· | return %2\n} | }\n";
        assert_eq!(table(&[first, second]), wanted);
    }

    #[test]
    fn what_moved_has_a_row_in_each_place() {
        let first = "func @0() graph {\n^0:\n  %0: b32 = const 1\n  %1: b32 = const 2\n  %2: b32 = const 3\n  return\n}\n";
        let second = "func @0() graph {\n^0:\n  %1: b32 = const 2\n  %2: b32 = const 3\n  %0: b32 = const 1\n  return\n}\n";
        let rows = table(&[first, second, second]);
        assert!(
            rows.contains("%0: b32 = const 1 | · | ·\n%1: b32 = const 2 | %1: b32 = const 2 |"),
            "{rows}"
        );
        assert!(rows.contains("· | %0: b32 = const 1 | %0: b32 = const 1\nreturn"), "{rows}");
    }

    #[test]
    fn a_version_without_the_part_has_empty_cells() {
        let text = "func @0() graph {\n^0:\n  return\n}\n";
        assert!(table(&["", text]).starts_with("· | func @0"));
        assert_eq!(table(&["", ""]), "");
    }
}

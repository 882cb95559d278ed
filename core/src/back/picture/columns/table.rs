//! The rows of versions side by side, in sections: rows that are shown, or that are folded.

use crate::back::Source;
use crate::back::picture::rows::{NONE, Part, RowFacts, Slot, common_indent, folded, merge, near};
use crate::ir::{Anchor, Module};
use crate::text::{Class, Link};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Versions side by side.
pub(super) struct Table {
    /// The names of the columns.
    pub(super) names: Vec<String>,
    /// The rows.
    pub(super) sections: Vec<Section>,
}

/// Why rows are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fold {
    /// They are equal in all columns.
    Same,
    /// They list the usage of memory, which one pass finds: the other columns have nothing beside them.
    Usage,
}

impl Fold {
    /// What a number of rows is: `8 rows that are the same`.
    pub(super) fn says(self, rows: usize) -> String {
        match self {
            Fold::Same => format!("{rows} rows that are the same"),
            Fold::Usage => format!("{rows} rows of usage"),
        }
    }
}

/// The minimal number of rows of usage that are folded.
const LEAST_USAGE: usize = 4;

/// Rows that are shown or folded together.
pub(super) struct Section {
    /// Why the rows are folded; none if they are shown.
    pub(super) fold: Option<Fold>,
    /// The cells of each row.
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A line of a version, or none.
pub(super) struct Cell {
    line: Option<(Rc<Part>, usize)>,
    /// True if its words differ from those in the column to its left.
    pub(super) differs: bool,
    /// True if it is equal to the column to its left, or if all columns are equal.
    pub(super) same: bool,
    /// Its indentation in letters, without that of all lines of its column in the section.
    pub(super) indent: usize,
}

/// A token: its class, its text, and its anchor if it has a link.
pub(super) type Token<'a> = (Class, &'a str, Option<Anchor>);

impl Table {
    /// The table of the versions of a source, or of its program alone. Linear in their text, and in rows times columns.
    pub(super) fn of(source: &Source<'_>) -> Table {
        let alone = [(String::from("input"), source.module)];
        let versions = if source.versions.is_empty() { &alone[..] } else { source.versions };
        let funcs = versions.iter().flat_map(|(_, module)| module.funcs().map(|(func, _)| Slot::Func(func)));
        let slots: BTreeSet<Slot> = funcs.chain([Slot::Head, Slot::Tail]).collect();
        let sections = slots.into_iter().flat_map(|slot| sections(versions, slot)).collect();
        Table { names: versions.iter().map(|(name, _)| name.clone()).collect(), sections }
    }
}

impl Section {
    /// Removes the indentation that all lines of a column have.
    fn strip(&mut self, columns: usize) {
        for column in 0..columns {
            let common = common_indent(self.rows.iter().filter_map(|row| row.get(column)).map(Cell::text));
            let cells = self.rows.iter_mut().filter_map(|row| row.get_mut(column));
            cells.for_each(|cell| cell.indent = cell.indent.saturating_sub(common));
        }
    }
}

impl Cell {
    /// The tokens of the line, without its indentation; none without a line.
    pub(super) fn tokens(&self) -> Vec<Token<'_>> {
        let Some((part, line)) = &self.line else { return Vec::new() };
        let (text, first) = (part.line(*line), part.lines.get(*line).map_or(0, |line| line.start as usize));
        let mut done = depth(text);
        let mut tokens = Vec::new();
        for range in part.ranges_of(*line) {
            let start = (range.start as usize).saturating_sub(first);
            let end = start + range.len as usize;
            let anchor = match range.link {
                Link::None => None,
                Link::Def(anchor) | Link::Use(anchor) => Some(anchor),
            };
            tokens.push((Class::Plain, text.get(done..start).unwrap_or(""), None));
            tokens.push((range.class, text.get(start..end).unwrap_or(""), anchor));
            done = end;
        }
        tokens.push((Class::Plain, text.get(done..).unwrap_or(""), None));
        tokens.retain(|(_, text, _)| !text.is_empty());
        tokens
    }

    fn text(&self) -> &str {
        self.line.as_ref().map_or("", |(part, line)| part.line(*line))
    }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The rows of one part of all versions.
fn sections(versions: &[(String, &Module)], slot: Slot) -> Vec<Section> {
    let part = |(_, module): &(String, &Module)| {
        let part = Part::print(module, slot);
        (!part.lines.is_empty()).then(|| Rc::new(part))
    };
    let parts: Vec<Option<Rc<Part>>> = versions.iter().map(part).collect();
    let merged = merge(&parts);
    let lines: Vec<&[u32]> = merged.cells.chunks_exact(versions.len()).collect();
    let facts = (0..).zip(&lines).map(|(row, lines)| facts(&parts, lines, row));
    let is_lone = versions.len() == 1;
    let shown = folded(&near(facts), |_| is_lone);
    let is_usage = usage_rows(&parts, &lines);
    let fold = |&(row, count): &(u32, u32)| match count {
        0 if is_lone || !is_usage[row as usize] => None,
        0 => Some(Fold::Usage),
        _ => Some(Fold::Same),
    };
    let groups = shown.chunk_by(|a, b| fold(a) == fold(b) && fold(a) != Some(Fold::Same));
    let section = |group: &[(u32, u32)]| {
        let rows = group.iter().flat_map(|&(row, count)| row..row + count.max(1));
        let rows = rows.filter_map(|row| lines.get(row as usize)).map(|lines| cells(&parts, lines));
        let rows: Vec<_> = rows.collect();
        let fold =
            group.first().and_then(fold).filter(|&fold| fold == Fold::Same || rows.len() >= LEAST_USAGE);
        let mut section = Section { fold, rows };
        section.strip(versions.len());
        section
    };
    groups.map(section).collect()
}

/// For each row, whether a column has a line of the usage of memory in it.
fn usage_rows(parts: &[Option<Rc<Part>>], rows: &[&[u32]]) -> Vec<bool> {
    let of_parts: Vec<Vec<bool>> =
        parts.iter().map(|part| part.as_deref().map_or(Vec::new(), usage_lines)).collect();
    let is_usage = |(lines, &line): (&Vec<bool>, &u32)| lines.get(line as usize) == Some(&true);
    rows.iter().map(|lines| of_parts.iter().zip(*lines).any(is_usage)).collect()
}

/// For each line of a part, whether it belongs to the usage of memory, which may have braces over several lines.
fn usage_lines(part: &Part) -> Vec<bool> {
    let mut open = 0usize;
    let is_usage = |line: usize| {
        let words = part.words(line);
        let is_usage = open > 0 || words.starts_with("usage ");
        if is_usage {
            open = open.saturating_sub(usize::from(words.starts_with('}')));
            open += usize::from(words.ends_with('{'));
        }
        is_usage
    };
    (0..part.lines.len()).map(is_usage).collect()
}

/// The facts of a row that decide if it is folded.
fn facts(parts: &[Option<Rc<Part>>], lines: &[u32], row: usize) -> RowFacts {
    let all = words(parts, lines);
    let of = |(part, &line): (&Option<Rc<Part>>, &u32)| part.as_ref()?.lines.get(line as usize).copied();
    let first = parts.iter().zip(lines).find_map(of);
    RowFacts {
        same: all.iter().all(|words| words.is_some() && *words == all[0]),
        begins: row == 0,
        blank: all[0] == Some(""),
        heads: first.is_some_and(|line| {
            matches!(line.key.about, Some(Anchor::Block(..) | Anchor::Struct(_)))
                && line.key.about == line.owner
        }),
    }
}

/// The words of a row's cells; none for a cell without a line.
fn words<'a>(parts: &'a [Option<Rc<Part>>], lines: &[u32]) -> Vec<Option<&'a str>> {
    let of = |(part, &line): (&'a Option<Rc<Part>>, &u32)| match part {
        Some(part) if line != NONE => Some(part.words(line as usize)),
        Some(_) | None => None,
    };
    parts.iter().zip(lines).map(of).collect()
}

/// The cells of a row.
fn cells(parts: &[Option<Rc<Part>>], lines: &[u32]) -> Vec<Cell> {
    let words = words(parts, lines);
    let all_same = words.iter().all(|other| *other == words[0]);
    let cell = |(column, (part, &line)): (usize, (&Option<Rc<Part>>, &u32))| {
        let is_as_left = column.checked_sub(1).map(|left| words[left] == words[column]);
        let line = part.as_ref().filter(|_| line != NONE).map(|part| (part.clone(), line as usize));
        let indent = line.as_ref().map_or(0, |(part, line)| depth(part.line(*line)));
        Cell { line, differs: is_as_left == Some(false), same: is_as_left.unwrap_or(all_same), indent }
    };
    parts.iter().zip(lines).enumerate().map(cell).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::text::parse;

    /// Calls `act` with versions of a function that has ten constants in a structure, and another one that differs.
    pub(in super::super) fn with_versions<T>(numbers: &[u32], act: impl FnOnce(&Source<'_>) -> T) -> T {
        let of = |(at, number): (usize, &u32)| {
            let constants: String = (1..11).map(|id| format!("    %{id}: b32 = const {id}\n")).collect();
            let text = format!(
                "func @0(%0: b1) -> b32 tree {{\n^0:\n  if !0 %0 {{\n  ^1:\n{constants}    %11: b32 = const {number}\n    \
                 return %11\n  }} else {{\n  ^2:\n    next\n  }}\n^3:\n  %12: b32 = const 1\n  return %12\n}}\n"
            );
            (format!("<{at}>"), parse(&text).module)
        };
        let owned: Vec<(String, Module)> = numbers.iter().enumerate().map(of).collect();
        let versions: Vec<(String, &Module)> =
            owned.iter().map(|(name, module)| (name.clone(), module)).collect();
        let funcs = crate::back::all_funcs(&owned[0].1);
        act(&Source { versions: &versions, ..Source::new(&owned[0].1, &funcs) })
    }

    fn table(numbers: &[u32]) -> Table {
        with_versions(numbers, Table::of)
    }

    fn line(cell: &Cell) -> String {
        let words: String = cell.tokens().iter().map(|(_, text, _)| *text).collect();
        format!("{}{words}", " ".repeat(cell.indent))
    }

    #[test]
    fn equal_rows_are_folded_and_common_indentation_is_left_out() {
        let table = table(&[7, 8]);
        let sections: Vec<(bool, usize)> =
            table.sections.iter().map(|section| (section.fold.is_some(), section.rows.len())).collect();
        assert!(sections.iter().any(|(is_folded, count)| *is_folded && *count >= 8), "{sections:?}");
        let all = table.sections.iter().flat_map(|section| &section.rows);
        assert_eq!(all.count(), 24, "no row is lost");
        let differs = |section: &&Section| section.rows.iter().flatten().any(|cell| cell.differs);
        let section = table.sections.iter().find(differs).unwrap();
        let right: Vec<String> = section.rows.iter().map(|row| line(&row[1])).collect();
        assert_eq!(right[2], "  %11: b32 = const 8", "{right:?}");
        assert!(right.contains(&"} else {".to_owned()), "{right:?}");
        assert!(section.rows[2][1].differs && section.rows[1][1].same && !section.rows[2][0].same);
    }

    #[test]
    fn usage_that_one_version_has_is_folded() {
        let usage: String =
            (0..5).map(|at| format!("  usage {}..{} b32 read\n", at * 4, at * 4 + 4)).collect();
        let text = |usage: &str| {
            format!(
                "uniform $0: bytes(20) was [f32 * 5 step 4] {{set 0, binding 0}}\n{usage}uniform $1: f32\n"
            )
        };
        let modules = [text(""), text(&usage)].map(|text| parse(&text).module);
        let versions = [("a".to_owned(), &modules[0]), ("b".to_owned(), &modules[1])];
        let table = Table::of(&Source { versions: &versions, ..Source::new(&modules[0], &[]) });
        let folds: Vec<(Option<Fold>, usize)> =
            table.sections.iter().map(|section| (section.fold, section.rows.len())).collect();
        assert_eq!(folds, [(None, 1), (Some(Fold::Usage), 5), (None, 1)]);
    }

    #[test]
    fn a_lone_version_is_shown_whole() {
        let table = table(&[7]);
        assert!(table.sections.iter().all(|section| section.fold.is_none()));
        assert_eq!(line(&table.sections[0].rows[0][0]), "func @0(%0: b1) -> b32 tree {");
    }
}

//! Versions side by side: no line is lost or repeated, and each entity has a single row.
//!
//! For each module of the corpora, every column must read as the text of its version.
#![allow(clippy::print_stdout)]

use crate::testing::corpus;
use crate::testing::texts::examples;

use std::collections::BTreeMap;
use vitrine_core::view_model::{Session, Shown};
use vitrine_protocol::layout::{CellEntry, ColumnEntry, RowEntry, SpanEntry, column_rows};
use vitrine_protocol::{Columns, ColumnsRequest, Mark, Outcome};

const PIPELINE: &str = "ingest, O1, lower-exits{spirv}";

/// A decoded table: for each row its number, the number of rows folded into it, and its cells.
struct Table {
    rows: Vec<(u32, u32, Vec<Cell>)>,
}

/// The text of a cell, its change, and its line number.
type Cell = (Option<String>, u32, u32);

impl Table {
    fn of(view: &Columns) -> Table {
        let lines: Vec<&str> = view.text.text.split('\n').collect();
        let cell = |cell: &CellEntry| {
            let line = cell.line.checked_sub(1).map(|line| lines[line as usize].to_owned());
            (line, cell.mark, cell.number)
        };
        let row = |(row, cells): (RowEntry, &[CellEntry])| {
            (row.number, row.folded, cells.iter().map(cell).collect())
        };
        Table { rows: rows(view).map(row).collect() }
    }

    fn column(&self, at: usize) -> Vec<(&str, u32)> {
        self.rows.iter().filter_map(|(.., cells)| Some((cells[at].0.as_deref()?, cells[at].2))).collect()
    }
}

fn rows(view: &Columns) -> impl ExactSizeIterator<Item = (RowEntry, &[CellEntry])> {
    column_rows(&view.table, view.versions.len())
}

fn all(versions: &[u32]) -> ColumnsRequest {
    ColumnsRequest { versions: versions.to_vec(), last: u32::MAX, ..ColumnsRequest::default() }
}

/// The input, and the versions that differ from the previous one.
fn changed(session: &Session) -> Vec<u32> {
    let steps = session.steps();
    let changed = (1..).zip(&steps).filter(|(_, step)| step.outcome == Outcome::Changed).map(|(at, _)| at);
    [0].into_iter().chain(changed).collect()
}

fn check(input: &[u8]) -> usize {
    let mut session = Session::new();
    session.open(input, PIPELINE);
    let versions = changed(&session);
    let view = session.columns(&all(&versions));
    assert_eq!((view.rows, view.first), (rows(&view).len() as u32, 0));
    let table = Table::of(&view);
    for (column, &version) in versions.iter().enumerate() {
        let text = session.text(version as usize, Shown::Ir).unwrap().text;
        let expected: Vec<(&str, u32)> = text.lines().zip(1..).collect();
        assert_eq!(table.column(column), expected, "version {version}");
    }
    one_row_per_entity(&view);
    windows(&mut session, &view, &versions);
    folds(&mut session, &table, &versions);
    let mut again = Session::new();
    again.open(input, PIPELINE);
    let backwards: Vec<u32> = versions.iter().rev().copied().collect();
    again.columns(&all(&backwards));
    let again = again.columns(&all(&versions));
    assert_eq!(Table::of(&again).rows, table.rows, "independent of earlier queries");
    view.rows as usize
}

/// An entity has several rows only if it moved, and all rows but the first are marked as moved.
fn one_row_per_entity(view: &Columns) {
    let mut line_starts = vec![0];
    line_starts.extend(view.text.text.match_indices('\n').map(|(at, _)| at as u32 + 1));
    let mut defines: BTreeMap<u32, u32> = BTreeMap::new();
    for span in view.text.spans.entries().iter().filter(|span| span.is_definition()) {
        let line = line_starts.partition_point(|&start| start <= span.start) as u32;
        defines.entry(line).or_insert(span.id);
    }
    let mut rows_of: BTreeMap<u32, Vec<&[CellEntry]>> = BTreeMap::new();
    for (_, cells) in rows(view) {
        let entities: Vec<u32> = cells.iter().filter_map(|cell| defines.get(&cell.line).copied()).collect();
        assert!(
            entities.windows(2).all(|pair| pair[0] == pair[1]),
            "one row defines several entities: {entities:?}"
        );
        if let Some(&entity) = entities.first() {
            rows_of.entry(entity).or_default().push(cells);
        }
    }
    for (entity, rows) in rows_of.iter().filter(|(_, rows)| rows.len() > 1) {
        let is_moved = |cell: &CellEntry| cell.mark == Mark::Moved as u32;
        let moved = rows.iter().filter(|cells| cells.iter().any(is_moved)).count();
        assert!(moved >= rows.len() - 1, "entity {entity} has {} rows and moved in {moved}", rows.len());
        for column in 0..view.versions.len() {
            let times = rows.iter().filter(|cells| cells[column].line > 0).count();
            assert!(times <= 1, "entity {entity} occurs {times} times in column {column}");
        }
    }
}

/// A window equals the same rows of the whole table.
fn windows(session: &mut Session, whole: &Columns, versions: &[u32]) {
    let whole = Table::of(whole).rows;
    let count = whole.len() as u32;
    for first in [0, count / 3, count.saturating_sub(5), count + 9] {
        let part = session.columns(&ColumnsRequest { first, last: first + 40, ..all(versions) });
        let from = first.min(count) as usize;
        assert_eq!(part.first as usize, from);
        assert_eq!(Table::of(&part).rows, whole[from..(from + 40).min(whole.len())]);
    }
}

/// Folded rows are equal in all columns, and reappear when the fold is opened.
fn folds(session: &mut Session, whole: &Table, versions: &[u32]) {
    let query = ColumnsRequest { fold: true, ..all(versions) };
    let folded = Table::of(&session.columns(&query));
    let mut opened = Vec::new();
    for (row, count, _) in folded.rows.iter().filter(|row| row.1 > 0) {
        opened.push(*row);
        for (.., cells) in &whole.rows[*row as usize..(row + count) as usize] {
            let words: Vec<_> = cells.iter().map(|cell| cell.0.as_deref().map(str::trim_start)).collect();
            assert!(words.windows(2).all(|pair| pair[0] == pair[1] && pair[0].is_some()), "{words:?}");
        }
    }
    let open = Table::of(&session.columns(&ColumnsRequest { opened_folds: opened, ..query }));
    assert_eq!(open.rows, whole.rows);
}

#[test]
fn columns_of_examples_read_as_their_versions() {
    let mut count = 0;
    for file in examples() {
        assert!(check(&std::fs::read(&file).unwrap()) > 10, "{}", file.display());
        count += 1;
    }
    assert!(count > 10);
}

#[test]
fn columns_of_the_corpus_read_as_their_versions() {
    let modules = corpus::small_modules(4000);
    let rows: usize = modules.iter().map(|bytes| check(bytes)).sum();
    assert!(rows > 10_000, "{rows} rows");
}

#[test]
fn an_entity_is_found_in_its_column_even_in_a_fold() {
    let many: String = (0..30).map(|at| format!("  %{at}: b32 = const {at}\n")).collect();
    let sum = |at: usize| format!("  %{at} = iadd %{}, %7\n", at - 1);
    let text = format!("func @0() -> b32 graph {{\n^0:\n{many}{}{}  return %31\n}}\n", sum(30), sum(31));
    let mut session = Session::new();
    session.open(text.as_bytes(), "structurize{imported}, constant-fold");
    let whole = session.columns(&all(&[0, 2]));
    let number = |name: &str| {
        let of_name =
            |span: &&SpanEntry| span.is_definition() && whole.text.text.get(span.range()) == Some(name);
        whole.text.spans.entries().iter().find(of_name).unwrap().id
    };
    let query = ColumnsRequest { fold: true, ..all(&[0, 2]) };
    let folded = session.columns(&query);
    assert!(folded.rows < whole.rows / 2, "{} of {}", folded.rows, whole.rows);
    let found = session.columns(&ColumnsRequest { find: Some((number("%12"), 1)), ..query.clone() });
    let table = Table::of(&found);
    let row = &table.rows[found.found.unwrap() as usize];
    assert_eq!(row.2[1].0.as_deref(), Some("  %12: b32 = const 12"));
    assert_eq!(found.opened_folds.len(), 1);
    assert_eq!(
        session.columns(&ColumnsRequest { find: Some((number("%12"), 7)), ..query.clone() }).found,
        None
    );
    // A row of the text of all cells is found and its fold is opened, too.
    let text = session.columns_text();
    assert_eq!(text.lines().count() as u32, 2 * whole.rows);
    let cell = text.lines().position(|line| line == "  %12: b32 = const 12").unwrap();
    let again = session.columns(&ColumnsRequest { find_row: Some(cell as u32 / 2), ..query.clone() });
    assert_eq!((again.found, again.opened_folds.len()), (found.found, 1));
    assert_eq!(session.columns(&ColumnsRequest { find_row: Some(whole.rows), ..query }).found, None);
}

#[test]
fn common_indentation_is_that_of_all_lines_between_two_folds() {
    let many: String = (0..30).map(|at| format!("    %{at}: b32 = const {at}\n")).collect();
    let text = format!(
        "func @0(%90: b1) tree {{\n^0:\n  if %90 {{\n  ^1:\n{many}    %30 = iadd %28, %29\n    %31 = imul %30, %30\n    next\n  }} else {{\n  ^2:\n    next\n  }}\n^3:\n  return\n}}\n"
    );
    let mut session = Session::new();
    session.open(text.as_bytes(), "constant-fold");
    let view = session.columns(&ColumnsRequest { fold: true, ..all(&[0, 1]) });
    let text: Vec<&str> = view.text.text.split('\n').collect();
    let mut ranges: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for (row, cells) in rows(&view) {
        match row.folded {
            0 => {
                ranges.last_mut().unwrap().extend(cells.iter().filter(|cell| cell.line > 0).map(|cell| {
                    let line = text[cell.line as usize - 1];
                    (line.len() - line.trim_start().len(), cell.indent as usize)
                }));
            }
            _ => ranges.push(Vec::new()),
        }
    }
    assert!(ranges.len() > 1, "something is folded");
    for range in &ranges {
        assert!(range.iter().all(|(own, common)| common <= own), "{range:?}");
    }
    let stripped = ranges.iter().flatten().filter(|(_, common)| *common > 0).count();
    assert!(stripped > 0 && ranges[0].iter().all(|(_, common)| *common == 0), "{ranges:?}");
}

#[test]
fn missing_versions_are_left_out() {
    let mut session = Session::new();
    let heads =
        vitrine_protocol::Table::of(&[ColumnEntry { widest: 0, added: 0, gone: 0, changed: 0, moved: 0 }]);
    assert_eq!(session.columns(&all(&[0, 5])), Columns { versions: vec![0], heads, ..Columns::default() });
    session.open(b"func @0() graph {\n^0:\n  return\n}\n", "structurize{imported}");
    let view = session.columns(&all(&[0, 1, 9]));
    assert_eq!((view.versions, view.rows), (vec![0, 1], 4));
    assert!(session.columns(&all(&[])).table.words().is_empty());
}

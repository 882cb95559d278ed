//! The bytes of a variable: 16 on a line, with the declared members above the accesses, and a list of both.
//!
//! The picture of the pane *Memory* of the page (`web/src/view/memory.rs`), for a figure that has no links. Bars are placed on a
//! grid by classes. In a large segment a cell is several bytes, and the figure reports how many.
//!
//! Refuses variables that the program does not have.

use super::styled_lines;
use crate::base::html::{escape_into, escaped};
use crate::view_model::Session;
use std::fmt::Write;
use vitrine_protocol::layout::{
    MemoryEntry, MemoryKind as Kind,
    access_flags::{ATOMIC, READ, WRITE},
};
use vitrine_protocol::{Level, MemoryMap};

/// Cells of a line.
const CELLS: i32 = 16;
/// The largest number of lines of a segment.
const MOST_LINES: i32 = 24;
/// The largest number of drawn tracks of overlapping ranges.
const MOST_TRACKS: i32 = 6;

/// The map of a variable of a program, by its name; of the first buffer for an empty name. Errors: a sentence.
pub fn memory_map(program: &[u8], variable: &str) -> Result<String, String> {
    let mut session = Session::new();
    session.open(program, "fix()");
    if let Some(diag) = session.diags().iter().find(|diag| diag.level == Level::Error) {
        return Err(format!("line {} of the program: {}", diag.line, diag.message));
    }
    let mut map = session.memory(0, None);
    if !variable.is_empty() {
        let is_it = |name: &str| name.split_once(", ").is_some_and(|(name, _)| name == variable);
        let found = map.variables.iter().find(|of| is_it(&of.name));
        let found = found.ok_or_else(|| format!("the program has no variable `{variable}` with bytes"))?;
        map = session.memory(0, Some(found.id));
    }
    match map.variable {
        Some(_) => Ok(html(&map)),
        None => Err("the program has no variable with bytes".to_owned()),
    }
}

/// A line of the map, see [`MemoryEntry`].
#[derive(Clone, Copy)]
struct Row {
    kind: Kind,
    segment: i32,
    start: i32,
    /// None for the rest of the memory.
    bytes: Option<i32>,
    access: i32,
    track: i32,
}

fn rows(map: &MemoryMap) -> Vec<Row> {
    let row = |of: &MemoryEntry| Row {
        kind: of.kind(),
        segment: of.segment,
        start: of.start,
        bytes: Some(of.bytes).filter(|bytes| *bytes >= 0),
        access: of.access,
        track: of.track,
    };
    map.rows.entries().iter().map(row).collect()
}

fn html(map: &MemoryMap) -> String {
    let (rows, lines) = (rows(map), styled_lines(&map.text));
    let plain: Vec<&str> = map.text.text.lines().collect();
    let all: Vec<(Row, &str, &str)> = rows
        .iter()
        .zip(&lines)
        .zip(&plain)
        .map(|((row, html), plain)| (*row, html.as_str(), *plain))
        .collect();
    let mut out = String::new();
    for segment in all.chunk_by(|(one, ..), (two, ..)| one.segment == two.segment) {
        out.push_str("<section class=\"segment\">");
        if let Some((_, words, _)) = segment.iter().find(|(row, ..)| row.kind == Kind::Segment) {
            let _ = write!(out, "<p class=\"name\">{words}</p>");
        }
        ruler(&mut out, segment);
        list(&mut out, segment);
        out.push_str("</section>\n");
    }
    out.push_str(
        "<p class=\"legend\"><span><b class=\"bar used read\">R</b> read</span> <span><b class=\"bar used write\">W</b> written</span> \
         <span><b class=\"bar field never\"></b> never used</span> <span><b class=\"bar padding\"></b> padding</span></p>\n",
    );
    out
}

/// The picture of the bytes of a segment.
fn ruler(out: &mut String, lines: &[(Row, &str, &str)]) {
    let is_bar = |row: &Row| matches!(row.kind, Kind::Field | Kind::Padding | Kind::Used);
    let bars: Vec<(Row, &str)> =
        lines.iter().filter(|(row, ..)| is_bar(row)).map(|(row, _, plain)| (*row, *plain)).collect();
    let declared = lines.iter().find(|(row, ..)| row.kind == Kind::Segment).and_then(|(row, ..)| row.bytes);
    let last = bars.iter().map(|(row, _)| row.start.saturating_add(row.bytes.unwrap_or(CELLS))).max();
    let bytes = declared.unwrap_or(0).max(last.unwrap_or(0));
    if bytes <= 0 {
        return;
    }
    let mut unit = 1;
    while bytes / unit / CELLS >= MOST_LINES && unit < 1 << 26 {
        unit *= 2;
    }
    out.push_str("<div class=\"ruler\" aria-hidden=\"true\">");
    if unit > 1 {
        let _ = write!(out, "<p class=\"dim\">{unit} bytes a cell</p>");
    }
    let used = bars.iter().filter(|(row, _)| row.kind == Kind::Used);
    let tracks = used.map(|(row, _)| row.track + 1).max().unwrap_or(0);
    let mut first = 0i32;
    while first < bytes {
        let _ = write!(out, "<div class=\"line\"><b>{first}</b><div class=\"tracks\">");
        track(out, &bars, [first, unit], None);
        (0..tracks.min(MOST_TRACKS)).for_each(|of| track(out, &bars, [first, unit], Some(of)));
        out.push_str("</div></div>");
        first = first.saturating_add(unit * CELLS);
    }
    if tracks > MOST_TRACKS {
        let _ = write!(
            out,
            "<p class=\"dim\">and {} more overlapping ranges, in the list</p>",
            tracks - MOST_TRACKS
        );
    }
    out.push_str("</div>");
}

/// One track of a line: the declared members, or the accessed ranges of that track.
fn track(out: &mut String, bars: &[(Row, &str)], [first, unit]: [i32; 2], of: Option<i32>) {
    let end = first.saturating_add(unit * CELLS);
    let mut free = 0;
    out.push_str("<div class=\"track\">");
    for (row, plain) in bars {
        let is_mine = match (row.kind, of) {
            (Kind::Field | Kind::Padding, None) => true,
            (Kind::Used, Some(track)) => row.track == track,
            _ => false,
        };
        let stop = row.bytes.map_or(i32::MAX, |bytes| row.start.saturating_add(bytes));
        if !is_mine || row.start >= end || stop <= first {
            continue;
        }
        let from = ((row.start.max(first) - first) / unit).max(free);
        let to = (stop.min(end).saturating_sub(first).saturating_add(unit - 1)) / unit;
        // Of several ranges in one cell the first is drawn; the list has all.
        if to <= from {
            continue;
        }
        free = to;
        let begins = row.start >= first;
        let goes_on = if begins { "" } else { " goes-on" };
        let _ = write!(out, "<span class=\"bar {}{goes_on} c{from} w{}\">", class(*row), to - from);
        match row.kind {
            Kind::Used => out.push_str(&letters(row.access)),
            Kind::Field if begins => escape_into(out, member(plain)),
            Kind::Segment | Kind::Field | Kind::Padding | Kind::Access | Kind::Remark => {}
        }
        out.push_str("</span>");
    }
    out.push_str("</div>");
}

/// The last component of the name in a line `lights[].pos: f32x3`.
fn member(line: &str) -> &str {
    let path = line.split(": ").next().unwrap_or(line);
    path.rsplit('.').next().unwrap_or(path)
}

fn class(row: Row) -> &'static str {
    match (row.kind, row.access & (READ | WRITE | ATOMIC)) {
        (Kind::Padding, _) => "padding",
        (Kind::Field, 0) => "field never",
        (Kind::Field, _) => "field",
        (_, how) if how & ATOMIC > 0 => "used atomic",
        (_, READ) => "used read",
        (_, WRITE) => "used write",
        (_, how) if how == READ | WRITE => "used read write",
        _ => "used",
    }
}

/// The accesses, as letters.
fn letters(how: i32) -> String {
    [(READ, 'R'), (WRITE, 'W'), (ATOMIC, 'A')]
        .iter()
        .filter(|(bit, _)| how & bit > 0)
        .map(|(_, letter)| letter)
        .collect()
}

/// The members and accesses of a segment as a list.
fn list(out: &mut String, lines: &[(Row, &str, &str)]) {
    out.push_str("<ul>");
    for (row, words, _) in lines {
        let range = match row.bytes {
            Some(bytes) => format!("{}–{}", row.start, row.start.saturating_add(bytes)),
            None => format!("{}…", row.start),
        };
        let _ = match row.kind {
            Kind::Segment => Ok(()),
            Kind::Access => write!(out, "<li class=\"access\">{words}</li>"),
            Kind::Remark => write!(out, "<li class=\"remark\">{words}</li>"),
            Kind::Used => {
                let letters = escaped(&letters(row.access));
                write!(out, "<li class=\"{}\"><b>{range}</b> <i>{letters}</i> {words}</li>", class(*row))
            }
            Kind::Field if row.access == 0 => {
                write!(out, "<li class=\"field never\"><b>{range}</b> {words} <small>never used</small></li>")
            }
            Kind::Field | Kind::Padding => {
                write!(out, "<li class=\"{}\"><b>{range}</b> {words}</li>", class(*row))
            }
        };
    }
    out.push_str("</ul>");
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPED: &str = include_str!("../../../../www/learn/quasi-pointers/typed.ir");

    #[test]
    fn members_and_accesses_are_bars() {
        let html = memory_map(TYPED.as_bytes(), "").unwrap();
        assert!(html.contains("<span class=\"bar field c0 w4\">count</span>"), "{html}");
        assert!(html.contains("<span class=\"bar used read c0 w4\">R</span>"), "{html}");
        assert!(html.contains("<span class=\"bar field never c0 w12\">pos</span>"), "{html}");
        assert!(html.contains("<span class=\"bar used read write c12 w4\">RW</span>"), "{html}");
        assert!(html.contains("<small>never used</small>") && !html.contains("style="), "{html}");
        assert_eq!(memory_map(TYPED.as_bytes(), "scene").unwrap(), html);
    }

    #[test]
    fn the_lowered_program_has_the_same_picture() {
        let mut session = Session::new();
        session.open(TYPED.as_bytes(), "qptr-lower");
        let lowered = session.text(1, crate::view_model::Shown::Ir).unwrap().text;
        let bars = |html: String| {
            html.split("<div class=\"ruler\"")
                .skip(1)
                .map(|part| part.split("<ul>").next().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            bars(memory_map(lowered.as_bytes(), "").unwrap()),
            bars(memory_map(TYPED.as_bytes(), "").unwrap())
        );
    }

    #[test]
    fn unknown_variables_and_broken_programs_are_refused() {
        assert!(memory_map(TYPED.as_bytes(), "moon").unwrap_err().contains("`moon`"));
        assert!(memory_map(b"func @0() graph {", "").is_err());
        assert!(
            memory_map(b"func @0() graph {\n^0:\n  return\n}\n", "").unwrap_err().contains("no variable")
        );
    }

    #[test]
    fn a_large_buffer_has_several_bytes_in_a_cell() {
        let text = TYPED.replace("[#Light_0 step 32]", "[#Light_0 * 1000 step 32]");
        let html = memory_map(text.as_bytes(), "").unwrap();
        assert!(html.contains("bytes a cell"), "{html}");
        assert!(html.matches("class=\"line\"").count() <= 2 * MOST_LINES as usize + 2);
    }
}

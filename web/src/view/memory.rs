//! The map of a variable's memory: bytes as in a hex dump, 16 per line, and below them their fields and accesses.
//!
//! The picture of bytes and the list have the same content: the entry under the pointer is marked in both. Bars are placed
//! on a grid by classes, since the page's policy forbids inline styles. In large segments
//! a cell is several bytes, and long lists are drawn in parts.

use std::fmt::Write;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlSelectElement, KeyboardEvent};

use crate::dom::{by_id, data_around, document, escape_into, listen as on};
use crate::state::memory::{Event as Mapped, Map, Row, RowKind};
use crate::state::{Dirty, Link, Msg, State, Tab};
use crate::store;
use crate::view::{graph, output};
use vitrine_protocol::MemoryVariable;
use vitrine_protocol::layout::access_flags::{ATOMIC, READ, WRITE};

/// Cells per line.
const CELLS: i32 = 16;
/// The largest number of lines per segment: larger segments have more bytes per cell.
const MOST_LINES: i32 = 48;
/// Tracks of overlapping ranges; further ranges are only in the list, and the map reports that.
const MOST_TRACKS: usize = 6;

/// The elements of the pane.
pub(crate) struct Memory {
    pane: HtmlElement,
    map: HtmlElement,
    of: HtmlSelectElement,
    /// The serial number and the number of lines of the drawn map.
    drawn: (u32, usize),
}

impl Memory {
    /// Finds the elements.
    pub(crate) fn find() -> Memory {
        Memory {
            pane: by_id("memory"),
            map: by_id("memory-map"),
            of: by_id("memory-variable"),
            drawn: (0, 0),
        }
    }

    /// Shows the map, its highlights and the chosen line.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if state.tab != Tab::Memory {
            return;
        }
        let memory = &state.memory;
        if dirty.intersects(Dirty::MEMORY)
            && !memory.is_stale()
            && self.drawn != (memory.map.answer.serial, memory.lines)
        {
            self.drawn = (memory.map.answer.serial, memory.lines);
            self.of.set_inner_html(&options(&memory.map));
            self.map.set_inner_html(&markup(state));
        }
        if dirty.intersects(Dirty::MEMORY | Dirty::LINKS | Dirty::FRAME) {
            let _ = self.pane.class_list().toggle_with_force("stale", memory.is_stale());
            output::light(&self.map, &memory.map.document, state.lit(), None);
            mark("chosen-line", memory.chosen);
        }
    }
}

/// Marks all elements of a line of the map.
fn mark(class: &str, line: Option<usize>) {
    each(&format!("#memory-map .{class}"), &|element| drop(element.class_list().remove_1(class)));
    if let Some(line) = line {
        each(&format!("#memory-map [data-act=\"{line}\"]"), &|element| {
            drop(element.class_list().add_1(class));
        });
    }
}

fn each(selector: &str, act: &dyn Fn(&Element)) {
    let Ok(found) = document().query_selector_all(selector) else { return };
    for place in 0..found.length() {
        if let Some(element) = found.item(place).and_then(|node| node.dyn_into::<Element>().ok()) {
            act(&element);
        }
    }
}

/// The variables as options.
fn options(map: &Map) -> String {
    let mut html = String::new();
    for MemoryVariable { id: number, name } in &map.answer.variables {
        let chosen = if map.answer.variable == Some(*number) { " selected" } else { "" };
        let _ = write!(html, "<option value={number}{chosen}>");
        escape_into(&mut html, name);
        html.push_str("</option>");
    }
    html
}

/// The whole map.
fn markup(state: &State) -> String {
    let map = &state.memory.map;
    let rows: Vec<Row> = map.rows().collect();
    if rows.is_empty() {
        return "<p class=dim>This version has no variable with bytes.</p>".to_owned();
    }
    let mut html = String::new();
    let most = state.memory.lines.min(rows.len());
    let mut at = 0;
    while at < most {
        let segment = rows[at].segment;
        let end = (at + 1..rows.len()).find(|&next| rows[next].segment != segment).unwrap_or(rows.len());
        html.push_str("<section class=segment>");
        if let RowKind::Segment(_) = rows[at].kind {
            let _ = write!(html, "<h3 id=segment-{segment} data-act={at}>");
            output::draw_pieces(&mut html, &state.classes, &map.document, at);
            html.push_str("</h3>");
            ruler(&mut html, state, &rows, at, end);
            at += 1;
        }
        list(&mut html, state, &rows, at, end.min(most));
        html.push_str("</section>");
        at = end;
    }
    if most < rows.len() {
        let _ = write!(html, "<button data-more=1>Show more of {} lines</button>", rows.len());
    }
    html
}

/// The bytes of a segment: lines of cells, declared fields above used ranges.
fn ruler(html: &mut String, state: &State, rows: &[Row], head: usize, end: usize) {
    let bars: Vec<(usize, Row)> = (head + 1..end).map(|at| (at, rows[at])).collect();
    let last = bars.iter().map(|(_, row)| row.start.saturating_add(row.bytes.unwrap_or(CELLS))).max();
    let bytes = rows[head].bytes.unwrap_or(0).max(last.unwrap_or(0));
    if bytes <= 0 {
        return;
    }
    let mut unit = 1;
    while bytes / unit / CELLS >= MOST_LINES && unit < 1 << 26 {
        unit *= 2;
    }
    html.push_str("<div class=ruler aria-hidden=true>");
    if unit > 1 {
        let _ = write!(html, "<p class=dim>{unit} bytes a cell</p>");
    }
    let step = unit * CELLS;
    let tracks = bars
        .iter()
        .filter_map(|(_, row)| if let RowKind::Used(track) = row.kind { Some(track) } else { None });
    let tracks = tracks.max().map_or(0, |track| track + 1);
    let mut first = 0i32;
    while first < bytes {
        let _ = write!(html, "<div class=line><b>{first}</b><div class=tracks>");
        track(html, state, &bars, first, unit, None);
        (0..tracks.min(MOST_TRACKS)).for_each(|of| track(html, state, &bars, first, unit, Some(of)));
        html.push_str("</div></div>");
        first = first.saturating_add(step);
    }
    if tracks > MOST_TRACKS {
        let _ = write!(html, "<p class=dim>and {} more ways, in the list</p>", tracks - MOST_TRACKS);
    }
    html.push_str("</div>");
}

/// One track of a line: the declared fields, or the used ranges of that track.
fn track(html: &mut String, state: &State, bars: &[(usize, Row)], first: i32, unit: i32, of: Option<usize>) {
    let mut out = String::new();
    let end = first.saturating_add(unit * CELLS);
    let mut free = 0;
    for &(at, row) in bars {
        let is_mine = match (row.kind, of) {
            (RowKind::Field(_) | RowKind::Padding, None) => true,
            (RowKind::Used(track), Some(of)) => track == of,
            _ => false,
        };
        let stop = row.bytes.map_or(i32::MAX, |bytes| row.start.saturating_add(bytes));
        if !is_mine || row.start >= end || stop <= first {
            continue;
        }
        let from = ((row.start.max(first) - first) / unit).max(free);
        let to = (stop.min(end) - first + unit - 1) / unit;
        // Of several ranges in one cell the first is drawn; the list has all.
        if to <= from {
            continue;
        }
        free = to;
        let begins = if row.start >= first { "" } else { " goes-on" };
        let _ =
            write!(out, "<span class=\"bar {}{begins} c{from} w{}\" data-act={at}>", class(row), to - from);
        match row.kind {
            RowKind::Used(_) => out.push_str(&letters(row.access)),
            RowKind::Padding => {}
            _ => escape_into(&mut out, &name(state, at)),
        }
        out.push_str("</span>");
    }
    if !out.is_empty() || of.is_none() {
        let _ = write!(
            html,
            "<div class=\"track {}\">{out}</div>",
            if of.is_none() { "declared" } else { "done" }
        );
    }
}

/// The last component of a line's name, because space is limited.
fn name(state: &State, line: usize) -> String {
    let document = &state.memory.map.document;
    let span = document.spans_of_line(line).next();
    let path = span.map_or("", |span| document.text_of(span));
    path.rsplit('.').next().unwrap_or(path).to_owned()
}

fn class(row: Row) -> &'static str {
    match (row.kind, row.access) {
        (RowKind::Padding, _) => "padding",
        (RowKind::Field(_), 0) => "field never",
        (RowKind::Field(_), _) => "field",
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
        .into_iter()
        .filter(|(bit, _)| how & bit > 0)
        .map(|(_, letter)| letter)
        .collect()
}

/// The lines of a segment.
fn list(html: &mut String, state: &State, rows: &[Row], from: usize, to: usize) {
    let map = &state.memory.map;
    html.push_str("<ul>");
    for (at, row) in rows.iter().enumerate().take(to).skip(from) {
        let range = match row.bytes {
            Some(bytes) => format!("{}–{}", row.start, row.start.saturating_add(bytes)),
            None => format!("{}…", row.start),
        };
        match row.kind {
            RowKind::Site(id, _) => {
                let _ = write!(html, "<li class=site><button data-act={at}");
                if let Some(id) = id {
                    let _ = write!(html, " data-thing={id}");
                }
                html.push('>');
                output::draw_pieces(html, &state.classes, &map.document, at);
                html.push_str("</button></li>");
                continue;
            }
            RowKind::Field(0) | RowKind::Padding | RowKind::Used(_) => {
                let _ = write!(html, "<li class=\"{}\" data-act={at}><b>{range}</b> ", class(*row));
            }
            RowKind::Field(segment) => {
                let _ = write!(
                    html,
                    "<li class=\"{}\" data-act={at}><b>{range}</b> <button data-segment={segment} title=\"Show one element\">",
                    class(*row)
                );
            }
            RowKind::Remark | RowKind::Segment(_) => {
                let _ = write!(html, "<li class=remark data-act={at}>");
            }
        }
        if let RowKind::Used(_) = row.kind {
            let _ = write!(html, "<i>{}</i> ", letters(row.access));
        }
        output::draw_pieces(html, &state.classes, &map.document, at);
        html.push_str(match row.kind {
            RowKind::Field(0) if row.access == 0 => " <small>never used</small></li>",
            RowKind::Field(0) => "</li>",
            RowKind::Field(_) if row.access == 0 => "</button> <small>never used</small></li>",
            RowKind::Field(_) => "</button></li>",
            _ => "</li>",
        });
    }
    html.push_str("</ul>");
}

fn number(event: &Event, name: &str) -> Option<usize> {
    data_around(event.target(), name)?.parse().ok()
}

fn send(event: Mapped) {
    store::send(event.into());
}

/// Moves the focus to the next button, or the previous one.
fn walk(by: i32) {
    let Ok(found) = document().query_selector_all("#memory-map button") else { return };
    let here = document().active_element();
    let buttons: Vec<HtmlElement> = (0..found.length())
        .filter_map(|at| found.item(at).and_then(|node| node.dyn_into::<HtmlElement>().ok()))
        .collect();
    let place = buttons.iter().position(|button| Some(button.unchecked_ref()) == here.as_ref());
    let next = match place {
        Some(place) => place as i32 + by,
        None => 0,
    };
    if let Some(button) = usize::try_from(next).ok().and_then(|next| buttons.get(next)) {
        let _ = button.focus();
    }
}

/// Listens to the pane.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("memory-variable"), "change", |_: Event| {
        if let Ok(number) = by_id::<HtmlSelectElement>("memory-variable").value().parse() {
            send(Mapped::Of(number));
        }
    });
    let pane: HtmlElement = by_id("memory");
    on(&pane, "mouseover", |event: Event| {
        let line = number(&event, "act");
        mark("on", line);
        let thing = number(&event, "thing").map(|id| id as u32);
        let span = output::span_under(&event);
        let named = store::with_state(|state| {
            span.map(|span| state.memory.map.document.span(span).link).and_then(Link::id)
        });
        store::send(Msg::Hover(named.flatten().or(thing)));
    });
    on(&pane, "mouseleave", |_: Event| {
        mark("on", None);
        store::send(Msg::Hover(None));
    });
    on(&pane, "click", |event: Event| {
        if let Some(segment) = number(&event, "segment") {
            let head = document().get_element_by_id(&format!("segment-{segment}"));
            if let Some(head) = head {
                head.scroll_into_view();
            }
        } else if number(&event, "more").is_some() {
            send(Mapped::More);
        } else if let Some(line) = number(&event, "act") {
            send(Mapped::Act(line));
            graph::measure();
            reveal(&event, line);
        }
    });
    on(&pane, "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => walk(1),
            "ArrowUp" => walk(-1),
            "Escape" => store::send(Msg::ChooseId(None)),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    });
}

/// Shows the line of the list for a bar of the picture.
fn reveal(event: &Event, line: usize) {
    let is_bar = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if is_bar.is_none_or(|target| target.closest(".ruler").ok().flatten().is_none()) {
        return;
    }
    let row = document().query_selector(&format!("#memory-map li[data-act=\"{line}\"]")).ok().flatten();
    if let Some(row) = row {
        row.scroll_into_view();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Document;
    use vitrine_protocol::{MemoryMap, Table};

    fn page() -> State {
        let mut state = State { classes: vec!["plain".to_owned(), "name".to_owned()], ..State::default() };
        let text = "m, storage\na<b: u32\npadding\nb32 read\n%7 = load\n";
        let words = [0, 1, 1, 0, 0, 11, 3, 1, 0, 0];
        let rows = vec![
            0, 0, 0, 40, 0, 0, 1, 0, //
            1, 0, 0, 4, 1, 0, 0, 0, //
            2, 0, 4, 36, 0, 0, 0, 0, //
            3, 0, 0, 4, 1, 1, 0, 0, //
            4, 0, 0, -1, 1, 8, 3, 0,
        ];
        let variable = |id, name: &str| MemoryVariable { id, name: name.to_owned() };
        let answer = MemoryMap {
            variable: Some(3),
            variables: vec![variable(3, "m"), variable(4, "<n>")],
            rows: Table::from_numbers(rows),
            ..MemoryMap::default()
        };
        state.memory.map = Map { answer, document: Document::new(text.to_owned(), &words) };
        state.memory.lines = 100;
        state
    }

    #[test]
    fn bytes_are_bars_on_lines_of_sixteen() {
        let html = markup(&page());
        assert_eq!(html.matches("<div class=line>").count(), 3, "{html}");
        assert!(html.contains("<span class=\"bar field c0 w4\" data-act=1>a&lt;b</span>"), "{html}");
        assert!(html.contains("<span class=\"bar padding c4 w12\" data-act=2></span>"), "{html}");
        assert!(html.contains("<span class=\"bar padding goes-on c0 w16\" data-act=2>"), "{html}");
        assert!(html.contains("<span class=\"bar used read c0 w4\" data-act=3>R</span>"), "{html}");
        assert!(html.contains("<li class=site><button data-act=4 data-thing=7>"), "{html}");
        assert!(!html.contains("style"), "the page's policy");
    }

    #[test]
    fn large_segments_have_more_bytes_per_cell_and_long_lists_are_drawn_in_parts() {
        let mut state = page();
        let rows = &mut state.memory.map.answer.rows;
        let mut entries = rows.entries().to_vec();
        entries[0].bytes = 1 << 30;
        *rows = Table::of(&entries);
        let html = markup(&state);
        assert!(html.matches("<div class=line>").count() <= 49, "{}", html.len());
        assert!(html.contains("bytes a cell"));
        state.memory.lines = 2;
        assert!(markup(&state).contains("<button data-more=1>Show more of 5 lines</button>"));
        assert!(options(&state.memory.map).contains("<option value=4>&lt;n&gt;</option>"));
    }
}

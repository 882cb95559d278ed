//! The part of a graph in view as SVG markup. No DOM: tested on the host.
//!
//! Colors are classes of `www/style.css`; corners of edges are rounded here.

use std::fmt::Write;

use crate::dom::escape_into;
use crate::state::{self, Band, Block, Document, EdgeKind, Graph, Line, Link, Rect, Row, State, overlap};

/// Padding of a box in px, left and top; height of a line of text.
const INSET: [i32; 2] = [10, 7];
const LEADING: i32 = 17;
/// An upper bound of the mean width of letters in the label of a loop, in px.
const BAND_LETTER: i32 = 6;
/// Radius of corners in px.
const CORNER: i32 = 6;

/// All elements in view: loops below edges below boxes.
pub(super) fn scene(graph: &Graph, classes: &[String], visible: Rect) -> String {
    let mut out = String::new();
    for (each, trips) in graph.bands.iter().zip(&graph.trips).filter(|(band, _)| overlap(band.rect, visible))
    {
        band(&mut out, each, &loop_label(graph, each, trips));
    }
    for each in graph.lines.iter().filter(|line| overlap(line.extent(), visible)) {
        line(&mut out, each);
    }
    for each in graph.blocks.iter().filter(|block| overlap(block.rect, visible)) {
        block(&mut out, each, &graph.words, classes);
    }
    for each in graph.lines.iter().filter(|line| !line.label.is_empty() && overlap(line.extent(), visible)) {
        label(&mut out, each);
    }
    out
}

/// The frame of a loop; a click on its head folds it.
fn band(out: &mut String, band: &Band, label: &str) {
    let ([x, y, width, height], header) = (band.rect, band.header);
    let _ = write!(
        out,
        "<rect class=band x={x} y={y} width={width} height={height} rx=4 /><rect class=rule x={x} y={y} width=2 height={height} />\
         <g class=band-head data-loop={header}><rect x={x} y={y} width={width} height=18 /><text class=band-name x={} y={}>▾ ",
        x + 9,
        y + 13
    );
    escape_into(out, label);
    out.push_str("</text></g>");
}

/// The name and trip count of a loop, and its depth if there is space.
fn loop_label(graph: &Graph, band: &Band, trips: &str) -> String {
    let mut out = String::from("loop");
    let mut add = |mark: &str, word: &str| {
        let fits = (out.len() + mark.len() + word.len()) as i32 * BAND_LETTER < band.rect[2] - 24;
        if fits && !word.is_empty() {
            out.push_str(mark);
            out.push_str(word);
        }
    };
    add(" ", graph.block(band.header).map_or("", |block| graph.name_of(block)));
    add(" · ", trips);
    add(" · depth ", &band.depth.to_string());
    out
}

fn line(out: &mut String, line: &Line) {
    let Some([x, y]) = line.points.last().copied() else { return };
    let when = when(line.kind);
    let back = if line.back { " back" } else { "" };
    let _ = write!(
        out,
        "<g class=\"edge {when}{back}\"><path class=line d=\"{}\"/><path class=tip d=\"M{x} {y}l-4 -7h8z\"/></g>",
        path(&line.points)
    );
}

fn label(out: &mut String, line: &Line) {
    let [x, y] = line.label_at;
    let _ = write!(out, "<text class=\"label {}\" x={x} y={y}>", when(line.kind));
    escape_into(out, &line.label);
    out.push_str("</text>");
}

fn when(when: EdgeKind) -> &'static str {
    match when {
        EdgeKind::Always => "always",
        EdgeKind::True => "true",
        EdgeKind::False => "false",
        EdgeKind::Case => "case",
    }
}

fn block(out: &mut String, block: &Block, words: &Document, classes: &[String]) {
    let [x, y, width, height] = block.rect;
    let mut class = String::from("box");
    for (is, name) in [
        (block.entry, " entry"),
        (block.added, " added"),
        (block.changed, " changed"),
        (block.fold.is_some(), " folded"),
    ] {
        class.push_str(if is { name } else { "" });
    }
    let id = block.id;
    let _ = write!(
        out,
        "<g data-block={id}><rect class=\"{class}\" data-id={id} x={x} y={y} width={width} height={height} rx=4 />"
    );
    if block.added || block.changed {
        let sign = if block.added { "+" } else { "~" };
        let _ = write!(out, "<text class=sign x={} y={}>{sign}</text>", x + width - 14, y + 16);
    }
    if block.pinned {
        let displaced = if block.displaced { " displaced" } else { "" };
        let (x, y) = (x + width - 9, y - 3);
        let _ = write!(
            out,
            "<path class=\"pin{displaced}\" d=\"M{x} {y}m-4 -6a4 4 0 1 1 8 0a4 4 0 1 1 -8 0m4 4v9\" />"
        );
    }
    for row in 0..block.lines {
        // The line that hides further lines, and a whole folded box, open the hidden part.
        let opens = block.cut == Some(row) || (block.fold.is_some() && row > 0);
        let more = if opens { format!(" class=more data-open={id}") } else { String::new() };
        let _ = write!(
            out,
            "<text{more} x={} y={}>",
            x + INSET[0],
            y + INSET[1] + (row as i32 + 1) * LEADING - 5
        );
        if opens && block.fold.is_some() {
            out.push_str("▸ ");
        }
        for piece in words.pieces(block.first_line + row) {
            let Some(number) = piece.span else {
                escape_into(out, piece.text);
                continue;
            };
            let span = words.span(number);
            let class = classes.get(span.class as usize).map_or("plain", String::as_str);
            let _ = match span.link {
                Link::None => write!(out, "<tspan class=t-{class}>"),
                Link::Def(id) | Link::Use(id) => write!(out, "<tspan class=\"t-{class} link\" data-id={id}>"),
            };
            escape_into(out, piece.text);
            out.push_str("</tspan>");
        }
        out.push_str("</text>");
    }
    out.push_str("</g>");
}

/// A path through points with round corners.
fn path(points: &[[i32; 2]]) -> String {
    let mut out = String::new();
    for (at, &[x, y]) in points.iter().enumerate() {
        let around = at.checked_sub(1).and_then(|before| Some((points.get(before)?, points.get(at + 1)?)));
        let _ = match around {
            None if at == 0 => write!(out, "M{x} {y}"),
            None => write!(out, "L{x} {y}"),
            Some((before, after)) => {
                let length = |p: &[i32; 2]| (p[0] - x).abs() + (p[1] - y).abs();
                let radius = CORNER.min(length(before) / 2).min(length(after) / 2);
                let near =
                    |p: &[i32; 2]| [x + (p[0] - x).signum() * radius, y + (p[1] - y).signum() * radius];
                let ([ax, ay], [bx, by]) = (near(before), near(after));
                write!(out, "L{ax} {ay}Q{x} {y} {bx} {by}")
            }
        };
    }
    out
}

/// A description of a block for screen readers: its kind and its edges.
pub(super) fn describe(state: &State, id: u32) -> Option<String> {
    let graph = &state.shown.graph;
    let block = graph.block(id)?;
    let mut out = state::row_label(graph, Row::Block(id));
    if let Some(band) = block.band.and_then(|at| graph.bands.get(at)) {
        let _ = write!(out, ", in a loop of depth {}", band.depth);
    }
    let lines = graph.lines.iter().filter(|line| line.ends[0] == id).count();
    for nth in 0..lines {
        out.push_str(", ");
        out.push_str(&state::row_label(graph, Row::Edge(id, nth)));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{GraphPicture, StyledText, Table, Utf8};

    fn sample() -> Graph {
        let text = StyledText {
            text: Utf8("^0:\n  a < b\n^1:\n".to_owned()),
            spans: Table::from_words(vec![0, 2, 1, 1, 10, 12, 2, 1, 1, 11]),
            ..StyledText::default()
        };
        let blocks = [10, 0, 0, 50, 40, 0, 2, 9, 1, 0, 1, 0, 11, 0, 80, 50, 20, 2, 1, 4, -1, -1, 2, 0];
        let lines = [1, 1, 10, 11, 5, 50, 3, 25, 40, 25, 60, 99, 60];
        Graph::of(GraphPicture {
            extent: [0, 0, 50, 100],
            blocks: Table::from_numbers(blocks.to_vec()),
            loops: Table::from_numbers(vec![0, 0, 50, 100, 1, 10]),
            edges: Table::from_numbers(lines.to_vec()),
            labels: vec!["T".to_owned()],
            text,
            summaries: Vec::new(),
            trips: vec!["trip count 4".to_owned()],
            hidden: Table::default(),
        })
    }

    #[test]
    fn the_part_in_view_is_markup_and_escaped() {
        let classes = ["plain", "block"].map(str::to_owned);
        let all = scene(&sample(), &classes, [0, 0, 100, 100]);
        assert!(all.contains("<tspan class=\"t-block link\" data-id=10>^0</tspan>"), "{all}");
        assert!(
            all.contains("a &lt; b") && all.contains("edge true back") && all.contains(">T</text>"),
            "{all}"
        );
        assert_eq!(all.matches("data-block=").count(), 2);
        let upper = scene(&sample(), &classes, [0, 0, 100, 50]);
        assert_eq!(upper.matches("data-block=").count(), 1);
        assert!(all.contains("<text class=more data-open=10"), "a line that opens the rest");
        assert!(all.contains("data-loop=10") && all.contains("class=\"pin\""));
    }

    #[test]
    fn a_loop_is_labeled_by_what_fits_into_its_head() {
        let mut graph = sample();
        let label = |graph: &Graph| loop_label(graph, &graph.bands[0], &graph.trips[0]);
        assert_eq!(label(&graph), "loop");
        graph.bands[0].rect[2] = 60;
        assert_eq!(label(&graph), "loop");
        graph.bands[0].rect[2] = 75;
        assert_eq!(label(&graph), "loop ^0");
        graph.bands[0].rect[2] = 300;
        assert_eq!(label(&graph), "loop ^0 · trip count 4 · depth 1");
    }

    #[test]
    fn corners_are_as_round_as_their_edges_are_long() {
        assert_eq!(path(&[[0, 0], [0, 20], [30, 20]]), "M0 0L0 14Q0 20 6 20L30 20");
        assert_eq!(path(&[[0, 0], [0, 4], [30, 4]]), "M0 0L0 2Q0 4 2 4L30 4");
    }

    #[test]
    fn a_block_can_be_heard() {
        let mut state = State::default();
        state.shown.graph = sample();
        assert_eq!(
            describe(&state, 10).as_deref(),
            Some("Block ^0, 1 instruction, entry, pinned, in a loop of depth 1, true back edge to block ^1")
        );
        assert!(describe(&state, 11).is_some_and(|text| text.ends_with("changed in this step")));
        assert_eq!(describe(&state, 12), None);
    }
}

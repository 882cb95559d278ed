//! The graph of a program as a small SVG picture: blocks with their lines of text, and edges.
//!
//! Colors have enough contrast on light and on dark ground.

use std::fmt::Write;
use vitrine_core::ir::Module;
use vitrine_core::text::print_module;
use vitrine_core::view_model::{Session, View};

/// Plain edges, and those of a true and of a false condition.
const EDGES: [&str; 4] = ["#8a8f98", "#3d8fd6", "#d98a2b", "#8a8f98"];
const BACK: &str = "#a66bd0";
/// Space around the graph, in its own pixels.
const MARGIN: i32 = 12;

/// The picture of the first entry point, or of the largest function.
pub(super) fn svg(module: &Module) -> String {
    let mut session = Session::new();
    session.open(print_module(module).as_bytes(), "");
    session.set_view(View::default());
    let function = session.first_choice().expect("a function with a body");
    let graph = session.graph(0, function);
    let [left, top, width, height] = graph.extent;
    // Pictures are squares.
    let side = width.max(height) + 2 * MARGIN;
    let (x, y) = (left - (side - width) / 2, top - (side - height) / 2);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x} {y} {side} {side}\" fill=\"none\" stroke-width=\"{}\">",
        stroke(side, 90)
    );
    for loops in graph.bands.chunks(6) {
        let [x, y, width, height] = [loops[0], loops[1], loops[2], loops[3]];
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{BACK}\" fill-opacity=\".1\"/>"
        );
    }
    let mut lines = graph.lines.as_slice();
    while let [kind, up, _, _, _, _, count, rest @ ..] = lines {
        let (points, after) = rest.split_at(2 * *count as usize);
        let points: Vec<String> = points.chunks(2).map(|at| format!("{} {}", at[0], at[1])).collect();
        let color = if *up == 1 { BACK } else { EDGES[(*kind).clamp(0, 3) as usize] };
        let _ = write!(out, "<path stroke=\"{color}\" d=\"M{}\"/>", points.join("L"));
        lines = after;
    }
    let texts: Vec<&str> = graph.text.text.lines().collect();
    for block in graph.blocks.chunks(12) {
        let [x, y, width, height, first, count] =
            [block[1], block[2], block[3], block[4], block[5], block[6]];
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" stroke=\"#8a8f98\" fill=\"#8a8f98\" fill-opacity=\".16\"/>"
        );
        let row = height / count.max(1);
        let mut path = String::new();
        for (at, line) in (0..).zip(texts.iter().skip(first as usize).take(count as usize)) {
            let length = (line.trim().chars().count() as i32 * 7).min(width - 20);
            let indent = (line.len() - line.trim_start().len()) as i32 * 7;
            if length > 0 {
                let _ = write!(
                    path,
                    "M{} {}h{}",
                    x + 10 + indent,
                    y + row * at + row / 2,
                    (length - indent).max(8)
                );
            }
        }
        if !path.is_empty() {
            let _ = write!(
                out,
                "<path stroke=\"#8a8f98\" stroke-opacity=\".7\" stroke-width=\"{}\" d=\"{path}\"/>",
                stroke(row * 3, 8)
            );
        }
    }
    out + "</svg>\n"
}

/// A width of lines that is a part of a length.
fn stroke(length: i32, part: i32) -> i32 {
    (length / part).max(1)
}

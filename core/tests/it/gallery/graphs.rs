//! The graph of a program as a small SVG picture: blocks with their lines of text, and edges.
//!
//! Colors have enough contrast on light and on dark ground.

use std::fmt::Write;
use vitrine_core::ir::Module;
use vitrine_core::text::print_module;
use vitrine_core::view_model::Session;
use vitrine_protocol::GraphOptions;
use vitrine_protocol::layout::edges;

/// Plain edges, and those of a true and of a false condition.
const EDGES: [&str; 4] = ["#8a8f98", "#3d8fd6", "#d98a2b", "#8a8f98"];
const BACK: &str = "#a66bd0";
/// Space around the graph, in its own pixels.
const MARGIN: i32 = 12;

/// The picture of the first entry point, or of the largest function.
pub(super) fn svg(module: &Module) -> String {
    let mut session = Session::new();
    session.open(print_module(module).as_bytes(), "");
    session.set_view(GraphOptions::default());
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
    for of in graph.loops.entries() {
        let [x, y, width, height] = of.rect;
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{BACK}\" fill-opacity=\".1\"/>"
        );
    }
    for (edge, points) in edges(&graph.edges) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x} {y}")).collect();
        let color = if edge.back == 1 { BACK } else { EDGES[edge.kind() as usize] };
        let _ = write!(out, "<path stroke=\"{color}\" d=\"M{}\"/>", points.join("L"));
    }
    let texts: Vec<&str> = graph.text.text.0.lines().collect();
    for block in graph.blocks.entries() {
        let [x, y, width, height] = block.rect;
        let [first, count] = [block.first_line, block.lines].map(|number| number as usize);
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" stroke=\"#8a8f98\" fill=\"#8a8f98\" fill-opacity=\".16\"/>"
        );
        let row = height / count.max(1) as i32;
        let mut path = String::new();
        for (at, line) in (0..).zip(texts.iter().skip(first).take(count)) {
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

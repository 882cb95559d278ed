//! What the page comes with: its example, read and drawn, before any script runs.
//!
//! Drawn by the same functions as the live page, so that the live one takes its place without a jump. Only for
//! `examples/still.rs`, which `cargo xtask dist` runs; nothing of it is in the page's module.

use std::fmt::Write;

use crate::dom::escape_into;
use crate::state::{Camera, State};
use crate::view::{graph, input, output, timeline};

/// The pane of the graph on a large screen, in px; `www/still.js` looks for itself.
const PANE: [i32; 2] = [604, 690];
/// More rows than most screens have.
const ROWS: usize = 60;

/// What goes into the holes of `www/index.html`, by their names: `{{still:NAME}}`.
pub fn holes(state: &State) -> Vec<(&'static str, String)> {
    let shown = &state.shown;
    let mut camera = Camera { pane: PANE, ..Camera::default() };
    camera.first_look(shown.graph.extent);
    let mut rows = String::new();
    (0..shown.document.line_count().min(ROWS)).for_each(|line| output::draw_line(&mut rows, state, line));
    let at = state.shown_at();
    let mark = format!("data-at={at} ");
    let steps = timeline::chips(state).replacen(&mark, &format!("{mark}aria-current=step "), 1);
    let [x, y, width, height] = shown.graph.extent;
    vec![
        ("name", escaped(&input::name(state))),
        ("gutter", gutter(&state.input.text)),
        ("functions", graph::options(state)),
        ("extent", format!("{x} {y} {width} {height}")),
        ("place", graph::transform(camera)),
        ("scene", graph::picture(state)),
        ("rows", rows),
        ("step", timeline::told(state)),
        ("steps", steps),
        ("pipeline", escaped(&state.pipeline)),
    ]
}

fn gutter(text: &str) -> String {
    let mut html = String::new();
    for line in 1..=text.split('\n').count().min(ROWS) {
        let _ = write!(html, "<div>{line}</div>");
    }
    html
}

fn escaped(text: &str) -> String {
    let mut html = String::new();
    escape_into(&mut html, text);
    html
}

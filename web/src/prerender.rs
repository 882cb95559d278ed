//! The prerendered parts of the page: its example, compiled and drawn before any script runs.
//!
//! Drawn by the same functions as the live page, so that the live page replaces it without a shift. Only for
//! `examples/prerender.rs`, which `cargo xtask dist` runs; the page's module does not contain it.

use std::fmt::Write;

use crate::dom::escape_into;
use crate::state::{Camera, State};
use crate::view::{graph, input, output, timeline};

/// The pane of the graph on a large screen, in px; `www/prerender.js` corrects it.
const PANE: [i32; 2] = [604, 690];
/// More rows than most screens show.
const ROWS: usize = 60;

/// The contents of the placeholders of `www/index.html`, by name: `{{prerender:NAME}}`.
pub fn holes(state: &State) -> Vec<(&'static str, String)> {
    let shown = &state.shown;
    let mut camera = Camera { pane: PANE, ..Camera::default() };
    camera.first_look(shown.graph.extent, shown.graph.entry);
    let mut rows = String::new();
    (0..shown.document.line_count().min(ROWS)).for_each(|line| output::draw_line(&mut rows, state, line));
    let at = state.shown_at();
    let mark = format!("data-at={at} ");
    let steps = timeline::chips(state).replacen(&mark, &format!("{mark}aria-current=step "), 1);
    let places = [shown.graph.extent, shown.graph.entry].concat();
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    vec![
        ("name", escaped(&input::name(state))),
        ("gutter", gutter(&state.input.text)),
        ("functions", graph::options(state)),
        ("extent", places.join(" ")),
        ("place", graph::transform(camera)),
        ("scene", graph::picture(state)),
        ("rows", rows),
        ("step", timeline::describe(state)),
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

//! The prerendered parts of the page: its example, compiled and drawn before any script runs; and the programs of lessons.
//!
//! Drawn by the same functions as the live page, so that the live page replaces it without a shift. Only for
//! `examples/prerender.rs`, `examples/lessons.rs` and `examples/course.rs`, which `cargo xtask dist` runs; the page's module does not contain it.

use std::fmt::Write;

use crate::dom::escape_into;
use crate::state::{Camera, Document, State};
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

/// A text of a lesson (`www/lesson.js` draws the same); lines that `before` does not contain are marked.
pub fn lesson(document: &Document, classes: &[&str], before: Option<&Document>) -> String {
    let old: Vec<&str> =
        before.map_or_else(Vec::new, |of| (0..of.line_count()).map(|at| of.line(at)).collect());
    let mut html = String::new();
    for line in 0..document.line_count() {
        let words = document.line(line);
        let is_new = before.is_some() && !words.trim().is_empty() && !old.contains(&words);
        html.push_str(if is_new { "<span class=new>" } else { "<span>" });
        for piece in document.pieces(line) {
            let class = piece.span.and_then(|span| classes.get(document.span(span).class as usize));
            if let Some(class) = class {
                let _ = write!(html, "<span class=t-{class}>");
            }
            escape_into(&mut html, piece.text);
            html.push_str(if class.is_some() { "</span>" } else { "" });
        }
        html.push_str("</span>\n");
    }
    html
}

/// A graph of a lesson (`www/learn.js` makes the same): the picture of the back end `svg` without its own style and title, with
/// the name of each block and the classes of its marks.
pub fn flow(svg: &str, marks: &[(&str, Vec<String>)]) -> String {
    let (head, rest) = svg.split_once("<title").unwrap_or((svg, ""));
    let head = head.replace(" role=\"img\" aria-labelledby=\"title\"", "");
    let body = rest.split_once("</style>\n").map_or(rest, |(_, body)| body);
    let mut html = head;
    let mut lines = body.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(box_of) = line.strip_prefix("<rect class=\"box\"") else {
            html.push_str(line);
            html.push('\n');
            continue;
        };
        let name = lines.peek().map_or_else(String::new, |next| block_name(next));
        let classes = marks.iter().filter(|(_, blocks)| blocks.contains(&name));
        let classes: String = classes.map(|(class, _)| format!(" {class}")).collect();
        let _ = writeln!(html, "<rect class=\"box{classes}\" data-block=\"{name}\"{box_of}");
    }
    html
}

/// A text of a lesson with the classes of marked values.
pub fn with_values(html: &str, marks: &[(&str, Vec<String>)]) -> String {
    let begin = "<span class=t-value>";
    let mut parts = html.split(begin);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split('<').next().unwrap_or_default();
        // `%x_4` is `%4`.
        let number = name.rsplit(['_', '%']).next().unwrap_or_default();
        let classes = marks.iter().filter(|(_, names)| names.contains(&format!("%{number}")));
        let classes: String = classes.map(|(class, _)| format!(" {class}")).collect();
        let open =
            if classes.is_empty() { begin.to_owned() } else { format!("<span class=\"t-value{classes}\">") };
        out.push_str(&open);
        out.push_str(part);
    }
    out
}

/// The name in the first line of a block: `^1` of `^1(%2: b32):`, without its elements.
fn block_name(line: &str) -> String {
    let words = line.split('<').map(|part| part.split_once('>').map_or(part, |(_, words)| words));
    let words: String = words.collect();
    let end = |c: char| c != '^' && !c.is_ascii_digit();
    words.trim().split(end).next().unwrap_or_default().to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_graph_have_names_and_marks() {
        let svg = "<svg a role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">t</title>\n<style>s</style>\n\
                   <rect class=\"box\" x=\"1\"/>\n<text><tspan class=\"block\">^12</tspan>(%3: b32)</text>\n</svg>\n";
        let html = flow(svg, &[("marked", vec!["^12".to_owned()]), ("frontier", vec!["^1".to_owned()])]);
        let expected = "<svg a>\n<rect class=\"box marked\" data-block=\"^12\" x=\"1\"/>\n\
                        <text><tspan class=\"block\">^12</tspan>(%3: b32)</text>\n</svg>\n";
        assert_eq!(html, expected);
    }

    #[test]
    fn marked_values_are_found_by_their_numbers() {
        let html = "<span class=t-value>%x_4</span> <span class=t-value>%14</span>";
        let marks = [("divergent", vec!["%4".to_owned()])];
        let expected = "<span class=\"t-value divergent\">%x_4</span> <span class=t-value>%14</span>";
        assert_eq!(with_values(html, &marks), expected);
    }

    #[test]
    fn a_lesson_marks_new_lines_of_a_stage() {
        let before = Document::new("a <\n".to_owned(), &[]);
        let after = Document::new("a <\nb c\n".to_owned(), &[6, 1, 1, 0, 0]);
        let html = lesson(&after, &["plain", "qptr"], Some(&before));
        assert_eq!(html, "<span>a &lt;</span>\n<span class=new>b <span class=t-qptr>c</span></span>\n");
        assert!(!lesson(&after, &[], None).contains("class"));
    }
}

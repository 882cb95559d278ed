//! Texts and graphs of lessons as HTML; `www/learn.js` draws the same ones on the page.

use crate::view_model::figures::styled_lines;
use std::fmt::Write;
use vitrine_protocol::StyledText;

/// The classes of entities that are marked.
pub(super) type Marks = [(&'static str, Vec<String>)];

/// A text, a line in an element; lines that `before` does not contain are marked.
pub fn text(of: &StyledText, before: Option<&StyledText>) -> String {
    let old: Vec<&str> = before.map_or_else(Vec::new, |of| of.text.lines().collect());
    let mut html = String::new();
    for (line, words) in of.text.lines().zip(styled_lines(of)) {
        let is_new = before.is_some() && !line.trim().is_empty() && !old.contains(&line);
        html.push_str(if is_new { "<span class=new>" } else { "<span>" });
        html.push_str(&words);
        html.push_str("</span>\n");
    }
    html
}

/// A text without the declarations before its first function.
pub(super) fn functions(html: &str) -> String {
    let is_function = |line: &str| line.contains("<span class=t-keyword>func ");
    match html.split_inclusive('\n').position(is_function) {
        Some(at) => html.split_inclusive('\n').skip(at).collect(),
        None => html.to_owned(),
    }
}

/// A graph: the picture of the back end `svg` without its own style and title, with the name of each block and the classes of
/// its marks.
pub(super) fn graph(svg: &str, marks: &Marks) -> String {
    let (head, rest) = svg.split_once("<title").unwrap_or((svg, ""));
    let mut html = head.replace(" role=\"img\" aria-labelledby=\"title\"", "");
    let body = rest.split_once("</style>\n").map_or(rest, |(_, body)| body);
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

/// A text with the classes of marked values.
pub(super) fn with_values(html: &str, marks: &Marks) -> String {
    let begin = "<span class=t-value>";
    let mut parts = html.split(begin);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split('<').next().unwrap_or_default();
        // `%x_4` is `%4`.
        let number = name.rsplit(['_', '%']).next().unwrap_or_default();
        let classes = marks.iter().filter(|(_, names)| names.contains(&format!("%{number}")));
        let classes: String = classes.map(|(class, _)| format!(" {class}")).collect();
        match classes.is_empty() {
            true => out.push_str(begin),
            false => {
                let _ = write!(out, "<span class=\"t-value{classes}\">");
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_model::class_names;
    use vitrine_protocol::layout::SpanEntry;
    use vitrine_protocol::{Table, Utf8};

    #[test]
    fn blocks_of_a_graph_have_names_and_marks() {
        let svg = "<svg a role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">t</title>\n<style>s</style>\n\
                   <rect class=\"box\" x=\"1\"/>\n<text><tspan class=\"block\">^12</tspan>(%3: b32)</text>\n</svg>\n";
        let html = graph(svg, &[("marked", vec!["^12".to_owned()]), ("frontier", vec!["^1".to_owned()])]);
        let expected = "<svg a>\n<rect class=\"box marked\" data-block=\"^12\" x=\"1\"/>\n\
                        <text><tspan class=\"block\">^12</tspan>(%3: b32)</text>\n</svg>\n";
        assert_eq!(html, expected);
    }

    #[test]
    fn marked_values_are_found_by_their_numbers() {
        let html = "<span class=t-value>%x_4</span> <span class=t-value>%14</span>";
        let expected = "<span class=\"t-value divergent\">%x_4</span> <span class=t-value>%14</span>";
        assert_eq!(with_values(html, &[("divergent", vec!["%4".to_owned()])]), expected);
    }

    #[test]
    fn new_lines_of_a_version_are_marked() {
        let styled = |text: &str, spans: &[SpanEntry]| StyledText {
            text: Utf8(text.to_owned()),
            spans: Table::of(spans),
            ..StyledText::default()
        };
        let span = SpanEntry { start: 6, len: 1, class: 0, link: 0, id: 0 };
        let html = text(&styled("a <\nb c\n", &[span]), Some(&styled("a <\n", &[])));
        let class = class_names()[0];
        assert_eq!(
            html,
            format!("<span>a &lt;</span>\n<span class=new>b <span class=t-{class}>c</span></span>\n")
        );
        assert!(!text(&styled("a\n", &[]), None).contains("class"));
    }
}

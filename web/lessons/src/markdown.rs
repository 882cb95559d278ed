//! Markdown as HTML, with addresses for sections and with the colors of the IR for its names.
//!
//! ```text
//! ## Back edges          <h2 id="back-edges">
//! `^1`                   <code class="t-block">: a block has the same color in text and figures
//! ```
//!
//! Raw HTML is refused: a lesson is text.

use crate::reserved::is_reserved;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// The first letters of names of the IR, and the classes of their tokens.
const NAMES: [(char, &str); 3] = [('^', "t-block"), ('%', "t-value"), ('$', "t-name")];

/// The largest number of letters of code that is not broken: what a line of a phone holds.
const MOST_IN_LINE: usize = 32;

/// The events of a text, with the extensions that lessons use.
pub fn events(text: &str) -> Vec<Event<'_>> {
    Parser::new_ext(text, Options::ENABLE_TABLES).collect()
}

/// A text as HTML. Errors: a sentence.
pub fn to_html(text: &str) -> Result<String, String> {
    let mut events = events(text);
    for at in 0..events.len() {
        match &events[at] {
            Event::Html(raw) | Event::InlineHtml(raw) => {
                return Err(format!("`{raw}`: a lesson has no HTML"));
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                let id = section(&heading(&events[at..]));
                events[at] = Event::Start(Tag::Heading {
                    level: HeadingLevel::H2,
                    id: Some(CowStr::from(id)),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                });
            }
            Event::Code(code) => {
                let name = NAMES.iter().find(|(first, _)| code.starts_with(*first)).map(|(_, name)| *name);
                let long = (code.chars().count() > MOST_IN_LINE).then_some("long");
                let classes: Vec<&str> = name.into_iter().chain(long).collect();
                let class = if classes.is_empty() {
                    String::new()
                } else {
                    format!(" class=\"{}\"", classes.join(" "))
                };
                let code = escape(code);
                events[at] = Event::InlineHtml(CowStr::from(format!("<code{class}>{code}</code>")));
            }
            _ => {}
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, code_blocks(text, events).into_iter());
    Ok(out)
}

/// Replaces code blocks by elements that a keyboard can scroll.
fn code_blocks<'t>(text: &'t str, replaced: Vec<Event<'t>>) -> Vec<Event<'t>> {
    let mut out = Vec::with_capacity(replaced.len());
    let mut language = None;
    for (event, original) in replaced.into_iter().zip(events(text)) {
        match original {
            Event::Start(Tag::CodeBlock(kind)) => {
                let name = match kind {
                    CodeBlockKind::Fenced(name) if !name.is_empty() => name.into_string(),
                    CodeBlockKind::Fenced(_) | CodeBlockKind::Indented => "text".to_owned(),
                };
                let label = if name == "glsl" { "The same in GLSL" } else { "Code" };
                out.push(Event::Html(CowStr::from(format!(
                    "<pre class=\"glsl\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\">"
                ))));
                language = Some(name);
            }
            Event::End(TagEnd::CodeBlock) => {
                out.push(Event::Html(CowStr::from("</pre>\n")));
                language = None;
            }
            Event::Text(code) if language.is_some() => {
                out.push(Event::Html(CowStr::from(escape(code.trim_end()))));
            }
            _ => out.push(event),
        }
    }
    out
}

/// A text of one paragraph, without the element of the paragraph.
pub fn inline(text: &str) -> Result<String, String> {
    let html = to_html(text)?;
    let html = html.trim();
    Ok(html.strip_prefix("<p>").and_then(|html| html.strip_suffix("</p>")).unwrap_or(html).to_owned())
}

/// The words of the heading with which the events begin.
pub fn heading(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    inside.filter_map(words).collect()
}

/// The text of an event that is text or code.
pub fn words<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        Event::SoftBreak | Event::HardBreak => Some(" "),
        _ => None,
    }
}

/// The address of a section, which is none of the page's own ids.
pub fn section(heading: &str) -> String {
    let id = slug(heading);
    if is_reserved(&id) { format!("{id}-section") } else { id }
}

/// A heading as an address.
pub fn slug(heading: &str) -> String {
    let letters = heading.to_lowercase();
    let words = letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// A text with the characters of HTML escaped.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_ir_have_their_colors_and_sections_their_addresses() {
        let html = to_html("## Back edges, `^1`\n\nThe block `^1` < *2*.\n").unwrap();
        assert!(html.contains("<h2 id=\"back-edges-1\">"), "{html}");
        assert_eq!(section("Memory"), "memory-section");
        assert!(html.contains("<code class=\"t-block\">^1</code> &lt; <em>2</em>"), "{html}");
        assert_eq!(inline("A `b`.").unwrap(), "A <code>b</code>.");
        let long = "x".repeat(33);
        assert_eq!(inline(&format!("`{long}`")).unwrap(), format!("<code class=\"long\">{long}</code>"));
        assert!(to_html("a <b>c</b>").is_err());
    }

    #[test]
    fn a_code_block_can_be_scrolled_with_the_keyboard() {
        let html = to_html("```glsl\nif (a < b) {}\n```\n").unwrap();
        assert_eq!(
            html.trim(),
            "<pre class=\"glsl\" tabindex=\"0\" role=\"group\" aria-label=\"The same in GLSL\">if (a &lt; b) {}</pre>"
        );
    }
}

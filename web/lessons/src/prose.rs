//! The prose of a lesson, for its rules: sections, links, sentences.

use crate::markdown::{events, heading, words};
use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

/// The sections of a text: the words of its headings of level 2.
pub(crate) fn sections(text: &str) -> Vec<String> {
    let events = events(text);
    let is_section =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }));
    (0..events.len()).filter(|&at| is_section(&events[at])).map(|at| heading(&events[at..])).collect()
}

/// The addresses of the links in a text.
pub(crate) fn links(text: &str) -> Vec<String> {
    let link = |event: Event<'_>| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    events(text).into_iter().filter_map(link).collect()
}

/// The sentences of a text, without headings, tables and code blocks.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let (mut paragraph, mut skipped) = (String::new(), 0);
    for event in &events(text) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Table(_)) => skipped += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table) => skipped -= 1,
            Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                out.extend(split(&std::mem::take(&mut paragraph)));
            }
            // A name of the IR may end with a sign that ends sentences.
            Event::Code(_) if skipped == 0 => paragraph.push_str("code"),
            _ if skipped == 0 => paragraph.push_str(words(event).unwrap_or_default()),
            _ => {}
        }
    }
    out.extend(split(&paragraph));
    out
}

fn split(paragraph: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let ends = word.trim_end_matches(['"', ')', '”']).ends_with(['.', '?', '!']);
        if let Some(last) = out.last_mut() {
            last.push_str(word);
            last.push(' ');
        }
        if ends {
            out.push(String::new());
        }
    }
    out.retain(|sentence| !sentence.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_leave_out_headings_and_code() {
        let found =
            sentences("## A b. C\n\nOne two. Three `x.` four?\n\n```\nnot. this.\n```\n- Five\n- six.\n");
        assert_eq!(found, ["One two. ", "Three code four? ", "Five ", "six. "]);
        assert_eq!(links("[a](../b/) and [c](#d)"), ["../b/", "#d"]);
        assert_eq!(sections("# A\n## B `c`\n"), ["B c"]);
    }
}

//! The index of the search: a title, a kind, an address and a few words for each term, entry and section of a lesson.
//!
//! One JSON file, which `www/reference.js` loads when the field is first used. Long sentences are cut: they are only shown to
//! distinguish entries, and searched for words at their beginning.

use super::glossary::Glossary;
use super::records::Record;
use std::fmt::Write;
use vitrine_lessons::{Lesson, Part, markdown};

/// The file of the index in the site.
pub const FILE: &str = "search.json";

/// The most characters of a sentence.
const MOST: usize = 90;

/// The index as JSON: an array of `[title, kind, address, words]`.
pub fn index(records: &[Record], glossary: &Glossary, lessons: &[Lesson]) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for term in &glossary.0 {
        let forms = term.forms.join(", ");
        rows.push([forms, "term".to_owned(), format!("glossary/#{}", term.slug()), cut(&term.text)]);
    }
    for lesson in lessons {
        let address = format!("learn/{}/", lesson.slug);
        rows.push([lesson.title.clone(), "lesson".to_owned(), address.clone(), cut(&lesson.summary)]);
        for part in &lesson.parts {
            let Part::Text(text) = part else { continue };
            for heading in text.lines().filter_map(|line| line.strip_prefix("## ")) {
                let id = markdown::section(&heading.replace('`', ""));
                let title = heading.replace('`', "");
                rows.push([title, "lesson".to_owned(), format!("{address}#{id}"), lesson.title.clone()]);
            }
        }
    }
    for record in records {
        rows.push([record.name.clone(), record.kind.clone(), record.address(), cut(&record.summary)]);
    }
    let rows: Vec<String> =
        rows.iter().map(|row| format!("[{}]", row.each_ref().map(|text| quoted(text)).join(","))).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// The beginning of a text in one line, without marks of code.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        let _ = match letter {
            '"' | '\\' => write!(out, "\\{letter}"),
            letter if letter < ' ' => write!(out, "\\u{:04x}", u32::from(letter)),
            letter => write!(out, "{letter}"),
        };
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_lessons_and_entries_are_found() {
        let glossary = Glossary::read("# A\n## edge | edges\nA `jump` \"x\".\n").unwrap();
        let [kind, name, group] = ["pass", "dce", ""].map(str::to_owned);
        let records = [Record { kind, name, group, summary: "x".repeat(200), blocks: Vec::new() }];
        let lesson = Lesson {
            slug: "cfg".to_owned(),
            title: "CFG".to_owned(),
            parts: vec![Part::Text("## The `a` edge\n".to_owned())],
            ..Lesson::default()
        };
        let index = index(&records, &glossary, &[lesson]);
        assert!(
            index.contains("[\"edge, edges\",\"term\",\"glossary/#edge\",\"A jump \\\"x\\\".\"]"),
            "{index}"
        );
        assert!(index.contains("\"learn/cfg/#the-a-edge\""), "{index}");
        assert!(index.contains(&format!("\"ref/pass/dce/\",\"{}…\"", "x".repeat(MOST))), "{index}");
    }
}

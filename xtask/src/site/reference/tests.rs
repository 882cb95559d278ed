//! Rules for the glossary of `www/reference`, and for the terms of the lessons.
//!
//! The pages of entries are checked when the site is built: `links::check` and `slugs::check` see all of them.

use super::glossary::{Glossary, link_lessons};
use super::{SOURCES, Sources, add_packed, add_pages, links, pages, take};
use crate::site::lessons;
use crate::site::{Files, read_folder};
use std::collections::BTreeSet;
use std::path::Path;
use vitrine_lessons::Part;

/// The most characters of a definition: three lines of the page.
const MOST_LETTERS: usize = 270;

/// Words in bold that are not terms: they introduce the entries of a list.
const NO_TERMS: [&str; 6] = ["Inputs", "Rounding", "Columns", "Memory", "Quasi-pointers", "Reduction"];

fn site() -> (Sources, lessons::Course, Files) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www");
    let mut files = Files::new();
    read_folder(&root, "", &mut files).unwrap();
    let sources = take(&mut files).unwrap();
    let course = lessons::take(&mut files).unwrap();
    lessons::add_pages(&course, &mut files).unwrap();
    add_pages(&sources, course.lessons(), &mut files).unwrap();
    link_lessons(&sources.glossary, &mut files);
    (sources, course, files)
}

#[test]
fn every_term_is_short_and_unique_and_has_links() {
    let (Sources { glossary: Glossary(terms), .. }, ..) = site();
    assert!(terms.len() >= 84, "{}", terms.len());
    let slugs: BTreeSet<String> = terms.iter().map(|term| term.slug()).collect();
    assert_eq!(slugs.len(), terms.len(), "two terms have the same address");
    let forms: Vec<String> =
        terms.iter().flat_map(|term| &term.forms).map(|form| form.to_lowercase()).collect();
    let unique: BTreeSet<&String> = forms.iter().collect();
    assert_eq!(unique.len(), forms.len(), "two terms have the same form");
    for term in &terms {
        let letters = term.text.chars().count();
        assert!((20..=MOST_LETTERS).contains(&letters), "{}: {letters} letters", term.name());
        assert!(!term.see.is_empty(), "{}: links to a lesson or an entry are missing", term.name());
        let figure = term.figure.as_ref().map(|(program, _)| format!("../www/learn/{program}"));
        let missing = figure.filter(|path| !Path::new(env!("CARGO_MANIFEST_DIR")).join(path).is_file());
        assert_eq!(missing, None, "{}", term.name());
    }
}

/// A lesson shows a term in bold where it introduces it.
#[test]
fn every_term_of_a_lesson_is_in_the_glossary() {
    let (sources, course, files) = site();
    let mut missing = BTreeSet::new();
    for lesson in course.lessons() {
        let texts = lesson.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            _ => None,
        });
        let bold = texts.flat_map(|text| text.split("**").skip(1).step_by(2));
        for words in bold.filter(|words| !NO_TERMS.contains(words)) {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            match sources.glossary.find(&words) {
                Some(term) => {
                    let page = &files[&format!("learn/{}/index.html", lesson.slug)];
                    let link = format!("../../glossary/#{}", term.slug());
                    assert!(String::from_utf8_lossy(page).contains(&link), "{}: {words}", lesson.slug);
                }
                None => {
                    missing.insert(format!("{}: {words}", lesson.slug));
                }
            }
        }
    }
    assert!(missing.is_empty(), "these are not in www/{SOURCES}glossary.md: {missing:?}");
}

#[test]
fn every_link_of_the_glossary_and_the_lessons_resolves() {
    let (sources, course, mut files) = site();
    add_packed(&sources, course.lessons(), None, &mut files).unwrap();
    assert!(!files.contains_key(super::TEMPLATE) && files.contains_key("search.json"));
    assert_eq!(links::check(&files), Ok(()));
}

#[test]
fn every_kind_of_the_records_has_pages_with_links() {
    let (sources, course, mut files) = site();
    let record = |kind: &str, name: &str, text: &str| {
        format!("@page {kind}\t{name}\tGroup\tA <b> `dce`.\n@markdown {}\n{text}\n", text.len())
    };
    let records: String =
        pages::KINDS.iter().map(|(kind, ..)| record(kind, "dce", "See `dce`, x < y.")).collect();
    // Released addresses and links of the glossary lead to entries that these records do not have.
    let wrong = add_packed(&sources, course.lessons(), Some(&records), &mut files).unwrap_err();
    assert!(format!("{wrong:?}").contains("ref/"), "{wrong:?}");
    let page = String::from_utf8_lossy(&files["ref/op/dce/index.html"]).into_owned();
    assert!(page.contains("x &lt; y") && page.contains("../../../learn/"), "{page}");
    let list = String::from_utf8_lossy(&files["ref/rule/index.html"]).into_owned();
    assert!(list.contains("<a href=\"dce/\">") && list.contains("A &lt;b&gt;"), "{list}");
    assert!(files.contains_key("ref/index.html"));
}

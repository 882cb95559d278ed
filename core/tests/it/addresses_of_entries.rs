//! The addresses of the reference and the glossary that were released: none ever disappears without a redirect.
//!
//! `BLESS=1` adds the addresses of new entries to `www/reference/slugs.txt`; nothing removes one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use vitrine_core::catalog::{Entry, EntryKind, entries};

fn source(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../www/reference").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(source(name)).unwrap_or_else(|error| panic!("www/reference/{name}: {error}"))
}

/// The lines of a file that are no comments.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("//"))
}

/// The addresses of the terms, as `xtask/src/site/reference/glossary.rs` makes them.
fn terms() -> Vec<String> {
    let slug = |term: &str| {
        let letters = term.to_lowercase();
        let words = letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    };
    let text = read("glossary.md");
    let names = text.lines().filter_map(|line| line.strip_prefix("## "));
    names
        .map(|forms| format!("glossary/#{}", slug(forms.split('|').next().unwrap_or_default().trim())))
        .collect()
}

#[test]
fn a_released_address_has_a_page_or_a_redirect() {
    let mut today: BTreeSet<String> = entries().iter().map(Entry::address).collect();
    today.extend(terms());
    let (list, table) = (read("slugs.txt"), read("redirects.txt"));
    let redirects: BTreeMap<&str, &str> = lines(&table).filter_map(|line| line.split_once(' ')).collect();
    for (old, new) in &redirects {
        assert!(!today.contains(*old), "{old} is the address of another page");
        assert!(today.contains(*new), "{old} is redirected to {new}, which does not exist");
    }
    let lost: Vec<&str> =
        lines(&list).filter(|slug| !today.contains(*slug) && !redirects.contains_key(slug)).collect();
    assert!(lost.is_empty(), "add lines to www/reference/redirects.txt for {lost:?}");
    if std::env::var("BLESS").is_ok_and(|value| value == "1") {
        let head: Vec<&str> = list.lines().filter(|line| line.starts_with("//")).collect();
        let all: BTreeSet<&str> = lines(&list).chain(today.iter().map(String::as_str)).collect();
        let text = head.into_iter().chain(all).collect::<Vec<_>>().join("\n") + "\n";
        std::fs::write(source("slugs.txt"), text).expect("the list can be written");
    }
    assert!(lines(&read("slugs.txt")).count() > 1000, "the list of addresses is empty");
}

/// An address is a path of a page: entries of a kind have different ones, also where upper and lower case are the same.
#[test]
fn every_entry_has_an_address_of_its_own() {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for entry in entries() {
        let address = entry.address();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        assert!(address.chars().all(is_plain), "{address}");
        if let Some(other) = known.insert(address.to_lowercase(), entry.name) {
            panic!("{} and {other} have the address {address}", entry.name);
        }
    }
    let folders: BTreeSet<&str> = EntryKind::ALL.into_iter().map(EntryKind::folder).collect();
    assert_eq!(folders.len(), EntryKind::ALL.len());
}

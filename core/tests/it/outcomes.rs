//! What becomes of the modules of the corpora in each language, by name: a module that is lost has one.
//!
//! `tests/outcomes/LANGUAGE.txt` has a line for each module whose text was not run with the same results: how far it came, and
//! its file. A module that comes less far than its line says fails the test, and so does one that comes further, until
//! `BLESS=1` has rewritten the lines of the modules that were judged.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

/// The outcome that has no line.
const BEST: &str = "Same";

/// Compares the outcomes of modules, by file, with the list of a language.
pub(crate) fn check<O: Debug>(language: &str, found: &[(String, O, String)]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/outcomes/{language}.txt"));
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines: BTreeMap<String, String> = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(outcome, file)| (file.to_owned(), outcome.to_owned()))
        .collect();
    let mut other: Vec<String> = Vec::new();
    for (file, outcome, why) in found {
        let now = format!("{outcome:?}");
        let before = lines.get(file).map_or(BEST, String::as_str);
        if now != before {
            other.push(format!("{file}: {now}, and {before} in the list: {why}"));
        }
        match now.as_str() {
            BEST => drop(lines.remove(file)),
            _ => drop(lines.insert(file.clone(), now)),
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let mut text = format!(
            "# How far the modules come whose text in {language} is not run with the same results: written by the tests.\n"
        );
        lines.iter().for_each(|(file, outcome)| text.push_str(&format!("{outcome} {file}\n")));
        std::fs::write(&path, text).expect("the list is written");
        return;
    }
    assert!(other.is_empty(), "{} other outcomes; `BLESS=1` accepts them\n{}", other.len(), other.join("\n"));
}

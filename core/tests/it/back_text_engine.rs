//! The engine of the text back ends names no language: where languages differ, it asks the dialect.
//!
//! Read are the files directly in `targets`, and the traits in `targets/dialect`. `lib.rs`, `forms.rs`, `language.rs` and `registry.rs` choose the
//! language from outside. Comments, strings and unit tests may name languages.

use crate::floors::{code_lines, folder_of, without_tests};
use std::path::PathBuf;

/// The files that know the languages: by name, their dialects, and a place for what each finds out.
const CHOOSING: &[&str] = &["lib.rs", "forms.rs", "language.rs", "registry.rs", "own.rs"];

/// Folders beside those of languages.
const SHARED: &[&str] = &["dialect", "spelling"];

/// Functions that ask which language it is.
const TESTS: &[&str] = &["is_es", "is_glsl", "es"];

/// The only question for the language, whose column of the spellings a dialect has.
const COLUMN: (&str, &str) = ("dialect/mod.rs", "self.language()");

/// The files of the engine, with their names inside of the crate.
fn engine() -> Vec<(String, PathBuf)> {
    let text = folder_of("targets");
    let mut files = Vec::new();
    for (folder, prefix) in [(text.clone(), ""), (text.join("dialect"), "dialect/")] {
        for path in std::fs::read_dir(folder).expect("the folder exists").flatten().map(|entry| entry.path())
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_choosing = prefix.is_empty() && CHOOSING.contains(&&*name);
            if name.ends_with(".rs") && !is_choosing {
                files.push((format!("{prefix}{name}"), path));
            }
        }
    }
    files.sort();
    files
}

/// The folders of languages, and the starts of names of what one language has: `glsl`, and `glsl_`. GLSL ES has a folder with GLSL.
fn languages() -> (Vec<String>, Vec<String>) {
    let entries = std::fs::read_dir(folder_of("targets")).expect("the folder exists").flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let folders: Vec<String> = names.filter(|name| !SHARED.contains(&name.as_str())).collect();
    let prefixes = folders.iter().map(String::as_str).chain(["es"]).map(|name| format!("{name}_")).collect();
    (folders, prefixes)
}

/// The words of a line, each with the text before and after it.
fn words(line: &str) -> Vec<(&str, &str, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = line[at..].find(is_part).map(|skipped| at + skipped) {
        at = line[begin..].find(|c| !is_part(c)).map_or(line.len(), |len| begin + len);
        found.push((&line[..begin], &line[begin..at], &line[at..]));
    }
    found
}

/// The words of a line by which it names a language.
fn named<'l>(line: &'l str, (folders, prefixes): &(Vec<String>, Vec<String>)) -> Vec<&'l str> {
    let is_named = |&(before, word, after): &(&str, &str, &str)| {
        let is_path = after.starts_with("::");
        let is_member = before.ends_with('.');
        match word {
            "Language" | "Version" => is_path,
            "language" => is_member,
            _ if folders.iter().any(|folder| folder == word) => is_path || is_member,
            _ if TESTS.contains(&word) => after.starts_with('('),
            _ => prefixes.iter().any(|prefix| word.starts_with(prefix)),
        }
    };
    words(line).into_iter().filter(is_named).map(|(_, word, _)| word).collect()
}

/// The places in a text that name a language, as `line 3: …`.
fn findings(name: &str, text: &str) -> Vec<String> {
    let (lines, languages) = (code_lines(text).join("\n"), languages());
    let mut found = Vec::new();
    for (at, line) in without_tests(&lines).lines().enumerate() {
        let line = if name == COLUMN.0 { line.replace(COLUMN.1, "") } else { line.to_owned() };
        found.extend(named(&line, &languages).into_iter().map(|word| format!("{name}:{}: `{word}`", at + 1)));
    }
    found
}

#[test]
fn the_engine_names_no_language() {
    let files = engine();
    assert!(files.len() > 40, "the files of the engine were not found");
    let mut found = Vec::new();
    for (name, path) in files {
        let text = std::fs::read_to_string(path).expect("a source file is UTF-8");
        found.extend(findings(&name, &text));
    }
    assert_eq!(found, Vec::<String>::new(), "{} places name a language", found.len());
}

#[test]
fn names_of_languages_are_found() {
    for (text, words) in [
        (
            "match self.w.language { Language::Glsl(Version::Vulkan) => {} }",
            &["language", "Language", "Version"][..],
        ),
        ("use super::{glsl, wgsl};", &[]),
        ("glsl::types::number(ty) + self.w.wgsl.size", &["glsl", "wgsl"]),
        ("if language.is_glsl() || self.w.es().is_some() || is_es(it) {", &["is_glsl", "es", "is_es"]),
        ("self.hlsl_return(msl_fence); es_pairs; uses_es_words", &["hlsl_return", "msl_fence", "es_pairs"]),
        ("fn of(language: Language) -> Form { // Language::Msl, glsl_order", &[]),
        ("let says = \"glsl_order\"; // self.w.language", &[]),
        ("#[cfg(test)]\nmod tests {\n    Language::Wgsl\n}", &[]),
    ] {
        let expected: Vec<String> = words.iter().map(|word| format!("a.rs:1: `{word}`")).collect();
        assert_eq!(findings("a.rs", text), expected, "{text}");
    }
    assert_eq!(findings("dialect/mod.rs", "self.language().form(op)"), Vec::<String>::new());
    assert_eq!(findings("tree.rs", "dialect.language()"), ["tree.rs:1: `language`"]);
}

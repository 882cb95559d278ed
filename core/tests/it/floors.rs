//! Imports between modules of `core`: from lower floors only, and never between siblings.
//!
//! Paths are read off the text: `crate::x`, and `super::` climbing out of a module. Comments and strings do not count.

use std::path::{Path, PathBuf};

/// Modules of the crate root by floor, ground floor first.
const FLOORS: &[&[&str]] = &[
    &["base"],
    &["ops"],
    &["ir"],
    &["text", "analysis"],
    &["validate", "interp", "rules", "layout", "spirv"],
    &["passes", "front", "back"],
    &["pipeline", "share"],
    &["view_model", "catalog"],
    &["bin"],
];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// The imports of a file from outside its own top module: line and top module.
fn imports(file: &[String], text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in code_lines(text).into_iter().enumerate() {
        found.extend(absolute(&line, "crate::").map(|module| (at + 1, module)));
        found.extend(absolute(&line, "vitrine_core::").map(|module| (at + 1, module)));
        found.extend(climbing(file, &line).map(|module| (at + 1, module)));
    }
    found
}

/// The text line by line without comments and the insides of strings.
pub(crate) fn code_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut in_string = false;
    for line in text.lines() {
        let mut kept = String::new();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if in_string => {
                    chars.next();
                }
                '\'' if !in_string && matches!(chars.peek(), Some('"' | '\\')) => {
                    chars.by_ref().skip(1).take_while(|&c| c != '\'').for_each(drop);
                }
                '"' => in_string = !in_string,
                '/' if !in_string && chars.peek() == Some(&'/') => break,
                c if !in_string => kept.push(c),
                _ => {}
            }
        }
        lines.push(kept);
    }
    lines
}

/// The modules named right after a prefix, also in a list such as `crate::{base, ops::Op}`.
fn absolute<'l>(line: &'l str, prefix: &'l str) -> impl Iterator<Item = String> + 'l {
    line.match_indices(prefix).filter(move |(at, _)| starts_a_path(line, *at)).flat_map(move |(at, _)| {
        let rest = &line[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => top_level_items(list),
            None => vec![first_word(rest)],
        }
    })
}

pub(crate) fn starts_a_path(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn top_level_items(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut items = vec![String::new()];
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            c if depth == 0 => {
                if let Some(last) = items.last_mut() {
                    last.push(c);
                }
            }
            _ => {}
        }
    }
    items.iter().map(|item| first_word(item.trim())).filter(|word| !word.is_empty()).collect()
}

/// The module that `super::super::x` reaches when it climbs to the root of the crate.
fn climbing<'l>(file: &'l [String], line: &'l str) -> impl Iterator<Item = String> + 'l {
    line.match_indices("super::").filter(move |(at, _)| starts_a_path(line, *at)).filter_map(
        move |(at, _)| {
            let mut rest = &line[at..];
            let mut climbed = 0;
            while let Some(above) = rest.strip_prefix("super::") {
                climbed += 1;
                rest = above;
            }
            // A `mod tests` inside a file is one level further down; what it climbs to is still inside.
            (climbed >= file.len()).then(|| first_word(rest)).filter(|word| floor(word).is_some())
        },
    )
}

/// Violations in a file, in words.
fn broken(file: &[String], text: &str) -> Vec<String> {
    let Some(home) = file.first() else { return Vec::new() };
    let Some(mine) = floor(home) else {
        return vec![format!("`{home}` is on no floor; give it one in tests/floors.rs")];
    };
    let mut out = Vec::new();
    for (line, module) in imports(file, text) {
        let allowed = match floor(&module) {
            Some(other) => module == *home || other < mine,
            None => module.is_empty() || is_item_of_root(&module),
        };
        if !allowed {
            out.push(format!("line {line}: `{home}` (floor {mine}) may not import `{module}`"));
        }
    }
    out
}

/// Macros are exported at the root whatever module they are in.
fn is_item_of_root(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && floor(name).is_none()
}

pub(crate) fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

pub(crate) fn rust_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.extension() {
                Some(extension) if extension == "rs" => files.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// The module path of a file: `ir/editor/mod.rs` is `[ir, editor]`.
pub(crate) fn module_path(file: &Path) -> Vec<String> {
    let inside = file.strip_prefix(source()).unwrap_or(file).with_extension("");
    let mut path: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

#[test]
fn modules_import_from_lower_floors_only() {
    let files = rust_files(&source());
    assert!(files.len() > 20, "the sources were not found");
    let mut all = String::new();
    for file in files {
        let path = module_path(&file);
        if path == ["lib"] {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file can be read");
        for what in broken(&path, &text) {
            all.push_str(&format!("{}: {what}\n", path.join("/")));
        }
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn every_module_of_the_root_has_a_floor() {
    let text = std::fs::read_to_string(source().join("lib.rs")).expect("lib.rs can be read");
    for line in code_lines(&text) {
        if let Some(module) =
            line.trim().strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix([';', ' ']))
        {
            assert!(floor(module.trim_end_matches(';')).is_some(), "`{module}` is on no floor");
        }
    }
}

#[test]
fn a_violation_is_found() {
    let of =
        |path: &[&str], text: &str| broken(&path.iter().map(ToString::to_string).collect::<Vec<_>>(), text);
    for (path, text, count) in [
        (&["ops", "int"][..], "use crate::base::EntityId;\nuse super::table::ops;", 0),
        (&["ops", "int"], "use crate::ir::Inst;", 1),
        (&["ops", "int"], "fn f() { let _ = crate::ir::Inst::new(); }", 1),
        (&["text", "print"], "use crate::{base, analysis::Cfg, ir::{Inst, text}};", 1),
        (&["text", "print"], "use crate::text::Sink;", 0),
        (&["analysis"], "use super::text::Sink;", 1),
        (&["analysis", "cfg"], "use super::super::text::Sink;", 1),
        (&["analysis", "cfg"], "use super::text::Sink;", 0),
        (
            &["ir", "func"],
            "// crate::text is above\n/// [`crate::text`]\nlet s = \"crate::text\"; let c = '\"'; use crate::text;",
            1,
        ),
        (&["bin", "vitrine", "main"], "use vitrine_core::pipeline::Trace;", 0),
        (&["base", "chunked"], "use vitrine_core::ops::Op;", 1),
        (&["cellar"], "", 1),
    ] {
        assert_eq!(of(path, text).len(), count, "{path:?} {text}: {:?}", of(path, text));
    }
}

//! A pass imports no other pass; shared code is in `passes::util`.
//!
//! Paths are found in the text, as in `floors`. Comments and the contents of strings are ignored.

use crate::floors::{code_lines, folder_of, module_path, rust_files, starts_a_path};
use vitrine_core::pipeline::PASSES;

/// Modules in `passes` that are not passes.
const NOT_PASSES: [&str; 5] = ["aliases", "options", "pass", "teaching", "util"];

/// The modules of `passes` that a file names, by `crate::x` or through `super::`.
fn named(file: &[String], text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in code_lines(text).into_iter().enumerate() {
        for (start, _) in line.match_indices("crate::").filter(|&(start, _)| starts_a_path(&line, start)) {
            found.push((at + 1, first_word(&line[start + "crate::".len()..])));
        }
        for (start, _) in line.match_indices("super::").filter(|&(start, _)| starts_a_path(&line, start)) {
            let (mut rest, mut climbed) = (&line[start..], 0);
            while let Some(above) = rest.strip_prefix("super::") {
                climbed += 1;
                rest = above;
            }
            // In the `mod tests` of a file, the same path has one more `super`.
            if climbed + 1 >= file.len() {
                found.push((at + 1, first_word(rest)));
            }
        }
    }
    found
}

fn first_word(text: &str) -> String {
    let text = text.trim_start_matches("r#");
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Imports of other passes in a file of `passes`, as text.
fn broken(file: &[String], text: &str) -> Vec<String> {
    let is_pass = |name: &str| PASSES.iter().any(|pass| pass.name.replace('-', "_") == name);
    let own = file.get(1).map_or("", String::as_str);
    named(file, text)
        .into_iter()
        .filter(|(_, name)| name != own && is_pass(name))
        .map(|(line, name)| format!("line {line}: `{own}` may not import the pass `{name}`"))
        .collect()
}

#[test]
fn passes_import_no_other_pass() {
    let files = rust_files(&folder_of("passes"));
    assert!(files.len() > PASSES.len(), "the passes were not found");
    let mut all = String::new();
    for file in files {
        let path = module_path(&file);
        if path.len() < 2 {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file can be read");
        all.extend(
            broken(&path, &text).into_iter().map(|violation| format!("{}: {violation}\n", path.join("/"))),
        );
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn every_module_is_a_pass_or_listed() {
    for entry in std::fs::read_dir(folder_of("passes")).expect("the folder exists").flatten() {
        let name = entry.path().with_extension("").file_name().unwrap().to_string_lossy().into_owned();
        let is_pass = PASSES.iter().any(|pass| pass.name.replace('-', "_") == name);
        let known = is_pass || NOT_PASSES.contains(&&*name) || name == "lib";
        assert!(known, "passes/{name} is not a pass; move it to passes/util");
    }
}

#[test]
fn an_import_of_another_pass_is_found() {
    for (path, text, count) in [
        (&["passes", "gcm"][..], "use super::opt_sink::may_move;", 1),
        (&["passes", "gcm"], "use crate::opt_sink::may_move;", 1),
        (&["passes", "gcm"], "use crate::util::speculate::may_move;", 0),
        (&["passes", "gcm"], "// use super::opt_sink::may_move;\nuse super::pass::PassInfo;", 0),
        (&["passes", "qptr_lift", "paths"], "use super::accesses::narrower;", 0),
        (&["passes", "qptr_lift", "paths"], "let x = super::super::dce::dce(ed);", 1),
        (&["passes", "qptr_lift", "paths"], "use crate::qptr_lift::paths::WHY;", 0),
        (&["passes", "util", "arith"], "use crate::algebraic::by_rules;", 1),
    ] {
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        assert_eq!(broken(&path, text).len(), count, "{path:?} {text}");
    }
}

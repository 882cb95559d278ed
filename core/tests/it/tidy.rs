//! Rules that hold for every source file of the workspace and for the folders of filetests.

use std::path::{Path, PathBuf};
use vitrine_core::passes::find;
use vitrine_core::pipeline::Pipeline;

/// Limit on the lines of a file, unless it is marked as a table.
const MOST_LINES: usize = 700;

/// The line that marks a long table, followed by the reason.
const TABLE: &str = concat!("// tidy", ": table");

/// Words that mark unfinished code. Split in two, so that this file does not contain them.
const UNFINISHED: &[&str] = &[
    concat!("FIX", "ME"),
    concat!("TO", "DO"),
    concat!("XX", "X"),
    concat!("HA", "CK"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!"),
];

/// Prefixes of paths that exist on a single machine.
const MACHINE_PATHS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("C:", "\\Users"),
];

/// Folders of filetests that are not named after a pass.
const FOLDERS: &[&str] = &["ops", "validate", "text", "readme", "spirv-out"];

fn workspace() -> PathBuf {
    let core = Path::new(env!("CARGO_MANIFEST_DIR"));
    core.parent().unwrap_or(core).to_owned()
}

/// Source files of all members, without build results and downloaded packages.
fn rust_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["core", "lessons", "wasm", "web", "xtask"].iter().map(|name| workspace().join(name)).collect();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !["target", "node_modules", "pkg", "dist"].contains(&&*name) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The rules that a text violates, as text.
fn untidy(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    if !first.starts_with("//!") {
        out.push("line 1: begin the file with its purpose (`//! ...`)".to_owned());
    }
    let count = text.lines().count();
    if count > MOST_LINES && !text.lines().any(|line| line.starts_with(TABLE)) {
        out.push(format!(
            "{count} lines are too many; split the file at {MOST_LINES} lines, or add `{TABLE}, because ...`"
        ));
    }
    for (at, line) in text.lines().enumerate() {
        out.extend(untidy_line(line).map(|violation| format!("line {}: {violation}", at + 1)));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        out.push("the last line has no line feed".to_owned());
    }
    out
}

fn untidy_line(line: &str) -> Option<String> {
    if line.ends_with([' ', '\t', '\r']) {
        return Some("white space at the end of the line".to_owned());
    }
    if let Some(word) = UNFINISHED.iter().find(|word| has_word(line, word)) {
        return Some(format!("`{word}`: finish it, or document the limit"));
    }
    let path = MACHINE_PATHS.iter().find(|path| line.contains(*path))?;
    Some(format!("`{path}` exists only on one machine"))
}

/// `true` if the line has the word as a whole word.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let after = &line[at + word.len()..];
        !line[..at].ends_with(part) && (word.ends_with('!') || !after.starts_with(part))
    })
}

#[test]
fn every_source_file_is_tidy() {
    let files = rust_files();
    assert!(files.len() > 50, "the sources were not found");
    let mut all = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file is UTF-8");
        let name = file.strip_prefix(workspace()).unwrap_or(&file).display().to_string();
        all.extend(untidy(&text).into_iter().map(|violation| format!("{name}: {violation}\n")));
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn every_folder_of_filetests_is_named_after_a_pass_or_topic() {
    let passes = workspace().join("core/passes/src");
    for entry in
        std::fs::read_dir(workspace().join("core/tests/filetests")).expect("the folder exists").flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let file = format!("{}.rs", name.replace('-', "_"));
        let is_pass = passes.join(&file).exists() || passes.join(name.replace('-', "_")).is_dir();
        assert!(FOLDERS.contains(&&*name) || is_pass, "filetests/{name} is not named after a pass");
    }
}

/// The literals that a source gives to helps, and to forms of languages, as uses of passes.
fn used_passes(text: &str) -> Vec<&str> {
    let calls = [".pass(", "by_pass(", "lowered_by(", "Lower("];
    let direct = calls.iter().flat_map(|call| text.split(call).skip(1).map(str::trim_start));
    let lowered = text.split(".lowered(").skip(1).filter_map(|given| Some(given.split_once(", ")?.1));
    direct.chain(lowered).filter_map(|given| given.strip_prefix('"')?.split('"').next()).collect()
}

/// The first pass that a line names in backticks in the text of a help.
fn pass_as_text(line: &str) -> Option<&str> {
    if line.trim_start().starts_with("//") {
        return None;
    }
    let is_help = [".help(", "help =", "Help::text(", ".then("].iter().any(|call| line.contains(call));
    let parts: Vec<&str> = line.split('`').collect();
    let named = parts.windows(2).step_by(2).filter(|parts| {
        is_help || ["pass ", "passes ", "run "].iter().any(|before| parts[0].ends_with(before))
    });
    named.map(|parts| parts[1]).find(|pass| is_pass(pass))
}

/// Returns true for the use of a pass by its current name, with any options.
fn is_pass(used: &str) -> bool {
    let name = used.split('{').next().unwrap_or(used);
    find(name).is_some_and(|pass| pass.name == name)
}

#[test]
fn helps_name_passes_that_exist() {
    let folder = workspace().join("core");
    let is_source = |file: &Path| file.starts_with(&folder) && file.iter().any(|part| part == "src");
    let mut count = 0;
    for file in rust_files().into_iter().filter(|file| is_source(file)) {
        let text = std::fs::read_to_string(&file).expect("a source file is UTF-8");
        for pass in used_passes(&text) {
            count += 1;
            let is_known = is_pass(pass) && Pipeline::parse(pass).is_ok();
            assert!(is_known, "{}: the pass `{pass}` does not exist", file.display());
        }
        // The tests of helps compare sentences; the list of codes is Markdown.
        let is_exempt = file.ends_with("ir/src/help.rs") || file.ends_with("catalog/diagnostics.rs");
        let plain = text.lines().find_map(pass_as_text).filter(|_| !is_exempt);
        assert!(plain.is_none(), "{}: give {plain:?} to `Help::pass`", file.display());
    }
    assert!(count > 150, "only {count} passes were found");
}

/// The default arms of a source, by line, without those of its tests and of questions about a form that is already chosen.
fn default_arms(text: &str) -> Vec<usize> {
    let source = text.split("#[cfg(test)]").next().unwrap_or(text);
    let mut matched = "";
    let mut found = Vec::new();
    for (at, line) in source.lines().enumerate() {
        let pattern = line.trim_start().split("=>").next().unwrap_or("").split(" if ").next().unwrap_or("");
        let is_default = line.contains("=>")
            && !pattern.trim().is_empty()
            && pattern.split(|c: char| "(),| ".contains(c)).all(|part| ["", "_"].contains(&part));
        if is_default && !matched.contains(".form(") {
            found.push(at + 1);
        }
        if line.contains("match ") {
            matched = line;
        }
    }
    found
}

/// why: an operation, a word or a language that is new does not compile until each language has a spelling for it, or refuses it.
/// A default arm would decide without a decision.
#[test]
fn spellings_have_no_default_arms() {
    let folder = workspace().join("core/targets/src/spelling");
    let files: Vec<PathBuf> = rust_files().into_iter().filter(|file| file.starts_with(&folder)).collect();
    assert!(files.len() >= 4, "the spellings were not found");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file is UTF-8");
        assert_eq!(default_arms(&text), [0; 0], "{}: match to the end", file.display());
    }
}

#[test]
fn default_arms_are_found() {
    let source = "match to {\n Glsl => 1,\n _ => 2,\n}\nmatch (op, to) {\n (A, _) => 1,\n (_, _) if x => 2,\n _ | _ => 3,\n}\n\
                  match self.form(op) {\n Form::No(_) => 1,\n _ => 2,\n}\n#[cfg(test)]\nmatch a {\n _ => 1,\n}\n";
    assert_eq!(default_arms(source), [3, 7, 8]);
}

#[test]
fn passes_of_helps_are_found() {
    let source = r#"a.pass("cse").then("`cse`"), Help::by_pass(
            "dce", "it"), Lower("c{d}"), self.lowered(inst, "e"); s.pass(of)"#;
    assert_eq!(used_passes(source), ["cse", "dce", "c{d}", "e"]);
    for (line, pass) in [
        (r#"diag.help("try `cse{x}`")"#, Some("cse{x}")),
        (r#""first run `flatten`, `cse`","#, Some("flatten")),
        (r#"help = "use `no-such`, or `dce`";"#, Some("dce")),
        ("// run `cse` first", None),
        (r#""Runs after `cse`""#, None),
    ] {
        assert_eq!(pass_as_text(line), pass, "{line}");
    }
}

#[test]
fn untidy_source_is_found() {
    let long = format!("//! x\n{}", "\n".repeat(MOST_LINES));
    for (text, count) in [
        ("//! Fine.\n".to_owned(), 0),
        ("fn main() {}\n".to_owned(), 1),
        ("//! x\nlet a = 1; \n".to_owned(), 1),
        (format!("//! x\n// {}: later\n", UNFINISHED[0]), 1),
        (format!("//! x\n{}(x)\n", UNFINISHED[6]), 1),
        (format!("//! x\nenum {} {{ {}s }}\n", "Todo", UNFINISHED[1]), 0),
        (format!("//! x\nlet p = \"{}me\";\n", MACHINE_PATHS[0]), 1),
        ("//! x".to_owned(), 1),
        (long.clone(), 1),
        (format!("{long}{TABLE}, because\n"), 0),
    ] {
        assert_eq!(untidy(&text).len(), count, "{text:.40}: {:?}", untidy(&text));
    }
}

//! Imports between modules of `core`: only from lower floors, never between siblings, and without cycles of files.
//!
//! Paths are found in the text: `crate::x`, `vitrine_ir::x`, and `super::` that leaves a module. Comments and strings are ignored.
//!
//! Cycles: a file imports the file that defines an item, whatever module the path goes through. `mod` and `pub use`
//! are not imports, and a path through a re-export refers to the defining file. A child may import an item that its
//! parent's `mod.rs` defines, unless that `mod.rs` imports from the child, or from a module that imports the child, other than
//! by `pub use`. Unit tests at the end of a file are ignored. Method calls are not imports: the methods of one
//! type may be in several files.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates below the compiler: each is a folder of `core`, and the first part of the paths of its modules here.
const CRATES: [&str; 14] = [
    "ir", "text", "analysis", "interp", "layout", "passes", "forms", "front", "pipeline", "lab", "share",
    "targets", "spirv", "d3d",
];

/// Modules by floor, lowest floor first: crates, modules of a crate that have a floor of their own, and modules of the
/// compiler.
const FLOORS: &[&[&str]] = &[
    &["ir/base"],
    &["ir/ops"],
    &["ir"],
    &["text", "analysis"],
    &["analysis/validate", "analysis/rules", "interp", "forms", "layout", "spirv", "d3d"],
    &["passes", "targets", "spirv/reader", "spirv/writer", "d3d/reader", "d3d/writer"],
    &["front", "pipeline"],
    &["lab", "share", "back"],
    &["report"],
    &["view_model", "catalog", "judge"],
    &["lessons"],
    &["bin"],
];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// The crate below the compiler that a path is in.
fn crate_of(path: &[String]) -> Option<&str> {
    path.first().map(String::as_str).filter(|name| CRATES.contains(name))
}

/// The module with a floor that a name at the root of a crate is in; the compiler re-exports modules of the crates below.
fn module_at(root: Option<&str>, name: &str) -> String {
    let Some(root) = root else {
        let below = CRATES.iter().map(|root| format!("{root}/{name}"));
        return below.into_iter().find(|module| floor(module).is_some()).unwrap_or_else(|| name.to_owned());
    };
    let module = format!("{root}/{name}");
    if floor(&module).is_some() { module } else { root.to_owned() }
}

/// The module with a floor that a file is in.
fn module_of(file: &[String]) -> String {
    match (crate_of(file), file.get(1)) {
        (Some(root), Some(name)) => module_at(Some(root), name),
        _ => file.first().cloned().unwrap_or_default(),
    }
}

/// The imports of a file from modules with a floor, with their lines.
fn imports(file: &[String], text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in code_lines(text).into_iter().enumerate() {
        found.extend(absolute(&line, "crate::").map(|name| (at + 1, module_at(crate_of(file), &name))));
        found.extend(absolute(&line, "vitrine_core::").map(|name| (at + 1, module_at(None, &name))));
        for root in CRATES {
            let names = absolute(&line, &format!("vitrine_{root}::")).collect::<Vec<_>>();
            found.extend(names.into_iter().map(|name| (at + 1, module_at(Some(root), &name))));
        }
        found.extend(climbing(file, &line).map(|module| (at + 1, module)));
    }
    found
}

/// The lines of the text without comments and the contents of strings.
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

/// The modules named after a prefix, also in a list such as `crate::{base, ops::Op}`.
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

/// The module that `super::super::x` names if it reaches the root of the crate.
fn climbing<'l>(file: &'l [String], line: &'l str) -> impl Iterator<Item = String> + 'l {
    line.match_indices("super::").filter(move |(at, _)| starts_a_path(line, *at)).filter_map(
        move |(at, _)| {
            let mut rest = &line[at..];
            let mut climbed = 0;
            while let Some(above) = rest.strip_prefix("super::") {
                climbed += 1;
                rest = above;
            }
            // A `mod tests` inside a file is one level deeper, so one more `super` is still inside.
            let depth = file.len() - usize::from(crate_of(file).is_some());
            let module = || module_at(crate_of(file), &first_word(rest));
            (climbed >= depth).then(module).filter(|module| floor(module).is_some())
        },
    )
}

/// The violations in a file, as text.
fn broken(file: &[String], text: &str) -> Vec<String> {
    let home = &module_of(file);
    let Some(mine) = floor(home) else {
        return vec![format!("`{home}` is on no floor; add it to `FLOORS` in tests/it/floors.rs")];
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

/// Exported macros are at the crate root, whatever module they are in.
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

/// The folder of the sources of a crate below the compiler.
pub(crate) fn folder_of(root: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(root).join("src")
}

/// The source files of the compiler and of the crates below it.
fn all_files() -> Vec<PathBuf> {
    let below = CRATES.iter().map(|root| rust_files(&folder_of(root)));
    let is_root = |file: &PathBuf| file.ends_with("src/lib.rs");
    let found = below.chain([rust_files(&source())]);
    found.inspect(|files| assert!(files.iter().any(is_root), "a crate was not found")).flatten().collect()
}

/// The module path of a file: `core/ir/src/editor/mod.rs` is `[ir, editor]`, and `core/src/back/mod.rs` is `[back]`.
pub(crate) fn module_path(file: &Path) -> Vec<String> {
    let root = CRATES.iter().find(|root| file.starts_with(folder_of(root)));
    let folder = root.map_or_else(source, |root| folder_of(root));
    let inside = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let inside = inside.iter().map(|part| part.to_string_lossy().into_owned());
    let mut path: Vec<String> = root.map(ToString::to_string).into_iter().chain(inside).collect();
    if path.last().is_some_and(|last| last == "mod" || last == "lib") {
        path.pop();
    }
    path
}

/// Modules whose `mod.rs` (or `main.rs`) both defines types for its children and calls them, with the reason.
/// Imports of such a file from its children are ignored; those between the children count.
const FRONTS: &[(&str, &str)] = &[
    ("analysis/usage", "defines the accesses that its children collect and print"),
    ("bin/vitrine", "defines the common options and exit codes, and dispatches to the commands"),
    ("catalog", "defines the entry that `about` fills"),
    ("d3d/reader", "defines the reader of a program, and reads its instructions in order"),
    ("interp/decode", "defines the decoder of a module, and starts the decoder of a function"),
    ("interp/machine", "defines the machine, whose children add instructions"),
    ("layout", "defines input, output and points of every stage, and runs the stages"),
    ("ir/ops/scalar", "defines the scalar; its rounding is a separate file"),
    ("passes/lower_subgroups", "is a pass whose variants share its helpers"),
    ("passes/lower_tex", "is a pass whose variants share its helpers"),
    ("passes/qptr_legalize", "is a pass whose steps share its helpers"),
    ("pipeline", "defines the pipeline and runs it"),
    ("analysis/rules", "defines the macro of rules, and lists the rules"),
    ("share/context_mixing", "defines the mixer that its models feed"),
    ("analysis/validate", "defines the checker's state, and runs the checks"),
    ("view_model/columns", "defines the columns that its window shows"),
    ("view_model/debugger", "defines answers and time limits of the tools, and dispatches to the tools"),
    ("view_model/overlay", "defines the painter that its children fill, and dispatches to them"),
    ("view_model/inspect", "defines the sections that its children fill"),
];

/// A module path inside the crate.
type ModulePath = Vec<String>;

/// An import: its segments, the name it is bound to, and `true` for a re-export.
struct Import {
    segments: Vec<String>,
    name: String,
    is_export: bool,
}

/// The defined names and the imports of every file, by module path.
struct Crate {
    files: BTreeMap<ModulePath, (BTreeSet<String>, Vec<Import>)>,
}

impl Crate {
    fn new(texts: impl IntoIterator<Item = (ModulePath, String)>) -> Crate {
        let read = |text: String| {
            let lines = code_lines(&text).join("\n");
            let code = without_tests(&lines);
            (defined_names(code), all_imports(code))
        };
        Crate { files: texts.into_iter().map(|(path, text)| (path, read(text))).collect() }
    }

    /// The file that defines the item that a path in a file names. Follows re-exports.
    fn resolve(&self, from: &[String], segments: &[String], depth: usize) -> Option<ModulePath> {
        let mut at = from.to_vec();
        let mut rest = segments;
        match rest.first().map(String::as_str)? {
            "vitrine_core" => (at, rest) = (Vec::new(), &rest[1..]),
            "crate" => {
                // A binary is a separate crate, whose root is its folder.
                let is_binary = from.first().is_some_and(|top| top == "bin");
                at.truncate(if is_binary { 2 } else { usize::from(crate_of(from).is_some()) });
                rest = &rest[1..];
            }
            name if name.strip_prefix("vitrine_").is_some_and(|root| CRATES.contains(&root)) => {
                at = vec![name["vitrine_".len()..].to_owned()];
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while let Some((_, below)) = rest.split_first().filter(|(first, _)| *first == "super") {
                    at.pop();
                    rest = below;
                }
            }
            first => {
                let child: ModulePath = from.iter().cloned().chain([first.to_owned()]).collect();
                if !self.files.contains_key(&child) {
                    // A module that the file imports by its name.
                    let (_, imports) = self.files.get(from)?;
                    let module = imports.iter().find(|import| import.name == *first && !import.is_export)?;
                    let path = [&module.segments[..], &rest[1..]].concat();
                    return if depth == 0 { None } else { self.resolve(from, &path, depth - 1) };
                }
            }
        }
        self.descend(at, rest, depth)
    }

    fn descend(&self, mut at: ModulePath, mut rest: &[String], depth: usize) -> Option<ModulePath> {
        while let Some((first, below)) = rest.split_first() {
            at.push(first.clone());
            if !self.files.contains_key(&at) {
                at.pop();
                break;
            }
            rest = below;
        }
        let (defined, imports) = self.files.get(&at)?;
        let Some(name) = rest.first() else { return Some(at) };
        if depth == 0 || defined.contains(name) {
            return Some(at);
        }
        let named = imports.iter().filter(|import| import.name == *name);
        let whole = |import: &Import| [&import.segments[..], &rest[1..]].concat();
        if let Some(found) = named.filter_map(|import| self.resolve(&at, &whole(import), depth - 1)).next() {
            return Some(found);
        }
        let globs = imports.iter().filter(|import| import.is_export && import.name == "*");
        let targets = globs.filter_map(|glob| {
            let mut segments = glob.segments.clone();
            segments.pop();
            segments.push(name.clone());
            self.resolve(&at, &segments, depth - 1)
        });
        let defining = targets.into_iter().find(|found| {
            self.files.get(found).is_some_and(|(defined, _)| *found != at && defined.contains(name))
        });
        defining.or(Some(at))
    }

    /// The import graph of files.
    fn edges(&self) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for (path, (_, imports)) in &self.files {
            for import in imports.iter().filter(|import| !import.is_export) {
                let named = match import.segments.split_last() {
                    Some((last, module)) if last == "*" => module,
                    _ => &import.segments,
                };
                let target = self.resolve(path, named, 8);
                edges.extend(target.filter(|to| to != path).map(|to| (path.join("/"), to.join("/"))));
            }
        }
        edges
    }
}

/// The text before the unit tests.
pub(crate) fn without_tests(code: &str) -> &str {
    let end = code.match_indices("#[cfg(test)]").find(|(at, test)| {
        let after = code[at + test.len()..].trim_start();
        after.starts_with("mod ") && after.lines().next().is_some_and(|line| line.ends_with('{'))
    });
    end.map_or(code, |(at, _)| &code[..at])
}

/// The names after `fn`, `struct` and other item keywords, methods included.
fn defined_names(code: &str) -> BTreeSet<String> {
    const ITEMS: [&str; 9] =
        ["fn", "struct", "enum", "const", "type", "trait", "static", "union", "macro_rules"];
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut names = BTreeSet::new();
    let mut after_item = false;
    for word in words {
        if after_item {
            names.insert(word.to_owned());
        }
        after_item = ITEMS.contains(&word);
    }
    names
}

/// The `use` items of a file, and the paths in its code.
fn all_imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut copied = 0;
    for (at, keyword) in code.match_indices("use ") {
        let line = &code[code[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        let is_export = line.trim_start().starts_with("pub");
        if at < copied || !(line.trim().is_empty() || is_export) {
            continue;
        }
        let Some(end) = code[at..].find(';') else { continue };
        rest.push_str(&code[copied..at]);
        copied = at + end;
        expand_use(&code[at + keyword.len()..at + end], &[], is_export, &mut found);
    }
    rest.push_str(&code[copied..]);
    for (at, _) in rest.match_indices("::") {
        let begin = rest[..at].rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |end| end + 1);
        // A visibility is no import.
        if begin == at || rest[..begin].ends_with(':') || rest[..begin].ends_with("(in ") {
            continue;
        }
        let path = rest[begin..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
        let segments: Vec<String> = path
            .unwrap_or_default()
            .split("::")
            .filter(|segment| !segment.is_empty())
            .map(str::to_owned)
            .collect();
        found.push(Import { name: String::new(), segments, is_export: false });
    }
    found
}

/// The paths of a `use` tree.
fn expand_use(tree: &str, prefix: &[String], is_export: bool, found: &mut Vec<Import>) {
    let tree = tree.trim();
    let (path, list) = match tree.split_once('{') {
        Some((path, list)) => (path, list.rfind('}').map(|end| &list[..end])),
        None => (tree, None),
    };
    let (path, alias) =
        path.split_once(" as ").map_or((path, None), |(path, alias)| (path, Some(alias.trim())));
    let own = path.split("::").map(str::trim).filter(|segment| !segment.is_empty()).map(str::to_owned);
    let mut segments: Vec<String> = prefix.iter().cloned().chain(own).collect();
    let Some(list) = list else {
        if !prefix.is_empty() && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let Some(last) = segments.last().cloned() else { return };
        let name = alias.map_or(last, str::to_owned);
        return found.push(Import { segments, name, is_export });
    };
    let mut depth = 0;
    for item in list.split(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    }) {
        if !item.trim().is_empty() {
            expand_use(item, &segments, is_export, found);
        }
    }
}

/// Cycles among files, without the imports that the list permits.
fn cycles(edges: &BTreeSet<(String, String)>, is_front: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut graph: DiGraph<&str, ()> = DiGraph::new();
    let mut nodes: BTreeMap<&str, NodeIndex> = BTreeMap::new();
    for (from, to) in edges {
        let is_part = to.strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if is_part && is_front(from) {
            continue;
        }
        let [from, to] = [from, to].map(|file| *nodes.entry(file).or_insert_with(|| graph.add_node(file)));
        graph.update_edge(from, to, ());
    }
    let components = tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1);
    components.map(|component| component.iter().map(|&node| graph[node].to_owned()).collect()).collect()
}

fn sources() -> Crate {
    let texts = all_files().into_iter().filter_map(|file| {
        let mut path = module_path(&file);
        if path.len() == 3 && path[0] == "bin" && path[2] == "main" {
            path.pop();
        }
        Some((path, std::fs::read_to_string(file).ok()?))
    });
    Crate::new(texts)
}

#[test]
fn imports_of_files_have_no_cycles() {
    let edges = sources().edges();
    let is_front = |file: &str| FRONTS.iter().any(|(front, _)| *front == file);
    let mut found = String::new();
    for mut cycle in cycles(&edges, is_front) {
        cycle.sort();
        found.push_str(&format!("a cycle of {}:\n", cycle.join(", ")));
        for (from, to) in edges.iter().filter(|(from, to)| cycle.contains(from) && cycle.contains(to)) {
            found.push_str(&format!("    {from} imports {to}\n"));
        }
    }
    assert!(found.is_empty(), "{found}");
}

#[test]
fn every_permitted_cycle_exists() {
    let edges = sources().edges();
    for (front, _) in FRONTS {
        let is_front = |file: &str| file != *front && FRONTS.iter().any(|(other, _)| *other == file);
        assert!(!cycles(&edges, is_front).is_empty(), "`{front}` is in no cycle; remove it from the list");
    }
}

#[test]
fn a_cycle_is_found() {
    let found = |files: &[(&str, &str)], fronts: &[&str]| {
        let split = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let texts = files.iter().map(|(path, text)| (split(path), (*text).to_owned()));
        cycles(&Crate::new(texts).edges(), |file| fronts.contains(&file)).len()
    };
    let parts = ("a/b", "use super::c::C;\npub struct B;");
    for (files, fronts, count) in [
        // Siblings, by `use` and by a path in the code.
        (vec![parts, ("a/c", "use super::b::B;\npub struct C;")], &[][..], 1),
        (vec![parts, ("a/c", "fn f() { super::b::g() }\npub struct C;")], &[], 1),
        (
            vec![parts, ("a/c", "pub struct C;\n// use super::b::B;\nconst S: &str = \"super::b::B\";")],
            &[],
            0,
        ),
        (
            vec![parts, ("a/c", "pub struct C;\n#[cfg(test)]\nmod tests {\n    use super::super::b::B;\n}")],
            &[],
            0,
        ),
        // An import list over several lines, and an alias.
        (vec![parts, ("a/c", "use super::{\n    b::{B as D},\n};\npub struct C;")], &[], 1),
        // The visibility of an item is no import.
        (vec![("a", "fn f() { b::g() }"), ("a/b", "pub(in crate::a) fn g() {}")], &[], 0),
        // A path through a module that is imported by its name, also by another one.
        (vec![parts, ("a/c", "use super::b;\npub struct C;\nfn f() { b::g() }")], &[], 1),
        (vec![parts, ("a/c", "use super::b as d;\npub struct C;\nfn f() -> d::B {}")], &[], 1),
        // A re-export refers to the defining file, by name and by `*`; it is not an import itself.
        (vec![parts, ("a", "pub use b::B;"), ("a/c", "use super::B;\npub struct C;")], &[], 1),
        (vec![parts, ("a", "pub use b::*;"), ("a/c", "use super::B;\npub struct C;")], &[], 1),
        (vec![parts, ("a", "pub use b::B;\npub use c::C;"), ("a/c", "pub struct C;")], &[], 0),
        // A parent that calls its child, and a child that imports from its parent, unless the parent is in `FRONTS`.
        (vec![("a", "pub struct A;\nfn f() { b::g() }"), ("a/b", "use super::A;")], &[], 1),
        (vec![("a", "pub struct A;\nfn f() { b::g() }"), ("a/b", "use super::A;")], &["a"], 0),
        (vec![parts, ("a", "fn f() { b::g() }"), ("a/c", "use super::b::B;\npub struct C;")], &["a"], 1),
    ] {
        assert_eq!(found(&files, fronts), count, "{files:?} {fronts:?}");
    }
}

#[test]
fn modules_import_from_lower_floors_only() {
    let mut all = String::new();
    for file in all_files() {
        let path = module_path(&file);
        if path.is_empty() {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file can be read");
        for violation in broken(&path, &text) {
            all.push_str(&format!("{}: {violation}\n", path.join("/")));
        }
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn every_crate_of_the_compiler_is_listed() {
    // The benchmarks, the fuzz targets and the harness of the filetests are above the compiler.
    let above = ["bench", "filetests", "fuzz"];
    let folders = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the folder exists").flatten();
    let crates = folders.filter(|entry| entry.path().join("Cargo.toml").is_file());
    let found: BTreeSet<String> = crates
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !above.contains(&&**name))
        .collect();
    assert_eq!(found, CRATES.map(str::to_owned).into(), "add it to `CRATES` and to a floor");
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
        (&["ir", "ops", "int"][..], "use crate::base::EntityId;\nuse super::table::ops;", 0),
        (&["ir", "ops", "int"], "use crate::Inst;", 1),
        (&["ir", "ops", "int"], "fn f() { let _ = crate::Inst::new(); }", 1),
        (&["ir", "ops", "int"], "use super::super::func::Body;", 1),
        (&["text", "print"], "use {vitrine_ir::base, vitrine_analysis::Cfg, crate::{Inst, text}};", 1),
        (&["text", "print"], "use crate::Sink;", 0),
        (&["analysis"], "use vitrine_text::Sink;", 1),
        (&["analysis", "cfg"], "use crate::validate::Check;", 1),
        (&["analysis", "cfg"], "use super::rules::Rule;", 1),
        (&["analysis", "validate", "types"], "use crate::Cfg;\nuse super::super::rules::Rule;", 1),
        (&["back", "place"], "use super::super::report::Program;", 1),
        (&["back", "place"], "use crate::{base, analysis::Cfg, ir::{Inst, text}};", 0),
        (
            &["ir", "func"],
            "// vitrine_text is above\n/// [`vitrine_text::x`]\nlet s = \"vitrine_text::x\"; let c = '\"'; use vitrine_text::x;",
            1,
        ),
        (&["bin", "vitrine", "main"], "use vitrine_core::pipeline::Trace;", 0),
        (&["ir", "base", "chunked"], "use crate::ops::Op;", 1),
        (&["cellar"], "", 1),
    ] {
        assert_eq!(of(path, text).len(), count, "{path:?} {text}: {:?}", of(path, text));
    }
}

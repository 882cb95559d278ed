//! Names by content: `page.js` becomes `page-1f0c….js`, in the file's own name and wherever it is named.
//!
//! A name never means two contents, so a browser may keep what it has for ever. Only pages (`index.html`, lessons)
//! keep their names, and `sw.js`, which lists all files so that they work without a network. A reference is a file's
//! path in quotes, perhaps after `./` or, from a lesson, `../`; a word in a comment is none. Limits: files that name
//! each other in a ring are refused.

use std::collections::{BTreeMap, BTreeSet};

use crate::say::{Outcome, Trouble};
use crate::site::Files;

const PAGE: &str = "index.html";
/// What ends the names of pages, which people keep as addresses.
const PAGES: &str = ".html";
/// What keeps the page at hand without a network; its address must stay.
const KEEPER: &str = "sw.js";
/// The style sheet whose imports are put in place.
const SHEET: &str = "style.css";
/// Kinds of files that name others.
const TEXTS: [&str; 4] = ["html", "css", "js", "svg"];

/// Renames all files by content and rewrites their references; `holes` of the page are filled with markup.
pub fn pack(mut files: Files, holes: &[(String, String)]) -> Outcome<Files> {
    let keeper = files.remove(KEEPER);
    join_sheets(&mut files);
    fill(&mut files, holes);
    let mut waiting: BTreeSet<String> = files.keys().cloned().collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut packed = Files::new();
    while !waiting.is_empty() {
        let ready = waiting.iter().find(|path| {
            waiting.iter().all(|other| other == *path || find(&files[*path], path, other).is_none())
        });
        let Some(path) = ready.cloned() else {
            let ring: Vec<_> = waiting.into_iter().collect();
            return Err(Trouble::new("naming the files of dist/")
                .why(format!("these files name each other: {}", ring.join(", ")))
                .fix("let one of them name the other in another way"));
        };
        waiting.remove(&path);
        let bytes = rewrite(&files[&path], &path, &names);
        let name = if path.ends_with(PAGES) { path.clone() } else { name_of(&path, &bytes) };
        packed.insert(name.clone(), bytes);
        names.insert(path, name);
    }
    if let Some(keeper) = keeper {
        let listed = list(&String::from_utf8_lossy(&keeper), &packed);
        packed.insert(KEEPER.to_owned(), listed.into_bytes());
    }
    Ok(packed)
}

/// The keeper with the names of all files but the page, and a version that is another one for other files.
fn list(keeper: &str, packed: &Files) -> String {
    let names: Vec<String> =
        packed.keys().filter(|name| *name != PAGE).map(|name| format!("\"{name}\"")).collect();
    let pages = packed.iter().filter(|(name, _)| name.ends_with(PAGES));
    let pages: Vec<u8> = pages.flat_map(|(_, page)| page.iter().copied()).collect();
    let version = fnv1a(&[names.join(",").as_bytes(), &pages].concat());
    keeper.replace("\"{{files}}\"", &names.join(", ")).replace("{{version}}", &format!("{version:016x}"))
}

/// Puts imported style sheets in the place of their imports: one file to load instead of ten.
fn join_sheets(files: &mut Files) {
    let Some(sheet) = files.get(SHEET).map(|bytes| String::from_utf8_lossy(bytes).into_owned()) else {
        return;
    };
    let import = |line: &str| Some(line.strip_prefix("@import \"")?.strip_suffix("\";")?.to_owned());
    let lines = sheet.lines().map(|line| match import(line).and_then(|path| files.remove(&path)) {
        Some(part) => String::from_utf8_lossy(&part).into_owned(),
        None => format!("{line}\n"),
    });
    let joined: String = lines.collect();
    files.insert(SHEET.to_owned(), joined.into_bytes());
}

/// Puts the text of `{{path}}` and the markup of holes into the pages, so that they show before any script runs.
fn fill(files: &mut Files, holes: &[(String, String)]) {
    let pages: Vec<String> = files.keys().filter(|path| path.ends_with(PAGES)).cloned().collect();
    for path in pages {
        let Some(page) = files.get(&path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()) else {
            continue;
        };
        let filled = files.iter().fold(page, |page, (path, bytes)| {
            let hole = format!("{{{{{path}}}}}");
            match page.contains(&hole) {
                true => page.replace(&hole, &escape(&String::from_utf8_lossy(bytes))),
                false => page,
            }
        });
        let filled = holes
            .iter()
            .fold(filled, |page, (name, markup)| page.replace(&format!("{{{{{name}}}}}"), markup));
        files.insert(path, filled.into_bytes());
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The file's text with every reference to a named file replaced.
fn rewrite(bytes: &[u8], path: &str, names: &BTreeMap<String, String>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (old, new) in names.iter().filter(|(old, _)| *old != path) {
        let mut start = 0;
        while let Some(at) = find(&bytes[start..], path, old).map(|at| at + start) {
            bytes.splice(at..at + old.len(), new.bytes());
            start = at + new.len();
        }
    }
    bytes
}

/// Where `bytes`, the content of `path`, names the file `wanted`.
fn find(bytes: &[u8], path: &str, wanted: &str) -> Option<usize> {
    if !TEXTS.iter().any(|kind| path.ends_with(&format!(".{kind}"))) {
        return None;
    }
    let part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let places = bytes.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted.as_bytes());
    places.map(|(at, _)| at).find(|at| {
        let before = bytes[..*at].strip_suffix(b"../").or(bytes[..*at].strip_suffix(b"./"));
        let before = before.unwrap_or(&bytes[..*at]);
        let opened = before.last().is_some_and(|byte| b"\"'=(".contains(byte));
        opened && !bytes.get(at + wanted.len()).copied().is_some_and(part_of_name)
    })
}

/// `folder/name-HASH.kind`.
fn name_of(path: &str, bytes: &[u8]) -> String {
    let (stem, kind) = path.rsplit_once('.').unwrap_or((path, ""));
    format!("{stem}-{:012x}.{kind}", fnv1a(bytes) >> 16)
}

/// Fowler, Noll and Vo's hash: short, and the same everywhere. Not against an adversary; it meets none here.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn references_follow_the_content() {
        let site = |text| {
            files(&[
                ("index.html", "<script src='./boot.js'>"),
                ("boot.js", "import 'a/b.wasm'"),
                ("a/b.wasm", text),
            ])
        };
        let (one, two) = (pack(site("1"), &[]).unwrap(), pack(site("2"), &[]).unwrap());
        assert_eq!(one.len(), 3);
        assert!(one.keys().filter(|path| two.contains_key(*path)).eq(["index.html"]));
        let page = String::from_utf8_lossy(&one["index.html"]).into_owned();
        let boot = page.trim_start_matches("<script src='./").trim_end_matches("'>");
        let boot = String::from_utf8_lossy(&one[boot]).into_owned();
        assert!(one.contains_key(boot.trim_start_matches("import '").trim_end_matches('\'')), "{boot}");
    }

    #[test]
    fn only_a_whole_path_in_quotes_is_a_reference() {
        let page = r#""homepage.js" "page.jsx" 'x/page.js' page.js './page.js'"#;
        let packed = pack(files(&[("index.html", page), ("page.js", "")]), &[]).unwrap();
        let page = String::from_utf8_lossy(&packed["index.html"]).into_owned();
        assert!(page.starts_with(r#""homepage.js" "page.jsx" 'x/page.js' page.js './page-"#), "{page}");
    }

    #[test]
    fn pages_in_folders_keep_their_names_and_refer_to_what_is_above() {
        let list =
            [("index.html", "'lessons/a.html'"), ("lessons/a.html", "'../b.css' {{b.css}}"), ("b.css", "<")];
        let packed = pack(files(&list), &[]).unwrap();
        assert_eq!(packed["index.html"], b"'lessons/a.html'");
        let lesson = String::from_utf8_lossy(&packed["lessons/a.html"]).into_owned();
        assert!(lesson.starts_with("'../b-") && lesson.ends_with("&lt;"), "{lesson}");
    }

    #[test]
    fn the_page_shows_a_file_before_any_script() {
        let page = files(&[("index.html", "<p>{{a.ir}}</p>{{still:x}}"), ("a.ir", "a < b & c")]);
        let packed = pack(page, &[("still:x".to_owned(), "<b>".to_owned())]).unwrap();
        assert_eq!(packed["index.html"], b"<p>a &lt; b &amp; c</p><b>");
    }

    #[test]
    fn imported_sheets_stand_where_they_were_imported() {
        let sheet = "@import \"style/a.css\";\n@import \"gone.css\";\nb {}\n";
        let packed = pack(files(&[("style.css", sheet), ("style/a.css", "a {}\n")]), &[]).unwrap();
        let texts: Vec<_> =
            packed.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        assert_eq!(texts, ["a {}\n@import \"gone.css\";\nb {}\n"]);
    }

    #[test]
    fn the_keeper_lists_every_file_and_changes_with_any() {
        let site = |text| {
            let keeper = "const NAME = \"{{version}}\"; const FILES = [\"{{files}}\"];";
            let packed =
                pack(files(&[("index.html", "'sw.js'"), ("a.js", text), ("sw.js", keeper)]), &[]).unwrap();
            assert_eq!(packed["index.html"], b"'sw.js'");
            (packed.keys().next().unwrap().clone(), String::from_utf8_lossy(&packed["sw.js"]).into_owned())
        };
        let ((name, keeper), (_, other)) = (site("1"), site("2"));
        assert!(keeper.ends_with(&format!("FILES = [\"{name}\"];")), "{keeper}");
        assert!(!keeper.contains("{{") && keeper != other);
    }

    #[test]
    fn a_ring_is_refused() {
        assert!(pack(files(&[("a.js", "'b.js'"), ("b.js", "'a.js'")]), &[]).is_err());
    }
}

//! Names by content: `page.js` becomes `page-1f0c….js`, in the name of the file and in every reference to it.
//!
//! A name has one content, so a browser may cache the file without a limit. Only pages (`index.html`, lessons)
//! and `sw.js`, which lists all files for use without a network, keep their names. A reference is a file's
//! path in quotes, optionally after `./` or, from a lesson, `../` or `../../`; a word in a comment is not a reference. Limits: files that
//! refer to each other in a cycle are an error.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{Error, Result};
use crate::site::Files;

const PAGE: &str = "index.html";

/// The folder of the reference: the service worker keeps none of its pages, and its template is no page of the site.
const REFERENCE: &str = "ref/";
/// The extension of pages, whose addresses are permanent.
const PAGES: &str = ".html";
/// The service worker, for use without a network; its address must not change.
const SERVICE_WORKER: &str = "sw.js";
/// The files that the service worker keeps only when they were used: the front end of HLSL and Slang.
const LATER: [&str; 3] = ["slang.js", "slangc.js", "slangc_bg.wasm"];
/// The style sheets whose imports are inlined.
const SHEETS: [&str; 2] = ["style.css", "later.css"];
/// Extensions of files that refer to others.
const TEXTS: [&str; 4] = ["html", "css", "js", "svg"];

/// Renames all files by content and rewrites their references; `markup` replaces placeholders of the pages.
pub fn pack(mut files: Files, markup: &[(String, String)]) -> Result<Files> {
    let service_worker = files.remove(SERVICE_WORKER);
    fill(&mut files, markup);
    let mut waiting: BTreeSet<String> = files.keys().cloned().collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut packed = Files::new();
    while !waiting.is_empty() {
        let ready = waiting.iter().find(|path| {
            waiting.iter().all(|other| other == *path || find(&files[*path], path, other).is_none())
        });
        let Some(path) = ready.cloned() else {
            let cycle: Vec<_> = waiting.into_iter().collect();
            return Err(Error::new("naming the files of dist/")
                .reason(format!("these files refer to each other: {}", cycle.join(", ")))
                .fix("let one of them find the other without its path in quotes"));
        };
        waiting.remove(&path);
        let bytes = rewrite(&files[&path], &path, &names);
        let name = if path.ends_with(PAGES) { path.clone() } else { name_of(&path, &bytes) };
        packed.insert(name.clone(), bytes);
        names.insert(path, name);
    }
    if let Some(script) = service_worker {
        let later: Vec<&String> = LATER.iter().filter_map(|path| names.get(*path)).collect();
        let listed = list(&String::from_utf8_lossy(&script), &packed, &later);
        packed.insert(SERVICE_WORKER.to_owned(), listed.into_bytes());
    }
    Ok(packed)
}

/// The service worker with the names of all files except the page, those in `later` in a list of their own, and a version that
/// depends on the files.
fn list(script: &str, packed: &Files, later: &[&String]) -> String {
    // The address of a page that is the index of a folder is the folder.
    let address = |name: &String| name.strip_suffix(&format!("/{PAGE}")).map(|folder| format!("{folder}/"));
    let is_first = |name: &String| *name != PAGE && !later.contains(&name) && !name.starts_with(REFERENCE);
    let names = packed.keys().filter(|name| is_first(name));
    let names: Vec<String> =
        names.map(|name| format!("\"{}\"", address(name).unwrap_or(name.clone()))).collect();
    let pages = packed.iter().filter(|(name, _)| name.ends_with(PAGES));
    let pages: Vec<u8> = pages.flat_map(|(_, page)| page.iter().copied()).collect();
    let later: Vec<String> = later.iter().map(|name| format!("\"{name}\"")).collect();
    let version = fnv1a(&[names.join(",").as_bytes(), later.join(",").as_bytes(), &pages].concat());
    script
        .replace("\"{{files}}\"", &names.join(", "))
        .replace("\"{{later}}\"", &later.join(", "))
        .replace("{{version}}", &format!("{version:016x}"))
}

/// Inlines imported style sheets: two files to load instead of fifteen. Comes before everything else.
pub fn join_sheets(files: &mut Files) {
    for name in SHEETS {
        let Some(sheet) = files.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned()) else {
            continue;
        };
        let import = |line: &str| Some(line.strip_prefix("@import \"")?.strip_suffix("\";")?.to_owned());
        let lines = sheet.lines().map(|line| match import(line).and_then(|path| files.remove(&path)) {
            Some(part) => String::from_utf8_lossy(&part).into_owned(),
            None => format!("{line}\n"),
        });
        let joined: String = lines.collect();
        files.insert(name.to_owned(), joined.into_bytes());
    }
}

/// Replaces `{{path}}` by the text of the file, `{{name}}` by the markup of that name, and every other placeholder by
/// nothing, so that the pages show it before any script runs.
fn fill(files: &mut Files, markup: &[(String, String)]) {
    let pages: Vec<String> = files.keys().filter(|path| path.ends_with(PAGES)).cloned().collect();
    for path in pages {
        let Some(page) = files.get(&path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()) else {
            continue;
        };
        let filled = files.iter().fold(page, |page, (path, bytes)| {
            let placeholder = format!("{{{{{path}}}}}");
            match page.contains(&placeholder) {
                true => page.replace(&placeholder, &escape(&String::from_utf8_lossy(bytes))),
                false => page,
            }
        });
        let filled = markup
            .iter()
            .fold(filled, |page, (name, markup)| page.replace(&format!("{{{{{name}}}}}"), markup));
        files.insert(path, without_placeholders(&filled).into_bytes());
    }
}

/// The page without the placeholders that nothing replaced, as in a development build.
fn without_placeholders(page: &str) -> String {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_".contains(&byte))
    };
    let mut parts = page.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("}}") {
            Some((name, rest)) if is_name(name) => out.push_str(rest),
            _ => out.extend(["{{", part]),
        }
    }
    out
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

/// The first reference to the file `target` in `bytes`, the content of `path`.
fn find(bytes: &[u8], path: &str, target: &str) -> Option<usize> {
    if !TEXTS.iter().any(|kind| path.ends_with(&format!(".{kind}"))) {
        return None;
    }
    let part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let matches = bytes.windows(target.len()).enumerate().filter(|(_, window)| *window == target.as_bytes());
    matches.map(|(at, _)| at).find(|at| {
        let path = &bytes[..*at];
        let mut before = path.strip_suffix(b"../").or(path.strip_suffix(b"./")).unwrap_or(path);
        while let Some(rest) = before.strip_suffix(b"../") {
            before = rest;
        }
        let opened = before.last().is_some_and(|byte| b"\"'=(".contains(byte));
        opened && !bytes.get(at + target.len()).copied().is_some_and(part_of_name)
    })
}

/// `folder/name-HASH.kind`.
fn name_of(path: &str, bytes: &[u8]) -> String {
    let (stem, kind) = path.rsplit_once('.').unwrap_or((path, ""));
    format!("{stem}-{:012x}.{kind}", fnv1a(bytes) >> 16)
}

/// FNV-1a (Fowler, Noll and Vo): short, and equal on every machine. It is not cryptographic, which the trusted files do not need.
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
    fn pages_in_folders_keep_their_names_and_refer_to_files_above() {
        let list = [
            ("index.html", "'lessons/a.html'"),
            ("lessons/a.html", "'../b.css' {{b.css}}"),
            ("learn/c/index.html", "'../../b.css'"),
            ("sw.js", "[\"{{files}}\"]"),
            ("b.css", "<"),
        ];
        let packed = pack(files(&list), &[]).unwrap();
        assert_eq!(packed["index.html"], b"'lessons/a.html'");
        let lesson = String::from_utf8_lossy(&packed["lessons/a.html"]).into_owned();
        assert!(lesson.starts_with("'../b-") && lesson.ends_with("&lt;"), "{lesson}");
        assert!(packed["learn/c/index.html"].starts_with(b"'../../b-"));
        let listed = String::from_utf8_lossy(&packed["sw.js"]).into_owned();
        assert!(listed.contains("\"learn/c/\", \"lessons/a.html\""), "{listed}");
    }

    #[test]
    fn the_page_shows_a_file_before_any_script() {
        let page =
            files(&[("index.html", "<p>{{a.ir}}</p>{{prerender:x}}{{prerender:y}}"), ("a.ir", "a < b & c")]);
        let packed = pack(page, &[("prerender:x".to_owned(), "<b>".to_owned())]).unwrap();
        assert_eq!(packed["index.html"], b"<p>a &lt; b &amp; c</p><b>");
    }

    #[test]
    fn imported_sheets_are_inlined() {
        let sheet = "@import \"style/a.css\";\n@import \"gone.css\";\nb {}\n";
        let mut site = files(&[("style.css", sheet), ("style/a.css", "a {}\n")]);
        join_sheets(&mut site);
        let texts: Vec<_> = site.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        assert_eq!(texts, ["a {}\n@import \"gone.css\";\nb {}\n"]);
    }

    #[test]
    fn the_service_worker_lists_every_file_and_changes_with_any() {
        let site = |text| {
            let script = "const NAME = \"{{version}}\"; const FILES = [\"{{files}}\"];";
            let packed =
                pack(files(&[("index.html", "'sw.js'"), ("a.js", text), ("sw.js", script)]), &[]).unwrap();
            assert_eq!(packed["index.html"], b"'sw.js'");
            (packed.keys().next().unwrap().clone(), String::from_utf8_lossy(&packed["sw.js"]).into_owned())
        };
        let ((name, script), (_, other)) = (site("1"), site("2"));
        assert!(script.ends_with(&format!("FILES = [\"{name}\"];")), "{script}");
        assert!(!script.contains("{{") && script != other);
    }

    #[test]
    fn pages_of_the_reference_are_not_kept() {
        let mut site = files(&[("index.html", ""), ("a.js", ""), ("ref/template/page/index.html", "x")]);
        site.insert("sw.js".to_owned(), b"[\"{{files}}\"] [\"{{later}}\"]".to_vec());
        let script = String::from_utf8_lossy(&pack(site, &[]).unwrap()["sw.js"]).into_owned();
        assert!(script.starts_with("[\"a-") && !script.contains("ref/"), "{script}");
    }

    #[test]
    fn the_front_end_of_hlsl_is_kept_only_when_it_was_used() {
        let site =
            [("index.html", ""), ("a.js", ""), ("slang.js", "'slangc_bg.wasm'"), ("slangc_bg.wasm", "x")];
        let mut site = files(&site);
        site.insert("sw.js".to_owned(), b"[\"{{files}}\"] [\"{{later}}\"]".to_vec());
        let script = String::from_utf8_lossy(&pack(site, &[]).unwrap()["sw.js"]).into_owned();
        let (first, later) = script.split_once("] [").unwrap();
        assert!(first.starts_with("[\"a-") && !first.contains("slang"), "{script}");
        assert!(later.starts_with("\"slang-") && later.contains("\"slangc_bg-"), "{script}");
    }

    #[test]
    fn a_cycle_is_an_error() {
        assert!(pack(files(&[("a.js", "'b.js'"), ("b.js", "'a.js'")]), &[]).is_err());
    }
}

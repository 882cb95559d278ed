//! Links of the reference: names of entries in code become links, and every link of the built pages leads to a file.
//!
//! A name that several kinds have leads to the first kind of [`ORDER`], and to its own kind on a page of that kind.

use super::records::Record;
use crate::site::Files;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds in the order in which a name is looked up.
const ORDER: [&str; 8] = ["pass", "preset", "analysis", "op", "rule", "diag", "back-end", "front-end"];

/// The kinds of each name.
pub struct Names(BTreeMap<String, Vec<String>>);

impl Names {
    pub fn of(records: &[Record]) -> Names {
        let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for kind in ORDER {
            for record in records.iter().filter(|record| record.kind == kind) {
                out.entry(record.name.clone()).or_default().push(kind.to_owned());
            }
        }
        Names(out)
    }

    /// The address of an entry from the root of the site: `licm`, or `structurize{imported}` with its options.
    pub fn address(&self, code: &str, own_kind: &str) -> Option<String> {
        let name = code.split('{').next().unwrap_or_default();
        let kinds = self.0.get(name)?;
        let kind = kinds.iter().find(|kind| *kind == own_kind).or(kinds.first())?;
        Some(format!("ref/{kind}/{name}/"))
    }

    /// HTML with links around the code that names an entry other than the page's own.
    pub fn link(&self, html: &str, up: &str, own: &str) -> String {
        let own_kind = own.split('/').nth(1).unwrap_or_default();
        let (begin, end) = ("<code>", "</code>");
        let mut parts = html.split(begin);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, rest) = part.split_once(end).unwrap_or((part, ""));
            // Code that is a link already stays as it is.
            let is_linked =
                out.ends_with('>') && out.rsplit('<').next().is_some_and(|tag| tag.starts_with("a "));
            match self.address(code, own_kind).filter(|address| address != own && !is_linked) {
                Some(address) => out.push_str(&format!("<a href=\"{up}{address}\">{begin}{code}{end}</a>")),
                None => out.push_str(&format!("{begin}{code}{end}")),
            }
            out.push_str(rest);
        }
        out
    }
}

/// Checks every link of the pages of the reference, the glossary and the lessons: each file and each section exists.
pub fn check(files: &Files) -> Result<(), String> {
    let is_ours = |path: &str| {
        path.ends_with(".html")
            && ["ref/", "glossary/", "learn/"].iter().any(|folder| path.starts_with(folder))
    };
    let has_reference = files.contains_key("ref/index.html");
    let mut ids: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        let page = String::from_utf8_lossy(bytes);
        ids.insert(path, attributes(&page, "id").map(str::to_owned).collect());
    }
    let mut wrong = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| is_ours(path)) {
        let page = String::from_utf8_lossy(bytes);
        for link in attributes(&page, "href").filter(|link| !link.contains("://")) {
            let (target, id) = link.split_once('#').unwrap_or((link, ""));
            // A query chooses a form of the same page.
            let target = target.split_once('?').map_or(target, |(target, _)| target);
            let file = if target.is_empty() { path.clone() } else { resolve(path, target) };
            let is_later = !has_reference && file.starts_with("ref/");
            // A link of the playground has its state after `#`.
            let has_id = id.is_empty()
                || file == "index.html"
                || ids.get(file.as_str()).is_some_and(|ids| ids.contains(id));
            let is_there = files.contains_key(&file) && has_id;
            if !is_later && !is_there {
                wrong.push(format!("{path}: the link {link} leads nowhere"));
            }
        }
    }
    wrong.truncate(20);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The values of an attribute.
fn attributes<'p>(page: &'p str, name: &str) -> impl Iterator<Item = &'p str> {
    let begin = format!(" {name}=\"");
    let mut parts = page.split(begin.as_str()).skip(1).collect::<Vec<_>>().into_iter();
    std::iter::from_fn(move || parts.next()).filter_map(|part| part.split('"').next())
}

/// The file of a link in a page.
fn resolve(page: &str, link: &str) -> String {
    let mut folders: Vec<&str> = page.split('/').collect();
    folders.pop();
    for part in link.split('/') {
        match part {
            ".." => {
                folders.pop();
            }
            "." => {}
            _ => folders.push(part),
        }
    }
    let path = folders.join("/");
    match path.is_empty() || path.ends_with('/') {
        true => format!("{path}index.html"),
        false => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, name: &str) -> Record {
        let [kind, name] = [kind, name].map(str::to_owned);
        Record { kind, name, group: String::new(), summary: String::new(), blocks: Vec::new() }
    }

    #[test]
    fn code_that_names_an_entry_is_a_link() {
        let names =
            Names::of(&[record("back-end", "spirv"), record("front-end", "spirv"), record("pass", "cse")]);
        let html = names.link(
            "<code>cse{x}</code> <code>dse</code> <code>spirv</code>",
            "../",
            "ref/front-end/other/",
        );
        assert_eq!(
            html,
            "<a href=\"../ref/pass/cse/\"><code>cse{x}</code></a> <code>dse</code> \
             <a href=\"../ref/front-end/spirv/\"><code>spirv</code></a>"
        );
        assert_eq!(names.link("<code>cse</code>", "", "ref/pass/cse/"), "<code>cse</code>");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let site = |link: &str| {
            let page = format!("<p id=\"a\"><a href=\"{link}\">");
            let files = [("glossary/index.html", page.as_str()), ("ref/index.html", ""), ("x.css", "")];
            files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect::<Files>()
        };
        for link in ["#a", "../ref/", "../x.css", "./", "https://example.org/", "../glossary/#a"] {
            assert_eq!(check(&site(link)), Ok(()), "{link}");
        }
        for link in ["#b", "../ref/pass/", "../y.css", "x"] {
            assert!(check(&site(link)).is_err(), "{link}");
        }
    }
}

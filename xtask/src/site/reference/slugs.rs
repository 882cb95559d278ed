//! Addresses that were released, and redirects from old ones.
//!
//! `www/reference/slugs.txt` lists every address of a released page or term, one a line. Each is a page or a term of today, or
//! is redirected to one by `www/reference/redirects.txt`, whose lines are `OLD NEW`. Addresses of entries that are not released yet
//! may be missing; `cargo xtask bless` adds them.

use super::glossary::Glossary;
use super::pages;
use super::records::Record;
use crate::site::Files;
use std::collections::BTreeSet;

/// The addresses of a list.
pub fn read(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(str::to_owned).collect()
}

/// The old and the new address of each redirect. Errors: a sentence.
pub fn redirects(text: &str) -> Result<Vec<(String, String)>, String> {
    let of = |line: String| match line.split_once(' ') {
        Some((old, new)) if old.starts_with("ref/") && old.ends_with('/') && !new.contains(' ') => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => Err(format!("redirects.txt: `{line}` is no pair such as `ref/pass/old/ ref/pass/new/`")),
    };
    read(text).into_iter().map(of).collect()
}

/// Checks that every released address is a page, a term, or redirected to one. Errors: a sentence.
pub fn check(
    slugs: &[String],
    redirects: &[(String, String)],
    records: &[Record],
    glossary: &Glossary,
) -> Result<(), String> {
    let mut known: BTreeSet<String> = records.iter().map(Record::address).collect();
    known.extend(glossary.0.iter().map(|term| format!("glossary/#{}", term.slug())));
    for (old, new) in redirects {
        if known.contains(old) || !known.contains(new) {
            return Err(format!("redirects.txt: {old} is a page of today, or {new} is none"));
        }
    }
    let is_kept = |slug: &&String| known.contains(*slug) || redirects.iter().any(|(old, _)| old == *slug);
    let lost: Vec<&String> = slugs.iter().filter(|slug| !is_kept(slug)).collect();
    match lost.is_empty() {
        true => Ok(()),
        false => Err(format!("released addresses have no page, and need a line in redirects.txt: {lost:?}")),
    }
}

/// The pages of the old addresses: a link to the new one, which browsers follow by themselves.
pub fn pages(redirects: &[(String, String)], template: &str) -> Files {
    let of = |(old, new): &(String, String)| {
        let depth = old.matches('/').count();
        let target = format!("{}{new}", "../".repeat(depth));
        let name = new.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let main = format!("<h1>Renamed</h1>\n<p>This page is now <a href=\"{target}\">{name}</a>.</p>\n");
        let page = pages::fill(template, depth, "Renamed", "The page has another address.", &main);
        let refresh = format!(
            "<meta http-equiv=\"refresh\" content=\"0; url={target}\">\n<link rel=\"canonical\" href=\"{target}\">\n<title>"
        );
        (format!("{old}index.html"), page.replacen("<title>", &refresh, 1).into_bytes())
    };
    redirects.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str) -> Record {
        let [kind, name, group, summary] = ["pass", name, "", ""].map(str::to_owned);
        Record { kind, name, group, summary, blocks: Vec::new() }
    }

    #[test]
    fn a_released_address_never_disappears() {
        let slugs = read("// c\nref/pass/old/\n");
        let (records, glossary) = ([record("new")], Glossary::default());
        assert!(check(&slugs, &[], &records, &glossary).is_err());
        let table = redirects("ref/pass/old/ ref/pass/new/\n").unwrap();
        assert_eq!(check(&slugs, &table, &records, &glossary), Ok(()));
        assert!(
            check(&slugs, &redirects("ref/pass/old/ ref/pass/gone/\n").unwrap(), &records, &glossary)
                .is_err()
        );
        assert!(
            check(&[], &redirects("ref/pass/new/ ref/pass/new/\n").unwrap(), &records, &glossary).is_err()
        );
        assert!(redirects("ref/pass/old/\n").is_err());
    }

    #[test]
    fn an_old_address_leads_to_the_new_one() {
        let table = redirects("ref/pass/old/ ref/pass/new/\n").unwrap();
        let files = pages(&table, &crate::site::reference::pages::template());
        let page = String::from_utf8_lossy(&files["ref/pass/old/index.html"]).into_owned();
        assert!(page.contains("content=\"0; url=../../../ref/pass/new/\""), "{page}");
        assert!(page.contains("rel=\"canonical\" href=\"../../../ref/pass/new/\""), "{page}");
    }
}

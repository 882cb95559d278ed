//! The catalog and the formats of files as the page gets them.

use super::{Entry, EntryKind, Facts, entries};
use crate::back::{BACKENDS, Backend};
use crate::pipeline::OptionInfo;
use vitrine_protocol::{self as protocol, CatalogEntry, CatalogOption, Format};

/// Every entry, in the order of the catalog.
pub fn page_catalog() -> Vec<CatalogEntry> {
    entries().into_iter().map(entry).collect()
}

/// Every back end, in the order of the table.
pub fn formats() -> Vec<Format> {
    let format = |backend: &&dyn Backend| Format {
        name: backend.name().to_owned(),
        label: backend.label().to_owned(),
        language: backend.language().unwrap_or_default().to_owned(),
        vector: backend.draws() && backend.media() == "image/svg+xml",
    };
    BACKENDS.iter().map(format).collect()
}

fn entry(entry: Entry) -> CatalogEntry {
    let (about, page, options) = (entry.about(), entry.address(), options(&entry));
    CatalogEntry {
        kind: match entry.kind() {
            EntryKind::Pass => protocol::EntryKind::Pass,
            EntryKind::Preset => protocol::EntryKind::Preset,
            EntryKind::Rule => protocol::EntryKind::Rule,
            EntryKind::Op => protocol::EntryKind::Operation,
            EntryKind::Analysis => protocol::EntryKind::Analysis,
            EntryKind::Frontend => protocol::EntryKind::Frontend,
            EntryKind::Backend => protocol::EntryKind::Backend,
            EntryKind::Diagnostic => protocol::EntryKind::Diagnostic,
        },
        name: entry.name.to_owned(),
        doc: entry.doc,
        about,
        page,
        pipeline: match entry.facts {
            Facts::Preset { text, .. } => text,
            Facts::Pass { .. }
            | Facts::Rule { .. }
            | Facts::Op { .. }
            | Facts::Analysis { .. }
            | Facts::Frontend
            | Facts::Backend { .. }
            | Facts::Diagnostic { .. } => String::new(),
        },
        options,
    }
}

/// A group of words is one option with several choices.
fn options(entry: &Entry) -> Vec<CatalogOption> {
    let Facts::Pass { options, .. } = &entry.facts else { return Vec::new() };
    let mut words = Vec::new();
    let mut out = Vec::new();
    for option in *options {
        match *option {
            OptionInfo::Word(word, doc) => words.push((word.to_owned(), doc.to_owned())),
            OptionInfo::Number { name, doc, default, least, most } => {
                let [name, doc] = [name, doc].map(str::to_owned);
                out.push(CatalogOption::Number { name, doc, default, least, most });
            }
            OptionInfo::Places { form, doc } => {
                out.push(CatalogOption::Places { form: form.to_owned(), doc: doc.to_owned() });
            }
        }
    }
    if !words.is_empty() {
        out.insert(0, CatalogOption::Words(words));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_has_entries_of_every_kind() {
        let catalog = page_catalog();
        let of_kind = |kind| catalog.iter().filter(move |entry| entry.kind == kind);
        for kind in [
            protocol::EntryKind::Pass,
            protocol::EntryKind::Preset,
            protocol::EntryKind::Rule,
            protocol::EntryKind::Operation,
            protocol::EntryKind::Analysis,
        ] {
            assert!(of_kind(kind).next().is_some(), "{kind:?}");
        }
        assert!(of_kind(protocol::EntryKind::Preset).all(|entry| !entry.pipeline.is_empty()));
    }
}

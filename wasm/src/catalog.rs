//! The catalog and the words of the text editor: requested once.

use vitrine_core::back::{BACKENDS, Backend};
use vitrine_core::catalog::{self, Entry, Facts, entries};
use vitrine_core::pipeline::OptionInfo;
use vitrine_protocol::{CatalogEntry, CatalogOption, EntryKind, Format};

use crate::model;

/// Every pass, preset, rule, operation and analysis.
pub(crate) fn catalog() -> Vec<CatalogEntry> {
    entries().iter().map(entry).collect()
}

/// Every back end, in the order of the table.
pub(crate) fn formats() -> Vec<Format> {
    let format = |backend: &&dyn Backend| Format {
        name: backend.name().to_owned(),
        label: backend.label().to_owned(),
        language: backend.language().unwrap_or_default().to_owned(),
        vector: backend.draws() && backend.media() == "image/svg+xml",
    };
    BACKENDS.iter().map(format).collect()
}

/// See [`Answer::Words`](vitrine_protocol::Answer::Words).
pub(crate) fn words() -> String {
    let classes = format!("\t{}\t\n", model::class_names().join(" "));
    std::iter::once(classes).chain(model::words().iter().map(line)).collect()
}

fn line(word: &model::Word) -> String {
    let model::Word { name, class, doc, .. } = word;
    format!("{name}\t{class}\t{}\n", doc.replace('\n', " "))
}

fn entry(entry: &Entry) -> CatalogEntry {
    CatalogEntry {
        kind: match entry.kind() {
            catalog::EntryKind::Pass => EntryKind::Pass,
            catalog::EntryKind::Preset => EntryKind::Preset,
            catalog::EntryKind::Rule => EntryKind::Rule,
            catalog::EntryKind::Op => EntryKind::Operation,
            catalog::EntryKind::Analysis => EntryKind::Analysis,
            catalog::EntryKind::Frontend => EntryKind::Frontend,
            catalog::EntryKind::Backend => EntryKind::Backend,
            catalog::EntryKind::Diagnostic => EntryKind::Diagnostic,
        },
        name: entry.name.to_owned(),
        doc: entry.doc.clone(),
        about: entry.about(),
        page: entry.address(),
        pipeline: match &entry.facts {
            Facts::Preset { text, .. } => text.clone(),
            Facts::Pass { .. }
            | Facts::Rule { .. }
            | Facts::Op { .. }
            | Facts::Analysis { .. }
            | Facts::Frontend
            | Facts::Backend { .. }
            | Facts::Diagnostic { .. } => String::new(),
        },
        options: options(entry),
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
                out.push(CatalogOption::Number {
                    name: name.to_owned(),
                    doc: doc.to_owned(),
                    default,
                    least,
                    most,
                });
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
    fn every_word_is_one_line_of_three_parts() {
        let words = words();
        assert!(words.lines().count() > 300);
        assert!(words.lines().all(|line| line.split('\t').count() == 3));
    }

    #[test]
    fn the_catalog_has_entries_of_every_kind() {
        let catalog = catalog();
        for kind in
            [EntryKind::Pass, EntryKind::Preset, EntryKind::Rule, EntryKind::Operation, EntryKind::Analysis]
        {
            assert!(catalog.iter().any(|entry| entry.kind == kind), "{kind:?}");
        }
        let of_preset = |entry: &&CatalogEntry| entry.kind == EntryKind::Preset;
        assert!(catalog.iter().filter(of_preset).all(|entry| !entry.pipeline.is_empty()));
    }
}

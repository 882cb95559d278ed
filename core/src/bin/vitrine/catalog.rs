//! `vitrine catalog`: passes, presets, rules, operations, analyses, front ends, back ends and diagnostics, as Markdown
//! or JSON.

use super::json::pretty;
use super::{Stop, input};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write;
use vitrine_core::catalog::{Entry, EntryKind, Facts, entries, named};
use vitrine_core::pipeline::OptionInfo;

/// List passes, presets, rules, operations, analyses, front ends, back ends and diagnostics
#[derive(clap::Args)]
pub(crate) struct Catalog {
    /// Show only the entries of this name, in full
    name: Option<String>,
    /// Show only one table
    #[arg(long, value_enum)]
    kind: Option<Table>,
    /// Print JSON, in full
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Table {
    /// Passes of a pipeline
    Passes,
    /// Named pipelines
    Presets,
    /// Rewrite rules of `algebraic`
    Rules,
    /// Operations of the IR
    Operations,
    /// Analyses of a program
    Analyses,
    /// Languages that can be read
    FrontEnds,
    /// Forms that can be written
    BackEnds,
    /// Kinds of diagnostics, by code
    Diagnostics,
}

impl Table {
    fn kind(self) -> EntryKind {
        match self {
            Table::Passes => EntryKind::Pass,
            Table::Presets => EntryKind::Preset,
            Table::Rules => EntryKind::Rule,
            Table::Operations => EntryKind::Op,
            Table::Analyses => EntryKind::Analysis,
            Table::FrontEnds => EntryKind::Frontend,
            Table::BackEnds => EntryKind::Backend,
            Table::Diagnostics => EntryKind::Diagnostic,
        }
    }
}

impl Catalog {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let mut found = match &self.name {
            Some(name) => named(name),
            None => entries(),
        };
        if let (Some(name), true) = (&self.name, found.is_empty()) {
            let sentence = format!("there is no entry `{name}`; `vitrine catalog` lists all of them");
            return Err(Stop::Misused(sentence));
        }
        found.retain(|entry| self.kind.is_none_or(|table| table.kind() == entry.kind()));
        input::print(&match (self.json, &self.name) {
            (true, _) => pretty(&Value::Array(found.iter().map(value).collect())),
            (false, Some(_)) => whole(&found),
            (false, None) => list(&found),
        });
        Ok(())
    }
}

/// One line for each entry, under its kind.
fn list(found: &[Entry]) -> String {
    let mut out = String::new();
    for kind in EntryKind::ALL {
        let mut entries = found.iter().filter(|entry| entry.kind() == kind).peekable();
        if entries.peek().is_some() {
            let _ = writeln!(out, "# {}\n", kind.plural());
            for entry in entries {
                let _ = writeln!(out, "- `{}`: {}", entry.name, entry.doc);
            }
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The full text of each entry.
fn whole(found: &[Entry]) -> String {
    let pages = found
        .iter()
        .map(|entry| format!("# {} ({})\n\n{}\n", entry.name, entry.kind().name(), entry.about()));
    pages.collect::<Vec<_>>().join("\n")
}

fn value(entry: &Entry) -> Value {
    let facts = match &entry.facts {
        Facts::Pass { about, shape, stages, idempotent, options } => json!({
            "about": about,
            "shape": shape,
            "stages": stages,
            "idempotent": idempotent,
            "options": options.iter().map(option).collect::<Vec<_>>(),
        }),
        Facts::Analysis { about } => json!({ "about": about }),
        Facts::Frontend => json!({}),
        Facts::Backend { extensions, media, preset } => {
            json!({ "extensions": extensions, "media": media, "preset": preset })
        }
        Facts::Diagnostic { group, repair } => json!({ "group": group, "repair": repair }),
        Facts::Preset { text, entries } => json!({
            "pipeline": text,
            "entries": entries.iter().map(|(text, reason)| json!({ "text": text, "reason": reason })).collect::<Vec<_>>(),
        }),
        Facts::Rule { left, right, guard, asks } => {
            json!({ "left": left, "right": right, "if": guard, "asks": asks })
        }
        Facts::Op { family, operands, rest, result, properties, needs, may, folds, written } => {
            let operand = |(name, fits): &(&str, String)| json!({ "name": name, "fits": fits });
            json!({
                "family": family,
                "operands": operands.iter().map(operand).collect::<Vec<_>>(),
                "rest": rest.as_ref().map(operand),
                "result": result,
                "properties": properties,
                "attributes": { "needed": needs, "allowed": may },
                "folds": folds,
                "written": written.iter().map(|(names, text)| json!({ "languages": names, "text": text })).collect::<Vec<_>>(),
            })
        }
    };
    json!({
        "name": entry.name,
        "kind": entry.kind().name(),
        "doc": entry.doc,
        "page": entry.address(),
        "facts": facts,
    })
}

fn option(option: &OptionInfo) -> Value {
    match option {
        OptionInfo::Word(word, doc) => json!({ "type": "word", "word": word, "doc": doc }),
        OptionInfo::Number { name, doc, default, least, most } => json!({
            "type": "number", "name": name, "doc": doc, "default": default, "range": [least, most],
        }),
        OptionInfo::Places { form, doc } => json!({ "type": "places", "form": form, "doc": doc }),
    }
}

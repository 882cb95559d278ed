//! An entry of the catalog as Markdown: paragraphs, lists, and program text between fences.

use super::diagnostics::VALIDATOR;
use super::{Entry, Facts};
use crate::back::text::Language;
use crate::ops::Op;
use crate::pipeline::OptionInfo;
use std::fmt::Write;

/// The description of an entry.
pub(super) fn about(entry: &Entry) -> String {
    let mut out = String::new();
    match &entry.facts {
        Facts::Pass { about, shape, stages, idempotent, options } => {
            // The first paragraph of the file repeats the summary.
            let _ = writeln!(out, "{about}");
            list(&mut out, "Options", options.iter().map(option));
            let needs = shape
                .map_or_else(|| "Takes graphs and trees.".to_owned(), |shape| format!("Requires a {shape}."));
            let again = if *idempotent { " A second run in a row changes nothing." } else { "" };
            let stages = match stages.is_empty() {
                true => "Any stage.".to_owned(),
                false => format!("Stages: {}.", stages.join(", ")),
            };
            let _ = writeln!(out, "{needs} {stages}{again}");
        }
        Facts::Analysis { about } => {
            let _ = writeln!(out, "{about}");
        }
        Facts::Frontend => {
            let _ = writeln!(out, "{}\n\nInputs are recognized by their content.", entry.doc);
        }
        Facts::Backend { extensions, media, preset } => {
            let names: Vec<String> = extensions.iter().map(|extension| format!("`.{extension}`")).collect();
            let _ = writeln!(out, "{}\n\nFiles: {}, {media}.", entry.doc, names.join(", "));
            if let Some(preset) = preset {
                let _ = writeln!(out, "\nPreset: `{preset}` runs first, unless writing is strict.");
            }
            if let Some(language) = Language::ALL.iter().find(|language| Some(language.preset()) == *preset) {
                operations(&mut out, *language);
            }
        }
        Facts::Diagnostic { group, repair } => {
            if *group == VALIDATOR {
                out.push_str("A valid program has this property, and the diagnostic reports a place where it is violated: ");
            }
            let _ = writeln!(out, "{}\n\nReported by: {}.", entry.doc, group.to_lowercase());
            if !repair.is_empty() {
                let _ = writeln!(out, "\nRepair: {repair}.");
            }
        }
        Facts::Preset { text, entries } => {
            let _ = writeln!(out, "{}\n\n```text\n{text}\n```\n", entry.doc);
            list(&mut out, "", entries.iter().map(|(text, reason)| format!("`{text}`: {reason}")));
        }
        Facts::Rule { left, right, guard, asks } => {
            let _ = write!(out, "{}\n\n```text\n{left}\n=> {right}\n", entry.doc);
            if !guard.is_empty() {
                let _ = writeln!(out, "if {guard}");
            }
            out.push_str("```\n");
            if !asks.is_empty() {
                let _ = writeln!(out, "\nOnly if allowed by: `{}`.", asks.join("`, `"));
            }
        }
        Facts::Op { family, operands, rest, result, properties, needs, may, folds, written } => {
            let mut fits: Vec<String> =
                operands.iter().map(|(name, fits)| format!("{name}: {fits}")).collect();
            fits.extend(rest.iter().map(|(name, fits)| format!("{name}…: {fits}")));
            let signature = format!("{} {} -> {result}", entry.name, fits.join(", "));
            let _ = writeln!(out, "{}\n\n```text\n{signature}\n```\n", entry.doc);
            let mut facts = vec![format!("Family: {family}")];
            let lists =
                [("Properties", properties), ("Attributes it must have", needs), ("It may have", may)];
            for (name, words) in lists.into_iter().filter(|(_, words)| !words.is_empty()) {
                facts.push(format!("{name}: {}", words.join(", ").to_lowercase()));
            }
            if *folds {
                facts.push("Folded if its operands are constant".to_owned());
            }
            list(&mut out, "", facts.into_iter());
            let rows = written.iter().map(|(names, text)| format!("{}: {text}", names.join(", ")));
            list(&mut out, "Written as text", rows);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The operations that a language does not have: those that passes lower, and those that are refused, by reason.
fn operations(out: &mut String, language: Language) {
    let mut groups: [Vec<(&str, Vec<String>)>; 2] = Default::default();
    for op in Op::all() {
        let found = [language.lowered_by(op), language.refusal(op)];
        for (group, why) in groups.iter_mut().zip(found) {
            let Some(why) = why else { continue };
            let name = format!("`{}`", op.name());
            match group.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => names.push(name),
                None => group.push((why, vec![name])),
            }
        }
    }
    let [lowered, refused] = groups;
    out.push('\n');
    list(out, "Lowered first", lowered.iter().map(|(pass, names)| format!("`{pass}`: {}", names.join(", "))));
    list(out, "Not written", refused.iter().map(|(why, names)| format!("{why}: {}", names.join(", "))));
}

fn option(option: &OptionInfo) -> String {
    match option {
        OptionInfo::Word(word, doc) => format!("`{word}`: {doc}"),
        OptionInfo::Number { name, doc, default, least, most } => {
            format!("`{name}`: {doc} From {least} to {most}; {default} by default.")
        }
        OptionInfo::Places { form, doc } => format!("`{form}`: {doc}"),
    }
}

fn list(out: &mut String, title: &str, entries: impl Iterator<Item = String>) {
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        return;
    }
    if !title.is_empty() {
        let _ = writeln!(out, "{title}:\n");
    }
    for entry in entries {
        let _ = writeln!(out, "- {entry}");
    }
    out.push('\n');
}

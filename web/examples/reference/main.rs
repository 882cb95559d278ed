//! Prints the contents of the reference: an entry of the catalog after the other, as Markdown and prerendered programs. Run by
//! `cargo xtask dist`, with the path of the repository; `xtask/src/site/reference` makes pages of it.
//!
//! ```text
//! @page rule<tab>iadd_zero<tab>group<tab>One sentence.
//! @markdown 120                     that number of bytes, and the end of a line
//! @html 2048
//! ```
//!
//! Everything is computed: examples are filetests, run when this is run; results of operations and counterexamples of rules
//! are evaluated. A pass without an example, and a diagnostic whose program does not show it, are errors.

mod diagnostics; // programs with a diagnostic, and their repairs
mod figures; // programs before and after
mod filetests; // the examples
mod numbers; // values as text
mod operations; // results for corner cases
mod rules; // checks, counterexamples and examples of rules

use figures::Figures;
use filetests::Filetest;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use vitrine_core::catalog::{Entry, EntryKind, Facts, entries};
use vitrine_core::ops::Op;
use vitrine_core::pipeline::PRESETS;
use vitrine_core::rules::{Pat, Rules};

fn main() -> ExitCode {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    match reference(Path::new(&root)) {
        Ok(out) if std::io::stdout().write_all(out.as_bytes()).is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{why}");
            ExitCode::FAILURE
        }
    }
}

/// The blocks of a page.
#[derive(Default)]
struct Page(String);

impl Page {
    fn block(&mut self, kind: &str, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(self.0, "@{kind} {}\n{text}", text.len());
        }
    }

    fn markdown(&mut self, text: &str) {
        self.block("markdown", text);
    }

    fn html(&mut self, text: &str) {
        self.block("html", text);
    }
}

fn reference(root: &Path) -> Result<String, String> {
    let tests = filetests::all(&root.join("core/tests/filetests"))?;
    let sources = diagnostics::read(&root.join("www/reference/diagnostics.txt"))?;
    let mut figures = Figures::new();
    let (mut out, mut wrong) = (String::new(), Vec::new());
    for entry in entries() {
        let mut page = Page::default();
        page.markdown(&entry.about());
        if let Err(why) = body(&mut page, &entry, &tests, &sources, &mut figures) {
            wrong.push(format!("{} {}: {why}", entry.kind().name(), entry.name));
            continue;
        }
        let group = group(&entry);
        let _ = writeln!(
            out,
            "@page {}\t{}\t{group}\t{}\n{}",
            entry.kind().folder(),
            entry.name,
            entry.doc,
            page.0.trim_end_matches('\n')
        );
    }
    if wrong.is_empty() { Ok(out) } else { Err(wrong.join("\n")) }
}

/// The heading under which the index of a kind lists an entry.
fn group(entry: &Entry) -> String {
    match &entry.facts {
        Facts::Op { family, .. } => (*family).to_owned(),
        Facts::Diagnostic { group, .. } => (*group).to_owned(),
        Facts::Rule { .. } => {
            let rule = Rules::get().all().iter().find(|rule| rule.text.name == entry.name);
            rule.map(|rule| format!("Rules of {}", rule.set.name())).unwrap_or_default()
        }
        Facts::Pass { .. }
        | Facts::Preset { .. }
        | Facts::Analysis { .. }
        | Facts::Frontend
        | Facts::Backend { .. } => String::new(),
    }
}

fn body(
    page: &mut Page,
    entry: &Entry,
    tests: &[Filetest],
    sources: &diagnostics::Sources,
    figures: &mut Figures,
) -> Result<(), String> {
    match entry.kind() {
        EntryKind::Pass => {
            let example = filetests::of_pass(tests, entry.name, figures)?;
            page.markdown("## Example");
            page.html(&example);
            page.markdown(&presets(entry.name));
            page.markdown(&rules::of_pass(entry.name));
        }
        EntryKind::Rule => rules::page(page, entry.name, figures)?,
        EntryKind::Op => {
            let op = Op::from_name(entry.name).ok_or("the operation does not exist")?;
            page.markdown(&operations::table(op));
            page.markdown(&matched(op));
            if let Some(figure) = filetests::of_operation(tests, entry.name, figures)? {
                page.markdown("## Example");
                page.html(&figure);
            }
        }
        EntryKind::Diagnostic => diagnostics::page(page, entry.name, tests, sources, figures)?,
        EntryKind::Preset | EntryKind::Analysis | EntryKind::Frontend | EntryKind::Backend => {}
    }
    Ok(())
}

/// The presets that run a pass, with the reasons.
fn presets(pass: &str) -> String {
    let mut out = String::new();
    for preset in PRESETS {
        let is_it = |text: &str| {
            text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).any(|word| word == pass)
        };
        for (_, reason) in preset.entries.iter().filter(|(text, _)| is_it(text)) {
            let _ = writeln!(out, "- `{}`: {reason}", preset.name);
        }
    }
    if out.is_empty() { out } else { format!("## In presets\n\n{out}") }
}

/// The rules that match an operation.
fn matched(op: Op) -> String {
    let all = Rules::get().all().iter();
    let names: Vec<String> = all
        .filter(|rule| matches!(&rule.left, Pat::Op(root, _) if *root == op))
        .map(|rule| format!("`{}`", rule.text.name))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("## Rules\n\nThese rules match it: {}.", names.join(", ")),
    }
}

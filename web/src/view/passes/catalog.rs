//! The catalog as markup: search results, the shown entry, and the reasons of a step.
//! No DOM: tested on the host.

use std::fmt::Write;

use crate::dom::escape_into;
use crate::state::State;
use vitrine_protocol::EntryKind;

use crate::state::passes::{Passes, is_step};
use crate::view::problems::sentence_into;

/// Number of listed results: a more precise query finds the others.
const MOST: usize = 80;

/// The kind of an entry, in words.
pub(crate) fn kind_name(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Pass => "pass",
        EntryKind::Preset => "preset",
        EntryKind::Rule => "rule",
        EntryKind::Operation => "operation",
        EntryKind::Analysis => "analysis",
        EntryKind::Frontend => "front end",
        EntryKind::Backend => "back end",
        EntryKind::Diagnostic => "diagnostic",
    }
}

/// The results: each entry can be shown, and added if it is a step of a pipeline.
pub(super) fn found(passes: &Passes) -> String {
    let found = passes.found();
    let mut html = String::new();
    for at in found.iter().take(MOST) {
        let Some(item) = passes.catalog.get(*at) else { continue };
        let mut name = String::new();
        escape_into(&mut name, &item.name);
        let current = if passes.item == Some(*at) { " aria-current=true" } else { "" };
        let kind = kind_name(item.kind);
        let _ = write!(html, "<li><button data-read={at}{current}><b>{name}</b> <i>{kind}</i> <span>");
        sentence_into(&mut html, &item.doc);
        html.push_str("</span></button>");
        if is_step(item) {
            let _ = write!(
                html,
                "<button class=square data-add={at} aria-label=\"Add {name}\" title=\"Add it after the current row\">+</button>"
            );
        }
        html.push_str("</li>");
    }
    match (found.len(), passes.catalog.len()) {
        (_, 0) => html.push_str("<li><p>Loading the catalog…</p></li>"),
        (0, _) => html.push_str("<li><p>Nothing has that name or doc.</p></li>"),
        (many, _) if many > MOST => {
            let _ = write!(html, "<li><p>and {} more: type more to narrow it down</p></li>", many - MOST);
        }
        _ => {}
    }
    html
}

/// The shown entry.
pub(super) fn article(passes: &Passes) -> String {
    let Some(item) = passes.item.and_then(|item| passes.catalog.get(item)) else {
        return "<p>Choose an entry to read what it does.</p>".to_owned();
    };
    let mut html = String::from("<h3>");
    escape_into(&mut html, &item.name);
    html.push_str("</h3>");
    markdown_into(&mut html, &item.about);
    html.push_str("<p><a target=_blank href=\"");
    escape_into(&mut html, &item.page);
    html.push_str("\">Page with examples</a></p>");
    html
}

/// The reasons of the shown step: its pass, and the number of uses of each rule.
pub(super) fn reasons(state: &State) -> String {
    let mut html = String::new();
    let Some(step) = state.shown.timeline.step() else {
        return "<p>This is the input: nothing has changed it yet.</p>".to_owned();
    };
    html.push_str("<p><b>");
    escape_into(&mut html, &step.pass);
    html.push_str("</b> ");
    let item =
        state.passes.catalog.iter().position(|item| item.kind == EntryKind::Pass && item.name == step.pass);
    if let Some((at, item)) = item.and_then(|at| Some((at, state.passes.catalog.get(at)?))) {
        sentence_into(&mut html, &item.doc);
        let _ = write!(html, " <button data-read={at}>Details</button>");
    }
    html.push_str("</p>");
    if state.shown.reasons.is_empty() {
        html.push_str(match step.changes {
            0 => "<p class=dim>It changed nothing here.</p>",
            _ => "<p class=dim>It builds the function anew: there is no reason but what it is for.</p>",
        });
        return html;
    }
    html.push_str("<ul>");
    for reason in &state.shown.reasons {
        let _ = write!(html, "<li><b>{} ×</b> ", reason.count);
        if !reason.rule.is_empty() {
            html.push_str("<code>");
            escape_into(&mut html, &reason.rule);
            html.push_str("</code> ");
        }
        sentence_into(&mut html, &reason.words);
        html.push_str("</li>");
    }
    html.push_str("</ul>");
    html
}

/// Markdown of the compiler's docs as markup: paragraphs, lists and fenced program text.
fn markdown_into(html: &mut String, text: &str) {
    for (number, part) in text.split("```").enumerate() {
        if number % 2 == 1 {
            html.push_str("<pre tabindex=0>");
            let code = part.split_once('\n').map_or(part, |(_, code)| code).trim_end();
            for (number, line) in code.lines().enumerate() {
                html.push_str(if number > 0 { "\n" } else { "" });
                escape_into(html, line);
            }
            html.push_str("</pre>");
            continue;
        }
        for paragraph in part.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
            if paragraph.starts_with("- ") || paragraph.starts_with("* ") {
                html.push_str("<ul>");
                let joined = paragraph.replace("\n  ", " ");
                for line in joined.lines() {
                    html.push_str("<li>");
                    sentence_into(html, line.trim_start_matches(['-', '*', ' ']));
                    html.push_str("</li>");
                }
                html.push_str("</ul>");
            } else {
                html.push_str("<p>");
                sentence_into(html, &paragraph.replace('\n', " "));
                html.push_str("</p>");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{CatalogEntry, Reason};

    use crate::state::{PassStep, Timeline};

    fn passes() -> Passes {
        let item = |kind, name: &str| CatalogEntry {
            kind,
            name: name.to_owned(),
            doc: "a < b".to_owned(),
            ..CatalogEntry::default()
        };
        Passes {
            catalog: vec![item(EntryKind::Pass, "cse"), item(EntryKind::Rule, "cse_rule")],
            query: "cse".to_owned(),
            ..Passes::default()
        }
    }

    #[test]
    fn steps_can_be_added_and_every_entry_can_be_read() {
        let html = found(&passes());
        assert_eq!((html.matches("data-read=").count(), html.matches("data-add=").count()), (2, 1), "{html}");
        assert!(html.contains("a &lt; b") && html.contains("<i>rule</i>"));
        assert!(found(&Passes::default()).contains("Loading"));
    }

    #[test]
    fn docs_are_paragraphs_lists_and_programs() {
        let mut html = String::new();
        markdown_into(&mut html, "One\nline with `code`.\n\n```text\n  a < b\nc\n```\n\n- x\n- y");
        assert_eq!(
            html,
            "<p>One line with <code>code</code>.</p><pre tabindex=0>  a &lt; b\nc</pre><ul><li>x</li><li>y</li></ul>"
        );
    }

    #[test]
    fn a_step_says_why() {
        let mut state = State { passes: passes(), ..State::default() };
        assert!(reasons(&state).contains("This is the input"));
        let step = PassStep { pass: "cse".to_owned(), changes: 2, ..PassStep::default() };
        state.shown.timeline = Timeline { steps: vec![step], at: 1 };
        assert!(reasons(&state).contains("builds the function anew"));
        let reason = Reason { count: 12, rule: "iadd_zero".to_owned(), words: "Adding zero.".to_owned() };
        state.shown.reasons = vec![reason];
        let html = reasons(&state);
        assert!(
            html.contains("<b>12 ×</b> <code>iadd_zero</code> Adding zero.") && html.contains("data-read=0"),
            "{html}"
        );
    }
}

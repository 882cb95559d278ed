//! The list as markup: a row per entry, with its commands. No DOM: tested on the host.

use std::fmt::Write;

use vitrine_protocol::{CatalogOption, EntryKind};

use vitrine_core::pipeline::outline::{MAX_ITERATIONS, RowKind};

use crate::dom::escape_into;
use crate::state::{Outcome, State};

/// All rows.
pub(super) fn list(state: &State) -> String {
    let passes = &state.passes;
    let mut html = String::new();
    let problem = problem(state);
    let mut off: Option<usize> = None;
    for (at, row) in passes.outline.rows.iter().enumerate() {
        // Passes in a disabled group do not run either.
        off = off.filter(|depth| row.depth > *depth).or(row.off.then_some(row.depth));
        let mut name = String::new();
        escape_into(&mut name, row.name());
        let place = format!("row {} of {}", at + 1, passes.outline.rows.len());
        let here = state.shown.timeline.step().is_some_and(|step| step.row as usize == at && ran(state));
        let _ = write!(
            html,
            "<li data-row={at} data-depth={}{}{}><button class=square data-part=grip aria-label=\"Move {name}, {place}\" title=\"Drag it, or Alt with ↑ and ↓\">⠿</button>\
             <input type=checkbox data-part=on aria-label=\"Run {name}\" title=\"Run it (Space)\"{}>\
             <b>{name}</b>",
            row.depth,
            if off.is_some() { " class=off" } else { "" },
            if here { " aria-current=step" } else { "" },
            if row.off { "" } else { " checked" },
        );
        match row.what {
            RowKind::Named(..) => {
                for (number, field) in passes.fields(at).iter().enumerate() {
                    option(&mut html, &name, number, field, &passes.value(at, field));
                }
            }
            RowKind::Fix(iterations) => {
                self::iterations(&mut html, "until nothing changes, at most", iterations, "8");
            }
            RowKind::Repeat(times) => iterations(&mut html, "always", Some(times), ""),
        }
        html.push_str("<span class=result>");
        match &problem {
            Some((row, words)) if *row == at => {
                html.push_str("<span class=bad>✗ ");
                escape_into(&mut html, words);
                html.push_str("</span>");
            }
            _ => html.push_str(&result(state, at)),
        }
        html.push_str("</span>");
        if passes.catalog.iter().any(|item| item.kind == EntryKind::Preset && item.name == row.name()) {
            let _ = write!(
                html,
                "<button data-part=spread aria-label=\"Expand {name}\" title=\"Replace it by its passes\">Expand</button>"
            );
        }
        for (part, label, sign) in
            [("up", "Move up", "↑"), ("down", "Move down", "↓"), ("take", "Remove", "✕")]
        {
            let _ = write!(
                html,
                "<button class=square data-part={part} aria-label=\"{label}: {name}\" title=\"{label}\">{sign}</button>"
            );
        }
        html.push_str("</li>");
    }
    html
}

fn option(html: &mut String, name: &str, number: usize, option: &CatalogOption, value: &str) {
    match option {
        CatalogOption::Words(words) => {
            let _ = write!(
                html,
                "<select data-part=f{number} data-field={number} aria-label=\"Kind of {name}\">"
            );
            for (word, doc) in words {
                html.push_str("<option title=\"");
                escape_into(html, doc);
                html.push_str(if word == value { "\" selected>" } else { "\">" });
                escape_into(html, word);
                html.push_str("</option>");
            }
            html.push_str("</select>");
        }
        CatalogOption::Number { name, doc, least, most, .. } => {
            html.push_str("<label title=\"");
            escape_into(html, doc);
            html.push_str("\">");
            escape_into(html, name);
            let _ = write!(
                html,
                " <input type=number data-part=f{number} data-field={number} min={least} max={most} value=\""
            );
            escape_into(html, value);
            html.push_str("\"></label>");
        }
        CatalogOption::Places { form, doc } => {
            html.push_str("<label title=\"");
            escape_into(html, doc);
            let _ = write!(
                html,
                "\">places <input type=text data-part=f{number} data-field={number} spellcheck=false placeholder=\""
            );
            escape_into(html, form);
            html.push_str("\" value=\"");
            escape_into(html, value);
            html.push_str("\"></label>");
        }
    }
}

fn iterations(html: &mut String, words: &str, iterations: Option<u32>, default: &str) {
    let value = iterations.map_or_else(String::new, |iterations| iterations.to_string());
    let _ = write!(
        html,
        "<label>{words} <input type=number data-part=rounds min=1 max={MAX_ITERATIONS} placeholder=\"{default}\" value=\"{value}\"> times</label>"
    );
}

/// The first diagnostic of the pipeline, with its row.
fn problem(state: &State) -> Option<(usize, String)> {
    let problem =
        state.shown.pipeline_problems.iter().find(|problem| problem.column > 0).filter(|_| ran(state))?;
    let line: usize = state
        .passes
        .text
        .split_inclusive('\n')
        .take(problem.line.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let rest = state.passes.text.get(line..)?;
    let column = problem.column.saturating_sub(1) as usize;
    let byte = line + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    Some((state.passes.row_of(byte)?, problem.message.clone()))
}

/// Returns true if the shown steps ran from the current rows.
fn ran(state: &State) -> bool {
    state.passes.ran == state.passes.text
}

/// The result of a row, over all its steps.
fn result(state: &State, at: usize) -> String {
    let steps = || state.shown.timeline.steps.iter().filter(|step| step.row as usize == at && ran(state));
    if let Some(bad) = steps().find(|step| matches!(step.outcome, Outcome::Failed | Outcome::Invalid)) {
        let mut html = String::from("<span class=bad>✗ ");
        escape_into(&mut html, &bad.message);
        html.push_str("</span>");
        return html;
    }
    match (steps().count(), steps().map(|step| step.changes).sum::<u32>()) {
        (0, _) => String::new(),
        // Changes are counted in functions.
        (_, 0) if steps().any(|step| step.outcome == Outcome::Changed) => "declarations changed".to_owned(),
        (_, 0) => "no change".to_owned(),
        (_, 1) => "1 change".to_owned(),
        (_, many) => format!("{many} changes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::passes::Event;
    use crate::state::{Diagnostic, Msg, PassStep, Timeline};

    fn page(pipeline: &str) -> State {
        let mut state = State { own_pipeline: true, ..State::default() };
        crate::state::update(&mut state, Msg::Pipeline(pipeline.to_owned()));
        crate::state::update(&mut state, Event::Open(true).into());
        state.passes.ran = pipeline.to_owned();
        state
    }

    #[test]
    fn every_entry_is_a_row_that_can_be_moved_disabled_and_removed() {
        let html = list(&page("-cse, fix(3: <b>, dce)"));
        assert_eq!(html.matches("<li ").count(), 6, "{html}");
        assert!(
            html.contains("<li data-row=0 data-depth=0 class=off>")
                && html.contains("&lt;")
                && !html.contains("<b><b>")
        );
        assert!(
            html.contains("aria-label=\"Move dce, row 6 of 6\"")
                && html.contains("max=1000 placeholder=\"8\" value=\"3\"")
        );
        assert_eq!(html.matches(" checked>").count(), 5);
    }

    #[test]
    fn rows_have_their_results_and_diagnostics() {
        let mut state = page("cse, moon");
        let step = PassStep { row: 0, changes: 12, ..PassStep::default() };
        state.shown.timeline = Timeline { steps: vec![step.clone(), step], at: 1 };
        let problem =
            Diagnostic { line: 1, column: 6, message: "no `moon`".to_owned(), ..Diagnostic::default() };
        state.shown.pipeline_problems = vec![problem];
        let html = list(&state);
        assert!(
            html.contains("<li data-row=0 data-depth=0 aria-current=step>") && html.contains("24 changes"),
            "{html}"
        );
        assert_eq!(html.find("✗ no `moon`").map(|at| at > html.find("data-row=1").unwrap_or(0)), Some(true));
        let outside = PassStep { row: 0, outcome: Outcome::Changed, ..PassStep::default() };
        state.shown.timeline.steps = vec![outside];
        assert!(list(&state).contains("declarations changed"), "no function counts them");
        state.shown.timeline.steps = vec![PassStep { changes: 24, ..PassStep::default() }];
        assert!(list(&state).contains("24 changes"));
        state.passes.ran = "other".to_owned();
        assert!(!list(&state).contains("24 changes"), "those are of other rows");
    }
}

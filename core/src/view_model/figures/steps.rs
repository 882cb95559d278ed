//! The steps of a run: a panel that goes through them, and a table for pages without scripts and for print.
//!
//! ```text
//! template     the recording as text, for `www/course.js`
//! controls     first, back, next, last, and a slider
//! invocations  if there are several; the active ones are filled
//! values       the values of the chosen invocation after the step
//! table        a row for each visit of a block
//! ```
//!
//! The text of a recording: a line `invocations TAB further ones TAB first line TAB 1 if it is cut`; a line with the names of
//! the values; and a line for each state: the line of the text, the block, the active invocations, and `value:invocation:words`
//! for each computed value. `*` are all invocations.

use crate::base::html::escaped;
use crate::view_model::debugger::{Computed, MOST_STATES, RecordedState, Recording, record};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Runs a program on chosen inputs; returns the panel and the table of its steps. Errors: a sentence if it cannot be run.
pub fn steps(program: &[u8], inputs: &str) -> Result<String, String> {
    Ok(html(&record(program, inputs)?))
}

fn html(of: &Recording) -> String {
    let last = of.states.len().saturating_sub(1);
    let mut out = format!("<template>{}</template>\n", escaped(&text(of)));
    let button = |to: &str, label: &str, sign: &str| {
        format!("<button type=\"button\" data-to=\"{to}\" aria-label=\"{label}\">{sign}</button>")
    };
    let _ = writeln!(
        out,
        "<div class=\"controls live\" role=\"group\" aria-label=\"Steps of the run\">{}{}{}{}\
         <input type=\"range\" min=\"0\" max=\"{last}\" value=\"0\" aria-label=\"Step\"><output>Step 0 of {last}</output></div>",
        button("first", "First step", "|◀"),
        button("back", "One step back", "◀ Back"),
        button("next", "Next step", "Next ▶"),
        button("last", "Last step", "▶|")
    );
    out.push_str(&invocations(of));
    out.push_str("<dl class=\"values live\">");
    for name in &of.values {
        let _ = write!(out, "<div><dt><code class=\"t-value\">{}</code></dt><dd>–</dd></div>", escaped(name));
    }
    out.push_str("</dl>\n");
    out.push_str(&table(of));
    if of.is_cut {
        let _ = writeln!(
            out,
            "<p class=\"cut\">These are the first {} steps. The run continues.</p>",
            MOST_STATES - 1
        );
    }
    out
}

/// The invocations; empty for a single one.
fn invocations(of: &Recording) -> String {
    let [shown, others] = of.invocations;
    if shown < 2 {
        return String::new();
    }
    let mut out = "<div class=\"invocations live\" role=\"group\" aria-label=\"Invocations\">".to_owned();
    for invocation in 0..shown {
        let _ = write!(
            out,
            "<button type=\"button\" aria-pressed=\"{}\" aria-label=\"Invocation {invocation}\">{invocation}</button>",
            invocation == 0
        );
    }
    if others > 0 {
        let _ = write!(out, "<span>and {others} more</span>");
    }
    out.push_str("</div>\n");
    out
}

/// A row for each visit of a block: the active invocations, and the values that it computed.
fn table(of: &Recording) -> String {
    let has_several = of.invocations[0] > 1;
    let mut out = "<table class=\"still\"><thead><tr><th>Block</th>".to_owned();
    out.push_str(if has_several { "<th>Active</th>" } else { "" });
    out.push_str("<th>Values</th></tr></thead><tbody>\n");
    for visit in visits(of) {
        let Some(first) = visit.first() else { continue };
        let _ = write!(out, "<tr><td><code class=\"t-block\">{}</code></td>", escaped(&first.block));
        if has_several {
            let _ = write!(out, "<td>{}</td>", numbers(&first.active));
        }
        let mut values: BTreeMap<usize, Vec<&Computed>> = BTreeMap::new();
        for computed in visit.iter().flat_map(|state| &state.computed) {
            values.entry(computed.value).or_default().push(computed);
        }
        let words = values.into_iter().map(|(value, all)| one_value(of, value, &all));
        let _ = writeln!(out, "<td>{}</td></tr>", words.collect::<Vec<_>>().join(", "));
    }
    out.push_str("</tbody></table>\n");
    out
}

/// The states of each visit of a block. What its last instruction computed is known after the visit at the earliest, so the state
/// that follows belongs to it, too, as long as the block is not left.
fn visits(of: &Recording) -> Vec<Vec<&RecordedState>> {
    let mut out: Vec<Vec<&RecordedState>> = Vec::new();
    let mut before: Option<&RecordedState> = None;
    for state in of.states.iter().filter(|state| state.line.is_some()) {
        let continues = before.is_some_and(|before| before.block == state.block && before.line < state.line);
        match out.last_mut().filter(|_| continues) {
            Some(visit) => visit.push(state),
            None => out.push(vec![state]),
        }
        before = Some(state);
    }
    out
}

/// `%a = 3`, or with the value of each invocation.
fn one_value(of: &Recording, value: usize, all: &[&Computed]) -> String {
    let name = of.values.get(value).map_or("", String::as_str);
    let mut words: Vec<&str> = all.iter().map(|of| of.words.as_str()).collect();
    words.dedup();
    let is_one = words.len() == 1;
    let words = match is_one {
        true => escaped(words.first().copied().unwrap_or_default()),
        false => {
            let each = all.iter().map(|of| format!("{} in {}", escaped(&of.words), of.invocation));
            format!("({})", each.collect::<Vec<_>>().join(", "))
        }
    };
    format!("<code class=\"t-value\">{}</code> = {words}", escaped(name))
}

/// `0–2, 5`.
fn numbers(list: &[u32]) -> String {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for &number in list {
        match ranges.last_mut().filter(|range| range[1] + 1 == number) {
            Some(range) => range[1] = number,
            None => ranges.push([number; 2]),
        }
    }
    let words =
        ranges.iter().map(|[from, to]| if from == to { from.to_string() } else { format!("{from}–{to}") });
    words.collect::<Vec<_>>().join(", ")
}

/// The recording as text, see the module.
fn text(of: &Recording) -> String {
    let [shown, others] = of.invocations;
    let mut out = format!("{shown}\t{others}\t{}\t{}\n", of.first_line, u8::from(of.is_cut));
    out.push_str(&of.values.join("\t"));
    for state in &of.states {
        out.push('\n');
        let active: Vec<String> = state.active.iter().map(ToString::to_string).collect();
        let is_all = active.len() == shown as usize;
        let line = state.line.map_or(String::new(), |line| line.to_string());
        let active = if is_all { "*".to_owned() } else { active.join(",") };
        let _ = write!(out, "{line}\t{}\t{active}", state.block);
        for all in state.computed.chunk_by(|one, two| one.value == two.value) {
            let Some(first) = all.first() else { continue };
            let is_same = all.len() == shown as usize && all.iter().all(|of| of.words == first.words);
            match is_same {
                true => {
                    let _ = write!(out, "\t{}:*:{}", first.value, first.words);
                }
                false => all.iter().for_each(|of| {
                    let _ = write!(out, "\t{}:{}:{}", of.value, of.invocation, of.words);
                }),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = include_str!("../../../../www/learn/cfg/unreachable.start.ir");
    const BALLOT: &str = include_str!("../../../../www/learn/divergence/ballot.ir");

    #[test]
    fn a_row_is_a_visit_of_a_block() {
        let html = steps(LOOP.as_bytes(), "n = 5").unwrap();
        let rows: Vec<&str> = html.lines().filter(|line| line.starts_with("<tr><td>")).collect();
        assert_eq!(rows.len(), 9, "{html}");
        let value = |name: &str, words: &str| format!("<code class=\"t-value\">{name}</code> = {words}");
        assert!(
            rows[1].contains(&value("%u_4", "5")) && rows[1].contains(&value("%done_6", "false")),
            "{}",
            rows[1]
        );
        assert!(
            rows[7].contains(&value("%u_4", "0")) && rows[7].contains(&value("%done_6", "true")),
            "{}",
            rows[7]
        );
        assert!(!html.contains("invocations") && !html.contains("The run continues"));
    }

    #[test]
    fn the_text_of_a_recording_has_a_line_for_each_state() {
        let of = record(BALLOT.as_bytes(), "").unwrap();
        let text = text(&of);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2 + of.states.len());
        assert!(lines[0].starts_with("8\t0\t") && lines[0].ends_with("\t0"), "{}", lines[0]);
        assert!(lines.iter().any(|line| line.contains("\t^1\t0,1,2")), "{text}");
        assert!(lines[2].contains("\t^0\t*"), "{}", lines[2]);
        let html = html(&of);
        assert!(html.contains("<td>0–2</td>") && html.contains("aria-label=\"Invocation 7\""), "{html}");
        assert_eq!(numbers(&[0, 1, 2, 5, 7, 8]), "0–2, 5, 7–8");
    }

    #[test]
    fn a_run_that_is_cut_reports_it() {
        let endless = "entry compute \"main\" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  goto ^1\n^1:\n  goto ^1\n}\n";
        let html = steps(endless.as_bytes(), "").unwrap();
        assert!(html.contains("These are the first 399 steps. The run continues."));
    }
}

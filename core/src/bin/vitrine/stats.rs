//! `vitrine opt --stats`: the steps of a run as a table.
//!
//! Computes nothing: counts and times are in the trace.

use std::fmt::Write;
use vitrine_core::pipeline::{Outcome, Stats, Trace, TraceStep};

/// One line for each step and one for the total: outcome, instructions, blocks, rewrites, milliseconds.
pub(crate) fn table(trace: &Trace) -> String {
    let name = |step: &TraceStep| format!("{}{}", "  ".repeat(step.iterations.len()), step.text());
    let width = trace.steps.iter().map(|step| name(step).chars().count()).max().unwrap_or(0).clamp(5, 48);
    let mut out = format!(
        "{:<width$}  {:<9} {:>8} {:>7} {:>7} {:>7} {:>9} {:>9}\n",
        "step", "outcome", "insts", "change", "blocks", "change", "rewrites", "ms"
    );
    let mut before = trace.stats;
    for step in &trace.steps {
        let outcome = if step.skipped.is_some() { "skipped" } else { step.outcome.name() };
        let row = Row { name: name(step), outcome, before, after: step.stats };
        row.write(&mut out, width, (step.rewrites, step.nanos));
        if let Some(skip) = &step.skipped {
            let _ = writeln!(out, "{:<width$}  {skip}", "");
        }
        if let Outcome::Failed(diag) = &step.outcome {
            let _ = writeln!(out, "{:<width$}  {diag}", "");
        }
        before = step.stats;
    }
    let sum = trace.steps.iter().fold((0, 0), |sum, step| (sum.0 + step.rewrites, sum.1 + step.nanos));
    let after = trace.steps.last().map_or(trace.stats, |step| step.stats);
    let row = Row { name: "all".to_owned(), outcome: "", before: trace.stats, after };
    row.write(&mut out, width, sum);
    out
}

struct Row {
    name: String,
    outcome: &'static str,
    before: Stats,
    after: Stats,
}

impl Row {
    fn write(&self, out: &mut String, width: usize, (rewrites, nanos): (u64, u64)) {
        let change = |before: u32, after: u32| match i64::from(after) - i64::from(before) {
            0 => String::new(),
            more => format!("{more:+}"),
        };
        let _ = writeln!(
            out,
            "{:<width$}  {:<9} {:>8} {:>7} {:>7} {:>7} {:>9} {:>9.3}",
            self.name,
            self.outcome,
            self.after.insts,
            change(self.before.insts, self.after.insts),
            self.after.blocks,
            change(self.before.blocks, self.after.blocks),
            rewrites,
            nanos as f64 / 1e6
        );
    }
}

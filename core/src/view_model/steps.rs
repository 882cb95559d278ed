//! The passes that ran, with their results, and the reasons for their changes.

use super::diagnostic;
use super::session::Session;
use crate::ir;
use crate::pipeline;
use crate::pipeline::diff::modules;
use crate::rules;
use rustc_hash::FxHashMap;
use vitrine_protocol::{Outcome, PassStep, Reason};

impl Session {
    /// The steps that ran.
    pub fn steps(&self) -> Vec<PassStep> {
        let Some(trace) = &self.trace else { return Vec::new() };
        let mut before = &trace.input;
        let mut out = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            let diff = modules(before, &step.version);
            before = &step.version;
            let inside =
                diff.inside.iter().map(|of| of.insts.len() + of.blocks.len() + of.nodes.len()).sum::<usize>();
            let (outcome, message) = outcome(&step.outcome);
            out.push(PassStep {
                pass: step.name().to_owned(),
                options: step.options.clone(),
                iteration: step.iterations.last().map_or(0, |iteration| iteration + 1),
                group: step.group,
                outcome,
                changes: (inside + diff.funcs.len()) as u32,
                insts: step.stats.insts,
                blocks: step.stats.blocks,
                rewrites: u32::try_from(step.rewrites).unwrap_or(u32::MAX),
                micros: u32::try_from(step.nanos / 1000).unwrap_or(u32::MAX),
                skipped: step.skipped.as_ref().map_or_else(String::new, ToString::to_string),
                message,
                row: step.row as u32,
            });
        }
        out
    }

    /// The reasons for the changes of the step that made a version, most frequent first: rules by name, notes
    /// of passes verbatim. Changes that only have the pass as a reason are not counted.
    pub fn reasons(&self, at: usize) -> Vec<Reason> {
        let step = self.trace.as_ref().zip(at.checked_sub(1)).and_then(|(trace, at)| trace.steps.get(at));
        let mut counts: FxHashMap<ir::Reason, u32> = FxHashMap::default();
        for (_, reason) in
            step.iter().flat_map(|step| &step.journals).flat_map(|(_, journal)| journal.events())
        {
            *counts.entry(*reason).or_default() += 1;
        }
        let reason = |(reason, count): (ir::Reason, u32)| match reason {
            ir::Reason::Rule(number) => {
                let text = rules::by_number(number)?.text;
                let words = text.doc.split_whitespace().collect::<Vec<_>>().join(" ");
                Some(Reason { count, rule: text.name.to_owned(), words })
            }
            ir::Reason::Note(note) => Some(Reason { count, rule: String::new(), words: note.to_owned() }),
            ir::Reason::Pass => None,
        };
        let mut out: Vec<Reason> = counts.into_iter().filter_map(reason).collect();
        out.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.rule, &a.words).cmp(&(&b.rule, &b.words))));
        out
    }
}

/// The result of a step, with its error; empty if there is none.
fn outcome(of: &pipeline::Outcome) -> (Outcome, String) {
    match of {
        pipeline::Outcome::Unchanged => (Outcome::Unchanged, String::new()),
        pipeline::Outcome::Changed => (Outcome::Changed, String::new()),
        pipeline::Outcome::Failed(diag) => (Outcome::Failed, diagnostic(diag).message),
        pipeline::Outcome::Invalid(diags) => {
            let first = diags.iter().find(|diag| diag.level == ir::Level::Error).or(diags.first());
            (Outcome::Invalid, first.map_or_else(String::new, |diag| diagnostic(diag).message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAPH: &str = "func @0(%0: b1) -> b32 graph {\n^0:\n  %1: b32 = const 1\n  %2: b32 = const 2\n  %3 = iadd %1, %2\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return %3\n}\n";

    fn opened(text: &str, pipeline: &str) -> Session {
        let mut session = Session::new();
        session.open(text.as_bytes(), pipeline);
        session
    }

    #[test]
    fn steps_have_a_number_of_changes() {
        let session = opened(GRAPH, "structurize{imported}, constant-fold, constant-fold");
        let steps = session.steps();
        let before_pass: Vec<_> = steps.iter().map(|step| (step.outcome, step.changes > 0)).collect();
        assert_eq!(
            before_pass,
            [(Outcome::Changed, true), (Outcome::Changed, true), (Outcome::Unchanged, false)]
        );
    }

    #[test]
    fn a_step_has_reasons() {
        let text = "func @0(%0: b32) -> b32 tree {\n^0:\n  %1: b32 = const 8\n  %2 = imul %0, %1\n  %3 = imul %2, %1\n  return %3\n}\n";
        let session = opened(text, "algebraic, dce");
        let reasons = session.reasons(1);
        assert!(
            reasons.iter().any(|reason| reason.rule == "imul_pow2" && reason.words.contains("is a shift")),
            "{reasons:?}"
        );
        assert!(reasons.windows(2).all(|pair| pair[0].count >= pair[1].count));
        assert!(session.reasons(2).iter().all(|reason| reason.rule.is_empty() && !reason.words.is_empty()));
        assert_eq!((session.reasons(0), session.reasons(9)), (Vec::new(), Vec::new()));
    }
}

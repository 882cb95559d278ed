//! *Check*: compares every pass of a pipeline with the input, by running both.
//!
//! One mark for each step, and the first difference in a sentence: the pass, the input, the location, and the
//! values before and after. The comparison itself is in `lab::check`; this file runs it in slices and
//! formats the result.

use super::Time;
use super::words::{both, plain};
use crate::interp::{Difference, Outcome, run};
use crate::ir::{Diag, Module};
use crate::lab::check::{Checker, Inconclusive, Tolerance, Trial, Verdict, trials};
use crate::pipeline::{Trace, TraceStep};
use crate::share::Expected;
use vitrine_protocol::{CheckInputs, CheckMark, CheckReport};

/// Runs of each entry point, at least and at most.
pub(in crate::view_model) const RUNS: [u32; 2] = [4, 4096];

/// A running check.
pub(super) struct Check {
    checker: Checker<'static>,
    input: Module,
    steps: Vec<TraceStep>,
    /// True at the end.
    done: bool,
}

impl Check {
    /// A check of all steps on generated inputs.
    pub(super) fn new(trace: &Trace, inputs: CheckInputs) -> Check {
        let trials = trials_of(&trace.input, inputs);
        let checker = Checker::owned(trace.clone(), trials, Tolerance::default());
        Check { checker, input: trace.input.clone(), steps: trace.steps.clone(), done: false }
    }

    /// Runs a slice. Returns true if there is more to do.
    pub(super) fn slice(&mut self, time: Time<'_>) -> bool {
        while !self.done && time() {
            self.done = !self.checker.step();
        }
        !self.done
    }

    /// A mark for each step, and the first difference.
    pub(super) fn report(&self) -> CheckReport {
        let checker = &self.checker;
        let (done, total) = checker.progress();
        let wrong = checker.first_wrong();
        let current = checker.current();
        let mark = |(step, verdict): (usize, &Verdict)| match verdict {
            Verdict::Open if current == Some(step) => CheckMark::Running,
            Verdict::Open if self.done || current.is_some_and(|current| step < current) => CheckMark::Unknown,
            Verdict::Open => CheckMark::Open,
            Verdict::Same => CheckMark::Same,
            Verdict::Unchanged => CheckMark::Unchanged,
            Verdict::Differs { .. } => CheckMark::Differs,
            Verdict::Refused { .. } | Verdict::Broken => CheckMark::Broken,
        };
        CheckReport {
            done: done.min(total) as u32,
            total: total as u32,
            wrong_version: wrong.map(|step| step as u32 + 1),
            marks: checker.verdicts().iter().enumerate().map(mark).collect(),
            summary: self.words(wrong),
            expected: expected_words(self.expected()),
            ..CheckReport::default()
        }
    }

    /// The first difference, for links.
    pub(super) fn expected(&self) -> Option<Expected> {
        let wrong = self.checker.first_wrong();
        let (step, verdict) = wrong.map(|at| (self.steps.get(at), self.checker.verdicts().get(at)))?;
        let words = verdict_words(&self.input, step?, verdict?, self.checker.trials());
        Some(Expected::of(&[&step_name(step?), words.trim_end_matches('.')]))
    }

    fn words(&self, wrong: Option<usize>) -> String {
        let checker = &self.checker;
        let mut text = match wrong {
            Some(at) => match (self.steps.get(at), checker.verdicts().get(at)) {
                (Some(step), Some(verdict)) => {
                    let words = verdict_words(&self.input, step, verdict, checker.trials());
                    format!("Step {}, {}, {words}", at + 1, step_name(step))
                }
                (None, _) | (_, None) => String::new(),
            },
            None if !self.done => String::new(),
            None if checker.trials().is_empty() => {
                "Inconclusive: no entry point of the input can be run here.".to_owned()
            }
            None if checker.verdicts().is_empty() => "There is no step to check.".to_owned(),
            None if checker.inconclusive().count() == checker.trials().len() => {
                "Inconclusive: no run of the input finishes with defined results.".to_owned()
            }
            None => format!("Every step has the same results as the input, in {} runs.", checker.compared),
        };
        if !text.is_empty() && self.done {
            self.inconclusive(&mut text);
        }
        text
    }

    /// The number of inconclusive runs, and the reason of the first one.
    fn inconclusive(&self, text: &mut String) {
        let count = self.checker.inconclusive().count();
        let Some((number, why)) = self.checker.inconclusive().next() else { return };
        let name = self.checker.trials().get(number).map_or(String::new(), |trial| plain(&trial.name));
        let why = match why {
            Inconclusive::Refused(diag) => refusal(diag),
            Inconclusive::Endless => "it does not finish".to_owned(),
            Inconclusive::Undefined(_) => plain(&why.to_string()),
        };
        text.push_str(&format!(
            "\n{count} of {} runs are inconclusive for the input; {name}: {why}.",
            self.checker.trials().len()
        ));
    }
}

/// Runs of each entry point on generated inputs: `runs` of each, with seeds from `seed` on.
pub(super) fn trials_of(input: &Module, CheckInputs { seed, runs }: CheckInputs) -> Vec<Trial> {
    trials(input, u64::from(seed), runs.clamp(RUNS[0], RUNS[1]))
}

/// A difference as links store it: words, and a digest in 16 hexadecimal digits; empty without one.
pub(super) fn expected_words(found: Option<Expected>) -> [String; 2] {
    found.map_or_else(Default::default, |Expected { text, digest }| [text, format!("{digest:016x}")])
}

/// The pass of a step and its options, for a sentence.
pub(super) fn step_name(step: &TraceStep) -> String {
    plain(&step.text())
}

/// The verdict on a step, as words with a period; `input` is the version it is compared with.
pub(super) fn verdict_words(input: &Module, step: &TraceStep, verdict: &Verdict, trials: &[Trial]) -> String {
    let trial = |number: &usize| trials.get(*number);
    let of = |number: &usize| trial(number).map_or(String::new(), |trial| plain(&trial.name));
    match verdict {
        Verdict::Differs { trial: number, difference } => {
            let words = match trial(number) {
                Some(trial) => difference_words(input, step, trial, difference),
                None => difference.to_string(),
            };
            format!("differs on {}: {words}.", of(number))
        }
        Verdict::Refused { trial, why } => {
            format!("leaves a program that cannot be run on {}: {}.", of(trial), why.message())
        }
        Verdict::Broken => "failed, or left an invalid program.".to_owned(),
        Verdict::Open | Verdict::Unchanged | Verdict::Same => "has the same results as the input.".to_owned(),
    }
}

/// A difference with its values as floats and bits. For buffers the whole word, which needs another run.
fn difference_words(input: &Module, step: &TraceStep, trial: &Trial, difference: &Difference) -> String {
    match difference {
        Difference::Output { at, element, key, values: [a, b], .. } => {
            let element = element.map_or(String::new(), |element| format!("{element}, "));
            format!("{element}{key} of {}: {} before, {} after", place(*at), both(*a), both(*b))
        }
        Difference::Element { at, element, is_gone, .. } => {
            let which = if *is_gone { "before, not after" } else { "after, not before" };
            format!("{element} of {} exists {which}", place(*at))
        }
        Difference::End { at, ends: [a, b], .. } => {
            let name = |end: &Option<_>| match end {
                Some(end) => format!("{end:?}").to_lowercase(),
                None => "not run".to_owned(),
            };
            format!("{} {} before, {} after", place(*at), name(a), name(b))
        }
        Difference::UbKind { ub, invocation } => {
            format!(
                "invocation {invocation} has undefined behavior that the input does not have: {}",
                ub.says()
            )
        }
        Difference::Byte { what, offset, values } => {
            let word = offset & !3;
            let of = |module| {
                let after = run(module, trial.entry, &trial.inputs).ok()?;
                word_of(&after, what, word)
            };
            match (of(input), of(&step.version)) {
                (Some(a), Some(b)) => {
                    format!("{what}, byte {word}: {} before, {} after", both(Some(a)), both(Some(b)))
                }
                (None, _) | (_, None) => {
                    let [a, b] = values.map(|value| match value {
                        Some(byte) => format!("{byte:#04x}"),
                        None => "undefined".to_owned(),
                    });
                    format!("{what}, byte {offset}: {a} before, {b} after")
                }
            }
        }
    }
}

fn refusal(diag: &Diag) -> String {
    diag.message()
}

/// `pixel or invocation (1, 2, 0)`.
fn place([x, y, z]: [u32; 3]) -> String {
    format!("invocation ({x}, {y}, {z})")
}

/// A word of the memory that a `Difference` names; none if it is not fully defined.
fn word_of(outcome: &Outcome, what: &str, offset: u64) -> Option<u64> {
    let (kind, name) = what.split_once(' ')?;
    let slot = |&((set, binding), element): &((u32, u32), u32)| format!("{set}.{binding}[{element}]");
    let bytes = match kind {
        "buffer" => outcome.buffers.iter().find(|(key, _)| slot(key) == name).map(|(_, bytes)| bytes),
        "image" => outcome.images.iter().find(|(key, _)| slot(key) == name).map(|(_, bytes)| bytes),
        _ => outcome.args.iter().find(|(key, _)| key.to_string() == name).map(|(_, bytes)| bytes),
    }?;
    (0..4).rev().try_fold(0, |word, at| Some(word << 8 | u64::from(bytes.at(offset + at)?)))
}

#[cfg(test)]
mod tests {
    use super::super::Debugger;
    use super::*;
    use vitrine_protocol::{Report, Task};

    const STORE: &str = include_str!("../../../../www/examples/particles.spvasm");

    fn opened(input: &str, pipeline: &str) -> Debugger {
        let mut debugger = Debugger::new();
        debugger.give(input.as_bytes().to_vec());
        debugger.open(pipeline, &mut |_, _| {});
        debugger
    }

    fn checking(runs: u32) -> Task {
        Task::Check(CheckInputs { seed: 1, runs })
    }

    fn report(debugger: &Debugger) -> CheckReport {
        let Some(Report::Check(report)) = debugger.report() else { panic!("not a check") };
        report
    }

    #[test]
    fn correct_passes_are_marked_and_reported() {
        let mut debugger = opened(STORE, "structurize, dce, dce");
        debugger.begin(&checking(4));
        assert_eq!(report(&debugger).marks, [CheckMark::Open; 3]);
        // Even if the time is always over, each slice makes progress.
        let mut slices = 0;
        loop {
            let mut first = true;
            if !debugger.slice(&mut || std::mem::take(&mut first)) {
                break;
            }
            slices += 1;
            assert!(slices < 1000);
        }
        let report = report(&debugger);
        assert_eq!(report.done, report.total);
        let [first, _, last] = report.marks[..] else { panic!("{report:?}") };
        assert_eq!((report.wrong_version, first, last), (None, CheckMark::Same, CheckMark::Unchanged));
        assert!(report.summary.starts_with("Every step has the same results as the input"), "{report:?}");
        assert_eq!(report.expected, ["", ""]);
    }

    #[test]
    fn a_wrong_step_is_reported_with_words_of_memory() {
        let mut debugger = opened(STORE, "structurize");
        let trace = debugger.opened.as_mut().map(|opened| &mut opened.trace).unwrap();
        let text = crate::text::print_module(&trace.steps[0].version).replace(" = fmul ", " = fadd ");
        trace.steps[0].version = crate::text::parse(&text).module;
        debugger.begin(&checking(8));
        while debugger.slice(&mut || true) {}
        let report = report(&debugger);
        assert_eq!((report.wrong_version, &report.marks[..]), (Some(1), &[CheckMark::Differs][..]));
        let summary = &report.summary;
        assert!(summary.starts_with("Step 1, structurize, differs on main, seed "), "{summary}");
        assert!(summary.contains("(0x"), "{summary}");
        assert_eq!(report.expected[1].len(), 16, "{report:?}");
    }

    #[test]
    fn where_nothing_can_be_run_nothing_is_said() {
        let mut debugger = opened("func @0() graph {\n^0:\n  return\n}\n", "structurize");
        debugger.begin(&checking(4));
        while debugger.slice(&mut || true) {}
        let report = report(&debugger);
        assert_eq!(report.marks, [CheckMark::Unknown]);
        assert!(report.summary.starts_with("Inconclusive"), "{report:?}");
        let mut empty = Debugger::new();
        empty.begin(&checking(4));
        assert_eq!(
            (empty.slice(&mut || true), empty.report()),
            (false, None),
            "without an input there is no task"
        );
    }
}

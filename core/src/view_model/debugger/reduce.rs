//! *Reduce*: makes the input smaller while the pipeline still miscompiles it.

use super::Time;
use super::check::trials_of;
use crate::interp::run;
use crate::ir::Module;
use crate::lab::check::{Checker, Tolerance, Trial, Verdict, same};
use crate::lab::reduce::Reducer;
use crate::pipeline::{Pipeline, Trace};
use crate::text::print_module;
use vitrine_protocol::{CheckInputs, ReduceReport};

/// The smallest instruction limit of a candidate.
const LEAST_STEPS: u64 = 1 << 12;

/// A running reduction.
pub(super) struct Reduce {
    /// Searches for a run with a difference; the reduction starts after that.
    search: Option<Checker<'static>>,
    reducer: Option<Reducer<'static>>,
    input: Module,
    pipeline: Pipeline,
    done: bool,
}

impl Reduce {
    /// A reduction of the input of a trace, produced by this pipeline. Differences are searched for as in a
    /// check, with the same seeds.
    pub(super) fn new(trace: &Trace, pipeline: &str, inputs: CheckInputs) -> Reduce {
        let trials = trials_of(&trace.input, inputs);
        Reduce {
            search: Some(Checker::owned(trace.clone(), trials, Tolerance::default())),
            reducer: None,
            input: trace.input.clone(),
            pipeline: Pipeline::parse(pipeline).unwrap_or_default(),
            done: false,
        }
    }

    /// Runs a slice. Returns true if there is more to do.
    pub(super) fn slice(&mut self, time: Time<'_>) -> bool {
        while !self.done && time() {
            if let Some(checker) = &mut self.search {
                let more = checker.step();
                if checker.first_wrong().is_some() || !more {
                    self.begin();
                }
                continue;
            }
            self.done = !self.reducer.as_mut().is_some_and(Reducer::step);
        }
        !self.done
    }

    /// Stores the difference, and starts to reduce the program while it persists.
    fn begin(&mut self) {
        let Some(checker) = self.search.take() else { return };
        let verdict = checker.first_wrong().and_then(|step| checker.verdicts().get(step).cloned());
        let pipeline = self.pipeline.clone();
        let trial = |number: usize| checker.trials().get(number).cloned();
        let holds: Box<dyn FnMut(&Module) -> bool> = match verdict {
            Some(Verdict::Broken) => Box::new(move |module| pipeline.run(module, None).is_err()),
            Some(Verdict::Differs { trial: number, .. } | Verdict::Refused { trial: number, .. }) => {
                let Some(mut trial) = trial(number) else { return };
                // A candidate that runs far longer than the input is rejected.
                if let Ok(outcome) = run(&self.input, trial.entry, &trial.inputs) {
                    trial.inputs.limits.steps = (4 * outcome.work.0).max(LEAST_STEPS);
                }
                Box::new(move |module| differs(&pipeline, module, &trial))
            }
            Some(Verdict::Open | Verdict::Unchanged | Verdict::Same) | None => return,
        };
        self.reducer = Some(Reducer::new(self.input.clone(), holds));
    }

    /// The number of smaller programs that were kept, and the result.
    pub(super) fn report(&self) -> ReduceReport {
        let progress = self.reducer.as_ref().map(Reducer::progress).unwrap_or_default();
        let summary = match (&self.search, &self.reducer) {
            (Some(_), _) => "Searching for a run with a difference…".to_owned(),
            (None, None) => "Nothing wrong was found on these runs: there is nothing to reduce.".to_owned(),
            (None, Some(_)) => format!(
                "{} instructions became {}, {} programs tried",
                progress.from, progress.to, progress.tried
            ),
        };
        ReduceReport { kept: progress.kept, summary }
    }

    /// The smallest program so far, as IR text; empty if it was not reduced.
    pub(super) fn smallest(&self) -> String {
        let reducer = self.reducer.as_ref().filter(|reducer| reducer.progress().kept > 0);
        reducer.map_or(String::new(), |reducer| print_module(reducer.module()))
    }
}

/// Returns true if the output of the pipeline differs from its input on a trial.
fn differs(pipeline: &Pipeline, module: &Module, trial: &Trial) -> bool {
    let Ok(after) = pipeline.run(module, None) else { return false };
    same(module, &after, trial, Tolerance::default()) == Some(false)
}

#[cfg(test)]
mod tests {
    use super::super::Debugger;
    use super::*;
    use vitrine_protocol::{BisectReport, Question, Reply, Report, Task};

    const SOURCE: &str = "in $0: f32 {location 0}\nout $1: f32 {location 0}\n\n\
        entry fragment \"main\" @0 ($0, $1) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n\
        \x20 %0: path = deref.var $0\n  %1: b32 = load %0\n  %2: b32 = fadd %1, %1\n  %3: b32 = fmul %2, %2\n\
        \x20 %4: b32 = fadd %3, %2\n  %5: path = deref.var $1\n  %6 = store %5, %4\n  return\n}\n";

    const INPUTS: CheckInputs = CheckInputs { seed: 1, runs: 8 };

    fn ran(input: &str, pipeline: &str, task: &Task) -> (Debugger, Report) {
        let mut debugger = Debugger::new();
        debugger.give(input.as_bytes().to_vec());
        debugger.open(pipeline, &mut |_, _| {});
        debugger.begin(task);
        while debugger.slice(&mut || true) {}
        let report = debugger.report().unwrap();
        (debugger, report)
    }

    /// The first wrong version.
    fn wrong_version(input: &str, pipeline: &str) -> Option<u32> {
        let Report::Check(report) = ran(input, pipeline, &Task::Check(INPUTS)).1 else {
            panic!("not a check")
        };
        report.wrong_version
    }

    fn bisected(pipeline: &str) -> BisectReport {
        let task = Task::Bisect { inputs: INPUTS, wrong_version: None };
        let Report::Bisect(report) = ran(SOURCE, pipeline, &task).1 else { panic!("not a bisection") };
        report
    }

    fn reduced(pipeline: &str) -> (ReduceReport, String) {
        let (mut debugger, report) = ran(SOURCE, pipeline, &Task::Reduce(INPUTS));
        let Report::Reduce(report) = report else { panic!("not a reduction") };
        let Some(Reply::Smallest(text)) = debugger.ask(&Question::Smallest) else { panic!("no program") };
        (report, text)
    }

    /// A pipeline whose second pass breaks an addition that is used.
    const WRONG: &str = "dce, wrong-sum{at=1}, cse";

    #[test]
    fn a_wrong_rewrite_is_found_and_reported_with_its_line() {
        assert_eq!(wrong_version(SOURCE, WRONG), Some(2));
        let report = bisected(WRONG);
        assert!(report.wrong_version == Some(2) && report.wrong_line.is_some(), "{report:?}");
        assert!(report.summary.starts_with("Step 2, wrong") && !report.probes.is_empty(), "{report:?}");
        let has = |sign| report.change.iter().any(|line| line.starts_with(sign));
        assert!(has('-') && has('+'), "{report:?}");
        assert!(report.change.contains(&"the operands are equivalent".to_owned()), "{report:?}");
        let sound = bisected("dce, cse");
        assert!(sound.summary.starts_with("Nothing wrong") && sound.wrong_version.is_none(), "{sound:?}");
    }

    #[test]
    fn a_program_becomes_small_and_is_still_wrong() {
        let (report, text) = reduced(WRONG);
        let numbers: Vec<u32> =
            report.summary.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        let [from, to, tried] = numbers[..] else { panic!("{report:?}") };
        assert!(to < from && tried >= report.kept && report.kept > 0, "{report:?}");
        assert!(crate::text::parse(&text).diags.is_empty(), "{text}");
        assert!(wrong_version(&text, WRONG).is_some(), "{text}");
        let (report, text) = reduced("dce, cse");
        assert!(report.summary.starts_with("Nothing wrong") && text.is_empty(), "{report:?}");
    }
}

//! *Reduce*: makes the input smaller while the pipeline still miscompiles it.

use super::check::RUNS;
use super::{Answer, Time};
use crate::interp::run;
use crate::ir::Module;
use crate::pipeline::check::{Checker, Tolerance, Trial, Verdict, same, trials};
use crate::pipeline::reduce::Reducer;
use crate::pipeline::{Pipeline, Trace};
use crate::text::print_module;

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
    pub(super) fn new(trace: &Trace, pipeline: &str, seed: u32, runs: u32) -> Reduce {
        let trials = trials(&trace.input, u64::from(seed), runs.clamp(RUNS[0], RUNS[1]));
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

    /// Numbers: 1 if it is done; instructions at first, and now; programs tried, and kept. Text: the result.
    pub(super) fn answer(&self) -> Answer {
        let progress = self.reducer.as_ref().map(Reducer::progress).unwrap_or_default();
        let text = match (&self.search, &self.reducer) {
            (Some(_), _) => "Searching for a run with a difference…".to_owned(),
            (None, None) => "Nothing wrong was found on these runs: there is nothing to reduce.".to_owned(),
            (None, Some(_)) => format!(
                "{} instructions became {}, {} programs tried",
                progress.from, progress.to, progress.tried
            ),
        };
        let numbers = vec![u32::from(self.done), progress.from, progress.to, progress.tried, progress.kept];
        Answer { numbers, text, ..Answer::default() }
    }

    /// The smallest program so far, as IR text; empty if it was not reduced.
    pub(super) fn smallest(&self) -> Answer {
        let reducer = self.reducer.as_ref().filter(|reducer| reducer.progress().kept > 0);
        Answer::message(reducer.map_or(String::new(), |reducer| print_module(reducer.module())))
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

    const SOURCE: &str = "in $0: f32 {location 0}\nout $1: f32 {location 0}\n\n\
        entry fragment \"main\" @0 ($0, $1) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n\
        \x20 %0: path = deref.var $0\n  %1: b32 = load %0\n  %2: b32 = fadd %1, %1\n  %3: b32 = fmul %2, %2\n\
        \x20 %4: b32 = fadd %3, %2\n  %5: path = deref.var $1\n  %6 = store %5, %4\n  return\n}\n";

    fn ran(pipeline: &str, task: &str) -> (Debugger, Answer) {
        let mut debugger = Debugger::new();
        debugger.give(SOURCE.as_bytes().to_vec());
        debugger.open(pipeline, &mut |_, _| {});
        debugger.begin(task, &[1, 8, 0]);
        while debugger.slice(&mut || true) {}
        let answer = debugger.answer();
        (debugger, answer)
    }

    /// A pipeline whose second pass breaks an addition that is used.
    fn wrong() -> String {
        let pipeline = "dce, wrong{at=1}, cse";
        assert_eq!(ran(pipeline, "check").1.numbers[3], 2, "{:?}", ran(pipeline, "check").1);
        pipeline.to_owned()
    }

    #[test]
    fn a_wrong_rewrite_is_found_and_reported_with_its_line() {
        let (_, answer) = ran(&wrong(), "bisect");
        assert_eq!((answer.numbers[0], answer.numbers[3]), (1, 2), "{answer:?}");
        assert!(answer.text.starts_with("=Step 2, wrong"), "{}", answer.text);
        let letters: Vec<char> = answer.text.lines().filter_map(|line| line.chars().next()).collect();
        assert!(
            letters.contains(&'-') && letters.contains(&'+') && letters.contains(&'p'),
            "{}",
            answer.text
        );
        assert!(answer.text.contains("\nythe operands are equivalent\n"), "{}", answer.text);
        let sound = ran("dce, cse", "bisect").1;
        assert!(sound.text.starts_with("=Nothing wrong") && sound.numbers[3] == 0, "{sound:?}");
    }

    #[test]
    fn a_program_becomes_small_and_is_still_wrong() {
        let pipeline = wrong();
        let (mut debugger, answer) = ran(&pipeline, "reduce");
        let [done, from, to, tried, kept] = answer.numbers[..] else { panic!("{answer:?}") };
        assert!(done == 1 && to < from && tried >= kept && kept > 0, "{answer:?}");
        debugger.ask("smallest", &[]);
        let text = debugger.answered().text;
        assert!(crate::text::parse(&text).diags.is_empty(), "{text}");
        let mut small = Debugger::new();
        small.give(text.clone().into_bytes());
        small.open(&pipeline, &mut |_, _| {});
        small.begin("check", &[1, 8]);
        while small.slice(&mut || true) {}
        assert!(small.answer().numbers[3] > 0, "{text}\n{:?}", small.answer());
        let (mut debugger, answer) = ran("dce, cse", "reduce");
        debugger.ask("smallest", &[]);
        assert!(answer.text.starts_with("Nothing wrong") && debugger.answered().text.is_empty());
    }
}

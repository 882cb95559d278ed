//! Bisection: finds the pass, and the rewrite of it, that changes the behavior of the shader.
//!
//! ```text
//! the input's outcomes ─► versions, halved ─► the first wrong one ─► its pass again with n units of fuel, halved
//!                                                                    ─► the rewrite after which it is wrong
//! ```
//!
//! One step of a [`Bisector`] is one run, or one run of a pass, so a caller can show progress and stop.
//!
//! Bisection finds a correct version directly followed by a wrong one: the first such pair, if versions stay
//! wrong after the first wrong one. A rewrite is a unit of fuel ([`Fuel`]): a pass that rebuilds a function
//! performs one rewrite for each function.

use super::check::{Comparison, Inconclusive, Tolerance, Trial, Verdict};
use std::borrow::Cow;
use vitrine_analysis::validate::validate;
use vitrine_ir::{Event, Fuel, Func, Journal, Module, Reason};
use vitrine_pipeline::{Alone, alone};
use vitrine_pipeline::{Outcome, Trace};

/// A version that was checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// The step that produced it, by number from 0.
    pub step: usize,
    /// Number of rewrites of the step that were performed; `None` for all.
    pub rewrites: Option<u64>,
    /// The verdict: never `Open`.
    pub verdict: Verdict,
}

/// The result of a bisection.
#[derive(Clone, Debug)]
pub struct Culprit {
    /// The first wrong step, by number from 0.
    pub step: usize,
    /// The rewrite of it, from 1; `None` if the pass does not complete.
    pub rewrite: Option<u64>,
    /// Total number of rewrites of the step.
    pub rewrites: u64,
    /// The verdict on the version.
    pub verdict: Verdict,
    /// The program before the rewrite.
    pub before: Module,
    /// The program after the rewrite.
    pub after: Module,
    /// The events of the rewrite and their reasons, as far as the pass reports them.
    pub events: Vec<(Func, Event, Reason)>,
}

/// The next action.
enum Stage {
    /// Run the input on each trial.
    Learn,
    /// Bisect versions: the last correct one (`None` is the input) and the first wrong one, among those that
    /// changed something.
    Versions { right: Option<usize>, wrong: usize },
    /// Bisect the rewrites of a step.
    Rewrites { step: usize, right: u64, wrong: u64, of: u64 },
    /// Nothing: the bisection is complete.
    Done,
}

/// A version that is being run on the trials.
struct Candidate {
    rewrites: Option<u64>,
    step: usize,
    module: Module,
    trial: usize,
}

/// Searches for the first wrong rewrite.
pub struct Bisector<'t> {
    trace: Cow<'t, Trace>,
    comparison: Comparison<'t>,
    /// Steps that changed something, up to the one known to be wrong.
    changed: Vec<usize>,
    stage: Stage,
    candidate: Option<Candidate>,
    probes: Vec<Probe>,
    found: Option<Culprit>,
    runs: usize,
}

impl<'t> Bisector<'t> {
    /// Searches the steps up to `until`, which is assumed to be wrong: the last, or the one that a
    /// [`Checker`](super::check::Checker) found.
    pub fn new(trace: &'t Trace, until: usize, trials: &'t [Trial], tolerance: Tolerance) -> Bisector<'t> {
        let comparison = Comparison::new(&trace.input, trials, tolerance);
        Bisector::of(Cow::Borrowed(trace), until, comparison)
    }

    /// A bisector that owns its data, for callers that keep it.
    pub fn owned(trace: Trace, until: usize, trials: Vec<Trial>, tolerance: Tolerance) -> Bisector<'static> {
        let comparison = Comparison::of(Cow::Owned(trace.input.clone()), Cow::Owned(trials), tolerance);
        Bisector::of(Cow::Owned(trace), until, comparison)
    }

    fn of(trace: Cow<'t, Trace>, until: usize, comparison: Comparison<'t>) -> Bisector<'t> {
        let upto = trace.steps.iter().enumerate().take(until.saturating_add(1));
        let changed = upto.filter(|(_, step)| step.outcome != Outcome::Unchanged).map(|(at, _)| at).collect();
        Bisector {
            comparison,
            changed,
            stage: Stage::Learn,
            candidate: None,
            probes: Vec::new(),
            found: None,
            runs: 0,
            trace,
        }
    }

    /// The versions checked so far.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// The result; `None` before the end, and if nothing is wrong.
    pub fn found(&self) -> Option<&Culprit> {
        self.found.as_ref()
    }

    /// Returns true if a version changed and every trial is inconclusive: then an empty result is
    /// meaningless.
    pub fn is_open(&self) -> bool {
        let is_done = matches!(self.stage, Stage::Done) && self.found.is_none();
        is_done && !self.changed.is_empty() && !self.comparison.knows_any()
    }

    /// Inconclusive trials, by number, with the reasons.
    pub fn inconclusive(&self) -> impl Iterator<Item = (usize, &Inconclusive)> {
        self.comparison.inconclusive()
    }

    /// Number of completed runs, and of candidates left, versions or rewrites: 1 at the end.
    pub fn progress(&self) -> (usize, u64) {
        let left = match self.stage {
            Stage::Learn => self.changed.len() as u64,
            Stage::Versions { right, wrong } => (wrong - right.map_or(0, |right| right + 1) + 1) as u64,
            Stage::Rewrites { right, wrong, .. } => wrong - right,
            Stage::Done => 1,
        };
        (self.runs, left.max(1))
    }

    /// Performs one run. Returns false at the end.
    pub fn step(&mut self) -> bool {
        self.runs += 1;
        if let Some(candidate) = self.candidate.take() {
            self.run_trial(candidate);
            return true;
        }
        match self.stage {
            Stage::Learn => {
                if !self.comparison.learn() {
                    self.begin();
                }
            }
            Stage::Versions { right, wrong } => self.halve_versions(right, wrong),
            Stage::Rewrites { step, right, wrong, of } => self.halve_rewrites(step, right, wrong, of),
            Stage::Done => {
                self.runs -= 1;
                return false;
            }
        }
        true
    }

    /// Checks the last version first: if it is correct, there is nothing to find.
    fn begin(&mut self) {
        self.stage = Stage::Done;
        let Some(last) = self.changed.len().checked_sub(1) else { return };
        self.stage = Stage::Versions { right: None, wrong: last };
        if self.comparison.knows_any() || self.is_broken(last) {
            self.check_version(last);
        } else {
            self.stage = Stage::Done;
        }
    }

    /// Returns true if the step failed or left an invalid program: then no run is needed.
    fn is_broken(&self, at: usize) -> bool {
        let step = self.changed.get(at).and_then(|&step| self.trace.steps.get(step));
        step.is_some_and(|step| matches!(step.outcome, Outcome::Failed(_) | Outcome::Invalid(_)))
    }

    fn check_version(&mut self, at: usize) {
        let Some(&step) = self.changed.get(at) else { return };
        if self.is_broken(at) {
            return self.probed(step, None, Verdict::Broken);
        }
        let Some(version) = self.trace.version(step + 1) else { return };
        self.candidate = Some(Candidate { rewrites: None, step, module: version.clone(), trial: 0 });
    }

    /// Runs one trial of the checked version; returns the verdict after the last one.
    fn run_trial(&mut self, mut candidate: Candidate) {
        let verdict = match self.comparison.compare(&candidate.module, candidate.trial) {
            Some(wrong) => wrong,
            None if candidate.trial + 1 < self.comparison.trials.len() => {
                candidate.trial += 1;
                self.candidate = Some(candidate);
                return;
            }
            None => Verdict::Same,
        };
        self.probed(candidate.step, candidate.rewrites, verdict);
    }

    /// Narrows the search by a verdict.
    fn probed(&mut self, step: usize, rewrites: Option<u64>, verdict: Verdict) {
        let is_wrong = verdict.is_wrong();
        self.probes.push(Probe { step, rewrites, verdict });
        match &mut self.stage {
            Stage::Learn | Stage::Done => {}
            Stage::Versions { right, wrong } => {
                let Some(at) = self.changed.iter().position(|&changed| changed == step) else { return };
                match is_wrong {
                    true => *wrong = at,
                    // The version that was assumed to be wrong is correct.
                    false if at == *wrong => self.stage = Stage::Done,
                    false => *right = Some(at),
                }
            }
            Stage::Rewrites { right, wrong, .. } => {
                let Some(rewrites) = rewrites else { return };
                let end = if is_wrong { wrong } else { right };
                *end = rewrites;
            }
        }
    }

    fn halve_versions(&mut self, right: Option<usize>, wrong: usize) {
        let first = right.map_or(0, |right| right + 1);
        if first < wrong {
            return self.check_version(first + (wrong - first - 1) / 2);
        }
        self.stage = Stage::Done;
        let Some(&step) = self.changed.get(wrong) else { return };
        let Some(of) = self.again(step, Fuel::UNLIMITED).map(|done| done.fuel.used()) else {
            self.found = self.without_rewrite(step);
            return;
        };
        self.stage = Stage::Rewrites { step, right: 0, wrong: of, of };
    }

    fn halve_rewrites(&mut self, step: usize, right: u64, wrong: u64, of: u64) {
        if right + 1 < wrong {
            let half = right + (wrong - right) / 2;
            return match self.again(step, Fuel::of(half)) {
                Some(done) if validate(&done.module).is_empty() => {
                    self.candidate =
                        Some(Candidate { rewrites: Some(half), step, module: done.module, trial: 0 });
                }
                Some(_) | None => self.probed(step, Some(half), Verdict::Broken),
            };
        }
        self.stage = Stage::Done;
        let [before, after] = [right, wrong].map(|units| self.again(step, Fuel::of(units)));
        self.found = match (before, after) {
            (Some(before), Some(after)) => Some(Culprit {
                step,
                rewrite: Some(wrong),
                rewrites: of,
                verdict: self.verdict_of(step),
                events: new_events(&before.journals, &after.journals),
                before: before.module,
                after: after.module,
            }),
            _ => self.without_rewrite(step),
        };
    }

    /// The result for a pass that does not complete: only the step is known.
    fn without_rewrite(&self, step: usize) -> Option<Culprit> {
        let before = self.trace.version(step)?.clone();
        let verdict = self.verdict_of(step);
        let after = self.trace.version(step + 1)?.clone();
        Some(Culprit { step, rewrite: None, rewrites: 0, verdict, before, after, events: Vec::new() })
    }

    /// The last wrong verdict on a step.
    fn verdict_of(&self, step: usize) -> Verdict {
        let wrong = |probe: &&Probe| probe.step == step && probe.verdict.is_wrong();
        self.probes.iter().rev().find(wrong).map_or(Verdict::Broken, |probe| probe.verdict.clone())
    }

    /// Runs the pass of a step again on its input; `None` if it fails.
    fn again(&self, step: usize, fuel: Fuel) -> Option<Alone> {
        let used = self.trace.steps.get(step)?;
        alone(self.trace.version(step)?, &used.text(), fuel).ok()
    }
}

/// Events of one run that are not in another one, which stopped earlier.
fn new_events(before: &[(Func, Journal)], after: &[(Func, Journal)]) -> Vec<(Func, Event, Reason)> {
    let mut out = Vec::new();
    for (func, journal) in after {
        let known = before.iter().find(|(at, _)| at == func).map_or(&[][..], |(_, old)| old.events());
        let same = known.iter().zip(journal.events()).take_while(|(old, new)| old == new).count();
        out.extend(journal.events().iter().skip(same).map(|&(event, why)| (*func, event, why)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::trials;
    use vitrine_pipeline::{Pipeline, Settings};

    const SOURCE: &str = include_str!("../../../www/examples/variables.spvasm");

    fn module() -> Module {
        let words = vitrine_spirv::assemble(SOURCE, &vitrine_spirv::AsmOptions::default()).words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        vitrine_front::spirv::read(&bytes).module
    }

    fn bisected(pipeline: &str) -> (Trace, Option<Culprit>, usize) {
        let module = module();
        let trace = Pipeline::parse(pipeline).unwrap().trace(&module, Settings::default());
        let trials = trials(&module, 1, 8);
        let mut bisector = Bisector::new(&trace, usize::MAX, &trials, Tolerance::default());
        let mut left = 10_000;
        while bisector.step() {
            left -= 1;
            assert!(left > 0, "it terminates");
        }
        assert_eq!(bisector.progress().1, 1);
        let (found, probes) = (bisector.found().cloned(), bisector.probes().len());
        (trace, found, probes)
    }

    #[test]
    fn the_wrong_rewrite_of_the_wrong_pass_is_found() {
        let additions = bisected("structurize, wrong-sum{at=0}").0.steps[1].rewrites;
        assert!(additions >= 4, "{additions}");
        let mut seen = 0;
        for at in 1..=additions {
            let text = format!("structurize, copy-prop, wrong-sum{{at={at}}}, wrong-sum{{at=0}}, dce, cse");
            let (trace, found, probes) = bisected(&text);
            let Some(culprit) = found else { continue };
            seen += 1;
            assert_eq!(trace.steps[culprit.step].pass, "wrong-sum");
            assert_eq!((culprit.rewrite, culprit.rewrites), (Some(at), additions));
            assert!(matches!(culprit.verdict, Verdict::Differs { .. }), "{:?}", culprit.verdict);
            let [(_, Event::Rewrite(inst), _)] = culprit.events[..] else { panic!("{:?}", culprit.events) };
            let (func, _, _) = culprit.events[0];
            let [before, after] =
                [&culprit.before, &culprit.after].map(|it| it.func(func).unwrap().inst(inst).op.info().name);
            assert_ne!(before, after);
            assert!(probes <= 3 + 4 + 2, "{probes} probes are not halving");
        }
        assert!(seen >= 2, "{seen} of {additions} wrong rewrites make a difference");
    }

    #[test]
    fn a_correct_trace_has_no_culprit() {
        let (_, found, probes) = bisected("structurize, wrong-sum{at=0}, dce");
        assert!(found.is_none());
        assert_eq!(probes, 1);
        assert!(bisected("dce").1.is_none());
    }

    #[test]
    fn a_failing_pass_is_the_culprit() {
        let (trace, found, _) = bisected("structurize, flatten, lower-exits");
        let culprit = found.unwrap();
        assert_eq!((trace.steps[culprit.step].pass, culprit.rewrite), ("lower-exits", None));
        assert_eq!(culprit.verdict, Verdict::Broken);
    }
}

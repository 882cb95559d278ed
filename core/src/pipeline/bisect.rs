//! Which pass changes what the shader computes, and which rewrite of it.
//!
//! ```text
//! the input's outcomes ─► versions, halved ─► the first wrong one ─► its pass again with n units of fuel, halved
//!                                                                    ─► the rewrite after which it is wrong
//! ```
//!
//! One step of a [`Bisector`] is one run, or one run of a pass, so that a caller can show how far it is, and stop.
//!
//! Halving finds a version that is right with one right behind it that is wrong: the first such pair where
//! versions, once wrong, stay wrong. A rewrite is what a pass asks fuel for ([`Fuel`]): a pass that makes a
//! function anew is one rewrite for each function.

use super::check::{Judge, Tolerance, Trial, Verdict};
use super::run::{Alone, alone};
use super::trace::{Outcome, Trace};
use crate::ir::{Event, Fuel, Func, Journal, Module, Reason};
use crate::validate::validate;
use std::borrow::Cow;

/// A version that was looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// The step that made it, by number from 0.
    pub step: usize,
    /// Rewrites of the step that were done; none where all were.
    pub rewrites: Option<u64>,
    /// What is known of it: never `Open`.
    pub verdict: Verdict,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Culprit {
    /// The first wrong step, by number from 0.
    pub step: usize,
    /// The rewrite of it, from 1; none where the pass does not come to its end.
    pub rewrite: Option<u64>,
    /// Rewrites the step does in all.
    pub rewrites: u64,
    /// What is wrong.
    pub verdict: Verdict,
    /// The program in front of the rewrite.
    pub before: Module,
    /// The program behind it.
    pub after: Module,
    /// What the rewrite did and why, as far as the pass says.
    pub events: Vec<(Func, Event, Reason)>,
}

/// What is done next.
enum Stage {
    /// The input is run on each trial.
    Learn,
    /// Versions are halved: the last right one (none is the input) and the first wrong one, among those that
    /// changed something.
    Versions { right: Option<usize>, wrong: usize },
    /// Rewrites of a step are halved.
    Rewrites { step: usize, right: u64, wrong: u64, of: u64 },
    /// Nothing: it is found, or there is nothing to find.
    Done,
}

/// A version that is being run on one trial after the other.
struct Looking {
    rewrites: Option<u64>,
    step: usize,
    module: Module,
    trial: usize,
}

/// Looks for the first wrong rewrite.
pub struct Bisector<'t> {
    trace: Cow<'t, Trace>,
    judge: Judge<'t>,
    /// Steps that changed something, up to the one that is known to be wrong.
    changed: Vec<usize>,
    stage: Stage,
    looking: Option<Looking>,
    probes: Vec<Probe>,
    found: Option<Culprit>,
    runs: usize,
}

impl<'t> Bisector<'t> {
    /// Looks among the steps up to `until`, which is taken to be wrong: the last, or the one a
    /// [`Checker`](super::check::Checker) says.
    pub fn new(trace: &'t Trace, until: usize, trials: &'t [Trial], tolerance: Tolerance) -> Bisector<'t> {
        let judge = Judge::new(&trace.input, trials, tolerance);
        Bisector::of(Cow::Borrowed(trace), until, judge)
    }

    /// One that owns what it needs: for those who come back to it later.
    pub fn owned(trace: Trace, until: usize, trials: Vec<Trial>, tolerance: Tolerance) -> Bisector<'static> {
        let judge = Judge::of(Cow::Owned(trace.input.clone()), Cow::Owned(trials), tolerance);
        Bisector::of(Cow::Owned(trace), until, judge)
    }

    fn of(trace: Cow<'t, Trace>, until: usize, judge: Judge<'t>) -> Bisector<'t> {
        let upto = trace.steps.iter().enumerate().take(until.saturating_add(1));
        let changed = upto.filter(|(_, step)| step.outcome != Outcome::Unchanged).map(|(at, _)| at).collect();
        Bisector {
            judge,
            changed,
            stage: Stage::Learn,
            looking: None,
            probes: Vec::new(),
            found: None,
            runs: 0,
            trace,
        }
    }

    /// What was looked at so far.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// What was found; none before the end, and where nothing is wrong.
    pub fn found(&self) -> Option<&Culprit> {
        self.found.as_ref()
    }

    /// Whether a version changed and no trial says anything of the input: then finding nothing means nothing.
    pub fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Done) && self.probes.is_empty() && !self.changed.is_empty()
    }

    /// Runs done, and versions and rewrites that may still hold the wrong one: 1 at the end.
    pub fn progress(&self) -> (usize, u64) {
        let left = match self.stage {
            Stage::Learn => self.changed.len() as u64,
            Stage::Versions { right, wrong } => (wrong - right.map_or(0, |right| right + 1) + 1) as u64,
            Stage::Rewrites { right, wrong, .. } => wrong - right,
            Stage::Done => 1,
        };
        (self.runs, left.max(1))
    }

    /// One run. False at the end.
    pub fn step(&mut self) -> bool {
        self.runs += 1;
        if let Some(looking) = self.looking.take() {
            self.look(looking);
            return true;
        }
        match self.stage {
            Stage::Learn => {
                if !self.judge.learn() {
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

    /// The last version first: where that is right there is nothing to find.
    fn begin(&mut self) {
        self.stage = Stage::Done;
        let Some(last) = self.changed.len().checked_sub(1) else { return };
        self.stage = Stage::Versions { right: None, wrong: last };
        if self.judge.knows_any() || self.is_broken(last) {
            self.look_at_version(last);
        } else {
            self.stage = Stage::Done;
        }
    }

    /// Whether the step failed, or left what is not valid: nothing needs to run then.
    fn is_broken(&self, at: usize) -> bool {
        let step = self.changed.get(at).and_then(|&step| self.trace.steps.get(step));
        step.is_some_and(|step| matches!(step.outcome, Outcome::Failed(_) | Outcome::Invalid(_)))
    }

    fn look_at_version(&mut self, at: usize) {
        let Some(&step) = self.changed.get(at) else { return };
        if self.is_broken(at) {
            return self.probed(step, None, Verdict::Broken);
        }
        let Some(version) = self.trace.version(step + 1) else { return };
        self.looking = Some(Looking { rewrites: None, step, module: version.clone(), trial: 0 });
    }

    /// One trial of the version that is looked at; its verdict with the last one.
    fn look(&mut self, mut looking: Looking) {
        let verdict = match self.judge.judge(&looking.module, looking.trial) {
            Some(wrong) => wrong,
            None if looking.trial + 1 < self.judge.trials.len() => {
                looking.trial += 1;
                self.looking = Some(looking);
                return;
            }
            None => Verdict::Same,
        };
        self.probed(looking.step, looking.rewrites, verdict);
    }

    /// Takes in what was learned.
    fn probed(&mut self, step: usize, rewrites: Option<u64>, verdict: Verdict) {
        let is_wrong = verdict.is_wrong();
        self.probes.push(Probe { step, rewrites, verdict });
        match &mut self.stage {
            Stage::Learn | Stage::Done => {}
            Stage::Versions { right, wrong } => {
                let Some(at) = self.changed.iter().position(|&changed| changed == step) else { return };
                match is_wrong {
                    true => *wrong = at,
                    // The version that was said to be wrong is right.
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
            return self.look_at_version(first + (wrong - first - 1) / 2);
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
                    self.looking =
                        Some(Looking { rewrites: Some(half), step, module: done.module, trial: 0 });
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

    /// A pass that does not come to its end: the step is all there is to say.
    fn without_rewrite(&self, step: usize) -> Option<Culprit> {
        let before = self.trace.version(step)?.clone();
        let verdict = self.verdict_of(step);
        let after = self.trace.version(step + 1)?.clone();
        Some(Culprit { step, rewrite: None, rewrites: 0, verdict, before, after, events: Vec::new() })
    }

    /// The last thing that was found to be wrong of a step.
    fn verdict_of(&self, step: usize) -> Verdict {
        let wrong = |probe: &&Probe| probe.step == step && probe.verdict.is_wrong();
        self.probes.iter().rev().find(wrong).map_or(Verdict::Broken, |probe| probe.verdict.clone())
    }

    /// The pass of a step once more, on what it was given; none if it fails.
    fn again(&self, step: usize, fuel: Fuel) -> Option<Alone> {
        let used = self.trace.steps.get(step)?;
        alone(self.trace.version(step)?, &used.text(), fuel).ok()
    }
}

/// Events of one run that another, which stopped earlier, does not have.
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
    use crate::pipeline::check::trials;
    use crate::pipeline::{Pipeline, Settings};

    const SOURCE: &str = include_str!("../../../www/examples/variables.spvasm");

    fn module() -> Module {
        let words = crate::spirv::assemble(SOURCE, &crate::spirv::AsmOptions::default()).words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        crate::front::spirv::read(&bytes).module
    }

    fn bisected(pipeline: &str) -> (Trace, Option<Culprit>, usize) {
        let module = module();
        let trace = Pipeline::parse(pipeline).unwrap().trace(&module, Settings::default());
        let trials = trials(&module, 1, 8);
        let mut bisector = Bisector::new(&trace, usize::MAX, &trials, Tolerance::default());
        let mut left = 10_000;
        while bisector.step() {
            left -= 1;
            assert!(left > 0, "it ends");
        }
        assert_eq!(bisector.progress().1, 1);
        let (found, probes) = (bisector.found().cloned(), bisector.probes().len());
        (trace, found, probes)
    }

    #[test]
    fn the_wrong_rewrite_of_the_wrong_pass_is_found() {
        let additions = bisected("structurize, wrong{at=0}").0.steps[1].rewrites;
        assert!(additions >= 4, "{additions}");
        let mut seen = 0;
        for at in 1..=additions {
            let text = format!("structurize, copy-prop, wrong{{at={at}}}, wrong{{at=0}}, dce, cse");
            let (trace, found, probes) = bisected(&text);
            let Some(culprit) = found else { continue };
            seen += 1;
            assert_eq!(trace.steps[culprit.step].pass, "wrong");
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
    fn where_nothing_is_wrong_nothing_is_found() {
        let (_, found, probes) = bisected("structurize, wrong{at=0}, dce");
        assert!(found.is_none());
        assert_eq!(probes, 1);
        assert!(bisected("dce").1.is_none());
    }

    #[test]
    fn a_pass_that_fails_is_what_is_wrong() {
        let (trace, found, _) = bisected("structurize, flatten, lower-exits");
        let culprit = found.unwrap();
        assert_eq!((trace.steps[culprit.step].pass, culprit.rewrite), ("lower-exits", None));
        assert_eq!(culprit.verdict, Verdict::Broken);
    }
}

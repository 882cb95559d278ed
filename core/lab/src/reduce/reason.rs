//! Conditions of a reduction: a pipeline fails on the program in the same way.
//!
//! ```text
//! Condition::of(program) ──► the fault and its reason        a program that fails for another reason is another bug
//! condition.holds(smaller) ──► the same wrong pass, or the same diagnostic of the same pass
//! ```
//!
//! Generated inputs are generated anew for every program from the same seeds: the reduced program shows its
//! bug on `trials(program, seed, 1)`, so only the seed needs to be stored with it. If a seed no longer shows
//! the bug, it is replaced by another one of the given seeds.
//!
//! Does not catch panics: that requires an operating system.

use crate::check::{Checker, Compared, Expected, Tolerance, Trial, made_up};
use std::fmt;
use vitrine_interp::{Inputs, can_run};
use vitrine_ir::{Diag, Func, Module};
use vitrine_pipeline::{Outcome, Pipeline, Settings};

/// Step limit of a smaller program: a multiple of the steps of the program it was derived from, plus a
/// constant.
const LIMIT: (u64, u64) = (4, 1 << 12);

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A pass changes the behavior of the program.
    Differs,
    /// A pass leaves an invalid program.
    Invalid,
    /// A pass fails.
    Fails,
}

/// The fault to reproduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// This pass is the first that changes the behavior of the program.
    Differs {
        /// The pass.
        pass: &'static str,
    },
    /// This pass leaves an invalid program.
    Invalid {
        /// The pass.
        pass: &'static str,
        /// The code of the first diagnostic.
        code: &'static str,
    },
    /// This pass fails.
    Fails {
        /// The pass.
        pass: &'static str,
        /// The code of its diagnostic.
        code: &'static str,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Differs { pass } => write!(f, "`{pass}` is the first pass that changes the result"),
            Reason::Invalid { pass, code } => write!(f, "`{pass}` leaves an invalid program, {code}"),
            Reason::Fails { pass, code } => write!(f, "`{pass}` fails, {code}"),
        }
    }
}

/// The source of the inputs of a run.
#[derive(Clone, Debug)]
enum Made {
    Seed(u64),
    Given(Box<Inputs>),
}

/// Runs that distinguish two versions of any program, the last successful one first.
#[derive(Clone, Debug)]
pub struct Witnesses {
    list: Vec<(Func, String, Made)>,
    tolerance: Tolerance,
    /// Maximum number of steps of a run of the first version; `None` before any difference was found.
    steps: Option<u64>,
}

impl Witnesses {
    /// Inputs generated from `runs` seeds for each entry point that can be run.
    pub fn seeded(module: &Module, seed: u64, runs: u32, tolerance: Tolerance) -> Witnesses {
        let funcs = module.entries.iter().map(|entry| entry.func);
        let funcs: Vec<Func> = funcs.filter(|&func| can_run(module, func).is_ok()).collect();
        let of_seed = |run: u32| {
            let seed = seed.wrapping_add(u64::from(run));
            funcs.iter().map(move |&func| (func, format!("seed {seed}"), Made::Seed(seed)))
        };
        Witnesses { list: (0..runs).flat_map(of_seed).collect(), tolerance, steps: None }
    }

    /// These inputs for every program.
    pub fn given(module: &Module, trials: Vec<Trial>, tolerance: Tolerance) -> Witnesses {
        let of_trial = |trial: Trial| {
            let func = module.entries.get(trial.entry)?.func;
            Some((func, trial.name, Made::Given(Box::new(trial.inputs))))
        };
        Witnesses { list: trials.into_iter().filter_map(of_trial).collect(), tolerance, steps: None }
    }

    /// Keeps only runs of this entry point.
    pub fn only(mut self, func: Func) -> Witnesses {
        self.list.retain(|(of, ..)| *of == func);
        self
    }

    /// The seed that last showed a difference, if it was a seed.
    pub fn seed(&self) -> Option<u64> {
        match self.list.first() {
            Some((_, _, Made::Seed(seed))) => Some(*seed),
            Some((_, _, Made::Given(_))) | None => None,
        }
    }

    /// The first run on which the versions differ, and a description. Two runs for each trial.
    pub fn tell_apart(&mut self, before: &Module, after: &Module) -> Option<(Trial, String)> {
        for at in 0..self.list.len() {
            let Some(trial) = self.trial(before, at) else { continue };
            let Ok(expected) = Expected::of(before, &trial) else { continue };
            let Compared::Differs(difference) = expected.compare(after, self.tolerance) else { continue };
            let most = expected.work().saturating_mul(LIMIT.0).saturating_add(LIMIT.1);
            self.steps = self.steps.or(Some(most));
            // The successful trial is tried first the next time.
            self.list.get_mut(..=at)?.rotate_right(1);
            return Some((trial, difference));
        }
        None
    }

    fn trial(&self, module: &Module, at: usize) -> Option<Trial> {
        let (func, name, made) = self.list.get(at)?;
        let entry = module.entries.iter().position(|entry| entry.func == *func)?;
        let mut inputs = match made {
            Made::Seed(seed) => made_up(module, entry, *seed),
            Made::Given(inputs) => (**inputs).clone(),
        };
        inputs.limits.steps = inputs.limits.steps.min(self.steps.unwrap_or(u64::MAX));
        Some(Trial { name: name.clone(), entry, inputs })
    }
}

/// The condition to preserve.
#[derive(Clone, Debug)]
pub struct Condition {
    pipeline: Pipeline,
    /// Number of entries of the pipeline that are needed.
    entries: usize,
    /// The fault.
    pub reason: Reason,
    /// The runs that show it.
    pub witnesses: Witnesses,
}

impl Condition {
    /// The fault of a pipeline on a program, if it is of this kind.
    pub fn of(
        pipeline: &Pipeline,
        fault: Fault,
        mut witnesses: Witnesses,
        module: &Module,
    ) -> Option<Condition> {
        let (reason, step) = what_is_wrong(pipeline, pipeline.len(), fault, &mut witnesses, module)?;
        // Entries after the wrong pass need not be run.
        let ran = |&entries: &usize| {
            let settings = Settings { entries: Some(entries), ..Settings::default() };
            pipeline.trace(module, settings).steps.len() > step
        };
        let entries = (1..=pipeline.len()).find(ran).unwrap_or(pipeline.len());
        Some(Condition { pipeline: pipeline.clone(), entries, reason, witnesses })
    }

    /// Returns true if this program has the same fault.
    pub fn holds(&mut self, module: &Module) -> bool {
        let settings = Settings { entries: Some(self.entries), ..Settings::default() };
        let after = self.pipeline.run_with(module, settings);
        // Steps are recorded only if they are needed.
        let (fault, may_be) = match self.reason {
            Reason::Differs { .. } => (Fault::Differs, after.is_ok()),
            Reason::Invalid { .. } => (Fault::Invalid, after.is_err_and(|diag| diag.code == "L003")),
            Reason::Fails { code, .. } => (Fault::Fails, after.is_err_and(|diag| diag.code == code)),
        };
        if !may_be {
            return false;
        }
        let found = what_is_wrong(&self.pipeline, self.entries, fault, &mut self.witnesses, module);
        found.is_some_and(|(reason, _)| reason == self.reason)
    }
}

/// The fault of a program, and the number of the step.
fn what_is_wrong(
    pipeline: &Pipeline,
    entries: usize,
    fault: Fault,
    witnesses: &mut Witnesses,
    module: &Module,
) -> Option<(Reason, usize)> {
    let trace = pipeline.trace(module, Settings { entries: Some(entries), ..Settings::default() });
    let at = trace.steps.len().checked_sub(1)?;
    let last = trace.steps.get(at)?;
    let code = |diags: &[Diag]| diags.first().map_or("", |diag| diag.code);
    match (fault, &last.outcome) {
        (Fault::Invalid, Outcome::Invalid(diags)) => {
            Some((Reason::Invalid { pass: last.pass, code: code(diags) }, at))
        }
        (Fault::Fails, Outcome::Failed(diag)) => {
            Some((Reason::Fails { pass: last.pass, code: diag.code }, at))
        }
        (Fault::Differs, Outcome::Changed | Outcome::Unchanged) => {
            // The last version is compared first: if it is correct, the others rarely differ.
            let (trial, _) = witnesses.tell_apart(&trace.input, trace.last())?;
            let trials = [trial];
            let mut checker = Checker::new(&trace, &trials, witnesses.tolerance);
            while checker.first_wrong().is_none() && checker.step() {}
            let at = checker.first_wrong()?;
            Some((Reason::Differs { pass: trace.steps.get(at)?.pass }, at))
        }
        (Fault::Differs | Fault::Invalid | Fault::Fails, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::base::EntityId;
    use vitrine_text::parse;

    const LOOP: &str = include_str!("../../../../www/examples/loop.ir");

    #[test]
    fn a_sound_pipeline_gives_no_reason() {
        let module = parse(LOOP).module;
        let pipeline = Pipeline::parse("ingest, O1").unwrap();
        for fault in [Fault::Differs, Fault::Invalid, Fault::Fails] {
            let witnesses = Witnesses::seeded(&module, 0, 4, Tolerance::default());
            assert!(Condition::of(&pipeline, fault, witnesses, &module).is_none(), "{fault:?}");
        }
    }

    #[test]
    fn a_pass_that_fails_is_the_reason() {
        let module = parse("func @0() graph {\n^0:\n  goto ^1\n^1:\n  return\n}\n").module;
        let pipeline = Pipeline::parse("dce, lower-exits, structurize").unwrap();
        let witnesses = Witnesses::seeded(&module, 0, 1, Tolerance::default());
        let mut condition = Condition::of(&pipeline, Fault::Fails, witnesses, &module).unwrap();
        assert!(
            matches!(condition.reason, Reason::Fails { pass: "lower-exits", .. }),
            "{}",
            condition.reason
        );
        assert_eq!(condition.entries, 2, "entries after it are not run");
        assert!(condition.holds(&module));
        assert!(!condition.holds(&parse("func @0() tree {\n^0:\n  return\n}\n").module));
    }

    #[test]
    fn the_seed_that_shows_the_difference_is_tried_first_the_next_time() {
        let (before, after) = (parse(LOOP).module, parse(&LOOP.replace("fadd", "fsub")).module);
        let mut witnesses = Witnesses::seeded(&before, 0, 16, Tolerance::default());
        assert!(witnesses.tell_apart(&before, &before).is_none());
        let (trial, difference) = witnesses.tell_apart(&before, &after).unwrap();
        assert!(difference.contains("location 0"), "{difference}");
        assert_eq!(witnesses.seed().map(|seed| format!("seed {seed}")), Some(trial.name));
        assert!(witnesses.only(Func::from_index(7)).tell_apart(&before, &after).is_none());
    }
}

//! Differential testing of passes: runs each version of a trace and compares it with the input.
//!
//! ```text
//! Trials (entry point × inputs) ──► the input's outcomes ──► each version that differs from the one before it
//!                                                            ──► Same | Differs(first difference) | Refused
//! ```
//!
//! One step of a [`Checker`] is one run, so a caller can show progress and stop.
//!
//! A trial is inconclusive if the input itself is: it does not terminate, or its behavior is undefined by the list in
//! `undefined.rs`. No pass is blamed for it. Such trials are counted and named with the place, never skipped silently. A
//! value that is undefined in the input may be anything after a pass.
//!
//! If a shader has barriers, data races are detected, and a race that only a later version has is a
//! difference: execution in lockstep would hide it otherwise.
//!
//! A difference that the flags of the input allow is none: the sign of zero with `nsz`, a contraction with `contract`.
//!
//! Does not measure speed or size: `stats` does.

use super::compare::{Allowance, Judge, new_race};
pub use super::undefined::{Consequence, Inconclusive, consequence, excuse_of, inconclusive_of};
use std::borrow::Cow;
use vitrine_interp::{Bytes, Difference, Inputs, Limits, Outcome, can_run, run, seeded};
use vitrine_ir::ops::{GroupOp, Op};
use vitrine_ir::{Diag, Module};
use vitrine_pipeline::{Outcome as StepOutcome, Trace};

/// Step limit of a later version, as a multiple of the steps of the input.
const SLACK: u64 = 64;

/// One run to be repeated on every version.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The name: the seed or the file of the case.
    pub name: String,
    /// The entry point, by its number in the module.
    pub entry: usize,
    /// The inputs.
    pub inputs: Inputs,
}

/// Trials generated from seeds: `runs` for each entry point that can be run, with seeds starting at `seed`.
pub fn trials(module: &Module, seed: u64, runs: u32) -> Vec<Trial> {
    let entries = (0..module.entries.len())
        .filter(|&entry| module.entries.get(entry).is_some_and(|at| can_run(module, at.func).is_ok()));
    let of_entry = |entry: usize| {
        (0..u64::from(runs)).map(move |run| {
            let seed = seed.wrapping_add(run);
            let name = module.entries.get(entry).map_or("", |entry| module.text_of(entry.name));
            Trial { name: format!("{name}, seed {seed}"), entry, inputs: made_up(module, entry, seed) }
        })
    };
    entries.flat_map(of_entry).collect()
}

/// Inputs of a generated trial.
pub(super) fn made_up(module: &Module, entry: usize, seed: u64) -> Inputs {
    let mut barriers = false;
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| barriers |= body.inst(inst).op == Op::Group(GroupOp::Barrier));
    }
    Inputs { races: barriers, ..seeded(module, entry, seed) }
}

/// The result of checking a version.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The version was not checked yet, or every trial is inconclusive.
    Open,
    /// The version is identical to the previous one.
    Unchanged,
    /// Every trial has the same outcome as before the first pass.
    Same,
    /// A trial has a different outcome.
    Differs {
        /// The number of the trial.
        trial: usize,
        /// The first difference.
        difference: Difference,
    },
    /// A trial can no longer be run.
    Refused {
        /// The number of the trial.
        trial: usize,
        /// The reason.
        why: Diag,
    },
    /// The pass failed, or left an invalid program.
    Broken,
}

impl Verdict {
    /// Returns true if the version does not behave like the input.
    pub fn is_wrong(&self) -> bool {
        match self {
            Verdict::Differs { .. } | Verdict::Refused { .. } | Verdict::Broken => true,
            Verdict::Open | Verdict::Unchanged | Verdict::Same => false,
        }
    }

    /// A word for the result.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Open => "open",
            Verdict::Unchanged => "unchanged",
            Verdict::Same => "same",
            Verdict::Differs { .. } => "differs",
            Verdict::Refused { .. } => "refused",
            Verdict::Broken => "broken",
        }
    }
}

/// Tolerance of the comparison of two outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tolerance {
    /// Units in the last place of 32-bit floats; 0 for exact comparison.
    pub ulp: u32,
}

/// The outcomes of the input for each trial, to compare other versions with.
pub(super) struct Comparison<'t> {
    input: Cow<'t, Module>,
    pub(super) trials: Cow<'t, [Trial]>,
    tolerance: Tolerance,
    /// The outcomes of the input, or the reasons why they are inconclusive.
    before: Vec<Result<Outcome, Inconclusive>>,
}

impl<'t> Comparison<'t> {
    pub(super) fn new(input: &'t Module, trials: &'t [Trial], tolerance: Tolerance) -> Comparison<'t> {
        Comparison::of(Cow::Borrowed(input), Cow::Borrowed(trials), tolerance)
    }

    pub(super) fn of(
        input: Cow<'t, Module>,
        trials: Cow<'t, [Trial]>,
        tolerance: Tolerance,
    ) -> Comparison<'t> {
        Comparison { input, trials, tolerance, before: Vec::new() }
    }

    /// Runs the input on the next trial. Returns false if it was run on all.
    pub(super) fn learn(&mut self) -> bool {
        let Some(trial) = self.trials.get(self.before.len()) else { return false };
        self.before.push(outcome_of(&self.input, trial));
        true
    }

    /// Returns true if any trial is conclusive.
    pub(super) fn knows_any(&self) -> bool {
        self.before.iter().any(Result::is_ok)
    }

    /// Inconclusive trials, by number, with the reasons.
    pub(super) fn inconclusive(&self) -> impl Iterator<Item = (usize, &Inconclusive)> {
        let each = self.before.iter().enumerate();
        each.filter_map(|(trial, before)| before.as_ref().err().map(|why| (trial, why)))
    }

    /// The verdict on a version for a trial, if it is wrong; `None` also if the trial is inconclusive. A trial whose
    /// difference follows undefined behavior of the input is inconclusive from then on.
    pub(super) fn compare(&mut self, version: &Module, number: usize) -> Option<Verdict> {
        let (Some(Ok(before)), Some(trial)) = (self.before.get(number), self.trials.get(number)) else {
            return None;
        };
        let after = match outcome_after(version, trial) {
            Ok(after) => after,
            Err(why) => return Some(Verdict::Refused { trial: number, why }),
        };
        let difference = first_difference(&self.input, trial, [before, &after], self.tolerance)?;
        let excuse = excuse_of(before);
        match (excuse, self.before.get_mut(number)) {
            (Some(excuse), Some(outcome)) => {
                *outcome = Err(excuse);
                None
            }
            (None, _) | (_, None) => Some(Verdict::Differs { trial: number, difference }),
        }
    }
}

/// Compares the versions of a trace, run by run.
pub struct Checker<'t> {
    trace: Cow<'t, Trace>,
    comparison: Comparison<'t>,
    verdicts: Vec<Verdict>,
    /// The next version and the next trial.
    at: (usize, usize),
    /// Runs compared so far.
    pub compared: u64,
}

impl<'t> Checker<'t> {
    /// A checker that has not started.
    pub fn new(trace: &'t Trace, trials: &'t [Trial], tolerance: Tolerance) -> Checker<'t> {
        let verdicts = vec![Verdict::Open; trace.steps.len()];
        let comparison = Comparison::new(&trace.input, trials, tolerance);
        Checker { trace: Cow::Borrowed(trace), comparison, verdicts, at: (0, 0), compared: 0 }
    }

    /// A checker that owns its data, for callers that keep it. Cloning a trace is cheap.
    pub fn owned(trace: Trace, trials: Vec<Trial>, tolerance: Tolerance) -> Checker<'static> {
        let verdicts = vec![Verdict::Open; trace.steps.len()];
        let comparison = Comparison::of(Cow::Owned(trace.input.clone()), Cow::Owned(trials), tolerance);
        Checker { trace: Cow::Owned(trace), comparison, verdicts, at: (0, 0), compared: 0 }
    }

    /// The trials.
    pub fn trials(&self) -> &[Trial] {
        &self.comparison.trials
    }

    /// The step being checked, by number from 0; `None` while the input is run, and at the end.
    pub fn current(&self) -> Option<usize> {
        let is_running =
            self.comparison.before.len() >= self.comparison.trials.len() && self.at.0 < self.verdicts.len();
        is_running.then_some(self.at.0)
    }

    /// The verdict on the version of each step.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Inconclusive trials, by number, with the reasons.
    pub fn inconclusive(&self) -> impl Iterator<Item = (usize, &Inconclusive)> {
        self.comparison.inconclusive()
    }

    /// The first step whose version is wrong, by number from 0.
    pub fn first_wrong(&self) -> Option<usize> {
        self.verdicts.iter().position(Verdict::is_wrong)
    }

    /// Number of completed runs, and the maximum number of runs.
    pub fn progress(&self) -> (usize, usize) {
        let width = self.comparison.trials.len().max(1);
        let done = self.comparison.before.len() + self.at.0 * width + self.at.1;
        (done, width * (self.verdicts.len() + 1))
    }

    /// Performs one run, or advances to the next version if this one needs none. Returns false at the end.
    pub fn step(&mut self) -> bool {
        if self.comparison.learn() {
            return true;
        }
        let (version, number) = self.at;
        let Some(step) = self.trace.steps.get(version) else { return false };
        let verdict = match (&step.outcome, self.comparison.trials.get(number)) {
            (StepOutcome::Failed(_) | StepOutcome::Invalid(_), _) => Some(Verdict::Broken),
            (StepOutcome::Unchanged, _) => Some(Verdict::Unchanged),
            (StepOutcome::Changed, None) if self.comparison.knows_any() => Some(Verdict::Same),
            // If every trial is inconclusive, the version is neither correct nor wrong.
            (StepOutcome::Changed, None) => Some(Verdict::Open),
            (StepOutcome::Changed, Some(_)) => {
                self.compared += u64::from(matches!(self.comparison.before.get(number), Some(Ok(_))));
                self.comparison.compare(&step.version, number)
            }
        };
        match verdict {
            None => self.at.1 += 1,
            Some(verdict) => {
                if let Some(slot) = self.verdicts.get_mut(version) {
                    *slot = verdict;
                }
                self.at = (version + 1, 0);
            }
        }
        true
    }
}

/// Adds the memory that a program does not name: it is unchanged.
pub(super) fn add_untouched(outcome: &mut Outcome, inputs: &Inputs) {
    let untouched = |bytes: &Vec<u8>| Bytes { bytes: bytes.clone(), undefined: Vec::new() };
    for (&slot, list) in &inputs.buffers {
        for (element, bytes) in (0..).zip(list) {
            outcome.buffers.entry((slot, element)).or_insert_with(|| untouched(bytes));
        }
    }
    for (&slot, list) in &inputs.images {
        for (element, image) in (0..).zip(list) {
            outcome.images.entry((slot, element)).or_insert_with(|| untouched(&image.bytes));
        }
    }
}

/// The outcome of a trial for a module; otherwise the reason why it is inconclusive.
fn outcome_of(module: &Module, trial: &Trial) -> Result<Outcome, Inconclusive> {
    let mut outcome = run(module, trial.entry, &trial.inputs).map_err(Inconclusive::Refused)?;
    // An unbound buffer has no contents.
    outcome.buffers.retain(|(slot, _), _| trial.inputs.buffers.contains_key(slot));
    outcome.images.retain(|(slot, _), _| trial.inputs.images.contains_key(slot));
    match inconclusive_of(&outcome) {
        Some(inconclusive) => Err(inconclusive),
        None => Ok(outcome),
    }
}

/// The outcome of a trial for a later version, with a higher step limit: a dispatch loop takes many steps for
/// an edge.
fn outcome_after(version: &Module, trial: &Trial) -> Result<Outcome, Diag> {
    let limits = Limits { steps: trial.inputs.limits.steps.saturating_mul(SLACK), ..trial.inputs.limits };
    let inputs = Inputs { limits, ..trial.inputs.clone() };
    let mut outcome = run(version, trial.entry, &inputs)?;
    add_untouched(&mut outcome, &inputs);
    Ok(outcome)
}

/// The outcome of a trial for a module, to compare other modules with.
#[derive(Clone, Debug)]
pub struct Expected<'t> {
    module: Module,
    trial: &'t Trial,
    outcome: Outcome,
}

impl<'t> Expected<'t> {
    /// Runs a module on a trial. Errors: the reason why the trial is inconclusive.
    pub fn of(module: &Module, trial: &'t Trial) -> Result<Expected<'t>, Inconclusive> {
        Ok(Expected { module: module.clone(), trial, outcome: outcome_of(module, trial)? })
    }

    /// Compares another module by the rules of `check`: undefined behavior of the first one excuses a difference.
    pub fn compare(&self, after: &Module, tolerance: Tolerance) -> Compared {
        match (self.differs(after, tolerance), excuse_of(&self.outcome)) {
            (None, _) => Compared::Same,
            (Some(_), Some(why)) => Compared::Undefined(why),
            (Some(difference), None) => Compared::Differs(difference),
        }
    }

    /// A description of the first difference of another module, if any, also after undefined behavior for which the
    /// operations of the IR have a result: tests hold passes to that result.
    pub fn differs(&self, after: &Module, tolerance: Tolerance) -> Option<String> {
        match outcome_after(after, self.trial) {
            Ok(after) => first_difference(&self.module, self.trial, [&self.outcome, &after], tolerance)
                .map(|found| found.to_string()),
            Err(why) => Some(format!("it can no longer be run: {why}")),
        }
    }

    /// Number of executed instructions.
    pub fn work(&self) -> u64 {
        self.outcome.work.0
    }
}

/// The result of a comparison of two modules on a trial.
#[derive(Clone, PartialEq, Debug)]
pub enum Compared {
    /// Their outcomes are the same.
    Same,
    /// Their outcomes differ: the first difference.
    Differs(String),
    /// Their outcomes differ after undefined behavior of the first one.
    Undefined(Inconclusive),
}

/// Compares two modules on a trial. `None` if the trial is inconclusive for the first.
pub fn same(before: &Module, after: &Module, trial: &Trial, tolerance: Tolerance) -> Option<bool> {
    match Expected::of(before, trial).ok()?.compare(after, tolerance) {
        Compared::Same => Some(true),
        Compared::Differs(_) => Some(false),
        Compared::Undefined(_) => None,
    }
}

/// The first difference that neither the tolerance nor the flags of the input allow.
fn first_difference(
    input: &Module,
    trial: &Trial,
    outcomes: [&Outcome; 2],
    tolerance: Tolerance,
) -> Option<Difference> {
    let [before, after] = outcomes;
    // The flags are read only if something differs.
    before.first_difference(after).or_else(|| new_race(before, after))?;
    let allowance = Allowance::of_flags(input, tolerance.ulp);
    Judge { module: input, entry: trial.entry, inputs: &trial.inputs, allowance }
        .first_difference(before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_pipeline::wrap::{Invocations, runnable};
    use vitrine_pipeline::{Pipeline, Settings};
    use vitrine_text::parse;

    const STORE: &str = include_str!("../../../www/examples/particles.spvasm");

    /// Each invocation reads the value that its neighbor wrote.
    const BARRIER: &str = "
shared $0: [u32 * 32]

struct #0 {block} {
  all: [u32 * 64 step 4] {offset 0}
}

storage $1: #0 {set 0, binding 0}

entry compute \"main\" @0 () {local_size 32 1 1}

func @0() tree {
^0:
  %0: b32x3 = io.builtin {builtin local_invocation_id}
  %1: b32x3 = io.builtin {builtin global_invocation_id}
  %2: b32 = swizzle %0.x
  %3 = deref.var $0
  %4 = deref.elem %3, %2
  %5 = store %4, %2
  %6 = barrier {scope workgroup, order acq_rel+workgroup_memory, exec workgroup}
  %7: b32 = const 1
  %8: b32 = ixor %2, %7
  %9 = deref.elem %3, %8
  %10: b32 = load %9
  %11 = deref.var $1
  %12 = deref.field %11.0
  %13: b32 = swizzle %1.x
  %14 = deref.elem %12, %13
  %15 = store %14, %10
  return
}
";

    fn module() -> Module {
        let words = vitrine_spirv::assemble(STORE, &vitrine_spirv::AsmOptions::default()).words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        vitrine_front::spirv::read(&bytes).module
    }

    fn checked(trace: &Trace, trials: &[Trial]) -> (Vec<&'static str>, u64) {
        let mut checker = Checker::new(trace, trials, Tolerance::default());
        let most = checker.progress().1;
        let mut steps = 0;
        while checker.step() {
            steps += 1;
            assert!(steps <= most + trace.steps.len(), "it terminates");
        }
        (checker.verdicts().iter().map(Verdict::name).collect(), checker.compared)
    }

    #[test]
    fn sound_passes_are_the_same() {
        let module = module();
        let trace = Pipeline::parse("structurize, dce, dce").unwrap().trace(&module, Settings::default());
        let trials = trials(&module, 1, 3);
        let (verdicts, compared) = checked(&trace, &trials);
        assert_eq!(verdicts.first(), Some(&"same"));
        assert_eq!(verdicts.last(), Some(&"unchanged"));
        assert!(compared >= 3, "{compared}");
    }

    #[test]
    fn a_wrong_version_is_found_with_what_differs() {
        let module = module();
        let mut trace = Pipeline::parse("structurize").unwrap().trace(&module, Settings::default());
        // A pass that adds instead of multiplying.
        let text = vitrine_text::print_module(&trace.steps[0].version).replace(" = fmul ", " = fadd ");
        let parsed = parse(&text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        trace.steps[0].version = parsed.module;
        let trials = trials(&module, 1, 8);
        let mut checker = Checker::new(&trace, &trials, Tolerance::default());
        while checker.step() {}
        assert_eq!(checker.first_wrong(), Some(0), "{:?}", checker.verdicts());
        assert!(matches!(checker.verdicts()[0], Verdict::Differs { .. }));
    }

    #[test]
    fn without_conclusive_trials_there_is_no_verdict() {
        let module = module();
        let trace = Pipeline::parse("structurize").unwrap().trace(&module, Settings::default());
        assert_eq!(checked(&trace, &[]), (vec!["open"], 0));
        let mut endless = trials(&module, 1, 1);
        endless.iter_mut().for_each(|trial| trial.inputs.limits.steps = 1);
        assert_eq!(checked(&trace, &endless), (vec!["open"], 0));
    }

    /// Invocations in lockstep have the same outcome without the barrier by chance.
    #[test]
    fn a_removed_barrier_is_a_race() {
        let text = BARRIER;
        let before = parse(text);
        assert!(before.diags.is_empty(), "{:?}\n{text}", before.diags);
        let lines = text.lines().filter(|line| !line.contains("barrier"));
        let after = parse(&lines.map(|line| format!("{line}\n")).collect::<String>());
        let trials = trials(&before.module, 0, 2);
        assert_eq!(same(&before.module, &before.module, &trials[0], Tolerance::default()), Some(true));
        let expected = Expected::of(&before.module, &trials[0]).unwrap();
        let difference = expected.differs(&after.module, Tolerance::default()).unwrap_or_default();
        assert!(difference.contains("U050"), "{difference}");
    }

    #[test]
    fn differences_that_flags_allow_are_none() {
        let program = |flag: &str| {
            format!(
                "func @0(%0: b32) -> b32 tree {{\n^0:\n  %1: b32 = const 0.0\n  %2: b32 = fadd{flag} %0, %1\n  return %2\n}}\n"
            )
        };
        for (flag, is_allowed) in [("", false), (" nsz", true), (" contract", true), (" nnan", false)] {
            let text = program(flag);
            let version =
                |text: &str| runnable(&parse(text).module, Invocations::Many).expect("it can be run");
            let (before, after) = (version(&text), version(&text.replace("return %2", "return %0")));
            let trials = trials(&before, 0, 8);
            let expected: Vec<Expected<'_>> =
                trials.iter().filter_map(|trial| Expected::of(&before, trial).ok()).collect();
            let differs = expected.iter().any(|it| it.differs(&after, Tolerance::default()).is_some());
            assert_eq!((expected.is_empty(), differs), (false, !is_allowed), "{flag}");
        }
    }
}

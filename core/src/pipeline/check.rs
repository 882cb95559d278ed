//! Does every pass keep what the shader computes? Runs each version of a trace and compares it with the input.
//!
//! ```text
//! Trials (entry point × inputs) ──► the input's outcomes ──► each version that differs from the one before it
//!                                                            ──► Same | Differs(first difference) | Refused
//! ```
//!
//! One step of a [`Checker`] is one run, so that a caller can show how far it is, and stop.
//!
//! A trial says nothing where the input itself is lost: it does not come to its end, or its control flow or its
//! addresses hang on undefined values. Such trials are counted and named, never passed over in silence. What the
//! input leaves undefined may be anything after a pass.
//!
//! Where a shader has barriers, races are looked for, and one that only a later version has is a difference: lanes in
//! lock step would hide it otherwise.
//!
//! Refuses to judge speed or size: `stats` does.

use super::trace::{Outcome as StepOutcome, Trace};
use crate::interp::{Bytes, Difference, Inputs, Limits, Outcome, UbKind, can_run, run, seeded};
use crate::ir::{Diag, Module};
use crate::ops::{GroupOp, Op};
use std::borrow::Cow;
use std::fmt;

/// How many times the steps of the input a later version may take.
const SLACK: u64 = 64;

/// One run to be repeated on every version.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What it is called: the seed or the file of the case.
    pub name: String,
    /// The entry point, by its number in the module.
    pub entry: usize,
    /// What it is run on.
    pub inputs: Inputs,
}

/// Trials made up from seeds: `runs` of each entry point that can be run, with seeds from `seed` on.
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

/// Inputs of a trial that is made up.
pub(super) fn made_up(module: &Module, entry: usize, seed: u64) -> Inputs {
    let mut barriers = false;
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| barriers |= body.inst(inst).op == Op::Group(GroupOp::Barrier));
    }
    Inputs { races: barriers, ..seeded(module, entry, seed) }
}

/// What is known of a version.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It was not looked at yet, or no trial says anything about it.
    Open,
    /// It is the version before it; so is what it computes.
    Unchanged,
    /// Every trial leaves what it left before the first pass.
    Same,
    /// A trial leaves something else.
    Differs {
        /// The number of the trial.
        trial: usize,
        /// What differs first.
        difference: Difference,
    },
    /// A trial cannot be run any more.
    Refused {
        /// The number of the trial.
        trial: usize,
        /// Why.
        why: Diag,
    },
    /// The pass failed, or left a program that is not valid.
    Broken,
}

impl Verdict {
    /// Whether the version does not do what the input does.
    pub fn is_wrong(&self) -> bool {
        match self {
            Verdict::Differs { .. } | Verdict::Refused { .. } | Verdict::Broken => true,
            Verdict::Open | Verdict::Unchanged | Verdict::Same => false,
        }
    }

    /// One word for it.
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

/// Why a trial says nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum Mute {
    /// The input cannot be run on it.
    Refused(Diag),
    /// The input does not come to its end.
    Endless,
    /// The input does what may go anyhow.
    Undefined(UbKind),
}

impl fmt::Display for Mute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mute::Refused(why) => f.write_str(&why.message()),
            Mute::Endless => f.write_str("the input does not come to its end"),
            Mute::Undefined(flaw) => write!(f, "{}: {}", flaw.code(), flaw.says()),
        }
    }
}

/// What two outcomes may differ in and still count as the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tolerance {
    /// Units in the last place of 32-bit floats; 0 for bit for bit.
    pub ulp: u32,
}

/// What the input does on each trial, and whether another version does the same.
pub(super) struct Judge<'t> {
    input: Cow<'t, Module>,
    pub(super) trials: Cow<'t, [Trial]>,
    tolerance: Tolerance,
    /// The input's outcomes, or why there is none to compare with.
    before: Vec<Result<Outcome, Mute>>,
}

impl<'t> Judge<'t> {
    pub(super) fn new(input: &'t Module, trials: &'t [Trial], tolerance: Tolerance) -> Judge<'t> {
        Judge::of(Cow::Borrowed(input), Cow::Borrowed(trials), tolerance)
    }

    pub(super) fn of(input: Cow<'t, Module>, trials: Cow<'t, [Trial]>, tolerance: Tolerance) -> Judge<'t> {
        Judge { input, trials, tolerance, before: Vec::new() }
    }

    /// Runs the input on the next trial. False if it was run on all.
    pub(super) fn learn(&mut self) -> bool {
        let Some(trial) = self.trials.get(self.before.len()) else { return false };
        self.before.push(outcome_of(&self.input, trial));
        true
    }

    /// Whether any trial says anything of the input.
    pub(super) fn knows_any(&self) -> bool {
        self.before.iter().any(Result::is_ok)
    }

    /// What is wrong with a version on a trial, if anything is; none too where the trial says nothing.
    pub(super) fn judge(&self, version: &Module, number: usize) -> Option<Verdict> {
        let (Some(Ok(before)), Some(trial)) = (self.before.get(number), self.trials.get(number)) else {
            return None;
        };
        let after = match outcome_after(version, trial) {
            Ok(after) => after,
            Err(why) => return Some(Verdict::Refused { trial: number, why }),
        };
        let difference = first_difference(before, &after, self.tolerance)?;
        Some(Verdict::Differs { trial: number, difference })
    }
}

/// Compares the versions of a trace, run by run.
pub struct Checker<'t> {
    trace: Cow<'t, Trace>,
    judge: Judge<'t>,
    verdicts: Vec<Verdict>,
    /// The version and the trial that are next.
    at: (usize, usize),
    /// Runs compared so far.
    pub compared: u64,
}

impl<'t> Checker<'t> {
    /// One that has done nothing yet.
    pub fn new(trace: &'t Trace, trials: &'t [Trial], tolerance: Tolerance) -> Checker<'t> {
        let verdicts = vec![Verdict::Open; trace.steps.len()];
        let judge = Judge::new(&trace.input, trials, tolerance);
        Checker { trace: Cow::Borrowed(trace), judge, verdicts, at: (0, 0), compared: 0 }
    }

    /// One that owns what it needs: for those who come back to it later. A trace is cheap to clone.
    pub fn owned(trace: Trace, trials: Vec<Trial>, tolerance: Tolerance) -> Checker<'static> {
        let verdicts = vec![Verdict::Open; trace.steps.len()];
        let judge = Judge::of(Cow::Owned(trace.input.clone()), Cow::Owned(trials), tolerance);
        Checker { trace: Cow::Owned(trace), judge, verdicts, at: (0, 0), compared: 0 }
    }

    /// The runs that are repeated.
    pub fn trials(&self) -> &[Trial] {
        &self.judge.trials
    }

    /// The step that is looked at now, by number from 0; none while the input is run, and at the end.
    pub fn current(&self) -> Option<usize> {
        let is_running =
            self.judge.before.len() >= self.judge.trials.len() && self.at.0 < self.verdicts.len();
        is_running.then_some(self.at.0)
    }

    /// What is known of each step's version.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Trials that say nothing, by number, and why.
    pub fn mute(&self) -> impl Iterator<Item = (usize, &Mute)> {
        let each = self.judge.before.iter().enumerate();
        each.filter_map(|(trial, before)| before.as_ref().err().map(|why| (trial, why)))
    }

    /// The first step whose version is wrong, by number from 0.
    pub fn first_wrong(&self) -> Option<usize> {
        self.verdicts.iter().position(Verdict::is_wrong)
    }

    /// Runs done and runs there are at most.
    pub fn progress(&self) -> (usize, usize) {
        let width = self.judge.trials.len().max(1);
        let done = self.judge.before.len() + self.at.0 * width + self.at.1;
        (done, width * (self.verdicts.len() + 1))
    }

    /// One run, or the next version if there is nothing to run of this one. False at the end.
    pub fn step(&mut self) -> bool {
        if self.judge.learn() {
            return true;
        }
        let (version, number) = self.at;
        let Some(step) = self.trace.steps.get(version) else { return false };
        let verdict = match (&step.outcome, self.judge.trials.get(number)) {
            (StepOutcome::Failed(_) | StepOutcome::Invalid(_), _) => Some(Verdict::Broken),
            (StepOutcome::Unchanged, _) => Some(Verdict::Unchanged),
            (StepOutcome::Changed, None) if self.judge.knows_any() => Some(Verdict::Same),
            // Where every trial is mute, nothing is known: that is not the same as all being well.
            (StepOutcome::Changed, None) => Some(Verdict::Open),
            (StepOutcome::Changed, Some(_)) => {
                self.compared += u64::from(matches!(self.judge.before.get(number), Some(Ok(_))));
                self.judge.judge(&step.version, number)
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

/// What a trial leaves of a module; why there is nothing to compare with otherwise.
fn outcome_of(module: &Module, trial: &Trial) -> Result<Outcome, Mute> {
    let mut outcome = run(module, trial.entry, &trial.inputs).map_err(Mute::Refused)?;
    // Where nothing is bound nothing is left.
    outcome.buffers.retain(|(slot, _), _| trial.inputs.buffers.contains_key(slot));
    outcome.images.retain(|(slot, _), _| trial.inputs.images.contains_key(slot));
    match mute_of(&outcome) {
        Some(mute) => Err(mute),
        None => Ok(outcome),
    }
}

/// Why nothing can be compared with an outcome, if that is so.
pub fn mute_of(outcome: &Outcome) -> Option<Mute> {
    // After these, anything may happen; other flaws have an answer that passes keep.
    let open =
        [UbKind::UndefControl, UbKind::UndefAddress, UbKind::Unreachable, UbKind::Assumption, UbKind::Race];
    let flaw = outcome.reports.list().iter().map(|report| report.flaw).find(|flaw| open.contains(flaw));
    match flaw {
        Some(flaw) => Some(Mute::Undefined(flaw)),
        None => (!outcome.is_complete()).then_some(Mute::Endless),
    }
}

/// What a trial leaves of a later version, which may take its time: a dispatch loop takes many steps for a way.
fn outcome_after(version: &Module, trial: &Trial) -> Result<Outcome, Diag> {
    let limits = Limits { steps: trial.inputs.limits.steps.saturating_mul(SLACK), ..trial.inputs.limits };
    let inputs = Inputs { limits, ..trial.inputs.clone() };
    let mut outcome = run(version, trial.entry, &inputs)?;
    // A run tells of memory that the program names. What a version no longer names holds what it held.
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
    Ok(outcome)
}

/// What a module leaves of a trial, to compare any number of others with.
#[derive(Clone, Debug)]
pub struct Expected<'t> {
    trial: &'t Trial,
    outcome: Outcome,
}

impl<'t> Expected<'t> {
    /// Runs a module on a trial. Errors: why the trial says nothing of it.
    pub fn of(module: &Module, trial: &'t Trial) -> Result<Expected<'t>, Mute> {
        Ok(Expected { trial, outcome: outcome_of(module, trial)? })
    }

    /// How another module differs, in words, if it does.
    pub fn differs(&self, after: &Module, tolerance: Tolerance) -> Option<String> {
        match outcome_after(after, self.trial) {
            Ok(after) => first_difference(&self.outcome, &after, tolerance).map(|found| found.to_string()),
            Err(why) => Some(format!("it cannot be run any more: {why}")),
        }
    }

    /// Instructions that were run.
    pub fn work(&self) -> u64 {
        self.outcome.work.0
    }
}

/// Whether two modules do the same on a trial. None where the trial says nothing of the first.
pub fn same(before: &Module, after: &Module, trial: &Trial, tolerance: Tolerance) -> Option<bool> {
    Some(Expected::of(before, trial).ok()?.differs(after, tolerance).is_none())
}

/// The first difference that is beyond the tolerance.
fn first_difference(before: &Outcome, after: &Outcome, tolerance: Tolerance) -> Option<Difference> {
    let first = before.first_difference(after).or_else(|| new_flaw(before, after))?;
    if tolerance.ulp == 0 {
        return Some(first);
    }
    // What is near enough is taken over, and the rest compared bit for bit.
    let mut near = after.clone();
    for (invocation, lane) in &mut near.lanes {
        let Some(old) = before.lanes.get(invocation) else { continue };
        for (key, value) in &mut lane.outputs {
            let (Some(old), Some(new)) = (old.outputs.get(key).copied().flatten(), *value) else { continue };
            if is_near(old as u32, new as u32, tolerance.ulp) {
                *value = Some(old);
            }
        }
    }
    for (slot, memory) in &mut near.buffers {
        let Some(old) = before.buffers.get(slot) else { continue };
        let words = memory.bytes.as_chunks_mut().0.iter_mut().zip(old.bytes.as_chunks().0);
        for (new, old) in words {
            if is_near(u32::from_le_bytes(*old), u32::from_le_bytes(*new), tolerance.ulp) {
                *new = *old;
            }
        }
    }
    before.first_difference(&near).or_else(|| new_flaw(before, after))
}

/// What only the second run does, of what lanes that do not run in lock step would come to grief by.
fn new_flaw(before: &Outcome, after: &Outcome) -> Option<Difference> {
    let grave = [UbKind::Race, UbKind::PartialBarrier];
    let mut reports = after.reports.list().iter();
    let new = |flaw: UbKind| grave.contains(&flaw) && before.reports.find(flaw).is_none();
    let report = reports.find(|report| new(report.flaw))?;
    Some(Difference::UbKind { flaw: report.flaw, invocation: report.invocation })
}

/// Whether two 32-bit floats are so many steps apart at most. A NaN is near a NaN only.
fn is_near(a: u32, b: u32, ulp: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    // Bits of floats in the order of their numbers.
    let order = |bits: u32| match bits >> 31 {
        0 => i64::from(bits),
        _ => -i64::from(bits & 0x7fff_ffff),
    };
    (order(a) - order(b)).unsigned_abs() <= u64::from(ulp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{Pipeline, Settings};
    use crate::text::parse;

    const STORE: &str = include_str!("../../../www/examples/particles.spvasm");

    /// Each lane reads what its neighbour wrote.
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
        let words = crate::spirv::assemble(STORE, &crate::spirv::AsmOptions::default()).words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        crate::front::spirv::read(&bytes).module
    }

    fn checked(trace: &Trace, trials: &[Trial]) -> (Vec<&'static str>, u64) {
        let mut checker = Checker::new(trace, trials, Tolerance::default());
        let most = checker.progress().1;
        let mut steps = 0;
        while checker.step() {
            steps += 1;
            assert!(steps <= most + trace.steps.len(), "it ends");
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
        // A pass that adds where it should multiply.
        let text = crate::text::print_module(&trace.steps[0].version).replace(" = fmul ", " = fadd ");
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
    fn where_no_trial_says_anything_nothing_is_said() {
        let module = module();
        let trace = Pipeline::parse("structurize").unwrap().trace(&module, Settings::default());
        assert_eq!(checked(&trace, &[]), (vec!["open"], 0));
        let mut endless = trials(&module, 1, 1);
        endless.iter_mut().for_each(|trial| trial.inputs.limits.steps = 1);
        assert_eq!(checked(&trace, &endless), (vec!["open"], 0));
    }

    /// Lanes in lock step leave the same without the barrier; that is luck.
    #[test]
    fn a_barrier_that_is_gone_is_a_race() {
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
    fn floats_are_near_by_steps() {
        let one = 1.0f32.to_bits();
        assert!(is_near(one, one + 2, 2) && !is_near(one, one + 3, 2));
        assert!(is_near(0, 0x8000_0000, 1), "both zeros");
        assert!(is_near(1, 0x8000_0001, 2) && !is_near(1, 0x8000_0002, 2));
        assert!(!is_near(f32::NAN.to_bits(), one, u32::MAX));
    }
}

//! The engine of a comparison. One step of a [`Comparer`] is one run, so that a caller can show progress and stop.
//!
//! ```text
//! Learn      the first stage, on every trial
//! Stages     every other stage, on every trial, until it differs
//! Confirm    the first that differs, and its predecessor, on further seeds if necessary
//! Explain    the store or branch that parts the two
//! ```
//!
//! A stage whose runs depend on undefined values, unlike those of the first stage, runs again with other bits for them.
//!
//! Refuses to choose inputs by the code of a later stage: the first one alone decides them.

use super::allowed::{Allowance, Rounding};
use super::entries;
use super::judge::{Difference, Judge, Judged};
use super::parting::parting;
use super::stage::{Finding, Stage, Verdict};
use super::versions::{Version, Versions};
use crate::check::{Trial, add_untouched, inconclusive_of, made_up};
use vitrine_front::Dump;
use vitrine_front::InputKind;
use vitrine_interp::{Inputs, Limits, Outcome, UbKind, can_run, run, seeded_ordinary};
use vitrine_ir::Module;
use vitrine_pipeline::wrap::{Invocations, runnable};

/// Step limit of a later stage, as a multiple of the steps of the first one, and at least.
const SLACK: [u64; 2] = [64, 1 << 18];
/// Seeds for the confirmation of a difference.
const MOST_SEEDS: u32 = 64;

/// The options of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Differences of floats up to this number of units in the last place are no differences.
    pub ulp: u32,
    /// Generated inputs for each entry point.
    pub trials: u32,
    /// The first seed.
    pub seed: u64,
    /// The entry point, by its name in the first stage; all of them if there is none.
    pub entry: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { ulp: 0, trials: 8, seed: 0, entry: None }
    }
}

/// The next run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Learn,
    /// A stage, and the position in the order of trials.
    Stages(usize, usize),
    /// The stage that differs, and the number of seeds tried.
    Confirm(usize, u32),
    Explain,
    Done,
}

/// The judgments of the trials of a stage.
#[derive(Default)]
struct Tally {
    compared: u32,
    rounding: Option<Rounding>,
    undefined: Option<String>,
    inconclusive: Option<String>,
}

/// Compares stages, run by run.
pub struct Comparer {
    settings: Settings,
    stages: Vec<Stage>,
    /// The trials, made from the first stage.
    trials: Vec<Trial>,
    /// The differences that each entry point of the first stage allows.
    allowances: Vec<Allowance>,
    /// The outcomes of the first stage, or the reasons why they say nothing. `true`: its behavior is undefined.
    expected: Vec<Result<Outcome, (String, bool)>>,
    /// Entry points of the first stage that are not run, with the reason.
    refused: Vec<(String, String)>,
    /// The trials in the order in which stages run them: one that showed a difference comes first.
    order: Vec<usize>,
    tally: Tally,
    phase: Phase,
    finding: Option<Finding>,
    /// Inputs of the finding.
    shown: Option<(usize, Inputs)>,
    runs: u64,
}

impl Comparer {
    /// Reads programs, and compares them with the first one.
    pub fn of_dumps(dumps: &[Dump], settings: Settings) -> Comparer {
        Comparer::of_versions(&Versions::read(dumps), settings)
    }

    /// Compares programs with the first one.
    pub fn of_versions(versions: &Versions, settings: Settings) -> Comparer {
        let of = |version: &Version| match (version.unchanged, version.error()) {
            (true, error) => {
                let module = error.is_none().then(|| version.module.clone());
                stage(&version.name, module, Verdict::Unchanged)
            }
            (false, Some(error)) => stage(&version.name, None, Verdict::Invalid(error.to_string())),
            (false, None) => stage(&version.name, Some(version.module.clone()), Verdict::Open),
        };
        Comparer::of_stages(versions.list.iter().map(of).collect(), versions.kind, settings)
    }

    /// Compares modules with the first one, which was read from this kind of input. A module that could not be made is
    /// its diagnostic.
    pub fn of_modules(
        modules: Vec<(String, Result<Module, String>)>,
        kind: InputKind,
        settings: Settings,
    ) -> Comparer {
        let stages = modules.into_iter().map(|(name, module)| match module {
            Ok(module) => stage(&name, Some(module), Verdict::Open),
            Err(why) => stage(&name, None, Verdict::Invalid(why)),
        });
        Comparer::of_stages(stages.collect(), kind, settings)
    }

    fn of_stages(mut stages: Vec<Stage>, kind: InputKind, settings: Settings) -> Comparer {
        if let Some(first) = stages.first_mut().filter(|first| first.module.is_some()) {
            first.verdict = Verdict::Input;
        }
        let mut comparer = Comparer {
            settings,
            stages,
            trials: Vec::new(),
            allowances: Vec::new(),
            expected: Vec::new(),
            refused: Vec::new(),
            order: Vec::new(),
            tally: Tally::default(),
            phase: Phase::Learn,
            finding: None,
            shown: None,
            runs: 0,
        };
        comparer.prepare(kind);
        comparer.order = (0..comparer.trials.len()).collect();
        comparer
    }

    /// Makes the trials. Without entry points, functions are wrapped: for many invocations, or for one if none of those
    /// runs says anything.
    fn prepare(&mut self, kind: InputKind) {
        let Some(first) = self.first().cloned() else { return };
        if !first.entries.is_empty() {
            return self.make_trials(kind);
        }
        let unwrapped: Vec<Option<Module>> = self.stages.iter().map(|stage| stage.module.clone()).collect();
        for invocations in [Invocations::Many, Invocations::One] {
            for (stage, module) in self.stages.iter_mut().zip(&unwrapped) {
                // A stage that cannot be wrapped has no entry point, which is reported.
                stage.module = module
                    .as_ref()
                    .map(|module| runnable(module, invocations).unwrap_or_else(|_| module.clone()));
            }
            self.refused.clear();
            self.make_trials(kind);
            for trial in self.trials.iter_mut().filter(|_| invocations == Invocations::One) {
                trial.inputs.groups = [1; 3];
            }
            let Some(first) = self.first() else { return };
            if self.trials.iter().any(|trial| expected(first, trial).is_ok()) {
                return;
            }
        }
        if let Err(why) = runnable(&first, Invocations::Many) {
            self.refused.push(("the program".to_owned(), why));
        }
    }

    fn make_trials(&mut self, kind: InputKind) {
        let (mut trials, mut refused) = (Vec::new(), Vec::new());
        let Some(module) = self.first() else { return };
        let allowances: Vec<Allowance> = (0..module.entries.len())
            .map(|entry| Allowance::of(module, kind, entry, self.settings.ulp))
            .collect();
        for (entry, allowance) in allowances.iter().enumerate() {
            let Some(point) = module.entries.get(entry) else { continue };
            let name = module.text_of(point.name);
            if self.settings.entry.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            if let Err(why) = can_run(module, point.func) {
                refused.push((name.to_owned(), why.to_string()));
                continue;
            }
            let seeds = (0..u64::from(self.settings.trials)).map(|run| self.settings.seed.wrapping_add(run));
            trials.extend(seeds.map(|seed| generated(module, entry, seed, *allowance)));
        }
        (self.trials, self.refused, self.allowances) = (trials, refused, allowances);
    }

    fn first(&self) -> Option<&Module> {
        self.stages.first()?.module.as_ref()
    }

    /// The stages, with the verdicts so far.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The trials.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Entry points of the first stage that are not run, with the reason.
    pub fn refused(&self) -> &[(String, String)] {
        &self.refused
    }

    /// Trials that say nothing, by number, with the reason.
    pub fn inconclusive(&self) -> impl Iterator<Item = (usize, &str)> {
        let each = self.expected.iter().enumerate();
        each.filter_map(|(trial, expected)| expected.as_ref().err().map(|(why, _)| (trial, why.as_str())))
    }

    /// The first stage that differs, in detail; `None` before the end, and if none differs.
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_ref().filter(|_| self.phase == Phase::Done)
    }

    /// The entry point of the first stage that the finding is about, and the inputs that show it.
    pub fn shown(&self) -> Option<(usize, &Inputs)> {
        self.finding()?;
        self.shown.as_ref().map(|(entry, inputs)| (*entry, inputs))
    }

    /// Number of completed runs, and the maximum number of runs without those of the confirmation.
    pub fn progress(&self) -> (u64, u64) {
        let open =
            self.stages.iter().filter(|stage| stage.module.is_some() && stage.verdict != Verdict::Unchanged);
        (self.runs, open.count() as u64 * self.trials.len() as u64)
    }

    /// The stage that is being compared, or confirmed.
    pub fn current(&self) -> Option<usize> {
        match self.phase {
            Phase::Learn | Phase::Done => None,
            Phase::Stages(stage, _) | Phase::Confirm(stage, _) => Some(stage),
            Phase::Explain => self.finding.as_ref().map(|finding| finding.stage),
        }
    }

    /// Performs one run. Returns false at the end.
    pub fn step(&mut self) -> bool {
        match self.phase {
            Phase::Learn => self.learn(),
            Phase::Stages(stage, position) => self.run_stage(stage, position),
            Phase::Confirm(stage, seeds) => self.confirm(stage, seeds),
            Phase::Explain => self.explain(),
            Phase::Done => return false,
        }
        true
    }

    fn learn(&mut self) {
        let next = self.trials.get(self.expected.len());
        match (self.first(), next) {
            (Some(first), Some(trial)) => {
                let expected = expected(first, trial);
                self.expected.push(expected);
                self.runs += 1;
            }
            _ => self.phase = Phase::Stages(1, 0),
        }
    }

    fn run_stage(&mut self, number: usize, position: usize) {
        let Some(stage) = self.stages.get(number) else {
            self.phase = self.first_wrong().map_or(Phase::Done, |stage| Phase::Confirm(stage, 0));
            return;
        };
        let trial = self.order.get(position).copied();
        if stage.verdict != Verdict::Open {
            self.phase = Phase::Stages(number + 1, 0);
            return;
        }
        if self.first().is_none() {
            return self
                .conclude(number, Verdict::Inconclusive("the first program cannot be read".to_owned()));
        }
        if position == 0 {
            self.note_interface(number);
        }
        let Some(trial) = trial else {
            let verdict = self.verdict_of_tally();
            return self.conclude(number, verdict);
        };
        match self.judged(0, number, trial) {
            Ok(Judged::Differs(difference)) => {
                self.tally.compared += 1;
                self.order.retain(|&other| other != trial);
                self.order.insert(0, trial);
                return self.conclude(number, Verdict::Differs { trial, difference: Box::new(difference) });
            }
            Ok(judged) => {
                self.tally.compared += 1;
                match judged {
                    Judged::Rounded(rounding) => self.tally.rounding.get_or_insert_default().join(&rounding),
                    Judged::Undefined(why) => drop(self.tally.undefined.get_or_insert(why)),
                    Judged::Same | Judged::Differs(_) => {}
                }
            }
            Err(why) => drop(self.tally.inconclusive.get_or_insert(why)),
        }
        self.phase = Phase::Stages(number, position + 1);
    }

    fn conclude(&mut self, number: usize, verdict: Verdict) {
        let compared = std::mem::take(&mut self.tally).compared;
        if let Some(stage) = self.stages.get_mut(number) {
            (stage.verdict, stage.compared) = (verdict, compared);
        }
        self.phase = Phase::Stages(number + 1, 0);
    }

    fn verdict_of_tally(&self) -> Verdict {
        let tally = &self.tally;
        let undefined = self
            .expected
            .iter()
            .filter_map(|expected| expected.as_ref().err())
            .find(|(_, undefined)| *undefined);
        match (&tally.undefined, &tally.rounding, tally.compared) {
            (Some(why), ..) => Verdict::Undefined(why.clone()),
            (None, Some(rounding), _) => Verdict::Rounding(rounding.clone()),
            (None, None, 1..) => Verdict::Same,
            (None, None, 0) => match (&tally.inconclusive, undefined, self.refused.first()) {
                (_, Some((why, _)), _) => Verdict::Undefined(why.clone()),
                (Some(why), ..) => Verdict::Inconclusive(why.clone()),
                (None, None, Some((entry, why))) => {
                    Verdict::Inconclusive(format!("{entry} is not run: {why}"))
                }
                (None, None, None) => Verdict::Inconclusive("there is nothing to run".to_owned()),
            },
        }
    }

    fn note_interface(&mut self, number: usize) {
        let (Some(first), Some(version)) =
            (self.first(), self.stages.get(number).and_then(|stage| stage.module.as_ref()))
        else {
            return;
        };
        let mut all: Vec<String> = Vec::new();
        for entry in 0..first.entries.len() {
            if let Ok(other) = entries::corresponding(first, entry, version) {
                all.extend(entries::changes((first, entry), (version, other)));
            }
        }
        all.sort();
        all.dedup();
        if let Some(stage) = self.stages.get_mut(number) {
            stage.interface = all;
        }
    }

    /// The judgment of a stage against another one on a trial. Errors: the reason why there is none.
    fn judged(&mut self, before: usize, after: usize, trial: usize) -> Result<Judged, String> {
        let known = self.expected.get(trial).ok_or("the trial was not run")?;
        let trial = self.trials.get(trial).ok_or("the trial does not exist")?;
        let outcome = match before {
            0 => known.as_ref().map_err(|(why, _)| why.clone())?.clone(),
            _ => self.outcome(before, trial)?,
        };
        self.runs += 1;
        self.judged_on(&outcome, after, trial)
    }

    /// Judges the outcome of a stage against a known one. The first stage gives names and types.
    fn judged_on(&self, before: &Outcome, after: usize, trial: &Trial) -> Result<Judged, String> {
        let module = self.first().ok_or("the first program cannot be read")?;
        let allowance = self.allowances.get(trial.entry).copied().unwrap_or_default();
        let judge = Judge { module, entry: trial.entry, inputs: &trial.inputs, allowance };
        let outcome = self.outcome_within(after, trial, before.work.0)?;
        let judged = judge.judge(before, &outcome);
        let depends = [UbKind::UndefControl, UbKind::UndefAddress];
        let is_new = |&ub: &UbKind| outcome.reports.find(ub).is_some() && before.reports.find(ub).is_none();
        if matches!(judged, Judged::Differs(_)) || !depends.iter().any(is_new) {
            return Ok(judged);
        }
        // The results are equal, perhaps by chance.
        let inputs = Inputs { undefined_ones: true, ..trial.inputs.clone() };
        let again = Trial { inputs, ..trial.clone() };
        let outcome = self.outcome_within(after, &again, before.work.0)?;
        match judge.judge(before, &outcome) {
            Judged::Differs(difference) => Ok(Judged::Differs(Difference {
                name: format!("{}, which depends on an undefined value", difference.name),
                ..difference
            })),
            Judged::Same | Judged::Rounded(_) | Judged::Undefined(_) => Ok(judged),
        }
    }

    /// The outcome of a stage that takes the place of the first one. Errors: the reason why it says nothing.
    fn outcome(&self, stage: usize, trial: &Trial) -> Result<Outcome, String> {
        let outcome = self.outcome_within(stage, trial, trial.inputs.limits.steps)?;
        match inconclusive_of(&outcome) {
            None => Ok(outcome),
            Some(why) => Err(why.to_string()),
        }
    }

    /// The outcome of a stage; `steps` are those of the program that it is compared with.
    fn outcome_within(&self, stage: usize, trial: &Trial, steps: u64) -> Result<Outcome, String> {
        let first = self.first().ok_or("the first program cannot be read")?;
        let module = self.stages.get(stage).and_then(|stage| stage.module.as_ref());
        let module = module.ok_or("the program cannot be read")?;
        let entry = entries::corresponding(first, trial.entry, module)?;
        let [slack, least] = SLACK;
        let limits = Limits { steps: steps.saturating_mul(slack).max(least), ..trial.inputs.limits };
        let inputs = Inputs { limits, ..trial.inputs.clone() };
        let mut outcome = run(module, entry, &inputs).map_err(|diag| diag.to_string())?;
        let limits = [UbKind::DeepCalls, UbKind::OutOfMemory];
        if let Some(ub) = limits.into_iter().find(|&ub| outcome.reports.find(ub).is_some()) {
            return Err(format!("{}: {}", ub.code(), ub.says()));
        }
        add_untouched(&mut outcome, &inputs);
        Ok(outcome)
    }

    fn first_wrong(&self) -> Option<usize> {
        self.stages.iter().position(|stage| matches!(stage.verdict, Verdict::Differs { .. }))
    }

    /// Runs the first stage that differs and its predecessor on the trial that shows the difference, then on further
    /// seeds.
    fn confirm(&mut self, stage: usize, seeds: u32) {
        let Some(Stage { verdict: Verdict::Differs { trial, difference }, .. }) = self.stages.get(stage)
        else {
            self.phase = Phase::Done;
            return;
        };
        let (shown, difference) = (*trial, (**difference).clone());
        let is_usable = |stage: &Stage| {
            matches!(
                stage.verdict,
                Verdict::Input | Verdict::Same | Verdict::Rounding(_) | Verdict::Undefined(_)
            )
        };
        let before = self.stages.iter().take(stage).rposition(is_usable).unwrap_or(0);
        let Some(first) = self.trials.get(shown).cloned() else { return };
        let found = |against: usize,
                     confirmed: bool,
                     trial: &Trial,
                     difference: Difference,
                     module: Option<&Module>| Finding {
            stage,
            against,
            confirmed,
            seeds,
            entry: module
                .and_then(|module| Some(module.text_of(module.entries.get(trial.entry)?.name).to_owned()))
                .unwrap_or_default(),
            trial: trial.name.clone(),
            difference,
            parting: Err("it was not looked for".to_owned()),
        };
        let is_last = seeds > MOST_SEEDS;
        if before == 0 || is_last {
            self.finding = Some(found(0, before == 0, &first, difference, self.first()));
            self.shown = Some((first.entry, first.inputs));
            self.phase = Phase::Explain;
            return;
        }
        let trial = match (seeds, self.first()) {
            (1.., Some(module)) => {
                let seed = self
                    .settings
                    .seed
                    .wrapping_add(u64::from(self.settings.trials))
                    .wrapping_add(u64::from(seeds - 1));
                let allowance = self.allowances.get(first.entry).copied().unwrap_or_default();
                generated(module, first.entry, seed, allowance)
            }
            _ => first,
        };
        self.runs += 2;
        let judged = self.outcome(before, &trial).and_then(|outcome| self.judged_on(&outcome, stage, &trial));
        match judged {
            Ok(Judged::Differs(difference)) => {
                self.finding = Some(found(before, true, &trial, difference, self.first()));
                self.shown = Some((trial.entry, trial.inputs));
                self.phase = Phase::Explain;
            }
            Ok(Judged::Same | Judged::Rounded(_) | Judged::Undefined(_)) | Err(_) => {
                self.phase = Phase::Confirm(stage, seeds + 1);
            }
        }
    }

    fn explain(&mut self) {
        self.phase = Phase::Done;
        let (Some(finding), Some((entry, inputs))) = (&self.finding, &self.shown) else { return };
        let Some(first) = self.first() else { return };
        let program = |stage: usize| {
            let module = self
                .stages
                .get(stage)
                .and_then(|stage| stage.module.as_ref())
                .ok_or("the program cannot be read")?;
            Ok::<_, String>((module, entries::corresponding(first, *entry, module)?))
        };
        let found = program(finding.against)
            .and_then(|before| parting([before, program(finding.stage)?], inputs, &finding.difference));
        if let Some(finding) = &mut self.finding {
            finding.parting = found;
        }
    }
}

fn stage(name: &str, module: Option<Module>, verdict: Verdict) -> Stage {
    Stage { name: name.to_owned(), module, verdict, interface: Vec::new(), compared: 0 }
}

/// A trial of the first stage. Programs that need not preserve infinities and NaN get no such inputs.
fn generated(module: &Module, entry: usize, seed: u64, allowance: Allowance) -> Trial {
    let name = module.entries.get(entry).map_or("", |entry| module.text_of(entry.name));
    let mut inputs = made_up(module, entry, seed);
    if allowance.specials {
        inputs = Inputs { races: inputs.races, ..seeded_ordinary(module, entry, seed) };
    }
    Trial { name: format!("{name}, seed {seed}"), entry, inputs }
}

/// The outcome of the first stage; otherwise the reason why it says nothing, and `true` if its behavior is undefined.
fn expected(module: &Module, trial: &Trial) -> Result<Outcome, (String, bool)> {
    let mut outcome = run(module, trial.entry, &trial.inputs).map_err(|diag| (diag.to_string(), false))?;
    add_untouched(&mut outcome, &trial.inputs);
    match inconclusive_of(&outcome) {
        None => Ok(outcome),
        Some(why) => {
            let is_undefined = matches!(why, crate::check::Inconclusive::Undefined(_));
            Err((why.to_string(), is_undefined))
        }
    }
}

//! `vitrine check`: tests that every pass of a pipeline preserves the results of the shader. Prints a table
//! of steps, and the first wrong one.
//!
//! Functions of a program without entry points are called by generated ones. Nothing is skipped silently: entry
//! points that cannot be run and inconclusive trials are listed with the reason. Refuses to compare results with
//! anything but those of the input: `exec --case` checks expected results.

use super::exec::read_case;
use super::input::{self, Program};
use super::{Common, Stop, json as to_json};
use serde_json::{Value, json};
use std::path::PathBuf;
use vitrine_core::interp::can_run;
use vitrine_core::ir::{Diag, Func, Module};
use vitrine_core::lab::check::{Checker, Expected, Inconclusive, Tolerance, Trial, Verdict, trials};
use vitrine_core::pipeline::wrap::{Invocations, runnable};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings, Trace, TraceStep};

/// Run every version of a program and compare their results
#[derive(clap::Args)]
pub(crate) struct Check {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    with: With,
    /// Print the table as JSON; `inconclusive` lists the trials that compare nothing, with their reasons
    #[arg(long)]
    json: bool,
}

/// The inputs of the versions, and the tolerance.
#[derive(clap::Args)]
pub(crate) struct With {
    /// A case: the inputs to use
    #[arg(long, value_name = "JSON", conflicts_with_all = ["seed", "runs"])]
    pub(crate) case: Option<PathBuf>,
    /// Generate inputs for the program from this number on, if there is no case
    #[arg(long, default_value = "0")]
    pub(crate) seed: u64,
    /// The number of inputs to generate for each entry point
    #[arg(long, value_name = "K", default_value = "8")]
    pub(crate) runs: u32,
    /// Run only this entry point, by name; by default all of them
    #[arg(long, value_name = "NAME", conflicts_with = "case")]
    pub(crate) entry: Option<String>,
    /// Accept a difference of this many units in the last place of 32-bit floats
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) ulp: u32,
    /// Run every pixel of a case, not only the compared ones
    #[arg(long, requires = "case")]
    pub(crate) all_pixels: bool,
}

impl With {
    pub(crate) fn tolerance(&self) -> Tolerance {
        Tolerance { ulp: self.ulp }
    }

    /// The unchanged program, the runs to repeat on every version, and the versions.
    pub(crate) fn traced(&self, common: &Common) -> Result<(Program, Vec<Trial>, Trace), Stop> {
        // No step runs while reading: each result is compared.
        let mut program = input::read_steps(common, Some(0))?;
        program.verdict()?;
        let pipeline = Pipeline::parse(&program.pipeline).map_err(|diag| Stop::Misused(diag.to_string()))?;
        if pipeline.is_empty() {
            return Err(Stop::Misused("there is nothing to run: use --pipeline".to_owned()));
        }
        let trials = match self.wrapped(&program.module) {
            Some((module, trials)) => {
                program.module = module;
                trials
            }
            None => self.trials(&program.module)?,
        };
        let trace = pipeline.trace(&program.module, Settings::default());
        Ok((program, trials, trace))
    }

    /// A program without entry points as one that can be run, with the runs to repeat; `None` if it has entry points, or
    /// if no run would say anything. A single invocation runs if that is so for many.
    fn wrapped(&self, module: &Module) -> Option<(Module, Vec<Trial>)> {
        if !module.entries.is_empty() || self.case.is_some() || self.entry.is_some() {
            return None;
        }
        [Invocations::Many, Invocations::One].into_iter().find_map(|invocations| {
            let module = runnable(module, invocations).ok()?;
            let mut trials = trials(&module, self.seed, self.runs);
            for trial in trials.iter_mut().filter(|_| invocations == Invocations::One) {
                trial.inputs.groups = [1; 3];
            }
            let is_conclusive = trials.iter().any(|trial| Expected::of(&module, trial).is_ok());
            is_conclusive.then_some((module, trials))
        })
    }

    /// The runs to repeat on every version.
    pub(crate) fn trials(&self, module: &Module) -> Result<Vec<Trial>, Stop> {
        let Some(file) = &self.case else {
            let mut found = trials(module, self.seed, self.runs);
            if let Some(name) = &self.entry {
                let is_called =
                    |at: usize| module.entries.get(at).is_some_and(|e| module.text_of(e.name) == name);
                if !(0..module.entries.len()).any(is_called) {
                    return Err(Stop::Misused(format!("there is no entry point `{name}`")));
                }
                found.retain(|trial| is_called(trial.entry));
            }
            return Ok(found);
        };
        let case = read_case(file)?;
        let case_error = |sentence: String| Stop::Misused(format!("{}: {sentence}", file.display()));
        let entry = case.entry(module).map_err(case_error)?;
        let runs = case.runs(module, self.all_pixels).map_err(case_error)?;
        let count = runs.len();
        let name = |at: usize| match count {
            1 => file.display().to_string(),
            _ => format!("{}, run {at}", file.display()),
        };
        Ok(runs.into_iter().enumerate().map(|(at, inputs)| Trial { name: name(at), entry, inputs }).collect())
    }

    /// Selected entry points that cannot be run, with the reason.
    fn refused(&self, module: &Module) -> Vec<(String, Diag)> {
        let entries = module.entries.iter().map(|entry| (module.text_of(entry.name).to_owned(), entry.func));
        let selected = entries.filter(|(name, _)| self.entry.as_ref().is_none_or(|wanted| wanted == name));
        let refusal = |(name, func): (String, Func)| Some((name, can_run(module, func).err()?));
        selected.filter_map(refusal).collect()
    }
}

impl Check {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let (program, trials, trace) = self.with.traced(&self.common)?;
        let mut checker = Checker::new(&trace, &trials, self.with.tolerance());
        while checker.step() {}
        let found = Found {
            program: &program,
            trace: &trace,
            trials: &trials,
            checker: &checker,
            refused: self.with.refused(&program.module),
        };
        input::print(&if self.json { to_json::pretty(&found.json()) } else { found.table() });
        if found.is_good() { Ok(()) } else { Err(Stop::Diagnosed) }
    }
}

/// All findings.
struct Found<'f> {
    program: &'f Program,
    trace: &'f Trace,
    trials: &'f [Trial],
    checker: &'f Checker<'f>,
    refused: Vec<(String, Diag)>,
}

impl Found<'_> {
    /// Returns true if nothing is wrong and at least one trial of each changed version was conclusive.
    fn is_good(&self) -> bool {
        self.checker.first_wrong().is_none() && !self.is_open()
    }

    fn is_open(&self) -> bool {
        self.checker.verdicts().contains(&Verdict::Open)
    }

    fn table(&self) -> String {
        let rows: Vec<[String; 4]> = self.trace.steps.iter().enumerate().map(|row| self.row(row)).collect();
        let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (number, pass, verdict) = (wide(0), wide(1), wide(2));
        let mut out = String::new();
        for [at, name, says, size] in &rows {
            let line = format!("{at:>number$}  {name:pass$}  {says:verdict$}  {size}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push_str(&self.summary());
        out
    }

    fn row(&self, (at, step): (usize, &TraceStep)) -> [String; 4] {
        let verdict = self.checker.verdicts().get(at).map_or("open", Verdict::name);
        let size = match step.outcome {
            Outcome::Unchanged => String::new(),
            Outcome::Changed | Outcome::Failed(_) | Outcome::Invalid(_) => {
                format!("{} instructions", step.stats.insts)
            }
        };
        [(at + 1).to_string(), step.text(), verdict.to_owned(), size]
    }

    fn summary(&self) -> String {
        let mut out = String::new();
        let mut emit = |line: String| {
            out.push_str(&line);
            out.push('\n');
        };
        for (name, why) in &self.refused {
            emit(format!("{name} is not run: {why}"));
        }
        let inconclusive: Vec<_> = self.checker.inconclusive().collect();
        for (trial, why) in &inconclusive {
            let name = self.trials.get(*trial).map_or("", |trial| &trial.name);
            emit(format!("{name} is inconclusive: {why}"));
        }
        let title = &self.program.title;
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let changed = self.trace.steps.iter().filter(|step| step.outcome == Outcome::Changed).count();
        let summary = format!(
            "{} compared on {} of {}, {}",
            count(changed, "new version"),
            self.trials.len() - inconclusive.len(),
            count(self.trials.len(), "trial"),
            count(self.checker.compared as usize, "run"),
        );
        let verdict = match self.checker.first_wrong() {
            Some(wrong) => self.what_is_wrong(wrong),
            None if changed == 0 => "no pass changed anything".to_owned(),
            None if self.trials.is_empty() => {
                "no entry point can be run: the results cannot be compared".to_owned()
            }
            None if self.is_open()
                && inconclusive.iter().any(|(_, why)| matches!(why, Inconclusive::Undefined(_))) =>
            {
                "the behavior is undefined in the input: no pass is blamed".to_owned()
            }
            None if self.is_open() => "the results cannot be compared".to_owned(),
            None => "the results are the same".to_owned(),
        };
        emit(format!("{title}: {summary}: {verdict}"));
        out
    }

    /// The first wrong step, in words.
    fn what_is_wrong(&self, wrong: usize) -> String {
        let step = self.trace.steps.get(wrong);
        let pass = step.map(TraceStep::text).unwrap_or_default();
        let head = format!("step {}, `{pass}`, is the first wrong one", wrong + 1);
        let name = |trial: usize| self.trials.get(trial).map_or("", |trial| &trial.name);
        match (self.checker.verdicts().get(wrong), step.map(|step| &step.outcome)) {
            (Some(Verdict::Differs { trial, difference }), _) => {
                format!("{head}: {}: {difference}", name(*trial))
            }
            (Some(Verdict::Refused { trial, why }), _) => {
                format!("{head}: {}: it can no longer be run: {why}", name(*trial))
            }
            (_, Some(Outcome::Failed(diag))) => format!("{head}: it fails: {diag}"),
            (_, Some(Outcome::Invalid(diags))) => {
                let first = diags.first().map(ToString::to_string).unwrap_or_default();
                format!("{head}: its result is not valid: {first}")
            }
            (_, Some(Outcome::Changed | Outcome::Unchanged) | None) => head,
        }
    }

    fn json(&self) -> Value {
        let name = |trial: usize| self.trials.get(trial).map(|trial| trial.name.clone());
        let steps: Vec<Value> = self
            .trace
            .steps
            .iter()
            .zip(self.checker.verdicts())
            .enumerate()
            .map(|(at, (step, verdict))| {
                let (trial, says) = match verdict {
                    Verdict::Differs { trial, difference } => (name(*trial), Some(difference.to_string())),
                    Verdict::Refused { trial, why } => (name(*trial), Some(why.to_string())),
                    Verdict::Broken => (None, Some(self.what_is_wrong(at))),
                    Verdict::Open | Verdict::Unchanged | Verdict::Same => (None, None),
                };
                json!({
                    "step": at + 1,
                    "pass": step.text(),
                    "rounds": step.iterations,
                    "outcome": step.outcome.name(),
                    "verdict": verdict.name(),
                    "trial": trial,
                    "difference": says,
                    "instructions": step.stats.insts,
                })
            })
            .collect();
        let inconclusive: Vec<Value> = self
            .checker
            .inconclusive()
            .map(|(trial, why)| json!({ "trial": name(trial), "why": why.to_string() }))
            .collect();
        let refused: Vec<Value> =
            self.refused.iter().map(|(name, why)| json!({ "entry": name, "why": why.to_string() })).collect();
        json!({
            "file": self.program.title,
            "same": self.is_good(),
            "first_wrong": self.checker.first_wrong().map(|at| at + 1),
            "steps": steps,
            "trials": self.trials.len(),
            "inconclusive": inconclusive,
            "not_run": refused,
            "compared": self.checker.compared,
        })
    }
}

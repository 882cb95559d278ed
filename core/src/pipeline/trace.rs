//! What running a pipeline leaves for people to look at: a version for every step.
//!
//! A version is a whole module and costs a few spines of pointers: printer, layout and validator work on any
//! of them unchanged. Nothing is derived here; `diff` and `history` read a trace.

use super::diff::{self, ModuleDiff};
use super::skip::Skip;
use super::stats::Stats;
use crate::ir::{Diag, Diags, Func, Journal, Module};

/// A run of a pipeline.
#[derive(Clone, Debug)]
pub struct Trace {
    /// What it began with: version 0.
    pub input: Module,
    /// How large that is.
    pub stats: Stats,
    /// What ran, in order. Step `i` makes version `i + 1`.
    pub steps: Vec<TraceStep>,
    /// Groups that did not settle, and which passes kept them from it.
    pub notes: Diags,
}

/// A pass that ran.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// The pass.
    pub pass: &'static str,
    /// Its options as they would be written; empty where all are what is meant anyway.
    pub options: String,
    /// Which pass of the pipeline it is, among those that run in order of the text, from 0; presets written out.
    pub number: usize,
    /// The row of the pipeline's [`Outline`](super::Outline) that it comes from.
    pub row: usize,
    /// The round of each group around it, outermost first, from 0.
    pub rounds: Vec<u32>,
    /// The program after it. That of the step before, if it failed.
    pub version: Module,
    /// What happened to each function that differs, and why. Every difference is named.
    pub journals: Vec<(Func, Journal)>,
    /// Rewrites it did: units of fuel.
    pub rewrites: u64,
    /// How large the program is after it.
    pub stats: Stats,
    /// What came of it.
    pub outcome: Outcome,
    /// Why it did not run, where it did not; the program is what it was then.
    pub skipped: Option<Skip>,
    /// What it took by the clock that was passed in, in nanoseconds; 0 without one.
    pub nanos: u64,
}

/// What came of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program is what it was.
    Unchanged,
    /// The program differs, and is valid.
    Changed,
    /// The pass could not do its work.
    Failed(Diag),
    /// The pass left a program that is not valid; its version is kept, to be looked at.
    Invalid(Diags),
}

impl Outcome {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Unchanged => "unchanged",
            Outcome::Changed => "changed",
            Outcome::Failed(_) => "failed",
            Outcome::Invalid(_) => "invalid",
        }
    }
}

impl TraceStep {
    /// The pass and its options, as they would be written.
    pub fn text(&self) -> String {
        match self.options.is_empty() {
            true => self.pass.to_owned(),
            false => format!("{}{{{}}}", self.pass, self.options),
        }
    }
}

impl Trace {
    /// A trace in which nothing has run yet.
    pub fn of(input: &Module) -> Trace {
        Trace::new(input.clone())
    }

    pub(super) fn new(input: Module) -> Trace {
        Trace { stats: Stats::of(&input), input, steps: Vec::new(), notes: Vec::new() }
    }

    /// Number of versions: one more than steps.
    pub fn len(&self) -> usize {
        self.steps.len() + 1
    }

    /// Never: there is always the input.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A version: 0 is the input, `i` what step `i - 1` made.
    pub fn version(&self, at: usize) -> Option<&Module> {
        match at.checked_sub(1) {
            None => Some(&self.input),
            Some(step) => self.steps.get(step).map(|step| &step.version),
        }
    }

    /// How large a version is.
    pub fn stats_of(&self, at: usize) -> Option<Stats> {
        match at.checked_sub(1) {
            None => Some(self.stats),
            Some(step) => self.steps.get(step).map(|step| step.stats),
        }
    }

    /// The input and the versions up to `at` that differ from the one before, with the text of their step.
    pub fn changed_versions(&self, at: usize) -> Vec<(String, &Module)> {
        let steps = self.steps.get(..at.min(self.steps.len())).unwrap_or(&[]);
        let changed =
            steps.iter().filter(|step| matches!(step.outcome, Outcome::Changed | Outcome::Invalid(_)));
        let input = ("input".to_owned(), &self.input);
        std::iter::once(input).chain(changed.map(|step| (step.text(), &step.version))).collect()
    }

    /// Each step by its text, with the version that it made; `None` if it changed nothing.
    pub fn changes(&self) -> impl Iterator<Item = (String, Option<&Module>)> {
        self.steps.iter().map(|step| match step.outcome {
            Outcome::Changed | Outcome::Invalid(_) => (step.text(), Some(&step.version)),
            Outcome::Unchanged | Outcome::Failed(_) => (step.text(), None),
        })
    }

    /// The last version.
    pub fn last(&self) -> &Module {
        self.steps.last().map_or(&self.input, |step| &step.version)
    }

    /// What differs between two versions, in either direction of time. Empty for versions there are not.
    pub fn diff(&self, from: usize, to: usize) -> ModuleDiff {
        match (self.version(from), self.version(to)) {
            (Some(from), Some(to)) => diff::modules(from, to),
            _ => ModuleDiff::default(),
        }
    }

    /// Whether every step did its work and left a valid program.
    pub fn is_sound(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.outcome, Outcome::Unchanged | Outcome::Changed))
    }
}

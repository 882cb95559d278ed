//! The record of a pipeline run: a version for every step.
//!
//! A version is a whole module and shares most of its data with others: printer, layout and validator accept
//! any of them. Nothing is derived here; `diff` and `history` are computed from a trace.

use super::diff::{self, ModuleDiff};
use super::skip::Skip;
use super::stats::Stats;
use vitrine_ir::{Diag, Diags, Func, Journal, Module};

/// A run of a pipeline.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The initial program: version 0.
    pub input: Module,
    /// The size of the input.
    pub stats: Stats,
    /// The passes that ran, in order. Step `i` produces version `i + 1`.
    pub steps: Vec<TraceStep>,
    /// Groups that did not settle, with the responsible passes.
    pub notes: Diags,
}

/// A pass that ran.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// The pass; empty if no pass of this compiler made the version.
    pub pass: &'static str,
    /// The name of a version that no pass of this compiler made; empty otherwise.
    pub label: String,
    /// Its options as text; empty if all have their default values.
    pub options: String,
    /// The index of the pass in the pipeline, in text order from 0; presets are expanded.
    pub number: usize,
    /// The entry of the pipeline's [`Outline`](super::Outline) that it comes from.
    pub row: usize,
    /// The iteration of each enclosing group, outermost first, from 0.
    pub iterations: Vec<u32>,
    /// The number of the innermost enclosing group among all that ran, from 1; 0 outside of groups.
    pub group: u32,
    /// The program after it, or that of the previous step if it failed.
    pub version: Module,
    /// The events of each function that differs, and their reasons. Every difference has an event.
    pub journals: Vec<(Func, Journal)>,
    /// Number of rewrites it performed: units of fuel.
    pub rewrites: u64,
    /// The size of the program after it.
    pub stats: Stats,
    /// The outcome.
    pub outcome: Outcome,
    /// The reason why it did not run, if it was skipped; then the program is unchanged.
    pub skipped: Option<Skip>,
    /// Its duration by the given clock, in nanoseconds; 0 without one.
    pub nanos: u64,
}

/// The outcome of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program is unchanged.
    Unchanged,
    /// The program differs, and is valid.
    Changed,
    /// The pass failed.
    Failed(Diag),
    /// The pass left an invalid program; its version is kept for inspection.
    Invalid(Diags),
}

impl Outcome {
    /// A word for the outcome.
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
    /// The pass, or the name of a version that no pass made.
    pub fn name(&self) -> &str {
        if self.pass.is_empty() { &self.label } else { self.pass }
    }

    /// The pass and its options as text.
    pub fn text(&self) -> String {
        match self.options.is_empty() {
            true => self.name().to_owned(),
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

    /// Always false: there is always the input.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A version: 0 is the input, `i` the result of step `i - 1`.
    pub fn version(&self, at: usize) -> Option<&Module> {
        match at.checked_sub(1) {
            None => Some(&self.input),
            Some(step) => self.steps.get(step).map(|step| &step.version),
        }
    }

    /// A version with the text of its step.
    pub fn named_version(&self, at: usize) -> Option<(String, &Module)> {
        let step = at.checked_sub(1).and_then(|at| self.steps.get(at));
        Some((step.map_or_else(|| "input".to_owned(), TraceStep::text), self.version(at)?))
    }

    /// The size of a version.
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

    /// The differences between two versions, in either direction. Empty for versions that do not exist.
    pub fn diff(&self, from: usize, to: usize) -> ModuleDiff {
        match (self.version(from), self.version(to)) {
            (Some(from), Some(to)) => diff::modules(from, to),
            _ => ModuleDiff::default(),
        }
    }

    /// Returns true if every step succeeded and left a valid program.
    pub fn is_sound(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.outcome, Outcome::Unchanged | Outcome::Changed))
    }
}

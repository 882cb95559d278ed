//! The steps of the pipeline: what ran, how much it changed, which version is shown.
//!
//! Version 0 is the input; step `i` makes version `i + 1`.

/// What ran.
#[derive(Debug, Default)]
pub struct Timeline {
    /// In order.
    pub steps: Vec<TimelineStep>,
    /// The version that is shown.
    pub at: usize,
}

/// A pass that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineStep {
    /// The pass.
    pub pass: String,
    /// Its options.
    pub options: String,
    /// The round of the group around it, from 1; 0 outside of groups.
    pub round: u32,
    /// What came of it.
    pub outcome: Outcome,
    /// How many things it changed.
    pub changes: u32,
    /// Instructions after it.
    pub insts: u32,
    /// Blocks after it.
    pub blocks: u32,
    /// Rewrites it did.
    pub rewrites: u32,
    /// Microseconds it took in the worker; 0 where that is too little for its clock.
    pub micros: u32,
    /// Why it did not run, as a sentence whose subject it is; empty where it did.
    pub skipped: String,
    /// What went wrong.
    pub message: String,
    /// The row of the pipeline that it comes from.
    pub row: u32,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing changed.
    #[default]
    Unchanged,
    /// Something did, and the program is valid.
    Changed,
    /// The pass could not do its work.
    Failed,
    /// The pass left a program that is not valid.
    Invalid,
}

/// Where to go on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To this version.
    To(usize),
    /// One step on or back, whatever it did.
    Next,
    /// See `Next`.
    Previous,
    /// To the next step that changed something, or failed.
    NextChange,
    /// To the one before.
    PreviousChange,
    /// To the input.
    First,
    /// To the end.
    Last,
}

impl Outcome {
    /// The outcome of that name.
    pub fn named(name: &str) -> Outcome {
        match name {
            "changed" => Outcome::Changed,
            "failed" => Outcome::Failed,
            "invalid" => Outcome::Invalid,
            _ => Outcome::Unchanged,
        }
    }

    /// The word for it in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Unchanged => "unchanged",
            Outcome::Changed => "changed",
            Outcome::Failed => "failed",
            Outcome::Invalid => "invalid",
        }
    }
}

impl TimelineStep {
    /// `pass{options}`.
    pub fn name(&self) -> String {
        match self.options.as_str() {
            "" => self.pass.clone(),
            options => format!("{}{{{options}}}", self.pass),
        }
    }

    /// What it took, in words; none where the clock saw nothing.
    pub fn time(&self) -> Option<String> {
        match self.micros {
            0 => None,
            micros @ 1..=99 => Some(format!("{micros} µs")),
            micros => Some(format!("{}.{} ms", micros / 1000, micros % 1000 / 100)),
        }
    }

    /// How tall its bar is, from 0 (no change) to 8: the number of bits of the number of changes.
    pub fn height(&self) -> u32 {
        (u32::BITS - self.changes.leading_zeros()).min(8)
    }
}

impl Timeline {
    /// The last version.
    pub fn last(&self) -> usize {
        self.steps.len()
    }

    /// The step that made the shown version.
    pub fn step(&self) -> Option<&TimelineStep> {
        self.steps.get(self.at.checked_sub(1)?)
    }

    /// The version that a move leads to; none where it leads nowhere else.
    pub fn target(&self, go: Go) -> Option<usize> {
        let speaks = |version: &usize| {
            *version == 0
                || self.steps.get(*version - 1).is_some_and(|step| step.outcome != Outcome::Unchanged)
        };
        let to = match go {
            Go::To(at) => Some(at),
            Go::Next => Some(self.at + 1),
            Go::Previous => self.at.checked_sub(1),
            Go::NextChange => (self.at + 1..=self.last()).find(speaks),
            Go::PreviousChange => (0..self.at).rev().find(speaks),
            Go::First => Some(0),
            Go::Last => Some(self.last()),
        };
        to.filter(|to| *to <= self.last() && *to != self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: usize) -> Timeline {
        let step = |outcome, changes| TimelineStep { outcome, changes, ..TimelineStep::default() };
        let steps = vec![
            step(Outcome::Changed, 3),
            step(Outcome::Unchanged, 0),
            step(Outcome::Unchanged, 0),
            step(Outcome::Changed, 1000),
        ];
        Timeline { steps, at }
    }

    #[test]
    fn brackets_go_between_steps_that_changed_something() {
        assert_eq!(sample(0).target(Go::NextChange), Some(1));
        assert_eq!(sample(1).target(Go::NextChange), Some(4));
        assert_eq!(sample(4).target(Go::NextChange), None);
        assert_eq!(sample(4).target(Go::PreviousChange), Some(1));
        assert_eq!(sample(3).target(Go::PreviousChange), Some(1));
        assert_eq!(sample(1).target(Go::PreviousChange), Some(0), "the input is worth a stop");
    }

    #[test]
    fn moves_end_at_the_ends() {
        assert_eq!((sample(0).target(Go::Previous), sample(4).target(Go::Next)), (None, None));
        assert_eq!((sample(2).target(Go::First), sample(2).target(Go::Last)), (Some(0), Some(4)));
        assert_eq!((sample(2).target(Go::To(2)), sample(2).target(Go::To(9))), (None, None));
    }

    #[test]
    fn bars_grow_with_the_logarithm_of_the_change() {
        let heights: Vec<u32> = sample(0).steps.iter().map(TimelineStep::height).collect();
        assert_eq!(heights, [2, 0, 0, 8]);
    }
}

//! The steps of the pipeline: their changes, and the shown version.
//!
//! Version 0 is the input; step `i` makes version `i + 1`.

use vitrine_protocol::{Outcome, PassStep};

/// The steps that ran.
#[derive(Debug, Default)]
pub struct Timeline {
    /// In order.
    pub steps: Vec<PassStep>,
    /// The shown version.
    pub at: usize,
}

/// A move on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To this version.
    To(usize),
    /// To the next step.
    Next,
    /// To the previous step.
    Previous,
    /// To the next step that changed something, or failed.
    NextChange,
    /// To the previous step that changed something, or failed.
    PreviousChange,
    /// To the input.
    First,
    /// To the last version.
    Last,
}

/// The labels of a step.
pub trait StepLabel {
    /// `pass{options}`.
    fn name(&self) -> String;
    /// Its time; none if the clock is too coarse.
    fn time(&self) -> Option<String>;
    /// The height of its bar, from 0 (no change) to 8: the bit length of the number of changes.
    fn height(&self) -> u32;
}

impl StepLabel for PassStep {
    fn name(&self) -> String {
        match self.options.as_str() {
            "" => self.pass.clone(),
            options => format!("{}{{{options}}}", self.pass),
        }
    }

    fn time(&self) -> Option<String> {
        match self.micros {
            0 => None,
            micros @ 1..=99 => Some(format!("{micros} µs")),
            micros => Some(format!("{}.{} ms", micros / 1000, micros % 1000 / 100)),
        }
    }

    fn height(&self) -> u32 {
        (u32::BITS - self.changes.leading_zeros()).min(8)
    }
}

impl Timeline {
    /// The last version.
    pub fn last(&self) -> usize {
        self.steps.len()
    }

    /// The step that made the shown version.
    pub fn step(&self) -> Option<&PassStep> {
        self.steps.get(self.at.checked_sub(1)?)
    }

    /// The version that a move leads to; none if it is the shown one.
    pub fn target(&self, go: Go) -> Option<usize> {
        let is_changed = |version: &usize| {
            *version == 0
                || self.steps.get(*version - 1).is_some_and(|step| step.outcome != Outcome::Unchanged)
        };
        let to = match go {
            Go::To(at) => Some(at),
            Go::Next => Some(self.at + 1),
            Go::Previous => self.at.checked_sub(1),
            Go::NextChange => (self.at + 1..=self.last()).find(is_changed),
            Go::PreviousChange => (0..self.at).rev().find(is_changed),
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
        let step = |outcome, changes| PassStep { outcome, changes, ..PassStep::default() };
        let steps = vec![
            step(Outcome::Changed, 3),
            step(Outcome::Unchanged, 0),
            step(Outcome::Unchanged, 0),
            step(Outcome::Changed, 1000),
        ];
        Timeline { steps, at }
    }

    #[test]
    fn brackets_move_between_steps_that_changed_something() {
        assert_eq!(sample(0).target(Go::NextChange), Some(1));
        assert_eq!(sample(1).target(Go::NextChange), Some(4));
        assert_eq!(sample(4).target(Go::NextChange), None);
        assert_eq!(sample(4).target(Go::PreviousChange), Some(1));
        assert_eq!(sample(3).target(Go::PreviousChange), Some(1));
        assert_eq!(sample(1).target(Go::PreviousChange), Some(0), "the input is a stop, too");
    }

    #[test]
    fn moves_end_at_the_ends() {
        assert_eq!((sample(0).target(Go::Previous), sample(4).target(Go::Next)), (None, None));
        assert_eq!((sample(2).target(Go::First), sample(2).target(Go::Last)), (Some(0), Some(4)));
        assert_eq!((sample(2).target(Go::To(2)), sample(2).target(Go::To(9))), (None, None));
    }

    #[test]
    fn bars_grow_with_the_logarithm_of_the_change() {
        let heights: Vec<u32> = sample(0).steps.iter().map(PassStep::height).collect();
        assert_eq!(heights, [2, 0, 0, 8]);
    }
}

//! *Check each pass*: a mark for every step, and what came of it in words.

use super::Answer;

/// What is known of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// It was not looked at yet.
    #[default]
    Open,
    /// It computes what the input does.
    Same,
    /// It changed nothing.
    Unchanged,
    /// It computes something else.
    Differs,
    /// It cannot be run, or is not valid.
    Broken,
    /// Nothing can be said.
    Unknown,
    /// It is looked at now.
    Running,
}

impl Mark {
    const ALL: [Mark; 7] =
        [Mark::Open, Mark::Same, Mark::Unchanged, Mark::Differs, Mark::Broken, Mark::Unknown, Mark::Running];

    /// The word for it in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Open => "open",
            Mark::Same => "same",
            Mark::Unchanged => "unchanged",
            Mark::Differs => "differs",
            Mark::Broken => "broken",
            Mark::Unknown => "unknown",
            Mark::Running => "running",
        }
    }
}

/// What the page knows of a check.
#[derive(Debug)]
pub struct Check {
    /// Whether its row is shown.
    pub open: bool,
    /// Seed and runs that are wanted.
    pub wanted: [u32; 2],
    /// A mark for each step; empty where nothing is known.
    pub marks: Vec<Mark>,
    /// Runs done, and in all.
    pub progress: [u32; 2],
    /// The first version that is wrong.
    pub wrong: Option<u32>,
    /// What came of it.
    pub told: String,
}

impl Default for Check {
    fn default() -> Check {
        let (marks, told) = (Vec::new(), String::new());
        Check { open: false, wanted: [1, 32], marks, progress: [0, 0], wrong: None, told }
    }
}

impl Check {
    /// Takes an answer: done, runs, runs in all, the first wrong version, marks.
    pub(super) fn answered(&mut self, answer: &Answer) {
        let [_, done, all, wrong, marks @ ..] = &answer.numbers[..] else { return };
        self.progress = [*done, *all];
        self.wrong = Some(*wrong).filter(|wrong| *wrong > 0);
        let mark = |number: &u32| Mark::ALL.get(*number as usize).copied().unwrap_or_default();
        self.marks = marks.iter().map(mark).collect();
        self.told.clone_from(&answer.text);
    }

    /// The work ended before its end.
    pub(super) fn stopped(&mut self) {
        for mark in self.marks.iter_mut().filter(|mark| **mark == Mark::Running) {
            *mark = Mark::Open;
        }
        let [done, all] = self.progress;
        let said = if self.told.is_empty() { String::new() } else { format!(" {}", self.told) };
        self.told = format!("Stopped after {done} of {all} runs.{said}");
    }

    /// The worker failed.
    pub(super) fn failed(&mut self, message: &str) {
        self.marks.clear();
        self.told = format!("The laboratory failed and was ended: {message}");
    }
}

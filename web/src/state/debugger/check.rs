//! *Check each pass*: a mark for every step, and the result in words.

use vitrine_protocol::{CheckInputs, CheckMark, CheckReport};

/// State of a check.
#[derive(Debug, Default)]
pub struct Check {
    /// True if its panel is shown.
    pub open: bool,
    /// The inputs of the next check.
    pub inputs: CheckInputs,
    /// The result so far.
    pub report: CheckReport,
}

impl Check {
    /// Reports that the check was stopped.
    pub(super) fn stopped(&mut self) {
        let CheckReport { done, total, marks, summary, .. } = &mut self.report;
        for mark in marks.iter_mut().filter(|mark| **mark == CheckMark::Running) {
            *mark = CheckMark::Open;
        }
        let result = if summary.is_empty() { String::new() } else { format!(" {summary}") };
        *summary = format!("Stopped after {done} of {total} runs.{result}");
    }

    /// Reports that the worker failed.
    pub(super) fn failed(&mut self, message: &str) {
        self.report.marks.clear();
        self.report.summary = format!("The debugger failed and was ended: {message}");
    }
}

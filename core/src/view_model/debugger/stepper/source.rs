//! Stepping by lines of the source: the line of the chosen invocation, where it began, and the steps that end at lines.
//!
//! ```text
//! for i in 0..n {      a line begins where the invocation comes to an instruction of another line or frame,
//!     sum += a[i];     and again at each iteration of a loop that is written on a single line
//! }
//! ```
//!
//! Instructions without a line, such as constants, belong to the line that runs. A step back runs the group again up to now to
//! find the line before, and then up to its start: nothing is recorded, however long the program runs.

use super::super::words::plain;
use super::line::{LinePlace, origin_of};
use super::{Goal, Stepper};
use crate::ir::FactKey;
use vitrine_protocol::{SourcePosition, SourceView};

impl Stepper {
    /// Follows the chosen invocation to another line.
    pub(super) fn follow_line(&mut self) {
        let is_chosen = self.machine.active().contains(&(self.invocation as u32));
        let Some(spot) = self.spot().filter(|_| is_chosen && !self.done) else { return };
        let block = match self.machine.is_at_block_start() {
            true => self.machine.place().map(|(_, block, _)| block),
            false => None,
        };
        let Some(origin) = origin_of(&self.module, spot) else { return };
        let place = LinePlace { depth: self.machine.depth(), file: origin.file, line: origin.line };
        self.line.follow(place, block, self.steps);
    }

    /// Returns true if a line of the chosen invocation begins here.
    pub(super) fn begins_line(&self) -> bool {
        self.line.place.is_some() && self.line.began == self.steps && !self.done
    }

    /// Returns true if a step by lines ends here.
    pub(super) fn is_line_there(&self, goal: Goal) -> bool {
        let Some(now) = self.line.place.filter(|_| self.begins_line()) else { return false };
        match goal {
            Goal::LineInto => true,
            // A call returns to the middle of the line that it is in.
            Goal::LineOver(depth, from) => now.depth <= depth && !(self.line.resumed && Some(now) == from),
            Goal::LineOut(depth) => now.depth < depth,
            Goal::ToSource(line) => now.line == line && !self.line.resumed,
            _ => false,
        }
    }

    /// The steps to the start of the line, or to that of the line before if the invocation is at a start.
    pub(super) fn line_before(&self, steps: u64) -> u64 {
        if steps > self.line.began { self.line.began } else { self.line.before }
    }

    /// The source where the chosen invocation is, with its variables.
    pub(super) fn source_view(&self) -> SourceView {
        let position = match self.line.place {
            Some(place) => Some(SourcePosition {
                line: place.line,
                file: place.file.map_or_else(String::new, |file| plain(self.module.text_of(file))),
                begins: self.begins_line() && !self.line.resumed,
            }),
            None => self.has_lines.then(SourcePosition::default),
        };
        let lines = if self.steps == 0 && self.has_lines { self.source_lines() } else { Vec::new() };
        let (variables, removed) = self.variables();
        SourceView { position, lines, variables, removed }
    }

    fn source_lines(&self) -> Vec<String> {
        let facts = self.module.facts.iter().filter(|fact| fact.key == FactKey::Source);
        let source: String = facts.map(|fact| self.module.text_of(fact.value)).collect();
        without_preamble(&source).lines().map(|line| line.replace('\t', "    ")).collect()
    }
}

/// The text of a source without the lines that glslang puts before it, which its line numbers do not count.
fn without_preamble(source: &str) -> &str {
    match source.strip_prefix("// OpModuleProcessed") {
        Some(_) => source.split_once("#line 1\n").map_or(source, |(_, rest)| rest),
        None => source,
    }
}

//! Makes a program small while something stays true of it: a bug, for the most part.
//!
//! ```text
//! candidates ──► chunks of them, large ones first ──► apply ──► valid? ──► does it still hold? ──► keep
//!     ▲                                                                                            │
//!     └────────────────────────────── until a whole round keeps nothing ───────────────────────────┘
//! ```
//!
//! Delta debugging (Zeller and Hildebrandt 2002) over edits of the IR instead of lines: branches become `goto`, values
//! become constants or one of their operands, effects go, functions, entry points, parameters and variables go. Ids
//! stay, so an edit that was thought of before another one was kept still means the same, or nothing.
//!
//! One step of a [`Reducer`] is one question to the condition, so that a caller can show how far it is, and stop;
//! what was kept so far always holds.
//!
//! Refuses to know what is to stay true: that is the caller's closure. Never keeps a program that is not valid.

mod edits; // what can be tried, and how it is done
mod reason; // that it goes wrong in the same way

pub use edits::Edit;
use edits::{Kind, apply, candidates};
pub use reason::{Condition, Fault, Reason, Witnesses};

use super::stats::Stats;
use crate::ir::{Level, Module};
use crate::validate::validate;

/// Rounds over all kinds of edits; the first few do nearly all.
const MOST_ROUNDS: u32 = 24;

/// How far a reduction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Instructions at first.
    pub from: u32,
    /// Instructions now.
    pub to: u32,
    /// Programs that were tried.
    pub tried: u32,
    /// Programs that were kept.
    pub kept: u32,
}

/// A reduction under way.
pub struct Reducer<'c> {
    module: Module,
    holds: Box<dyn FnMut(&Module) -> bool + 'c>,
    progress: Progress,
    round: u32,
    /// Whether this round kept anything.
    went_on: bool,
    /// The kinds of edits still to be tried in this round, the next one last.
    kinds: Vec<Kind>,
    /// The edits of the kind at hand, how many are tried at once, and where the next chunk begins.
    edits: Vec<Edit>,
    chunk: usize,
    at: usize,
}

impl<'c> Reducer<'c> {
    /// A reduction of a module of which `holds` is true; it should be asked first. `holds` may be slow: it is asked
    /// once a step.
    pub fn new(module: Module, holds: impl FnMut(&Module) -> bool + 'c) -> Reducer<'c> {
        let insts = Stats::of(&module).insts;
        Reducer {
            module,
            holds: Box::new(holds),
            progress: Progress { from: insts, to: insts, ..Progress::default() },
            round: 0,
            went_on: true,
            kinds: Vec::new(),
            edits: Vec::new(),
            chunk: 0,
            at: 0,
        }
    }

    /// The smallest program so far.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Tries something. False when nothing is left to try.
    pub fn step(&mut self) -> bool {
        while self.at >= self.edits.len() {
            if !self.next_chunks() {
                return false;
            }
        }
        let end = (self.at + self.chunk).min(self.edits.len());
        let some = self.edits.get(self.at..end).unwrap_or(&[]);
        let Some(tried) = apply(&self.module, some) else {
            self.at = end;
            return true;
        };
        self.progress.tried += 1;
        if is_valid(&tried) && (self.holds)(&tried) {
            self.module = tried;
            self.progress.kept += 1;
            self.progress.to = Stats::of(&self.module).insts;
            self.went_on = true;
            // What was done need not be tried again; those behind it close up.
            self.edits.drain(self.at..end);
        } else {
            self.at = end;
        }
        true
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// Smaller chunks of the same edits, or the edits of the next kind, or another round.
    fn next_chunks(&mut self) -> bool {
        self.at = 0;
        if self.chunk > 1 && !self.edits.is_empty() {
            self.chunk = self.chunk.div_ceil(2).min(self.edits.len());
            if self.chunk > 1 {
                self.chunk = self.chunk.min(self.edits.len().div_ceil(2));
            }
            return true;
        }
        if self.kinds.is_empty() {
            if !self.went_on || self.round >= MOST_ROUNDS {
                return false;
            }
            self.went_on = false;
            self.round += 1;
            self.kinds = Kind::ROUND.iter().rev().copied().collect();
        }
        let Some(kind) = self.kinds.pop() else { return false };
        self.edits = candidates(&self.module, kind);
        // All at once is a good first guess where most of a program has nothing to do with a bug.
        self.chunk = self.edits.len().max(1);
        true
    }
}

fn is_valid(module: &Module) -> bool {
    validate(module).iter().all(|diag| diag.level != Level::Error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print_module};

    const LOOP: &str = include_str!("../../../../www/examples/loop.ir");

    fn module(text: &str) -> Module {
        let parsed = parse(text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        parsed.module
    }

    #[test]
    fn only_what_the_condition_needs_stays() {
        let mut reducer = Reducer::new(module(LOOP), |module| print_module(module).contains("fadd"));
        reducer.run();
        let text = print_module(reducer.module());
        let progress = reducer.progress();
        assert!(text.contains("fadd"), "{text}");
        assert!(progress.to * 3 < progress.from && progress.to < 6, "{progress:?}\n{text}");
    }

    #[test]
    fn a_condition_that_never_holds_again_keeps_all() {
        let before = module(LOOP);
        let text = print_module(&before);
        let mut reducer = Reducer::new(before, |_| false);
        reducer.run();
        assert_eq!(print_module(reducer.module()), text);
        assert!(reducer.progress().tried > 10 && reducer.progress().kept == 0);
    }

    #[test]
    fn a_condition_that_always_holds_leaves_nearly_nothing() {
        let mut reducer = Reducer::new(module(LOOP), |_| true);
        reducer.run();
        assert_eq!(reducer.progress().to, 0, "{}", print_module(reducer.module()));
    }
}

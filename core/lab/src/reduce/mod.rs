//! Program reduction: makes a program small while a condition, usually a bug, stays true.
//!
//! ```text
//! candidates ──► chunks of them, large ones first ──► apply ──► valid? ──► does it still hold? ──► keep
//!     ▲                                                                                            │
//!     └────────────────────────────── until an iteration keeps nothing ────────────────────────────┘
//! ```
//!
//! Delta debugging (Zeller and Hildebrandt 2002) over edits of the IR instead of lines: branches become
//! `goto`, values become constants or one of their operands; side effects, functions, entry points,
//! parameters and variables are removed. Ids are stable, so an edit that was generated before another one was
//! applied has the same meaning, or none.
//!
//! One step of a [`Reducer`] is one evaluation of the condition, so a caller can show progress and stop; the
//! kept program always satisfies the condition.
//!
//! The condition is a closure of the caller. Never keeps an invalid program.

mod edits; // edits and their application
mod reason; // conditions: the same bug still occurs

pub use edits::Edit;
use edits::{EditKind, apply, candidates};
pub use reason::{Condition, Fault, Reason, Witnesses};

use vitrine_analysis::validate::validate;
use vitrine_ir::{Level, Module};
use vitrine_pipeline::Stats;

/// Maximum number of iterations over all kinds of edits; the first few have nearly all of the effect.
const MOST_ITERATIONS: u32 = 24;

/// Progress of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Number of instructions at the start.
    pub from: u32,
    /// Number of instructions now.
    pub to: u32,
    /// Number of programs tried.
    pub tried: u32,
    /// Number of programs kept.
    pub kept: u32,
}

/// A reduction in progress.
pub struct Reducer<'c> {
    module: Module,
    holds: Box<dyn FnMut(&Module) -> bool + 'c>,
    progress: Progress,
    iteration: u32,
    /// If set, this iteration kept an edit.
    progressed: bool,
    /// The kinds of edits still to be tried in this iteration, the next one last.
    kinds: Vec<EditKind>,
    /// The edits of the present kind, the number tried at once, and the start of the next chunk.
    edits: Vec<Edit>,
    chunk: usize,
    at: usize,
}

impl<'c> Reducer<'c> {
    /// Starts the reduction of a module for which `holds` is true; the caller checks that first. `holds` may
    /// be slow: each step calls it once.
    pub fn new(module: Module, holds: impl FnMut(&Module) -> bool + 'c) -> Reducer<'c> {
        let insts = Stats::of(&module).insts;
        Reducer {
            module,
            holds: Box::new(holds),
            progress: Progress { from: insts, to: insts, ..Progress::default() },
            iteration: 0,
            progressed: true,
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

    /// The progress.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Tries a chunk of edits. Returns false if none is left.
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
            self.progressed = true;
            // Applied edits need not be tried again; the following ones move up.
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

    /// Smaller chunks of the same edits, the edits of the next kind, or another iteration.
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
            if !self.progressed || self.iteration >= MOST_ITERATIONS {
                return false;
            }
            self.progressed = false;
            self.iteration += 1;
            self.kinds = EditKind::ORDER.iter().rev().copied().collect();
        }
        let Some(kind) = self.kinds.pop() else { return false };
        self.edits = candidates(&self.module, kind);
        // All edits at once is a good first guess if most of a program is unrelated to the bug.
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
    use vitrine_text::{parse, print_module};

    const LOOP: &str = include_str!("../../../../www/examples/loop.ir");

    fn module(text: &str) -> Module {
        let parsed = parse(text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        parsed.module
    }

    #[test]
    fn only_code_that_the_condition_needs_stays() {
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

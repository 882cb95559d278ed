//! The line of the source that the chosen invocation executes, and the lines that have code.

use super::super::lines::Spot;
use crate::ir::{Block, Module, Origin, Text};
use rustc_hash::FxHashSet;

/// A line of the source in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LinePlace {
    /// The depth of the stack.
    pub(super) depth: usize,
    pub(super) file: Option<Text>,
    pub(super) line: u32,
}

/// The line that the chosen invocation executes.
#[derive(Default)]
pub(super) struct CurrentLine {
    pub(super) place: Option<LinePlace>,
    /// The step at which it began.
    pub(super) began: u64,
    /// The step at which the line before it began.
    pub(super) before: u64,
    /// True if it began in the middle, by the return of a function that it calls.
    pub(super) resumed: bool,
    /// Blocks that were entered since it began.
    entered: FxHashSet<Block>,
}

impl CurrentLine {
    /// Takes the position after a step; `block` is a block that was just entered.
    pub(super) fn follow(&mut self, place: LinePlace, block: Option<Block>, steps: u64) {
        let again = block.is_some_and(|block| !self.entered.insert(block));
        if self.place == Some(place) && !again {
            return;
        }
        self.resumed = self.place.is_some_and(|old| place.depth < old.depth);
        self.entered.clear();
        self.entered.extend(block);
        self.place = Some(place);
        (self.before, self.began) = (self.began, steps);
    }
}

/// The source line of an instruction or a terminator; none if it is unknown.
pub(super) fn origin_of(module: &Module, spot: Spot) -> Option<Origin> {
    let origin = match spot {
        Spot::Inst(func, inst) => module.func(func)?.origin(inst),
        Spot::Exit(func, block) => module.func(func)?.end_origin(block),
    };
    (origin.line > 0).then_some(origin)
}

/// The lines that have an instruction with a line, in order.
pub(super) fn lines_with_code(module: &Module) -> Vec<u32> {
    let mut lines = Vec::new();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| lines.push(body.origin(inst).line));
        lines.extend(body.blocks_in_order().into_iter().map(|block| body.end_origin(block).line));
    }
    lines.sort_unstable();
    lines.dedup();
    lines.retain(|&line| line > 0);
    lines
}

//! Overlays: results of analyses, and execution counts, marked on the blocks and values of one function.
//!
//! ```text
//! mark of a block     style, level of a bar, words       live through
//! mark of a value     style, words                       %7   0..=15
//! mark of a line      style, words                       %9 = load %3   A
//! ```
//!
//! A [`MarkStyle`] is a pattern with a color; the page draws it, and no two meanings of an overlay differ by color alone. Every
//! overlay explains its styles in a legend, and a choice or a run that it needs is named there. Overlays of blocks keep a
//! line free at the top of each block ([`InBlocks`]), so that another choice changes no layout.
//!
//! Refuses to change or to lay out anything. Near-linear in the function.

mod alias; // memory operations by alias class
mod control; // dominators, divergence
mod counts; // executions of the last run
mod live; // liveness and register pressure
mod loops; // trip counts, induction variables, costs
mod ranges; // intervals of values

#[cfg(test)]
mod tests;

pub(super) use loops::Notes;

use super::numbers::Numbers;
use crate::analysis::Analyses;
use crate::base::SideTable;
use crate::ir::{Anchor, Block, Func, FuncBody, Inst, Module};
use rustc_hash::FxHashMap;
use vitrine_protocol::layout::{ExecutionEntry, FULL_BAR, MarkStyle, OverlayEntry, mark_flags};
use vitrine_protocol::{Overlay, OverlayKind, Table, Utf8};

/// The styles with a pattern, without that of the chosen thing.
const CYCLE: [MarkStyle; 5] =
    [MarkStyle::Hatch, MarkStyle::Dots, MarkStyle::Lines, MarkStyle::Cross, MarkStyle::Bars];

/// The style of a number, in a cycle.
fn cycled(number: usize) -> MarkStyle {
    CYCLE[number % CYCLE.len()]
}

/// A request for an overlay.
pub(super) struct Ask<'a> {
    pub(super) module: &'a Module,
    pub(super) func: Func,
    pub(super) kind: OverlayKind,
    /// The chosen thing.
    pub(super) chosen: Option<Anchor>,
    /// The execution counts of the last run of this version; empty without one.
    pub(super) executions: &'a [ExecutionEntry],
}

/// Computes an overlay; empty for a function without a body.
pub(super) fn overlay(ask: &Ask<'_>, numbers: &mut Numbers, cx: &mut Analyses) -> Overlay {
    let Some(body) = ask.module.func(ask.func) else { return Overlay::default() };
    let mut painter = Painter::new(ask, body, numbers, cx);
    match ask.kind {
        OverlayKind::Loops => loops::paint(&mut painter),
        OverlayKind::Dominators => control::dominators(&mut painter),
        OverlayKind::Divergence => control::divergence(&mut painter),
        OverlayKind::Liveness => live::liveness(&mut painter),
        OverlayKind::Pressure => live::pressure(&mut painter),
        OverlayKind::Ranges => ranges::paint(&mut painter),
        OverlayKind::Alias => alias::paint(&mut painter),
        OverlayKind::Counts => counts::paint(&mut painter),
    }
    painter.out.marks = Table::of(&painter.marks);
    painter.out
}

/// Returns true if the marks are those of blocks, each with words of its own.
fn is_of_blocks(kind: OverlayKind) -> bool {
    match kind {
        OverlayKind::Dominators
        | OverlayKind::Divergence
        | OverlayKind::Liveness
        | OverlayKind::Pressure
        | OverlayKind::Counts => true,
        OverlayKind::Loops | OverlayKind::Ranges | OverlayKind::Alias => false,
    }
}

/// The parts of an overlay that are in the blocks of a graph.
pub(super) enum InBlocks {
    /// Nothing.
    Nothing,
    /// Lines above the instructions.
    Notes(Notes),
    /// An empty line above them, for the mark of the block.
    Free,
    /// Words at the end of the lines that define these things.
    Beside(FxHashMap<Inst, String>),
}

/// Letters of an empty line: enough for the bar and the words of most marks.
pub(super) const FREE_LETTERS: usize = 21;

impl InBlocks {
    /// The part of an overlay that is in the blocks.
    pub(super) fn of(kind: Option<OverlayKind>, module: &Module, func: Func, cx: &mut Analyses) -> InBlocks {
        match kind {
            None => InBlocks::Nothing,
            Some(OverlayKind::Loops) => InBlocks::Notes(Notes::of(module, func, cx)),
            Some(OverlayKind::Ranges) => InBlocks::Beside(ranges::words(module, func, cx)),
            Some(OverlayKind::Alias) => InBlocks::Beside(alias::letters(module, func, cx)),
            Some(
                OverlayKind::Dominators
                | OverlayKind::Divergence
                | OverlayKind::Liveness
                | OverlayKind::Pressure
                | OverlayKind::Counts,
            ) => InBlocks::Free,
        }
    }

    /// The lines above the instructions of a block.
    pub(super) fn above(&self, block: Block) -> Vec<String> {
        match self {
            InBlocks::Notes(notes) => notes.lines(block),
            InBlocks::Free => vec![String::new()],
            InBlocks::Nothing | InBlocks::Beside(_) => Vec::new(),
        }
    }

    /// The words at the end of a line with the definition of an anchor.
    pub(super) fn beside(&self, anchor: Anchor) -> Option<&str> {
        match (self, anchor) {
            (InBlocks::Beside(words), Anchor::Inst(_, inst)) => words.get(&inst).map(String::as_str),
            _ => None,
        }
    }
}

/// Collects marks and the legend.
struct Painter<'a> {
    ask: &'a Ask<'a>,
    body: &'a FuncBody,
    cx: &'a mut Analyses,
    numbers: &'a mut Numbers,
    /// Words and legend; the marks follow at the end.
    out: Overlay,
    marks: Vec<OverlayEntry>,
    /// The line of each text in the words.
    lines: FxHashMap<String, u32>,
    /// The block of each instruction and parameter.
    homes: SideTable<Inst, Option<Block>>,
}

impl<'a> Painter<'a> {
    fn new(
        ask: &'a Ask<'a>,
        body: &'a FuncBody,
        numbers: &'a mut Numbers,
        cx: &'a mut Analyses,
    ) -> Painter<'a> {
        let mut homes = SideTable::with_default(None);
        for block in body.blocks_in_order() {
            let data = body.block(block);
            data.params.iter().chain(data.insts.iter()).for_each(|&inst| homes[inst] = Some(block));
        }
        let lines = std::iter::once((String::new(), 0)).collect();
        let out = Overlay { words: Utf8("\n".to_owned()), ..Overlay::default() };
        Painter { ask, body, cx, numbers, out, marks: Vec::new(), lines, homes }
    }

    fn blocks(&self) -> Vec<Block> {
        self.body.blocks_in_order()
    }

    /// Parameters of blocks and instructions, in order.
    fn insts(&self) -> Vec<Inst> {
        let of = |block: Block| {
            let data = self.body.block(block);
            data.params.iter().chain(data.insts.iter()).copied().collect::<Vec<_>>()
        };
        self.blocks().into_iter().flat_map(of).collect()
    }

    /// The chosen value of the function.
    fn chosen_value(&self) -> Option<Inst> {
        match self.ask.chosen? {
            Anchor::Inst(func, inst) if func == self.ask.func => {
                Some(inst).filter(|&inst| self.homes[inst].is_some() || self.body.params().contains(&inst))
            }
            _ => None,
        }
    }

    /// The chosen block of the function: that of the chosen value, if a value is chosen.
    fn chosen_block(&self) -> Option<Block> {
        let known = |block: Block| self.body.blocks_in_order().contains(&block).then_some(block);
        match self.ask.chosen? {
            Anchor::Block(func, block)
            | Anchor::Terminator(func, block)
            | Anchor::TerminatorArg(func, block, _)
                if func == self.ask.func =>
            {
                known(block)
            }
            Anchor::Inst(func, inst) | Anchor::Arg(func, inst, _) if func == self.ask.func => {
                self.homes[inst]
            }
            _ => None,
        }
    }

    /// Marks a block. `level`: a part of a whole, as the length of a bar.
    fn block(&mut self, block: Block, style: MarkStyle, level: [u64; 2], words: &str) {
        let [part, whole] = level.map(u128::from);
        let full = u128::from(FULL_BAR);
        let level = (part * full).checked_div(whole).unwrap_or(0).min(full) as u32;
        let free = if is_of_blocks(self.ask.kind) { mark_flags::FREE_LINE } else { 0 };
        self.mark(Anchor::Block(self.ask.func, block), style as u32 | free, level, words);
    }

    /// Marks the words of a value, wherever they are.
    fn value(&mut self, inst: Inst, style: MarkStyle, words: &str) {
        self.mark(Anchor::Inst(self.ask.func, inst), style as u32, 0, words);
    }

    /// Marks the line of an instruction.
    fn line(&mut self, inst: Inst, style: MarkStyle, words: &str) {
        self.mark(Anchor::Inst(self.ask.func, inst), style as u32 | mark_flags::LINE, 0, words);
    }

    fn mark(&mut self, anchor: Anchor, style: u32, level: u32, words: &str) {
        let line = match self.lines.get(words) {
            Some(&line) => line,
            None => {
                let line = self.lines.len() as u32;
                self.lines.insert(words.to_owned(), line);
                self.out.words.0.push_str(words);
                self.out.words.0.push('\n');
                line
            }
        };
        let id = self.numbers.number(anchor);
        self.marks.push(OverlayEntry { id, style, level, words: line });
    }

    /// An entry of the legend.
    fn entry(&mut self, style: MarkStyle, meaning: &str) {
        self.out.legend.0.push_str(&format!("{}\t{meaning}\n", style as u32));
    }

    /// A sentence of the legend.
    fn sentence(&mut self, words: &str) {
        self.entry(MarkStyle::Plain, words);
    }
}

/// `1 value`, `2 values`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

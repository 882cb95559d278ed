//! Overlays: results of analyses, and execution counts, marked on the blocks and values of one function.
//!
//! ```text
//! mark of a block     style, level of a bar, words       live through
//! mark of a value     style, words                       %7   0..=15
//! mark of a line      style, words                       %9 = load %3   A
//! ```
//!
//! A [`Style`] is a pattern with a color; the page draws it, and no two meanings of an overlay differ by color alone. Every
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

/// An overlay that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OverlayKind {
    /// Loops with trip counts and induction variables, and costs of blocks.
    #[default]
    Loops,
    /// Dominators, dominated blocks and frontier of the chosen block.
    Dominators,
    /// Divergent blocks and values.
    Divergence,
    /// The blocks and lines at which the chosen value is live.
    Liveness,
    /// Register pressure by block.
    Pressure,
    /// Ranges of values.
    Ranges,
    /// Memory operations by alias class.
    Alias,
    /// Execution counts of the last run.
    Counts,
}

/// A pattern and its color; the numbers are those of the page's style sheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Style {
    /// Words without a pattern.
    #[default]
    Plain = 0,
    /// A solid fill.
    Solid = 1,
    /// Diagonal lines.
    Hatch = 2,
    /// Dots.
    Dots = 3,
    /// Horizontal lines.
    Lines = 4,
    /// Crossed diagonal lines.
    Cross = 5,
    /// Vertical lines.
    Bars = 6,
}

impl Style {
    /// The styles with a pattern that does not stand for the chosen thing.
    const CYCLE: [Style; 5] = [Style::Hatch, Style::Dots, Style::Lines, Style::Cross, Style::Bars];

    /// The style of a number, in a cycle.
    fn numbered(number: usize) -> Style {
        Style::CYCLE[number % Style::CYCLE.len()]
    }
}

/// Added to a style in [`Overlay::marks`]: the mark is that of a line, not of the words of its value.
pub const LINE_MARK: u32 = 16;
/// Added to a style in [`Overlay::marks`]: the first line of the block in the graph is free for the mark.
pub const FREE_LINE: u32 = 32;
/// The level of a full bar.
pub const FULL: u32 = 1000;

/// The marks of a function and their legend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Four numbers for each mark: the anchor's number, the [`Style`] (with [`LINE_MARK`] or [`FREE_LINE`]), the level of its
    /// bar up to [`FULL`], the line of `words`.
    pub marks: Vec<u32>,
    /// The words of marks, one on each line; the first line is empty.
    pub words: String,
    /// The legend: on each line a style, a tab, and its meaning. A line with the style 0 is a sentence about the whole.
    pub legend: String,
}

/// Execution counts of a run, by function and block.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    blocks: FxHashMap<(u32, u32), u64>,
}

impl Counts {
    /// Counts from four numbers for each block: function and block by their ids, and the lower and the upper half of the
    /// number of executions. An incomplete entry at the end is ignored.
    pub fn of(numbers: &[u32]) -> Counts {
        let entry = |entry: &[u32; 4]| {
            let [func, block, low, high] = *entry;
            ((func, block), u64::from(high) << 32 | u64::from(low))
        };
        Counts { blocks: numbers.as_chunks::<4>().0.iter().map(entry).collect() }
    }
}

/// A request for an overlay.
pub(super) struct Ask<'a> {
    pub(super) module: &'a Module,
    pub(super) func: Func,
    pub(super) kind: OverlayKind,
    /// The chosen thing.
    pub(super) chosen: Option<Anchor>,
    /// The counts of the last run of this version; empty without one.
    pub(super) counts: &'a Counts,
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
    painter.out
}

impl OverlayKind {
    /// Returns true if the marks are those of blocks, each with words of its own.
    fn is_of_blocks(self) -> bool {
        match self {
            OverlayKind::Dominators
            | OverlayKind::Divergence
            | OverlayKind::Liveness
            | OverlayKind::Pressure
            | OverlayKind::Counts => true,
            OverlayKind::Loops | OverlayKind::Ranges | OverlayKind::Alias => false,
        }
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
            Some(kind) if kind.is_of_blocks() => InBlocks::Free,
            Some(_) => InBlocks::Nothing,
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
    out: Overlay,
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
        let out = Overlay { words: "\n".to_owned(), ..Overlay::default() };
        Painter { ask, body, cx, numbers, out, lines, homes }
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
    fn block(&mut self, block: Block, style: Style, level: [u64; 2], words: &str) {
        let [part, whole] = level.map(u128::from);
        let level = (part * u128::from(FULL)).checked_div(whole).unwrap_or(0).min(FULL.into()) as u32;
        let free = if self.ask.kind.is_of_blocks() { FREE_LINE } else { 0 };
        self.mark(Anchor::Block(self.ask.func, block), style as u32 | free, level, words);
    }

    /// Marks the words of a value, wherever they are.
    fn value(&mut self, inst: Inst, style: Style, words: &str) {
        self.mark(Anchor::Inst(self.ask.func, inst), style as u32, 0, words);
    }

    /// Marks the line of an instruction.
    fn line(&mut self, inst: Inst, style: Style, words: &str) {
        self.mark(Anchor::Inst(self.ask.func, inst), style as u32 | LINE_MARK, 0, words);
    }

    fn mark(&mut self, anchor: Anchor, style: u32, level: u32, words: &str) {
        let line = match self.lines.get(words) {
            Some(&line) => line,
            None => {
                let line = self.lines.len() as u32;
                self.lines.insert(words.to_owned(), line);
                self.out.words.push_str(words);
                self.out.words.push('\n');
                line
            }
        };
        let number = self.numbers.number(anchor);
        self.out.marks.extend([number, style, level, line]);
    }

    /// An entry of the legend.
    fn entry(&mut self, style: Style, meaning: &str) {
        self.out.legend.push_str(&format!("{}\t{meaning}\n", style as u32));
    }

    /// A sentence of the legend.
    fn sentence(&mut self, words: &str) {
        self.entry(Style::Plain, words);
    }
}

/// `1 value`, `2 values`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

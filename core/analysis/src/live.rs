//! Liveness of values, and register pressure in bits.
//!
//! ```text
//! ^0: %1 = iadd %0, %0       %1 is live out of ^0 and live into ^1
//!     goto ^1
//! ^1: return %1
//! ```
//!
//! Each use walks up to its definition and marks the blocks on the path ("by use" path exploration: Brandner,
//! Boissinot, Darte, Dupont de Dinechin, Rastello, "Computing Liveness Sets for SSA-Form Programs", 2011).
//! There is no fixpoint; work and memory are linear in the size of the sets, which contain only values that
//! are live across blocks. If even that is too much (2^22 entries), the remaining values count as live
//! everywhere: sound, but not exact.
//!
//! Conventions: a parameter is defined by its block and is not live into it; an argument of an edge is used
//! by the source of the edge; the condition of a tree node is used by the block before the node.

use super::graph::{Csr, NONE};
use super::numbering::Numbering;
use super::{Analyses, Analysis, Cfg, Reads};
use std::rc::Rc;
use vitrine_ir::base::{EntityId, sort_by_number};
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Block, Func, FuncBody, Inst, Module};

/// Maximum number of entries of the live-in and live-out sets together.
const MOST_ENTRIES: usize = 1 << 22;

/// The live values at each block.
#[derive(Clone, Debug)]
pub struct Live {
    values: LiveValues,
    pressure: Vec<u32>,
}

/// Liveness of some values of a function.
#[derive(Clone, Debug)]
pub struct LiveValues {
    cfg: Rc<Cfg>,
    defs: Defs,
    /// By value: the blocks that use it and the position of the last use in each, by block.
    uses: Vec<(u32, u32)>,
    use_ranges: Csr,
    live_in: Csr,
    live_out: Csr,
    everywhere: Vec<Inst>,
}

impl Analysis for Live {
    const NAME: &'static str = "live";
    const READS: Reads = Reads::Data;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Live {
        Live::of(body, &cx.get::<Cfg>(module, func))
    }
}

impl Live {
    /// Computes it. Linear in the instructions and the sizes of the sets.
    pub fn of(body: &FuncBody, cfg: &Rc<Cfg>) -> Live {
        Live::capped(body, cfg, MOST_ENTRIES)
    }

    fn capped(body: &FuncBody, cfg: &Rc<Cfg>, most: usize) -> Live {
        let values = LiveValues::capped(body, cfg, |_| true, most);
        Live { pressure: Pressure::of(body, &values), values }
    }

    /// Values defined before the block that are used in it or after it, in order of ids, except for
    /// [`Live::everywhere`].
    pub fn live_in(&self, block: Block) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + '_ {
        self.values.insts(&self.values.live_in, block)
    }

    /// Values live into some successor, in order of ids, except for [`Live::everywhere`].
    pub fn live_out(&self, block: Block) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + '_ {
        self.values.insts(&self.values.live_out, block)
    }

    /// Returns true if `value` is live into the block. `O(log n)`.
    pub fn is_live_in(&self, block: Block, value: Inst) -> bool {
        self.values.has(&self.values.live_in, block, value)
    }

    /// Returns true if `value` is live out of the block. `O(log n)`.
    pub fn is_live_out(&self, block: Block, value: Inst) -> bool {
        self.values.has(&self.values.live_out, block, value)
    }

    /// Values that count as live everywhere because the exact sets would be too large. Empty except for huge
    /// functions with thousands of values that are live through thousands of blocks.
    pub fn everywhere(&self) -> &[Inst] {
        &self.values.everywhere
    }

    /// Returns true if `value` is used after the instruction `at`, in whose block or before it is defined.
    /// `O(log n)`.
    ///
    /// If `at` is a block parameter: after the start of the block. False if `value` is defined only after
    /// `at`.
    pub fn is_live_after(&self, at: Inst, value: Inst) -> bool {
        self.values.is_live_after(at, value)
    }

    /// Maximum register pressure within the block: components times width, with one bit for a boolean
    /// component. Paths, pointers and handles count as zero bits.
    pub fn pressure(&self, block: Block) -> u32 {
        self.pressure.get(self.values.cfg.number(block) as usize).copied().unwrap_or(0)
    }

    /// Maximum register pressure within the function.
    pub fn peak_pressure(&self) -> u32 {
        self.pressure.iter().copied().max().unwrap_or(0)
    }
}

impl LiveValues {
    /// Computes it for the instructions and parameters that `is_wanted` selects. Linear in the instructions of the
    /// function and the sizes of the sets.
    pub fn of(body: &FuncBody, cfg: &Rc<Cfg>, is_wanted: impl Fn(Inst) -> bool) -> LiveValues {
        LiveValues::capped(body, cfg, is_wanted, MOST_ENTRIES)
    }

    fn capped(body: &FuncBody, cfg: &Rc<Cfg>, is_wanted: impl Fn(Inst) -> bool, most: usize) -> LiveValues {
        let defs = Defs::of(body, cfg, is_wanted);
        let found = Uses::of(body, cfg, &defs);
        let mut marks = Marks::new(cfg, most);
        for value in 0..defs.values.len() as u32 {
            let blocks = &found.uses[found.ranges.range(value)];
            marks.value(value, defs.blocks[value as usize], blocks.iter().map(|&(block, _)| block));
        }
        LiveValues {
            live_in: Csr::from_pairs(cfg.len(), marks.live_in.iter().copied()),
            live_out: Csr::from_pairs(cfg.len(), marks.live_out.iter().copied()),
            everywhere: marks.everywhere.iter().map(|&value| defs.values[value as usize]).collect(),
            cfg: cfg.clone(),
            defs,
            uses: found.uses,
            use_ranges: found.ranges,
        }
    }

    /// The same as [`Live::is_live_after`], for two of the values. False for others.
    pub fn is_live_after(&self, at: Inst, value: Inst) -> bool {
        let (at, value) = (self.defs.numbers.of(at), self.defs.numbers.of(value));
        if at == NONE || value == NONE {
            return false;
        }
        let [here, home] = [at, value].map(|v| self.defs.blocks[v as usize]);
        let [position, defined] = [at, value].map(|v| self.defs.positions[v as usize]);
        let Some(block) = self.cfg.block(here) else { return false };
        if home == here && defined > position {
            return false;
        }
        let uses = &self.uses[self.use_ranges.range(value)];
        let used = uses.binary_search_by_key(&here, |&(block, _)| block);
        let used_later = used.is_ok_and(|found| uses[found].1 > position);
        // A value of the block itself is live out of it; any other value must also be live into it.
        used_later || self.has(&self.live_out, block, self.defs.values[value as usize])
    }

    fn insts<'a>(
        &'a self,
        rows: &'a Csr,
        block: Block,
    ) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + 'a {
        self.row(rows, block).iter().map(|&value| self.defs.values[value as usize])
    }

    fn row<'a>(&self, rows: &'a Csr, block: Block) -> &'a [u32] {
        match self.cfg.number(block) {
            NONE => &[],
            at => rows.row(at),
        }
    }

    fn has(&self, rows: &Csr, block: Block, value: Inst) -> bool {
        let number = self.defs.numbers.of(value);
        number != NONE
            && self.cfg.contains(block)
            && (self.row(rows, block).binary_search(&number).is_ok()
                || self.everywhere.binary_search(&value).is_ok())
    }
}

/// The positions of instructions, numbered in order of ids.
#[derive(Clone, Debug)]
struct Defs {
    values: Vec<Inst>,
    numbers: Numbering<Inst>,
    /// The block of each; `NONE` for parameters of the function.
    blocks: Vec<u32>,
    /// The position in the block from 1; 0 for parameters.
    positions: Vec<u32>,
}

impl Defs {
    fn of(body: &FuncBody, cfg: &Cfg, is_wanted: impl Fn(Inst) -> bool) -> Defs {
        let mut found: Vec<(Inst, u32, u32)> = body.params().iter().map(|&inst| (inst, NONE, 0)).collect();
        found.retain(|&(inst, ..)| is_wanted(inst));
        for (at, &block) in (0u32..).zip(cfg.blocks()) {
            let data = body.block(block);
            let params = data.params.iter().map(|&inst| (inst, at, 0));
            let insts = (1u32..).zip(data.insts.iter()).map(|(position, &inst)| (inst, at, position));
            found.extend(params.chain(insts).filter(|&(inst, ..)| is_wanted(inst)));
        }
        sort_by_number(&mut found, |(inst, ..)| inst.index() as u64);
        found.dedup_by_key(|&mut (inst, ..)| inst);
        let values: Vec<Inst> = found.iter().map(|&(inst, ..)| inst).collect();
        Defs {
            numbers: Numbering::new(values.iter().copied()),
            values,
            blocks: found.iter().map(|&(_, block, _)| block).collect(),
            positions: found.iter().map(|&(.., position)| position).collect(),
        }
    }
}

/// Calls `f` for each value that the terminator of a block uses, including the condition of the node after
/// the block.
fn exit_uses(body: &FuncBody, cfg: &Cfg, block: Block, mut f: impl FnMut(Inst)) {
    body.terminator(block).for_each_use(&mut f);
    if let Some(value) = cfg.enters(block).and_then(|node| body.node(node).kind.operand())
        && matches!(body.terminator(block), vitrine_ir::Terminator::Next(_))
    {
        f(value);
    }
}

struct Uses {
    uses: Vec<(u32, u32)>,
    ranges: Csr,
}

impl Uses {
    fn of(body: &FuncBody, cfg: &Cfg, defs: &Defs) -> Uses {
        // (value, block, position): blocks come in order, and positions in order within a block.
        let mut all: Vec<(u32, (u32, u32))> = Vec::new();
        for (at, &block) in (0u32..).zip(cfg.blocks()) {
            let data = body.block(block);
            let mut add = |position: u32, inst: Inst| {
                let value = defs.numbers.of(inst);
                if value != NONE {
                    all.push((value, (at, position)));
                }
            };
            for (position, &inst) in (1u32..).zip(data.insts.iter()) {
                if let Some(data) = body.tables().insts.get(inst) {
                    data.args.iter().for_each(|&arg| add(position, arg));
                }
            }
            exit_uses(body, cfg, block, |inst| add(data.insts.len() as u32 + 1, inst));
        }
        let by_value =
            Csr::from_pairs(defs.values.len(), all.iter().zip(0..).map(|(&(value, _), at)| (value, at)));
        let mut uses: Vec<(u32, u32)> = Vec::new();
        let mut ends = Vec::new();
        for value in 0..defs.values.len() as u32 {
            let start = uses.len();
            for &at in by_value.row(value) {
                let (block, position) = all[at as usize].1;
                match uses[start..].last_mut() {
                    Some(last) if last.0 == block => last.1 = position,
                    _ => uses.push((block, position)),
                }
            }
            ends.push(uses.len() as u32);
        }
        Uses { ranges: Csr::from_ends(ends, Vec::new()), uses }
    }
}

/// Blocks marked so far, as pairs of block and value.
struct Marks<'a> {
    cfg: &'a Cfg,
    most: usize,
    live_in: Vec<(u32, u32)>,
    live_out: Vec<(u32, u32)>,
    /// Set when the sets are too large: no further value is visited.
    full: bool,
    everywhere: Vec<u32>,
    latest_in: Vec<u32>,
    latest_out: Vec<u32>,
    work: Vec<u32>,
}

impl<'a> Marks<'a> {
    fn new(cfg: &'a Cfg, most: usize) -> Marks<'a> {
        Marks {
            cfg,
            most,
            live_in: Vec::new(),
            live_out: Vec::new(),
            full: false,
            everywhere: Vec::new(),
            latest_in: vec![NONE; cfg.len()],
            latest_out: vec![NONE; cfg.len()],
            work: Vec::new(),
        }
    }

    /// Marks the path from each use of a value up to its definition.
    fn value(&mut self, value: u32, home: u32, mut uses: impl Iterator<Item = u32>) {
        if self.full {
            if uses.any(|block| block != home) {
                self.everywhere.push(value);
            }
            return;
        }
        let before = (self.live_in.len(), self.live_out.len());
        for block in uses {
            self.live_into(value, home, block);
            while let Some(at) = self.work.pop() {
                for &from in self.cfg.pred().row(at) {
                    if std::mem::replace(&mut self.latest_out[from as usize], value) != value {
                        self.live_out.push((from, value));
                        self.live_into(value, home, from);
                    }
                }
            }
            if self.live_in.len() + self.live_out.len() > self.most {
                self.live_in.truncate(before.0);
                self.live_out.truncate(before.1);
                self.full = true;
                self.everywhere.push(value);
                return;
            }
        }
    }

    fn live_into(&mut self, value: u32, home: u32, block: u32) {
        if block != home && std::mem::replace(&mut self.latest_in[block as usize], value) != value {
            self.live_in.push((block, value));
            self.work.push(block);
        }
    }
}

/// Represents every block.
const ALWAYS: u32 = NONE - 1;

/// A backward walk over each block that counts live bits.
struct Pressure<'a> {
    body: &'a FuncBody,
    live: &'a LiveValues,
    /// The latest block in which the value was found live, below the current position.
    seen: Vec<u32>,
    /// Bits of the values that are live everywhere.
    always: u32,
    now: u32,
    peak: u32,
}

impl Pressure<'_> {
    fn of(body: &FuncBody, live: &LiveValues) -> Vec<u32> {
        let seen = vec![NONE; live.defs.values.len()];
        let mut pressure = Pressure { body, live, seen, always: 0, now: 0, peak: 0 };
        for value in live.everywhere.iter().map(|&inst| live.defs.numbers.of(inst)) {
            pressure.seen[value as usize] = ALWAYS;
            pressure.always = pressure.always.saturating_add(pressure.bits(value));
        }
        (0..live.cfg.len() as u32).map(|at| pressure.block(at)).collect()
    }

    fn block(&mut self, at: u32) -> u32 {
        let Some(block) = self.live.cfg.block(at) else { return 0 };
        (self.now, self.peak) = (self.always, self.always);
        for &value in self.live.live_out.row(at) {
            self.read(at, value);
        }
        exit_uses(self.body, &self.live.cfg, block, |inst| self.read(at, self.live.defs.numbers.of(inst)));
        let data = self.body.block(block);
        for &inst in data.insts.iter().rev() {
            self.defined(at, inst);
            if let Some(data) = self.body.tables().insts.get(inst) {
                data.args.iter().for_each(|&arg| self.read(at, self.live.defs.numbers.of(arg)));
            }
        }
        for &param in data.params.iter() {
            // All parameters are defined at once: none of them is removed before the others.
            self.read(at, self.live.defs.numbers.of(param));
        }
        self.peak
    }

    fn read(&mut self, at: u32, value: u32) {
        let Some(seen) = self.seen.get_mut(value as usize) else { return };
        if *seen != ALWAYS && std::mem::replace(seen, at) != at {
            self.now = self.now.saturating_add(self.bits(value));
            self.peak = self.peak.max(self.now);
        }
    }

    /// A definition occupies bits even if it is unused.
    fn defined(&mut self, at: u32, inst: Inst) {
        let value = self.live.defs.numbers.of(inst);
        self.read(at, value);
        if let Some(seen) = self.seen.get_mut(value as usize)
            && *seen == at
        {
            *seen = NONE;
            self.now = self.now.saturating_sub(self.bits(value));
        }
    }

    fn bits(&self, value: u32) -> u32 {
        match self.body.ty(self.live.defs.values[value as usize]) {
            ValueType::Bits { width, components } => width.bits() * u32::from(components),
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => 0,
        }
    }
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;

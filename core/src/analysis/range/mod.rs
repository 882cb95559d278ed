//! Ranges: what each value may be, as bits, as integers and as floats.
//!
//! For each lane of each value a [`Fact`]: bits that are known, the interval it lies in read as an unsigned and
//! as a signed integer, and read as a float with NaN, -0 and whether it is a whole number. A fact holds for
//! every run, whatever the inputs, as the operations are defined in `ops`, and the interpreter never finds one
//! broken (`tests/facts.rs`).
//!
//! ```text
//! %n = umin %anything, 8        0..=8
//! loop (%i = 0)                 0..=8       %i < %n decides the loop
//!   … %i in here                0..=7       [`Range::at`] knows the way that leads there
//! ```
//!
//! A fixpoint over values in reverse post-order, upward first: a parameter is what any edge brings, and an end of an
//! interval that has moved four times goes all the way (Cousot and Cousot 1977); then two rounds downward, which
//! bring back what the conditions of loops bound. Code without loops is looked at once. Branches refine the values
//! they compare where they lead (`refine`), eight deep for one value (`scopes`). Cost: a small multiple of operands;
//! lanes are looked at one by one.
//!
//! Memory says nothing: a load may yield anything. Nor do calls, textures, other lanes, or wishes of the
//! program (`assume`, flags such as `nnan`): what must not be is not what cannot be.

mod fact;
mod spell;
mod float;
mod int;
mod refine;
mod scopes;
mod transfer;

#[cfg(test)]
mod tests;

pub use fact::{Fact, Float};

use super::graph::{Csr, NONE};
use super::numbering::Numbering;
use super::{Analyses, Analysis, Cfg, Dom, FloatModes, Reads};
use crate::base::{EntityId, EntitySet};
use crate::ir::{Block, Func, FuncBody, Inst, InstData, Module};
use crate::ops::{BasicOp, Key, Op, ValueType};
use refine::{Constraint, Said};
use scopes::Scopes;
use std::rc::Rc;
use transfer::Operands;

/// Moves of an interval before its end goes all the way.
const PATIENCE: u8 = 4;

/// A fact for each lane of each value of a function.
#[derive(Clone, Debug)]
pub struct Range {
    numbers: Numbering<Inst>,
    /// Where the lanes of each value begin in `facts`, and where the last ones end.
    first: Vec<u32>,
    facts: Vec<Fact>,
    dom: Rc<Dom>,
    /// What branches said of values.
    scopes: Scopes,
    modes: FloatModes,
}

impl Analysis for Range {
    const NAME: &'static str = "range";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Range {
        Range::of(module, body, &cx.get::<Dom>(module, func))
    }
}

impl Range {
    /// Computes it.
    pub fn of(module: &Module, body: &FuncBody, dom: &Rc<Dom>) -> Range {
        let mut solver = Solver::new(module, body, dom);
        solver.rise();
        solver.fall();
        solver.range
    }

    /// What is known of the lanes of a value wherever it is computed; nothing for what has no lanes, and for
    /// values of another function.
    pub fn facts(&self, value: Inst) -> &[Fact] {
        let at = self.numbers.of(value) as usize;
        match (self.first.get(at), self.first.get(at.saturating_add(1))) {
            (Some(&from), Some(&to)) => self.facts.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// What is known of a value of one lane in a block, where branches on the way there have compared it;
    /// `None` where it has more lanes, or none.
    pub fn at(&self, value: Inst, block: Block) -> Option<Fact> {
        let [fact] = self.facts(value) else { return None };
        Some(self.refined_in(value, *fact, block))
    }

    fn refined_in(&self, value: Inst, fact: Fact, block: Block) -> Fact {
        let cfg = self.dom.cfg();
        let number = cfg.reachable_number(block);
        if cfg.block(number).is_none() {
            return fact;
        }
        let place = self.dom.tree().pre(number);
        self.scopes.at(value, place).fold(fact, |fact, said| self.refine(&fact, said))
    }

    fn refine(&self, fact: &Fact, said: &Said) -> Fact {
        let other = match said {
            Said::Compared(_, other) => self.facts(*other).first(),
            Said::Among(..) => None,
        };
        refine::apply(fact, said, other, self.modes)
    }
}

/// The fixpoint.
struct Solver<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    range: Range,
    /// By value: it has facts yet, and how often they changed.
    known: Vec<bool>,
    changes: Vec<u8>,
    /// By value: blocks with a reader, by position in the order.
    readers: Csr,
    /// By value: values that some branch compares with it.
    compared: Csr,
    /// Values whose facts moved since the last sweep, that others are compared with.
    moved: Vec<u32>,
    dirty: Vec<bool>,
    order: Vec<Block>,
    /// Position of the first block that something behind it leads to; none where there are no loops.
    first_loop: Option<usize>,
    /// By edge: what holds on it.
    edges: Vec<Vec<Constraint>>,
    scratch: Scratch,
}

/// Room for one instruction: facts of its operands one after the other, where each ends, and its own.
#[derive(Default)]
struct Scratch {
    args: Vec<Fact>,
    ends: Vec<usize>,
    out: Vec<Fact>,
}

/// Whether facts may only grow, or only shrink.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl<'a> Solver<'a> {
    fn new(module: &'a Module, body: &'a FuncBody, dom: &Rc<Dom>) -> Solver<'a> {
        let cfg = dom.cfg();
        let order: Vec<Block> = cfg.rpo().to_vec();
        let mut values: Vec<Inst> = body.params().to_vec();
        for &block in &order {
            let data = body.block(block);
            values.extend(data.params.iter().chain(data.insts.iter()));
        }
        values.retain(|&value| body.tables().insts.contains(value));
        let mut seen = EntitySet::new();
        values.retain(|&value| seen.insert(value));
        let mut first = vec![0];
        let mut facts = Vec::new();
        for &value in &values {
            if let ValueType::Bits { width, components: lanes } = body.ty(value) {
                facts.extend(std::iter::repeat_n(Fact::any(width), lanes.into()));
            }
            first.push(facts.len() as u32);
        }
        let numbers = Numbering::new(values.iter().copied());
        let edges: Vec<Vec<Constraint>> = cfg.edges().map(|edge| refine::along(body, cfg, edge)).collect();
        let count = values.len();
        let pairs = compared_pairs(&numbers, &edges);
        let mut solver = Solver {
            module,
            body,
            known: vec![false; count],
            changes: vec![0; count],
            readers: Csr::from_pairs(count, reader_pairs(body, cfg, &numbers).into_iter()),
            compared: Csr::from_pairs(count, pairs.into_iter()),
            moved: Vec::new(),
            dirty: vec![true; order.len()],
            first_loop: first_loop(cfg),
            order,
            edges,
            scratch: Scratch::default(),
            range: Range {
                numbers,
                first,
                facts,
                dom: dom.clone(),
                scopes: Scopes::default(),
                modes: FloatModes::of(module),
            },
        };
        solver.collect_refinements();
        for &param in body.params() {
            solver.set_known(param);
        }
        solver
    }

    /// What holds on the only edge into a block holds in all it dominates.
    fn collect_refinements(&mut self) {
        let dom = self.range.dom.clone();
        let (cfg, tree) = (dom.cfg(), dom.tree());
        for block in dom.preorder() {
            let mut edges = cfg.in_edges(block);
            let (Some(edge), None) = (edges.next(), edges.next()) else { continue };
            let number = cfg.number(block);
            let from = tree.pre(number);
            for (value, said) in self.edges.get(edge.index()).into_iter().flatten() {
                self.range.scopes.add(*value, from, from + tree.size(number), said.clone());
            }
        }
        self.range.scopes.finish();
    }

    fn set_known(&mut self, value: Inst) {
        if let Some(known) = self.known.get_mut(self.range.numbers.of(value) as usize) {
            *known = true;
        }
    }

    /// Upward: until every fact covers what its operands say.
    fn rise(&mut self) {
        while let Some(from) = self.dirty.iter().position(|&dirty| dirty) {
            for at in from..self.order.len() {
                if std::mem::take(&mut self.dirty[at]) {
                    self.block(at, Way::Up);
                }
            }
            // What a branch compares with has moved: so may what it says, which no list of readers knows.
            for other in std::mem::take(&mut self.moved) {
                for &value in self.compared.row(other) {
                    self.readers.row(value).iter().for_each(|&reader| self.dirty[reader as usize] = true);
                }
            }
        }
    }

    /// Downward: twice once more, which stays above every run. Before the first loop nothing can change.
    fn fall(&mut self) {
        let Some(from) = self.first_loop else { return };
        self.known.fill(true);
        for _ in 0..2 {
            for at in from..self.order.len() {
                self.block(at, Way::Down);
            }
        }
    }

    /// Every value of a block anew.
    fn block(&mut self, at: usize, way: Way) {
        let block = self.order[at];
        let data = self.body.block(block);
        for (slot, &param) in data.params.iter().enumerate() {
            if let Some(facts) = self.brought(block, slot, self.range.facts(param).len()) {
                self.set(param, &facts, way);
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        for &inst in data.insts.iter() {
            if self.computed(block, inst, &mut scratch) {
                self.set(inst, &scratch.out, way);
            }
        }
        self.scratch = scratch;
    }

    /// What any edge brings for a parameter; `None` where nothing is known to come yet.
    fn brought(&self, block: Block, slot: usize, lanes: usize) -> Option<Vec<Fact>> {
        let cfg = self.range.dom.cfg();
        let mut out: Option<Vec<Fact>> = None;
        for edge in cfg.in_edges(block) {
            let from = cfg.edge(edge).from;
            if !cfg.is_reachable(from) {
                continue;
            }
            let &arg = cfg.args(self.body, edge).get(slot)?;
            if !self.is_known(arg) {
                continue;
            }
            let mut facts = self.range.facts(arg).to_vec();
            if facts.len() != lanes {
                return None;
            }
            if let [fact] = facts.as_mut_slice() {
                *fact = self.range.refined_in(arg, *fact, from);
                for (value, said) in self.edges.get(edge.index()).into_iter().flatten() {
                    if *value == arg {
                        *fact = self.range.refine(fact, said);
                    }
                }
            }
            match &mut out {
                None => out = Some(facts),
                Some(all) => all.iter_mut().zip(&facts).for_each(|(a, b)| *a = a.join(b)),
            }
        }
        out
    }

    fn is_known(&self, value: Inst) -> bool {
        // What is not in the function may be anything.
        self.known.get(self.range.numbers.of(value) as usize).copied().unwrap_or(true)
    }

    /// Writes what an instruction yields in its block; whether there is anything, which is not so while an operand
    /// has nothing yet.
    fn computed(&mut self, block: Block, inst: Inst, room: &mut Scratch) -> bool {
        let data = self.body.inst(inst);
        let ValueType::Bits { width, components: lanes } = data.ty else {
            self.set_known(inst);
            return false;
        };
        if !data.args.iter().all(|&arg| self.is_known(arg)) {
            return false;
        }
        room.out.clear();
        room.out.resize(lanes.into(), Fact::any(width));
        self.source(data, &mut room.out);
        room.args.clear();
        room.ends.clear();
        for &arg in data.args.iter() {
            match self.range.facts(arg) {
                [fact] => room.args.push(self.range.refined_in(arg, *fact, block)),
                all => room.args.extend_from_slice(all),
            }
            room.ends.push(room.args.len());
        }
        let args = Operands { facts: &room.args, ends: &room.ends };
        transfer::lanes(data, args, self.range.modes, &mut room.out);
        true
    }

    /// What begins here: constants.
    fn source(&self, data: &InstData, out: &mut [Fact]) {
        if data.op == Op::Basic(BasicOp::Const)
            && let Some(constant) = data.entity(Key::Const)
        {
            for (slot, lane) in out.iter_mut().zip(self.module.bits_of(constant).scalars()) {
                *slot = Fact::exactly(lane);
            }
        }
    }

    /// Takes new facts for a value.
    fn set(&mut self, value: Inst, facts: &[Fact], way: Way) {
        let number = self.range.numbers.of(value) as usize;
        let Some(&first) = self.range.first.get(number) else { return };
        let Some(old) = self.range.facts.get_mut(first as usize..first as usize + facts.len()) else {
            return;
        };
        let new_here = !std::mem::replace(&mut self.known[number], true);
        let mut changed = new_here;
        let patience_is_out = self.changes[number] >= PATIENCE;
        for (old, new) in old.iter_mut().zip(facts) {
            let next = match way {
                Way::Up if new_here => *new,
                Way::Up => {
                    let grown = old.join(new);
                    if patience_is_out && grown != *old { old.widened(&grown) } else { grown }
                }
                Way::Down => old.meet(new).unwrap_or(*old),
            };
            changed |= next != *old;
            *old = next;
        }
        if !changed {
            return;
        }
        self.changes[number] = self.changes[number].saturating_add(1);
        // In code without loops every reader is still to come.
        if self.first_loop.is_none() {
            return;
        }
        self.readers.row(number as u32).iter().for_each(|&reader| self.dirty[reader as usize] = true);
        // Before it was known it might have been anything: what was computed by that covers what is known now.
        if !new_here && !self.compared.row(number as u32).is_empty() {
            self.moved.push(number as u32);
        }
    }
}

/// Pairs of the number of a value and the position of a block that reads it, or is brought it.
fn reader_pairs(body: &FuncBody, cfg: &Cfg, numbers: &Numbering<Inst>) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (at, &block) in cfg.rpo().iter().enumerate() {
        let read = body.block(block).insts.iter().flat_map(|&inst| body.inst(inst).args.iter());
        let brought = cfg.in_edges(block).flat_map(|edge| cfg.args(body, edge));
        let known = read.chain(brought).map(|&value| numbers.of(value)).filter(|&number| number != NONE);
        pairs.extend(known.map(|number| (number, at as u32)));
    }
    pairs
}

/// Pairs of the number of a value and of one that a branch compares with it.
fn compared_pairs(numbers: &Numbering<Inst>, edges: &[Vec<Constraint>]) -> Vec<(u32, u32)> {
    let number = |(value, said): &Constraint| match said {
        Said::Compared(_, other) => Some((numbers.of(*other), numbers.of(*value))),
        Said::Among(..) => None,
    };
    let pairs = edges.iter().flatten().filter_map(number);
    pairs.filter(|&(other, value)| other != NONE && value != NONE).collect()
}

/// Position in reverse post-order of the first block that has an edge from behind.
fn first_loop(cfg: &Cfg) -> Option<usize> {
    let from_behind = |&(at, &block): &(usize, &Block)| {
        cfg.preds(block).filter_map(|pred| cfg.rpo_index(pred)).any(|pred| pred >= at)
    };
    cfg.rpo().iter().enumerate().find(from_behind).map(|(at, _)| at)
}

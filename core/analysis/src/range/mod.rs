//! Range analysis: known bits, integer intervals and float properties of each value.
//!
//! For each component of each value the result is a [`Fact`]: known bits, the interval of the value as an
//! unsigned and as a signed integer, and its properties as a float (interval, NaN, -0, integral). A fact
//! holds for every execution and all inputs, with the semantics of operations defined in `ops`; tests check
//! the facts against the interpreter.
//!
//! ```text
//! %n = umin %anything, 8        0..=8
//! loop (%i = 0)                 0..=8       %i < %n decides the loop
//!   … %i in here                0..=7       [`Range::at`] uses the branches on the path
//! ```
//!
//! A fixpoint over values in reverse post-order. Ascending first: a parameter is the join over all edges, and
//! an interval bound that has moved four times is widened to the limit (Cousot and Cousot 1977). Then two
//! descending iterations recover the bounds given by loop conditions. Code without loops is visited once.
//! Branches refine the values they compare on the edges they decide (`refine`), up to eight conditions for
//! one value (`scopes`). Cost: a small multiple of the number of operands; components are analyzed
//! separately.
//!
//! Nothing is known of memory: a load may yield anything. The same holds for calls, textures, other
//! invocations, and promises of the program (`assume`, flags such as `nnan`): a broken promise is undefined,
//! not impossible.

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
use refine::{Constraint, Refinement};
use scopes::Scopes;
use std::rc::Rc;
use transfer::Operands;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::{BasicOp, Key, Op, ValueType};
use vitrine_ir::{Block, Func, FuncBody, Inst, InstData, Module};

/// Number of moves of an interval bound before it is widened.
const PATIENCE: u8 = 4;

/// A fact for each component of each value of a function.
#[derive(Clone, Debug)]
pub struct Range {
    numbers: Numbering<Inst>,
    /// The start of the components of each value in `facts`, and the end of the last.
    first: Vec<u32>,
    facts: Vec<Fact>,
    dom: Rc<Dom>,
    /// Refinements of values by branches.
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

    /// The facts for the components of a value that hold wherever it is computed; empty for an opaque value
    /// and for values of another function.
    pub fn facts(&self, value: Inst) -> &[Fact] {
        let at = self.numbers.of(value) as usize;
        match (self.first.get(at), self.first.get(at.saturating_add(1))) {
            (Some(&from), Some(&to)) => self.facts.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The fact for a scalar value in a block, refined by the branches that dominate the block; `None` if the
    /// value is not a scalar.
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
        self.scopes.at(value, place).fold(fact, |fact, refinement| self.refine(&fact, refinement))
    }

    fn refine(&self, fact: &Fact, refinement: &Refinement) -> Fact {
        let other = match refinement {
            Refinement::Compared(_, other) => self.facts(*other).first(),
            Refinement::Among(..) => None,
        };
        refine::apply(fact, refinement, other, self.modes)
    }
}

/// The fixpoint.
struct Solver<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    range: Range,
    /// By value: if it has facts yet, and how often they changed.
    known: Vec<bool>,
    changes: Vec<u8>,
    /// By value: blocks that use it, by position in the order.
    readers: Csr,
    /// By value: values that some branch compares with it.
    compared: Csr,
    /// Values used in comparisons whose facts moved since the last sweep.
    moved: Vec<u32>,
    dirty: Vec<bool>,
    order: Vec<Block>,
    /// Position of the first block with a back edge into it; none in code without loops.
    first_loop: Option<usize>,
    /// By edge: the constraints that hold on it.
    edges: Vec<Vec<Constraint>>,
    scratch: Scratch,
}

/// Buffers for one instruction: concatenated facts of its operands, the end of each, and its own.
#[derive(Default)]
struct Scratch {
    args: Vec<Fact>,
    ends: Vec<usize>,
    out: Vec<Fact>,
}

/// The direction of the iteration: facts only grow, or only shrink.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
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
            if let ValueType::Bits { width, components } = body.ty(value) {
                facts.extend(std::iter::repeat_n(Fact::any(width), components.into()));
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

    /// The constraints on the only edge into a block hold in all blocks it dominates.
    fn collect_refinements(&mut self) {
        let dom = self.range.dom.clone();
        let (cfg, tree) = (dom.cfg(), dom.tree());
        for block in dom.preorder() {
            let mut edges = cfg.in_edges(block);
            let (Some(edge), None) = (edges.next(), edges.next()) else { continue };
            let number = cfg.number(block);
            let from = tree.pre(number);
            for (value, refinement) in self.edges.get(edge.index()).into_iter().flatten() {
                self.range.scopes.add(*value, from, from + tree.size(number), refinement.clone());
            }
        }
        self.range.scopes.finish();
    }

    fn set_known(&mut self, value: Inst) {
        if let Some(known) = self.known.get_mut(self.range.numbers.of(value) as usize) {
            *known = true;
        }
    }

    /// Ascending: until every fact covers the result of its operands.
    fn rise(&mut self) {
        while let Some(from) = self.dirty.iter().position(|&dirty| dirty) {
            for at in from..self.order.len() {
                if std::mem::take(&mut self.dirty[at]) {
                    self.block(at, Direction::Up);
                }
            }
            // A compared value has moved, so refinements by the comparison may have too; the lists of users
            // do not contain them.
            for other in std::mem::take(&mut self.moved) {
                for &value in self.compared.row(other) {
                    self.readers.row(value).iter().for_each(|&reader| self.dirty[reader as usize] = true);
                }
            }
        }
    }

    /// Descending: two more sweeps, which stay above every execution. Nothing can change before the first
    /// loop.
    fn fall(&mut self) {
        let Some(from) = self.first_loop else { return };
        self.known.fill(true);
        for _ in 0..2 {
            for at in from..self.order.len() {
                self.block(at, Direction::Down);
            }
        }
    }

    /// Recomputes every value of a block.
    fn block(&mut self, at: usize, direction: Direction) {
        let block = self.order[at];
        let data = self.body.block(block);
        for (slot, &param) in data.params.iter().enumerate() {
            if let Some(facts) = self.brought(block, slot, self.range.facts(param).len()) {
                self.set(param, &facts, direction);
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        for &inst in data.insts.iter() {
            if self.computed(block, inst, &mut scratch) {
                self.set(inst, &scratch.out, direction);
            }
        }
        self.scratch = scratch;
    }

    /// The join over all edges for a parameter; `None` if no edge has a known value yet.
    fn brought(&self, block: Block, slot: usize, components: usize) -> Option<Vec<Fact>> {
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
            if facts.len() != components {
                return None;
            }
            if let [fact] = facts.as_mut_slice() {
                *fact = self.range.refined_in(arg, *fact, from);
                for (value, refinement) in self.edges.get(edge.index()).into_iter().flatten() {
                    if *value == arg {
                        *fact = self.range.refine(fact, refinement);
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
        // A value that is not in the function may be anything.
        self.known.get(self.range.numbers.of(value) as usize).copied().unwrap_or(true)
    }

    /// Writes the result of an instruction in its block. Returns false if an operand has no facts yet.
    fn computed(&mut self, block: Block, inst: Inst, room: &mut Scratch) -> bool {
        let data = self.body.inst(inst);
        let ValueType::Bits { width, components } = data.ty else {
            self.set_known(inst);
            return false;
        };
        if !data.args.iter().all(|&arg| self.is_known(arg)) {
            return false;
        }
        room.out.clear();
        room.out.resize(components.into(), Fact::any(width));
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
        transfer::components(data, args, self.range.modes, &mut room.out);
        true
    }

    /// Values without operands: constants.
    fn source(&self, data: &InstData, out: &mut [Fact]) {
        if data.op == Op::Basic(BasicOp::Const)
            && let Some(constant) = data.entity(Key::Const)
        {
            for (slot, component) in out.iter_mut().zip(self.module.bits_of(constant).scalars()) {
                *slot = Fact::exactly(component);
            }
        }
    }

    /// Stores new facts of a value.
    fn set(&mut self, value: Inst, facts: &[Fact], direction: Direction) {
        let number = self.range.numbers.of(value) as usize;
        let Some(&first) = self.range.first.get(number) else { return };
        let Some(old) = self.range.facts.get_mut(first as usize..first as usize + facts.len()) else {
            return;
        };
        let new_here = !std::mem::replace(&mut self.known[number], true);
        let mut changed = new_here;
        let patience_is_out = self.changes[number] >= PATIENCE;
        for (old, new) in old.iter_mut().zip(facts) {
            let next = match direction {
                Direction::Up if new_here => *new,
                Direction::Up => {
                    let grown = old.join(new);
                    if patience_is_out && grown != *old { old.widened(&grown) } else { grown }
                }
                Direction::Down => old.meet(new).unwrap_or(*old),
            };
            changed |= next != *old;
            *old = next;
        }
        if !changed {
            return;
        }
        self.changes[number] = self.changes[number].saturating_add(1);
        // In code without loops every user is still to come.
        if self.first_loop.is_none() {
            return;
        }
        self.readers.row(number as u32).iter().for_each(|&reader| self.dirty[reader as usize] = true);
        // Before it was known it counted as anything, and the results computed with that cover the present
        // fact.
        if !new_here && !self.compared.row(number as u32).is_empty() {
            self.moved.push(number as u32);
        }
    }
}

/// Pairs of the number of a value and the position of a block that uses it, or receives it on an edge.
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

/// Pairs of the number of a value and of another that a branch compares with it.
fn compared_pairs(numbers: &Numbering<Inst>, edges: &[Vec<Constraint>]) -> Vec<(u32, u32)> {
    let number = |(value, refinement): &Constraint| match refinement {
        Refinement::Compared(_, other) => Some((numbers.of(*other), numbers.of(*value))),
        Refinement::Among(..) => None,
    };
    let pairs = edges.iter().flatten().filter_map(number);
    pairs.filter(|&(other, value)| other != NONE && value != NONE).collect()
}

/// Position in reverse post-order of the first block with a back edge into it.
fn first_loop(cfg: &Cfg) -> Option<usize> {
    let has_back_edge = |&(at, &block): &(usize, &Block)| {
        cfg.preds(block).filter_map(|pred| cfg.rpo_index(pred)).any(|pred| pred >= at)
    };
    cfg.rpo().iter().enumerate().find(has_back_edge).map(|(at, _)| at)
}

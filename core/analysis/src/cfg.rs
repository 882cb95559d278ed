//! The control-flow graph of a function of either shape.
//!
//! ```text
//! ^0: branch %0, ^1, ^2      ^0 -> ^1 if true, ^0 -> ^2 if false
//! ^1: goto ^2                ^1 -> ^2
//! ```
//!
//! Derived on demand, never stored. Total on invalid programs: edges that cannot be followed are listed in
//! [`Cfg::broken`]. Internally a block is its number: its position in reverse post-order, with unreachable
//! blocks last.

use super::flow::{EdgeKind, Flow};
use super::graph::{Csr, Dfs, NONE};
use super::numbering::Numbering;
use super::{Analyses, Analysis, Reads};
use vitrine_ir::base::{EntityId, entity};
use vitrine_ir::{Block, Func, FuncBody, Inst, Module, Node, Terminator};

entity! {
    /// An edge of a [`Cfg`], ordered by its source in [`Cfg::blocks`] and then by its position in the
    /// terminator.
    pub struct EdgeId = '>';
}

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdgeData {
    /// The source.
    pub from: Block,
    /// The target.
    pub to: Block,
    /// The kind.
    pub kind: EdgeKind,
    /// The index of the edge in the terminator (`Terminator::edges`), of the region of the `if` or of the arm
    /// of the switch; otherwise 0.
    pub slot: u32,
}

/// A control-flow graph. Parallel edges between two blocks are kept.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Reverse post-order, then unreachable blocks in text order.
    blocks: Vec<Block>,
    numbers: Numbering<Block>,
    reachable: usize,
    succ: Csr,
    pred: Csr,
    /// The edge of each entry of `pred`.
    pred_edges: Vec<u32>,
    edges: Vec<(u32, EdgeKind, u32)>,
    enters: Vec<Option<Node>>,
    exits: Vec<Block>,
    broken: Vec<Block>,
}

impl Analysis for Cfg {
    const NAME: &'static str = "cfg";
    const READS: Reads = Reads::Control;

    fn compute(_: &Module, _: Func, body: &FuncBody, _: &mut Analyses) -> Cfg {
        Cfg::of(body)
    }
}

impl Cfg {
    /// Builds the graph of a function, valid or not. `O(blocks + nodes + edges)`; 1,000 blocks take about 40
    /// µs.
    ///
    /// For a body that is not the current version of a function in a module: a copy that a pass is rebuilding, or one side of a
    /// comparison. Such a copy has no cache. [`Analyses::get`] has the graph of a function in a module.
    pub fn of(body: &FuncBody) -> Cfg {
        let flow = Flow::of(body);
        let count = flow.blocks.len();
        let text = Csr::from_pairs(count, flow.edges.iter().map(|edge| (edge.from, edge.to)));
        let (order, reachable) = reverse_post_order(&text, flow.entry);
        let mut number = vec![NONE; count];
        for (at, &index) in order.iter().enumerate() {
            number[index as usize] = at as u32;
        }
        let mut edges = Vec::with_capacity(flow.edges.len());
        let mut to = Vec::with_capacity(flow.edges.len());
        let mut ends = Vec::with_capacity(count);
        for &index in &order {
            for edge in &flow.edges[text.range(index)] {
                edges.push((number[index as usize], edge.kind, edge.slot));
                to.push(number[edge.to as usize]);
            }
            ends.push(to.len() as u32);
        }
        let succ = Csr::from_ends(ends, to);
        let by_target = || succ.entries().iter().zip(0u32..).map(|(&to, edge)| (to, edge));
        let pred_edges = Csr::from_pairs(count, by_target()).entries().to_vec();
        let blocks: Vec<Block> = order.iter().map(|&index| flow.blocks[index as usize]).collect();
        let numbers = Numbering::new(blocks.iter().copied());
        let exits =
            (0..reachable).filter(|&at| succ.row(at as u32).is_empty()).map(|at| blocks[at]).collect();
        Cfg {
            pred: succ.reversed(),
            enters: order.iter().map(|&index| flow.enters[index as usize]).collect(),
            broken: once_each(flow.broken),
            blocks,
            numbers,
            reachable,
            succ,
            pred_edges,
            edges,
            exits,
        }
    }

    /// The entry block of the function.
    pub fn entry(&self) -> Option<Block> {
        self.rpo().first().copied()
    }

    /// Every block: reverse post-order, then the unreachable ones in text order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The reachable blocks in reverse post-order: a block comes before the blocks it dominates, and the
    /// subgraph of the first successor before that of the second.
    pub fn rpo(&self) -> &[Block] {
        &self.blocks[..self.reachable]
    }

    /// The blocks not reachable from the entry, in text order.
    pub fn unreachable(&self) -> &[Block] {
        &self.blocks[self.reachable..]
    }

    /// Reachable blocks without successors, in reverse post-order: blocks that return or stop, or are broken.
    pub fn exits(&self) -> &[Block] {
        &self.exits
    }

    /// Blocks of an invalid program that cannot be followed: a terminator of the other shape, a target that
    /// is not in the function, a label that does not enclose the block, `next` at the end of the function;
    /// and blocks that are missing or occur twice. Each once, in the order found.
    pub fn broken(&self) -> &[Block] {
        &self.broken
    }

    /// Number of blocks, unreachable ones included.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Returns true if there is no block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns true if the block is part of the function.
    pub fn contains(&self, block: Block) -> bool {
        self.number(block) != NONE
    }

    /// Returns true if the block is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        (self.number(block) as usize) < self.reachable
    }

    /// Position of the block in [`Cfg::rpo`].
    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        Some(self.number(block) as usize).filter(|&at| at < self.reachable)
    }

    /// Successors in the order of the terminator; a block appears twice if two edges lead to it.
    pub fn succs(&self, block: Block) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + '_ {
        self.row(&self.succ, block).iter().map(|&to| self.blocks[to as usize])
    }

    /// Predecessors in the order of [`Cfg::in_edges`]; a block appears twice if it has two edges to this one.
    pub fn preds(&self, block: Block) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + '_ {
        self.row(&self.pred, block).iter().map(|&from| self.blocks[from as usize])
    }

    /// Edges out of a block in the order of the terminator.
    pub fn out_edges(&self, block: Block) -> impl DoubleEndedIterator<Item = EdgeId> + use<> {
        let at = self.number(block);
        let range = if at == NONE { 0..0 } else { self.succ.range(at) };
        range.map(EdgeId::from_index)
    }

    /// Edges into a block in order of their ids.
    pub fn in_edges(&self, block: Block) -> impl DoubleEndedIterator<Item = EdgeId> + '_ {
        let at = self.number(block);
        let range = if at == NONE { 0..0 } else { self.pred.range(at) };
        self.pred_edges[range].iter().map(|&edge| EdgeId::from_index(edge as usize))
    }

    /// Every edge.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = EdgeId> + use<> {
        (0..self.edges.len()).map(EdgeId::from_index)
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// An edge. Panics for an id of another graph.
    pub fn edge(&self, edge: EdgeId) -> EdgeData {
        let (from, kind, slot) = self.edges[edge.index()];
        let to = self.succ.entries()[edge.index()];
        EdgeData { from: self.blocks[from as usize], to: self.blocks[to as usize], kind, slot }
    }

    /// The values an edge passes to the parameters of its target. `body` is the function the graph belongs
    /// to.
    ///
    /// In a tree, all edges of a terminator pass the same values; only a loop or the block after a node takes
    /// any.
    pub fn args<'a>(&self, body: &'a FuncBody, edge: EdgeId) -> &'a [Inst] {
        let EdgeData { from, slot, .. } = self.edge(edge);
        let Some(data) = body.tables().blocks.get(from) else { return &[] };
        match &data.terminator {
            Terminator::Next(args) | Terminator::Break(_, args) | Terminator::Continue(_, args) => args,
            Terminator::Goto(edge) => &edge.args,
            Terminator::Branch { then, els, .. } => {
                if slot == 0 {
                    &then.args
                } else {
                    &els.args
                }
            }
            Terminator::Switch { cases, default, .. } => {
                cases.get(slot as usize).map_or(&default.args, |case| &case.edge.args)
            }
            Terminator::Return(_) | Terminator::Stop(_) => &[],
        }
    }

    /// The node of a tree that is entered by `next` at the end of the block, which computes its condition.
    pub fn enters(&self, block: Block) -> Option<Node> {
        self.enters.get(self.number(block) as usize).copied().flatten()
    }

    fn row<'a>(&self, rows: &'a Csr, block: Block) -> &'a [u32] {
        match self.number(block) {
            NONE => &[],
            at => rows.row(at),
        }
    }

    /// The number of a block; `NONE` for a block of another function.
    pub(super) fn number(&self, block: Block) -> u32 {
        self.numbers.of(block)
    }

    /// The number of a reachable block; otherwise `NONE`.
    pub(super) fn reachable_number(&self, block: Block) -> u32 {
        let at = self.number(block);
        if (at as usize) < self.reachable { at } else { NONE }
    }

    /// The block with a number; `None` for `NONE`.
    pub(super) fn block(&self, number: u32) -> Option<Block> {
        self.blocks.get(number as usize).copied()
    }

    /// Number of reachable blocks; their numbers are the first ones.
    pub(super) fn reachable(&self) -> u32 {
        self.reachable as u32
    }

    /// Successors by number.
    pub(super) fn succ(&self) -> &Csr {
        &self.succ
    }

    /// Predecessors by number, unreachable ones among them.
    pub(super) fn pred(&self) -> &Csr {
        &self.pred
    }
}

/// Indices in the order of the numbers they get, and the number of reachable ones.
fn reverse_post_order(text: &Csr, entry: Option<u32>) -> (Vec<u32>, usize) {
    let Some(entry) = entry else { return ((0..text.rows() as u32).collect(), 0) };
    let dfs = Dfs::of(text, entry);
    let unreachable = (0..text.rows() as u32).filter(|&at| dfs.number[at as usize] == NONE);
    (dfs.post.iter().rev().copied().chain(unreachable).collect(), dfs.post.len())
}

fn once_each(mut list: Vec<Block>) -> Vec<Block> {
    let mut seen = vitrine_ir::base::EntitySet::new();
    list.retain(|&block| seen.insert(block));
    list
}

#[cfg(test)]
#[path = "cfg_tests.rs"]
mod tests;

//! Dominance frontiers.
//!
//! ```text
//! ^0 -> ^1, ^2    ^1 -> ^3    ^2 -> ^3
//! ^3 is in the frontiers of ^1 and ^2: a value defined in ^1 merges with others there
//! ```
//!
//! The total size of all frontiers may be quadratic (nested loops with breaks out of every level). The
//! iterated frontier of a set of blocks, which is what inserting parameters needs, is computed without them.

use super::graph::{Csr, NONE};
use super::{Analyses, Analysis, Cfg, Dom, Reads};
use std::rc::Rc;
use vitrine_ir::{Block, Func, FuncBody, Module};

/// The dominance frontier of every block, as defined by Cytron et al. (1991): the blocks that it does not
/// strictly dominate but that have a predecessor it dominates.
#[derive(Clone, Debug)]
pub struct Frontiers {
    dom: Rc<Dom>,
    rows: Csr,
}

impl Analysis for Frontiers {
    const NAME: &'static str = "frontiers";
    const READS: Reads = Reads::Control;

    fn compute(module: &Module, func: Func, _: &FuncBody, cx: &mut Analyses) -> Frontiers {
        Frontiers::of(&cx.get::<Dom>(module, func))
    }
}

impl Frontiers {
    /// Computes the frontiers by walking up from each edge (Cooper, Harvey and Kennedy, 2001). Linear in the
    /// edges and the size of the result.
    pub fn of(dom: &Rc<Dom>) -> Frontiers {
        let cfg = dom.cfg();
        let mut pairs = Vec::new();
        let mut latest = vec![NONE; cfg.len()];
        for at in 0..cfg.reachable() {
            let stop = dom.tree().parent(at);
            for &from in cfg.pred().row(at) {
                let mut runner = if from < cfg.reachable() { from } else { stop };
                while runner != stop && runner != NONE && latest[runner as usize] != at {
                    latest[runner as usize] = at;
                    pairs.push((runner, at));
                    runner = dom.tree().parent(runner);
                }
            }
        }
        Frontiers { rows: Csr::from_pairs(cfg.len(), pairs.iter().copied()), dom: dom.clone() }
    }

    /// The frontier of a block in reverse post-order; empty for unreachable blocks.
    pub fn of_block(&self, block: Block) -> impl DoubleEndedIterator<Item = Block> + '_ {
        let cfg = self.dom.cfg();
        let row = match cfg.reachable_number(block) {
            NONE => &[][..],
            at => self.rows.row(at),
        };
        row.iter().filter_map(move |&at| cfg.block(at))
    }
}

impl Dom {
    /// The iterated frontier of a set of blocks in reverse post-order: the blocks that need a parameter for a
    /// value that is defined in each block of the set. Unreachable blocks in the set do not count.
    ///
    /// `O(V + E)` for each query, by Sreedhar and Gao, "A linear time algorithm for placing φ-nodes" (1995).
    pub fn iterated_frontier(&self, defs: &[Block]) -> Vec<Block> {
        let cfg: &Cfg = self.cfg();
        let mut search = Placing {
            dom: self,
            bank: Vec::new(),
            level: 0,
            visited: vec![false; cfg.len()],
            placed: vec![false; cfg.len()],
            banked: vec![false; cfg.len()],
        };
        for at in defs.iter().map(|&block| cfg.reachable_number(block)).filter(|&at| at != NONE) {
            search.put(at);
        }
        while let Some(root) = search.take_deepest() {
            search.walk(root);
        }
        (0..cfg.reachable()).filter(|&at| search.placed[at as usize]).filter_map(|at| cfg.block(at)).collect()
    }
}

/// The "piggy bank": blocks to visit, by depth in the dominator tree, the deepest first.
struct Placing<'a> {
    dom: &'a Dom,
    bank: Vec<Vec<u32>>,
    level: usize,
    visited: Vec<bool>,
    placed: Vec<bool>,
    banked: Vec<bool>,
}

impl Placing<'_> {
    fn put(&mut self, at: u32) {
        if std::mem::replace(&mut self.banked[at as usize], true) {
            return;
        }
        let level = self.dom.tree().depth(at) as usize;
        if level >= self.bank.len() {
            self.bank.resize_with(level + 1, Vec::new);
        }
        self.bank[level].push(at);
        self.level = self.level.max(level);
    }

    /// Depths only decrease: visiting a block adds none deeper than it.
    fn take_deepest(&mut self) -> Option<u32> {
        loop {
            if let Some(at) = self.bank.get_mut(self.level)?.pop() {
                return Some(at);
            }
            self.level = self.level.checked_sub(1)?;
        }
    }

    /// Visits the blocks that `root` dominates, except those visited from a deeper root.
    fn walk(&mut self, root: u32) {
        let cfg = self.dom.cfg();
        let tree = self.dom.tree();
        let depth = tree.depth(root);
        let mut work = vec![root];
        self.visited[root as usize] = true;
        while let Some(at) = work.pop() {
            for &to in cfg.succ().row(at) {
                let leaves = tree.parent(to) != at && tree.depth(to) <= depth;
                if leaves && !std::mem::replace(&mut self.placed[to as usize], true) {
                    self.put(to);
                }
            }
            for &child in self.dom.child_rows().row(at) {
                if !std::mem::replace(&mut self.visited[child as usize], true) {
                    work.push(child);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, graph_body, random_graph};
    use std::collections::BTreeSet;

    /// The definition, literally.
    fn naive(dom: &Dom, block: Block) -> BTreeSet<Block> {
        let cfg = dom.cfg();
        let ends = |&y: &Block| {
            cfg.preds(y).any(|pred| dom.dominates(block, pred)) && !dom.strictly_dominates(block, y)
        };
        cfg.rpo().iter().copied().filter(ends).collect()
    }

    #[test]
    fn frontiers_are_those_of_the_definition() {
        let mut random = Random::new(5);
        for _ in 0..2_000 {
            let rows = random_graph(&mut random, 14);
            let dom = Rc::new(Dom::of(&Rc::new(Cfg::of(&graph_body(&rows)))));
            let frontiers = Frontiers::of(&dom);
            for &block in dom.cfg().blocks() {
                let ours: Vec<Block> = frontiers.of_block(block).collect();
                assert_eq!(ours.iter().copied().collect::<BTreeSet<_>>(), naive(&dom, block), "{rows:?}");
                assert!(ours.is_sorted_by_key(|&block| dom.cfg().rpo_index(block)));
            }
        }
    }

    #[test]
    fn the_iterated_frontier_is_the_fixpoint() {
        let mut random = Random::new(6);
        for _ in 0..2_000 {
            let rows = random_graph(&mut random, 14);
            let dom = Dom::of(&Rc::new(Cfg::of(&graph_body(&rows))));
            let blocks = dom.cfg().rpo();
            let defs: Vec<Block> = blocks.iter().copied().filter(|_| random.below(4) == 0).collect();
            let mut want = BTreeSet::new();
            let mut work = defs.clone();
            while let Some(block) = work.pop() {
                work.extend(naive(&dom, block).into_iter().filter(|&at| want.insert(at)));
            }
            let ours = dom.iterated_frontier(&defs);
            assert_eq!(ours.into_iter().collect::<BTreeSet<_>>(), want, "{rows:?} {defs:?}");
        }
    }
}

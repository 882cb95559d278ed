//! Post-dominators: dominators of the reversed graph, entered at a virtual exit.
//!
//! ```text
//! ^0 -> ^1, ^2    ^1 -> ^3    ^2 -> ^3
//! ^3 post-dominates all: every path from ^0 passes through it
//! ```
//!
//! Every block without successors has an edge to the virtual exit. A part of the graph that never reaches it
//! (an infinite loop) gets an assumed edge: from each strongly connected component without outgoing edges,
//! the block that is last in reverse post-order leads to the virtual exit, as if the loop could end after an
//! iteration.

use super::dom::idoms;
use super::graph::{Csr, Forest, NONE, components};
use super::{Analyses, Analysis, Cfg, Reads};
use std::rc::Rc;
use vitrine_ir::base::sort_by_number;
use vitrine_ir::{Block, Func, FuncBody, Module};

/// Immediate post-dominators and their tree.
#[derive(Clone, Debug)]
pub struct PostDom {
    cfg: Rc<Cfg>,
    tree: Forest,
    children: Csr,
    assumed: Vec<Block>,
}

impl Analysis for PostDom {
    const NAME: &'static str = "postdom";
    const READS: Reads = Reads::Control;

    fn compute(module: &Module, func: Func, _: &FuncBody, cx: &mut Analyses) -> PostDom {
        PostDom::of(&cx.get::<Cfg>(module, func))
    }
}

impl PostDom {
    /// Computes it. `O(E log V)`.
    pub fn of(cfg: &Rc<Cfg>) -> PostDom {
        let exit = cfg.reachable();
        let assumed = endless(cfg);
        let leaving = (0..exit).filter(|&at| cfg.succ().row(at).is_empty()).chain(assumed.iter().copied());
        let leaving: Vec<(u32, u32)> = leaving.map(|at| (at, exit)).collect();
        let inside = cfg.succ().pairs().take_while(|&(from, _)| from < exit);
        let forward = Csr::from_pairs(exit as usize + 1, inside.chain(leaving.iter().copied()));
        let (dfs, ipdom) = idoms(&forward.reversed(), &forward, exit);
        let children = (0..exit).map(|at| (ipdom[at as usize], at));
        PostDom {
            children: Csr::from_pairs(exit as usize + 1, children),
            tree: Forest::new(&dfs.order, ipdom),
            assumed: assumed.iter().filter_map(|&at| cfg.block(at)).collect(),
            cfg: cfg.clone(),
        }
    }

    /// The immediate post-dominator; `None` if that is the end of the function, and for unreachable blocks.
    /// `O(1)`.
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        self.number(block).and_then(|at| self.block(self.tree.parent(at)))
    }

    /// Returns true if every path from `b` to the end passes through `a`; a block post-dominates itself.
    /// `O(1)`. False if either is unreachable.
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        let (Some(a), Some(b)) = (self.number(a), self.number(b)) else { return false };
        self.tree.covers(a, b)
    }

    /// The blocks whose immediate post-dominator this is, in reverse post-order.
    pub fn children(&self, block: Block) -> impl DoubleEndedIterator<Item = Block> + '_ {
        let row = self.number(block).map_or(&[][..], |at| self.children.row(at));
        row.iter().filter_map(|&at| self.block(at))
    }

    /// The nearest block that post-dominates both: the merge block of diverging paths. `None` if they merge
    /// only at the end of the function. `O(log V)`.
    pub fn nearest_common(&self, a: Block, b: Block) -> Option<Block> {
        self.block(self.tree.nearest_common(self.number(a)?, self.number(b)?))
    }

    /// Blocks of infinite loops that are assumed to lead to the end of the function.
    pub fn assumed_exits(&self) -> &[Block] {
        &self.assumed
    }

    /// Number of strict post-dominators of the block, not counting the virtual exit.
    pub fn depth(&self, block: Block) -> u32 {
        self.number(block).map_or(0, |at| self.tree.depth(at).saturating_sub(1))
    }

    fn number(&self, block: Block) -> Option<u32> {
        Some(self.cfg.reachable_number(block)).filter(|&at| at != NONE)
    }

    fn block(&self, number: u32) -> Option<Block> {
        // The virtual exit has the number of the first unreachable block.
        if number < self.cfg.reachable() { self.cfg.block(number) } else { None }
    }
}

/// One block of each strongly connected component that has no outgoing edge and no end.
fn endless(cfg: &Cfg) -> Vec<u32> {
    let count = cfg.reachable();
    let mut ends = vec![false; count as usize];
    let mut work: Vec<u32> = (0..count).filter(|&at| cfg.succ().row(at).is_empty()).collect();
    work.iter().for_each(|&at| ends[at as usize] = true);
    while let Some(at) = work.pop() {
        for &from in cfg.pred().row(at) {
            if from < count && !ends[from as usize] {
                ends[from as usize] = true;
                work.push(from);
            }
        }
    }
    if ends.iter().all(|&ends| ends) {
        return Vec::new();
    }
    let (component, found) = components(cfg.succ(), |at| at < count && !ends[at as usize]);
    let mut last = vec![NONE; found as usize];
    let mut left = vec![false; found as usize];
    for at in (0..count).filter(|&at| !ends[at as usize]) {
        let own = component[at as usize];
        last[own as usize] = at;
        left[own as usize] |= cfg.succ().row(at).iter().any(|&to| component[to as usize] != own);
    }
    let mut assumed: Vec<u32> =
        last.into_iter().zip(left).filter(|(_, left)| !left).map(|(at, _)| at).collect();
    sort_by_number(&mut assumed, |&at| at.into());
    assumed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, graph_body, random_graph};
    use vitrine_ir::base::EntityId;

    fn post_dom(rows: &[Vec<u32>]) -> PostDom {
        PostDom::of(&Rc::new(Cfg::of(&graph_body(rows))))
    }

    fn b(index: usize) -> Block {
        Block::from_index(index)
    }

    #[test]
    fn diverging_paths_merge() {
        let post = post_dom(&[vec![1, 2], vec![3], vec![3], vec![]]);
        assert_eq!(post.ipdom(b(0)), Some(b(3)));
        assert_eq!(post.nearest_common(b(1), b(2)), Some(b(3)));
        assert!(post.post_dominates(b(3), b(1)) && !post.post_dominates(b(1), b(0)));
        assert_eq!(post.ipdom(b(3)), None);
        assert!(post.assumed_exits().is_empty());
    }

    #[test]
    fn an_infinite_loop_is_assumed_to_end_after_an_iteration() {
        let post = post_dom(&[vec![1, 4], vec![2], vec![3], vec![1], vec![]]);
        assert_eq!(post.assumed_exits(), [b(3)]);
        assert_eq!(post.ipdom(b(1)), Some(b(2)));
        assert_eq!(post.ipdom(b(3)), None);
        assert_eq!(post.ipdom(b(0)), None);
    }

    #[test]
    fn agrees_with_dominators_of_the_reversed_graph() {
        let mut random = Random::new(4);
        for _ in 0..2_000 {
            let rows = random_graph(&mut random, 20);
            let cfg = Rc::new(Cfg::of(&graph_body(&rows)));
            let post = PostDom::of(&cfg);
            let mut turned = petgraph::graph::DiGraph::<(), ()>::new();
            let nodes: Vec<_> = (0..=rows.len()).map(|_| turned.add_node(())).collect();
            let exit = nodes[rows.len()];
            for edge in cfg.edges().map(|edge| cfg.edge(edge)) {
                if cfg.is_reachable(edge.from) {
                    turned.add_edge(nodes[edge.to.index()], nodes[edge.from.index()], ());
                }
            }
            for block in cfg.exits().iter().chain(post.assumed_exits()) {
                turned.add_edge(exit, nodes[block.index()], ());
            }
            let theirs = petgraph::algo::dominators::simple_fast(&turned, exit);
            for &block in cfg.rpo() {
                let want = theirs.immediate_dominator(nodes[block.index()]).expect("gets to the end");
                let want = (want != exit).then(|| b(want.index()));
                assert_eq!(post.ipdom(block), want, "{rows:?} {block}");
            }
        }
    }
}

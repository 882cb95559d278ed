//! Structurization metrics (section 2.15 of the structurizer study).
//!
//! Counts refer to the tree as it is; the additions that a target needs are counted by `lower-exits`.

use super::dispatch::Dispatched;
use std::rc::Rc;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::{Block, FuncBody, MergeInfo, Nesting, Node, NodeKind, Terminator, TreeStep, TreeWalk};

/// Metrics of one function; [`Metrics::add`] sums them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Metrics {
    /// Reachable blocks before structurization.
    pub blocks_in: u32,
    /// Blocks after it.
    pub blocks_out: u32,
    /// Instructions in reachable blocks before it.
    pub insts_in: u32,
    /// Instructions after it.
    pub insts_out: u32,
    /// Constructs that exist only to be left early: labeled blocks, and `if`s with a `break`.
    pub onetrip: u32,
    /// Exits that another construct would capture if loops capture all exits, and switches and one-trip
    /// constructs capture exits of their own kind (the SPIR-V model).
    pub multi_level: u32,
    /// The same if every loop, switch and one-trip construct captures all exits.
    pub multi_level_strict: u32,
    /// Tests after constructs that forward such exits; 0 before `lower-exits`.
    pub exit_checks: u32,
    /// Variables of those tests; 0 before `lower-exits`.
    pub exit_vars: u32,
    /// Dispatch blocks.
    pub dispatch_nodes: u32,
    /// Targets of dispatch blocks.
    pub dispatch_arms: u32,
    /// Edges redirected to a dispatch block.
    pub redirected_edges: u32,
    /// The maximum nesting depth of nodes.
    pub max_depth: u32,
    /// Declared merge blocks, in reachable blocks.
    pub declared_merges: u32,
    /// Those that follow the construct of their header in the tree.
    pub declared_merge_match: u32,
}

impl Metrics {
    /// The number of blocks after structurization for each block before it.
    pub fn growth(&self) -> f64 {
        f64::from(self.blocks_out) / f64::from(self.blocks_in.max(1))
    }

    /// Adds the metrics of another function; the depth is the maximum.
    pub fn add(&mut self, other: &Metrics) {
        self.blocks_in += other.blocks_in;
        self.blocks_out += other.blocks_out;
        self.insts_in += other.insts_in;
        self.insts_out += other.insts_out;
        self.onetrip += other.onetrip;
        self.multi_level += other.multi_level;
        self.multi_level_strict += other.multi_level_strict;
        self.exit_checks += other.exit_checks;
        self.exit_vars += other.exit_vars;
        self.dispatch_nodes += other.dispatch_nodes;
        self.dispatch_arms += other.dispatch_arms;
        self.redirected_edges += other.redirected_edges;
        self.max_depth = self.max_depth.max(other.max_depth);
        self.declared_merges += other.declared_merges;
        self.declared_merge_match += other.declared_merge_match;
    }
}

/// Metrics of a tree that was not changed.
pub(super) fn of_tree(tree: &FuncBody) -> Metrics {
    let mut metrics = Metrics::default();
    shape(tree, &mut metrics);
    metrics.blocks_in = metrics.blocks_out;
    metrics.insts_in = metrics.insts_out;
    metrics
}

/// Metrics of a graph and its tree.
pub(super) fn of(
    graph: &FuncBody,
    tree: &FuncBody,
    hints: &[(Block, Rc<MergeInfo>)],
    leader: &SideTable<Block, Option<Block>>,
    done: &Dispatched,
) -> Metrics {
    let mut metrics = Metrics {
        dispatch_nodes: done.blocks.len() as u32,
        dispatch_arms: done.arms,
        redirected_edges: done.redirected,
        ..Metrics::default()
    };
    for block in graph.blocks_in_order().into_iter().filter(|&block| leader[block].is_some()) {
        metrics.blocks_in += 1;
        metrics.insts_in += graph.block(block).insts.len() as u32;
    }
    shape(tree, &mut metrics);
    let merges = constructs(graph, tree);
    for (header, hint) in hints.iter().filter(|(_, hint)| leader[hint.merge].is_some()) {
        metrics.declared_merges += 1;
        let kept = merges[*header].contains(&hint.merge);
        metrics.declared_merge_match += u32::from(kept);
    }
    metrics
}

fn shape(tree: &FuncBody, metrics: &mut Metrics) {
    let mut around: Vec<Node> = Vec::new();
    let mut depth: SideTable<Node, u32> = SideTable::new();
    // For each node on the current path: enclosing loops, and all enclosing constructs that capture exits.
    let mut breakables: Vec<(u32, u32)> = vec![(0, 0)];
    let is_loop = |node: Node| matches!(tree.node(node).kind, NodeKind::Loop { .. });
    let broken_ifs = broken_ifs(tree);
    for step in TreeWalk::new(tree) {
        match step {
            TreeStep::Enter(node) => {
                depth[node] = around.len() as u32;
                around.push(node);
                metrics.max_depth = metrics.max_depth.max(around.len() as u32);
                let (loops, all) = breakables[breakables.len() - 1];
                let captures = match tree.node(node).kind {
                    NodeKind::Loop { .. } | NodeKind::Switch { .. } => true,
                    NodeKind::Block { .. } => {
                        metrics.onetrip += 1;
                        true
                    }
                    NodeKind::If { .. } => {
                        metrics.onetrip += u32::from(broken_ifs[node]);
                        broken_ifs[node]
                    }
                };
                breakables.push((loops + u32::from(is_loop(node)), all + u32::from(captures)));
            }
            TreeStep::Leave(_) => {
                around.pop();
                breakables.pop();
            }
            TreeStep::Open(..) => {}
            TreeStep::Block(block) => {
                metrics.blocks_out += 1;
                metrics.insts_out += tree.block(block).insts.len() as u32;
                let (Terminator::Break(node, _) | Terminator::Continue(node, _)) = tree.terminator(block)
                else {
                    continue;
                };
                let (loops, all) = breakables[breakables.len() - 1];
                let (outer_loops, outer_all) = breakables[depth[*node] as usize + 1];
                let strict = all > outer_all;
                let captured = if is_loop(*node) { loops > outer_loops } else { strict };
                metrics.multi_level += u32::from(captured);
                metrics.multi_level_strict += u32::from(strict);
            }
        }
    }
}

fn broken_ifs(tree: &FuncBody) -> SideTable<Node, bool> {
    let mut broken = SideTable::new();
    for block in tree.blocks_in_order() {
        if let Terminator::Break(node, _) = tree.terminator(block) {
            broken[*node] = matches!(tree.node(*node).kind, NodeKind::If { .. });
        }
    }
    broken
}

/// For each block the blocks after the nodes that start with it: those it enters, directly or through
/// synthesized blocks, and the loop whose first block it is.
fn constructs(graph: &FuncBody, tree: &FuncBody) -> SideTable<Block, Vec<Block>> {
    let nesting = Nesting::of(tree);
    let made = graph.tables().blocks.len();
    let mut merges: SideTable<Block, Vec<Block>> = SideTable::new();
    let mut last = None;
    for step in TreeWalk::new(tree) {
        match step {
            TreeStep::Block(block) if block.index() >= made => {}
            TreeStep::Block(block) => last = Some(block),
            TreeStep::Open(node, ..) => {
                let kind = &tree.node(node).kind;
                if !matches!(kind, NodeKind::Block { .. }) {
                    last = None;
                }
            }
            TreeStep::Leave(_) => last = None,
            TreeStep::Enter(node) => {
                let Some(after) = nesting.after(tree, node) else { continue };
                if let Some(block) = last {
                    merges[block].push(after);
                }
                if let NodeKind::Loop { body, .. } = tree.node(node).kind {
                    merges[tree.region(body).head].push(after);
                }
            }
        }
    }
    merges
}

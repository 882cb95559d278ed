//! Inputs for the tests of the analyses: graphs, trees and random numbers. Blocks are numbered from 0.

use vitrine_ir::base::EntityId;
pub(crate) use vitrine_ir::base::random::Random;
use vitrine_ir::ops::{BasicOp, ValueType};
use vitrine_ir::{
    Args, Arm, Assembler, Attrs, Block, BlockData, Case, CowVec, Edge, FuncBody, Inst, InstData, Node,
    NodeData, NodeKind, Region, RegionData, Terminator,
};

/// Successors of up to `most` blocks: sparse or dense, mostly forward or arbitrary.
pub(crate) fn random_graph(random: &mut Random, most: u64) -> Vec<Vec<u32>> {
    let count = 1 + random.below(most);
    let (widest, wild) = (1 + random.below(4), random.below(3));
    (0..count)
        .map(|at| {
            let successors = random.below(widest + 1).max(u64::from(at == 0));
            (0..successors)
                .map(|_| {
                    let to = match random.below(6) {
                        0 => at + 1,
                        1 if wild == 0 => at + 1 + random.below(3),
                        _ => random.below(count),
                    };
                    to.min(count - 1) as u32
                })
                .collect()
        })
        .collect()
}

pub(crate) fn petgraph(rows: &[Vec<u32>]) -> petgraph::graph::DiGraph<(), ()> {
    let mut graph = petgraph::graph::DiGraph::new();
    let nodes: Vec<_> = rows.iter().map(|_| graph.add_node(())).collect();
    for (at, row) in rows.iter().enumerate() {
        for &to in row {
            graph.add_edge(nodes[at], nodes[to as usize], ());
        }
    }
    graph
}

pub(crate) fn block(terminator: Terminator) -> BlockData {
    BlockData { terminator, ..BlockData::default() }
}

pub(crate) fn b(index: u32) -> Block {
    Block::from_index(index as usize)
}

/// A terminator of the graph shape with these targets, without arguments. `on` is the condition.
pub(crate) fn graph_exit(to: &[u32], on: Inst) -> Terminator {
    let edge = |&to: &u32| Edge { to: b(to), args: Args::default() };
    match to {
        [] => Terminator::Return(None),
        [to] => Terminator::Goto(edge(to)),
        [then, els] => Terminator::Branch { cond: on, then: edge(then), els: edge(els) },
        [cases @ .., default] => {
            let case = |(value, to)| Case { values: vec![value], edge: edge(to) };
            Terminator::Switch { on, cases: (0..).zip(cases).map(case).collect(), default: edge(default) }
        }
    }
}

/// A graph function with these successors; every condition is one parameter.
pub(crate) fn graph_body(rows: &[Vec<u32>]) -> FuncBody {
    let mut asm = Assembler::new();
    let on = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![on]);
    asm.graph((0..rows.len() as u32).map(b).collect());
    for row in rows {
        asm.add_block(block(graph_exit(row, on)));
    }
    asm.finish()
}

/// Builds trees from the leaves: every call adds blocks, nodes and regions.
pub(crate) struct TreeBuilder {
    pub(crate) asm: Assembler,
    pub(crate) cond: Inst,
}

impl TreeBuilder {
    pub(crate) fn new() -> TreeBuilder {
        let mut asm = Assembler::new();
        let cond = asm.add_inst(InstData::new(BasicOp::Param, ValueType::BOOL, &[]));
        asm.params(vec![cond]);
        TreeBuilder { asm, cond }
    }

    pub(crate) fn block(&mut self, terminator: Terminator) -> Block {
        self.asm.add_block(block(terminator))
    }

    /// A region of one block with this terminator.
    pub(crate) fn leaf(&mut self, terminator: Terminator) -> Region {
        let head = self.block(terminator);
        self.asm.add_region(RegionData::new(head))
    }

    /// A region of a block, a node and a block with this terminator.
    pub(crate) fn around(&mut self, node: Node, terminator: Terminator) -> Region {
        let head = self.block(Terminator::next());
        let after = self.block(terminator);
        self.asm.add_region(RegionData { head, rest: CowVec::new(vec![(node, after)]) })
    }

    pub(crate) fn node(&mut self, kind: NodeKind) -> Node {
        self.asm.add_node(NodeData { kind, attrs: Attrs::None })
    }

    pub(crate) fn if_node(&mut self, then: Region, els: Region) -> Node {
        let cond = self.cond;
        self.node(NodeKind::If { cond, then, els })
    }

    pub(crate) fn switch_node(&mut self, arms: &[Region]) -> Node {
        let arm = |(at, &body): (u64, &Region)| Arm { values: vec![at], default: at == 0, body };
        let arms = (0..).zip(arms).map(arm).collect();
        let on = self.cond;
        self.node(NodeKind::Switch { on, arms })
    }

    pub(crate) fn finish(mut self, root: Region) -> FuncBody {
        self.asm.tree(root);
        self.asm.finish()
    }
}

/// `if { if { … } else {} } else {}`, `depth` deep.
pub(crate) fn nested_ifs(depth: usize) -> FuncBody {
    let mut tree = TreeBuilder::new();
    let mut region = tree.leaf(Terminator::next());
    for at in 0..depth {
        let els = tree.leaf(Terminator::next());
        let node = tree.if_node(region, els);
        region =
            tree.around(node, if at + 1 == depth { Terminator::Return(None) } else { Terminator::next() });
    }
    tree.finish(region)
}

/// `loop { loop { … } }`, `depth` deep; each exits from its first block by a condition.
pub(crate) fn nested_loops(depth: usize) -> FuncBody {
    let mut tree = TreeBuilder::new();
    let mut inner = tree.leaf(Terminator::next());
    for at in 0..depth {
        let label = Node::from_index(2 * at + 1);
        let out = tree.leaf(Terminator::Break(label, Args::default()));
        let stay = tree.leaf(Terminator::next());
        let test = tree.if_node(out, stay);
        let head = tree.block(Terminator::next());
        let inner_head = tree.asm.body().region(inner).clone();
        let mut rest = vec![(test, inner_head.head)];
        rest.extend(inner_head.rest.iter().copied());
        let body = tree.asm.add_region(RegionData { head, rest: CowVec::new(rest) });
        let node = tree.node(NodeKind::Loop { body, continuing: None });
        assert_eq!(node, label);
        inner =
            tree.around(node, if at + 1 == depth { Terminator::Return(None) } else { Terminator::next() });
    }
    tree.finish(inner)
}

/// The same as a graph: headers 0 to `depth - 1`, latches after them, then the exits.
pub(crate) fn nested_loop_rows(depth: u32) -> Vec<Vec<u32>> {
    let mut rows: Vec<Vec<u32>> = (0..depth).map(|at| vec![at + 1, 2 * depth - at]).collect();
    rows.push(vec![depth - 1]);
    // Block `2 * depth - at` follows loop `at` and is the latch of loop `at - 1`.
    rows.extend((0..depth).rev().map(|at| if at == 0 { vec![] } else { vec![at - 1] }));
    rows
}

/// Two chains with rungs in both directions: irreducible at every rung.
pub(crate) fn ladder_rows(rungs: u32) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![1, 2]];
    for at in 0..rungs {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        let further = |to: u32| (at + 1 < rungs).then_some(to + 2);
        rows.push([Some(right), further(left)].into_iter().flatten().collect());
        rows.push([Some(left), further(right)].into_iter().flatten().collect());
    }
    rows
}

pub(crate) fn chain_rows(count: u32) -> Vec<Vec<u32>> {
    (0..count).map(|at| if at + 1 < count { vec![at + 1] } else { vec![] }).collect()
}

/// Runs a test on a stack that recursion over the program would overflow.
pub(crate) fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).expect("a thread");
    thread.join().expect("the test to pass");
}

//! The graph of both shapes, on valid and on invalid functions, and every analysis on huge ones.

use super::*;
use crate::testing::*;
use crate::{Dom, Frontiers, FuncInfo, Live, Loops, PostDom, Types};
use std::rc::Rc;
use vitrine_ir::{Args, Assembler, CowVec, NodeKind, Region, RegionData};

fn edges(cfg: &Cfg) -> Vec<(usize, EdgeKind, usize)> {
    cfg.edges()
        .map(|edge| cfg.edge(edge))
        .map(|edge| (edge.from.index(), edge.kind, edge.to.index()))
        .collect()
}

/// `loop !0 { ^0 if !1 { ^2 break !0 } else { ^3 continue !0 } ^1 } continuing { ^4 }`, inside `^5 … ^6`.
fn loop_tree() -> FuncBody {
    let mut tree = TreeBuilder::new();
    let (head, last) = (tree.block(Terminator::next()), tree.block(Terminator::next()));
    let label = Node::from_index(1);
    let out = tree.leaf(Terminator::Break(label, Args::default()));
    let again = tree.leaf(Terminator::Continue(label, Args::default()));
    let continuing = tree.leaf(Terminator::next());
    let test = tree.if_node(out, again);
    let body = tree.asm.add_region(RegionData { head, rest: CowVec::new(vec![(test, last)]) });
    let node = tree.node(NodeKind::Loop { body, continuing: Some(continuing) });
    assert_eq!(node, label);
    let root = tree.around(node, Terminator::Return(None));
    tree.finish(root)
}

#[test]
fn terminators_of_a_tree_lead_to_the_blocks_of_the_text() {
    use EdgeKind::{Break, Continue, Else, Enter, Repeat, Rest, Then};
    let cfg = Cfg::of(&loop_tree());
    let want = [
        (5, Enter, 0),
        (0, Then, 2),
        (0, Else, 3),
        (2, Break, 6),
        (3, Continue, 4),
        (4, Repeat, 0),
        (1, Rest, 4),
    ];
    let mut found = edges(&cfg);
    found.sort_unstable();
    let mut sorted = want;
    sorted.sort_unstable();
    assert_eq!(found, sorted);
    assert_eq!(cfg.unreachable(), [b(1)]);
    assert_eq!(cfg.exits(), [b(6)]);
    assert_eq!((cfg.enters(b(5)), cfg.enters(b(0))), (Some(Node::from_index(1)), Some(Node::from_index(0))));
    assert!(cfg.broken().is_empty());
}

#[test]
fn arms_lead_to_the_block_after_the_node() {
    use EdgeKind::{Case, Default, Leave};
    let mut tree = TreeBuilder::new();
    let arms: Vec<Region> = (0..3).map(|_| tree.leaf(Terminator::next())).collect();
    let node = tree.switch_node(&arms);
    let root = tree.around(node, Terminator::Return(None));
    let cfg = Cfg::of(&tree.finish(root));
    let out = |from: u32| cfg.out_edges(b(from)).map(|edge| cfg.edge(edge)).collect::<Vec<_>>();
    assert_eq!(
        out(3).iter().map(|edge| (edge.kind, edge.slot)).collect::<Vec<_>>(),
        [(Default, 0), (Case, 1), (Case, 2)]
    );
    assert!((0..3).all(|arm| out(arm)[0].kind == Leave && out(arm)[0].to == b(4)));
    assert_eq!(cfg.preds(b(4)).collect::<Vec<_>>(), [b(0), b(1), b(2)]);
}

#[test]
fn random_graphs_have_their_own_edges_in_reverse_post_order() {
    let mut random = Random::new(10);
    for _ in 0..1_000 {
        let rows = random_graph(&mut random, 20);
        let cfg = Cfg::of(&graph_body(&rows));
        for (at, row) in rows.iter().enumerate() {
            let ours: Vec<u32> = cfg.succs(b(at as u32)).map(|to| to.index() as u32).collect();
            assert_eq!(&ours, row);
        }
        for edge in cfg.edges() {
            let data = cfg.edge(edge);
            assert!(cfg.out_edges(data.from).any(|out| out == edge));
            assert!(cfg.in_edges(data.to).any(|into| into == edge));
        }
        let graph = petgraph(&rows);
        let entry = petgraph::graph::NodeIndex::new(0);
        let mut seen = petgraph::visit::Dfs::new(&graph, entry);
        let mut count = 0;
        while let Some(at) = seen.next(&graph) {
            count += 1;
            assert!(cfg.is_reachable(b(at.index() as u32)));
        }
        assert_eq!(cfg.rpo().len(), count);
        assert_eq!(cfg.entry(), Some(b(0)));
    }
}

#[test]
fn labels_that_do_not_enclose_and_missing_targets_are_listed() {
    let mut tree = TreeBuilder::new();
    let inner = tree.leaf(Terminator::next());
    let node = tree.node(NodeKind::Block { body: inner });
    let root = tree.around(node, Terminator::Break(node, Args::default()));
    let cfg = Cfg::of(&tree.finish(root));
    assert_eq!(cfg.broken(), [b(2)]);

    let mut tree = TreeBuilder::new();
    let inner = tree.leaf(Terminator::Continue(Node::from_index(0), Args::default()));
    let node = tree.node(NodeKind::Block { body: inner });
    let root = tree.around(node, Terminator::next());
    let cfg = Cfg::of(&tree.finish(root));
    assert_eq!(cfg.broken(), [b(0), b(2)]);

    let cfg = Cfg::of(&graph_body(&[vec![1, 77], vec![]]));
    assert_eq!((cfg.broken(), cfg.edge_count()), (&[b(0)][..], 1));
}

#[test]
fn a_cyclic_tree_terminates() {
    let mut tree = TreeBuilder::new();
    let root = tree.leaf(Terminator::next());
    let node = tree.if_node(root, Region::from_index(99));
    let after = tree.block(Terminator::Return(None));
    let missing = Node::from_index(55);
    tree.asm.region_mut(root).rest = CowVec::new(vec![(node, after), (node, b(0)), (missing, b(44))]);
    let body = tree.finish(root);
    let cfg = Rc::new(Cfg::of(&body));
    assert!(cfg.broken().contains(&b(0)) && cfg.broken().contains(&b(44)));
    everything(&body);
    let mut empty = Assembler::new();
    empty.tree(Region::from_index(3));
    everything(&empty.finish());
    let mut graph = Assembler::new();
    graph.graph(vec![b(9)]);
    everything(&graph.finish());
    // A label with a large number does not allocate a table of its size.
    let mut far = Assembler::new();
    far.put_block(b(16_000_000), block(Terminator::Return(None)));
    far.graph(vec![b(16_000_000)]);
    everything(&far.finish());
}

/// Runs every analysis; returns the number of loops.
fn everything(body: &FuncBody) -> usize {
    let module = Module::new();
    let cfg = Rc::new(Cfg::of(body));
    let dom = Rc::new(Dom::of(&cfg));
    PostDom::of(&cfg);
    Frontiers::of(&dom);
    assert!(dom.iterated_frontier(cfg.blocks()).len() <= cfg.len());
    let loops = Loops::of(body, &cfg);
    Live::of(body, &cfg);
    Types::of(&module, body, &cfg);
    let info = FuncInfo::of(body, &cfg, &loops);
    assert_eq!(info.blocks as usize, cfg.len());
    loops.len()
}

#[test]
fn a_chain_of_100_000_blocks_needs_no_stack() {
    on_small_stack(|| {
        let body = graph_body(&chain_rows(100_000));
        assert_eq!(everything(&body), 0);
        let dom = Dom::of(&Rc::new(Cfg::of(&body)));
        assert_eq!(dom.depth(b(99_999)), 99_999);
        assert_eq!(dom.nearest_common(b(99_999), b(5)), Some(b(5)));
    });
}

#[test]
fn ten_thousand_nested_ifs_need_no_stack() {
    on_small_stack(|| assert_eq!(everything(&nested_ifs(10_000)), 0));
}

#[test]
fn a_thousand_nested_loops_need_no_stack() {
    on_small_stack(|| {
        let tree = nested_loops(1_000);
        assert_eq!(everything(&tree), 1_000);
        let graph = graph_body(&nested_loop_rows(1_000));
        assert_eq!(everything(&graph), 1_000);
        let loops = Loops::of(&graph, &Rc::new(Cfg::of(&graph)));
        assert_eq!(loops.depth(loops.all().next_back().expect("loops")), 1_000);
    });
}

#[test]
fn a_ladder_of_50_000_rungs_is_read_in_time() {
    on_small_stack(|| {
        assert_eq!(everything(&graph_body(&ladder_rows(50_000))), 50_000);
    });
}

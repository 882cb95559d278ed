//! Dominators against petgraph's, and the queries against the definition.

use super::*;
use crate::testing::*;
use vitrine_ir::base::EntityId;

#[test]
fn immediate_dominators_are_petgraphs() {
    let mut random = Random::new(20);
    for _ in 0..5_000 {
        let rows = random_graph(&mut random, 40);
        let dom = Dom::of(&Rc::new(Cfg::of(&graph_body(&rows))));
        let graph = petgraph(&rows);
        let theirs = petgraph::algo::dominators::simple_fast(&graph, petgraph::graph::NodeIndex::new(0));
        for at in 0..rows.len() {
            let want =
                theirs.immediate_dominator(petgraph::graph::NodeIndex::new(at)).map(|v| b(v.index() as u32));
            assert_eq!(dom.idom(b(at as u32)), want, "{rows:?}");
        }
    }
}

#[test]
fn queries_agree_with_walking_up_the_tree() {
    let mut random = Random::new(21);
    for _ in 0..500 {
        let rows = random_graph(&mut random, 16);
        let cfg = Rc::new(Cfg::of(&graph_body(&rows)));
        let dom = Dom::of(&cfg);
        let above = |block: Block| -> Vec<Block> {
            if cfg.is_reachable(block) {
                std::iter::successors(Some(block), |&at| dom.idom(at)).collect()
            } else {
                Vec::new()
            }
        };
        for &x in cfg.blocks() {
            assert_eq!(dom.depth(x) as usize, above(x).len().saturating_sub(1));
            assert!(dom.children(x).all(|child| dom.idom(child) == Some(x)));
            for &y in cfg.blocks() {
                assert_eq!(dom.dominates(x, y), above(y).contains(&x));
                let want = above(x).into_iter().find(|at| above(y).contains(at));
                assert_eq!(dom.nearest_common(x, y), want);
            }
        }
        let preorder = dom.preorder();
        for (at, &block) in preorder.iter().enumerate() {
            let subtree = &preorder[at..at + dom.subtree_size(block)];
            assert!(subtree.iter().all(|&below| dom.dominates(block, below)));
        }
        assert_eq!(preorder.len(), cfg.rpo().len());
    }
}

#[test]
fn unreachable_blocks_have_none() {
    let dom = Dom::of(&Rc::new(Cfg::of(&graph_body(&[vec![1], vec![], vec![1]]))));
    assert_eq!((dom.idom(b(2)), dom.idom(b(1)), dom.idom(b(0))), (None, Some(b(0)), None));
    assert!(!dom.dominates(b(2), b(2)) && !dom.dominates(b(2), b(1)));
    assert_eq!(dom.idom(Block::from_index(1_000)), None);
}

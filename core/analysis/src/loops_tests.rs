//! Loops against the definition, found anew with petgraph's components at every level.

use super::*;
use crate::testing::*;
use std::collections::{BTreeMap, BTreeSet};

fn loops(rows: &[Vec<u32>]) -> Loops {
    let body = graph_body(rows);
    Loops::of(&body, &Rc::new(Cfg::of(&body)))
}

/// Header to members: the components of the graph; in each, recursively, without the edges to its header.
fn naive(cfg: &Cfg, rows: &[Vec<u32>]) -> BTreeMap<Block, BTreeSet<Block>> {
    let search = Dfs::of(cfg.succ(), 0);
    let mut found = BTreeMap::new();
    let reachable: BTreeSet<u32> = cfg.rpo().iter().map(|block| block.index() as u32).collect();
    let mut work: Vec<(BTreeSet<u32>, Option<u32>)> = vec![(reachable, None)];
    while let Some((inside, header)) = work.pop() {
        let to_inside = |row: &Vec<u32>| row.iter().copied().filter(|to| inside.contains(to)).collect();
        let mut part: Vec<Vec<u32>> = rows.iter().map(to_inside).collect();
        for (at, row) in (0..).zip(&mut part) {
            row.retain(|&to| inside.contains(&at) && Some(to) != header);
        }
        for component in petgraph::algo::tarjan_scc(&petgraph(&part)) {
            let component: Vec<u32> = component.into_iter().map(|at| at.index() as u32).collect();
            if component.len() == 1 && !part[component[0] as usize].contains(&component[0]) {
                continue;
            }
            let number = |at: &u32| search.number[cfg.number(b(*at)) as usize];
            let first = component.iter().copied().min_by_key(number).expect("not empty");
            found.insert(b(first), component.iter().map(|&at| b(at)).collect());
            work.push((component.into_iter().collect(), Some(first)));
        }
    }
    found
}

#[test]
fn the_nest_is_that_of_the_definition() {
    let mut random = Random::new(30);
    let mut irreducible = 0;
    for _ in 0..5_000 {
        let rows = random_graph(&mut random, 24);
        let loops = loops(&rows);
        let cfg = &loops.cfg;
        let want = naive(cfg, &rows);
        assert_eq!(loops.len(), want.len(), "{rows:?}");
        for of in loops.all() {
            let members: BTreeSet<Block> = loops.members(of).iter().copied().collect();
            assert_eq!(Some(&members), want.get(&loops.header(of)), "{rows:?}");
            assert_eq!(loops.members(of).len(), members.len());
            assert_eq!(loops.members(of)[0], loops.header(of));
            let entries: BTreeSet<Block> = members
                .iter()
                .copied()
                .filter(|&block| block != loops.header(of))
                .filter(|&block| cfg.preds(block).any(|p| cfg.is_reachable(p) && !members.contains(&p)))
                .collect();
            assert_eq!(loops.further_entries(of).into_iter().collect::<BTreeSet<_>>(), entries, "{rows:?}");
            assert_eq!(loops.is_irreducible(of), !entries.is_empty());
            irreducible += usize::from(!entries.is_empty());
            let latches: Vec<Block> = loops.latches(of);
            assert!(!latches.is_empty() && latches.iter().all(|latch| members.contains(latch)));
            let edges = cfg.edges().map(|edge| (edge, cfg.edge(edge)));
            let exits: BTreeSet<EdgeId> = edges
                .filter(|(_, edge)| members.contains(&edge.from) && !members.contains(&edge.to))
                .map(|(edge, _)| edge)
                .collect();
            assert_eq!(loops.exits(of).into_iter().collect::<BTreeSet<_>>(), exits);
            assert!(members.iter().all(|&block| loops.contains(of, block)));
            if let Some(up) = loops.parent(of) {
                assert!(up < of && loops.encloses(up, of) && loops.depth(of) == loops.depth(up) + 1);
            }
        }
        for &block in cfg.blocks() {
            let depth = want.values().filter(|members| members.contains(&block)).count();
            assert_eq!(loops.block_depth(block) as usize, depth);
        }
    }
    assert!(irreducible > 500);
}

#[test]
fn two_latches_are_one_loop() {
    let loops = loops(&[vec![1], vec![2, 4], vec![1, 3], vec![1], vec![]]);
    let of = loops.headed_by(b(1)).expect("a loop");
    assert_eq!((loops.len(), loops.latches(of)), (1, vec![b(2), b(3)]));
    assert_eq!(loops.back_edges(of).count(), 2);
    assert_eq!(loops.cfg.edge(loops.exits(of)[0]).to, b(4));
}

#[test]
fn loops_of_a_tree_know_their_nodes() {
    let body = nested_loops(4);
    let loops = Loops::of(&body, &Rc::new(Cfg::of(&body)));
    let nodes: Vec<usize> = loops.all().filter_map(|of| loops.node(of)).map(EntityId::index).collect();
    assert_eq!(nodes, [7, 5, 3, 1]);
}

#[test]
fn entries_into_a_deep_nest_are_not_listed_once_for_each_loop() {
    on_small_stack(|| {
        // A nest of 20,000 loops, every block of which the entry can jump into.
        let depth = 20_000;
        let mut rows = nested_loop_rows(depth);
        let count = rows.len() as u32;
        for row in &mut rows {
            row.iter_mut().for_each(|to| *to += 1);
        }
        rows.insert(0, (1..=count).collect());
        let loops = loops(&rows);
        assert!(!loops.is_empty() && loops.all().all(|of| loops.is_irreducible(of)));
    });
}

//! Paths of the control-flow graph that explain a fact: a shortest path that avoids a block, or one that passes through it.
//!
//! Breadth first, linear in the edges. Long paths are shortened in the middle.

use crate::analysis::Cfg;
use crate::ir::Block;
use std::collections::{BTreeMap, VecDeque};

/// Blocks of a path that are written.
const MOST_SHOWN: usize = 8;

/// A shortest path between two blocks that does not pass through `avoid`.
pub(super) fn path(
    cfg: &Cfg,
    from: Block,
    to: impl Fn(Block) -> bool,
    avoid: Option<Block>,
) -> Option<Vec<Block>> {
    let mut came_from: BTreeMap<Block, Block> = BTreeMap::new();
    let mut queue = VecDeque::new();
    if Some(from) != avoid {
        came_from.insert(from, from);
        queue.push_back(from);
    }
    while let Some(at) = queue.pop_front() {
        if to(at) {
            return Some(walked(&came_from, at));
        }
        for next in cfg.succs(at).filter(|&next| Some(next) != avoid) {
            came_from.entry(next).or_insert_with(|| {
                queue.push_back(next);
                at
            });
        }
    }
    None
}

/// The path that ends at a block.
fn walked(came_from: &BTreeMap<Block, Block>, last: Block) -> Vec<Block> {
    let mut path = vec![last];
    let mut at = last;
    while let Some(&before) = came_from.get(&at).filter(|&&before| before != at) {
        path.push(before);
        at = before;
    }
    path.reverse();
    path
}

/// `^0 → ^2 → ^5`.
pub(super) fn spelled(path: &[Block]) -> String {
    let words = |blocks: &[Block]| blocks.iter().map(ToString::to_string).collect::<Vec<_>>().join(" → ");
    if path.len() <= MOST_SHOWN {
        return words(path);
    }
    let half = MOST_SHOWN / 2;
    format!("{} → … → {}", words(&path[..half]), words(&path[path.len() - half..]))
}

//! Stability of a layout: folding and unfolding, and pins while everything around them grows.

use super::check::fault;
use vitrine_core::ir::Block;
use vitrine_core::layout::{GroupKind, Input, Layout, Node, layout};

/// A move below this distance in pixels does not disorient the user.
const NEAR: i32 = 20;

/// The distance that each block moved, for blocks in both layouts.
pub(crate) fn moves(before: (&Input, &Layout), after: (&Input, &Layout)) -> Vec<(Block, i32)> {
    let old = before.1.positions(before.0);
    let new = after.1.positions(after.0);
    let both = after.0.nodes.iter().filter_map(|node| Some((node.block, old[node.block]?, new[node.block]?)));
    both.map(|(block, a, b)| (block, (a.x - b.x).abs().max((a.y - b.y).abs()))).collect()
}

/// Nodes of a group.
fn members(input: &Input, group: u32) -> Vec<u32> {
    let inside = |node: &Node| {
        let mut at = node.group;
        while let Some(inner) = at {
            if inner == group {
                return true;
            }
            at = input.groups[inner as usize].parent;
        }
        false
    };
    (0..).zip(&input.nodes).filter(|(_, node)| inside(node)).map(|(at, _)| at).collect()
}

/// The loops that are drawn as bands.
pub(crate) fn bands(input: &Input, drawn: &Layout) -> Vec<Vec<u32>> {
    drawn.bands.iter().take(6).map(|band| members(input, band.group)).collect()
}

/// Some arms of branches and some chains of reachable blocks.
pub(crate) fn arms_and_chains(input: &Input) -> Vec<Vec<u32>> {
    let arms = (0u32..).zip(&input.groups).filter(|(_, group)| group.kind == GroupKind::Arm);
    let mut sets: Vec<Vec<u32>> = arms.take(10).map(|(at, _)| members(input, at)).collect();
    let mut outs = vec![Vec::new(); input.nodes.len()];
    let mut predecessors = vec![0; input.nodes.len()];
    for edge in &input.edges {
        outs[edge.from as usize].push(edge.to);
        predecessors[edge.to as usize] += 1;
    }
    let mut reached = vec![false; input.nodes.len()];
    let mut stack: Vec<u32> = input.entry.into_iter().collect();
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at as usize], true) {
            stack.extend(&outs[at as usize]);
        }
    }
    let group = |at: u32| input.nodes[at as usize].group;
    let run = |first: u32| {
        let mut run = vec![first];
        let mut last = first;
        while let [to] = outs[last as usize][..]
            && predecessors[to as usize] == 1
            && group(to) == group(first)
            && !run.contains(&to)
        {
            run.push(to);
            last = to;
        }
        run
    };
    let runs = (0..input.nodes.len() as u32).filter(|&at| reached[at as usize]).map(run);
    sets.extend(runs.filter(|run| run.len() > 1).take(8));
    sets
}

/// Folds each set and unfolds it: other blocks must not move, and both layouts must be correct.
pub(crate) fn fold_fault(input: &Input, before: &Layout, sets: &[Vec<u32>], known: i32) -> Option<String> {
    for members in sets {
        let first = input.nodes[members[0] as usize].block;
        let mut folded = input.clone();
        folded.folds = vec![members.clone()];
        folded.previous = Some(before.positions(input));
        // As wide as the label of a folded box.
        let node = &mut folded.nodes[members[0] as usize];
        (node.width, node.height) = (node.width.clamp(129, 172), 48);
        let after = layout(&folded);
        if let Some(reason) = fault(&folded, &after) {
            return Some(format!("{first} and {} more folded: {reason}", members.len() - 1));
        }
        let mut open = input.clone();
        let mut places = after.positions(&folded);
        places.keep(&before.positions(input));
        open.previous = Some(places);
        let again = layout(&open);
        if let Some(reason) = fault(&open, &again) {
            return Some(format!("{first} unfolded: {reason}"));
        }
        let far = |moves: Vec<(Block, i32)>| {
            moves.into_iter().find(|&(block, by)| block != first && by >= NEAR && by > known)
        };
        if let Some((block, by)) = far(moves((input, before), (&folded, &after))) {
            return Some(format!("{first} and {} more folded: {block} moves {by} px", members.len() - 1));
        }
        if let Some((block, by)) = far(moves((input, before), (&open, &again))) {
            return Some(format!("{first} unfolded: {block} moved by {by} px"));
        }
    }
    None
}

/// Pins some blocks at their positions. If nothing else changed, no block moves. If others grew, the first pin is
/// exact, and no boxes overlap.
pub(crate) fn pin_fault(
    input: &Input,
    before: &Layout,
    mut random: impl FnMut(u64) -> u64,
) -> Option<String> {
    if input.nodes.is_empty() {
        return None;
    }
    let places = before.positions(input);
    for attempt in 0..4 {
        let mut pinned = input.clone();
        pinned.previous = Some(places.clone());
        for _ in 0..=attempt {
            let block = input.nodes[random(input.nodes.len() as u64) as usize].block;
            if let Some(at) = places[block].filter(|_| pinned.pins.iter().all(|(known, _)| *known != block)) {
                pinned.pins.push((block, at));
            }
        }
        let grows = attempt > 1;
        for node in pinned.nodes.iter_mut().filter(|_| grows) {
            if random(3) == 0 && pinned.pins.iter().all(|(block, _)| *block != node.block) {
                node.width += random(60) as i32;
                node.height += random(90) as i32;
            }
        }
        let after = layout(&pinned);
        // Two pins may be in reverse order, which then is intended.
        let is_intended = |reason: &str| pinned.pins.len() > 1 && reason.contains("should be left of");
        if let Some(reason) = fault(&pinned, &after).filter(|reason| !is_intended(reason)) {
            return Some(format!("{:?} pinned: {reason}", pinned.pins));
        }
        let now = after.positions(&pinned);
        let must = if grows { 1 } else { pinned.pins.len() };
        if let Some((block, at)) = pinned.pins.iter().take(must).find(|(block, at)| now[*block] != Some(*at))
        {
            return Some(format!("{block} is pinned to {at:?} but is at {:?}", now[*block]));
        }
    }
    None
}

//! Stability of a layout: folding and unfolding, and pins while everything around them grows.

use super::check::wrong;
use vitrine_core::ir::Block;
use vitrine_core::layout::{GroupKind, Input, Layout, Node, layout};

/// Fewer px than this, and a person does not lose the place.
const NEAR: i32 = 20;

/// The distance that each block moved, of those in both pictures.
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

/// Loops, as far as they are told.
pub(crate) fn bands(input: &Input, drawn: &Layout) -> Vec<Vec<u32>> {
    drawn.bands.iter().take(6).map(|band| members(input, band.group)).collect()
}

/// Arms of branches and runs of blocks that can be reached, some of them.
pub(crate) fn arms_and_runs(input: &Input) -> Vec<Vec<u32>> {
    let arms = (0u32..).zip(&input.groups).filter(|(_, group)| group.kind == GroupKind::Arm);
    let mut sets: Vec<Vec<u32>> = arms.take(10).map(|(at, _)| members(input, at)).collect();
    let mut outs = vec![Vec::new(); input.nodes.len()];
    let mut ways = vec![0; input.nodes.len()];
    for edge in &input.edges {
        outs[edge.from as usize].push(edge.to);
        ways[edge.to as usize] += 1;
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
            && ways[to as usize] == 1
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

/// Folds each set and opens it again: what is outside must stay where it is, and both pictures must be right.
pub(crate) fn fold_wrong(input: &Input, before: &Layout, sets: &[Vec<u32>], known: i32) -> Option<String> {
    for members in sets {
        let first = input.nodes[members[0] as usize].block;
        let mut folded = input.clone();
        folded.folds = vec![members.clone()];
        folded.previous = Some(before.positions(input));
        // As wide as what a folded box says.
        let node = &mut folded.nodes[members[0] as usize];
        (node.width, node.height) = (node.width.clamp(129, 172), 48);
        let after = layout(&folded);
        if let Some(what) = wrong(&folded, &after) {
            return Some(format!("{first} and {} more folded: {what}", members.len() - 1));
        }
        let mut open = input.clone();
        let mut places = after.positions(&folded);
        places.keep(&before.positions(input));
        open.previous = Some(places);
        let again = layout(&open);
        if let Some(what) = wrong(&open, &again) {
            return Some(format!("{first} opened again: {what}"));
        }
        let far = |moves: Vec<(Block, i32)>| {
            moves.into_iter().find(|&(block, by)| block != first && by >= NEAR && by > known)
        };
        if let Some((block, by)) = far(moves((input, before), (&folded, &after))) {
            return Some(format!("{first} and {} more folded: {block} moves {by} px", members.len() - 1));
        }
        if let Some((block, by)) = far(moves((input, before), (&open, &again))) {
            return Some(format!("{first} opened again: {block} is {by} px from where it was"));
        }
    }
    None
}

/// Pins some blocks where they are. Nothing else changed: all stay to the pixel. Others grew: the first stays to the
/// pixel, and nothing overlaps, whatever that costs the others.
pub(crate) fn pins_wrong(
    input: &Input,
    before: &Layout,
    mut random: impl FnMut(u64) -> u64,
) -> Option<String> {
    if input.nodes.is_empty() {
        return None;
    }
    let places = before.positions(input);
    for round in 0..4 {
        let mut pinned = input.clone();
        pinned.previous = Some(places.clone());
        for _ in 0..=round {
            let block = input.nodes[random(input.nodes.len() as u64) as usize].block;
            if let Some(at) = places[block].filter(|_| pinned.pins.iter().all(|(known, _)| *known != block)) {
                pinned.pins.push((block, at));
            }
        }
        let grows = round > 1;
        for node in pinned.nodes.iter_mut().filter(|_| grows) {
            if random(3) == 0 && pinned.pins.iter().all(|(block, _)| *block != node.block) {
                node.width += random(60) as i32;
                node.height += random(90) as i32;
            }
        }
        let after = layout(&pinned);
        // Two pins may stand the wrong way round: then that is how the person wants it.
        let is_asked_for = |what: &str| pinned.pins.len() > 1 && what.contains("should be left of");
        if let Some(what) = wrong(&pinned, &after).filter(|what| !is_asked_for(what)) {
            return Some(format!("{:?} pinned: {what}", pinned.pins));
        }
        let now = after.positions(&pinned);
        let must = if grows { 1 } else { pinned.pins.len() };
        if let Some((block, at)) = pinned.pins.iter().take(must).find(|(block, at)| now[*block] != Some(*at))
        {
            return Some(format!("{block} is pinned to {at:?} and stands at {:?}", now[*block]));
        }
    }
    None
}

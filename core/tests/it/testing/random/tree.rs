//! Random trees: ifs, switches, loops and labeled blocks, with every legal exit.

use super::body::{Body, Slot, Val};
use vitrine_core::ir::{Arm, Node, NodeData, NodeKind, Region, RegionData, Terminator};
use vitrine_core::ops::{ValueType, Width};

/// An enclosing node, and the arguments of its exits.
struct Frame {
    node: Node,
    after: Vec<Slot>,
    /// The arguments of `continue`, if it may name this node.
    again: Option<Vec<Slot>>,
}

/// The context of a region.
struct RegionContext {
    /// The arguments of `next` at the end; the body of a function has none.
    next: Option<Vec<Slot>>,
    depth: usize,
}

/// Makes the function a tree.
pub(crate) fn fill(body: &mut Body<'_>) {
    let mut frames = Vec::new();
    let (root, _) = region(body, &mut frames, &[], RegionContext { next: None, depth: 0 });
    body.asm.tree(root);
}

/// A region, and the values of its first block, which the rest of a loop may use.
fn region(
    body: &mut Body<'_>,
    frames: &mut Vec<Frame>,
    params: &[Slot],
    context: RegionContext,
) -> (Region, Vec<Val>) {
    let mark = body.scope.len();
    let mut block = body.fresh_block();
    let mut data = RegionData::new(block);
    body.begin(params);
    body.fill();
    let head: Vec<Val> = body.scope[mark..].to_vec();
    let most = if context.depth < 6 && body.g.budget > 0 { 3 } else { 1 };
    for _ in 0..body.g.rng.below(most) {
        let node = body.fresh_node();
        let after = body.slots(3);
        let kind =
            make_node(body, frames, Frame { node, after: after.clone(), again: None }, block, context.depth);
        let attrs = body.hints();
        body.asm.put_node(node, NodeData { kind, attrs });
        block = body.fresh_block();
        std::rc::Rc::make_mut(&mut data.rest).push((node, block));
        body.begin(&after);
        body.fill();
    }
    let exit = last_exit(body, frames, &context);
    body.finish(block, exit, None);
    body.scope.truncate(mark);
    (body.asm.add_region(data), head)
}

fn make_node(
    body: &mut Body<'_>,
    frames: &mut Vec<Frame>,
    frame: Frame,
    before: vitrine_core::ir::Block,
    depth: usize,
) -> NodeKind {
    let next = || RegionContext { next: Some(frame.after.clone()), depth: depth + 1 };
    match body.g.rng.below(4) {
        0 => {
            let cond = body.value(ValueType::BOOL);
            body.finish(before, Terminator::next(), None);
            let settings = [next(), next()];
            frames.push(frame);
            let [then, els] = settings.map(|context| region(body, frames, &[], context).0);
            frames.pop();
            NodeKind::If { cond, then, els }
        }
        1 => switch(body, frames, frame, before, depth),
        2 => make_loop(body, frames, frame, before, depth),
        _ => {
            body.finish(before, Terminator::next(), None);
            let context = next();
            frames.push(frame);
            let (inner, _) = region(body, frames, &[], context);
            frames.pop();
            NodeKind::Block { body: inner }
        }
    }
}

fn switch(
    body: &mut Body<'_>,
    frames: &mut Vec<Frame>,
    frame: Frame,
    before: vitrine_core::ir::Block,
    depth: usize,
) -> NodeKind {
    let width = *body.g.rng.pick(&[Width::W32, Width::W32, Width::W8, Width::W16, Width::W64]);
    let on = body.value(ValueType::bits(width, 1));
    body.finish(before, Terminator::next(), None);
    let after = frame.after.clone();
    let count = body.g.rng.between(1, 4);
    let default = body.g.rng.below(count);
    let mut values = distinct_values(body, width);
    frames.push(frame);
    let mut arms = Vec::new();
    for at in 0..count {
        let is_default = at == default;
        let least = usize::from(!is_default);
        let take = body.g.rng.between(least, 3);
        let mine: Vec<u64> = values.split_off(values.len() - take);
        let context = RegionContext { next: Some(after.clone()), depth: depth + 1 };
        let (inner, _) = region(body, frames, &[], context);
        arms.push(Arm { values: mine, default: is_default, body: inner });
    }
    frames.pop();
    NodeKind::Switch { on, arms: arms.into() }
}

/// Twelve or more distinct numbers of this width.
pub(crate) fn distinct_values(body: &mut Body<'_>, width: Width) -> Vec<u64> {
    let from = body.g.component(width);
    (0..16u64)
        .map(|at| from.wrapping_add(at * at) & width.mask())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn make_loop(
    body: &mut Body<'_>,
    frames: &mut Vec<Frame>,
    mut frame: Frame,
    before: vitrine_core::ir::Block,
    depth: usize,
) -> NodeKind {
    let carried = body.slots(4);
    let first = body.args(&carried);
    body.finish(before, Terminator::Next(first), None);
    let into_continuing = body.g.rng.one_in(2).then(|| body.slots(3));
    let again = into_continuing.clone().unwrap_or_else(|| carried.clone());
    frame.again = Some(again.clone());
    frames.push(frame);
    let (inner, head) = region(body, frames, &carried, RegionContext { next: Some(again), depth: depth + 1 });
    let continuing = into_continuing.map(|slots| {
        if let Some(frame) = frames.last_mut() {
            frame.again = None;
        }
        let mark = body.scope.len();
        body.scope.extend(head);
        let (region, _) =
            region(body, frames, &slots, RegionContext { next: Some(carried.clone()), depth: depth + 1 });
        body.scope.truncate(mark);
        region
    });
    frames.pop();
    NodeKind::Loop { body: inner, continuing }
}

/// The terminator of the last block of a region.
fn last_exit(body: &mut Body<'_>, frames: &[Frame], context: &RegionContext) -> Terminator {
    let Some(next) = &context.next else { return body.leave() };
    match body.g.rng.below(8) {
        0 => body.leave(),
        1 | 2 => {
            let frame = body.g.rng.pick(frames);
            let args = body.args(&frame.after);
            Terminator::Break(frame.node, args)
        }
        3 => {
            let loops: Vec<(Node, &Vec<Slot>)> =
                frames.iter().filter_map(|frame| Some((frame.node, frame.again.as_ref()?))).collect();
            match body.g.rng.choose(&loops) {
                Some(&(node, slots)) => Terminator::Continue(node, body.args(slots)),
                None => Terminator::Next(body.args(next)),
            }
        }
        _ => Terminator::Next(body.args(next)),
    }
}

//! Random graphs, reducible or not: edges first, then dominators, then blocks in preorder of the
//! dominator tree, so that definitions dominate uses.

use super::body::{Body, Slot, Val};
use super::tree::distinct_values;
use vitrine_core::ir::{Block, Case, Edge, MergeInfo, Terminator};
use vitrine_core::ops::{ValueType, Width};

/// Limit on the number of blocks: dominator sets are words.
const MOST: usize = 40;

/// Makes the function a graph.
pub(crate) fn fill(body: &mut Body<'_>) {
    let most = (body.g.budget / 3).clamp(1, MOST);
    let count = body.g.rng.between(1, most);
    let targets = edges(body, count);
    let idom = immediate_dominators(&targets);
    let ids: Vec<Block> = (0..count).map(|_| body.fresh_block()).collect();
    let params: Vec<Vec<Slot>> =
        (0..count).map(|at| if at == 0 { Vec::new() } else { body.slots(3) }).collect();
    let base = body.scope.clone();
    let mut scopes: Vec<Option<Vec<Val>>> = vec![None; count];
    for at in top_down(&idom) {
        body.scope = idom[at].and_then(|above| scopes[above].clone()).unwrap_or_else(|| base.clone());
        body.begin(&params[at]);
        body.fill();
        let terminator = terminator(body, &targets[at], &ids, &params);
        let hint = hint(body, &targets[at], &ids);
        body.finish(ids[at], terminator, hint);
        scopes[at] = Some(std::mem::take(&mut body.scope));
    }
    let order = order(body, ids);
    body.asm.graph(order);
}

/// Successors of each block. Block 0 has no predecessors; nearly all others have one with a lower number.
fn edges(body: &mut Body<'_>, count: usize) -> Vec<Vec<usize>> {
    let rng = &mut body.g.rng;
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); count];
    for at in 1..count {
        if !rng.one_in(20) {
            let near = at.saturating_sub(3);
            let from = rng.between(near, at - 1);
            targets[from].push(at);
        }
    }
    if count > 1 {
        let wild = rng.one_in(3);
        for (at, list) in targets.iter_mut().enumerate() {
            for _ in 0..rng.below(if wild { 3 } else { 2 }) {
                let to = if wild { rng.between(1, count - 1) } else { rng.between(at.max(1), count - 1) };
                list.push(to);
            }
        }
    }
    for list in &mut targets {
        let swap = rng.below(list.len());
        let last = list.len().saturating_sub(1);
        if !list.is_empty() {
            list.swap(swap, last);
        }
    }
    targets
}

/// The immediate dominator of each block. `None` for the entry and for unreachable blocks.
fn immediate_dominators(targets: &[Vec<usize>]) -> Vec<Option<usize>> {
    let count = targets.len();
    let mut sets = vec![u64::MAX; count];
    sets[0] = 1;
    let mut changed = true;
    while changed {
        changed = false;
        for (from, list) in targets.iter().enumerate() {
            for &to in list {
                let new = sets[to] & (sets[from] | 1 << to);
                changed |= new != sets[to];
                sets[to] = new;
            }
        }
    }
    let proper = |at: usize| (0..count).filter(move |&by| by != at).collect::<Vec<_>>();
    (0..count)
        .map(|at| {
            if sets[at] == u64::MAX {
                return None;
            }
            proper(at)
                .into_iter()
                .filter(|&by| sets[at] >> by & 1 == 1)
                .max_by_key(|&by| sets[by].count_ones())
        })
        .collect()
}

/// The blocks, each after its dominator.
fn top_down(idom: &[Option<usize>]) -> Vec<usize> {
    let depth = |at: usize| std::iter::successors(idom[at], |&above| idom[above]).count();
    let mut all: Vec<usize> = (0..idom.len()).collect();
    all.sort_by_key(|&at| depth(at));
    all
}

fn terminator(body: &mut Body<'_>, targets: &[usize], ids: &[Block], params: &[Vec<Slot>]) -> Terminator {
    let edge = |body: &mut Body<'_>, to: usize| Edge { to: ids[to], args: body.args(&params[to]) };
    match *targets {
        [] => body.leave(),
        [to] => Terminator::Goto(edge(body, to)),
        [a, b] if !body.g.rng.one_in(4) => {
            let cond = body.value(ValueType::BOOL);
            Terminator::Branch { cond, then: edge(body, a), els: edge(body, b) }
        }
        [ref cases @ .., default] => {
            let width = *body.g.rng.pick(&[Width::W32, Width::W32, Width::W8, Width::W16, Width::W64]);
            let on = body.value(ValueType::bits(width, 1));
            let mut values = distinct_values(body, width);
            let mut list = Vec::new();
            for &to in cases.iter().take(4) {
                let take = body.g.rng.between(1, 3);
                let values = values.split_off(values.len() - take);
                list.push(Case { values, edge: edge(body, to) });
            }
            Terminator::Switch { on, cases: list.into(), default: edge(body, default) }
        }
    }
}

/// Merge hints as SPIR-V may have them for the block.
fn hint(body: &mut Body<'_>, targets: &[usize], ids: &[Block]) -> Option<MergeInfo> {
    if targets.len() < 2 || !body.g.rng.one_in(3) {
        return None;
    }
    let merge = *body.g.rng.pick(&ids[1..]);
    let cont = if body.g.rng.one_in(2) { Some(*body.g.rng.pick(&ids[1..])) } else { None };
    Some(MergeInfo { merge, cont, attrs: body.hints() })
}

/// Text order: the entry first, the others in order or shuffled.
fn order(body: &mut Body<'_>, mut ids: Vec<Block>) -> Vec<Block> {
    if body.g.rng.one_in(3) {
        for at in (2..ids.len()).rev() {
            let other = body.g.rng.between(1, at);
            ids.swap(at, other);
        }
    }
    ids
}

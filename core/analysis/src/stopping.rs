//! The calls that may end the invocation before or in a loop.
//!
//! ```text
//! loop !0 {                      func @1() tree {
//!   … call @1() …                ^0:
//! }                                stop discard
//!                                }
//! ```
//!
//! In HLSL, WGSL and Metal a discard only marks the invocation, which goes on as a helper: the function returns, and so
//! must its caller, since no loop has to end for an invocation that should not run it. Without a loop the caller may go on,
//! because nothing that a helper does is visible.
//!
//! Conditions are not considered: every loop counts. Nothing here is kept up to date.

use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{BasicOp, IoOp, Key, Op};
use vitrine_ir::{Block, Func, FuncBody, Inst, Module, NodeKind, Region, Shape, Stop, Terminator};

/// The facts about one function.
struct FuncFacts {
    /// Calls in text order: the position of the block, the call, and the callee.
    calls: Vec<(usize, Inst, Func)>,
    /// The blocks before this position are followed by a loop, or are part of one.
    loops_before: usize,
    /// The function itself may end the invocation.
    stops: bool,
}

/// Returns the calls of functions that may end the invocation, where the caller has a loop after or around the call, and
/// those that such a callee makes. Linear in the size of the module.
pub fn stopping_calls(module: &Module) -> FxHashSet<(Func, Inst)> {
    let facts: FxHashMap<Func, FuncFacts> = module.funcs().map(|(func, body)| (func, facts(body))).collect();
    let stopping = closed(module, &facts, |facts| facts.stops);
    let mut out = FxHashSet::default();
    if stopping.iter().next().is_none() {
        return out;
    }
    let looping = closed(module, &facts, |facts| facts.loops_before > 0);
    let mut whole: Vec<Func> = Vec::new();
    for (func, _) in module.funcs() {
        let Some(FuncFacts { calls, loops_before, .. }) = facts.get(&func) else { continue };
        let mut loop_follows = false;
        for &(position, call, callee) in calls.iter().rev() {
            if stopping.contains(callee) && (loop_follows || position < *loops_before) {
                out.insert((func, call));
                whole.push(callee);
            }
            loop_follows |= looping.contains(callee);
        }
    }
    // A function that such a callee calls ends the invocation at the same place.
    let mut seen: EntitySet<Func> = EntitySet::new();
    while let Some(func) = whole.pop() {
        if !seen.insert(func) {
            continue;
        }
        let calls = facts.get(&func).map(|facts| &facts.calls[..]).unwrap_or_default();
        for &(_, call, callee) in calls.iter().filter(|(_, _, callee)| stopping.contains(*callee)) {
            out.insert((func, call));
            whole.push(callee);
        }
    }
    out
}

/// The functions that have a property, and those that call one that has it.
fn closed(
    module: &Module,
    facts: &FxHashMap<Func, FuncFacts>,
    has: impl Fn(&FuncFacts) -> bool,
) -> EntitySet<Func> {
    let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
    let mut work = Vec::new();
    for (func, _) in module.funcs() {
        let Some(facts) = facts.get(&func) else { continue };
        facts.calls.iter().for_each(|&(_, _, callee)| callers.entry(callee).or_default().push(func));
        work.extend(has(facts).then_some(func));
    }
    let mut out = EntitySet::new();
    while let Some(func) = work.pop() {
        if out.insert(func) {
            work.extend(callers.get(&func).into_iter().flatten().copied());
        }
    }
    out
}

fn facts(body: &FuncBody) -> FuncFacts {
    let order = body.blocks_in_order();
    let mut out = FuncFacts { calls: Vec::new(), loops_before: 0, stops: false };
    for (position, &block) in order.iter().enumerate() {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            match data.op {
                Op::Io(IoOp::DiscardIf | IoOp::TerminateIf) => out.stops = true,
                Op::Basic(BasicOp::Call) => {
                    out.calls.extend(data.entity::<Func>(Key::Func).map(|callee| (position, inst, callee)));
                }
                _ => {}
            }
        }
        out.stops |= matches!(body.terminator(block), Terminator::Stop(Stop::Discard | Stop::Terminate));
    }
    if out.stops || !out.calls.is_empty() || order.len() > 1 {
        out.loops_before = loops_before(body, &order);
    }
    out
}

/// The position after the last block of a loop.
fn loops_before(body: &FuncBody, order: &[Block]) -> usize {
    let positions: FxHashMap<Block, usize> =
        order.iter().enumerate().map(|(position, &block)| (block, position)).collect();
    let position = |block: Block| positions.get(&block).copied().unwrap_or(0);
    match *body.shape() {
        Shape::Declaration => 0,
        Shape::Graph(_) => {
            let goes_back = |(at, &block): (usize, &Block)| {
                body.terminator(block).edges().iter().any(|edge| position(edge.to) <= at)
            };
            if order.iter().enumerate().any(goes_back) { order.len() } else { 0 }
        }
        Shape::Tree(root) => {
            let mut last = 0;
            let mut work: Vec<Region> = vec![root];
            while let Some(region) = work.pop() {
                for &(node, after) in body.region(region).rest.iter() {
                    let kind = &body.node(node).kind;
                    if matches!(kind, NodeKind::Loop { .. }) {
                        last = last.max(position(after));
                    }
                    work.extend(kind.regions());
                }
            }
            last
        }
    }
}

//! `if-merge-adjacent`: merges two adjacent `if`s with the same condition.
//!
//! ```text
//!   if !0 %0 { ^1: A next(%a) } else { ^2: B next(%b) }         if !1 %0 {
//! ^3(%1: b32):                                                  ^4:
//!   if !1 %0 { ^4: C, reads %1 } else { ^5: D }            =>     A  C, reads %a  next(%a)
//! ^6:                                                           } else {
//!   return %1                                                   ^5:
//!                                                                 B  D  next(%b)
//!                                                               }
//!                                                             ^6(%2: b32):
//!                                                               return %2
//! ```
//!
//! Also merges if one condition is the negation of the other. The order of effects on either path is unchanged.
//! The code between the two is moved before both, so it must have no effects, not depend on other invocations, and
//! use no value that the first passes on.
//!
//! Left alone: a first `if` that is left other than by the ends of its two arms; one that passes on addresses or
//! resources, or values with uses outside of the enclosing region; graphs.
//!
//! NIR: `opt_if_merge` of `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice};
use crate::util::lcssa::place_of;
use crate::util::speculate::may_speculate;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, IntOp, Op, ValueType};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Node, Reason, Refusal, Region, Shape, Terminator, Use};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Merges two adjacent `if`s with the same condition.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-merge-adjacent", opening!("if_merge_adjacent.rs"), |ed, _| if_merge_adjacent(ed))
};

const WHY: Reason = Reason::Note("both depend on the same condition");

/// Merges `if`s, outer regions first, since merging arms makes others adjacent, and each region from its end, so
/// that an arm moves only once. Near-linear; idempotent; trees.
pub(super) fn if_merge_adjacent(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let &Shape::Tree(root) = ed.func().shape() else { return Ok(()) };
    let mut work = vec![root];
    while let Some(region) = work.pop() {
        let nodes: Vec<Node> = ed.func().region(region).rest.iter().map(|&(node, _)| node).collect();
        for node in nodes.into_iter().rev() {
            let Some(pair) = pair(ed, node) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            merge(ed, &pair)?;
        }
        let kept = ed.func().region(region).rest.clone();
        work.extend(kept.iter().flat_map(|&(node, _)| ed.func().node(node).kind.regions()));
    }
    Ok(())
}

struct Pair {
    first: Choice,
    second: Choice,
    /// Values that the arms of the first pass on.
    passed: [Vec<Inst>; 2],
    /// The arms of the second in the order of the first's.
    into: [Region; 2],
}

fn pair(ed: &mut Editor<'_>, node: Node) -> Option<Pair> {
    let first = choice(ed, node)?;
    let second = choice(ed, ed.node_after(first.after)?)?;
    let into = if first.cond == second.cond {
        [second.then, second.els]
    } else if is_negation(ed, first.cond, second.cond) || is_negation(ed, second.cond, first.cond) {
        [second.els, second.then]
    } else {
        return None;
    };
    let ends = [first.then, first.els].map(|region| ed.func().region(region).last());
    let [then, els] = ends.map(|block| match ed.func().terminator(block) {
        Terminator::Next(args) => Some(args.to_vec()),
        _ => None,
    });
    let passed = [then?, els?];
    if ed.incoming(first.after).iter().any(|edge| !ends.contains(&edge.from)) {
        return None;
    }
    let params = ed.func().block(first.after).params.clone();
    if params.iter().any(|&param| !matches!(ed.func().ty(param), ValueType::Bits { .. })) {
        return None;
    }
    // A terminator in the second may leave the region, to code that uses values passed by the first.
    let region = ed.region_of(first.after)?;
    let is_in_region = |place| block_of(ed, place).is_some_and(|block| is_within(ed, region, block));
    if !params.iter().all(|&param| ed.uses(param).all(is_in_region)) {
        return None;
    }
    let pair = Pair { first, second, passed, into };
    between_can_move(ed, &pair).then_some(pair)
}

/// Returns true if a condition is written as the negation of another.
fn is_negation(ed: &Editor<'_>, cond: Inst, of: Inst) -> bool {
    let data = ed.func().inst(cond);
    data.op == Op::Int(IntOp::INot) && data.args[..] == [of]
}

/// Returns true if the code between two `if`s may be computed before both.
fn between_can_move(ed: &mut Editor<'_>, pair: &Pair) -> bool {
    let end = InsertPoint::End(pair.first.before);
    let insts = ed.func().block(pair.first.after).insts.clone();
    insts.iter().all(|&inst| {
        let data = ed.func().inst(inst).clone();
        let is_free = matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Undef));
        (is_free || may_speculate(ed, &data))
            && data.args.iter().all(|arg| insts.contains(arg) || ed.is_visible(*arg, end))
    })
}

fn merge(ed: &mut Editor<'_>, pair: &Pair) -> Result<(), Refusal> {
    let &Pair { first, second, ref passed, into } = pair;
    for &inst in ed.func().block(first.after).insts.clone().iter() {
        ed.move_to(inst, InsertPoint::End(first.before), WHY)?;
    }
    for at in (0..passed[0].len()).rev() {
        let Some(&param) = ed.func().block(first.after).params.get(at) else { continue };
        let Some((&then, &els)) = passed[0].get(at).zip(passed[1].get(at)) else { continue };
        let values = [then, els];
        for (arm, value) in into.into_iter().zip(values) {
            let inside: Vec<Use> =
                ed.uses(param).filter(|&place| is_in(ed, second.node, arm, place)).collect();
            ed.replace_uses_where(param, value, |place| inside.contains(&place), WHY)?;
        }
        if ed.use_count(param) > 0 {
            add_result_param(ed, &second, into, values, param)?;
        }
        ed.remove_param(first.after, at, WHY)?;
    }
    for (from, to) in [first.then, first.els].into_iter().zip(into) {
        let head = ed.func().region(to).head;
        ed.move_arm(first.node, from, head, WHY)?;
    }
    ed.erase_node(first.node, &[], WHY)
}

/// Adds a parameter after both `if`s for a value that is used there.
fn add_result_param(
    ed: &mut Editor<'_>,
    second: &Choice,
    into: [Region; 2],
    values: [Inst; 2],
    param: Inst,
) -> Result<(), Refusal> {
    let arms: Vec<(Block, Inst)> = ed
        .incoming(second.after)
        .into_iter()
        .map(|edge| {
            let is_then = ed.arm_of(second.node, edge.from) == Some(into[0]);
            (edge.from, if is_then { values[0] } else { values[1] })
        })
        .collect();
    let incoming_value =
        |from: Block| arms.iter().find(|&&(block, _)| block == from).map_or(values[1], |arm| arm.1);
    let ty = ed.func().ty(param);
    let outside: Vec<Use> = ed.uses(param).collect();
    let new = ed.add_param_with(second.after, ty, |edge| incoming_value(edge.from), WHY)?;
    ed.replace_uses_where(param, new, |place| outside.contains(&place), WHY)?;
    Ok(())
}

/// Returns true if a use is inside an arm of a node.
fn is_in(ed: &Editor<'_>, node: Node, arm: Region, place: Use) -> bool {
    block_of(ed, place).is_some_and(|block| ed.arm_of(node, block) == Some(arm))
}

/// Returns the block of a use.
fn block_of(ed: &Editor<'_>, place: Use) -> Option<Block> {
    place_of(ed, place).map(|(block, _)| block)
}

/// Returns true if a block is in a region, at any depth.
fn is_within(ed: &Editor<'_>, region: Region, block: Block) -> bool {
    let mut at = ed.region_of(block);
    while let Some(inner) = at.filter(|&inner| inner != region) {
        at =
            ed.owner_of(inner).and_then(|node| ed.block_before(node)).and_then(|before| ed.region_of(before));
    }
    at.is_some()
}

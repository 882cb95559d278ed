//! `loop-peel-initial-if`: peels an `if` that distinguishes the first iteration of a loop from the others.
//!
//! ```text
//!   loop !0(true, %0) {                       A, reads %0
//!   ^1(%1: b1, %2: b32):                      loop !0(%0, %a) {
//!     if !1 %1 {                              ^1(%2: b32, %3: b32):
//!     ^2: A, reads %2  next(%a)                 C, reads %3
//!     } else {                          =>      …
//!     ^3: B, reads %2  next(%b)                 B, reads %5
//!     }                                         next(%5, %b)
//!   ^4(%3: b32):                              }
//!     C, reads %3
//!     next(false, %5)
//!   }
//! ```
//!
//! The arm for the first iteration moves before the loop, and the arm for all others moves to the end of the
//! preceding iteration. The order of effects is unchanged, and nothing is duplicated: front ends that translate
//! `for` with a flag produce such loops. The flag is a block parameter that is one constant in the first iteration
//! and the opposite one afterwards; it may be used through a `not`.
//!
//! Left alone: loops with `continue`, with code before the `if` that is not loop-invariant, with a terminator that
//! leaves an arm other than by its end (`return` and `stop` are allowed), and with values of the arms used
//! elsewhere; graphs.
//!
//! NIR: `opt_peel_loop_initial_if` of `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice};
use crate::util::lcssa::place_of;
use crate::util::loop_edit::{blocks_of, in_one_region};
use crate::util::open::nodes_in_order;
use crate::util::speculate::may_speculate;
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, IntOp, Op, ValueType};
use vitrine_ir::{
    Block, Editor, InsertPoint, Inst, Node, NodeKind, Reason, Refusal, Region, Terminator, Use,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Peels an `if` that distinguishes the first iteration of a loop from the others.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("loop-peel-initial-if", opening!("loop_peel_initial_if.rs"), |ed, _| {
        loop_peel_initial_if(ed)
    })
};

const WHY: Reason = Reason::Note("only the first iteration takes this arm");

/// Peels `if`s, inner loops first. Linear in the moved code; idempotent; trees.
pub(super) fn loop_peel_initial_if(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        let Some(plan) = plan(ed, node) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        peel(ed, node, &plan)?;
    }
    Ok(())
}

/// A loop that begins with such an `if`.
struct Plan {
    choice: Choice,
    before: Block,
    head: Block,
    /// The arm for the first iteration.
    first: Region,
    /// The arm for all other iterations.
    others: Region,
}

fn plan(ed: &mut Editor<'_>, node: Node) -> Option<Plan> {
    if !ed.has_node(node) || !ed.continues_of(node).is_empty() {
        return None;
    }
    let NodeKind::Loop { body, continuing } = ed.func().node(node).kind else { return None };
    let before = ed.block_before(node)?;
    let Terminator::Next(entry) = ed.func().terminator(before).clone() else { return None };
    let head = ed.func().region(body).head;
    let choice = choice(ed, ed.node_after(head)?)?;
    let back_edge_args = back_args(ed, body, continuing)?;
    // The flag, and true if the first arm is taken when it is true.
    let data = ed.func().inst(choice.cond);
    let (flag, is_direct) = match (data.op, &data.args[..]) {
        (Op::Int(IntOp::INot), &[flag]) => (flag, false),
        _ => (choice.cond, true),
    };
    let at = ed.func().block(head).params.iter().position(|&param| param == flag)?;
    let value = |list: &[Inst]| Some(ed.bits_of(*list.get(at)?)?.component(0).as_bool());
    let (at_first, later) = (value(&entry)?, value(&back_edge_args)?);
    if at_first == later {
        return None;
    }
    let (first, others) =
        if at_first == is_direct { (choice.then, choice.els) } else { (choice.els, choice.then) };
    let plan = Plan { choice, before, head, first, others };
    (arms_are_simple(ed, &plan) && head_is_free(ed, &plan)).then_some(plan)
}

/// Returns the arguments of the only back edge: from the end of the continuing region, or of the body.
fn back_args(ed: &Editor<'_>, body: Region, continuing: Option<Region>) -> Option<Vec<Inst>> {
    let fallthrough_args = |region| match ed.func().terminator(ed.func().region(region).last()) {
        Terminator::Next(args) => Some(args.to_vec()),
        _ => None,
    };
    let through = fallthrough_args(body)?;
    continuing.map_or(Some(through), fallthrough_args)
}

/// Returns true if both arms end by falling through, no other edge enters the code after them, and no terminator
/// leaves them.
fn arms_are_simple(ed: &Editor<'_>, plan: &Plan) -> bool {
    let ends = [plan.first, plan.others].map(|region| ed.func().region(region).last());
    let fall_through = ends.iter().all(|&end| matches!(ed.func().terminator(end), Terminator::Next(_)));
    let is_only_source = ed.incoming(plan.choice.after).iter().all(|edge| ends.contains(&edge.from));
    // Terminators that leave an arm could lead to code that uses values of the loop header.
    let inside = |arm: Region, named: Node| {
        ed.block_before(named).is_some_and(|before| ed.arm_of(plan.choice.node, before) == Some(arm))
    };
    let has_no_jumps = [plan.first, plan.others].into_iter().all(|arm| {
        blocks_of(ed, arm).into_iter().all(|block| match ed.func().terminator(block) {
            Terminator::Break(named, _) | Terminator::Continue(named, _) => inside(arm, *named),
            _ => true,
        })
    });
    let passed = ed.func().block(plan.choice.after).params.clone();
    let is_all_bits = passed.iter().all(|&param| matches!(ed.func().ty(param), ValueType::Bits { .. }));
    // Values computed in an arm must be used only there.
    let is_used_inside = |region: Region| {
        let blocks = blocks_of(ed, region);
        let values = blocks.iter().flat_map(|&block| {
            let data = ed.func().block(block);
            data.params.iter().chain(data.insts.iter()).copied().collect::<Vec<_>>()
        });
        values.into_iter().all(|value| ed.uses(value).all(|place| is_in(ed, plan.choice.node, region, place)))
    };
    fall_through
        && is_only_source
        && has_no_jumps
        && is_all_bits
        && is_used_inside(plan.first)
        && is_used_inside(plan.others)
}

/// Returns true if the code before the `if` may be computed once before the loop, except the `not` of the flag.
fn head_is_free(ed: &mut Editor<'_>, plan: &Plan) -> bool {
    let insts = ed.func().block(plan.head).insts.clone();
    let end = InsertPoint::End(plan.before);
    insts.iter().all(|&inst| {
        let data = ed.func().inst(inst).clone();
        let is_free = matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Undef));
        let is_cond = inst == plan.choice.cond && ed.use_count(inst) == 1;
        is_cond
            || (is_free || may_speculate(ed, &data))
                && data.args.iter().all(|arg| insts.contains(arg) || ed.is_visible(*arg, end))
    })
}

fn peel(ed: &mut Editor<'_>, node: Node, plan: &Plan) -> Result<(), Refusal> {
    in_one_region(ed, node)?;
    let Plan { choice, before, head, first, others } = *plan;
    let NodeKind::Loop { body, .. } = ed.func().node(node).kind else { return Ok(()) };
    let cond = ed.func().inst(choice.cond).clone();
    for &inst in ed.func().block(head).insts.clone().iter().filter(|&&inst| inst != choice.cond) {
        ed.move_to(inst, InsertPoint::End(before), WHY)?;
    }
    if cond.op == Op::Int(IntOp::INot)
        && let Some(&flag) = cond.args.first()
        && ed.block_of(choice.cond) == Some(head)
    {
        // Used only by the `if`, which is removed.
        ed.set_node_operand(choice.node, flag, WHY)?;
        ed.erase(choice.cond, WHY)?;
    }
    let last = ed.func().region(body).last();
    let (Terminator::Next(entry), Terminator::Next(back_edge_args)) =
        (ed.func().terminator(before).clone(), ed.func().terminator(last).clone())
    else {
        return Ok(());
    };
    let params = ed.func().block(head).params.clone();
    for (arm, given) in [(first, &entry), (others, &back_edge_args)] {
        substitute_params(ed, choice.node, arm, &params, given)?;
    }
    // Values passed on by the arms become parameters of the loop.
    let passed = |ed: &Editor<'_>, arm: Region| match ed.func().terminator(ed.func().region(arm).last()) {
        Terminator::Next(args) => args.to_vec(),
        _ => Vec::new(),
    };
    let (at_first, later) = (passed(ed, first), passed(ed, others));
    for at in (0..at_first.len()).rev() {
        let Some(&param) = ed.func().block(choice.after).params.get(at) else { continue };
        let Some((&start, &next)) = at_first.get(at).zip(later.get(at)) else { continue };
        let ty = ed.func().ty(param);
        let new = ed.add_param_with(head, ty, |edge| if edge.from == before { start } else { next }, WHY)?;
        if ed.use_count(param) > 0 {
            ed.replace_uses(param, new, WHY)?;
        }
        ed.remove_param(choice.after, at, WHY)?;
    }
    let before_loop = ed.split_block(InsertPoint::End(before), WHY)?;
    ed.move_arm(choice.node, first, before_loop, WHY)?;
    let at_end = ed.split_block(InsertPoint::End(last), WHY)?;
    ed.move_arm(choice.node, others, at_end, WHY)?;
    ed.erase_node(choice.node, &[], WHY)
}

/// Replaces the loop's parameters in an arm by the arguments of an edge into the loop.
fn substitute_params(
    ed: &mut Editor<'_>,
    node: Node,
    arm: Region,
    params: &[Inst],
    given: &[Inst],
) -> Result<(), Refusal> {
    let mut inside: FxHashMap<Inst, Vec<Use>> = FxHashMap::default();
    for &param in params {
        inside.insert(param, ed.uses(param).filter(|&place| is_in(ed, node, arm, place)).collect());
    }
    for (param, &value) in params.iter().zip(given) {
        let places = inside.remove(param).unwrap_or_default();
        if value != *param && !places.is_empty() {
            ed.replace_uses_where(*param, value, |place| places.contains(&place), WHY)?;
        }
    }
    Ok(())
}

/// Returns true if a use is inside an arm of a node.
fn is_in(ed: &Editor<'_>, node: Node, arm: Region, place: Use) -> bool {
    place_of(ed, place).is_some_and(|(block, _)| ed.arm_of(node, block) == Some(arm))
}

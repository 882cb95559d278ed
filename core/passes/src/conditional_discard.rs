//! `conditional-discard`: replaces an `if` that only discards the invocation by a conditional discard.
//!
//! ```text
//!   if !0 %0 {                                io.discard_if %0
//!   ^1:
//!     stop discard
//!   } else {                             =>
//!   ^2:
//!     next
//!   }
//! ```
//!
//! `stop discard` becomes `io.discard_if`, `stop terminate` `io.terminate_if`, an `io.demote` alone in its arm
//! `io.demote_if`. If it is in the other arm, the condition is negated. The other arm must be empty, and the
//! values it passes on must be available before the `if`. Back ends for targets that have only the statement write
//! it inside an `if`.
//!
//! Left alone: arms with any other instruction, other stops, and graphs.
//!
//! NIR: `nir_opt_conditional_discard`.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice, is_empty, only_block};
use crate::util::open::nodes_inside_out;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IntOp, IoOp, Op, ValueType};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Reason, Refusal, Region, Stage, Stop, Terminator};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces an `if` that only discards the invocation by a conditional discard.",
    shape: Some(PassShape::Tree),
    stages: &[Stage::Fragment],
    ..PassInfo::edits("conditional-discard", opening!("conditional_discard.rs"), |ed, _| {
        conditional_discard(ed)
    })
};

const WHY: Reason = Reason::Note("it only discards the invocation");

/// Replaces such `if`s by instructions. Linear; idempotent; trees.
pub(super) fn conditional_discard(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_inside_out(ed.func()) {
        let Some(choice) = choice(ed, node) else { continue };
        let Some((op, is_then, results)) = stop_of_choice(ed, &choice) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        let at = InsertPoint::End(choice.before);
        let mut cond = choice.cond;
        if !is_then {
            cond = ed.insert(at, InstData::new(IntOp::INot, ValueType::BOOL, &[cond]), WHY)?;
        }
        ed.insert(at, InstData::new(op, ValueType::Void, &[cond]), WHY)?;
        ed.erase_node(node, &results, WHY)?;
    }
    Ok(())
}

/// Returns the operation for an `if`, true if it runs when the condition is true, and the values passed on.
fn stop_of_choice(ed: &mut Editor<'_>, choice: &Choice) -> Option<(IoOp, bool, Vec<Inst>)> {
    let (op, is_then, other) = match (stop_of(ed, choice.then), stop_of(ed, choice.els)) {
        (Some(op), None) => (op, true, choice.els),
        (None, Some(op)) => (op, false, choice.then),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    if !is_empty(ed, other) {
        return None;
    }
    let Terminator::Next(results) = ed.func().terminator(ed.func().region(other).head).clone() else {
        return None;
    };
    // A demoted invocation continues with the values that its own arm passes on.
    if op == IoOp::DemoteIf {
        let own = if is_then { choice.then } else { choice.els };
        let same = matches!(ed.func().terminator(ed.func().region(own).head), Terminator::Next(args) if *args == results);
        if !same {
            return None;
        }
    }
    let end = InsertPoint::End(choice.before);
    let visible = results.iter().all(|&value| ed.is_visible(value, end));
    let only_from_arms =
        ed.incoming(choice.after).iter().all(|edge| ed.arm_of(choice.node, edge.from).is_some());
    (visible && only_from_arms).then(|| (op, is_then, results.to_vec()))
}

/// Returns the operation that stops or demotes invocations, if the arm does nothing else.
fn stop_of(ed: &Editor<'_>, arm: Region) -> Option<IoOp> {
    let data = ed.func().block(only_block(ed, arm)?);
    match (&data.insts[..], &data.terminator) {
        ([], Terminator::Stop(Stop::Discard)) => Some(IoOp::DiscardIf),
        ([], Terminator::Stop(Stop::Terminate)) => Some(IoOp::TerminateIf),
        (&[only], Terminator::Next(_)) if ed.func().inst(only).op == Op::Io(IoOp::Demote) => {
            Some(IoOp::DemoteIf)
        }
        _ => None,
    }
}

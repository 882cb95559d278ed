//! `lower-discard-if`: lowers conditional discards to an `if`.
//!
//! ```text
//!                                     if !0 %0 {
//!                                     ^1:
//!   io.discard_if %0                    stop discard
//!                              =>     } else {
//!                                     ^2:
//!                                       next
//!                                     }
//! ```
//!
//! The opposite of `conditional-discard`, for targets that have only the statement: `io.discard_if` becomes
//! `stop discard`, `io.terminate_if` becomes `stop terminate`, `io.demote_if` becomes `io.demote`. None of the
//! three is left. The code after the instruction moves after the `if`. Graphs are rejected: convert them to trees
//! first.
//!
//! NIR: `nir_lower_discard_if`.

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{Editor, InstData, InstRange, Reason, Refusal, Stage, Stop, Terminator};
use crate::ops::{IoOp, Op, ValueType};
use crate::passes::util::open::insts_in_order;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers conditional discards to an `if`.",
    shape: Some(PassShape::Tree),
    stages: &[Stage::Fragment],
    ..PassInfo::edits("lower-discard-if", opening!("lower_discard_if.rs"), |ed, _| lower_discard_if(ed))
};

const WHY: Reason = Reason::Note("the target has no conditional discard");

/// Lowers all conditional discards. Linear except for splitting blocks; idempotent; trees.
fn lower_discard_if(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst);
        let Op::Io(op @ (IoOp::DiscardIf | IoOp::TerminateIf | IoOp::DemoteIf)) = data.op else { continue };
        let Some(&cond) = data.args.first() else { continue };
        if !ed.consume_fuel() {
            break;
        }
        let inside = ed.wrap_in_if(InstRange::of_inst(inst), cond, WHY)?.inside;
        let stop = match op {
            IoOp::DiscardIf => Stop::Discard,
            IoOp::TerminateIf => Stop::Terminate,
            _ => {
                ed.rewrite(inst, InstData::new(IoOp::Demote, ValueType::Void, &[]), WHY)?;
                continue;
            }
        };
        ed.erase(inst, WHY)?;
        ed.set_terminator(inside, Terminator::Stop(stop), WHY)?;
    }
    Ok(())
}

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
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IoOp, Op, ValueType};
use vitrine_ir::{Editor, Inst, InstData, InstRange, Reason, Refusal, Stage, Stop, Terminator};

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
    let stop = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        match data.op {
            Op::Io(op @ (IoOp::DiscardIf | IoOp::TerminateIf | IoOp::DemoteIf)) => {
                Some((op, *data.args.first()?))
            }
            _ => None,
        }
    };
    rewrite_each(ed, stop, |ed, inst, (op, cond)| {
        let inside = ed.wrap_in_if(InstRange::of_inst(inst), cond, WHY)?.inside;
        let stop = match op {
            IoOp::DiscardIf => Stop::Discard,
            IoOp::TerminateIf => Stop::Terminate,
            _ => return ed.rewrite(inst, InstData::new(IoOp::Demote, ValueType::Void, &[]), WHY),
        };
        ed.erase(inst, WHY)?;
        ed.set_terminator(inside, Terminator::Stop(stop), WHY)
    })
}

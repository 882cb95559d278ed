//! Instructions that may run on paths where the program does not run them.
//!
//! Has no cost model.

use vitrine_ir::ops::{BasicOp, IntOp, Op, Props};
use vitrine_ir::{Editor, InstData};

/// Returns true if an instruction may be speculated: its result depends on its operands only, it has no side
/// effects, does not depend on other invocations, and is defined if its operands are.
///
/// An integer division qualifies if its divisor is a constant without zero components, and without -1 if that
/// could overflow.
pub(crate) fn may_speculate(ed: &Editor<'_>, data: &InstData) -> bool {
    let props = data.op.props();
    if !props.pure() || props.has(Props::NEEDS_HELPERS) || !data.has_result() {
        return false;
    }
    match data.op {
        Op::Int(IntOp::IDiv | IntOp::UDiv | IntOp::IRem | IntOp::IMod | IntOp::UMod) => {
            let divisor = data.args.get(1).and_then(|&divisor| ed.bits_of(divisor));
            divisor.is_some_and(|bits| {
                let ones = u64::MAX >> (64 - bits.width().bits()).min(63);
                bits.components().iter().all(|&component| component != 0 && component & ones != ones)
            })
        }
        // The behavior of an extended instruction is not known here.
        Op::Spirv(_) | Op::Basic(BasicOp::Param) => false,
        _ => true,
    }
}

/// Returns true if the result of an instruction depends only on its operands, regardless of the active
/// invocations.
pub(crate) fn may_move(data: &InstData) -> bool {
    let props = data.op.props();
    let fixed = matches!(data.op, Op::Spirv(_) | Op::Basic(BasicOp::Param));
    props.pure() && !props.has(Props::NEEDS_HELPERS) && data.has_result() && !fixed
}

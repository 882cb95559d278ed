//! Which instructions may run where the program did not ask for them.
//!
//! Says nothing about cost.

use crate::ir::{Editor, InstData};
use crate::ops::{BasicOp, IntOp, Op, Props};

/// Whether an instruction may be computed on more ways than the program says: it is a function of its operands, has
/// no effect, looks at no other invocation, and is defined wherever its operands are.
///
/// An integer division is so if its divisor is a constant without a zero, and no -1 where that could overflow.
pub(in crate::passes) fn may_speculate(ed: &Editor<'_>, data: &InstData) -> bool {
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
        // What an extended instruction does is not known here.
        Op::Spirv(_) | Op::Basic(BasicOp::Param) => false,
        _ => true,
    }
}

/// Whether an instruction yields the same wherever its operands are the same, however many invocations take part.
pub(in crate::passes) fn may_move(data: &InstData) -> bool {
    let props = data.op.props();
    let fixed = matches!(data.op, Op::Spirv(_) | Op::Basic(BasicOp::Param));
    props.pure() && !props.has(Props::NEEDS_HELPERS) && data.has_result() && !fixed
}

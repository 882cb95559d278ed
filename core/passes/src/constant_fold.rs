//! `constant-fold`: evaluates operations whose operands are constants.
//!
//! ```text
//!   %1: b32 = const 2                       %1: b32 = const 2
//!   %2: b32 = const 3                =>     %2: b32 = const 3
//!   %3: b32 = iadd %1, %2                   %3: b32 = const 5
//! ```
//!
//! Uses the evaluator of the operation table, so that folding and running cannot disagree. One traversal is
//! enough: operands come before their users. The value keeps its id.
//!
//! Of the operations on groups, moves, votes, minima and maxima of a constant are folded: all invocations have the same
//! value. Not folded: others that depend on other invocations (a derivative of a constant need not be zero: NaN and
//! infinity), module constants that may still be specialized, and float arithmetic to which the execution modes
//! apply special rounding or subnormal handling. Branches on constants are left to `dead-cf`.

use super::pass::PassInfo;
use crate::util::rewrite_each::rewrite_each;
use vitrine_analysis::{FloatModes, evaluate};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, GroupOp, How, Key, OfEqual, Op, Reduction, Scalar};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Evaluates operations whose operands are constants.",
    ..PassInfo::edits("constant-fold", opening!("constant_fold.rs"), |ed, _| constant_fold(ed))
};

const FOLDED: Reason = Reason::Note("its operands are constant");
const SHARED: Reason = Reason::Note("the operand is the same constant in all invocations");

/// Folds every instruction with constant operands. Linear; idempotent; both shapes.
pub(super) fn constant_fold(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let modes = FloatModes::of(ed.module());
    let known = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        match data.op {
            _ if data.args.is_empty() => None,
            Op::Group(op) => Some((shared(ed, op, data)?, SHARED)),
            _ if data.op.props().pure() => Some((fold(ed, data, modes)?, FOLDED)),
            _ => None,
        }
    };
    rewrite_each(ed, known, |ed, inst, (bits, why)| {
        let folded = ed.const_bits(bits);
        ed.rewrite(inst, folded, why)
    })
}

/// The result of a group operation on a constant, which is the same in all invocations: moves, votes, and
/// reductions that leave equal values unchanged.
fn shared(ed: &Editor<'_>, op: GroupOp, data: &InstData) -> Option<Bits> {
    let bits = ed.bits_of(*data.args.first()?)?;
    let truth = || Bits::scalar(Scalar::bool(true));
    match op.of_equal() {
        OfEqual::Moved | OfEqual::Voted => Some(bits),
        OfEqual::True => Some(truth()),
        OfEqual::TrueUnlessNan => {
            bits.scalars().all(|component| component.feq(component).as_bool()).then(truth)
        }
        OfEqual::Reduced => {
            let keeps = data.attrs.word::<Reduction>()?.is_idempotent();
            // The first invocation has no value before it.
            (keeps && data.attrs.word::<How>()? != How::Exclusive).then_some(bits)
        }
        OfEqual::Unknown => None,
    }
}

fn fold(ed: &Editor<'_>, data: &InstData, modes: FloatModes) -> Option<Bits> {
    let args: Vec<Bits> = data.args.iter().map(|&arg| ed.bits_of(arg)).collect::<Option<_>>()?;
    let bits = evaluate(data.op, data.ty, &args, data.attrs.get(Key::Components))?;
    modes.agree(data.op, &args, &bits).then_some(bits)
}

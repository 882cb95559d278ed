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
//! Not folded: operations that depend on other invocations (a derivative of a constant need not be zero: NaN and
//! infinity), module constants that may still be specialized, and float arithmetic to which the execution modes
//! apply special rounding or subnormal handling. Branches on constants are left to `dead-cf`.

use super::pass::PassInfo;
use crate::analysis::{FloatModes, evaluate};
use crate::base::opening::opening;
use crate::ir::{Editor, InstData, Reason, Refusal};
use crate::ops::{Bits, Key};
use crate::passes::util::open::insts_in_order;

/// The registry entry.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Evaluates operations whose operands are constants.",
    ..PassInfo::edits("constant-fold", opening!("constant_fold.rs"), |ed, _| constant_fold(ed))
};

/// Folds every instruction with constant operands. Linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never causes.
pub(super) fn constant_fold(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let modes = FloatModes::of(ed.module());
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst);
        if data.args.is_empty() || !data.op.props().pure() {
            continue;
        }
        if let Some(bits) = fold(ed, data, modes)
            && ed.consume_fuel()
        {
            let folded = ed.const_bits(bits);
            ed.rewrite(inst, folded, Reason::Note("its operands are constant"))?;
        }
    }
    Ok(())
}

fn fold(ed: &Editor<'_>, data: &InstData, modes: FloatModes) -> Option<Bits> {
    let args: Vec<Bits> = data.args.iter().map(|&arg| ed.bits_of(arg)).collect::<Option<_>>()?;
    let bits = evaluate(data.op, data.ty, &args, data.attrs.get(Key::Components))?;
    modes.agree(data.op, &args, &bits).then_some(bits)
}

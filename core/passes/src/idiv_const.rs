//! `idiv-const`: replaces division by a constant by multiplications and shifts.
//!
//! ```text
//!   %1: b32 = const 7                         %4: b32 = const 613566757
//!   %2: b32 = udiv %0, %1              =>     …
//!                                             %2: b32 = ushr %8, %9
//! ```
//!
//! The quotient is the high half of the product with a scaled reciprocal of the divisor, as shown by Granlund and
//! Montgomery (1994); powers of two become shifts, and remainders subtract the quotient times the divisor.
//! Supports signed and unsigned integers of 8 to 64 bits, with a different divisor for each component. Division by
//! zero gives zero. The results are identical bit for bit, and afterwards no division has a constant divisor.
//!
//! Uses `umul_high` and `imul_high`, which `lower-alu{mul-high}` expands for targets without them. Divisors known
//! only when the module is specialized (`global`) do not count as constants.
//!
//! NIR: `nir_opt_idiv_const`.

use super::pass::PassInfo;
use crate::util::arith::{build, division::by_constant};
use crate::util::rewrite_each::expand_all;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IntOp, Op};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces division by a constant by multiplications and shifts.",
    ..PassInfo::edits("idiv-const", opening!("idiv_const.rs"), |ed, _| idiv_const(ed))
};

const WHY: Reason = Reason::Note("the divisor is a constant");

/// Expands divisions by constants. Linear; idempotent; both shapes.
pub(super) fn idiv_const(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let is_selected = |ed: &Editor<'_>, data: &InstData| {
        let divides =
            matches!(data.op, Op::Int(IntOp::UDiv | IntOp::UMod | IntOp::IDiv | IntOp::IRem | IntOp::IMod));
        divides && data.args.get(1).is_some_and(|&divisor| ed.bits_of(divisor).is_some())
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let divisor = data.args.get(1).and_then(|&divisor| ed.bits_of(divisor));
        build(ed, inst, WHY, |b, data| {
            let (Op::Int(op), Some(&number)) = (data.op, data.args.first()) else { return None };
            by_constant(b, op, number, divisor?)
        })
    };
    expand_all(ed, is_selected, expand, WHY)
}

//! `if-invert-empty`: inverts an `if` whose first arm is empty or whose condition is a `not`.
//!
//! ```text
//!   %2: b1 = ilt %0, %1                       %2: b1 = ige %0, %1
//!   if !0 %2 {                                if !0 %2 {
//!   ^1:                                       ^2:
//!     next                              =>      store %3, %0
//!   } else {                                    next
//!   ^2:                                       } else {
//!     store %3, %0                            ^1:
//!     next                                      next
//!   }                                         }
//! ```
//!
//! A comparison without other uses is inverted, also for floats: the inverse of `flt` is `fgeu`, which is true for
//! NaN. Any other condition gets a `not`. If the condition already is a `not`, its operand is used instead,
//! whichever arms are empty.
//!
//! Left alone: an `if` whose first arm is not empty and whose condition is not a `not`; graphs.
//!
//! NIR: `opt_if_simplification` of `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice, is_empty};
use crate::util::open::nodes_in_order;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{FloatOp, IntOp, Op, ValueType};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Inverts an `if` whose first arm is empty or whose condition is a `not`.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-invert-empty", opening!("if_invert_empty.rs"), |ed, _| if_invert_empty(ed))
};

const WHY: Reason = Reason::Note("the inverted form means the same");

/// Comparisons and their inverses.
const INVERSES: &[(Op, Op)] = &[
    (Op::Int(IntOp::IEq), Op::Int(IntOp::INe)),
    (Op::Int(IntOp::ILt), Op::Int(IntOp::IGe)),
    (Op::Int(IntOp::IGt), Op::Int(IntOp::ILe)),
    (Op::Int(IntOp::ULt), Op::Int(IntOp::UGe)),
    (Op::Int(IntOp::UGt), Op::Int(IntOp::ULe)),
    (Op::Float(FloatOp::FEq), Op::Float(FloatOp::FNeu)),
    (Op::Float(FloatOp::FLt), Op::Float(FloatOp::FGeu)),
    (Op::Float(FloatOp::FGt), Op::Float(FloatOp::FLeu)),
    (Op::Float(FloatOp::FLe), Op::Float(FloatOp::FGtu)),
    (Op::Float(FloatOp::FGe), Op::Float(FloatOp::FLtu)),
];

/// Inverts `if`s. Linear; idempotent; trees.
pub(super) fn if_invert_empty(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()) {
        let Some(choice) = choice(ed, node) else { continue };
        let is_invertible = is_empty(ed, choice.then) && !is_empty(ed, choice.els);
        let data = ed.func().inst(choice.cond);
        let negated = match (data.op, &data.args[..]) {
            (Op::Int(IntOp::INot), &[arg]) => Some(arg),
            _ => None,
        };
        // Inverting twice would restore the original.
        let is_no_gain = negated.is_some() && is_empty(ed, choice.els) && !is_empty(ed, choice.then);
        if is_no_gain || !is_invertible && negated.is_none() {
            continue;
        }
        if !ed.consume_fuel() {
            break;
        }
        let cond = match negated {
            Some(arg) => arg,
            None => inverse(ed, &choice)?,
        };
        ed.swap_arms(node, cond, WHY)?;
    }
    Ok(())
}

/// Returns the inverse of a condition.
fn inverse(ed: &mut Editor<'_>, choice: &Choice) -> Result<Inst, Refusal> {
    let data = ed.func().inst(choice.cond).clone();
    let other = INVERSES.iter().find_map(|&(a, b)| match data.op {
        op if op == a => Some(b),
        op if op == b => Some(a),
        _ => None,
    });
    if let Some(op) = other
        && ed.use_count(choice.cond) == 1
    {
        ed.rewrite(choice.cond, InstData { op, ..data }, WHY)?;
        return Ok(choice.cond);
    }
    let not = InstData::new(IntOp::INot, ValueType::BOOL, &[choice.cond]);
    ed.insert(InsertPoint::End(choice.before), not, WHY)
}

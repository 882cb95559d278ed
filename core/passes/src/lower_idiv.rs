//! `lower-idiv`: lowers integer division to an estimate of the reciprocal and corrections.
//!
//! ```text
//!                                             %3: b32 = u2f %1
//!                                             %4: b32 = frcp %3
//!   %2: b32 = udiv %0, %1              =>     …
//!                                             %20: b1 = uge %17, %1
//!                                             %2: b32 = select %20, %19, %18
//! ```
//!
//! 8-bit and 16-bit numbers are divided as floats, and an error of one is corrected. For 32 bits, the reciprocal
//! is estimated as a float, refined once in integers, and the quotient corrected; this uses `umul_high`, which
//! `lower-alu{mul-high}` expands. An inaccurate reciprocal of the target does not affect the result. 64-bit
//! division proceeds bit by bit; `lower-int64` can lower it further. Signed numbers are divided by magnitude.
//! Division by zero gives zero, and the results are identical bit for bit. Afterwards there is no `udiv`, `umod`,
//! `idiv`, `irem` or `imod` of the selected group.
//!
//! Run `idiv-const` before: its code is much shorter.
//!
//! NIR: `nir_lower_idiv`, the exact variant.

use super::options::PassOptions;
use super::pass::PassInfo;
use crate::util::arith::{build, division};
use crate::util::rewrite_each::expand_all;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers integer division to an estimate of the reciprocal and corrections.",
    options: division::Expanded::INFO,
    ..PassInfo::edits("lower-idiv", opening!("lower_idiv.rs"), |ed, cx| {
        lower_idiv(ed, division::Expanded::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("the quotient is estimated and corrected");

/// Expands divisions. Linear in the size of the result; idempotent; both shapes.
pub(super) fn lower_idiv(ed: &mut Editor<'_>, group: division::Group) -> Result<(), Refusal> {
    let is_selected = |_: &Editor<'_>, data: &InstData| division::selected(group).any(|op| op == data.op);
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| division::expand(b, data.op, &data.args))
    };
    expand_all(ed, is_selected, expand, WHY)
}

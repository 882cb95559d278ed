//! `lower-double-ops`: lowers rounding, division and roots of 64-bit floats to additions, multiplications and bit
//! operations.
//!
//! ```text
//!                                             %2: b64 = const 0x7ff0000000000000
//!   %1: b64 = ftrunc %0                =>     %3: b64 = iand %0, %2
//!                                             …
//!                                             %1: b64 = select %10, %14, %15
//! ```
//!
//! For targets whose doubles only support addition, multiplication, comparison and conversion. Rounding to
//! integers clears bits, or adds and subtracts a large number. Quotients and roots are estimated by Newton
//! iteration from a 32-bit estimate, corrected by the remainder in integers, and rounded once. A remainder uses
//! squaring modulo the divisor, six steps however far apart the operands are. There are no loops and no branches.
//!
//! The results are identical bit for bit: subnormal numbers, infinities, signed zeros and NaN too. A reciprocal
//! root is rounded twice, as `frsq` is defined. One word selects one group, and afterwards none of its 64-bit
//! operations is left; `floor` and `round-away` leave `ftrunc`, which is in another group. Floats of other widths
//! are unchanged. The expansion uses a 32-bit reciprocal and reciprocal root, which must be accurate to 2^-20, and
//! 64-bit integers, which `lower-int64` can lower further.
//!
//! Unchanged: everything if execution modes flush subnormals or round towards zero; fused multiply-add
//! (`ffma`); and operations without such a formula, such as sines. `lower-alu` and `lower-frexp` lower the others.
//!
//! NIR: `nir_lower_double_ops`.

use super::options::PassOptions;
use super::pass::PassInfo;
use crate::util::arith::{build, doubles};
use crate::util::open::may_have;
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::Width;
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers rounding, division and roots of 64-bit floats to additions, multiplications and bit operations.",
    options: doubles::Expanded::INFO,
    may_apply: |body, options| {
        let group = doubles::Expanded::of(options).group;
        may_have(body, |data| is_selected(data, group))
    },
    ..PassInfo::edits("lower-double-ops", opening!("lower_double_ops.rs"), |ed, cx| {
        lower_double_ops(ed, doubles::Expanded::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("expanded to additions, multiplications and bit operations");

/// Expands the operations. Linear; idempotent; both shapes.
pub(super) fn lower_double_ops(ed: &mut Editor<'_>, group: doubles::Group) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| doubles::expand(b, data.op, &data.args))
    };
    expand_all(ed, |_, data| usual && is_selected(data, group), expand, WHY)
}

fn is_selected(data: &InstData, group: doubles::Group) -> bool {
    data.ty.width() == Some(Width::W64) && doubles::selected(group).any(|op| op == data.op)
}

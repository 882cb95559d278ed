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
//! For targets whose doubles only add, multiply, compare and convert. Rounding to whole numbers cuts off bits, or adds
//! and takes away a large number. Quotients and roots are estimated by Newton's steps from 32 bits, put right by what
//! is left over in integers, and rounded once. A remainder takes squares modulo the divisor, six however far apart the
//! operands are. There are no loops and no branches.
//!
//! Every result keeps its bits: subnormal numbers, infinities, zeros of either sign and NaN too. One over a root is
//! rounded twice, once for each, as `frsq` says. One word picks one kind, and afterwards there is none of that kind on
//! 64 bits; `floor` and `round-away` leave `ftrunc`, which is of another kind. Floats of other widths are not touched.
//! What is written out has a reciprocal and a reciprocal root of 32 bits, which must be right to 2^-20, and integers of
//! 64 bits, which `lower-int64` takes from there.
//!
//! Stays: all of it where execution modes flush subnormals or round towards zero; a product and a sum with one rounding
//! (`ffma`); and what is no formula of these, such as sines. `lower-alu` and `lower-frexp` have the rest.
//!
//! NIR: `nir_lower_double_ops`.

use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::base::opening::opening;
use crate::ir::{Editor, Inst, InstData, Reason, Refusal};
use crate::ops::Width;
use crate::passes::util::arith::{build, doubles, expand_all};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers rounding, division and roots of 64-bit floats to additions, multiplications and bit operations.",
    options: doubles::WORDS,
    ..PassInfo::edits("lower-double-ops", opening!("lower_double_ops.rs"), |ed, options| {
        lower_double_ops(ed, options.word)
    })
};

const WHY: Reason = Reason::Note("expanded to additions, multiplications and bit operations");

/// Writes the operations out. Linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn lower_double_ops(ed: &mut Editor<'_>, kind: &'static str) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let wants = |_: &Editor<'_>, data: &InstData| {
        let picked =
            || doubles::OPS.iter().any(|&(op, word)| op == data.op && (kind == "all" || word == kind));
        usual && data.ty.width() == Some(Width::W64) && picked()
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| doubles::expand(b, data.op, &data.args))
    };
    expand_all(ed, wants, expand, WHY)
}

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
//! Numbers of 8 and 16 bits are divided as floats, and what may be off by one is corrected. Of 32 bits, the reciprocal
//! is estimated as a float, improved once in integers, and what is missing is added; it takes `umul_high`, which
//! `lower-alu{mul-high}` writes out. A reciprocal that the target rounds badly does no harm. Of 64 bits, it is done bit
//! by bit; `lower-int64` takes it from there. Signed numbers are divided by their sizes. A division by zero gives zero,
//! and every value keeps its bits. Afterwards there is no `udiv`, `umod`, `idiv`, `irem` or `imod`, of the kind asked
//! for.
//!
//! `idiv-const` goes before: it is much shorter.
//!
//! NIR: `nir_lower_idiv`, the exact way.

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{Editor, Inst, InstData, Reason, Refusal};
use crate::passes::util::arith::{build, division, expand_all};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers integer division to an estimate of the reciprocal and corrections.",
    options: division::WORDS,
    ..PassInfo::edits("lower-idiv", opening!("lower_idiv.rs"), |ed, options| lower_idiv(ed, options.word))
};

const WHY: Reason = Reason::Note("the quotient is estimated and corrected");

/// Writes divisions out. Linear in what there is afterwards; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn lower_idiv(ed: &mut Editor<'_>, kind: &'static str) -> Result<(), Refusal> {
    let picked = |data: &InstData| {
        division::OPS.iter().any(|&(op, word)| op == data.op && (kind == "all" || word == kind))
    };
    let wants = |_: &Editor<'_>, data: &InstData| picked(data);
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| division::expand(b, data.op, &data.args))
    };
    expand_all(ed, wants, expand, WHY)
}

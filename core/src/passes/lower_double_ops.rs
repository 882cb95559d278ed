//! `lower-double-ops`: whole numbers near a float of 64 bits are found by its bits.
//!
//! ```text
//!                                             %2: b64 = const 0x7ff0000000000000
//!   %1: b64 = ftrunc %0                =>     %3: b64 = iand %0, %2
//!                                             …
//!                                             %1: b64 = select %10, %14, %15
//! ```
//!
//! For targets whose doubles only add and multiply: truncating, flooring, rounding to even and fractions, each keeping
//! its bits; what is left are operations on 64 bits, sums and comparisons, and `lower-int64` takes the integers from
//! there. Afterwards there are none of the kind asked for on 64 bits; floats of other widths are not touched.
//!
//! Quotients, roots, remainders and rounding halves away from zero stay: a way to them by products alone that keeps
//! every bit is not here. Where execution modes flush subnormals or round towards zero, all of it stays.
//!
//! NIR: the rounding part of `nir_lower_double_ops`.

use super::arith::{build, expand_all, whole_numbers};
use super::opening::opening;
use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::ir::{Editor, Inst, InstData, Refusal, Why};
use crate::ops::Width;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Truncates, floors and rounds floats of 64 bits by their bits.",
    options: whole_numbers::WORDS,
    ..PassInfo::edits("lower-double-ops", opening!("lower_double_ops.rs"), |ed, options| {
        lower_double_ops(ed, options.word)
    })
};

const WHY: Why = Why::Note("its bits say it");

/// Writes the operations out. Linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn lower_double_ops(ed: &mut Editor<'_>, kind: &'static str) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let wants = |_: &Editor<'_>, data: &InstData| {
        let picked =
            || whole_numbers::OPS.iter().any(|&(op, word)| op == data.op && (kind == "all" || word == kind));
        usual && data.ty.width() == Some(Width::W64) && picked()
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| whole_numbers::expand(b, data.op, &data.args))
    };
    expand_all(ed, wants, expand, WHY)
}

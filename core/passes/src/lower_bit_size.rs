//! `lower-bit-size`: performs 8-bit and 16-bit arithmetic with 32 bits.
//!
//! ```text
//!                                             %3: b32 = i2i %0
//!                                             %4: b32 = i2i %1
//!   %2: b8 = idiv %0, %1               =>     %5: b32 = idiv %3, %4
//!                                             %2: b8 = u2u %5
//! ```
//!
//! Operands are zero-extended or sign-extended, as the operation interprets them, and the result is truncated.
//! Operations that depend on their width (saturating sums, bit fields, rotations) are expanded first. 16-bit
//! floats are computed with 32 bits and rounded again if that changes no bit; fused products and functions such as
//! sines would round twice and are unchanged, unless the word is `all`. Permissive float flags are dropped.
//!
//! Afterwards only moves use 8 and 16 bits: conversions between numbers, loads and stores, parameters, constants,
//! components, packing; and booleans. If execution modes flush subnormals or round towards zero, floats are
//! unchanged.
//!
//! NIR: `nir_lower_bit_size`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::arith::{build, narrow};
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Op, ValueType, Width};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

options! {
    /// The arithmetic that is widened.
    struct Widened {
        choice arithmetic: Arithmetic {
            /// Integers, and floats if the result is exact.
            Exact "exact",
            /// Integers only.
            Integers "integers",
            /// Also floats whose last bit may change.
            All "all",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Performs 8-bit and 16-bit arithmetic with 32 bits.",
    options: Widened::INFO,
    ..PassInfo::edits("lower-bit-size", opening!("lower_bit_size.rs"), |ed, cx| {
        lower_bit_size(ed, Widened::of(cx.options).arithmetic)
    })
};

const WHY: Reason = Reason::Note("computed with 32 bits");

/// Widens narrow arithmetic. Linear in the size of the result; idempotent; both shapes.
fn lower_bit_size(ed: &mut Editor<'_>, arithmetic: Arithmetic) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let is_wanted_float = |op: Op| match arithmetic {
        Arithmetic::Exact => usual && !narrow::is_rough(op),
        Arithmetic::Integers => false,
        Arithmetic::All => usual,
    };
    let is_selected = |ed: &Editor<'_>, data: &InstData| {
        let narrow = |ty: ValueType| matches!(ty.width(), Some(Width::W8 | Width::W16));
        let is_narrow = data.args.iter().any(|&arg| narrow(ed.func().ty(arg)));
        let is_wanted = match data.op {
            Op::Int(_) => true,
            Op::Float(_) => is_wanted_float(data.op),
            _ => false,
        };
        is_narrow && is_wanted && narrow::has_way(ed, data)
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| narrow::widen(b, data.op, &data.args))
    };
    expand_all(ed, is_selected, expand, WHY)
}

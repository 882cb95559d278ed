//! `lower-alu`: lowers bit operations, products, sums and formulas that a target may lack.
//!
//! ```text
//!                                             %2: b32 = ineg %0
//!                                             %3: b32 = iand %0, %2
//!   %1: b32 = find_lsb %0             =>      …
//!                                             %9: b1 = ieq %0, %7
//!                                             %1: b32 = select %9, %8, %6
//! ```
//!
//! One word selects one group: `lower-alu{counts}` expands only `bitcount` and `bitrev`; `all` expands everything.
//! An expansion may use operations of another group, which are kept if only one group is selected: bit positions
//! are computed from counts, so `lower-alu{positions}` leaves `bitcount`.
//!
//! The results are identical bit for bit, at each width from 8 to 64 and for any number of components. Afterwards
//! none of the selected operations is left, except float formulas if execution modes make floats round towards
//! zero or flush subnormals, since their steps would round differently.
//!
//! NIR: `nir_lower_alu`, and the lowering rules of `nir_opt_algebraic` that have an option each.

use super::options::PassOptions;
use super::pass::PassInfo;
use crate::util::arith::{bits, build};
use crate::util::open::may_have;
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{FloatOp, Op};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers bit operations, products, sums and formulas that a target may lack.",
    options: bits::Expanded::INFO,
    may_apply: |body, options| {
        let picked: Vec<Op> = bits::selected(bits::Expanded::of(options).group).collect();
        may_have(body, |data| picked.contains(&data.op))
    },
    ..PassInfo::edits("lower-alu", opening!("lower_alu.rs"), |ed, cx| {
        lower_alu(ed, bits::Expanded::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("expanded by its definition");

/// Expands the selected operations. Linear in the size of the result; idempotent; both shapes.
pub(super) fn lower_alu(ed: &mut Editor<'_>, group: bits::Group) -> Result<(), Refusal> {
    let formulas = FloatModes::of(ed.module()).are_usual();
    // Few, but for all groups together.
    let picked: Vec<Op> = bits::selected(group).collect();
    let is_selected =
        |_: &Editor<'_>, data: &InstData| picked.contains(&data.op) && (formulas || !is_formula(data.op));
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| bits::expand(b, data.op, &data.args))
    };
    expand_all(ed, is_selected, expand, WHY)
}

/// Returns true if the expansion of an operation rounds; selecting one of two floats does not.
fn is_formula(op: Op) -> bool {
    use FloatOp as F;
    matches!(op, Op::Float(op) if !matches!(op, F::FClamp | F::FNClamp | F::FSat | F::FStep | F::FQuantize16))
}

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
//! One word picks one kind: `lower-alu{counts}` has only `bitcount` and `bitrev` written out; `all` has everything.
//! What is written out may itself use operations of another kind, which stay where only one kind is asked for:
//! positions of bits are counted, so `lower-alu{positions}` leaves `bitcount`.
//!
//! Every value keeps its bits, at each width from 8 to 64 and for any number of components. Afterwards none of the
//! operations of the kind is left; only formulas of floats stay where execution modes make floats round towards zero
//! or flush subnormals, since their steps would round otherwise.
//!
//! NIR: `nir_lower_alu`, and the lowering rules of `nir_opt_algebraic` behind one option each.

use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::base::opening::opening;
use crate::ir::{Editor, Inst, InstData, Reason, Refusal};
use crate::ops::{FloatOp, Op};
use crate::passes::util::arith::{bits, build, expand_all};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers bit operations, products, sums and formulas that a target may lack.",
    options: bits::WORDS,
    ..PassInfo::edits("lower-alu", opening!("lower_alu.rs"), |ed, options| lower_alu(ed, options.word))
};

const WHY: Reason = Reason::Note("expanded by its definition");

/// Writes out the operations of a kind. Linear in what there is afterwards; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn lower_alu(ed: &mut Editor<'_>, kind: &'static str) -> Result<(), Refusal> {
    let formulas = FloatModes::of(ed.module()).are_usual();
    let picked =
        |op: Op| bits::OPS.iter().any(|&(known, word)| known == op && (kind == "all" || word == kind));
    let wants = |_: &Editor<'_>, data: &InstData| picked(data.op) && (formulas || !is_formula(data.op));
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| bits::expand(b, data.op, &data.args))
    };
    expand_all(ed, wants, expand, WHY)
}

/// Whether the steps of an operation are rounded; choosing one of two floats is not.
fn is_formula(op: Op) -> bool {
    matches!(op, Op::Float(op) if !matches!(op, FloatOp::FClamp | FloatOp::FNClamp | FloatOp::FSat | FloatOp::FStep))
}

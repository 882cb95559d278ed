//! `lower-packing`: lowers packing and unpacking of components to shifts.
//!
//! ```text
//!                                             %2: b16 = swizzle %0.x
//!                                             %3: b32 = u2u %2
//!   %1: b32 = pack_32_2x16 %0          =>     %4: b16 = swizzle %0.y
//!                                             …
//!                                             %1: b32 = ior %3, %7
//! ```
//!
//! One word selects one group: halves, fractions (`unorm`, `snorm`), or concatenated bits, including every
//! `repack` of components of 8 bits and more. Halves are converted as 16-bit components, fractions are clamped,
//! scaled and rounded to even, by the formulas that define them: the results are identical bit for bit. Afterwards
//! none of the selected operations is left, except a `repack` of booleans, and, if execution modes make floats
//! round towards zero or flush subnormals, halves and fractions.
//!
//! NIR: `nir_lower_packing`, and the packing options of `nir_opt_algebraic`.

use super::options::PassOptions;
use super::pass::PassInfo;
use crate::util::arith::build;
use crate::util::arith::packing::{self, Group};
use crate::util::open::may_have;
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Op, VectorOp, Width};
use vitrine_ir::{Editor, FuncBody, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers packing and unpacking of components to shifts.",
    options: packing::Expanded::INFO,
    may_apply: |body, options| {
        let group = packing::Expanded::of(options).group;
        let picked: Vec<Op> = packing::selected(group).collect();
        may_have(body, |data| matches!(data.op, Op::Vector(_)) && picked.contains(&data.op))
            || selects_repack(group) && may_have(body, |data| is_repack(body, data))
    },
    ..PassInfo::edits("lower-packing", opening!("lower_packing.rs"), |ed, cx| {
        lower_packing(ed, packing::Expanded::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("packed by shifts");

/// Expands packing. Linear in the size of the result; idempotent; both shapes.
pub(super) fn lower_packing(ed: &mut Editor<'_>, group: Group) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    // Halves and fractions are rounded.
    let picked: Vec<Op> = match group {
        Group::All | Group::Bits if !usual => packing::selected(Group::Bits).collect(),
        Group::Halves | Group::Fractions if !usual => Vec::new(),
        Group::All | Group::Halves | Group::Fractions | Group::Bits => packing::selected(group).collect(),
    };
    let is_selected = |ed: &Editor<'_>, data: &InstData| {
        picked.contains(&data.op) || selects_repack(group) && is_repack(ed.func(), data)
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| match (data.op, data.args.first()) {
            (Op::Vector(VectorOp::Repack), Some(&arg)) => packing::repack(b, arg, data.ty),
            _ => packing::expand(b, data.op, &data.args),
        })
    };
    expand_all(ed, is_selected, expand, WHY)
}

fn selects_repack(group: Group) -> bool {
    match group {
        Group::All | Group::Bits => true,
        Group::Halves | Group::Fractions => false,
    }
}

fn is_repack(body: &FuncBody, data: &InstData) -> bool {
    if data.op != Op::Vector(VectorOp::Repack) {
        return false;
    }
    let from = data.args.first().and_then(|&arg| body.ty(arg).width());
    [from, data.ty.width()].iter().all(|&width| width.is_some_and(|width| width != Width::W1))
}

//! `alu-to-scalar`: splits vector arithmetic into scalar operations, one for each component.
//!
//! ```text
//!                                             %3: b32 = swizzle %0.x
//!                                             %4: b32 = swizzle %1.x
//!                                             %5: b32 = fmul %3, %4
//!   %2: b32x2 = fmul %0, %1           =>      %6: b32 = swizzle %0.y
//!                                             %7: b32 = swizzle %1.y
//!                                             %8: b32 = fmul %6, %7
//!                                             %2: b32x2 = vec %5, %8
//! ```
//!
//! Componentwise operations are computed component by component. Operations on all components (dot and cross
//! products, lengths, `all`, `any`) are expanded into the steps of their definition, in order, so that no bit
//! changes. Components are read from the operands that a value was built from, where these are known.
//!
//! With a word other than `all`, only operations on all components are expanded, for targets that support the
//! others on vectors. Afterwards arithmetic is scalar. Instructions that move components are unchanged: `vec`,
//! `swizzle`, `splat`, `shuffle`, `extract`, `insert`, and packing (`lower-packing`). Loads, stores, parameters
//! and constants keep their components. If execution modes make floats round towards zero or flush subnormals,
//! float products and lengths are unchanged, because their steps would round differently. The opposite pass is
//! `vectorize`; never put both into one `fix`.
//!
//! NIR: `nir_lower_alu_to_scalar`.

use super::options::PassOptions;
use super::pass::PassInfo;
use crate::util::arith::{Arith, build, whole};
use crate::util::components::{is_componentwise, is_per_component};
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IntOp, Op, VectorOp};
use vitrine_ir::{Builder, Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits vector arithmetic into scalar operations, one for each component.",
    options: whole::Expanded::INFO,
    ..PassInfo::edits("alu-to-scalar", opening!("alu_to_scalar.rs"), |ed, cx| {
        alu_to_scalar(ed, whole::Expanded::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("one component at a time");

/// Splits arithmetic into components. Linear in the size of the result; idempotent; both shapes.
pub(super) fn alu_to_scalar(ed: &mut Editor<'_>, group: whole::Group) -> Result<(), Refusal> {
    let formulas = FloatModes::of(ed.module()).are_usual();
    let all = group == whole::Group::All;
    let picked = |op: Op| whole::selected(group).any(|known| known == op);
    let whole = |data: &InstData| picked(data.op) && (formulas || !is_formula(data.op));
    let is_selected = |_: &Editor<'_>, data: &InstData| whole(data) || (all && is_wide(data));
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| match is_wide(data) {
            true => Some(by_components(b, data)),
            false => whole::expand(b, data.op, &data.args),
        })
    };
    expand_all(ed, is_selected, expand, WHY)
}

fn is_wide(data: &InstData) -> bool {
    data.ty.components() > 1 && is_componentwise(data) && data.op != Op::Int(IntOp::Select1)
}

/// Returns true if the expansion of an operation on all components rounds.
fn is_formula(op: Op) -> bool {
    let plain = [VectorOp::All, VectorOp::Any, VectorOp::AllEq, VectorOp::AnyNe, VectorOp::IDot];
    matches!(op, Op::Vector(op) if !plain.contains(&op))
}

fn by_components(b: &mut Builder<'_, '_>, data: &InstData) -> Inst {
    let mut components = Vec::new();
    for at in 0..data.ty.components() {
        let args: Vec<Inst> = (0..)
            .zip(data.args.iter())
            .map(|(operand, &arg)| if is_per_component(data, operand) { b.pick(arg, &[at]) } else { arg })
            .collect();
        let mut component = InstData::new(data.op, data.ty.with_components(1), &args).flagged(data.flags);
        component.attrs = data.attrs.clone();
        components.push(b.emit_with(component));
    }
    b.join(&components)
}

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
//! What is computed component by component is so computed; what looks at all components (dot and cross products,
//! lengths, `all`,
//! `any`) becomes the steps by which it is defined, in their order, so that no bit changes. Components are read from
//! what a value was put together of, where that is in sight.
//!
//! With a word other than `all` only those operations are taken apart that look at all components, for targets that do
//! the rest with several components. Afterwards arithmetic has one component. Moving components stays what it is: `vec`,
//! `swizzle`, `splat`, `shuffle`, `extract`, `insert`, and packing (`lower-packing`). Loads, stores, parameters
//! and constants keep their components. Where execution modes make floats round towards zero or flush subnormals,
//! float products and lengths stay: their steps would round otherwise. The opposite is `vectorize`; never put
//! both into one `fix`.
//!
//! NIR: `nir_lower_alu_to_scalar`.

use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::base::opening::opening;
use crate::ir::{Builder, Editor, Inst, InstData, Reason, Refusal};
use crate::ops::{IntOp, Op, VectorOp};
use crate::passes::util::arith::{Arith, build, expand_all, whole};
use crate::passes::util::components::{is_componentwise, is_per_component};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits vector arithmetic into scalar operations, one for each component.",
    options: whole::WORDS,
    ..PassInfo::edits("alu-to-scalar", opening!("alu_to_scalar.rs"), |ed, options| {
        alu_to_scalar(ed, options.word)
    })
};

const WHY: Reason = Reason::Note("one component at a time");

/// Splits arithmetic into components. Linear in what there is afterwards; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn alu_to_scalar(ed: &mut Editor<'_>, kind: &'static str) -> Result<(), Refusal> {
    let formulas = FloatModes::of(ed.module()).are_usual();
    let all = kind == "all";
    let picked = |op: Op| whole::OPS.iter().any(|&(known, word)| known == op && (all || word == kind));
    let whole = |data: &InstData| picked(data.op) && (formulas || !is_formula(data.op));
    let wants = |_: &Editor<'_>, data: &InstData| whole(data) || (all && is_wide(data));
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| match is_wide(data) {
            true => Some(by_components(b, data)),
            false => whole::expand(b, data.op, &data.args),
        })
    };
    expand_all(ed, wants, expand, WHY)
}

fn is_wide(data: &InstData) -> bool {
    data.ty.components() > 1 && is_componentwise(data) && data.op != Op::Int(IntOp::Select1)
}

/// Whether the steps of what looks at all components are rounded.
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

//! `load-const-to-scalar`: builds vector constants from scalar constants.
//!
//! ```text
//!                                             %1: b32 = const 1.0
//!   %0: b32x3 = const (1.0, 0.5, 1.0)  =>     %2: b32 = const 0.5
//!                                             %0: b32x3 = vec %1, %2, %1
//! ```
//!
//! Equal components of different constants can then be merged (`cse`), and targets with scalar constants can
//! represent them. A constant with equal components becomes a `splat`. Afterwards no `const` has more than one
//! component, except offsets of image operations, which must be constants. Constants of the module (`global`) are
//! unchanged, since their components are not known yet.
//!
//! NIR: `nir_lower_load_const_to_scalar`.

use super::pass::PassInfo;
use crate::util::image_operands::Roles;
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Bits, Op, Role, VectorOp};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Reason, Refusal, Site};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Builds vector constants from scalar constants.",
    ..PassInfo::edits("load-const-to-scalar", opening!("load_const_to_scalar.rs"), |ed, _| {
        load_const_to_scalar(ed)
    })
};

const WHY: Reason = Reason::Note("one constant for each component");

/// Splits constants. Linear; idempotent; both shapes.
pub(super) fn load_const_to_scalar(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let vector = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let is_vector = data.op == Op::Basic(BasicOp::Const) && data.ty.components() >= 2;
        if is_vector && !is_offset(ed, inst) { Some((data.ty, ed.bits_of(inst)?)) } else { None }
    };
    rewrite_each(ed, vector, |ed, inst, (ty, bits)| {
        let mut scalars: Vec<(u64, Inst)> = Vec::new();
        let mut parts = Vec::new();
        for component in bits.scalars() {
            let known = scalars.iter().find(|(bits, _)| *bits == component.bits());
            let part = match known {
                Some(&(_, part)) => part,
                None => {
                    let part = ed.const_bits(Bits::scalar(component));
                    let part = ed.insert(InsertPoint::Before(inst), part, WHY)?;
                    scalars.push((component.bits(), part));
                    part
                }
            };
            parts.push(part);
        }
        let whole = match scalars[..] {
            [(_, part)] => InstData::new(VectorOp::Splat, ty, &[part]),
            _ => InstData::new(VectorOp::Vec, ty, &parts),
        };
        ed.rewrite(inst, whole, WHY)
    })
}

/// Returns true if an image operation uses a constant as an offset, which must be constant (SPIR-V,
/// `ConstOffset`).
fn is_offset(ed: &Editor<'_>, constant: Inst) -> bool {
    ed.uses(constant).any(|place| {
        let Site::Inst(user) = place.site() else { return false };
        let roles = Roles::of(ed.func().inst(user));
        roles.is_some_and(|roles| {
            [Role::Offset, Role::Offsets].into_iter().any(|role| roles.get(role) == Some(constant))
        })
    })
}

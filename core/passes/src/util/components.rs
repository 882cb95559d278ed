//! Components of values: the cheapest way to pick them, and the operations that compute each component
//! independently.
//!
//! Has no cost model, and consumes no fuel.

use vitrine_ir::ops::attr::{pack_components, unpack_component};
use vitrine_ir::ops::constraint::ComponentRule;
use vitrine_ir::ops::{Bits, IntOp, Key, Meaning, Op, ValueType, VectorOp, Width};
use vitrine_ir::{Editor, FactKey, InsertPoint, Inst, InstData, Module, Reason, Refusal};

/// Returns true if each component of the result depends on the same component of the operands that
/// [`is_per_component`] names, and otherwise only on whole operands.
pub(crate) fn is_componentwise(data: &InstData) -> bool {
    let info = data.op.info();
    let by_components = matches!(info.meaning, Some(Meaning::Componentwise(_)))
        && info.result.components == ComponentRule::Same;
    by_components || data.op == Op::Int(IntOp::Select1)
}

/// Returns true if operand `at` of a component-wise operation has the components of the result.
pub(crate) fn is_per_component(data: &InstData, at: usize) -> bool {
    data.op.info().operand(at).is_some_and(|operand| operand.constraint.components == ComponentRule::Same)
}

/// The components that a swizzle or a shuffle picks, numbered across the components of its operands; none for
/// other instructions.
pub(crate) fn picks(data: &InstData) -> Option<Vec<u8>> {
    let Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle) = data.op else { return None };
    let packed = data.attrs.get(Key::Components)?;
    Some((0..usize::from(data.ty.components())).map(|at| unpack_component(packed, at)).collect())
}

/// Returns true if these are all components of a value with `components` of them, in order.
pub(crate) fn is_all(picks: &[u8], components: u8) -> bool {
    picks.iter().copied().eq(0..components)
}

/// A swizzle.
pub(crate) fn swizzle(value: Inst, ty: ValueType, picks: &[u8]) -> InstData {
    let ty = ty.with_components(u8::try_from(picks.len()).unwrap_or(1));
    InstData::new(VectorOp::Swizzle, ty, &[value]).with(Key::Components, pack_components(picks))
}

/// The origin of picked components.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Picked {
    /// All of a value.
    Whole(Inst),
    /// These components of a value.
    Components(Inst, Vec<u8>),
    /// One component, repeated.
    Splat(Inst),
    /// A constant.
    Const(Bits),
}

/// The maximum number of steps of one lookup. Chains are one or two long where every link is simplified.
const MAX_STEPS: usize = 32;

/// Finds the origin of components of a value through swizzles, splats and vector constructors, as far as a
/// single value has all the components, and at most [`MAX_STEPS`] far. `O(components)` a step.
pub(crate) fn look(ed: &Editor<'_>, value: Inst, picks: &[u8]) -> Picked {
    look_far(ed, value, picks, true)
}

/// The same, but stops at the first value that has exactly these components, so that no instruction has to be
/// created.
pub(crate) fn look_near(ed: &Editor<'_>, value: Inst, picks: &[u8]) -> Picked {
    look_far(ed, value, picks, false)
}

fn look_far(ed: &Editor<'_>, value: Inst, picks: &[u8], far: bool) -> Picked {
    let (mut value, mut components) = (value, picks.to_vec());
    // In unreachable code, swizzles may form a cycle.
    for _ in 0..MAX_STEPS {
        let whole = is_all(&components, ed.func().ty(value).components());
        if whole && (!far || ed.bits_of(value).is_some()) {
            return Picked::Whole(value);
        }
        if let Some(bits) = ed.bits_of(value) {
            let picked: Vec<u64> =
                components.iter().map(|&at| bits.component(usize::from(at)).bits()).collect();
            return Picked::Const(Bits::from_components(bits.width(), &picked));
        }
        let data = ed.func().inst(value);
        let next = match data.op {
            Op::Vector(VectorOp::Swizzle) => through_swizzle(data, &components),
            Op::Vector(VectorOp::Splat) => match (data.args.first(), components.len()) {
                (Some(&component), 1) => Some((component, vec![0])),
                (Some(&component), _) => return Picked::Splat(component),
                (None, _) => None,
            },
            Op::Vector(VectorOp::Vec) => through_vec(ed, data, &components),
            _ => None,
        };
        match next {
            Some((deeper, picks)) if deeper != value => (value, components) = (deeper, picks),
            Some(_) | None => break,
        }
    }
    if is_all(&components, ed.func().ty(value).components()) {
        Picked::Whole(value)
    } else {
        Picked::Components(value, components)
    }
}

fn through_swizzle(data: &InstData, components: &[u8]) -> Option<(Inst, Vec<u8>)> {
    let own = picks(data)?;
    let deeper = components.iter().map(|&at| own.get(usize::from(at)).copied()).collect::<Option<_>>()?;
    Some((*data.args.first()?, deeper))
}

/// The one operand of a vector constructor that has all the components.
fn through_vec(ed: &Editor<'_>, data: &InstData, components: &[u8]) -> Option<(Inst, Vec<u8>)> {
    let mut start = 0u8;
    for &part in data.args.iter() {
        let count = ed.func().ty(part).components();
        let inside = |&at: &u8| at >= start && at - start < count;
        if components.iter().all(inside) {
            return Some((part, components.iter().map(|&at| at - start).collect()));
        }
        start = start.checked_add(count)?;
    }
    None
}

/// Returns the picked components as a value, and creates an instruction if necessary. The picks must be a valid
/// component count.
pub(crate) fn pick(
    ed: &mut Editor<'_>,
    at: InsertPoint,
    value: Inst,
    picks: &[u8],
    why: Reason,
) -> Result<Inst, Refusal> {
    let ty = ed.func().ty(value);
    let data = match look_near(ed, value, picks) {
        Picked::Whole(value) => return Ok(value),
        Picked::Components(value, components) => swizzle(value, ty, &components),
        Picked::Splat(component) => InstData::new(
            VectorOp::Splat,
            ty.with_components(u8::try_from(picks.len()).unwrap_or(1)),
            &[component],
        ),
        Picked::Const(bits) => ed.const_bits(bits),
    };
    ed.insert(at, data, why)
}

/// Widths that the module may only load, store and convert. Picking components of these widths is invalid where
/// a SPIR-V module declares 8 or 16 bits for memory alone.
pub(crate) fn stored_only(module: &Module) -> Vec<Width> {
    let declares = |wanted: &[&str]| {
        let matches = |fact: &vitrine_ir::Fact| {
            fact.key == FactKey::Capability && wanted.contains(&module.text_of(fact.value))
        };
        module.facts.iter().any(matches)
    };
    let mut out = Vec::new();
    if declares(&["Shader"]) && !declares(&["Int8", "Kernel"]) {
        out.push(Width::W8);
    }
    if declares(&["Shader"]) && !declares(&["Int16", "Float16", "Kernel"]) {
        out.push(Width::W16);
    }
    out
}

//! `inline-uniforms`: replaces known words of a uniform buffer by constants.
//!
//! ```text
//! uniform $0: #0 {set 0, binding 1}
//! %1: path = deref.var $0                   with {set=0, binding=1, offset=16, value=3}:
//! %2: path = deref.field %1.1         =>
//! %3: b32 = load %2                         %3: b32 = const 3
//! ```
//!
//! If an application draws with the same value for a long time, it can compile a shader for it: branches on the
//! value are decided at compile time, and loops that it bounds can be unrolled. The shader is equivalent only
//! while the buffer holds that value, so no preset runs this pass. For several words, run it several times.
//!
//! A load of 32 bits at exactly that byte of the buffer is replaced by the value, given as 32 bits (the bit
//! pattern, for a float); in the load of a vector, the component is replaced. Left alone: writable buffers,
//! elements known only at run time, arrays of buffers, loads of other widths, volatile and coherent accesses,
//! columns of row-major matrices. NIR: `nir_inline_uniforms`, where the driver chooses the words.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::{is_plain, is_watched, sweep};
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::{pack_components, unpack_component};
use vitrine_ir::ops::{Bits, DerefOp, Key, MemoryOp, Op, Scalar, ValueType, VectorOp, Width};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, Site, TypeData, Use, Var};

options! {
    /// The known word.
    struct KnownWord {
        /// The descriptor set of the buffer.
        set: u32 = 0 in 0..=u32::MAX;
        /// The binding of the buffer.
        binding: u32 = 0 in 0..=u32::MAX;
        /// The offset in bytes from the start of the buffer.
        offset: u32 = 0 in 0..=u32::MAX;
        /// The 32-bit value.
        value: u32 = 0 in 0..=u32::MAX;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces known words of a uniform buffer by constants.",
    options: KnownWord::INFO,
    ..PassInfo::edits("inline-uniforms", opening!("inline_uniforms.rs"), |ed, cx| {
        inline_uniforms(ed, &KnownWord::of(cx.options))
    })
};

const WHY: Reason = Reason::Note("the buffer is known to hold this value");

/// Replaces loads. Linear; idempotent; both shapes.
fn inline_uniforms(ed: &mut Editor<'_>, word: &KnownWord) -> Result<(), Refusal> {
    let [set, binding, offset, value] = [word.set, word.binding, word.offset, word.value].map(u64::from);
    let component = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        if data.op != Op::Memory(MemoryOp::Load) || !is_plain(data) || data.ty.width() != Some(Width::W32) {
            return None;
        }
        let distance = offset.checked_sub(byte_offset(ed, *data.args.first()?, (set, binding))?)?;
        let (component, components) = (distance / 4, data.ty.components());
        if distance % 4 != 0 || component >= u64::from(components) {
            return None;
        }
        (components == 1 || is_used(ed, inst, component as u8)).then_some(component as u8)
    };
    rewrite_each(ed, component, |ed, inst, component| {
        let known = Bits::scalar(Scalar::i(Width::W32, value as i64));
        if ed.func().ty(inst).components() != 1 {
            return insert_component(ed, inst, component, known);
        }
        let paths = ed.func().inst(inst).args.clone();
        let constant = ed.const_bits(known);
        ed.rewrite(inst, constant, WHY)?;
        paths.iter().try_for_each(|&path| sweep(ed, path, WHY))
    })
}

/// Returns true if a component of a vector may be used.
fn is_used(ed: &Editor<'_>, vector: Inst, component: u8) -> bool {
    ed.uses(vector).any(|place| {
        let Site::Inst(user) = place.site() else { return true };
        let data = ed.func().inst(user);
        let first = matches!(place, Use::Arg(_, 0));
        match (data.op, data.attrs.get(Key::Components)) {
            (Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle), Some(packed)) if first => {
                (0..usize::from(data.ty.components())).any(|at| unpack_component(packed, at) == component)
            }
            _ => true,
        }
    })
}

/// Replaces the uses of a vector by a vector with one known component.
fn insert_component(ed: &mut Editor<'_>, vector: Inst, component: u8, known: Bits) -> Result<(), Refusal> {
    let ty = ed.func().ty(vector);
    let components = ty.components();
    if components > 8 {
        return Ok(());
    }
    let picks: Vec<u8> = (0..components).map(|at| if at == component { components } else { at }).collect();
    let constant = ed.const_bits(known);
    let constant = ed.insert(InsertPoint::After(vector), constant, WHY)?;
    let shuffle = InstData::new(VectorOp::Shuffle, ty, &[vector, constant]);
    let new =
        ed.insert(InsertPoint::After(constant), shuffle.with(Key::Components, pack_components(&picks)), WHY)?;
    ed.replace_uses_where(vector, new, |place| place.site() != Site::Inst(new), WHY)?;
    Ok(())
}

/// Returns the byte offset of a path from the start of this uniform buffer.
fn byte_offset(ed: &Editor<'_>, path: Inst, (set, binding): (u64, u64)) -> Option<u64> {
    let (module, func) = (ed.module(), ed.func());
    let (mut at, mut steps) = (path, Vec::new());
    let var: Var = loop {
        let data = func.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => break data.entity(Key::Var)?,
            Op::Deref(DerefOp::Field | DerefOp::Elem) if steps.len() < 256 => steps.push(data),
            _ => return None,
        }
        at = *data.args.first()?;
    };
    let data = module.var(var).filter(|data| data.mode == Mode::Uniform)?;
    let bound = |key, expected| data.attrs.get(key) == Some(expected);
    if !bound(Key::Set, set) || !bound(Key::Binding, binding) {
        return None;
    }
    let (mut ty, mut bytes) = (data.ty, 0u64);
    if !matches!(module.type_of(ty), TypeData::Struct(id) if module.structure(*id).is_some_and(|data| !data.attrs.has(Key::BufferBlock)))
    {
        return None;
    }
    for step in steps.into_iter().rev() {
        let index = step.args.get(1).map(|&index| ed.bits_of(index).map(|bits| bits.component(0).as_u64()));
        let (inner, distance) = match (module.type_of(ty), index) {
            (TypeData::Struct(structure), None) => {
                let at = usize::try_from(step.attrs.get(Key::Field)?).ok()?;
                let member = module.structure(*structure)?.members.get(at)?;
                if is_watched(&member.attrs) {
                    return None;
                }
                (member.ty, member.attrs.get(Key::Offset)?)
            }
            (&TypeData::Array { of, stride, .. }, Some(Some(index))) if stride != 0 => {
                (of, index.checked_mul(u64::from(stride))?)
            }
            (&TypeData::Matrix { column, stride, row_major: false, .. }, Some(Some(index)))
                if stride != 0 =>
            {
                (column, index.checked_mul(u64::from(stride))?)
            }
            (&TypeData::Vector { of, .. }, Some(Some(index))) => {
                let bits = module.value_type(of).filter(|&ty| ty == ValueType::B32)?;
                (of, index.checked_mul(u64::from(bits.width()?.bits() / 8))?)
            }
            _ => return None,
        };
        (ty, bytes) = (inner, bytes.checked_add(distance)?);
    }
    // A column of a row-major matrix is not contiguous.
    let row_major = func
        .inst(path)
        .args
        .first()
        .and_then(|&base| module.path_type(func, base))
        .is_some_and(|base| matches!(module.type_of(base.ty), TypeData::Matrix { row_major: true, .. }));
    (!row_major).then_some(bytes)
}

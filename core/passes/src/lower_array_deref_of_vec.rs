//! `lower-array-deref-of-vec`: replaces accesses to one component of a vector by accesses to the vector.
//!
//! ```text
//! %2: path = deref.elem %1, %one            %3: b32x4 = load %1
//! %3: b32 = load %2                   =>    %4: b32 = swizzle %3.y
//!
//! store %2, %0                              %5: b32x4 = splat %0
//!                                           store %1, %5 {mask 2}
//! ```
//!
//! Most targets access vectors as a whole, and several components of one vector are one load. A component known
//! only at run time is extracted; a store to such a component loads the vector, inserts the component and stores
//! the vector.
//!
//! With `loads`, stores are unchanged. Loads are widened only if no other invocation writes the other components
//! meanwhile: local and private variables, and read-only memory. Elsewhere, reading more than the program
//! requested could race with another invocation. So the remaining accesses to components are: loads of memory that
//! other invocations write, stores there to components known only at run time, volatile and coherent accesses,
//! components out of range, and paths to components with uses other than loads and stores. NIR:
//! `nir_lower_array_deref_of_vec`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::{is_plain, is_private};
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, TypeData};

options! {
    /// The accesses that are widened.
    struct Widened {
        choice accesses: Accesses {
            /// Loads and stores.
            All "all",
            /// Only loads of a constant component.
            Loads "loads",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces accesses to one component of a vector by accesses to the vector.",
    options: Widened::INFO,
    ..PassInfo::edits("lower-array-deref-of-vec", opening!("lower_array_deref_of_vec.rs"), |ed, cx| {
        lower_array_deref_of_vec(ed, Widened::of(cx.options).accesses == Accesses::Loads)
    })
};

const WHY: Reason = Reason::Note("an access to the whole vector");

/// A component of a vector in memory.
struct Component {
    /// The path to the vector, and the value type of the vector.
    vector: Inst,
    ty: ValueType,
    index: Inst,
    /// The component, if it is known; always in range.
    known: Option<u8>,
    mode: Mode,
}

/// Widens accesses. Linear; idempotent; both shapes.
fn lower_array_deref_of_vec(ed: &mut Editor<'_>, loads_only: bool) -> Result<(), Refusal> {
    let accessed = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let component = component(ed, *data.args.first()?)?;
        if !is_plain(data) || data.attrs.has(Key::Mask) {
            return None;
        }
        let (is_private, is_known) = (is_private(Some(component.mode)), component.known.is_some());
        let is_race_free = is_private || !component.mode.is_writable();
        let widen = match data.op {
            Op::Memory(MemoryOp::Load) if is_race_free && (is_known || !loads_only) => load,
            Op::Memory(MemoryOp::Store) if !loads_only && (is_known || is_private) => store,
            _ => return None,
        };
        Some((widen, data.clone(), component))
    };
    rewrite_each(ed, accessed, |ed, inst, (widen, data, component)| widen(ed, inst, &data, &component))
}

fn component(ed: &Editor<'_>, path: Inst) -> Option<Component> {
    let data = ed.func().inst(path);
    let (Op::Deref(DerefOp::Elem), &[vector, index]) = (data.op, &data.args[..]) else { return None };
    let place = ed.module().path_type(ed.func(), vector)?;
    let TypeData::Vector { components, .. } = *ed.module().type_of(place.ty) else { return None };
    let ty = ed.module().value_type(place.ty)?;
    let known = match ed.bits_of(index) {
        // An index out of range keeps its behavior at run time.
        Some(bits) => Some(u8::try_from(bits.component(0).as_u64()).ok().filter(|&at| at < components)?),
        None => None,
    };
    Some(Component { vector, ty, index, known, mode: place.mode })
}

fn load(ed: &mut Editor<'_>, inst: Inst, data: &InstData, component: &Component) -> Result<(), Refusal> {
    let whole =
        InstData { args: vitrine_ir::Args::new(&[component.vector]), ty: component.ty, ..data.clone() };
    let whole = InstData { attrs: whole.attrs.without(Key::Align), ..whole };
    let whole = ed.insert(InsertPoint::Before(inst), whole, WHY)?;
    let extract = match component.known {
        Some(at) => {
            InstData::new(VectorOp::Swizzle, data.ty, &[whole]).with(Key::Components, pack_components(&[at]))
        }
        None => InstData::new(VectorOp::Extract, data.ty, &[whole, component.index]),
    };
    ed.rewrite(inst, extract.flagged(data.flags), WHY)
}

fn store(ed: &mut Editor<'_>, inst: Inst, data: &InstData, component: &Component) -> Result<(), Refusal> {
    let Some(&value) = data.args.get(1) else { return Ok(()) };
    let mut b = ed.build(InsertPoint::Before(inst), WHY);
    let (whole, mask) = match component.known {
        Some(at) => (b.splat(value, component.ty.components()), Some(1u64 << at)),
        None => {
            let old = b.load(component.vector);
            (b.checked(VectorOp::Insert, component.ty, &[old, value, component.index]), None)
        }
    };
    b.finish()?;
    let attrs = data.attrs.without(Key::Align);
    let attrs = mask.map_or(attrs.clone(), |mask| attrs.with(Key::Mask, mask));
    let store = InstData { args: vitrine_ir::Args::new(&[component.vector, whole]), attrs, ..data.clone() };
    ed.rewrite(inst, store, WHY)
}

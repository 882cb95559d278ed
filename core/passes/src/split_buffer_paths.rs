//! `split-buffer-paths`: splits paths into buffers at the element of the resource; the rest becomes byte offsets.
//!
//! ```text
//! %3: path = deref.elem $records_0, %i_0       %3: path = deref.elem $records_0, %i_0
//! %4: path = deref.field %3.0                  %4: path = deref.field %3.0
//! %5: path = deref.elem %4, %j_1               %5: path = deref.elem %4, %j_1
//! %6: path = deref.field %5.1             =>   %10: ptr = ptr.path %5
//! %7: path = deref.elem %6, %k_2               %11: ptr = ptr.dyn_offset %10, %k_2 {range 96, stride 48}
//! %8: path = deref.field %7.0
//! %9: path = deref.elem %8, %two
//! store %9, %x                                 store %11, %x {offset 24}
//! ```
//!
//! The path `records[i].data[j].parts[k].m.z` consists of three parts. `records[i]` is the path to the resource:
//! a variable, and an index for each dimension of an array of buffers. `[j]` selects the element: if the block ends
//! with a run-time array, its element, else the whole block. `.parts[k].m.z` is the path inside the element; its
//! last step may be a column of a matrix or a component of a vector. Targets that address structured buffers take
//! resource, element index and byte offset as separate operands.
//!
//! * Path to the element: remains typed.
//! * Members, constant indices, constant components: a constant number of bytes, the `offset` of the access.
//! * Dynamic indices of arrays, matrices and vectors: `ptr.dyn_offset`, one for each index, with the stride of its
//!   type. `range` is the size of the array, so that an index out of bounds stays detectable.
//! * A vector, or some components of one by `mask`: one access. A column of a row-major matrix, whose components are
//!   not contiguous: one access for each component. A store writes exactly the bytes of the components that it
//!   stores, and never loads: other invocations may write neighboring components meanwhile.
//! * Atomics take the address as an operand, with a constant part as `ptr.offset`.
//!
//! Each index is computed once, and loads and stores through one path share its address: `x op= y` is a load and a
//! store at one address. Paths without accesses are removed.
//!
//! SPIR-V has no byte offsets in logical addressing: `qptr-lift` converts the result to paths again before it is
//! written. Remains typed: copies (`lower-var-copies` splits them), lengths of arrays, addresses in memory,
//! offsets of 2 GB or more, offsets that depend on specialization constants, and paths that do not start at a
//! variable. Other memory has no element: `qptr-lower` converts all of it to bytes, and buffers from their start.
//! NIR: `nir_lower_explicit_io`, which also replaces the path to the element by an address format of the hardware.

use super::pass::PassInfo;
use crate::util::memory::sweep;
use crate::util::open::insts_in_order;
use rustc_hash::FxHashMap;
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::{Sizes, has_fixed_offsets};
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, PtrOp, ValueType, VectorOp, Width};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Mode, Module, Reason, Refusal, Type, TypeData, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits paths into buffers into the path to an element and a byte offset inside it.",
    ..PassInfo::edits("split-buffer-paths", opening!("split_buffer_paths.rs"), |ed, _| split_buffer_paths(ed))
};

const WHY: Reason = Reason::Note("the byte offset inside the element");

/// The part of a path that a step belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathPart {
    /// Resources: an index selects one of them.
    Resources,
    /// The whole block of a buffer.
    Block,
    /// The run-time array of a block: an index selects an element.
    Elements,
    /// Inside an element.
    Inside,
}

/// The place that a path refers to: a number of bytes after a base.
#[derive(Clone, Copy)]
struct ChainPlace {
    part: PathPart,
    /// The path to the element, or the last step by a dynamic index.
    base: Inst,
    offset: i64,
    ty: Type,
    /// Distance in bytes between the components of a column of a row-major matrix; 0 for other types.
    component_stride: u64,
}

/// A step by a dynamic index.
#[derive(Clone, Copy)]
struct DynamicStep {
    /// The base of the place before the step.
    from: Inst,
    index: Inst,
    stride: u64,
    range: Option<u64>,
}

/// The state of one function.
#[derive(Default)]
struct Splitter {
    sizes: Sizes,
    fixed: SideTable<Type, Option<[bool; 2]>>,
    places: FxHashMap<Inst, ChainPlace>,
    steps: FxHashMap<Inst, DynamicStep>,
    /// The pointers of bases that have one.
    pointers: FxHashMap<Inst, Inst>,
}

/// Splits the paths of all accesses. Linear; idempotent; both shapes. One unit of fuel per access.
fn split_buffer_paths(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let mut splitter = Splitter::default();
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst);
        match data.op {
            Op::Deref(op) => {
                let place = match op {
                    DerefOp::Var => splitter.variable(ed.module(), inst, data),
                    DerefOp::Field => splitter.field(ed.module(), inst, data),
                    DerefOp::Elem => splitter.element(ed, inst, data),
                    DerefOp::All | DerefOp::Step | DerefOp::Cast | DerefOp::FromBits => None,
                };
                splitter.places.extend(place.map(|place| (inst, place)));
            }
            Op::Memory(op) => {
                let at = data.args.first().copied();
                let Some((path, place)) = at.and_then(|path| Some((path, *splitter.places.get(&path)?)))
                else {
                    continue;
                };
                if !place.is_inside() || !is_number(accessed(ed, op, data)) {
                    continue;
                }
                if !ed.consume_fuel() {
                    return Ok(());
                }
                splitter.access(ed, inst, op, place)?;
                sweep(ed, path, WHY)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The type of the value in memory that an access loads or stores; none for other operations.
fn accessed(ed: &Editor<'_>, op: MemoryOp, data: &InstData) -> ValueType {
    match op {
        MemoryOp::Load | MemoryOp::AtomicLoad | MemoryOp::Atomic | MemoryOp::AtomicCas => data.ty,
        MemoryOp::Store | MemoryOp::AtomicStore => {
            data.args.get(1).map_or(ValueType::Void, |&value| ed.func().ty(value))
        }
        MemoryOp::CopyVar | MemoryOp::CopyBytes | MemoryOp::ArrayLen => ValueType::Void,
    }
}

/// Returns true for numbers, whose bytes in memory are the bits of their components.
fn is_number(ty: ValueType) -> bool {
    ty.width().is_some_and(|width| width != Width::W1)
}

/// Returns true if a type is the block of a buffer.
fn is_block(module: &Module, ty: Type) -> bool {
    let TypeData::Struct(structure) = *module.type_of(ty) else { return false };
    let attrs = module.structure(structure).map(|data| &data.attrs);
    attrs.is_some_and(|attrs| attrs.has(Key::Block) || attrs.has(Key::BufferBlock))
}

impl ChainPlace {
    /// Returns true if the place consists of bytes.
    fn is_inside(self) -> bool {
        matches!(self.part, PathPart::Block | PathPart::Inside)
    }

    /// A place inside the same element; none if its offset does not fit.
    fn further(self, bytes: i64, ty: Type) -> Option<ChainPlace> {
        let offset = self.offset.checked_add(bytes).filter(|&offset| i32::try_from(offset).is_ok())?;
        Some(ChainPlace { part: PathPart::Inside, offset, ty, component_stride: 0, ..self })
    }
}

impl Splitter {
    /// The start of a path, or an element of an array of resources.
    fn start(module: &Module, inst: Inst, ty: Type) -> Option<ChainPlace> {
        let part = match module.type_of(ty) {
            TypeData::Array { .. } | TypeData::RuntimeArray { .. } => PathPart::Resources,
            _ if is_block(module, ty) => PathPart::Block,
            _ => return None,
        };
        Some(ChainPlace { part, base: inst, offset: 0, ty, component_stride: 0 })
    }

    fn variable(&mut self, module: &Module, inst: Inst, data: &InstData) -> Option<ChainPlace> {
        let var = module.var(data.entity::<Var>(Key::Var)?)?;
        let is_buffer = matches!(var.mode, Mode::Storage | Mode::Uniform) && !var.is_untyped();
        let fixed = is_buffer && has_fixed_offsets(module, var.ty, &mut self.fixed);
        if fixed { Self::start(module, inst, var.ty) } else { None }
    }

    fn field(&mut self, module: &Module, inst: Inst, data: &InstData) -> Option<ChainPlace> {
        let place = *self.places.get(data.args.first()?)?;
        let TypeData::Struct(structure) = *module.type_of(place.ty) else { return None };
        let at = usize::try_from(data.attrs.get(Key::Field)?).ok()?;
        let ty = module.structure(structure)?.members.get(at)?.ty;
        if place.part == PathPart::Block && matches!(module.type_of(ty), TypeData::RuntimeArray { .. }) {
            return Some(ChainPlace { part: PathPart::Elements, base: inst, offset: 0, ty, ..place });
        }
        let offset = *self.sizes.offsets(module, module, structure).get(at)?;
        place.further(i64::try_from(offset).ok()?, ty)
    }

    fn element(&mut self, ed: &Editor<'_>, inst: Inst, data: &InstData) -> Option<ChainPlace> {
        let (module, &[path, index]) = (ed.module(), &data.args[..]) else { return None };
        let place = *self.places.get(&path)?;
        let of = module.element_type(place.ty)?;
        match place.part {
            PathPart::Resources => return Self::start(module, inst, of),
            PathPart::Elements => {
                return Some(ChainPlace { part: PathPart::Inside, base: inst, ty: of, ..place });
            }
            PathPart::Block | PathPart::Inside => {}
        }
        let stride = match place.component_stride {
            0 => self.sizes.stride(module, module, place.ty),
            stride => stride,
        };
        let component_stride = match *module.type_of(place.ty) {
            TypeData::Matrix { row_major: true, stride, .. } => u64::from(stride),
            _ => 0,
        };
        let count = module.element_count(place.ty).map(u64::from);
        let known = ed.bits_of(index).map(|bits| bits.component(0).as_i64());
        let is_inside = |at: &i64| count.is_none_or(|count| u64::try_from(*at).is_ok_and(|at| at < count));
        let place = match known.filter(is_inside) {
            Some(at) => place.further(i64::try_from(stride).ok()?.checked_mul(at)?, of)?,
            // A constant index out of bounds keeps its behavior at run time.
            None => {
                let range = match count {
                    Some(count) => {
                        Some(stride.checked_mul(count).filter(|&range| u32::try_from(range).is_ok())?)
                    }
                    None => None,
                };
                self.steps.insert(inst, DynamicStep { from: place.base, index, stride, range });
                ChainPlace { base: inst, ..place.further(0, of)? }
            }
        };
        Some(ChainPlace { component_stride, ..place })
    }

    /// The pointer of a base: the address of the element, and the steps by dynamic indices up to the base. Each is
    /// created after the step of the path that it replaces, so that all accesses through that step can use it.
    fn pointer(&mut self, ed: &mut Editor<'_>, base: Inst) -> Result<Inst, Refusal> {
        let (mut at, mut open) = (base, Vec::new());
        let mut pointer = loop {
            if let Some(&known) = self.pointers.get(&at) {
                break known;
            }
            let Some(&step) = self.steps.get(&at) else {
                let address = InstData::new(PtrOp::Path, ValueType::Ptr, &[at]);
                let address = ed.insert(InsertPoint::After(at), address, WHY)?;
                self.pointers.insert(at, address);
                break address;
            };
            open.push((at, step));
            at = step.from;
        };
        while let Some((at, step)) = open.pop() {
            let data = InstData::new(PtrOp::DynOffset, ValueType::Ptr, &[pointer, step.index])
                .with(Key::Stride, step.stride);
            let data = step.range.map_or(data.clone(), |range| data.with(Key::Range, range));
            pointer = ed.insert(InsertPoint::After(at), data, WHY)?;
            self.pointers.insert(at, pointer);
        }
        Ok(pointer)
    }

    /// Rewrites an access to address its bytes.
    fn access(
        &mut self,
        ed: &mut Editor<'_>,
        inst: Inst,
        op: MemoryOp,
        place: ChainPlace,
    ) -> Result<(), Refusal> {
        let pointer = self.pointer(ed, place.base)?;
        let data = ed.func().inst(inst).clone();
        let apart = place.component_stride > 0 && accessed(ed, op, &data).components() > 1;
        match op {
            MemoryOp::Load if apart => load_components(ed, inst, &data, pointer, place),
            MemoryOp::Store if apart => store_components(ed, inst, &data, pointer, place),
            MemoryOp::Load | MemoryOp::Store => {
                ed.rewrite(inst, at_offset(&data, pointer, place.offset), WHY)
            }
            // Atomics have no offset of their own.
            _ if place.offset == 0 => ed.set_arg(inst, 0, pointer, WHY),
            _ => {
                let step = InstData::new(PtrOp::Offset, ValueType::Ptr, &[pointer])
                    .with(Key::Offset, u64::from(place.offset as u32));
                let address = ed.insert(InsertPoint::Before(inst), step, WHY)?;
                ed.set_arg(inst, 0, address, WHY)
            }
        }
    }
}

/// An access at a constant number of bytes after a pointer.
fn at_offset(data: &InstData, pointer: Inst, offset: i64) -> InstData {
    let data = InstData { args: data.args.with(0, pointer), ..data.clone() };
    if offset == 0 { data } else { data.with(Key::Offset, u64::from(offset as u32)) }
}

/// The access to one component of a column whose components are not contiguous.
fn one_component(data: &InstData, pointer: Inst, place: ChainPlace, component: u8) -> InstData {
    let bytes = place.component_stride * u64::from(component);
    let mut attrs = data.attrs.without(Key::Mask);
    if let Some(align) = attrs.get(Key::Align).filter(|_| bytes > 0) {
        attrs = attrs.with(Key::Align, align.min(1 << bytes.trailing_zeros()));
    }
    at_offset(&InstData { attrs, ..data.clone() }, pointer, place.offset.saturating_add_unsigned(bytes))
}

fn load_components(
    ed: &mut Editor<'_>,
    inst: Inst,
    data: &InstData,
    pointer: Inst,
    place: ChainPlace,
) -> Result<(), Refusal> {
    let mut parts = Vec::new();
    for component in 0..data.ty.components() {
        let scalar = one_component(data, pointer, place, component);
        let scalar = InstData { ty: data.ty.with_components(1), ..scalar };
        parts.push(ed.insert(InsertPoint::Before(inst), scalar, WHY)?);
    }
    ed.rewrite(inst, InstData::new(VectorOp::Vec, data.ty, &parts), WHY)
}

fn store_components(
    ed: &mut Editor<'_>,
    inst: Inst,
    data: &InstData,
    pointer: Inst,
    place: ChainPlace,
) -> Result<(), Refusal> {
    let &[_, value] = &data.args[..] else { return Ok(()) };
    let ty = ed.func().ty(value);
    let mask = data.attrs.get(Key::Mask).unwrap_or(u64::MAX);
    for component in (0..ty.components()).filter(|component| mask >> component & 1 == 1) {
        let part = InstData::new(VectorOp::Swizzle, ty.with_components(1), &[value])
            .with(Key::Components, pack_components(&[component]));
        let part = ed.insert(InsertPoint::Before(inst), part, WHY)?;
        let scalar = one_component(data, pointer, place, component);
        let scalar = InstData { args: scalar.args.with(1, part), ..scalar };
        ed.insert(InsertPoint::Before(inst), scalar, WHY)?;
    }
    ed.erase(inst, WHY)
}

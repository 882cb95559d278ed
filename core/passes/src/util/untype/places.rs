//! Rewrites the addresses of one function: each becomes a base, a constant offset, and dynamic steps.
//!
//! Addresses are processed in definition order. A constant offset is not a separate instruction: it accumulates
//! until it is folded into an access, so that a chain of members costs nothing. Only if an address has another
//! use (an atomic, a call, a block parameter) is it materialized with `ptr.offset`.

use super::classes::{Classes, Taken};
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::layout::{Lengths, Sizes};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType};
use vitrine_ir::{
    BlockRewriter, InsertPoint, Inst, InstData, Mode, Module, PathType, Reason, Refusal, Type, TypeData, Var,
};

pub(super) const WHY: Reason = Reason::Note("an address is a byte offset from the start of its memory");

/// The kind of memory at an address, from the outside in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    /// An array of resources, each with separate memory.
    Resources,
    /// A buffer as a whole, before its first step.
    Buffer,
    /// Bytes, or a resource that is not made of bytes.
    Inside,
}

/// The place that an address refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AddressPlace {
    /// The base pointer.
    pub(super) base: Inst,
    /// The offset from the base in bytes.
    pub(super) offset: i64,
    /// The declared pointee type and mode.
    pub(super) at: PathType,
    /// The distance in bytes between components if the place is a column with non-contiguous components;
    /// otherwise 0.
    pub(super) component_stride: u32,
    pub(super) level: Level,
}

/// The known addresses of a function while it is rewritten.
pub(super) struct AddressPlaces<'e, 'm, 's> {
    pub(super) ed: &'e mut BlockRewriter<'m>,
    /// The addresses of the function that become untyped.
    taken: Taken<'s>,
    pub(super) sizes: &'s mut Sizes,
    /// By address: the index of its place in `known`, from 1; 0 for none.
    of: SideTable<Inst, u32>,
    known: Vec<AddressPlace>,
    /// Addresses whose instruction still has to be removed or materialized, in order.
    pending: Vec<Inst>,
    /// The bytes of buffers, by the address of the buffer.
    buffers: SideTable<Inst, Option<Inst>>,
    /// The maximum number of values that a copy is split into.
    pub(super) max_leaves: usize,
}

impl<'e, 'm, 's> AddressPlaces<'e, 'm, 's> {
    pub(super) fn new(
        ed: &'e mut BlockRewriter<'m>,
        classes: &'s Classes,
        sizes: &'s mut Sizes,
        max_leaves: usize,
    ) -> AddressPlaces<'e, 'm, 's> {
        let (taken, insts) = (classes.of_func(ed.id()), ed.func().tables().insts.len());
        let (of, buffers) = (SideTable::sized(0, insts), SideTable::with_default(None));
        AddressPlaces { ed, sizes, taken, of, known: Vec::new(), pending: Vec::new(), buffers, max_leaves }
    }

    pub(super) fn module(&self) -> &Module {
        self.ed.module()
    }

    /// The place of an address that is untyped now; none for one that remains typed.
    pub(super) fn place(&self, address: Inst) -> Option<AddressPlace> {
        self.known.get((self.of[address] as usize).wrapping_sub(1)).copied()
    }

    /// Rewrites a parameter of the function or of a block.
    pub(super) fn param(&mut self, param: Inst) -> Result<(), Refusal> {
        if self.ed.func().ty(param) != ValueType::Path || !self.taken.has(param) {
            return Ok(());
        }
        let data = self.ed.func().inst(param).clone();
        self.start(param, InstData { ty: ValueType::Ptr, ..data })
    }

    /// An address that is its own base: its pointee type comes from its attributes.
    fn start(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        // A selected address has the type of its sources, which may be untyped already.
        let source = match data.op {
            Op::Basic(BasicOp::Choose) => data.args.get(1).and_then(|&source| self.place(source)),
            _ => None,
        };
        let at = self.module().path_type(self.ed.func(), inst).or(source.map(|place| place.at));
        let data = match at {
            Some(at) if data.op == Op::Basic(BasicOp::Choose) => {
                data.with(Key::Type, at.ty.index() as u64).with_word(at.mode)
            }
            _ => data,
        };
        self.ed.readdress(inst, data, WHY)?;
        if let Some(at) = at {
            self.set(
                inst,
                AddressPlace { base: inst, offset: 0, at, component_stride: 0, level: self.level(at) },
            );
        }
        Ok(())
    }

    fn set(&mut self, inst: Inst, place: AddressPlace) {
        self.known.push(place);
        self.of[inst] = self.known.len() as u32;
    }

    /// The kind of memory at an address without steps.
    fn level(&self, at: PathType) -> Level {
        if at.mode == Mode::Handle {
            return match self.module().type_of(at.ty) {
                TypeData::Array { .. } | TypeData::RuntimeArray { .. } => Level::Resources,
                _ => Level::Inside,
            };
        }
        if !matches!(at.mode, Mode::Uniform | Mode::Storage) {
            return Level::Inside;
        }
        let (mut ty, mut is_array) = (at.ty, false);
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module().type_of(ty)
        {
            (ty, is_array) = (of, true);
        }
        let TypeData::Struct(structure) = *self.module().type_of(ty) else { return Level::Inside };
        let attrs = self.module().structure(structure).map(|data| &data.attrs);
        let is_buffer = attrs.is_some_and(|attrs| attrs.has(Key::Block) || attrs.has(Key::BufferBlock));
        match (is_buffer, is_array) {
            (true, true) => Level::Resources,
            (true, false) => Level::Buffer,
            (false, _) => Level::Inside,
        }
    }

    /// Rewrites an instruction that creates an address, as far as possible on its own; others are deferred to
    /// their users.
    pub(super) fn address(&mut self, inst: Inst) -> Result<(), Refusal> {
        if !self.taken.has(inst) {
            return Ok(());
        }
        let data = self.ed.func().inst(inst).clone();
        match data.op {
            Op::Deref(DerefOp::Var) => self.variable(inst, &data),
            Op::Deref(DerefOp::Field) => self.field(inst, &data),
            Op::Deref(DerefOp::Elem) => self.element(inst, &data),
            Op::Deref(DerefOp::Step) => self.step(inst, &data),
            Op::Deref(DerefOp::All) => self.all(inst, &data),
            Op::Deref(DerefOp::Cast) => self.cast(inst, &data),
            Op::Deref(DerefOp::FromBits) => {
                let new = InstData { op: PtrOp::FromBits.into(), ty: ValueType::Ptr, ..data };
                self.start(inst, new)
            }
            Op::Basic(BasicOp::Copy) => {
                let Some(place) = data.args.first().and_then(|&base| self.place(base)) else { return Ok(()) };
                self.defer(inst, place);
                Ok(())
            }
            Op::Memory(MemoryOp::Load) => self.loaded(inst, data),
            _ => self.start(inst, InstData { ty: ValueType::Ptr, ..data }),
        }
    }

    /// Defers an address to its users; those that need the instruction get it from `settle`.
    fn defer(&mut self, inst: Inst, place: AddressPlace) {
        self.pending.push(inst);
        self.ed.watch(inst);
        self.set(inst, place);
    }

    fn variable(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(var) = data.entity::<Var>(Key::Var) else { return Ok(()) };
        let Some(at) = self.module().var(var).map(|var| PathType { ty: var.ty, mode: var.mode }) else {
            return Ok(());
        };
        let new = InstData::new(PtrOp::Var, ValueType::Ptr, &[]).with(Key::Var, var.index() as u64);
        self.ed.readdress(inst, new, WHY)?;
        self.set(
            inst,
            AddressPlace { base: inst, offset: 0, at, component_stride: 0, level: self.level(at) },
        );
        Ok(())
    }

    /// The place of an operand of a step, inside its buffer.
    pub(super) fn inside(&mut self, inst: Inst, base: Inst) -> Result<Option<AddressPlace>, Refusal> {
        if self.ed.func().ty(base) == ValueType::Ptr && self.of[base] == 0 {
            // Any pointer that a cast gives a type.
            let at = self.module().path_step(self.ed.func(), inst, |_| None);
            return Ok(at.map(|at| AddressPlace {
                base,
                offset: 0,
                at,
                component_stride: 0,
                level: Level::Inside,
            }));
        }
        let Some(place) = self.place(base) else { return Ok(None) };
        if place.level != Level::Buffer {
            return Ok(Some(place));
        }
        let data = match self.buffers[place.base] {
            Some(known) => known,
            None => {
                let new = InstData::new(PtrOp::BufferData, ValueType::Ptr, &[place.base]);
                self.ed.insert(InsertPoint::After(place.base), new, WHY)?
            }
        };
        self.buffers[place.base] = Some(data);
        Ok(Some(AddressPlace { base: data, level: Level::Inside, ..place }))
    }

    fn field(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(place) = self.inside(inst, data.args[0])? else { return Ok(()) };
        let module = self.ed.module();
        let TypeData::Struct(structure) = *module.type_of(place.at.ty) else { return Ok(()) };
        let at = data.attrs.get(Key::Field).and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
        let offsets = self.sizes.offsets(module, module, structure);
        let member = module.structure(structure).and_then(|data| data.members.get(at));
        let (Some(&offset), Some(member)) = (offsets.get(at), member) else { return Ok(()) };
        let ty = member.ty;
        let offset = place.offset.saturating_add_unsigned(offset);
        self.defer(
            inst,
            AddressPlace { offset, at: PathType { ty, ..place.at }, component_stride: 0, ..place },
        );
        Ok(())
    }

    fn element(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let [base, index] = data.args[..] else { return Ok(()) };
        if self.place(base).is_some_and(|place| place.level == Level::Resources) {
            return self.resource(inst, base, index);
        }
        let Some(place) = self.inside(inst, base)? else { return Ok(()) };
        let module = self.ed.module();
        let ty = place.at.ty;
        let Some(of) = module.element_type(ty) else { return Ok(()) };
        let stride = match (module.type_of(ty), place.component_stride) {
            (TypeData::Vector { .. }, component_stride) if component_stride > 0 => {
                u64::from(component_stride)
            }
            _ => self.sizes.stride(module, module, ty),
        };
        let component_stride = match *module.type_of(ty) {
            TypeData::Matrix { row_major: true, stride, .. } => stride,
            _ => 0,
        };
        let count = module.element_count(ty).map(u64::from);
        let place = AddressPlace { at: PathType { ty: of, ..place.at }, component_stride, ..place };
        self.at_index(inst, place, index, (stride, count))
    }

    fn step(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let [base, index] = data.args[..] else { return Ok(()) };
        let Some(place) = self.inside(inst, base)? else { return Ok(()) };
        let declared = data.attrs.get(Key::Stride).filter(|&stride| stride > 0);
        let stride = declared.unwrap_or_else(|| self.array_stride(place.at.ty));
        self.at_index(inst, place, index, (stride, None))
    }

    /// The distance in bytes between consecutive objects of a type in an array without a stride.
    pub(super) fn array_stride(&mut self, ty: Type) -> u64 {
        let module = self.ed.module();
        let extent = self.sizes.of(module, module, ty);
        extent.bytes.next_multiple_of(extent.align.max(1))
    }

    /// An element: a constant index adds to the offset, another one is a dynamic step.
    fn at_index(
        &mut self,
        inst: Inst,
        place: AddressPlace,
        index: Inst,
        (stride, count): (u64, Option<u64>),
    ) -> Result<(), Refusal> {
        let known = self
            .ed
            .bits_of(index)
            .filter(|bits| bits.ty().components() == 1)
            .map(|bits| bits.component(0).as_i64());
        if let Some(at) = known
            && count.is_none_or(|count| u64::try_from(at).is_ok_and(|at| at < count))
        {
            let further = i64::try_from(stride).ok().and_then(|stride| stride.checked_mul(at));
            let offset = further.and_then(|further| place.offset.checked_add(further));
            if let Some(offset) = offset.filter(|&offset| i32::try_from(offset).is_ok()) {
                self.defer(inst, AddressPlace { offset, ..place });
                return Ok(());
            }
        }
        let stride = stride.min(u64::from(u32::MAX));
        let mut new =
            InstData::new(PtrOp::DynOffset, ValueType::Ptr, &[place.base, index]).with(Key::Stride, stride);
        if let Some(range) =
            count.and_then(|count| count.checked_mul(stride)).filter(|&range| range <= u64::from(u32::MAX))
        {
            new = new.with(Key::Range, range);
        }
        if place.offset == 0 {
            self.ed.readdress(inst, new, WHY)?;
            self.set(inst, AddressPlace { base: inst, ..place });
        } else {
            // A user of the element's instruction needs the offset included.
            let base = self.ed.insert(InsertPoint::Before(inst), new, WHY)?;
            self.defer(inst, AddressPlace { base, ..place });
        }
        Ok(())
    }

    /// An element of an array of resources.
    fn resource(&mut self, inst: Inst, base: Inst, index: Inst) -> Result<(), Refusal> {
        let Some(place) = self.place(base) else { return Ok(()) };
        let module = self.ed.module();
        let Some(of) = module.element_type(place.at.ty) else { return Ok(()) };
        let (mut inner, mut stride) = (of, 1u64);
        while let TypeData::Array { of, len, .. } = *module.type_of(inner) {
            stride = stride.saturating_mul(module.of(len));
            inner = of;
        }
        let count = module.element_count(place.at.ty);
        let at = PathType { ty: of, ..place.at };
        let from = self.pointer(place, inst)?;
        let mut new = InstData::new(PtrOp::HandleIndex, ValueType::Ptr, &[from, index]);
        if stride > 1 {
            new = new.with(Key::Stride, stride.min(u64::from(u32::MAX)));
        }
        if let Some(count) = count {
            new = new.with(Key::Range, u64::from(count));
        }
        self.ed.readdress(inst, new, WHY)?;
        self.set(
            inst,
            AddressPlace { base: inst, offset: 0, at, component_stride: 0, level: self.level(at) },
        );
        Ok(())
    }

    /// The same place with another type. No instruction remains.
    fn cast(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(at) = self.module().path_step(self.ed.func(), inst, |_| None) else { return Ok(()) };
        let Some(place) = self.inside(inst, data.args[0])? else { return Ok(()) };
        self.defer(inst, AddressPlace { at, component_stride: 0, ..place });
        Ok(())
    }

    /// All elements at once: such a path is only used by copies, which need types. It is a step from a typed
    /// view.
    fn all(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(place) = self.inside(inst, data.args[0])? else { return Ok(()) };
        let view = self.typed(place, InsertPoint::Before(inst))?;
        self.ed.set_arg(inst, 0, view, WHY)
    }

    /// A pointer that is loaded from memory.
    fn loaded(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let Some(place) = data.args.first().and_then(|&base| self.place(base)) else { return Ok(()) };
        let declared = match *self.module().type_of(place.at.ty) {
            TypeData::Pointer { mode, to } => Some(PathType { ty: to, mode }),
            _ => self.module().path_step(self.ed.func(), inst, |_| None),
        };
        let Some(at) = declared else { return Ok(()) };
        let mut new = self.at_place(InstData { ty: ValueType::Ptr, ..data }, place);
        new = new.with(Key::Type, at.ty.index() as u64).with_word(at.mode);
        self.ed.readdress(inst, new, WHY)?;
        self.set(inst, AddressPlace { base: inst, offset: 0, at, component_stride: 0, level: Level::Inside });
        Ok(())
    }

    /// An access relative to its base.
    pub(super) fn at_place(&self, data: InstData, place: AddressPlace) -> InstData {
        let args = data.args.with(0, place.base);
        let attrs = match place.offset {
            0 => data.attrs.without(Key::Offset),
            offset => data.attrs.with(Key::Offset, offset.cast_unsigned()),
        };
        InstData { args, attrs, ..data }
    }

    /// A pointer to a place, emitted before an instruction.
    pub(super) fn pointer(&mut self, place: AddressPlace, before: Inst) -> Result<Inst, Refusal> {
        match place.offset {
            0 => Ok(place.base),
            offset => self.ed.insert(InsertPoint::Before(before), offset_of(place.base, offset), WHY),
        }
    }

    /// A place as a typed path.
    pub(super) fn typed(&mut self, place: AddressPlace, at: InsertPoint) -> Result<Inst, Refusal> {
        let from = match place.offset {
            0 => place.base,
            offset => self.ed.insert(at, offset_of(place.base, offset), WHY)?,
        };
        let cast = InstData::new(DerefOp::Cast, ValueType::Path, &[from])
            .with(Key::Type, place.at.ty.index() as u64)
            .with_word(place.at.mode);
        self.ed.insert(at, cast, WHY)
    }

    /// Materializes the addresses that are still used by instructions, and erases the others.
    pub(super) fn settle(&mut self) -> Result<(), Refusal> {
        while let Some(inst) = self.pending.pop() {
            let Some(place) = self.place(inst) else { continue };
            if !self.ed.is_read(inst) {
                self.ed.erase(inst, WHY)?;
            } else {
                self.ed.readdress(inst, offset_of(place.base, place.offset), WHY)?;
                if place.offset == 0 {
                    self.ed.replace(inst, place.base, WHY)?;
                }
            }
        }
        Ok(())
    }
}

fn offset_of(base: Inst, offset: i64) -> InstData {
    InstData::new(PtrOp::Offset, ValueType::Ptr, &[base]).with(Key::Offset, offset.cast_unsigned())
}

//! Rewrites the addresses of one function: each becomes a base, a constant distance, and steps known only at run time.
//!
//! Addresses are looked at in the order of their definitions. A constant distance is not an instruction of its own:
//! it is carried until something reads memory and stands there, so that a chain of members costs nothing. Only where
//! an address goes elsewhere (into an atomic, a call, a block parameter) it is added by `ptr.offset`.

use super::classes::{Classes, Taken};
use crate::base::{EntityId, SideTable};
use crate::ir::layout::{Lengths, Sizes};
use crate::ir::{
    BlockRewriter, InsertPoint, Inst, InstData, Mode, Module, PathType, Reason, Refusal, Type, TypeData, Var,
};
use crate::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType};

pub(super) const WHY: Reason = Reason::Note("an address is a byte offset from the start of its memory");

/// What an address leads to, from the outside in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    /// An array of resources, each with memory of its own.
    Resources,
    /// A buffer, into which nobody stepped yet.
    Buffer,
    /// Bytes, or a resource that is not made of bytes.
    Inside,
}

/// Where an address leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The pointer it is counted from.
    pub(super) base: Inst,
    /// Bytes from there.
    pub(super) offset: i64,
    /// What it was said to point at, and where.
    pub(super) at: PathType,
    /// Bytes from a component to the next where the place is a column whose components lie apart; 0 where they lie together.
    pub(super) apart: u32,
    pub(super) level: Level,
}

/// What is known of the addresses of a function while it is rewritten.
pub(super) struct Places<'e, 'm, 's> {
    pub(super) ed: &'e mut BlockRewriter<'m>,
    /// Which addresses of the function become untyped.
    taken: Taken<'s>,
    pub(super) sizes: &'s mut Sizes,
    /// By address: its place in `known`, from 1; 0 for none.
    of: SideTable<Inst, u32>,
    known: Vec<Place>,
    /// Addresses that stand for a place by their id still, in order.
    pending: Vec<Inst>,
    /// The bytes of buffers, by what leads to the buffer.
    buffers: SideTable<Inst, Option<Inst>>,
}

impl<'e, 'm, 's> Places<'e, 'm, 's> {
    pub(super) fn new(
        ed: &'e mut BlockRewriter<'m>,
        classes: &'s Classes,
        sizes: &'s mut Sizes,
    ) -> Places<'e, 'm, 's> {
        let (taken, insts) = (classes.of_func(ed.id()), ed.func().tables().insts.len());
        let (of, buffers) = (SideTable::sized(0, insts), SideTable::with_default(None));
        Places { ed, sizes, taken, of, known: Vec::new(), pending: Vec::new(), buffers }
    }

    pub(super) fn module(&self) -> &Module {
        self.ed.module()
    }

    /// The place of an address that is untyped now; none for one that stays typed.
    pub(super) fn place(&self, address: Inst) -> Option<Place> {
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

    /// An address that is its own base: what it points at is what its attributes say.
    fn start(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let at = self.module().path_type(self.ed.func(), inst);
        self.ed.readdress(inst, data, WHY)?;
        if let Some(at) = at {
            self.set(inst, Place { base: inst, offset: 0, at, apart: 0, level: self.level(at) });
        }
        Ok(())
    }

    fn set(&mut self, inst: Inst, place: Place) {
        self.known.push(place);
        self.of[inst] = self.known.len() as u32;
    }

    /// What lies at an address that nobody stepped from yet.
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

    /// Rewrites an instruction that makes an address, as far as it can be by itself; others wait for their readers.
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
                self.wait(inst, place);
                Ok(())
            }
            Op::Memory(MemoryOp::Load) => self.loaded(inst, data),
            _ => self.start(inst, InstData { ty: ValueType::Ptr, ..data }),
        }
    }

    /// An address that its readers know the place of; those who do not get it by `settle`.
    fn wait(&mut self, inst: Inst, place: Place) {
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
        self.set(inst, Place { base: inst, offset: 0, at, apart: 0, level: self.level(at) });
        Ok(())
    }

    /// The place of an operand that is stepped on, inside of its buffer.
    pub(super) fn inside(&mut self, inst: Inst, base: Inst) -> Result<Option<Place>, Refusal> {
        if self.ed.func().ty(base) == ValueType::Ptr && self.of[base] == 0 {
            // Any pointer that a cast gives a type.
            let at = self.module().path_step(self.ed.func(), inst, |_| None);
            return Ok(at.map(|at| Place { base, offset: 0, at, apart: 0, level: Level::Inside }));
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
        Ok(Some(Place { base: data, level: Level::Inside, ..place }))
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
        self.wait(inst, Place { offset, at: PathType { ty, ..place.at }, apart: 0, ..place });
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
        let stride = match (module.type_of(ty), place.apart) {
            (TypeData::Vector { .. }, apart) if apart > 0 => u64::from(apart),
            _ => self.sizes.stride(module, module, ty),
        };
        let apart = match *module.type_of(ty) {
            TypeData::Matrix { row_major: true, stride, .. } => stride,
            _ => 0,
        };
        let count = module.element_count(ty).map(u64::from);
        let place = Place { at: PathType { ty: of, ..place.at }, apart, ..place };
        self.at_index(inst, place, index, (stride, count))
    }

    fn step(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let [base, index] = data.args[..] else { return Ok(()) };
        let Some(place) = self.inside(inst, base)? else { return Ok(()) };
        let said = data.attrs.get(Key::Stride).filter(|&stride| stride > 0);
        let stride = said.unwrap_or_else(|| self.array_stride(place.at.ty));
        self.at_index(inst, place, index, (stride, None))
    }

    /// Bytes from one object of a type to the next, if an array had no stride.
    pub(super) fn array_stride(&mut self, ty: Type) -> u64 {
        let module = self.ed.module();
        let extent = self.sizes.of(module, module, ty);
        extent.bytes.next_multiple_of(extent.align.max(1))
    }

    /// An element: a constant one is more distance, another is a step of its own.
    fn at_index(
        &mut self,
        inst: Inst,
        place: Place,
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
                self.wait(inst, Place { offset, ..place });
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
            self.set(inst, Place { base: inst, ..place });
        } else {
            // Who reads the element by its id means what lies behind the distance.
            let base = self.ed.insert(InsertPoint::Before(inst), new, WHY)?;
            self.wait(inst, Place { base, ..place });
        }
        Ok(())
    }

    /// One of an array of resources.
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
        self.set(inst, Place { base: inst, offset: 0, at, apart: 0, level: self.level(at) });
        Ok(())
    }

    /// The same place as another type. Nothing is left of it.
    fn cast(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(at) = self.module().path_step(self.ed.func(), inst, |_| None) else { return Ok(()) };
        let Some(place) = self.inside(inst, data.args[0])? else { return Ok(()) };
        self.wait(inst, Place { at, apart: 0, ..place });
        Ok(())
    }

    /// All elements at once: only copies read such a path, and they need types. It steps on a typed view.
    fn all(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(place) = self.inside(inst, data.args[0])? else { return Ok(()) };
        let view = self.typed(place, InsertPoint::Before(inst))?;
        self.ed.set_arg(inst, 0, view, WHY)
    }

    /// A pointer that lies in memory.
    fn loaded(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let Some(place) = data.args.first().and_then(|&base| self.place(base)) else { return Ok(()) };
        let said = match *self.module().type_of(place.at.ty) {
            TypeData::Pointer { mode, to } => Some(PathType { ty: to, mode }),
            _ => self.module().path_step(self.ed.func(), inst, |_| None),
        };
        let Some(at) = said else { return Ok(()) };
        let mut new = self.at_place(InstData { ty: ValueType::Ptr, ..data }, place);
        new = new.with(Key::Type, at.ty.index() as u64).with(Key::Mode, at.mode as u64);
        self.ed.readdress(inst, new, WHY)?;
        self.set(inst, Place { base: inst, offset: 0, at, apart: 0, level: Level::Inside });
        Ok(())
    }

    /// An access, counted from its base.
    pub(super) fn at_place(&self, data: InstData, place: Place) -> InstData {
        let args = data.args.with(0, place.base);
        let attrs = match place.offset {
            0 => data.attrs.without(Key::Offset),
            offset => data.attrs.with(Key::Offset, offset.cast_unsigned()),
        };
        InstData { args, attrs, ..data }
    }

    /// A pointer to a place, in front of an instruction.
    pub(super) fn pointer(&mut self, place: Place, before: Inst) -> Result<Inst, Refusal> {
        match place.offset {
            0 => Ok(place.base),
            offset => self.ed.insert(InsertPoint::Before(before), offset_of(place.base, offset), WHY),
        }
    }

    /// A place as a typed path.
    pub(super) fn typed(&mut self, place: Place, at: InsertPoint) -> Result<Inst, Refusal> {
        let from = match place.offset {
            0 => place.base,
            offset => self.ed.insert(at, offset_of(place.base, offset), WHY)?,
        };
        let cast = InstData::new(DerefOp::Cast, ValueType::Path, &[from])
            .with(Key::Type, place.at.ty.index() as u64)
            .with(Key::Mode, place.at.mode as u64);
        self.ed.insert(at, cast, WHY)
    }

    /// Makes instructions of the addresses that somebody still reads by their id, and erases the others.
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

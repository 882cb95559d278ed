//! Rewrites accesses through untyped pointers to use typed paths.
//!
//! A value that no place of the type can hold is split: into components, or, if memory has narrower numbers
//! than the access, into parts.

use super::paths::{Lifter, WHY};
use crate::util::route::{Want, component_bytes};
use crate::util::typed_memory::narrower;
use vitrine_analysis::offset_of;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{
    AtomicOp, BasicOp, Bits, ConvertOp, DerefOp, IntOp, Key, MemoryOp, Op, PtrOp, Scalar, ValueType,
    VectorOp, Width,
};
use vitrine_ir::{Args, Func, InsertPoint, Inst, InstData, Mode, PathType, Refusal, Type, TypeData};

impl Lifter<'_, '_, '_> {
    /// Rewrites an instruction that has no pointer result but may have pointer operands.
    pub(super) fn access(&mut self, inst: Inst) -> Result<(), Refusal> {
        let data = self.ed.func().inst(inst);
        // Arithmetic has no pointer operands.
        if matches!(data.op, Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_))
            || !data.args.iter().any(|&arg| self.is_ptr(arg))
        {
            return Ok(());
        }
        let data = data.clone();
        match data.op {
            Op::Memory(MemoryOp::Load) => self.load(inst, data),
            Op::Memory(MemoryOp::Store) => self.store(inst, data),
            Op::Memory(MemoryOp::AtomicLoad) => self.operand(inst, &data, 0, Want::Value(data.ty)),
            Op::Memory(MemoryOp::Atomic | MemoryOp::AtomicCas) => self.atomic(inst, &data),
            Op::Memory(MemoryOp::AtomicStore) => {
                let ty = data.args.get(1).map_or(ValueType::Void, |&value| self.ed.func().ty(value));
                self.operand(inst, &data, 0, Want::Value(ty))
            }
            Op::Ptr(PtrOp::Handle) => {
                let Some(path) = self.reach(inst, &data, 0, Want::Value(ValueType::Handle))? else {
                    return Ok(());
                };
                let mut new = InstData::new(MemoryOp::Load, ValueType::Handle, &[path]);
                if let Some(access) = data.attrs.get(Key::Access) {
                    new = new.with(Key::Access, access);
                }
                self.ed.rewrite(inst, new, WHY)
            }
            Op::Ptr(PtrOp::BufferLen) => self.length(inst, &data),
            Op::Deref(DerefOp::Cast) => self.cast(inst, &data),
            Op::Basic(BasicOp::Call) => self.call(inst, &data),
            Op::Tex(_) | Op::Ptr(PtrOp::Texel) => {
                for at in 0..data.args.len() {
                    self.operand(inst, &data, at, Want::Value(ValueType::Handle))?;
                }
                Ok(())
            }
            Op::Ptr(PtrOp::Diff) => {
                let stride = data.attrs.get(Key::Stride).unwrap_or(0) as u32;
                for (at, &pointer) in data.args.iter().enumerate() {
                    if !self.is_ptr(pointer) {
                        continue;
                    }
                    let before = InsertPoint::Before(inst);
                    let path = match self.try_path(before, pointer, 0, Want::Element(stride))? {
                        // A pointer without steps is an element itself.
                        None => self.path(inst, before, pointer, 0, Want::Any)?,
                        found => found,
                    };
                    if let Some((path, ..)) = path {
                        self.ed.set_arg(inst, at, path, WHY)?;
                    }
                }
                let data = self.ed.func().inst(inst).clone();
                let attrs = data.attrs.without(Key::Stride);
                self.ed.rewrite(inst, InstData { attrs, ..data }, WHY)
            }
            Op::Ptr(PtrOp::Eq | PtrOp::Ne) => self.compared(inst, &data),
            _ => (0..data.args.len()).try_for_each(|at| self.operand(inst, &data, at, Want::Any)),
        }
    }

    /// Two addresses that are compared: paths of the same type, the outermost one that begins at both.
    fn compared(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let &[a, b] = &data.args[..] else { return Ok(()) };
        let types = [self.types_at(a), self.types_at(b)];
        let begins = |lifter: &mut Self, address: Inst, ty: Type| match lifter.is_ptr(address) {
            true => lifter.route_of(address, 0, Want::Type(ty)).is_some(),
            false => lifter.types_at(address).contains(&ty),
        };
        let mut all = types[0].iter().chain(&types[1]);
        let common = all.find(|&&ty| begins(self, a, ty) && begins(self, b, ty)).copied();
        // Without a common type, only physical addresses can be compared: as the first one's type.
        let want = common.or(types[0].first().copied()).map_or(Want::Any, Want::Type);
        for at in 0..2 {
            self.operand(inst, data, at, want)?;
        }
        Ok(())
    }

    /// The types of the objects that begin at an address, from the outermost one inwards.
    fn types_at(&mut self, address: Inst) -> Vec<Type> {
        let outermost = match self.is_ptr(address) {
            true => self.route_of(address, 0, Want::Any).map(|(_, _, route)| route.ty),
            false => self.module().path_type(self.ed.func(), address).map(|at| at.ty),
        };
        let mut types: Vec<Type> = outermost.into_iter().collect();
        while let Some(&ty) = types.last() {
            let module = self.ed.module();
            let inner = match *module.type_of(ty) {
                TypeData::Struct(structure) => {
                    let offsets = self.sizes.offsets(module, module, structure);
                    let first = offsets.iter().position(|&offset| offset == 0);
                    let members = module.structure(structure).map(|data| &data.members);
                    first.and_then(|at| members?.get(at)).map(|member| member.ty)
                }
                TypeData::Pointer { .. } => None,
                _ => module.element_type(ty),
            };
            match inner {
                Some(inner) if !types.contains(&inner) => types.push(inner),
                Some(_) | None => break,
            }
        }
        types
    }

    /// A path for an operand; none if it is not an untyped pointer, or does not match any type.
    fn reach(&mut self, inst: Inst, data: &InstData, at: usize, want: Want) -> Result<Option<Inst>, Refusal> {
        let Some(&pointer) = data.args.get(at).filter(|&&arg| self.is_ptr(arg)) else { return Ok(None) };
        Ok(self.path(inst, InsertPoint::Before(inst), pointer, 0, want)?.map(|(path, ..)| path))
    }

    fn operand(&mut self, inst: Inst, data: &InstData, at: usize, want: Want) -> Result<(), Refusal> {
        match self.reach(inst, data, at, want)? {
            Some(path) => self.ed.set_arg(inst, at, path, WHY),
            None => Ok(()),
        }
    }

    /// An atomic that computes operates on a number of its kind. Memory declared as the other kind is cast: only a module
    /// with untyped pointers has such an access.
    fn atomic(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(&pointer) = data.args.first().filter(|&&arg| self.is_ptr(arg)) else { return Ok(()) };
        let before = InsertPoint::Before(inst);
        let Some((mut path, at, _)) = self.path(inst, before, pointer, 0, Want::Value(data.ty))? else {
            return Ok(());
        };
        // A compare-and-exchange states no operation: it operates on integers.
        let op = data.attrs.word().unwrap_or(AtomicOp::IAdd);
        let is_float = matches!(self.module().type_of(at.ty), TypeData::Float { .. });
        if op != AtomicOp::Exchange && op.is_float() != is_float {
            let width = data.ty.width().unwrap_or(Width::W32);
            let number = match is_float {
                true => TypeData::Int { width, signed: false },
                false => TypeData::Float { width },
            };
            let ty = self.ed.full_type(number);
            path = self.cast_to(before, path, PathType { ty, ..at })?;
        }
        self.ed.set_arg(inst, 0, path, WHY)
    }

    fn call(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let callee = data.entity::<Func>(Key::Func).and_then(|func| self.module().func(func));
        let declared: Vec<(Option<Type>, Option<Mode>)> = callee.map_or_else(Vec::new, |callee| {
            let params = callee.params().iter().map(|&param| callee.inst(param));
            let mode = |param: &InstData| param.attrs.word::<Mode>();
            params.map(|param| (param.entity(Key::Type), mode(param))).collect()
        });
        for (at, &pointer) in data.args.iter().enumerate() {
            if !self.is_ptr(pointer) {
                continue;
            }
            let (ty, mode) = declared.get(at).copied().unwrap_or_default();
            let (before, want) = (InsertPoint::Before(inst), ty.map_or(Want::Any, Want::Type));
            if let Some((path, found, _)) = self.path(inst, before, pointer, 0, want)? {
                let path = self.in_mode(before, (path, found), mode.unwrap_or(found.mode))?;
                self.ed.set_arg(inst, at, path, WHY)?;
            }
        }
        Ok(())
    }

    /// A typed view; the place itself if it has that type.
    fn cast(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let (Some(&pointer), Some(ty)) = (data.args.first(), data.entity::<Type>(Key::Type)) else {
            return Ok(());
        };
        if let Some((path, ..)) = self.try_path(InsertPoint::Before(inst), pointer, 0, Want::Type(ty))? {
            return self.ed.replace(inst, path, WHY);
        }
        self.operand(inst, data, 0, Want::Any)
    }

    fn length(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let Some(&buffer) = data.args.first().filter(|&&arg| self.is_ptr(arg)) else { return Ok(()) };
        let stride = data.attrs.get(Key::Stride).unwrap_or(0) as u32;
        let bytes = offset_of(data);
        let Some((path, ..)) =
            self.path(inst, InsertPoint::Before(inst), buffer, bytes, Want::Rows(stride))?
        else {
            return Ok(());
        };
        self.ed.rewrite(inst, InstData::new(MemoryOp::ArrayLen, data.ty, &[path]), WHY)
    }

    /// The same access through a path.
    fn by_path(data: &InstData, path: Inst) -> InstData {
        let args = data.args.with(0, path);
        InstData { args, attrs: data.attrs.without(Key::Offset), ..data.clone() }
    }

    fn load(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let (pointer, bytes) = (data.args[0], offset_of(&data));
        match self.read(inst, &data, pointer, bytes, data.ty)? {
            Some(Read::At(path)) => self.ed.rewrite(inst, Self::by_path(&data, path), WHY),
            Some(Read::Made(new)) => self.ed.rewrite(inst, new, WHY),
            None => self.mismatch(inst, pointer),
        }
    }

    /// Reads a value at a place: through a path, or composed of several loads.
    fn read(
        &mut self,
        inst: Inst,
        data: &InstData,
        pointer: Inst,
        bytes: i64,
        ty: ValueType,
    ) -> Result<Option<Read>, Refusal> {
        let before = InsertPoint::Before(inst);
        if let Some((path, at, component)) = self.try_path(before, pointer, bytes, Want::Value(ty))? {
            let there = self.module().value_type(at.ty).unwrap_or(ty);
            if there == ty {
                return Ok(Some(Read::At(path)));
            }
            // Some components of a vector.
            let whole = InstData { ty: there, ..Self::by_path(data, path) };
            let whole = self.ed.insert(before, whole, WHY)?;
            let components: Vec<u8> = (component..component.saturating_add(ty.components())).collect();
            let some = InstData::new(VectorOp::Swizzle, ty, &[whole])
                .with(Key::Components, pack_components(&components));
            return Ok(Some(Read::Made(some)));
        }
        let ValueType::Bits { width, components } = ty else { return Ok(None) };
        if components == 1 {
            return self.read_parts(inst, data, pointer, bytes, width);
        }
        let mut parts = Vec::new();
        for component in 0..components {
            let at = bytes.saturating_add_unsigned(u64::from(component) * component_bytes(width));
            let scalar = ValueType::bits(width, 1);
            let new = match self.read(inst, data, pointer, at, scalar)? {
                Some(Read::At(path)) => InstData { ty: scalar, ..Self::by_path(data, path) },
                Some(Read::Made(new)) => new,
                None => return Ok(None),
            };
            parts.push(self.ed.insert(before, new, WHY)?);
        }
        Ok(Some(Read::Made(InstData::new(VectorOp::Vec, ty, &parts))))
    }

    /// A number composed of narrower ones.
    fn read_parts(
        &mut self,
        inst: Inst,
        data: &InstData,
        pointer: Inst,
        bytes: i64,
        width: Width,
    ) -> Result<Option<Read>, Refusal> {
        let before = InsertPoint::Before(inst);
        let (wide, scalar) = (ValueType::bits(width, 1), |width| ValueType::bits(width, 1));
        for narrow in narrower(width) {
            let step = component_bytes(narrow);
            let count = component_bytes(width) / step;
            let at = |part: u64| bytes.saturating_add_unsigned(part * step);
            if !(0..count).all(|part| self.route_of(pointer, at(part), Want::Value(scalar(narrow))).is_some())
            {
                continue;
            }
            let mut total: Option<Inst> = None;
            for part in 0..count {
                let found = self.try_path(before, pointer, at(part), Want::Value(scalar(narrow)))?;
                let Some((path, ..)) = found else { return Ok(None) };
                let read = InstData { ty: scalar(narrow), ..Self::by_path(data, path) };
                let read = self.ed.insert(before, read, WHY)?;
                let mut value = self.ed.insert(before, InstData::new(ConvertOp::U2U, wide, &[read]), WHY)?;
                if part > 0 {
                    let by = self.shift(before, part * step * 8)?;
                    value = self.ed.insert(before, InstData::new(IntOp::IShl, wide, &[value, by]), WHY)?;
                }
                total = Some(match total {
                    None => value,
                    Some(low) => {
                        self.ed.insert(before, InstData::new(IntOp::IOr, wide, &[low, value]), WHY)?
                    }
                });
            }
            return Ok(total.map(|total| Read::Made(InstData::new(BasicOp::Copy, wide, &[total]))));
        }
        Ok(None)
    }

    fn shift(&mut self, at: InsertPoint, bits: u64) -> Result<Inst, Refusal> {
        let bits = i64::try_from(bits).unwrap_or(0);
        let data = self.ed.const_bits(Bits::scalar(Scalar::i(Width::W32, bits)));
        self.ed.insert(at, data, WHY)
    }

    fn store(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let &[pointer, value] = &data.args[..] else { return Ok(()) };
        let ty = self.ed.func().ty(value);
        if !self.is_ptr(pointer) {
            return Ok(());
        }
        let bytes = offset_of(&data);
        if self.is_ptr(value) {
            return self.store_address(inst, &data);
        }
        if let Some((path, at, _)) =
            self.try_path(InsertPoint::Before(inst), pointer, bytes, Want::Value(ty))?
            && self.module().value_type(at.ty) == Some(ty)
        {
            return self.ed.rewrite(inst, Self::by_path(&data, path), WHY);
        }
        let ValueType::Bits { width, components } = ty else { return self.mismatch(inst, pointer) };
        let mask = data.attrs.get(Key::Mask).unwrap_or(u64::MAX);
        let plain = InstData { attrs: data.attrs.without(Key::Mask), ..data.clone() };
        for component in (0..components).filter(|component| mask >> component & 1 == 1) {
            let mut part = value;
            if components > 1 {
                let scalar = ValueType::bits(width, 1);
                let new = InstData::new(VectorOp::Swizzle, scalar, &[value])
                    .with(Key::Components, pack_components(&[component]));
                part = self.ed.insert(InsertPoint::Before(inst), new, WHY)?;
            }
            let at = bytes.saturating_add_unsigned(u64::from(component) * component_bytes(width));
            if !self.write_scalar(inst, &plain, (pointer, at), part, width)? {
                return self.mismatch(inst, pointer);
            }
        }
        self.ed.erase(inst, WHY)
    }

    /// Writes a number as a whole or in narrower parts. Returns false if no place matches.
    fn write_scalar(
        &mut self,
        inst: Inst,
        data: &InstData,
        (pointer, bytes): (Inst, i64),
        value: Inst,
        width: Width,
    ) -> Result<bool, Refusal> {
        let before = InsertPoint::Before(inst);
        let scalar = |width| ValueType::bits(width, 1);
        for narrow in std::iter::once(width).chain(narrower(width)) {
            let step = component_bytes(narrow);
            let count = component_bytes(width) / step;
            let at = |part: u64| bytes.saturating_add_unsigned(part * step);
            if !(0..count).all(|part| self.route_of(pointer, at(part), Want::Value(scalar(narrow))).is_some())
            {
                continue;
            }
            for part in 0..count {
                let found = self.try_path(before, pointer, at(part), Want::Value(scalar(narrow)))?;
                let Some((path, ..)) = found else { return Ok(false) };
                let mut some = value;
                if part > 0 {
                    let by = self.shift(before, part * step * 8)?;
                    let shifted = InstData::new(IntOp::UShr, scalar(width), &[some, by]);
                    some = self.ed.insert(before, shifted, WHY)?;
                }
                if narrow != width {
                    some = self.ed.insert(
                        before,
                        InstData::new(ConvertOp::U2U, scalar(narrow), &[some]),
                        WHY,
                    )?;
                }
                let args = Args::new(&[pointer, some]);
                let new = Self::by_path(&InstData { args, ..data.clone() }, path);
                self.ed.insert(before, new, WHY)?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// A pointer that is stored in memory.
    fn store_address(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let &[pointer, value] = &data.args[..] else { return Ok(()) };
        let want = Want::Value(ValueType::Path);
        let Some((path, at, _)) =
            self.path(inst, InsertPoint::Before(inst), pointer, offset_of(data), want)?
        else {
            return Ok(());
        };
        let (want, mode) = match *self.module().type_of(at.ty) {
            TypeData::Pointer { to, mode } => (Want::Type(to), Some(mode)),
            _ => (Want::Any, None),
        };
        let before = InsertPoint::Before(inst);
        let Some((value, found, _)) = self.path(inst, before, value, 0, want)? else {
            return Ok(());
        };
        let value = self.in_mode(before, (value, found), mode.unwrap_or(found.mode))?;
        let new = InstData { args: Args::new(&[path, value]), ..data.clone() };
        self.ed.rewrite(inst, Self::by_path(&new, path), WHY)
    }
}

/// The form of a read.
enum Read {
    /// The load itself, through this path.
    At(Inst),
    /// Other loads; this instruction composes the value.
    Made(InstData),
}

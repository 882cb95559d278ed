//! Rewrites accesses to memory whose address is untyped now.
//!
//! Loads and stores keep their attributes and get the constant offset. A column with non-contiguous components
//! is accessed component by component. A copy of few values becomes loads and stores; a large one, or one with
//! access attributes, remains a copy between typed views of the two places.

use super::places::{AddressPlace, AddressPlaces, WHY};
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{Key, MemoryOp, Op, PtrOp, ValueType, VectorOp};
use vitrine_ir::{InsertPoint, Inst, InstData, Refusal, Type, TypeData};

impl AddressPlaces<'_, '_, '_> {
    /// Rewrites an instruction with address operands, if necessary.
    pub(super) fn access(&mut self, inst: Inst) -> Result<(), Refusal> {
        let data = self.ed.func().inst(inst);
        // Most instructions have none: only these are examined.
        let reads = matches!(
            data.op,
            Op::Memory(MemoryOp::Load | MemoryOp::Store | MemoryOp::CopyVar | MemoryOp::ArrayLen)
                | Op::Ptr(PtrOp::Diff)
        );
        if !reads {
            return Ok(());
        }
        let data = data.clone();
        let first = data.args.first().and_then(|&address| self.place(address));
        match (data.op, first) {
            (Op::Memory(MemoryOp::Load), Some(place)) if data.ty == ValueType::Handle => {
                let mut new = InstData::new(PtrOp::Handle, ValueType::Handle, &[self.pointer(place, inst)?]);
                if let Some(access) = data.attrs.get(Key::Access) {
                    new = new.with(Key::Access, access);
                }
                self.ed.rewrite(inst, new, WHY)
            }
            // A loaded value is an address too: `address` handles that.
            (Op::Memory(MemoryOp::Load), Some(_)) if data.ty == ValueType::Path => Ok(()),
            (Op::Memory(MemoryOp::Load), Some(place)) => self.load(inst, data, place),
            (Op::Memory(MemoryOp::Store), Some(place)) => self.store(inst, data, place),
            (Op::Memory(MemoryOp::CopyVar), _) => self.copy(inst, &data),
            (Op::Memory(MemoryOp::ArrayLen), Some(place)) => self.array_len(inst, place),
            (Op::Ptr(PtrOp::Diff), Some(place)) => {
                let stride = self.array_stride(place.at.ty);
                self.ed.rewrite(inst, data.with(Key::Stride, stride.min(u64::from(u32::MAX))), WHY)
            }
            _ => Ok(()),
        }
    }

    fn load(&mut self, inst: Inst, data: InstData, place: AddressPlace) -> Result<(), Refusal> {
        let (ValueType::Bits { width, components }, true) = (data.ty, place.component_stride > 0) else {
            return self.ed.rewrite(inst, self.at_place(data, place), WHY);
        };
        if components == 1 {
            return self.ed.rewrite(inst, self.at_place(data, place), WHY);
        }
        let mut parts = Vec::new();
        for component in 0..components {
            let scalar = InstData { ty: ValueType::bits(width, 1), ..data.clone() };
            let scalar = self.at_place(scalar, place.component(component));
            parts.push(self.ed.insert(InsertPoint::Before(inst), scalar, WHY)?);
        }
        self.ed.rewrite(inst, InstData::new(VectorOp::Vec, data.ty, &parts), WHY)
    }

    fn store(&mut self, inst: Inst, data: InstData, place: AddressPlace) -> Result<(), Refusal> {
        let &[_, value] = &data.args[..] else { return Ok(()) };
        let ty = self.ed.func().ty(value);
        let (ValueType::Bits { width, components }, true) =
            (ty, place.component_stride > 0 && ty.components() > 1)
        else {
            return self.ed.rewrite(inst, self.at_place(data, place), WHY);
        };
        let mask = data.attrs.get(Key::Mask).unwrap_or(u64::MAX);
        for component in (0..components).filter(|component| mask >> component & 1 == 1) {
            let part = InstData::new(VectorOp::Swizzle, ValueType::bits(width, 1), &[value])
                .with(Key::Components, pack_components(&[component]));
            let part = self.ed.insert(InsertPoint::Before(inst), part, WHY)?;
            let attrs = data.attrs.without(Key::Mask);
            let scalar = InstData { attrs, args: vitrine_ir::Args::new(&[value, part]), ..data.clone() };
            let scalar = self.at_place(scalar, place.component(component));
            self.ed.insert(InsertPoint::Before(inst), scalar, WHY)?;
        }
        self.ed.erase(inst, WHY)
    }

    fn array_len(&mut self, inst: Inst, place: AddressPlace) -> Result<(), Refusal> {
        let base = self.ed.func().inst(place.base);
        let buffer = base.args.first().copied().filter(|_| base.op == Op::Ptr(PtrOp::BufferData));
        let (Some(buffer), Ok(offset)) = (buffer, u32::try_from(place.offset)) else {
            // The size of memory without a buffer is known only from its type.
            let view = self.typed(place, InsertPoint::Before(inst))?;
            return self.ed.set_arg(inst, 0, view, WHY);
        };
        let module = self.ed.module();
        let stride = self.sizes.stride(module, module, place.at.ty).min(u64::from(u32::MAX));
        let mut new =
            InstData::new(PtrOp::BufferLen, self.ed.func().ty(inst), &[buffer]).with(Key::Stride, stride);
        if offset > 0 {
            new = new.with(Key::Offset, u64::from(offset));
        }
        self.ed.rewrite(inst, new, WHY)
    }

    /// A copy: both sides are in one class, so both are untyped or neither is, except for paths to all
    /// elements.
    fn copy(&mut self, inst: Inst, data: &InstData) -> Result<(), Refusal> {
        let [to, from] = data.args[..] else { return Ok(()) };
        let places = (self.inside(inst, to)?, self.inside(inst, from)?);
        if let ((Some(to), Some(from)), true) = (places, data.attrs.is_empty())
            && let (Some(into), Some(out_of)) = (self.leaves(to), self.leaves(from))
            && into.len() == out_of.len()
            && into.iter().zip(&out_of).all(|(a, b)| a.1 == b.1)
        {
            return self.copy_leaves(inst, &into, &out_of);
        }
        for (at, place) in [places.0, places.1].into_iter().enumerate() {
            if let Some(place) = place {
                let view = self.typed(place, InsertPoint::Before(inst))?;
                self.ed.set_arg(inst, at, view, WHY)?;
            }
        }
        Ok(())
    }

    fn copy_leaves(
        &mut self,
        inst: Inst,
        to: &[(AddressPlace, ValueType)],
        from: &[(AddressPlace, ValueType)],
    ) -> Result<(), Refusal> {
        let mut values = Vec::new();
        for &(place, ty) in from {
            // All loads precede the stores, in case the two places overlap.
            let load = self.at_place(InstData::new(MemoryOp::Load, ty, &[place.base]), place);
            values.push(self.ed.insert(InsertPoint::Before(inst), load, WHY)?);
        }
        for (&(place, _), value) in to.iter().zip(values) {
            let store = InstData::new(MemoryOp::Store, ValueType::Void, &[place.base, value]);
            let store = self.at_place(store, place);
            self.ed.insert(InsertPoint::Before(inst), store, WHY)?;
        }
        self.ed.erase(inst, WHY)
    }

    /// The values at a place, in order, each with its own place; none if there are too many, or if they are not
    /// bits.
    fn leaves(&mut self, place: AddressPlace) -> Option<Vec<(AddressPlace, ValueType)>> {
        let (mut out, mut work) = (Vec::new(), vec![place]);
        while let Some(place) = work.pop() {
            if out.len() + work.len() > self.max_leaves {
                return None;
            }
            let module = self.ed.module();
            let (ty, at) = (place.at.ty, |ty: Type| vitrine_ir::PathType { ty, ..place.at });
            if let Some(value) = module.value_type(ty) {
                let ValueType::Bits { width, components } = value else { return None };
                match place.component_stride {
                    0 => out.push((place, value)),
                    _ => {
                        let scalar = module.element_type(ty).unwrap_or(ty);
                        let components = (0..components)
                            .map(|component| AddressPlace { at: at(scalar), ..place.component(component) });
                        out.extend(components.map(|component| (component, ValueType::bits(width, 1))));
                    }
                }
                continue;
            }
            if let TypeData::Struct(structure) = *module.type_of(ty) {
                let offsets = self.sizes.offsets(module, module, structure);
                let members = module.structure(structure)?.members.clone();
                for (member, &offset) in members.iter().zip(offsets.iter()).rev() {
                    work.push(AddressPlace { at: at(member.ty), ..place.further(offset)? });
                }
                continue;
            }
            let (count, of) = (module.element_count(ty)?, module.element_type(ty)?);
            if count as usize > self.max_leaves {
                return None;
            }
            let stride = self.sizes.stride(module, module, ty);
            let component_stride = match *module.type_of(ty) {
                TypeData::Matrix { row_major: true, stride, .. } => stride,
                _ => 0,
            };
            for element in (0..u64::from(count)).rev() {
                work.push(AddressPlace {
                    at: at(of),
                    component_stride,
                    ..place.further(stride.checked_mul(element)?)?
                });
            }
        }
        Some(out)
    }
}

impl AddressPlace {
    /// The place at an additional byte offset; none if the offset does not fit.
    fn further(self, bytes: u64) -> Option<AddressPlace> {
        let offset = self.offset.checked_add_unsigned(bytes)?;
        i32::try_from(offset).is_ok().then_some(AddressPlace { offset, ..self })
    }

    /// A component of a column with non-contiguous components.
    fn component(self, component: u8) -> AddressPlace {
        let offset = self.offset.saturating_add(i64::from(self.component_stride) * i64::from(component));
        AddressPlace { offset, component_stride: 0, ..self }
    }
}

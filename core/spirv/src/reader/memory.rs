//! Variables, access chains, loads, stores, copies, and pointers as values.

use super::diagnostics;
use super::tables::MOST_LEAVES;
use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::{Decoration as D, Op as S};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Access, Attr, DerefOp, Flags, Key, MemoryOp, PtrOp, Scope, ValueType, WordSet};
use vitrine_ir::{Inst, InstData, Len, PathType, Type, TypeData};

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction about memory. None if it is another one.
    pub(super) fn memory(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        Some(match op {
            S::Variable | S::UntypedVariableKHR => self.variable(inst),
            S::Load => self.load(inst),
            S::Store => self.store(inst),
            S::AccessChain | S::InBoundsAccessChain => self.access_chain(inst, None, 4),
            S::PtrAccessChain | S::InBoundsPtrAccessChain => self.access_chain(inst, Some(inst.word(4)), 5),
            S::UntypedAccessChainKHR | S::UntypedInBoundsAccessChainKHR => self.untyped_chain(inst, None, 5),
            S::UntypedPtrAccessChainKHR | S::UntypedInBoundsPtrAccessChainKHR => {
                self.untyped_chain(inst, Some(inst.word(5)), 6)
            }
            // A hint without an effect.
            S::UntypedPrefetchKHR => Some(()),
            S::CopyMemory => self.copy(inst, None, 3),
            S::CopyMemorySized => self.copy(inst, Some(inst.word(3)), 4),
            S::ArrayLength => {
                let base = self.path(inst.word(3), inst)?;
                self.array_length(inst, base, inst.word(4))
            }
            S::UntypedArrayLengthKHR => {
                let ty = self.r.type_of_id(inst.word(3), inst)?;
                let base = self.path_to(inst.word(4), ty, inst)?;
                self.array_length(inst, base, inst.word(5))
            }
            S::PtrEqual => self.compare(inst, PtrOp::Eq),
            S::PtrNotEqual => self.compare(inst, PtrOp::Ne),
            S::PtrDiff => self.compare(inst, PtrOp::Diff),
            S::ConvertPtrToU => self.pointer_bits(inst),
            S::ConvertUToPtr | S::PtrCastToGeneric | S::GenericCastToPtr => self.pointer_cast(inst),
            S::ImageTexelPointer => self.texel(inst),
            _ => return None,
        })
    }

    fn variable(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let var = self.r.declare_var(inst, Some(self.func))?;
        let data = self.r.module.var(var)?;
        let at = PathType { ty: data.ty, mode: data.mode };
        let path = InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64);
        let path = self.put_path(path, at);
        self.values.insert(inst.word(2), super::values::Value { val: Val::One(path), ty: Some(ty) });
        self.touched.push(inst.word(2));
        Some(())
    }

    /// Attributes of memory operands, and the number of words they take.
    fn access(&mut self, words: &[u32], attrs: &mut Vec<Attr>) -> usize {
        let Some(&mask) = words.first() else { return 0 };
        let mut used = 1;
        let mut operand = || {
            used += 1;
            words.get(used - 1).copied().unwrap_or(0)
        };
        let mut found = Access::NONE;
        let mut scope = None;
        let plain = [(1, Access::VOLATILE), (1 << 2, Access::NONTEMPORAL), (1 << 5, Access::NONPRIVATE)];
        for (_, access) in plain.into_iter().filter(|(bit, _)| mask & bit != 0) {
            found = found.and(access);
        }
        if mask & 1 << 1 != 0 {
            let align = operand();
            if align.is_power_of_two() {
                attrs.push(Attr::new(Key::Align, u64::from(align)));
            }
        }
        for (bit, access) in [(1 << 3, Access::AVAILABLE), (1 << 4, Access::VISIBLE)] {
            if mask & bit != 0 {
                found = found.and(access);
                scope = self.r.number_of(operand()).or(scope);
            }
        }
        for bit in [1 << 16, 1 << 17] {
            if mask & bit != 0 {
                operand();
            }
        }
        if !found.is_none() {
            let before = attrs.iter().find(|attr| attr.key == Key::Access).map_or(0, |attr| attr.value);
            attrs.push(Attr::new(Key::Access, found.number() | before));
        }
        if let Some(scope) = scope.and_then(Scope::from_number) {
            attrs.push(Attr::word(scope));
        }
        used
    }

    fn load(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let (from, at) = self.path_to(inst.word(3), ty, inst)?;
        if self.passing.contains(&inst.word(2)) {
            self.passed = Some((inst.word(2), from));
            self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
            return Some(());
        }
        let mut attrs = Vec::new();
        self.access(inst.rest(4), &mut attrs);
        let attrs = vitrine_ir::Attrs::from_list(attrs);
        if self.r.leaf_count(ty).is_none() || self.r.leaf_count(ty) != self.r.leaf_count(at.ty) {
            return self.mismatch(
                inst,
                "loads a value whose type differs from the pointer's, or one with too many leaves",
            );
        }
        let flags = only_passed(self.flags);
        let one = |data: InstData| InstData { attrs: attrs.clone(), flags, ..data };
        let val = match self.r.module.value_type(at.ty) {
            Some(value) => {
                let loaded = self.put(one(InstData::new(MemoryOp::Load, value, &[from])));
                if let Some(at) = self.r.pointee(at.ty) {
                    self.paths.insert(loaded, at);
                }
                Val::One(loaded)
            }
            None => self.load_leaves(from, at, inst, one)?,
        };
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn store(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (mut to, mut at) = self.path(inst.word(1), inst)?;
        if let Some((_, from)) = self.passed.take_if(|(id, _)| *id == inst.word(2)) {
            if let Some(&wanted) = self.paths.get(&from).filter(|_| self.r.is_untyped(inst.word(1))) {
                to = self.path_as(to, PathType { mode: at.mode, ..wanted });
            }
            self.put(InstData::new(MemoryOp::CopyVar, ValueType::Void, &[to, from]));
            return Some(());
        }
        let value = self.value(inst.word(2), inst)?;
        if let Some(ty) = value.ty {
            (to, at) = self.path_to(inst.word(1), ty, inst)?;
        }
        let mut attrs = Vec::new();
        self.access(inst.rest(3), &mut attrs);
        let attrs = vitrine_ir::Attrs::from_list(attrs);
        let places = match self.r.module.value_type(at.ty) {
            Some(_) => vec![(to, at.ty)],
            None => self.places(to, at, inst)?,
        };
        let leaves = self.leaves(&value.val).to_vec();
        if places.len() != leaves.len() {
            return self.mismatch(inst, "stores a value whose type differs from the pointer's");
        }
        for ((place, ty), leaf) in places.into_iter().zip(leaves) {
            let leaf = self.leaf_as(leaf, ty);
            let data = InstData::new(MemoryOp::Store, ValueType::Void, &[place, leaf]);
            self.put(InstData { attrs: attrs.clone(), ..data });
        }
        Some(())
    }

    /// Paths to every leaf of a memory place, with their types.
    pub(super) fn places(
        &mut self,
        from: Inst,
        at: PathType,
        inst: Instruction<'_>,
    ) -> Option<Vec<(Inst, Type)>> {
        let count = self.leaves_of(at.ty, inst)?.len();
        let mut places = Vec::with_capacity(count);
        // A path, and the step that extends it, which is emitted only when it is visited.
        let mut work: Vec<(Inst, PathType, Option<u32>)> = vec![(from, at, None)];
        while let Some((base, at, step)) = work.pop() {
            let (path, at) = match step {
                Some(step) => self.step(base, at, step)?,
                None => (base, at),
            };
            if self.r.module.value_type(at.ty).is_some() {
                places.push((path, at.ty));
                continue;
            }
            if self.r.leaf_count(at.ty) == Some(0) {
                continue;
            }
            let parts = match self.r.module.type_of(at.ty) {
                TypeData::Struct(id) => self.r.module.structure(*id)?.members.len() as u32,
                TypeData::Array { len: Len::Count(len), .. } => *len,
                TypeData::Matrix { columns, .. } => u32::from(*columns),
                _ => return None,
            };
            work.extend((0..parts.min(MOST_LEAVES)).rev().map(|part| (path, at, Some(part))));
        }
        Some(places)
    }

    /// One step with a constant index.
    fn step(&mut self, base: Inst, at: PathType, number: u32) -> Option<(Inst, PathType)> {
        let (ty, data) = match self.r.module.type_of(at.ty) {
            TypeData::Struct(id) => {
                let ty = self.r.module.structure(*id)?.members.get(number as usize)?.ty;
                let data = InstData::new(DerefOp::Field, ValueType::Path, &[base]);
                (ty, data.with(Key::Field, u64::from(number)))
            }
            _ => {
                let ty = self.r.module.element_type(at.ty)?;
                let index = self.number(number);
                (ty, InstData::new(DerefOp::Elem, ValueType::Path, &[base, index]))
            }
        };
        let at = PathType { ty, mode: at.mode };
        Some((self.put_path(data, at), at))
    }

    /// The path that a pointer refers to, if it is untyped as a path to a type.
    pub(super) fn path_to(&mut self, id: u32, ty: Type, inst: Instruction<'_>) -> Option<(Inst, PathType)> {
        let (path, at) = self.path(id, inst)?;
        let wanted = PathType { ty, mode: at.mode };
        Some(if self.r.is_untyped(id) { (self.path_as(path, wanted), wanted) } else { (path, at) })
    }

    /// A chain from an untyped pointer, which names the type of its base.
    fn untyped_chain(&mut self, inst: Instruction<'a>, element: Option<u32>, first: usize) -> Option<()> {
        let ty = self.r.type_of_id(inst.word(3), inst)?;
        let (path, at) = self.path(inst.word(4), inst)?;
        let wanted = PathType { ty, mode: at.mode };
        let base = (self.path_as(path, wanted), wanted);
        let element = element.map(|element| (element, inst.word(4)));
        self.chain(inst, base, element, first)
    }

    fn access_chain(&mut self, inst: Instruction<'a>, element: Option<u32>, first: usize) -> Option<()> {
        let base = self.path(inst.word(3), inst)?;
        let element = element.map(|element| (element, inst.word(3)));
        self.chain(inst, base, element, first)
    }

    /// The steps of an access chain: over elements, if an index and the pointer with their stride are given, and then
    /// inside an element.
    fn chain(
        &mut self,
        inst: Instruction<'a>,
        (mut path, mut at): (Inst, PathType),
        element: Option<(u32, u32)>,
        first: usize,
    ) -> Option<()> {
        let ty = self.result_type(inst)?;
        if let Some((element, base)) = element {
            let index = self.bits(element, inst)?;
            let mut data = InstData::new(DerefOp::Step, ValueType::Path, &[path, index]);
            let pointer = self.r.def(base).map_or(0, |def| def.word(1));
            if let Some(stride) = self.r.decoration(pointer, D::ArrayStride as u32) {
                data = data.with(Key::Stride, u64::from(stride));
            }
            path = self.put_path(data, at);
        }
        for &id in inst.rest(first) {
            (path, at) = if let TypeData::Struct(_) = self.r.module.type_of(at.ty) {
                let number = self.r.number_of(id).and_then(|number| u32::try_from(number).ok());
                match number.and_then(|number| self.step(path, at, number)) {
                    Some(next) => next,
                    None => {
                        let message = format!("selects member %{id} of a structure without such a member");
                        self.error(
                            diagnostics::OPERANDS,
                            inst,
                            message,
                            "select members by constants, starting at 0",
                        );
                        return None;
                    }
                }
            } else {
                let Some(ty) = self.r.module.element_type(at.ty) else {
                    return self.mismatch(inst, format!("has the index %{id} into a type without elements"));
                };
                let index = self.bits(id, inst)?;
                if self.ty(index).components() != 1 {
                    return self.mismatch(inst, format!("has the index %{id}, which is not an integer"));
                }
                let at = PathType { ty, mode: at.mode };
                (self.put_path(InstData::new(DerefOp::Elem, ValueType::Path, &[path, index]), at), at)
            };
        }
        if self.flags.has(Flags::NONUNIFORM) {
            self.asm.inst_mut(path).flags = Flags::NONUNIFORM;
        }
        self.set(inst.word(2), ty, Val::One(path));
        Some(())
    }

    fn copy(&mut self, inst: Instruction<'a>, size: Option<u32>, first: usize) -> Option<()> {
        let (mut to, at) = self.path(inst.word(1), inst)?;
        let (mut from, source) = self.path(inst.word(2), inst)?;
        if size.is_none() && self.r.is_untyped(inst.word(1)) {
            to = self.path_as(to, PathType { ty: source.ty, ..at });
        } else if size.is_none() && self.r.is_untyped(inst.word(2)) {
            from = self.path_as(from, PathType { ty: at.ty, ..source });
        }
        let mut attrs = Vec::new();
        let used = self.access(inst.rest(first), &mut attrs);
        self.access(inst.rest(first + used), &mut attrs);
        let mut data = match size {
            Some(size) => {
                let size = self.bits(size, inst)?;
                InstData::new(MemoryOp::CopyBytes, ValueType::Void, &[to, from, size])
            }
            None => InstData::new(MemoryOp::CopyVar, ValueType::Void, &[to, from]),
        };
        data.attrs = vitrine_ir::Attrs::from_list(attrs);
        self.put(data);
        Some(())
    }

    fn array_length(
        &mut self,
        inst: Instruction<'a>,
        (base, at): (Inst, PathType),
        member: u32,
    ) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let Some((path, _)) = self.step(base, at, member) else {
            return self.mismatch(inst, format!("names member {member} of a type without it"));
        };
        let len = self.op(MemoryOp::ArrayLen, ValueType::B32, &[path]);
        let len = self.resize(len, value)?;
        self.set(inst.word(2), ty, Val::One(len));
        Some(())
    }

    fn compare(&mut self, inst: Instruction<'a>, op: PtrOp) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (a, b) = (self.leaf(inst.word(3), inst)?, self.leaf(inst.word(4), inst)?);
        let fits = |ty| matches!(ty, ValueType::Path | ValueType::Ptr);
        if !fits(self.ty(a)) || !fits(self.ty(b)) {
            return self.mismatch(inst, "has operands that are not pointers");
        }
        let result = self.op(op, value, &[a, b]);
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    fn pointer_bits(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (path, _) = self.path(inst.word(3), inst)?;
        let result = self.op(PtrOp::ToBits, value, &[path]);
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    /// A pointer converted from bits, or from another pointer.
    pub(super) fn pointer_cast(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let Some(at) = self.r.pointee(ty) else {
            return self.mismatch(inst, "has a result that is not a pointer");
        };
        let from = self.leaf(inst.word(3), inst)?;
        let op = match self.ty(from) {
            ValueType::Path => DerefOp::Cast,
            ValueType::Bits { .. } => DerefOp::FromBits,
            _ => return self.mismatch(inst, "has an operand that is neither a number nor a pointer"),
        };
        let data = Self::saying(InstData::new(op, ValueType::Path, &[from]), at);
        let path = self.put_path(data, at);
        self.set(inst.word(2), ty, Val::One(path));
        Some(())
    }

    fn texel(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let image = self.leaf(inst.word(3), inst)?;
        if !self.ty(image).is_opaque() {
            return self.mismatch(inst, "has a base that is not an image");
        }
        let (coord, sample) = (self.bits(inst.word(4), inst)?, self.bits(inst.word(5), inst)?);
        let texel = self.op(PtrOp::Texel, ValueType::Ptr, &[image, coord, sample]);
        self.set(inst.word(2), ty, Val::One(texel));
        Some(())
    }

    /// An address: a path, if it is untyped to a type, or the address of a texel.
    pub(super) fn address(&mut self, id: u32, ty: Type, inst: Instruction<'a>) -> Option<Inst> {
        let leaf = self.leaf(id, inst)?;
        match self.ty(leaf) {
            ValueType::Path if self.r.is_untyped(id) => Some(self.path_to(id, ty, inst)?.0),
            ValueType::Path | ValueType::Ptr => Some(leaf),
            _ => self.mismatch(inst, format!("uses %{id}, which is not a pointer")),
        }
    }
}

/// The flags that apply to a value that is only copied.
fn only_passed(flags: Flags) -> Flags {
    [Flags::RELAXED, Flags::NONUNIFORM, Flags::INVARIANT]
        .into_iter()
        .filter(|&flag| flags.has(flag))
        .fold(Flags::NONE, Flags::and)
}

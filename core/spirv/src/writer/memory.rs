//! Loads, stores, copies, atomics, and operations on pointers.

use super::diagnostics::NO_INSTRUCTION;
use super::function::FunctionWriter;
use super::shared::{MemoryPlace, Scalar, Slot};
use crate::SEMANTICS;
use crate::spec::{Op as S, StorageClass as C};
use vitrine_ir::ops::{
    Access, AtomicOp, DerefOp, Key, MemoryOp, Op, PtrOp, RegOp, Scope, Semantics, ValueType,
};
use vitrine_ir::{Attrs, Diag, Help, Inst, Reg, TypeData};

impl FunctionWriter<'_, '_> {
    /// Writes an operation on memory.
    pub(super) fn memory(&mut self, inst: Inst, op: MemoryOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        if data.attrs.has(Key::Offset) {
            return Err(self.no_instruction(inst, Help::text("run").pass("qptr-lift").then("first")));
        }
        match op {
            MemoryOp::Load => self.load(inst),
            MemoryOp::Store => self.store(inst),
            MemoryOp::CopyVar | MemoryOp::CopyBytes => {
                let unlike = || Some(self.place(data.args[0]).ok()?.ty != self.place(data.args[1]).ok()?.ty);
                if op == MemoryOp::CopyVar && unlike() == Some(true) {
                    return Err(self.no_instruction(
                        inst,
                        Help::text("run").pass("lower-var-copies{unlike}").then("first"),
                    ));
                }
                let is_untyped =
                    |path| self.place(path).is_ok_and(|place| self.writer.is_untyped(place.class));
                if op == MemoryOp::CopyVar && data.args.iter().all(|&path| is_untyped(path)) {
                    let help =
                        Help::text("run").pass("lower-var-copies").then("first: both pointers are untyped");
                    return Err(self.no_instruction(inst, help));
                }
                let (to, _) = self.whole(data.args[0])?;
                let (from, _) = self.whole(data.args[1])?;
                let mut words = vec![to, from];
                if op == MemoryOp::CopyBytes {
                    words.push(self.int_id(data.args[2])?);
                }
                words.extend(self.access(&data.attrs));
                self.code
                    .inst(if op == MemoryOp::CopyVar { S::CopyMemory } else { S::CopyMemorySized }, &words);
                Ok(())
            }
            MemoryOp::ArrayLen => self.array_len(inst),
            MemoryOp::AtomicLoad | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas => {
                self.atomic(inst, op)
            }
        }
    }

    /// The words of a memory access: a mask and the operands that it announces.
    fn access(&mut self, attrs: &Attrs) -> Vec<u32> {
        const BITS: [(Access, u32); 5] = [
            (Access::VOLATILE, 1),
            (Access::NONTEMPORAL, 1 << 2),
            (Access::NONPRIVATE, 1 << 5),
            (Access::AVAILABLE, 1 << 3),
            (Access::VISIBLE, 1 << 4),
        ];
        let access = attrs.words::<Access>();
        let mut mask = 0;
        for (word, bit) in BITS {
            mask |= if access.has(word) { bit } else { 0 };
        }
        let align = attrs.get(Key::Align);
        mask |= if align.is_some() { 1 << 1 } else { 0 };
        if mask == 0 {
            return Vec::new();
        }
        let mut words = vec![mask];
        words.extend(align.map(|align| align as u32));
        let scope = attrs.word().unwrap_or(Scope::Device) as u32;
        for bit in [1 << 3, 1 << 4] {
            if mask & bit != 0 {
                words.push(self.writer.uint(scope));
            }
        }
        words
    }

    fn load(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let place = self.place(data.args[0])?;
        let (from, _) = self.whole(data.args[0])?;
        let ty = self.writer.ty(place.ty)?;
        let words: Vec<u32> = [from].into_iter().chain(self.access(&data.attrs)).collect();
        match data.ty {
            ValueType::Bits { .. } => {
                let scalar = self.writer.scalar_of(place.ty).unwrap_or(Scalar::Uint);
                let id = self.define(inst, S::Load, ty, &words);
                self.set(inst, Slot::Bits { id, scalar });
            }
            ValueType::Path => {
                if let TypeData::Pointer { mode, to } = *self.writer.module.type_of(place.ty) {
                    self.places.insert(inst, MemoryPlace { ty: to, class: self.writer.class(mode, to) });
                }
                self.define_whole(inst, S::Load, ty, &words);
            }
            _ => {
                self.handles.insert(inst, place.ty);
                self.define_whole(inst, S::Load, ty, &words);
            }
        }
        Ok(())
    }

    fn store(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let (to, value) = (data.args[0], data.args[1]);
        let place = self.place(to)?;
        let (to, _) = self.whole(to)?;
        let access = self.access(&data.attrs);
        let ty = self.body.ty(value);
        let id = match ty {
            ValueType::Bits { .. } => {
                let scalar = self.writer.scalar_of(place.ty).unwrap_or(Scalar::Uint);
                self.id_as(value, scalar)?
            }
            _ => self.whole(value)?.0,
        };
        let all = (1u64 << ty.components()) - 1;
        let mask = data.attrs.get(Key::Mask).map_or(all, |mask| mask & all);
        if mask == all {
            self.code.parts(S::Store, &[&[to, id], &access]);
            return Ok(());
        }
        // Component by component.
        let (Some(element), Some(scalar)) =
            (self.writer.module.element_type(place.ty), self.writer.scalar_of(place.ty))
        else {
            return Err(self.no_instruction(inst, "only components of a vector can be stored alone"));
        };
        let pointer = self.pointer_to(MemoryPlace { ty: element, class: place.class })?;
        let component_type = self.number(scalar, ty.with_components(1), inst)?;
        for component in (0..u32::from(ty.components())).filter(|component| mask >> component & 1 != 0) {
            let index = self.writer.int(component);
            let at = self.emit_chain(pointer, place, &[to, index])?;
            let value = self.emit(S::CompositeExtract, component_type, &[id, component]);
            self.code.parts(S::Store, &[&[at, value], &access]);
        }
        Ok(())
    }

    /// The length of a runtime array. In SPIR-V the instruction takes the structure whose last member is the
    /// array.
    fn array_len(&mut self, inst: Inst) -> Result<(), Diag> {
        let path = self.body.inst(inst).args[0];
        let step = self.body.inst(path);
        let (Op::Deref(DerefOp::Field), Some(&base)) = (step.op, step.args.first()) else {
            return Err(self.no_instruction(inst, "make the array the last member of a structure"));
        };
        let place = self.place(base)?;
        let (base, _) = self.whole(base)?;
        let member = step.attrs.get(Key::Field).unwrap_or(0) as u32;
        if self.writer.is_untyped(place.class) {
            let of = self.writer.ty(place.ty)?;
            let words = [of, base, member];
            return self.define_bits(inst, S::UntypedArrayLengthKHR, Scalar::Uint, &words).map(|_| ());
        }
        self.define_bits(inst, S::ArrayLength, Scalar::Uint, &[base, member]).map(|_| ())
    }

    /// The constant of memory semantics.
    pub(super) fn semantics(&mut self, attrs: &Attrs, key: Key) -> u32 {
        let order = attrs.words_of::<Semantics>(key);
        let mask = SEMANTICS.iter().filter(|(word, _)| order.has(*word)).fold(0, |mask, (_, bit)| mask | bit);
        self.writer.uint(mask)
    }

    /// The constant of a scope; the subgroup by default.
    pub(super) fn scope(&mut self, attrs: &Attrs, key: Key) -> u32 {
        self.writer.uint(attrs.word_of(key).unwrap_or(Scope::Subgroup) as u32)
    }

    /// The kind of number an address points to.
    fn pointee_hint(&mut self, address: Inst, like: Inst) -> Scalar {
        match self.places.get(&address) {
            Some(place) => self.writer.scalar_of(place.ty).unwrap_or(Scalar::Uint),
            None => self.scalar_hint(like),
        }
    }

    fn atomic(&mut self, inst: Inst, op: MemoryOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let at = data.args[0];
        let scalar = self.pointee_hint(at, *data.args.get(1).unwrap_or(&inst));
        let (at, _) = self.whole(at)?;
        let scope = self.scope(&data.attrs, Key::Scope);
        let order = self.semantics(&data.attrs, Key::Order);
        let mut args = Vec::new();
        for &arg in &data.args[1..] {
            args.push(self.id_as(arg, scalar)?);
        }
        match op {
            MemoryOp::AtomicStore => {
                self.code.inst(S::AtomicStore, &[at, scope, order, args[0]]);
                Ok(())
            }
            MemoryOp::AtomicLoad => {
                self.define_bits(inst, S::AtomicLoad, scalar, &[at, scope, order]).map(|_| ())
            }
            MemoryOp::AtomicCas => {
                let other = self.semantics(&data.attrs, Key::OrderElse);
                let words = [at, scope, order, other, args[1], args[0]];
                self.define_bits(inst, S::AtomicCompareExchange, scalar, &words).map(|_| ())
            }
            _ => {
                let Some(code) = combining(data.attrs.word().unwrap_or(AtomicOp::IAdd)) else {
                    return Err(self.no_instruction(inst, "SPIR-V has no atomic that wraps at a bound"));
                };
                self.define_bits(inst, code, scalar, &[at, scope, order, args[0]]).map(|_| ())
            }
        }
    }

    /// Writes an operation on addresses.
    pub(super) fn address(&mut self, inst: Inst, op: PtrOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            PtrOp::Texel => self.texel(inst),
            PtrOp::ToBits => {
                let (from, _) = self.whole(data.args[0])?;
                let code = if data.ty.components() == 1 { S::ConvertPtrToU } else { S::Bitcast };
                self.define_bits(inst, code, Scalar::Uint, &[from]).map(|_| ())
            }
            PtrOp::Eq | PtrOp::Ne | PtrOp::Diff => {
                let (a, _) = self.whole(data.args[0])?;
                let (b, _) = self.whole(data.args[1])?;
                let (code, scalar) = match op {
                    PtrOp::Eq => (S::PtrEqual, Scalar::Bool),
                    PtrOp::Ne => (S::PtrNotEqual, Scalar::Bool),
                    _ => (S::PtrDiff, self.int_hint(inst)),
                };
                self.define_bits(inst, code, scalar, &[a, b]).map(|_| ())
            }
            PtrOp::Var
            | PtrOp::Path
            | PtrOp::Offset
            | PtrOp::DynOffset
            | PtrOp::HandleIndex
            | PtrOp::Handle
            | PtrOp::BufferData
            | PtrOp::BufferLen
            | PtrOp::FromBits => {
                Err(self.no_instruction(inst, Help::text("run").pass("qptr-lift").then("first")))
            }
        }
    }

    fn texel(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let place = self.place(data.args[0])?;
        let TypeData::Image(image) = *self.writer.module.type_of(place.ty) else {
            return Err(self.refuse(NO_INSTRUCTION, inst, "has a base that is not an image", "use an image"));
        };
        let (pointer, _) = self.whole(data.args[0])?;
        let (coord, sample) = (self.int_id(data.args[1])?, self.int_id(data.args[2])?);
        let texel = MemoryPlace { ty: image.sampled, class: C::Image as u32 };
        let ty = self.pointer_to(texel)?;
        self.places.insert(inst, texel);
        self.define_whole(inst, S::ImageTexelPointer, ty, &[pointer, coord, sample]);
        Ok(())
    }

    /// Registers are local variables.
    pub(super) fn register(&mut self, inst: Inst, op: RegOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(reg) = data.entity::<Reg>(Key::Reg) else { return Ok(()) };
        let Some(&info) = self.body.reg(reg) else { return Ok(()) };
        let value = ValueType::bits(info.width, info.components);
        let (var, scalar) = self.reg(reg, inst)?;
        let ty = self.number(scalar, value, inst)?;
        let pointer = self.writer.pointer(C::Function as u32, ty);
        let element = |this: &mut Self, index: Inst| -> Result<u32, Diag> {
            let index = this.int_id(index)?;
            Ok(this.emit(S::AccessChain, pointer, &[var, index]))
        };
        let (at, value) = match op {
            RegOp::Load => return self.define_bits(inst, S::Load, scalar, &[var]).map(|_| ()),
            RegOp::LoadAt => {
                let at = element(self, data.args[0])?;
                return self.define_bits(inst, S::Load, scalar, &[at]).map(|_| ());
            }
            RegOp::Store => (var, data.args[0]),
            RegOp::StoreAt => (element(self, data.args[0])?, data.args[1]),
        };
        let id = self.id_as(value, scalar)?;
        let all = (1u64 << info.components) - 1;
        let mask = data.attrs.get(Key::Mask).map_or(all, |mask| mask & all);
        if mask == all {
            self.code.inst(S::Store, &[at, id]);
            return Ok(());
        }
        let old = self.emit(S::Load, ty, &[at]);
        let components = (0..u32::from(info.components)).map(|component| match mask >> component & 1 {
            1 => u32::from(info.components) + component,
            _ => component,
        });
        let words: Vec<u32> = [old, id].into_iter().chain(components).collect();
        let new = self.emit(S::VectorShuffle, ty, &words);
        self.code.inst(S::Store, &[at, new]);
        Ok(())
    }

    /// The variable of a register, and the kind of its numbers, which the first access determines.
    fn reg(&mut self, reg: Reg, inst: Inst) -> Result<(u32, Scalar), Diag> {
        if let Some(&known) = self.regs.get(&reg) {
            return Ok(known);
        }
        let Some(&info) = self.body.reg(reg) else { return Ok((0, Scalar::Uint)) };
        let data = self.body.inst(inst);
        let value = match data.op {
            Op::Reg(RegOp::Store) => data.args[0],
            Op::Reg(RegOp::StoreAt) => data.args[1],
            _ => inst,
        };
        let scalar = self.scalar_hint(value);
        let mut ty = self.number(scalar, ValueType::bits(info.width, info.components), inst)?;
        if info.len > 0 {
            let len = self.writer.uint(info.len);
            ty = self.writer.intern(S::TypeArray, &[ty, len]);
        }
        let pointer = self.writer.pointer(C::Function as u32, ty);
        let id = self.writer.fresh();
        self.vars.inst(S::Variable, &[pointer, id, C::Function as u32]);
        self.writer.name(id, info.name);
        self.regs.insert(reg, (id, scalar));
        Ok((id, scalar))
    }
}

/// The atomic that combines by an operation; none if SPIR-V has none.
fn combining(kind: AtomicOp) -> Option<S> {
    Some(match kind {
        AtomicOp::IAdd => S::AtomicIAdd,
        AtomicOp::ISub => S::AtomicISub,
        AtomicOp::IMin => S::AtomicSMin,
        AtomicOp::UMin => S::AtomicUMin,
        AtomicOp::IMax => S::AtomicSMax,
        AtomicOp::UMax => S::AtomicUMax,
        AtomicOp::IAnd => S::AtomicAnd,
        AtomicOp::IOr => S::AtomicOr,
        AtomicOp::IXor => S::AtomicXor,
        AtomicOp::Exchange => S::AtomicExchange,
        AtomicOp::FAdd => S::AtomicFAddEXT,
        AtomicOp::FMin => S::AtomicFMinEXT,
        AtomicOp::FMax => S::AtomicFMaxEXT,
        AtomicOp::Inc | AtomicOp::Dec => return None,
    })
}

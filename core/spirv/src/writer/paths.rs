//! Paths as pointers: steps become one access chain at a use of the whole path.

use super::diagnostics::{NO_INSTRUCTION, NO_TYPE};
use super::function::FunctionWriter;
use super::module::Writer;
use super::shared::{MemoryPlace, Scalar, Slot};
use crate::spec::{Decoration as D, Op as S, StorageClass as C};
use vitrine_ir::ops::{BasicOp, DerefOp, Flags, Key, Op, ValueType};
use vitrine_ir::{Diag, Help, Inst, InstData, Mode, Type, TypeData, Var};

impl FunctionWriter<'_, '_> {
    /// Writes a step of a path, or leaves it to the uses.
    pub(super) fn deref(&mut self, inst: Inst, op: DerefOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            DerefOp::Var => self.whole_var(inst, data),
            DerefOp::Field | DerefOp::Elem => {
                let place = self.stepped(inst, data, op)?;
                self.places.insert(inst, place);
                self.set(inst, Slot::Steps);
                if self.uses.any(inst) || !self.uses.only_absorbed(inst) {
                    self.write_path(inst)?;
                }
                Ok(())
            }
            DerefOp::Step => self.pointer_step(inst, data),
            DerefOp::Cast => self.cast(inst, data),
            DerefOp::FromBits => self.path_of_bits(inst, data),
            DerefOp::All => Err(self.no_instruction(
                inst,
                Help::text("copies of all elements are split by").pass("lower-var-copies"),
            )),
        }
    }

    fn whole_var(&mut self, inst: Inst, data: &InstData) -> Result<(), Diag> {
        let Some(var) = data.entity::<Var>(Key::Var) else {
            return Err(self.refuse(NO_TYPE, inst, "does not name a variable", "validate the module"));
        };
        let Some(info) = self.writer.module.var(var) else {
            return Err(self.refuse(
                NO_TYPE,
                inst,
                "names a variable that is not declared",
                "validate the module",
            ));
        };
        let ty = self.writer.var_pointer(var)?;
        let id = match info.mode {
            Mode::Local => self.local(var)?,
            _ => self.writer.var(var)?,
        };
        self.places.insert(inst, MemoryPlace { ty: info.ty, class: self.writer.class_of_var(var) });
        self.set(inst, Slot::Whole { id, ty });
        Ok(())
    }

    /// The id of a variable of the function.
    pub(super) fn local(&mut self, var: Var) -> Result<u32, Diag> {
        if let Some(&id) = self.writer.vars.get(&var) {
            return Ok(id);
        }
        let (op, words) = self.writer.var_inst(var)?;
        self.vars.inst(op, &words);
        Ok(words[1])
    }

    /// The type and storage class a path points to.
    pub(super) fn place(&self, inst: Inst) -> Result<MemoryPlace, Diag> {
        self.places.get(&inst).copied().ok_or_else(|| {
            self.refuse(NO_TYPE, inst, "has an unknown pointee type", "declare it: `{type …, mode …}`")
        })
    }

    /// The declared type and storage class of a path.
    pub(super) fn declared_place(&mut self, inst: Inst) -> Result<MemoryPlace, Diag> {
        let data = self.body.inst(inst);
        let mode = data.attrs.word::<Mode>();
        let (Some(ty), Some(mode)) = (data.entity::<Type>(Key::Type), mode) else {
            let help = "declare it: `{type …, mode …}`";
            return Err(self.refuse(NO_TYPE, inst, "has an unknown pointee type", help));
        };
        let place = MemoryPlace { ty, class: self.writer.class(mode, ty) };
        self.places.insert(inst, place);
        Ok(place)
    }

    fn stepped(&self, inst: Inst, data: &InstData, op: DerefOp) -> Result<MemoryPlace, Diag> {
        let missing =
            || self.refuse(NO_TYPE, inst, "has an index into a type without elements", "validate the module");
        let base = self.place(*data.args.first().ok_or_else(missing)?)?;
        let module = self.writer.module;
        let ty = match (op, module.type_of(base.ty)) {
            (DerefOp::Field, TypeData::Struct(id)) => {
                let at = data.attrs.get(Key::Field).unwrap_or(u64::MAX);
                let members = &module.structure(*id).ok_or_else(missing)?.members;
                usize::try_from(at).ok().and_then(|at| members.get(at)).ok_or_else(missing)?.ty
            }
            _ => module.element_type(base.ty).ok_or_else(missing)?,
        };
        Ok(MemoryPlace { ty, class: base.class })
    }

    /// The pointer type of a path.
    pub(super) fn pointer_to(&mut self, place: MemoryPlace) -> Result<u32, Diag> {
        self.writer.pointer_to(place.class, place.ty)
    }

    /// Writes an access chain; from an untyped pointer, with the type of its base.
    pub(super) fn emit_chain(&mut self, ty: u32, base: MemoryPlace, words: &[u32]) -> Result<u32, Diag> {
        if !self.writer.is_untyped(base.class) {
            return Ok(self.emit(S::AccessChain, ty, words));
        }
        let words = [&[self.writer.ty(base.ty)?], words].concat();
        Ok(self.emit(S::UntypedAccessChainKHR, ty, &words))
    }

    /// Writes the access chain of a path: the steps after the last one that was written.
    pub(super) fn write_path(&mut self, inst: Inst) -> Result<(u32, u32), Diag> {
        let mut steps = Vec::new();
        let mut at = inst;
        while matches!(self.slot(at), Slot::Steps) {
            steps.push(at);
            at = *self.body.inst(at).args.first().unwrap_or(&at);
        }
        let (base, _) = self.whole(at)?;
        let mut words = vec![base];
        let mut flags = Flags::NONE;
        for &step in steps.iter().rev() {
            let data = self.body.inst(step);
            flags = flags.and(data.flags);
            words.push(match (data.op, data.args.get(1)) {
                (Op::Deref(DerefOp::Elem), Some(&index)) => self.int_id(index)?,
                _ => self.writer.int(data.attrs.get(Key::Field).unwrap_or(0) as u32),
            });
        }
        let place = self.place(inst)?;
        let ty = self.pointer_to(place)?;
        let base = self.place(at)?;
        let id = self.emit_chain(ty, base, &words)?;
        self.writer.name(id, self.body.inst_name(inst));
        self.writer.write_flags(id, flags);
        self.set(inst, Slot::Whole { id, ty });
        Ok((id, ty))
    }

    fn pointer_step(&mut self, inst: Inst, data: &InstData) -> Result<(), Diag> {
        let [base, index] = data.args[..] else { return Ok(()) };
        let place = self.place(base)?;
        let (base, ty) = self.whole(base)?;
        if self.writer.is_untyped(place.class) {
            return self.untyped_step(inst, place, base, index);
        }
        if let Some(stride) = data.attrs.get(Key::Stride) {
            let stride = stride as u32;
            if *self.writer.strides.entry(ty).or_insert(stride) != stride {
                if place.class == C::PhysicalStorageBuffer as u32 {
                    return self.strided_step(inst, place, (base, ty), index, stride);
                }
                let help = "use byte addresses instead";
                return Err(self.refuse(
                    NO_INSTRUCTION,
                    inst,
                    "has a stride that conflicts with another step over the same type",
                    help,
                ));
            }
            self.writer.decorate(ty, D::ArrayStride as u32, &[stride]);
        }
        let index = self.int_id(index)?;
        self.places.insert(inst, place);
        self.define_whole(inst, S::PtrAccessChain, ty, &[base, index]);
        Ok(())
    }

    /// A step by a stride that pointers of its type do not have: over pointers of another type to the same.
    fn strided_step(
        &mut self,
        inst: Inst,
        place: MemoryPlace,
        (base, ty): (u32, u32),
        index: Inst,
        stride: u32,
    ) -> Result<(), Diag> {
        let to = self.writer.ty(place.ty)?;
        let strided = self.writer.intern_tagged(S::TypePointer, &[place.class, to], stride);
        self.writer.decorate(strided, D::ArrayStride as u32, &[stride]);
        let base = self.emit(S::Bitcast, strided, &[base]);
        let index = self.int_id(index)?;
        let element = self.emit(S::PtrAccessChain, strided, &[base, index]);
        self.places.insert(inst, place);
        self.define_whole(inst, S::Bitcast, ty, &[element]);
        Ok(())
    }

    /// A step over elements from an untyped pointer: an element of an array with the stride of the step. Without one, the
    /// stride is the size of the element.
    fn untyped_step(&mut self, inst: Inst, place: MemoryPlace, base: u32, index: Inst) -> Result<(), Diag> {
        let (ty, of) = (self.pointer_to(place)?, self.writer.ty(place.ty)?);
        let index = self.int_id(index)?;
        self.places.insert(inst, place);
        match self.body.inst(inst).attrs.get(Key::Stride) {
            Some(stride) => {
                let array = self.writer.array(S::TypeRuntimeArray, &[of], stride as u32);
                self.define_whole(inst, S::UntypedAccessChainKHR, ty, &[array, base, index]);
            }
            None => self.define_whole(inst, S::UntypedPtrAccessChainKHR, ty, &[of, base, index]),
        }
        Ok(())
    }

    fn cast(&mut self, inst: Inst, data: &InstData) -> Result<(), Diag> {
        let Some(&from) = data.args.first() else { return Ok(()) };
        let mut place = self.declared_place(inst)?;
        let given = self.places.get(&from).copied();
        // If the mode is unchanged, so is the storage class.
        let mode = data.attrs.word::<Mode>();
        if let (Some(given), Some(mode)) = (given, mode)
            && self.modes_of(given.class).contains(&mode)
        {
            place.class = given.class;
            self.places.insert(inst, place);
        }
        let ty = self.pointer_to(place)?;
        let (id, from_type) = self.whole(from)?;
        if from_type == ty {
            self.set(inst, Slot::Whole { id, ty });
            return Ok(());
        }
        let generic = C::Generic as u32;
        let op = match given {
            Some(given) if place.class == generic && given.class != generic => S::PtrCastToGeneric,
            Some(given) if place.class != generic && given.class == generic => S::GenericCastToPtr,
            Some(given) if given.class == place.class && self.writer.is_physical(place.class) => S::Bitcast,
            _ => {
                let message = "casts a pointer to another type, which logical addressing does not allow";
                return Err(self.refuse(NO_INSTRUCTION, inst, message, "use the types of the variable"));
            }
        };
        self.define_whole(inst, op, ty, &[id]);
        Ok(())
    }

    /// The modes that a storage class may implement.
    fn modes_of(&self, class: u32) -> &'static [Mode] {
        match C::from_u32(class) {
            Some(C::Uniform) => &[Mode::Uniform, Mode::Storage],
            Some(C::StorageBuffer | C::AtomicCounter) => &[Mode::Storage],
            Some(C::PhysicalStorageBuffer | C::CrossWorkgroup) => &[Mode::Physical],
            Some(C::UniformConstant) => &[Mode::Handle],
            Some(C::Input) => &[Mode::In],
            Some(C::Output) => &[Mode::Out],
            Some(C::Workgroup) => &[Mode::Shared],
            Some(C::Private) => &[Mode::Private],
            Some(C::Function) => &[Mode::Local],
            Some(C::Generic) => &[Mode::Generic],
            Some(C::PushConstant) => &[Mode::Push],
            Some(C::CallableDataKHR | C::IncomingCallableDataKHR | C::ShaderRecordBufferKHR) => {
                &[Mode::Callable]
            }
            Some(_) => &[Mode::Payload, Mode::Handle],
            None => &[],
        }
    }

    fn path_of_bits(&mut self, inst: Inst, data: &InstData) -> Result<(), Diag> {
        let Some(&bits) = data.args.first() else { return Ok(()) };
        let place = self.declared_place(inst)?;
        let ty = self.pointer_to(place)?;
        let is_zero = match self.slot(bits) {
            Slot::Const(bits) => {
                self.writer.module.bits_of(bits).components().iter().all(|&component| component == 0)
            }
            _ => false,
        };
        if is_zero && place.class != C::PhysicalStorageBuffer as u32 {
            let id = self.writer.typed(S::ConstantNull, ty, &[]);
            self.set(inst, Slot::Whole { id, ty });
            return Ok(());
        }
        let op = match self.body.ty(bits) {
            ValueType::Bits { components: 1, .. } => S::ConvertUToPtr,
            _ => S::Bitcast,
        };
        let bits = self.id_as(bits, Scalar::Uint)?;
        self.define_whole(inst, op, ty, &[bits]);
        Ok(())
    }

    /// Copies a path or a handle, or selects one of two.
    pub(super) fn copied_object(&mut self, inst: Inst, op: BasicOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let sources = match op {
            BasicOp::Choose => &data.args[1..],
            _ => &data.args[..],
        };
        let Some(&first) = sources.first() else { return Ok(()) };
        let (first_id, ty) = self.whole(first)?;
        if let Some(&place) = self.places.get(&first) {
            self.places.insert(inst, place);
        }
        if let Some(&full) = self.handles.get(&first) {
            self.handles.insert(inst, full);
        }
        if let Some(&image) = self.image_handles.get(&first) {
            self.image_handles.insert(inst, image);
        }
        match (op, sources.get(1)) {
            (BasicOp::Choose, Some(&second)) => {
                let (second_id, _) = self.whole(second)?;
                let cond = self.id_as(data.args[0], Scalar::Bool)?;
                self.define_whole(inst, S::Select, ty, &[cond, first_id, second_id]);
            }
            _ => self.define_whole(inst, S::CopyObject, ty, &[first_id]),
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// Returns true if pointers of a storage class are physical addresses.
    pub(super) fn is_physical(&self, class: u32) -> bool {
        let logical = self.facts(vitrine_ir::FactKey::Addressing).all(|name| name == "Logical");
        class == C::PhysicalStorageBuffer as u32 || !logical && self.declares("Addresses")
    }
}

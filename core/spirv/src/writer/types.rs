//! Types: those of memory, and those of values.
//!
//! A matrix type of SPIR-V has no layout, which is declared on the member that holds it. So types that differ
//! only in the layout of matrices are one. Structures keep their identity; all other types are interned by
//! their words.

use super::diagnostics::{DECLARATION, NO_TYPE, refuse};
use super::module::Writer;
use super::shared::{NumberShape, Scalar, TypeState};
use super::words::string_words;
use crate::spec::{Decoration as D, Op as S, StorageClass as C};
use crate::{Kind, op_named};
use vitrine_ir::ops::{Key, ValueType};
use vitrine_ir::{Depth, Diag, ImageType, Len, Mode, Struct, Text, Type, TypeData, Usage};

/// The deepest nesting of a type, of which SPIR-V allows 255.
const DEEPEST: usize = 1 << 12;

impl<'a> Writer<'a> {
    /// The id of a declaration with these words after the result; declared at first use.
    pub(super) fn intern(&mut self, op: S, operands: &[u32]) -> u32 {
        self.intern_tagged(op, operands, 0)
    }

    /// The same, for types that differ in something outside of their words.
    pub(super) fn intern_tagged(&mut self, op: S, operands: &[u32], tag: u32) -> u32 {
        let key: Box<[u32]> = [op as u32, tag].iter().chain(operands).copied().collect();
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.fresh();
        self.globals.parts(op, &[&[id], operands]);
        self.interned.insert(key, id);
        id
    }

    /// The type of numbers.
    pub(super) fn number_type(&mut self, shape: NumberShape) -> u32 {
        let bits = shape.width.bits();
        let scalar = match shape.scalar {
            Scalar::Bool => self.intern(S::TypeBool, &[]),
            Scalar::Float => self.intern(S::TypeFloat, &[bits]),
            Scalar::Int => self.intern(S::TypeInt, &[bits, u32::from(!self.kernel)]),
            Scalar::Uint => self.intern(S::TypeInt, &[bits, 0]),
        };
        match shape.components {
            1 => scalar,
            components => self.intern(S::TypeVector, &[scalar, u32::from(components)]),
        }
    }

    /// The type of a value that has a kind of number.
    pub(super) fn value_type(&mut self, scalar: Scalar, ty: ValueType) -> Option<u32> {
        let width = ty.width()?;
        Some(self.number_type(NumberShape { scalar, width, components: ty.components() }))
    }

    /// The kind of number of a scalar or vector type.
    pub(super) fn scalar_of(&self, ty: Type) -> Option<Scalar> {
        match self.module.type_of(ty) {
            TypeData::Bool => Some(Scalar::Bool),
            TypeData::Float { .. } => Some(Scalar::Float),
            TypeData::Int { signed: true, .. } => Some(Scalar::Int),
            TypeData::Int { signed: false, .. } => Some(Scalar::Uint),
            TypeData::Vector { of, .. } => match self.module.type_of(*of) {
                TypeData::Vector { .. } => None,
                _ => self.scalar_of(*of),
            },
            _ => None,
        }
    }

    /// The id of a full type. Declares its components first.
    pub(super) fn ty(&mut self, ty: Type) -> Result<u32, Diag> {
        let mut work = vec![ty];
        // Forward pointers to this structure.
        let mut ahead: Vec<(u32, u32, Type)> = Vec::new();
        while let Some(&at) = work.last() {
            if let Some(TypeState::Done(_)) = self.types.get(&at) {
                work.pop();
                continue;
            }
            if work.len() > DEEPEST {
                return Err(refuse(DECLARATION, "a type is nested too deeply", "SPIR-V allows 255 levels"));
            }
            self.types.insert(at, TypeState::Open);
            let mut waits = false;
            for part in self.parts_of(at) {
                match self.types.get(&part) {
                    Some(TypeState::Done(_)) => {}
                    Some(TypeState::Open) => waits = self.declare_ahead(&mut work, part, &mut ahead)?,
                    None => {
                        work.push(part);
                        waits = true;
                    }
                }
                if waits {
                    break;
                }
            }
            if waits || matches!(self.types.get(&at), Some(TypeState::Done(_))) {
                continue;
            }
            let id = self.declare_type(at)?;
            self.types.insert(at, TypeState::Done(id));
            work.pop();
            let mut later = Vec::new();
            for (pointer, class, to) in std::mem::take(&mut ahead) {
                if to != at {
                    later.push((pointer, class, to));
                    continue;
                }
                self.has_physical_pointers |= class == C::PhysicalStorageBuffer as u32;
                self.globals.inst(S::TypePointer, &[pointer, class, id]);
                // Later requests for this pointer type return this id.
                let key = [S::TypePointer as u32, 0, class, id];
                self.interned.entry(key.into()).or_insert(pointer);
            }
            ahead = later;
        }
        match self.types.get(&ty) {
            Some(&TypeState::Done(id)) => Ok(id),
            _ => {
                Err(refuse(DECLARATION, "a type contains itself", "use a pointer if a type refers to itself"))
            }
        }
    }

    /// The types that must be declared before a type.
    fn parts_of(&self, ty: Type) -> Vec<Type> {
        match self.module.type_of(ty) {
            TypeData::Vector { of, .. } | TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => {
                vec![*of]
            }
            TypeData::Matrix { column, .. } => vec![*column],
            TypeData::Struct(id) => self
                .module
                .structure(*id)
                .map_or(vec![], |data| data.members.iter().map(|member| member.ty).collect()),
            TypeData::Pointer { to, .. } => vec![*to],
            TypeData::Image(image) | TypeData::SampledImage(image) => vec![image.sampled],
            TypeData::Void
            | TypeData::Bool
            | TypeData::Int { .. }
            | TypeData::Float { .. }
            | TypeData::Sampler
            | TypeData::AccelStruct
            | TypeData::RayQuery
            | TypeData::Opaque(_) => Vec::new(),
        }
    }

    /// Declares a pointer ahead of what it points to: the last type of `work`, its part, or the last pointer between the two,
    /// of which the part is what is declared next. Returns true if `work` changed.
    fn declare_ahead(
        &mut self,
        work: &mut Vec<Type>,
        part: Type,
        ahead: &mut Vec<(u32, u32, Type)>,
    ) -> Result<bool, Diag> {
        let pointer = |ty: &Type| match *self.module.type_of(*ty) {
            TypeData::Pointer { mode, to } => Some((*ty, mode, to)),
            _ => None,
        };
        let near = work.last().and_then(pointer).or_else(|| pointer(&part));
        let far = || {
            let start = work.iter().position(|&open| open == part)?;
            work.iter().enumerate().skip(start).rev().find_map(|(at, ty)| Some((at, pointer(ty)?)))
        };
        let (cut, (at, mode, to)) = match (near, far()) {
            (Some(found), _) => (None, found),
            (None, Some((cut, found))) => (Some(cut), found),
            (None, None) => {
                return Err(refuse(
                    DECLARATION,
                    "a type contains itself",
                    "use a pointer if a type refers to itself",
                ));
            }
        };
        let class = self.class(mode, to);
        let id = self.fresh();
        self.globals.inst(S::TypeForwardPointer, &[id, class]);
        if let Some(cut) = cut {
            // They are declared after the part, which they contain.
            for ty in work.drain(cut..) {
                self.types.remove(&ty);
            }
            work.insert(0, to);
        }
        self.types.insert(at, TypeState::Done(id));
        ahead.push((id, class, to));
        Ok(cut.is_some())
    }

    fn declare_type(&mut self, ty: Type) -> Result<u32, Diag> {
        let known = |writer: &Self, of: Type| match writer.types.get(&of) {
            Some(&TypeState::Done(id)) => Ok(id),
            _ => {
                Err(refuse(DECLARATION, "a type contains itself", "use a pointer if a type refers to itself"))
            }
        };
        Ok(match *self.module.type_of(ty) {
            TypeData::Void => self.intern(S::TypeVoid, &[]),
            TypeData::Bool => self.intern(S::TypeBool, &[]),
            TypeData::Int { width, signed } => {
                self.intern(S::TypeInt, &[width.bits(), u32::from(signed && !self.kernel)])
            }
            TypeData::Float { width } => self.intern(S::TypeFloat, &[width.bits()]),
            TypeData::Vector { of, components } => {
                let of = known(self, of)?;
                self.intern(S::TypeVector, &[of, u32::from(components)])
            }
            TypeData::Matrix { column, columns, .. } => {
                let column = known(self, column)?;
                self.intern(S::TypeMatrix, &[column, u32::from(columns)])
            }
            TypeData::Array { of, len, stride } => {
                let of = known(self, of)?;
                let len = match len {
                    Len::Count(count) => self.uint(count),
                    Len::Global(global) => self.global(global)?.id,
                };
                self.array(S::TypeArray, &[of, len], stride)
            }
            TypeData::RuntimeArray { of, stride } => {
                let of = known(self, of)?;
                self.array(S::TypeRuntimeArray, &[of], stride)
            }
            TypeData::Struct(id) => self.structure(id)?,
            TypeData::Pointer { mode, to } => {
                let class = self.class(mode, to);
                match self.is_untyped(class) {
                    true => self.pointer_to(class, to)?,
                    false => {
                        let to = known(self, to)?;
                        self.pointer(class, to)
                    }
                }
            }
            TypeData::Image(image) => self.image(image)?,
            TypeData::SampledImage(image) => {
                let image = self.image(image)?;
                self.intern(S::TypeSampledImage, &[image])
            }
            TypeData::Sampler => self.intern(S::TypeSampler, &[]),
            TypeData::AccelStruct => self.intern(S::TypeAccelerationStructureKHR, &[]),
            TypeData::RayQuery => self.intern(S::TypeRayQueryKHR, &[]),
            TypeData::Opaque(name) => self.opaque(name)?,
        })
    }

    pub(super) fn array(&mut self, op: S, operands: &[u32], stride: u32) -> u32 {
        let id = self.intern_tagged(op, operands, stride);
        if stride != 0 {
            self.decorate(id, D::ArrayStride as u32, &[stride]);
        }
        id
    }

    fn structure(&mut self, structure: Struct) -> Result<u32, Diag> {
        if let Some(&id) = self.structs.get(&structure) {
            return Ok(id);
        }
        let Some(data) = self.module.structure(structure) else {
            return Err(refuse(NO_TYPE, format!("{structure} is not declared"), "declare it"));
        };
        let mut words = Vec::with_capacity(data.members.len() + 1);
        let id = self.fresh();
        words.push(id);
        for member in data.members.iter() {
            match self.types.get(&member.ty) {
                Some(&TypeState::Done(member)) => words.push(member),
                _ => return Err(refuse(NO_TYPE, format!("{structure} contains itself"), "use a pointer")),
            }
        }
        self.globals.inst(S::TypeStruct, &words);
        self.structs.insert(structure, id);
        self.name(id, data.name);
        self.write_attrs(id, None, &data.attrs);
        for (at, member) in (0u32..).zip(data.members.iter()) {
            if let Some(name) = member.name {
                let words = string_words(self.module.text_of(name));
                self.names.parts(S::MemberName, &[&[id, at], &words]);
            }
            self.write_attrs(id, Some(at), &member.attrs);
            let mut inner = member.ty;
            while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } =
                self.module.type_of(inner)
            {
                inner = *of;
            }
            if let TypeData::Matrix { stride, row_major, .. } = *self.module.type_of(inner)
                && (stride != 0 || row_major)
            {
                let order = if row_major { D::RowMajor } else { D::ColMajor };
                self.decorations.inst(S::MemberDecorate, &[id, at, order as u32]);
                self.decorations.inst(S::MemberDecorate, &[id, at, D::MatrixStride as u32, stride]);
            }
        }
        Ok(id)
    }

    pub(super) fn image(&mut self, image: ImageType) -> Result<u32, Diag> {
        let sampled = self.ty(image.sampled)?;
        let depth = match image.depth {
            Depth::No => 0,
            Depth::Yes => 1,
            Depth::Unknown => 2,
        };
        let usage = match image.usage {
            Usage::Unknown => 0,
            Usage::Sampled => 1,
            Usage::Storage => 2,
        };
        let (arrayed, multisampled) = (u32::from(image.arrayed), u32::from(image.multisampled));
        let words = [sampled, image.dim as u32, depth, arrayed, multisampled, usage, u32::from(image.format)];
        Ok(self.intern(S::TypeImage, &words))
    }

    /// A type by its SPIR-V name, with the literals that follow it.
    fn opaque(&mut self, of: Text) -> Result<u32, Diag> {
        let name = self.module.text_of(of);
        if let Some(rest) = name.strip_prefix("OpTypeOpaque ") {
            return Ok(self.intern(S::TypeOpaque, &string_words(rest)));
        }
        let mut words = name.split(' ');
        let info = words.next().and_then(|op| op.strip_prefix("Op")).and_then(op_named);
        let operands: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        match (info, operands) {
            (Some(info), Some(operands))
                if info.has_result
                    && !info.has_type
                    && info.operands.iter().all(|operand| operand.kind != Kind::IdRef) =>
            {
                match S::from_u32(u32::from(info.opcode)) {
                    Some(op) => Ok(self.intern(op, &operands)),
                    None => {
                        Err(refuse(NO_TYPE, format!("the type `{name}` is unknown"), "use a type of SPIR-V"))
                    }
                }
            }
            _ => {
                let message = format!("the type `{name}` contains ids of the module it was read from");
                Err(refuse(NO_TYPE, message, "such types can be displayed but not written"))
            }
        }
    }

    /// The id of the type of pointers to a place; untyped if the module has such pointers into its storage class.
    pub(super) fn pointer_to(&mut self, class: u32, to: Type) -> Result<u32, Diag> {
        if self.is_untyped(class) {
            self.has_physical_pointers |= class == C::PhysicalStorageBuffer as u32;
            return Ok(self.intern(S::TypeUntypedPointerKHR, &[class]));
        }
        let to = self.ty(to)?;
        Ok(self.pointer(class, to))
    }

    /// Returns true if pointers into a storage class are written without a type (SPV_KHR_untyped_pointers): in a module
    /// that declares them, those into memory with a layout of bytes.
    pub(super) fn is_untyped(&self, class: u32) -> bool {
        self.has_untyped_pointers
            && match C::from_u32(class) {
                Some(C::Uniform | C::StorageBuffer | C::PushConstant | C::PhysicalStorageBuffer) => true,
                Some(C::Workgroup) => self.kernel || self.declares("WorkgroupMemoryExplicitLayoutKHR"),
                Some(C::CrossWorkgroup | C::Function | C::Generic) => self.kernel,
                _ => false,
            }
    }

    /// The id of a pointer type.
    pub(super) fn pointer(&mut self, class: u32, to: u32) -> u32 {
        self.has_physical_pointers |= class == C::PhysicalStorageBuffer as u32;
        self.intern(S::TypePointer, &[class, to])
    }

    /// The default storage class of a mode.
    pub(super) fn class(&self, mode: Mode, to: Type) -> u32 {
        let class = match mode {
            Mode::In => C::Input,
            Mode::Out => C::Output,
            Mode::Private => C::Private,
            Mode::Local => C::Function,
            Mode::Handle => C::UniformConstant,
            Mode::Uniform => C::Uniform,
            Mode::Storage if self.is_buffer_block(to) => C::Uniform,
            Mode::Storage => C::StorageBuffer,
            Mode::Push => C::PushConstant,
            Mode::Shared => C::Workgroup,
            Mode::Payload => C::RayPayloadKHR,
            Mode::Physical if self.has_workgroups_memory() => C::CrossWorkgroup,
            Mode::Physical => C::PhysicalStorageBuffer,
            Mode::Callable => C::CallableDataKHR,
            Mode::Generic => C::Generic,
        };
        class as u32
    }

    /// Returns true if physical memory is that of kernels. A shader may omit the capability for its own: the writer
    /// adds it.
    fn has_workgroups_memory(&self) -> bool {
        let is_kernel = self.kernel || self.declares("Addresses");
        is_kernel && !self.declares("PhysicalStorageBufferAddresses")
    }

    fn is_buffer_block(&self, ty: Type) -> bool {
        let mut at = ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = self.module.type_of(at) {
            at = *of;
        }
        let TypeData::Struct(id) = self.module.type_of(at) else { return false };
        self.module.structure(*id).is_some_and(|data| data.attrs.has(Key::BufferBlock))
    }
}

//! Types: those of memory with their layout, and the leaves of their values.
//!
//! SPIR-V puts strides of matrices on the members that hold them, the IR in the type of the member.
//! Structures get their ids first, so that pointers may refer to them recursively. By value, a type contains
//! only types declared before it, so that none contains itself.

use super::collect::Reader;
use super::diagnostics;
use super::tables::{Leaf, LeafTable, MOST_LEAVES};
use super::words::{Instruction, Words};
use crate::spec::{Decoration as D, Op as S, StorageClass};
use rustc_hash::FxHashSet;
use vitrine_ir::ops::{Dim, Key, ValueType, Width};
use vitrine_ir::{
    DecorTarget, Depth, ImageType, Len, Member, Mode, Module, PathType, StructData, Type, TypeData, Usage,
};

impl Reader<'_> {
    /// Declares every type.
    pub(super) fn declare_types(&mut self) {
        let offsets = std::mem::take(&mut self.type_offsets);
        for &offset in &offsets {
            let Some(inst) = self.at(offset) else { continue };
            if inst.opcode == S::TypeStruct as u16 && self.structs.get(inst.word(1)).is_none() {
                let id = self.module.add_struct(StructData::default());
                self.structs.insert(inst.word(1), id);
                if self.decoration(inst.word(1), D::BufferBlock as u32).is_some() {
                    self.buffer_blocks.insert(id);
                }
            }
        }
        // Lengths of arrays are constants, and types of constants are types: they are declared in the order
        // of the words.
        let constants = std::mem::take(&mut self.constant_offsets);
        let mut next = constants.iter().copied().peekable();
        for &offset in &offsets {
            while let Some(constant) = next.next_if(|&constant| constant < offset) {
                self.declare_constant(constant);
            }
            // The first of two declarations of an id is kept: the second might contain the first.
            let Some(inst) = self.at(offset).filter(|inst| self.types.get(inst.word(1)).is_none()) else {
                continue;
            };
            let ty = self.declare_type(inst);
            if let Some(ty) = ty {
                self.types.insert(inst.word(1), ty);
            }
        }
        for constant in next {
            self.declare_constant(constant);
        }
        self.constant_offsets = constants;
        self.type_offsets = offsets;
    }

    fn declare_type(&mut self, inst: Instruction<'_>) -> Option<Type> {
        let op = S::from_u32(u32::from(inst.opcode))?;
        let word = |at| inst.word(at);
        let data = match op {
            S::TypeVoid => TypeData::Void,
            S::TypeBool => TypeData::Bool,
            S::TypeInt => match Width::from_bits(word(2)).filter(|&width| width != Width::W1) {
                Some(width) => TypeData::Int { width, signed: word(3) != 0 },
                None => {
                    return self.no_type(inst, format!("has {} bits", word(2)), "use 8, 16, 32 or 64 bits");
                }
            },
            S::TypeFloat => match (Width::from_bits(word(2)), inst.words.len()) {
                (Some(width @ (Width::W16 | Width::W32 | Width::W64)), 3) => TypeData::Float { width },
                (_, 3) => {
                    return self.no_type(inst, format!("has {} bits", word(2)), "use 16, 32 or 64 bits");
                }
                _ => {
                    return self.no_type(
                        inst,
                        "has an unsupported encoding",
                        "only IEEE floats are supported",
                    );
                }
            },
            S::TypeVector => {
                let of = self.type_before(word(2), inst)?;
                let scalar = matches!(
                    self.module.type_of(of),
                    TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. }
                );
                if !scalar || !matches!(word(3), 2 | 3 | 4 | 8 | 16) {
                    let message = format!("has {} components of %{}", word(3), word(2));
                    return self.no_type(inst, message, "use 2, 3, 4, 8 or 16 components of a scalar type");
                }
                TypeData::Vector { of, components: word(3) as u8 }
            }
            S::TypeMatrix => {
                let column = self.type_before(word(2), inst)?;
                let floats = match self.module.type_of(column) {
                    TypeData::Vector { of, .. } => matches!(self.module.type_of(*of), TypeData::Float { .. }),
                    _ => false,
                };
                if !floats || !(2..=4).contains(&word(3)) {
                    let message = format!("has {} columns of %{}", word(3), word(2));
                    return self.no_type(inst, message, "use 2, 3 or 4 columns of a float vector type");
                }
                TypeData::Matrix { column, columns: word(3) as u8, stride: 0, row_major: false }
            }
            S::TypeArray => {
                let of = self.type_before(word(2), inst)?;
                let Some(len) = self.array_len(word(3)) else {
                    let message =
                        format!("has the length %{}, which is not an integer from 1 to 2^32 - 1", word(3));
                    return self.no_type(inst, message, "use an integer constant declared before it");
                };
                let stride = self.decoration(word(1), D::ArrayStride as u32).unwrap_or(0);
                TypeData::Array { of, len, stride }
            }
            S::TypeRuntimeArray => {
                let of = self.type_before(word(2), inst)?;
                TypeData::RuntimeArray {
                    of,
                    stride: self.decoration(word(1), D::ArrayStride as u32).unwrap_or(0),
                }
            }
            S::TypeStruct => {
                self.declare_members(inst);
                TypeData::Struct(self.structs.get(word(1))?)
            }
            S::TypePointer => {
                let to = self.type_before(word(3), inst)?;
                let mode = self.mode(word(2), to, inst)?;
                TypeData::Pointer { mode, to }
            }
            S::TypeUntypedPointerKHR => {
                let byte = self.byte_type();
                TypeData::Pointer { mode: self.mode(word(2), byte, inst)?, to: byte }
            }
            S::TypeImage => TypeData::Image(self.image(inst)?),
            S::TypeSampledImage => {
                match self.type_before(word(2), inst).map(|of| self.module.type_of(of).clone())? {
                    TypeData::Image(image) => TypeData::SampledImage(image),
                    _ => {
                        return self.no_type(
                            inst,
                            format!("has the image type %{}", word(2)),
                            "use an image type",
                        );
                    }
                }
            }
            S::TypeSampler => TypeData::Sampler,
            S::TypeAccelerationStructureKHR => TypeData::AccelStruct,
            S::TypeRayQueryKHR => TypeData::RayQuery,
            S::TypeFunction => return None,
            _ => {
                let mut name = diagnostics::opcode(inst.opcode);
                for &operand in inst.rest(2) {
                    name.push_str(&format!(" {operand}"));
                }
                if op == S::TypeOpaque {
                    name = format!("OpTypeOpaque {}", super::words::text(inst.rest(2)).0);
                }
                TypeData::Opaque(self.module.text(&name))
            }
        };
        Some(self.module.ty(data))
    }

    fn no_type(&mut self, inst: Instruction<'_>, message: impl Into<String>, help: &str) -> Option<Type> {
        self.error(diagnostics::TYPES, inst, message, help);
        None
    }

    /// A type that was declared before, or a forward pointer to a structure.
    fn type_before(&mut self, id: u32, inst: Instruction<'_>) -> Option<Type> {
        if let Some(ty) = self.types.get(id) {
            return Some(ty);
        }
        if self.ahead.contains_key(&id)
            && let Some(pointer) = self.def(id).filter(|def| def.opcode == S::TypePointer as u16)
        {
            let to = match self.structs.get(pointer.word(3)) {
                Some(id) => Some(self.module.ty(TypeData::Struct(id))),
                None => self.types.get(pointer.word(3)),
            };
            if let Some(to) = to {
                let mode = self.mode(pointer.word(2), to, pointer)?;
                return Some(self.module.ty(TypeData::Pointer { mode, to }));
            }
        }
        let is_type = self.def(id).is_some_and(|def| def.words.len() > 1 && def.word(1) == id);
        let (message, help) = match is_type && self.defs.get(id).unwrap_or(0) >= inst.offset {
            true => (
                format!("contains %{id}, which is declared only later"),
                "use a pointer if a type refers to itself",
            ),
            false => (format!("contains %{id}, which is not a type"), "use types declared before it"),
        };
        self.error(diagnostics::TYPES, inst, message, help);
        None
    }

    /// The mode of a storage class.
    pub(super) fn mode(&mut self, class: u32, to: Type, inst: Instruction<'_>) -> Option<Mode> {
        let Some(known) = StorageClass::from_u32(class) else {
            self.error(
                diagnostics::UNKNOWN,
                inst,
                format!("names storage class {class}"),
                "this number is unknown",
            );
            return None;
        };
        Some(match known {
            StorageClass::UniformConstant => Mode::Handle,
            StorageClass::Input => Mode::In,
            StorageClass::Uniform if self.is_buffer_block(to) => Mode::Storage,
            StorageClass::Uniform => Mode::Uniform,
            StorageClass::Output => Mode::Out,
            StorageClass::Workgroup => Mode::Shared,
            StorageClass::Private => Mode::Private,
            StorageClass::Function => Mode::Local,
            StorageClass::Generic => Mode::Generic,
            StorageClass::PushConstant => Mode::Push,
            StorageClass::AtomicCounter | StorageClass::StorageBuffer => Mode::Storage,
            StorageClass::CrossWorkgroup | StorageClass::PhysicalStorageBuffer => Mode::Physical,
            StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::ShaderRecordBufferKHR => Mode::Callable,
            StorageClass::RayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitObjectAttributeNV
            | StorageClass::TaskPayloadWorkgroupEXT
            | StorageClass::NodePayloadAMDX => Mode::Payload,
            _ => Mode::Handle,
        })
    }

    /// Returns true if a type is a storage buffer as declared before SPIR-V 1.3.
    fn is_buffer_block(&self, ty: Type) -> bool {
        match self.module.type_of(self.innermost(ty)) {
            TypeData::Struct(id) => self.buffer_blocks.contains(id),
            _ => false,
        }
    }

    /// The type inside all arrays.
    pub(super) fn innermost(&self, ty: Type) -> Type {
        let mut at = ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = self.module.type_of(at) {
            at = *of;
        }
        at
    }

    fn image(&mut self, inst: Instruction<'_>) -> Option<ImageType> {
        let word = |at| inst.word(at);
        let sampled = self.type_before(word(2), inst)?;
        let format_count = ImageType::FORMATS.len() as u32;
        let Some(dim) = Dim::from_number(u64::from(word(3))).filter(|_| word(8) < format_count) else {
            let message = format!("has dimension {} and format {}", word(3), word(8));
            self.error(
                diagnostics::TYPES,
                inst,
                message,
                "use a dimension from 0 to 6 and a format from 0 to 41",
            );
            return None;
        };
        let image = ImageType {
            sampled,
            dim,
            arrayed: word(5) != 0,
            multisampled: word(6) != 0,
            depth: [Depth::No, Depth::Yes, Depth::Unknown][word(4).min(2) as usize],
            usage: [Usage::Unknown, Usage::Sampled, Usage::Storage][word(7).min(2) as usize],
            format: word(8) as u8,
        };
        if inst.words.len() > 9 {
            self.leave_out("an access qualifier of an image type", inst.offset);
        }
        Some(image)
    }

    fn declare_members(&mut self, inst: Instruction<'_>) {
        let id = inst.word(1);
        let Some(structure) = self.structs.get(id) else { return };
        let mut members = Vec::with_capacity(inst.words.len().saturating_sub(2));
        for (at, &member) in (0u32..).zip(inst.rest(2)) {
            // By value, a member is declared before; a pointee may come later.
            let before = self.defs.get(member).unwrap_or(0) < inst.offset;
            let ty = if before { self.types.get(member) } else { None };
            let ty = match ty.or_else(|| self.type_before(member, inst)) {
                Some(ty) if before || matches!(self.module.type_of(ty), TypeData::Pointer { .. }) => ty,
                Some(_) => {
                    let message = format!("contains %{member}, which is declared only later");
                    self.error(
                        diagnostics::TYPES,
                        inst,
                        message,
                        "use a pointer if a structure refers to itself",
                    );
                    self.missing_type(member)
                }
                None => self.missing_type(member),
            };
            let ty = self.with_layout(ty, id, at);
            let target = DecorTarget::Member(structure, at);
            let attrs = self.attrs(id, at + 1, Some(target));
            members.push(Member { name: self.member_name(id, at), ty, attrs });
        }
        let attrs = self.attrs(id, 0, Some(DecorTarget::Struct(structure)));
        let name = self.name(id);
        self.module.set_struct(structure, StructData { name, members: members.into(), attrs });
    }

    /// A placeholder for a type that could not be read.
    fn missing_type(&mut self, id: u32) -> Type {
        let name = self.module.text(&format!("missing %{id}"));
        self.module.ty(TypeData::Opaque(name))
    }

    /// The type with the matrix layout that the member declares.
    fn with_layout(&mut self, ty: Type, id: u32, member: u32) -> Type {
        let (mut stride, mut row_major) = (0, false);
        for decoration in self.member_decorations(id, member + 1) {
            match D::from_u32(decoration.number) {
                Some(D::MatrixStride) if decoration.len > 0 => stride = self.words[decoration.start as usize],
                Some(D::RowMajor) => row_major = true,
                _ => {}
            }
        }
        if stride == 0 && !row_major {
            return ty;
        }
        if let Some(&known) = self.leaves.laid_out.get(&(ty, stride, row_major)) {
            return known;
        }
        let mut around = Vec::new();
        let mut at = ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = self.module.type_of(at) {
            around.push(self.module.type_of(at).clone());
            at = *of;
        }
        let TypeData::Matrix { column, columns, .. } = *self.module.type_of(at) else { return ty };
        let mut new = self.module.ty(TypeData::Matrix { column, columns, stride, row_major });
        for array in around.into_iter().rev() {
            new = self.module.ty(match array {
                TypeData::Array { len, stride, .. } => TypeData::Array { of: new, len, stride },
                TypeData::RuntimeArray { stride, .. } => TypeData::RuntimeArray { of: new, stride },
                other => other,
            });
        }
        self.leaves.laid_out.insert((ty, stride, row_major), new);
        new
    }

    /// The number of leaves of a value of the type; none if that is not known, or too large.
    pub(super) fn leaf_count(&mut self, ty: Type) -> Option<u32> {
        if self.module.value_type(ty).is_some() {
            return Some(1);
        }
        if let Some(&known) = self.leaves.counts.get(&ty) {
            return known;
        }
        let mut work = vec![ty];
        // A type that contains itself, as in an invalid module, has no leaf count.
        let mut open: FxHashSet<Type> = work.iter().copied().collect();
        while let Some(&at) = work.last() {
            let count = |of: Type, leaves: &LeafTable, module: &Module| match module.value_type(of) {
                Some(_) => Some(Some(1)),
                None => leaves.counts.get(&of).copied(),
            };
            let found = match self.module.type_of(at) {
                TypeData::Void => Some(Some(0)),
                TypeData::Matrix { columns, .. } => Some(Some(u32::from(*columns))),
                TypeData::Array { of, len: Len::Count(len), .. } => {
                    let (of, len) = (*of, *len);
                    match count(of, &self.leaves, &self.module) {
                        Some(inner) => Some(inner.map(|inner| inner.saturating_mul(len))),
                        None if open.insert(of) => {
                            work.push(of);
                            continue;
                        }
                        None => Some(None),
                    }
                }
                TypeData::Struct(id) => {
                    let id = *id;
                    let members =
                        self.module.structure(id).map(|data| data.members.clone()).unwrap_or_default();
                    let mut starts = Vec::with_capacity(members.len());
                    let mut sum = Some(0u32);
                    let mut inner = None;
                    for member in members.iter() {
                        starts.push(sum.unwrap_or(0));
                        match count(member.ty, &self.leaves, &self.module) {
                            Some(leaves) => {
                                sum = sum.and_then(|sum| leaves.map(|leaves| sum.saturating_add(leaves)));
                            }
                            None => {
                                inner = Some(member.ty);
                                break;
                            }
                        }
                    }
                    match inner {
                        Some(inner) if open.insert(inner) => {
                            work.push(inner);
                            continue;
                        }
                        Some(_) => Some(None),
                        None => {
                            self.leaves.starts.insert(id, starts.into());
                            Some(sum)
                        }
                    }
                }
                _ => Some(None),
            };
            let found = found.flatten().filter(|&count| count <= MOST_LEAVES);
            self.leaves.counts.insert(at, found);
            work.pop();
        }
        self.leaves.counts.get(&ty).copied().flatten()
    }

    /// The leaves of a part of a composite: their start, their number, and the type of the part.
    pub(super) fn part(&mut self, ty: Type, at: u32) -> Option<(u32, u32, Type)> {
        self.leaf_count(ty)?;
        match *self.module.type_of(ty) {
            TypeData::Struct(id) => {
                let part = self.module.structure(id)?.members.get(at as usize)?.ty;
                let start = *self.leaves.starts.get(&id)?.get(at as usize)?;
                Some((start, self.leaf_count(part)?, part))
            }
            TypeData::Array { .. } | TypeData::Matrix { .. } => {
                let (part, count) = (self.module.element_type(ty)?, self.module.element_count(ty)?);
                let inner = self.leaf_count(part)?;
                (at < count).then_some((at.saturating_mul(inner), inner, part))
            }
            _ => None,
        }
    }

    /// The leaves of a type in order; none if there are too many.
    pub(super) fn leaf_list(&mut self, ty: Type) -> Option<Vec<Leaf>> {
        let count = self.leaf_count(ty)? as usize;
        let mut list = Vec::with_capacity(count);
        let mut work = vec![ty];
        while let Some(at) = work.pop() {
            if let Some(value) = self.module.value_type(at) {
                list.push(Leaf { value, ty: at });
                continue;
            }
            match self.module.type_of(at) {
                TypeData::Struct(id) => {
                    let members =
                        self.module.structure(*id).map(|data| data.members.clone()).unwrap_or_default();
                    work.extend(members.iter().rev().map(|member| member.ty));
                }
                TypeData::Matrix { column, columns, .. } => work.extend(vec![*column; *columns as usize]),
                TypeData::Array { of, .. } if self.leaves.counts.get(of) == Some(&Some(0)) => {}
                TypeData::Array { of, len: Len::Count(len), .. } => {
                    work.extend(vec![*of; (*len).min(MOST_LEAVES) as usize]);
                }
                _ => {}
            }
        }
        (list.len() == count).then_some(list)
    }

    /// The pointee of untyped pointers (SPV_KHR_untyped_pointers): every use of one casts it to the type it uses.
    pub(super) fn byte_type(&mut self) -> Type {
        self.module.ty(TypeData::Int { width: Width::W8, signed: false })
    }

    /// Returns true if the type of a value is an untyped pointer.
    pub(super) fn is_untyped(&self, id: u32) -> bool {
        let ty = self.def(id).and_then(|def| self.def(def.word(1)));
        ty.is_some_and(|ty| ty.opcode == S::TypeUntypedPointerKHR as u16)
    }

    /// The pointee type of a pointer type.
    pub(super) fn pointee(&self, ty: Type) -> Option<PathType> {
        match *self.module.type_of(ty) {
            TypeData::Pointer { mode, to } => Some(PathType { ty: to, mode }),
            _ => None,
        }
    }

    /// The type with this id, or an error.
    pub(super) fn type_of_id(&mut self, id: u32, inst: Instruction<'_>) -> Option<Type> {
        let ty = self.types.get(id);
        if ty.is_none() && self.def(id).is_none_or(|def| def.word(1) != id) {
            self.error(
                diagnostics::IDS,
                inst,
                format!("has the type %{id}, which is not a type"),
                "declare the type before it",
            );
        }
        ty
    }

    fn array_len(&mut self, id: u32) -> Option<Len> {
        match self.constant_operand(id)? {
            vitrine_ir::Operand::Bits(bits) => {
                let bits = self.module.bits_of(bits);
                let fits = bits.components().len() == 1 && bits.width() != Width::W1;
                let len = u32::try_from(bits.components()[0]).ok().filter(|&len| fits && len > 0)?;
                Some(Len::Count(len))
            }
            vitrine_ir::Operand::Global(global) => {
                let ty = self.module.global_type(global)?;
                let fits = matches!(ty, ValueType::Bits { width, components: 1 } if width != Width::W1);
                fits.then_some(Len::Global(global))
            }
        }
    }

    /// The key that keeps a storage class whose mode does not imply it.
    pub(super) fn class_attr(class: u32) -> Option<(Key, u64)> {
        use StorageClass as C;
        let plain = [
            C::UniformConstant,
            C::Input,
            C::Uniform,
            C::Output,
            C::Workgroup,
            C::Private,
            C::Function,
            C::Generic,
            C::PushConstant,
            C::StorageBuffer,
            C::PhysicalStorageBuffer,
        ];
        let is_plain = plain.iter().any(|&known| known as u32 == class);
        (!is_plain).then_some((Key::Class, u64::from(class)))
    }
}

//! The size of a type in memory, and the offsets of its parts.
//!
//! An explicit layout (offsets, strides) is followed exactly. Without one, a natural layout is used:
//! components are adjacent, parts are aligned to their scalars, a boolean takes 4 bytes, a pointer or a
//! resource 8. Nothing is allocated here: an array of 4 GB is measured like any other.
//!
//! The interpreter and untyped pointers (`qptr-lower`) use the same layout, so that both address the same
//! bytes. The caller determines the value of specialized lengths ([`Lengths`]).

use super::{Global, Len, Module, Struct, Type, TypeData};
use crate::base::SideTable;
use crate::ops::{Key, Width};

/// Bytes of a boolean in memory.
pub const BOOL_BYTES: u64 = 4;
/// Bytes of a pointer or a resource in memory.
pub const HANDLE_BYTES: u64 = 8;

/// Values of array lengths that depend on specialization.
pub trait Lengths {
    /// The value of a module constant as a length; 0 if it is not a number.
    fn of_global(&self, global: Global) -> u64;

    /// Number of elements of an array.
    fn of(&self, len: Len) -> u64 {
        match len {
            Len::Count(count) => u64::from(count),
            Len::Global(global) => self.of_global(global),
        }
    }
}

/// A module without specialization: constants have their defaults.
impl Lengths for Module {
    fn of_global(&self, global: Global) -> u64 {
        self.default_of(global).map_or(0, |bits| bits.component(0).bits())
    }
}

/// Size and alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Size.
    pub bytes: u64,
    /// Alignment, a power of two.
    pub align: u64,
    /// Bytes that hold data; fewer than `bytes` if there are gaps.
    pub filled: u64,
    /// It contains a boolean, which has no size that declared places could fit.
    pub has_boolean: bool,
}

impl Extent {
    /// Returns true if every byte holds data.
    pub fn is_dense(self) -> bool {
        self.filled == self.bytes
    }
}

/// The extent of an empty type.
const NOTHING: Extent = Extent { bytes: 0, align: 1, filled: 0, has_boolean: false };

/// Sizes of the types of a module, each computed once.
#[derive(Debug, Default)]
pub struct Sizes {
    types: SideTable<Type, Option<Extent>>,
    offsets: SideTable<Struct, Option<std::rc::Rc<[u64]>>>,
}

/// Bytes of a scalar of this width in memory.
pub fn scalar_bytes(width: Width) -> u64 {
    match width {
        Width::W1 => BOOL_BYTES,
        Width::W8 => 1,
        Width::W16 => 2,
        Width::W32 => 4,
        Width::W64 => 8,
    }
}

impl Sizes {
    /// Size of a type; 0 for a run-time array and for a type that contains itself.
    pub fn of(&mut self, module: &Module, lengths: &impl Lengths, ty: Type) -> Extent {
        if let Some(known) = self.types[ty] {
            return known;
        }
        if self.types.is_empty() {
            self.types = SideTable::sized(None, module.sizes()[0]);
        }
        // Parts first, with an explicit stack: types may be nested very deeply.
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.types[ty].is_some() && !parts_done {
                continue;
            }
            if parts_done {
                let extent = self.combine(module, lengths, ty);
                self.types[ty] = Some(extent);
                continue;
            }
            self.types[ty] = Some(NOTHING);
            work.push((ty, true));
            work.extend(parts(module, ty).into_iter().map(|part| (part, false)));
        }
        self.types[ty].unwrap_or_default()
    }

    /// Offsets of the members of a structure.
    pub fn offsets(
        &mut self,
        module: &Module,
        lengths: &impl Lengths,
        structure: Struct,
    ) -> std::rc::Rc<[u64]> {
        if let Some(known) = &self.offsets[structure] {
            return known.clone();
        }
        let mut offsets = Vec::new();
        let mut end = 0u64;
        let members = module.structure(structure).map(|data| data.members.clone());
        let extents: Vec<Extent> = members
            .iter()
            .flat_map(|members| members.iter())
            .map(|member| self.of(module, lengths, member.ty))
            .collect();
        let has_boolean = extents.iter().any(|extent| extent.has_boolean);
        for (member, extent) in members.iter().flat_map(|members| members.iter()).zip(extents) {
            let natural = end.next_multiple_of(extent.align.max(1));
            let declared = member.attrs.get(Key::Offset).filter(|_| !has_boolean);
            let at = declared.map_or(natural, |offset| offset & 0xffff_ffff);
            offsets.push(at);
            end = end.max(at.saturating_add(extent.bytes));
        }
        let offsets: std::rc::Rc<[u64]> = offsets.into();
        self.offsets[structure] = Some(offsets.clone());
        offsets
    }

    /// Distance in bytes between consecutive elements of an array, columns of a matrix, or components of a
    /// vector.
    pub fn stride(&mut self, module: &Module, lengths: &impl Lengths, ty: Type) -> u64 {
        match *module.type_of(ty) {
            TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride } => match stride {
                0 => {
                    let extent = self.of(module, lengths, of);
                    extent.bytes.next_multiple_of(extent.align.max(1))
                }
                stride => {
                    let extent = self.of(module, lengths, of);
                    let natural = extent.bytes.next_multiple_of(extent.align.max(1));
                    if extent.has_boolean { natural.max(u64::from(stride)) } else { u64::from(stride) }
                }
            },
            TypeData::Matrix { column, stride, row_major: false, .. } => match stride {
                0 => self.of(module, lengths, column).bytes,
                stride => u64::from(stride),
            },
            TypeData::Matrix { column, row_major: true, .. } => {
                module.element_type(column).map_or(4, |scalar| self.of(module, lengths, scalar).bytes)
            }
            TypeData::Vector { of, .. } => self.of(module, lengths, of).bytes,
            TypeData::Void
            | TypeData::Bool
            | TypeData::Int { .. }
            | TypeData::Float { .. }
            | TypeData::Struct(_)
            | TypeData::Pointer { .. }
            | TypeData::Image(_)
            | TypeData::Sampler
            | TypeData::SampledImage(_)
            | TypeData::AccelStruct
            | TypeData::RayQuery
            | TypeData::Opaque(_) => 0,
        }
    }

    /// The extent of a type whose parts are measured.
    fn combine(&mut self, module: &Module, lengths: &impl Lengths, ty: Type) -> Extent {
        let scalar = |bytes: u64| Extent { bytes, align: bytes, filled: bytes, has_boolean: false };
        match *module.type_of(ty) {
            TypeData::Void => NOTHING,
            TypeData::Bool => Extent { has_boolean: true, ..scalar(BOOL_BYTES) },
            TypeData::Int { width, .. } | TypeData::Float { width } => scalar(scalar_bytes(width)),
            TypeData::Vector { of, components } => {
                let one = self.known(of);
                let bytes = one.bytes * u64::from(components);
                Extent { bytes, filled: bytes, ..one }
            }
            TypeData::Matrix { column, columns, stride, row_major } => {
                let one = self.known(column);
                let rows = match row_major {
                    true => u64::from(module.element_count(column).unwrap_or(1)),
                    false => u64::from(columns),
                };
                let bytes = match stride {
                    0 => one.bytes * u64::from(columns),
                    stride => u64::from(stride) * rows,
                };
                Extent { bytes, filled: one.bytes * u64::from(columns), ..one }
            }
            TypeData::Array { of, len, .. } => {
                let (one, count) = (self.known(of), lengths.of(len));
                let bytes = self.stride(module, lengths, ty).saturating_mul(count);
                Extent { bytes, filled: one.filled.saturating_mul(count), ..one }
            }
            TypeData::RuntimeArray { of, .. } => Extent { align: self.known(of).align, ..NOTHING },
            TypeData::Struct(structure) => {
                let offsets = self.offsets(module, lengths, structure);
                let members = module.structure(structure).map(|data| data.members.clone());
                let mut extent = NOTHING;
                for (member, &at) in members.iter().flat_map(|members| members.iter()).zip(offsets.iter()) {
                    let part = self.known(member.ty);
                    extent.align = extent.align.max(part.align);
                    extent.bytes = extent.bytes.max(at.saturating_add(part.bytes));
                    extent.filled = extent.filled.saturating_add(part.filled);
                    extent.has_boolean |= part.has_boolean;
                }
                extent
            }
            TypeData::Pointer { .. }
            | TypeData::Image(_)
            | TypeData::Sampler
            | TypeData::SampledImage(_)
            | TypeData::AccelStruct
            | TypeData::RayQuery
            | TypeData::Opaque(_) => scalar(HANDLE_BYTES),
        }
    }

    fn known(&self, ty: Type) -> Extent {
        self.types[ty].unwrap_or(NOTHING)
    }
}

/// The types of the parts of a type: its members, or its element type.
pub fn parts(module: &Module, ty: Type) -> Vec<Type> {
    match module.type_of(ty) {
        TypeData::Struct(structure) => module
            .structure(*structure)
            .map_or_else(Vec::new, |data| data.members.iter().map(|member| member.ty).collect()),
        _ => module.element_type(ty).into_iter().collect(),
    }
}

/// Returns true if the offsets of all parts are known before specialization: an array whose length is not known
/// yet makes the offset after it unknown. Each type is visited once; types may be nested arbitrarily deep.
pub fn has_fixed_offsets(module: &Module, ty: Type, known: &mut SideTable<Type, Option<[bool; 2]>>) -> bool {
    let mut work = vec![(ty, false)];
    while let Some((ty, parts_done)) = work.pop() {
        if known[ty].is_some() && !parts_done {
            continue;
        }
        let parts = parts(module, ty);
        if !parts_done {
            known[ty] = Some([true, true]);
            work.push((ty, true));
            work.extend(parts.iter().map(|&part| (part, false)));
            continue;
        }
        // The first flag is for offsets, the second for the size.
        let of = |part: &Type| known[*part].unwrap_or([true, true]);
        let (places, sized) = (parts.iter().all(|part| of(part)[0]), parts.iter().all(|part| of(part)[1]));
        known[ty] = Some(match *module.type_of(ty) {
            TypeData::Array { len, stride, .. } => {
                [places && (sized || stride > 0), sized && matches!(len, Len::Count(_))]
            }
            TypeData::RuntimeArray { stride, .. } => [places && (sized || stride > 0), sized],
            TypeData::Struct(structure) => {
                let members = module.structure(structure).map(|data| data.members.clone());
                let members = members.iter().flat_map(|members| members.iter());
                let mut fixed = true;
                let mut all_said = true;
                for (member, part) in members.zip(&parts) {
                    fixed &= all_said || member.attrs.has(Key::Offset);
                    all_said &= of(part)[1];
                }
                [places && fixed, sized]
            }
            _ => [places, sized],
        });
    }
    known[ty].is_none_or(|[places, _]| places)
}

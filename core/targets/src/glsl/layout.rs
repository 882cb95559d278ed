//! Layouts of buffers: the rules of a packing give each member an offset, which is compared with the declared one.
//!
//! A declaration that a rule reproduces is written plainly. Offsets of the members of a block can be stated; the parts of
//! other structures, strides of arrays and strides of matrices cannot, so they must be equal.

use crate::layout::is_empty_type;
use vitrine_ir::base::SideTable;
use vitrine_ir::layout::{Lengths, Sizes, parts, scalar_bytes};
use vitrine_ir::ops::Key;
use vitrine_ir::{Len, Member, Mode, Module, Type, TypeData};

/// Rules for the layout of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    /// Arrays and structures are aligned to 16 bytes (OpenGL 4.6, 7.6.2.2).
    Std140,
    /// As `Std140`, without that alignment.
    Std430,
    /// Everything is aligned to its scalars.
    Scalar,
}

/// Size and alignment of a type in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    pub(super) align: u64,
}

/// A part has a declared layout that a rule does not reproduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Misfit;

/// The extents of types by a rule.
#[derive(Debug)]
pub(super) struct Layouts<'m> {
    module: &'m Module,
    packing: Packing,
    known: SideTable<Type, Option<Extent>>,
    declared: Sizes,
}

impl<'m> Layouts<'m> {
    /// No type is measured yet.
    pub(super) fn new(module: &'m Module, packing: Packing) -> Layouts<'m> {
        Layouts { module, packing, known: SideTable::new(), declared: Sizes::default() }
    }

    /// The extent of a type. Error: a type in it whose declared layout is another one.
    pub(super) fn of(&mut self, ty: Type) -> Result<Extent, Misfit> {
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.known[ty].is_some() {
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                work.extend(parts(self.module, ty).into_iter().map(|part| (part, false)));
                continue;
            }
            let extent = self.combine(ty)?;
            self.known[ty] = Some(extent);
        }
        Ok(self.known[ty].unwrap_or_default())
    }

    /// The members of a block in order of their offsets, with the offset, and true if it has to be stated; without those that
    /// texts leave out.
    pub(super) fn block(&mut self, members: &[Member]) -> Result<Vec<(usize, u64, bool)>, Misfit> {
        let mut order: Vec<(usize, u64)> = Vec::new();
        for (at, member) in members.iter().enumerate() {
            if !is_empty_type(self.module, member.ty) {
                order.push((at, member.attrs.get(Key::Offset).unwrap_or(0)));
            }
        }
        order.sort_by_key(|&(at, offset)| (offset, at));
        let mut end = 0u64;
        let mut out = Vec::new();
        for (at, offset) in order {
            let Some(member) = members.get(at) else { continue };
            let extent = self.of(member.ty)?;
            let natural = end.next_multiple_of(extent.align.max(1));
            if offset < end || !offset.is_multiple_of(extent.align.max(1)) {
                return Err(Misfit);
            }
            out.push((at, offset, offset != natural));
            end = offset + extent.bytes;
        }
        Ok(out)
    }

    fn combine(&mut self, ty: Type) -> Result<Extent, Misfit> {
        let module = self.module;
        let known = |this: &Self, ty: Type| this.known[ty].unwrap_or_default();
        let stride = self.declared.stride(module, module, ty);
        let misfit = Err(Misfit);
        if is_empty_type(module, ty) {
            return Ok(Extent { bytes: 0, align: 1 });
        }
        Ok(match *module.type_of(ty) {
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                let bytes = scalar_bytes(width);
                Extent { bytes, align: bytes }
            }
            TypeData::Pointer { mode: Mode::Physical, .. } => Extent { bytes: 8, align: 8 },
            TypeData::Vector { of, components } => self.vector(known(self, of), u64::from(components)),
            TypeData::Matrix { column, columns, row_major, .. } => {
                let rows = u64::from(module.element_count(column).unwrap_or(1));
                let scalar = module.element_type(column).map(|of| known(self, of)).unwrap_or_default();
                let (inner, outer) =
                    if row_major { (u64::from(columns), rows) } else { (rows, u64::from(columns)) };
                let vector = self.vector(scalar, inner);
                let (own, align) = self.stride_of(vector);
                let declared = match *module.type_of(ty) {
                    TypeData::Matrix { stride, .. } => u64::from(stride),
                    _ => 0,
                };
                if declared != own {
                    return misfit;
                }
                Extent { bytes: own * outer, align }
            }
            TypeData::Array { of, len, .. } => {
                let (own, align) = self.stride_of(known(self, of));
                if stride != own {
                    return misfit;
                }
                let count = match len {
                    Len::Count(count) => u64::from(count),
                    Len::Global(_) => module.of(len),
                };
                Extent { bytes: own.saturating_mul(count), align }
            }
            TypeData::RuntimeArray { of, .. } => {
                let (own, align) = self.stride_of(known(self, of));
                if stride != own {
                    return misfit;
                }
                Extent { bytes: 0, align }
            }
            TypeData::Struct(structure) => {
                let members = module.structure(structure).map(|data| data.members.clone());
                let (mut end, mut align) = (0u64, 1u64);
                let members = members.iter().flat_map(|members| members.iter());
                for member in members.filter(|member| !is_empty_type(module, member.ty)) {
                    let part = known(self, member.ty);
                    let offset = end.next_multiple_of(part.align.max(1));
                    if member.attrs.get(Key::Offset).is_some_and(|declared| declared != offset) {
                        return misfit;
                    }
                    align = align.max(part.align);
                    end = offset + part.bytes;
                }
                if self.packing == Packing::Std140 {
                    align = align.next_multiple_of(16);
                }
                let bytes = if self.packing == Packing::Scalar { end } else { end.next_multiple_of(align) };
                Extent { bytes, align }
            }
            _ => return misfit,
        })
    }

    fn vector(&self, scalar: Extent, components: u64) -> Extent {
        let align = match self.packing {
            Packing::Scalar => scalar.align,
            Packing::Std140 | Packing::Std430 => scalar.align * components.next_power_of_two(),
        };
        Extent { bytes: scalar.bytes * components, align }
    }

    /// The stride of an array of elements, and the alignment of the array.
    fn stride_of(&self, element: Extent) -> (u64, u64) {
        let align = match self.packing {
            Packing::Std140 => element.align.next_multiple_of(16),
            Packing::Std430 | Packing::Scalar => element.align,
        };
        (element.bytes.next_multiple_of(align.max(1)), align)
    }
}

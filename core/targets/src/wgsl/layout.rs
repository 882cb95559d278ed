//! Memory as the module declares it: sizes of members, strides of arrays.
//!
//! WGSL computes offsets by its own rules (WGSL, 14.4.4). A larger offset becomes a size of the member before; a larger
//! stride makes each element the member `value` of a structure of that size. Refuses smaller ones; the caller reports them.

use vitrine_ir::base::SideTable;
use vitrine_ir::layout::{parts, scalar_bytes};
use vitrine_ir::ops::Key;
use vitrine_ir::{Len, Module, Type, TypeData};

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    pub(super) align: u64,
}

/// A declared layout that WGSL does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Misfit;

/// The extents of types.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    known: SideTable<Type, Option<Extent>>,
}

impl Extents {
    /// The extent of a type as it will be declared. Error: a part of it that WGSL would place otherwise.
    pub(super) fn of(&mut self, module: &Module, ty: Type) -> Result<Extent, Misfit> {
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.known[ty].is_some() {
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                work.extend(parts(module, ty).into_iter().map(|part| (part, false)));
                continue;
            }
            let extent = self.combine(module, ty)?;
            self.known[ty] = Some(extent);
        }
        Ok(self.known[ty].unwrap_or_default())
    }

    fn combine(&self, module: &Module, ty: Type) -> Result<Extent, Misfit> {
        let known = |ty: Type| self.known[ty].unwrap_or_default();
        Ok(match *module.type_of(ty) {
            TypeData::Bool => Extent { bytes: 4, align: 4 },
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                let bytes = scalar_bytes(width);
                Extent { bytes, align: bytes }
            }
            TypeData::Vector { of, components } => vector(known(of), u64::from(components)),
            TypeData::Matrix { column, columns, stride, row_major } => {
                if row_major {
                    // Written as its rows.
                    let rows = u64::from(module.element_count(column).unwrap_or(1));
                    let scalar = module.element_type(column).map(known).unwrap_or_default();
                    let row = vector(scalar, u64::from(columns));
                    let natural = row.bytes.next_multiple_of(row.align.max(1));
                    if u64::from(stride) != natural {
                        return Err(Misfit);
                    }
                    return Ok(Extent { bytes: natural * rows, align: row.align });
                }
                let (own, align) = stride_of(known(column), u64::from(stride))?;
                Extent { bytes: own * u64::from(columns), align }
            }
            TypeData::Array { of, len, stride } => {
                let (own, align) = stride_of(known(of), u64::from(stride))?;
                let count = match len {
                    Len::Count(count) => u64::from(count),
                    Len::Global(_) => 1,
                };
                Extent { bytes: own.saturating_mul(count), align }
            }
            TypeData::RuntimeArray { of, stride } => {
                let (_, align) = stride_of(known(of), u64::from(stride))?;
                Extent { bytes: 0, align }
            }
            TypeData::Struct(structure) => {
                let (mut end, mut align) = (0u64, 1u64);
                for member in module.structure(structure).iter().flat_map(|data| data.members.iter()) {
                    let part = known(member.ty);
                    let natural = end.next_multiple_of(part.align.max(1));
                    let offset = member.attrs.get(Key::Offset).unwrap_or(natural);
                    if offset < natural || !offset.is_multiple_of(part.align.max(1)) {
                        return Err(Misfit);
                    }
                    align = align.max(part.align);
                    end = offset + part.bytes;
                }
                Extent { bytes: end.next_multiple_of(align), align }
            }
            _ => Extent { bytes: 4, align: 4 },
        })
    }

    /// True if the elements of an array or the columns of a matrix are wrapped, for a stride of this many bytes.
    pub(super) fn padding(&mut self, module: &Module, ty: Type) -> Option<u64> {
        let (of, stride) = match *module.type_of(ty) {
            TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride } => (of, stride),
            TypeData::Matrix { column, stride, row_major: false, .. } => (column, stride),
            _ => return None,
        };
        let element = self.of(module, of).ok()?;
        let natural = element.bytes.next_multiple_of(element.align.max(1));
        (u64::from(stride) > natural).then_some(u64::from(stride))
    }
}

fn vector(scalar: Extent, components: u64) -> Extent {
    Extent { bytes: scalar.bytes * components, align: scalar.align * components.next_power_of_two() }
}

/// The stride of elements, and the alignment of all.
fn stride_of(element: Extent, declared: u64) -> Result<(u64, u64), Misfit> {
    let align = element.align.max(1);
    let natural = element.bytes.next_multiple_of(align);
    match declared {
        0 => Ok((natural, align)),
        _ if declared < natural || !declared.is_multiple_of(align) => Err(Misfit),
        _ => Ok((declared, align)),
    }
}

//! Creates new types where the accesses to memory do not match its declared type.
//!
//! ```text
//! struct #0 { a: f32 {offset 0}                         struct #1 { a: f32 {offset 0}
//!             b: u32 {offset 4}       8 + %i * 2: b16 =>            b: u32 {offset 4}
//!             c: u32 {offset 8} }                                   c: [u16 * 2 step 2] {offset 8} }
//! ```
//!
//! As much as possible is kept: members keep their names, decorations and offsets, and elements of arrays are
//! processed separately. Memory that is accessed in several overlapping ways is not an error: it becomes
//! numbers of the largest size that divides every access, and accesses are composed of those. Uniform buffers
//! require a stride of 16 bytes: there, the numbers are vectors of four components.
//!
//! Fails if no type can express the accesses: an atomic operation on bytes that are also read in smaller parts,
//! and accesses past the end of a variable.

use crate::util::route::{component_bytes, is_open};
use crate::util::typed_memory::{Access, MemoryValue, accesses};
use vitrine_analysis::{Memory, Usage};
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Len, Member, Mode, Module, StructData, Type, TypeData, Var, VarData};

/// The maximum nesting of types that are split; below, memory is numbers.
const MAX_DEPTH: usize = 32;

/// Creates a type for a variable, and assigns it. Returns false if there is none.
pub(super) fn rebuild(module: &mut Module, usage: &Usage, var: Var) -> bool {
    let Some(data) = module.var(var).cloned().filter(|data| data.init.is_none()) else { return false };
    let tree = usage.tree(module, Memory::Var(var));
    let mut sizes = Sizes::default();
    // All elements of an array of resources have the same type.
    let (mut inner, mut around) = (data.ty, Vec::new());
    while matches!(data.mode, Mode::Uniform | Mode::Storage)
        && let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(inner)
    {
        around.push(inner);
        inner = of;
    }
    let accesses = accesses(module, &mut sizes, &tree);
    let mut maker = TypeBuilder { module, sizes, mode: data.mode };
    let Some(mut ty) = maker.matching_type(inner, accesses, MAX_DEPTH) else { return false };
    if ty == inner {
        return false;
    }
    while let Some(outer) = around.pop() {
        let new = match *module.type_of(outer) {
            TypeData::Array { len, stride, .. } => TypeData::Array { of: ty, len, stride },
            _ => TypeData::RuntimeArray { of: ty, stride: 0 },
        };
        ty = module.ty(new);
    }
    module.set_var(var, VarData { ty, ..data });
    true
}

/// Creates types.
struct TypeBuilder<'m> {
    module: &'m mut Module,
    sizes: Sizes,
    mode: Mode,
}

/// Adjacent members that are processed together.
struct Group {
    members: std::ops::Range<usize>,
    bytes: std::ops::Range<i64>,
}

impl TypeBuilder<'_> {
    /// A type that matches every access: the given one, or one with other parts; none if there is none. `left`
    /// limits the depth.
    fn matching_type(&mut self, ty: Type, accesses: Vec<Access>, left: usize) -> Option<Type> {
        if accesses.iter().all(|access| access.fits(self.module, &mut self.sizes, ty)) {
            return Some(ty);
        }
        let left = left.checked_sub(1)?;
        let size = i64::try_from(self.sizes.of(self.module, &*self.module, ty).bytes).ok()?;
        let found = match *self.module.type_of(ty) {
            TypeData::Struct(structure) => {
                // Bytes past the end belong to no member.
                let is_open = is_open(self.module, ty);
                let outside = |access: &Access, sizes: &mut Sizes| {
                    access.end(self.module, sizes).is_some_and(|end| end > size)
                };
                if !is_open && accesses.iter().any(|access| outside(access, &mut self.sizes)) {
                    return None;
                }
                let data = self.module.structure(structure)?.clone();
                let offsets = self.sizes.offsets(self.module, &*self.module, structure);
                self.structure(&data, &offsets, &accesses, left)
            }
            TypeData::Array { of, len: Len::Count(_), .. } | TypeData::RuntimeArray { of, .. } => {
                self.elements(ty, of, &accesses, left)
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        let open = matches!(self.module.type_of(ty), TypeData::RuntimeArray { .. });
        self.numbers(0..size, open, &accesses)
    }

    /// The same array with another element type, if no access crosses the end of an element.
    fn elements(&mut self, ty: Type, of: Type, accesses: &[Access], left: usize) -> Option<Type> {
        let stride = u32::try_from(self.sizes.stride(self.module, &*self.module, ty))
            .ok()
            .filter(|&stride| stride > 0)?;
        let mut inside = Vec::new();
        for access in accesses {
            let within = Access {
                offset: access.offset.rem_euclid(i64::from(stride)),
                steps: access.steps.iter().copied().filter(|step| step.0 % stride != 0).collect(),
                what: access.what,
            };
            if within.end(self.module, &mut self.sizes).is_none_or(|end| end > i64::from(stride)) {
                return None;
            }
            inside.push(within);
        }
        let of = self.matching_type(of, inside, left)?;
        let new = match *self.module.type_of(ty) {
            TypeData::Array { len, .. } => TypeData::Array { of, len, stride },
            _ => TypeData::RuntimeArray { of, stride },
        };
        Some(self.module.ty(new))
    }

    /// The same structure with other members where accesses require them.
    fn structure(
        &mut self,
        data: &StructData,
        offsets: &[u64],
        accesses: &[Access],
        left: usize,
    ) -> Option<Type> {
        let groups = self.groups(data, offsets, accesses)?;
        let mut members = Vec::new();
        for group in &groups {
            let open = group.bytes.end == i64::MAX;
            let touches = |access: &&Access| {
                let end = access.offset.saturating_add(1);
                access.offset < group.bytes.end && end > group.bytes.start
            };
            let inside: Vec<Access> =
                accesses.iter().filter(touches).map(|access| access.moved(group.bytes.start)).collect();
            let first = data.members.get(group.members.start)?;
            let bytes = i64::try_from(self.sizes.of(self.module, &*self.module, first.ty).bytes).ok()?;
            let ty = match group.members.len() {
                1 if open || group.bytes.end - group.bytes.start == bytes => {
                    self.matching_type(first.ty, inside, left)?
                }
                // Several members, or one followed by padding that is accessed.
                _ => self.numbers(0..group.bytes.end - group.bytes.start, open, &inside)?,
            };
            let attrs = match (self.has_offsets(), ty == first.ty) {
                (_, true) => first.attrs.clone(),
                (true, false) => first.attrs.with(Key::Offset, group.bytes.start.cast_unsigned()),
                (false, false) => first.attrs.clone(),
            };
            members.push(Member { name: first.name, ty, attrs });
        }
        let new = StructData { members: members.into(), ..data.clone() };
        let structure = self.module.add_struct(new);
        // Without explicit offsets, narrower numbers may have smaller offsets.
        let places = self.sizes.offsets(self.module, &*self.module, structure);
        let stay =
            places.iter().zip(&groups).all(|(&place, group)| i64::try_from(place) == Ok(group.bytes.start));
        stay.then(|| self.module.ty(TypeData::Struct(structure)))
    }

    /// Returns true if memory of this mode has explicit member offsets.
    fn has_offsets(&self) -> bool {
        matches!(self.mode, Mode::Uniform | Mode::Storage | Mode::Push | Mode::Physical)
    }

    /// Members in order of their offsets; those that one access covers together form a group.
    fn groups(&mut self, data: &StructData, offsets: &[u64], accesses: &[Access]) -> Option<Vec<Group>> {
        // If members are not in order, consecutive ones are not a byte range.
        if !offsets.is_sorted() {
            return None;
        }
        let mut groups: Vec<Group> = Vec::new();
        for (at, (member, &offset)) in data.members.iter().zip(offsets).enumerate() {
            let start = i64::try_from(offset).ok()?;
            let size = i64::try_from(self.sizes.of(self.module, &*self.module, member.ty).bytes).ok()?;
            let open = matches!(self.module.type_of(member.ty), TypeData::RuntimeArray { .. });
            let end = if open { i64::MAX } else { start.checked_add(size)? };
            groups.push(Group { members: at..at + 1, bytes: start..end });
        }
        for access in accesses {
            let start = access.offset;
            let last = access.end(self.module, &mut self.sizes);
            let first = groups.iter().rposition(|group| group.bytes.start <= start)?;
            // An unbounded array stays in the member where it starts, if that is an array.
            let end = last.unwrap_or_else(|| groups.get(first).map_or(start + 1, |group| group.bytes.end));
            let (from, to) = (first, groups.iter().rposition(|group| group.bytes.start < end)?);
            let merged_end = groups.get(from..=to)?.iter().map(|group| group.bytes.end).max()?.max(end);
            if from < to || groups.get(from)?.bytes.end < end {
                let merged = Group {
                    members: groups.get(from)?.members.start..groups.get(to)?.members.end,
                    bytes: groups.get(from)?.bytes.start..merged_end,
                };
                groups.splice(from..=to, [merged]);
            }
        }
        Some(groups)
    }

    /// Consecutive numbers of the largest size that divides every access.
    fn numbers(&mut self, bytes: std::ops::Range<i64>, open: bool, accesses: &[Access]) -> Option<Type> {
        let mut unit = 8u64;
        for access in accesses {
            let size = match access.what {
                MemoryValue::Value { ty, .. } => ty.width().map(component_bytes)?,
                MemoryValue::Typed(_) => return None,
                MemoryValue::Bytes(bytes) => bytes,
            };
            let strides = access.steps.iter().map(|&(stride, _)| u64::from(stride));
            for bytes in strides.chain([access.offset.unsigned_abs(), size]).filter(|&bytes| bytes > 0) {
                unit = unit.min(1 << bytes.trailing_zeros().min(3));
            }
        }
        let atomic = |access: &&Access| match access.what {
            MemoryValue::Value { ty, atomic } => atomic.then(|| ty.width().map_or(0, component_bytes)),
            MemoryValue::Typed(_) | MemoryValue::Bytes(_) => None,
        };
        if accesses.iter().any(|access| atomic(&access).is_some_and(|size| size != unit)) {
            return None;
        }
        let width = match unit {
            8 => Width::W64,
            4 => Width::W32,
            2 => Width::W16,
            _ => Width::W8,
        };
        let mut of = self.module.ty(TypeData::Int { width, signed: false });
        let mut stride = unit;
        if self.mode == Mode::Uniform {
            if unit != 4 || bytes.start % 16 != 0 {
                return None;
            }
            of = self.module.ty(TypeData::Vector { of, components: 4 });
            stride = 16;
        }
        let stride = u32::try_from(stride).ok()?;
        if open {
            return Some(self.module.ty(TypeData::RuntimeArray { of, stride }));
        }
        let size = u64::try_from(bytes.end - bytes.start).ok()?;
        let len = Len::Count(u32::try_from(size.div_ceil(u64::from(stride))).ok()?);
        let stride = if self.has_offsets() { stride } else { 0 };
        Some(self.module.ty(TypeData::Array { of, len, stride }))
    }
}

//! Arrays of numbers in place of members, and of whole blocks, that no rule places as they are declared.
//!
//! The numbers are the largest that divide every offset and stride: words, or, where the target has them, numbers of 16 or 8
//! bits. Rules with strides of 16 bytes have vectors of four words. Atomics access whole integers of the size of the numbers,
//! so members with other atomics keep their type.

use super::atomics::NumberLimits;
use super::fit::{Fit, Fitter, Placed};
use super::rules::{Extent, Packing};
use super::verdict::{LayoutVerdict, unplaced};
use crate::gcd;
use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::{Sizes, parts, scalar_bytes};
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Attrs, Len, Member, Module, StructData, Type, TypeData};

/// The largest number that divides all offsets and strides in a type, and the size of each scalar. `None` if it has other parts
/// than numbers, such as pointers.
fn granularity(module: &Module, ty: Type) -> Option<u64> {
    let (mut found, mut seen, mut work) = (0, EntitySet::new(), vec![ty]);
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match *module.type_of(ty) {
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                found = gcd(found, scalar_bytes(width));
            }
            TypeData::Matrix { stride, .. }
            | TypeData::Array { stride, .. }
            | TypeData::RuntimeArray { stride, .. } => found = gcd(found, u64::from(stride)),
            TypeData::Struct(structure) => {
                let members = module.structure(structure).map(|data| data.members.clone());
                for member in members.iter().flat_map(|members| members.iter()) {
                    found = gcd(found, member.attrs.get(Key::Offset).unwrap_or(0));
                }
            }
            TypeData::Vector { .. } => {}
            _ => return None,
        }
        work.extend(parts(module, ty));
    }
    Some(found)
}

impl Fitter<'_> {
    /// An array of numbers with the bytes of a member at an offset.
    pub(super) fn numbers(
        &mut self,
        ty: Type,
        (member, offset): (Option<usize>, u64),
        limits: &NumberLimits,
    ) -> Option<Fit> {
        let grain = gcd(granularity(self.module, ty)?, offset);
        let fits = |unit: &&u64| grain.is_multiple_of(**unit) && limits.allow(member, **unit);
        let unit = *self.target.units().iter().find(fits)?;
        let wide = self.packing.has_wide_elements();
        if wide && (unit != 4 || !offset.is_multiple_of(16)) {
            return None;
        }
        let width = match unit {
            4 => Width::W32,
            2 => Width::W16,
            _ => Width::W8,
        };
        let mut of = self.module.ty(TypeData::Int { width, signed: false });
        let mut stride = unit;
        if wide {
            of = self.module.ty(TypeData::Vector { of, components: 4 });
            stride = 16;
        }
        let step = u32::try_from(stride).ok()?;
        let align = if self.packing == Packing::Std140 { 16 } else { stride };
        if matches!(self.module.type_of(ty), TypeData::RuntimeArray { .. }) {
            let ty = self.module.ty(TypeData::RuntimeArray { of, stride: step });
            return Some(Fit::of_numbers(ty, Extent { bytes: 0, align }));
        }
        // Whole strides, also after the last element: a dynamic index may be assumed to reach them.
        let bytes = Sizes::default().of(self.module, &*self.module, ty).bytes;
        let len = Len::Count(u32::try_from(bytes.div_ceil(stride)).ok()?.max(1));
        let ty = self.module.ty(TypeData::Array { of, len, stride: step });
        Some(Fit::of_numbers(ty, Extent { bytes: bytes.next_multiple_of(stride).max(stride), align }))
    }

    /// A block whose only member is an array of numbers. `None` if atomics prevent it, or if the numbers do not divide its
    /// places.
    pub(super) fn whole(&mut self, members: &[Member], limits: &NumberLimits) -> Option<Placed> {
        let data = StructData { name: None, members: members.into(), attrs: Attrs::default() };
        let open =
            members.iter().any(|it| matches!(self.module.type_of(it.ty), TypeData::RuntimeArray { .. }));
        if open && self.packing.has_wide_elements() {
            return None;
        }
        let structure = self.module.add_struct(data);
        let block = self.module.ty(TypeData::Struct(structure));
        let fit = self.numbers(block, (None, 0), limits)?;
        let ty = match *self.module.type_of(fit.ty) {
            TypeData::Array { of, stride, .. } if open => {
                self.module.ty(TypeData::RuntimeArray { of, stride })
            }
            _ => fit.ty,
        };
        let name = Some(self.module.text("words"));
        let member = Member { name, ty, attrs: Attrs::default().with(Key::Offset, 0) };
        let places = unplaced(members, LayoutVerdict::Bytes);
        Some(Placed { members: vec![member], places, ..Placed::default() })
    }
}

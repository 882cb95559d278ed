//! Comparison of full types by the values they hold: equal except for strides, offsets and signs.
//!
//! Copies require this of their two sides. Names and layout are ignored.

use super::{Module, Type, TypeData};
use rustc_hash::FxHashSet;

impl Module {
    /// Returns true if two types are equal except for strides, offsets and signs. Structures are compared
    /// member by member. Linear in the size of the types.
    pub fn alike(&self, a: Type, b: Type) -> bool {
        let mut seen: FxHashSet<(Type, Type)> = FxHashSet::default();
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            if a != b && seen.insert((a, b)) && !self.alike_outside(a, b, &mut work) {
                return false;
            }
        }
        true
    }

    /// Returns true if two types are alike, provided that the pairs pushed to `work` are.
    pub fn alike_outside(&self, a: Type, b: Type, work: &mut Vec<(Type, Type)>) -> bool {
        match (self.type_of(a), self.type_of(b)) {
            (TypeData::Vector { of: a, components }, TypeData::Vector { of: b, components: other }) => {
                work.push((*a, *b));
                components == other
            }
            (
                TypeData::Matrix { column: a, columns, .. },
                TypeData::Matrix { column: b, columns: other, .. },
            ) => {
                work.push((*a, *b));
                columns == other
            }
            (TypeData::Array { of: a, len, .. }, TypeData::Array { of: b, len: other, .. }) => {
                work.push((*a, *b));
                len == other
            }
            (TypeData::RuntimeArray { of: a, .. }, TypeData::RuntimeArray { of: b, .. }) => {
                work.push((*a, *b));
                true
            }
            (TypeData::Struct(a), TypeData::Struct(b)) => {
                let (Some(a), Some(b)) = (self.structure(*a), self.structure(*b)) else { return false };
                work.extend(a.members.iter().zip(b.members.iter()).map(|(a, b)| (a.ty, b.ty)));
                a.members.len() == b.members.len()
            }
            // Signedness is ignored: values have none.
            (TypeData::Int { width, .. }, TypeData::Int { width: other, .. }) => width == other,
            (a, b) => a == b,
        }
    }
}

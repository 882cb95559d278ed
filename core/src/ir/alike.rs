//! Whether two full types hold the same values: one but for strides, offsets and signs.
//!
//! That is what a copy asks of its two sides. Names and layout are nobody's business here.

use super::{Module, Type, TypeData};
use rustc_hash::FxHashSet;

impl Module {
    /// Whether two types are one but for strides, offsets and signs. Structures are alike if their members are.
    /// Linear in the size of the types.
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

    /// Whether two types are alike if the pairs pushed are.
    pub(crate) fn alike_outside(&self, a: Type, b: Type, work: &mut Vec<(Type, Type)>) -> bool {
        match (self.type_of(a), self.type_of(b)) {
            (TypeData::Vector { of: a, lanes }, TypeData::Vector { of: b, lanes: other }) => {
                work.push((*a, *b));
                lanes == other
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
            // Signedness is not the IR's to judge: values have none.
            (TypeData::Int { width, .. }, TypeData::Int { width: other, .. }) => width == other,
            (a, b) => a == b,
        }
    }
}

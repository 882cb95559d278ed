//! Locations of the inputs and outputs that a vertex and a pixel program share: 16, which every device has.
//!
//! Direct3D 9 links two programs by the semantics of their registers, the other interfaces by locations. The programs are
//! read apart from each other, so a location must follow from the semantic alone:
//!
//! ```text
//! COLOR0, COLOR1           0, 1
//! NORMAL0, TANGENT0, BINORMAL0, FOG0   2, 3, 4, 5
//! TEXCOORD8, TEXCOORD9     6, 7      pixel shaders of model 3 have ten inputs
//! TEXCOORD0 … TEXCOORD7    8 … 15
//! ```
//!
//! Other semantics share the locations that the program leaves free, from 7 down, then from 15 down, in order of their
//! names: COLOR2 before POSITION1. Two programs agree if they have the same of these, and a semantic of the table takes no
//! place of theirs in one program only.
//! A system value has no location. More than 16, which no program may have, continue after 15.

use crate::sm1::{DeclUsage, USAGES};
use std::collections::{BTreeMap, BTreeSet};

/// A semantic: the number of its usage, and its index.
pub(super) type Semantic = (usize, u8);

/// The locations that other semantics take, in order.
const OTHERS: [u64; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/// The location of a usual semantic.
fn usual((usage, index): Semantic) -> Option<u64> {
    match (DeclUsage::from_number(usage as u64)?, index) {
        (DeclUsage::Color, 0 | 1) => Some(u64::from(index)),
        (DeclUsage::Normal, 0) => Some(2),
        (DeclUsage::Tangent, 0) => Some(3),
        (DeclUsage::Binormal, 0) => Some(4),
        (DeclUsage::Fog, 0) => Some(5),
        (DeclUsage::TexCoord, 0..=7) => Some(8 + u64::from(index)),
        (DeclUsage::TexCoord, 8 | 9) => Some(u64::from(index) - 2),
        _ => None,
    }
}

/// The locations of the semantics of a program.
#[derive(Default)]
pub(super) struct Locations {
    of: BTreeMap<Semantic, u64>,
    taken: BTreeSet<u64>,
    used: BTreeSet<u64>,
}

impl Locations {
    /// Gives each semantic a location of its own.
    pub(super) fn of(semantics: impl IntoIterator<Item = Semantic>) -> Locations {
        let mut found = Locations::default();
        let mut others: BTreeSet<(&'static str, u8, usize)> = BTreeSet::new();
        for semantic in semantics {
            match usual(semantic) {
                Some(location) => {
                    found.of.insert(semantic, location);
                    found.taken.insert(location);
                }
                None => {
                    let name = USAGES.get(semantic.0).copied().unwrap_or("unknown");
                    others.insert((name, semantic.1, semantic.0));
                }
            }
        }
        for (_, index, usage) in others {
            let location = found.free();
            found.of.insert((usage, index), location);
        }
        found
    }

    /// Takes a location that is free.
    fn free(&mut self) -> u64 {
        let among = OTHERS.into_iter().chain(16..);
        let location = among.into_iter().find(|it| !self.taken.contains(it)).unwrap_or(u64::MAX);
        self.taken.insert(location);
        location
    }

    /// The location of a register with a semantic; a free one for a second register with it.
    pub(super) fn take(&mut self, semantic: Semantic) -> u64 {
        match self.of.get(&semantic).copied().filter(|it| !self.used.contains(it)) {
            Some(location) => {
                self.used.insert(location);
                location
            }
            None => self.free(),
        }
    }

    /// The location of a register without a semantic: its number if that is free.
    pub(super) fn numbered(&mut self, number: u16) -> u64 {
        match self.taken.insert(u64::from(number)) {
            true => u64::from(number),
            false => self.free(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_semantics_have_their_locations_whatever_else_the_program_has() {
        let usual: Vec<Semantic> = [
            (DeclUsage::Color, 2),
            (DeclUsage::TexCoord, 10),
            (DeclUsage::Normal, 1),
            (DeclUsage::Fog, 1),
            (DeclUsage::Tangent, 1),
        ]
        .into_iter()
        .flat_map(|(usage, count)| (0..count).map(move |index| (usage as usize, index)))
        .chain([(DeclUsage::Binormal as usize, 0)])
        .collect();
        let mut all = Locations::of(usual.iter().copied());
        let locations: BTreeSet<u64> = usual.iter().map(|&semantic| all.take(semantic)).collect();
        assert_eq!(locations, (0..16).collect());
        for &semantic in &usual {
            let mut alone = Locations::of([semantic, (DeclUsage::Position as usize, 1)]);
            assert_eq!(alone.take(semantic), all.of[&semantic]);
        }
    }

    #[test]
    fn other_semantics_are_below_sixteen_in_order_of_names() {
        let others = [
            (DeclUsage::Position as usize, 1),
            (DeclUsage::Color as usize, 3),
            (DeclUsage::Sample as usize, 0),
        ];
        let mut locations = Locations::of(others);
        assert_eq!(others.map(|semantic| locations.take(semantic)), [6, 7, 5]);
        assert_eq!(locations.take(others[0]), 4, "a second register with the semantic");
    }
}

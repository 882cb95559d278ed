//! Corner cases of arithmetic: limits of integer and float formats, NaNs with several payloads.

use vitrine_core::base::random::Random;
use vitrine_core::ops::ty::COMPONENT_COUNTS;
use vitrine_core::ops::{Bits, Scalar, ValueType, Width};

/// Every type of a value.
pub(crate) fn types() -> Vec<ValueType> {
    let mut all = vec![ValueType::Void, ValueType::Path, ValueType::Ptr, ValueType::Handle];
    for width in Width::ALL {
        all.extend(COMPONENT_COUNTS.map(|components| ValueType::bits(width, components)));
    }
    all
}

/// Corner cases of a width, interpreted as integers or as floats.
fn corners(width: Width) -> Vec<u64> {
    let (mask, sign) = (width.mask(), width.sign_bit());
    let mut all = vec![0, 1, 2, 3, 7, 8, 15, 31, 32, 63, mask, mask - 1, sign, sign - 1, sign | 1, mask >> 1];
    let floats = [1.0, 0.5, 1.5, 2.5, 3.0, 100.25, 65_504.0, 1e9, 1e-7, 0.1, f64::INFINITY, f64::NAN];
    for bits in floats.map(|float| Scalar::float(width, float).bits()) {
        // A float, its neighbors, and its negation; after infinity these are signaling NaNs.
        all.extend([bits, bits + 1, bits.wrapping_sub(1), bits | sign]);
    }
    all.into_iter().map(|bits| bits & mask).collect()
}

/// A deterministic stream of random values, seeded by a name.
pub(crate) struct Draw(Random);

impl Draw {
    /// A stream for this name.
    pub(crate) fn new(name: &str) -> Draw {
        let seed =
            name.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte));
        Draw(Random(seed))
    }

    /// A random number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// A value of this type; two of three components are corner cases.
    pub(crate) fn value(&mut self, ty: ValueType) -> Bits {
        let ValueType::Bits { width, components } = ty else { panic!("{ty} has no bits") };
        let corners = corners(width);
        let mut component = || match self.below(3) {
            0 => self.0.next(),
            _ => corners[self.below(corners.len())],
        };
        let components: Vec<u64> = (0..components).map(|_| component()).collect();
        Bits::from_components(width, &components)
    }
}

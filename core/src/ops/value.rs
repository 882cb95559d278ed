//! A whole value as bits: what a constant holds and what folding yields.

use super::scalar::{Scalar, Width};
use super::ty::ValueType;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Most lanes a value can have.
pub const MAX_COMPONENTS: usize = 16;

/// The bits of a value with lanes. Unused lanes are zero.
#[derive(Clone, Copy, Eq)]
pub struct Bits {
    width: Width,
    components: u8,
    data: [u64; MAX_COMPONENTS],
}

impl Default for Bits {
    fn default() -> Self {
        Bits::zero(Width::W32, 1)
    }
}

impl Hash for Bits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.width.hash(state);
        self.data[..self.components as usize].hash(state);
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        let used = |bits: &Bits| usize::from(bits.components);
        self.width == other.width
            && self.components == other.components
            && self.data[..used(self)] == other.data[..used(other)]
    }
}

impl Bits {
    /// All lanes zero. More than 16 lanes are cut to 16.
    pub fn zero(width: Width, lanes: u8) -> Bits {
        Bits { width, components: lanes.min(MAX_COMPONENTS as u8), data: [0; MAX_COMPONENTS] }
    }

    /// From lanes; each is cut to `width` bits, and no more than 16 are taken.
    pub fn from_components(width: Width, lanes: &[u64]) -> Bits {
        let mut bits = Bits::zero(width, lanes.len().min(MAX_COMPONENTS) as u8);
        for (slot, &lane) in bits.data.iter_mut().zip(lanes) {
            *slot = lane & width.mask();
        }
        bits
    }

    /// One lane.
    pub fn scalar(lane: Scalar) -> Bits {
        Bits::from_components(lane.width(), &[lane.bits()])
    }

    /// From scalars, all cut to the width of the first; none at all give one zero of 32 bits.
    pub fn from_scalars(lanes: &[Scalar]) -> Bits {
        let Some(first) = lanes.first() else { return Bits::default() };
        let mut bits = Bits::zero(first.width(), lanes.len().min(MAX_COMPONENTS) as u8);
        for (slot, lane) in bits.data.iter_mut().zip(lanes) {
            *slot = lane.bits() & first.width().mask();
        }
        bits
    }

    /// The type these bits have.
    pub fn ty(&self) -> ValueType {
        ValueType::Bits { width: self.width, components: self.components }
    }

    /// Bits per lane.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The lanes, low bits first, upper bits zero.
    pub fn components(&self) -> &[u64] {
        &self.data[..self.components as usize]
    }

    /// Lane `at`; zero past the end.
    pub fn component(&self, at: usize) -> Scalar {
        Scalar::new(self.width, self.components().get(at).copied().unwrap_or(0))
    }

    /// The lanes as scalars.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.components().iter().map(|&bits| Scalar::new(self.width, bits))
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:x?}", self.ty(), self.components())
    }
}

//! A whole value as bits: the content of a constant and the result of folding.

use super::scalar::{Scalar, Width};
use super::ty::ValueType;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Maximum number of components of a value.
pub const MAX_COMPONENTS: usize = 16;

/// The bits of a value with components. Unused components are zero.
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
    /// All components zero. A count above 16 is reduced to 16.
    pub fn zero(width: Width, components: u8) -> Bits {
        Bits { width, components: components.min(MAX_COMPONENTS as u8), data: [0; MAX_COMPONENTS] }
    }

    /// Creates a value from at most 16 components, each truncated to `width` bits.
    pub fn from_components(width: Width, components: &[u64]) -> Bits {
        let mut bits = Bits::zero(width, components.len().min(MAX_COMPONENTS) as u8);
        for (slot, &component) in bits.data.iter_mut().zip(components) {
            *slot = component & width.mask();
        }
        bits
    }

    /// Creates a value of one component.
    pub fn scalar(component: Scalar) -> Bits {
        Bits::from_components(component.width(), &[component.bits()])
    }

    /// Creates a value from scalars, all truncated to the width of the first. An empty slice gives a 32-bit
    /// zero.
    pub fn from_scalars(components: &[Scalar]) -> Bits {
        let Some(first) = components.first() else { return Bits::default() };
        let mut bits = Bits::zero(first.width(), components.len().min(MAX_COMPONENTS) as u8);
        for (slot, component) in bits.data.iter_mut().zip(components) {
            *slot = component.bits() & first.width().mask();
        }
        bits
    }

    /// The type of these bits.
    pub fn ty(&self) -> ValueType {
        ValueType::Bits { width: self.width, components: self.components }
    }

    /// Bits per component.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The components; bits above the width are zero.
    pub fn components(&self) -> &[u64] {
        &self.data[..self.components as usize]
    }

    /// Component `at`; zero if out of bounds.
    pub fn component(&self, at: usize) -> Scalar {
        Scalar::new(self.width, self.components().get(at).copied().unwrap_or(0))
    }

    /// The components as scalars.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.components().iter().map(|&bits| Scalar::new(self.width, bits))
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:x?}", self.ty(), self.components())
    }
}

//! Types of values: a width and a component count, or a kind of address. Types do not record how bits are
//! interpreted.
//!
//! Full types of memory (structures, images, strides) are in `ir::types`; a value never has one.

use super::scalar::Width;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a value: 1 to 16 components of one width, an address, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum ValueType {
    /// No value: the instruction is executed for its effect.
    #[default]
    Void,
    /// `components` components (one of [`COMPONENT_COUNTS`]) of `width` bits each. Width 1 is a boolean.
    Bits {
        /// Bits per component.
        width: Width,
        /// Number of components.
        components: u8,
    },
    /// A typed access path: the result of a deref.
    Path,
    /// An untyped address: the result of a pointer operation.
    Ptr,
    /// An opaque resource: image, sampler, acceleration structure, ray query.
    Handle,
}

/// Component counts that a value may have. A texel with its residency code has 5 components; 8 and 16 come
/// from kernels.
pub const COMPONENT_COUNTS: [u8; 7] = [1, 2, 3, 4, 5, 8, 16];

impl ValueType {
    /// A boolean.
    pub const BOOL: ValueType = ValueType::Bits { width: Width::W1, components: 1 };
    /// One component of 32 bits.
    pub const B32: ValueType = ValueType::Bits { width: Width::W32, components: 1 };

    /// `components` components of `width` bits.
    pub const fn bits(width: Width, components: u8) -> ValueType {
        ValueType::Bits { width, components }
    }

    /// Bits per component, if the value has components.
    pub fn width(self) -> Option<Width> {
        match self {
            ValueType::Bits { width, .. } => Some(width),
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => None,
        }
    }

    /// Number of components; 1 for addresses and handles, 0 for no value.
    pub fn components(self) -> u8 {
        match self {
            ValueType::Void => 0,
            ValueType::Bits { components, .. } => components,
            ValueType::Path | ValueType::Ptr | ValueType::Handle => 1,
        }
    }

    /// The same width with another component count; addresses are unchanged.
    pub fn with_components(self, components: u8) -> ValueType {
        match self {
            ValueType::Bits { width, .. } => ValueType::Bits { width, components },
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => self,
        }
    }

    /// Returns true for a path, a pointer or a handle.
    pub fn is_opaque(self) -> bool {
        matches!(self, ValueType::Path | ValueType::Ptr | ValueType::Handle)
    }

    /// Parses the spelling: `b32x4`, `b1`, `path`, `ptr`, `handle`, `void`.
    ///
    /// Also accepts `f32`, `i32`, `u32` and `bool` as types of the same number of bits: a text may state an
    /// interpretation, which the IR does not keep.
    pub fn parse(text: &str) -> Option<ValueType> {
        match text {
            "void" => return Some(ValueType::Void),
            "path" => return Some(ValueType::Path),
            "ptr" => return Some(ValueType::Ptr),
            "handle" => return Some(ValueType::Handle),
            _ => {}
        }
        let (scalar, components) = match text.rsplit_once('x') {
            Some((scalar, components)) => (scalar, components.parse().ok().filter(|&n| n > 1)?),
            None => (text, 1),
        };
        let width = match scalar.strip_prefix(['b', 'f', 'i', 'u']) {
            Some("ool") if scalar == "bool" => Width::W1,
            Some(digits) if digits.chars().all(|c| c.is_ascii_digit()) => {
                Width::from_bits(digits.parse().ok()?)?
            }
            Some(_) | None => return None,
        };
        COMPONENT_COUNTS.contains(&components).then_some(ValueType::Bits { width, components })
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ValueType::Void => f.write_str("void"),
            ValueType::Bits { width, components: 1 } => write!(f, "b{}", width.bits()),
            ValueType::Bits { width, components } => write!(f, "b{}x{components}", width.bits()),
            ValueType::Path => f.write_str("path"),
            ValueType::Ptr => f.write_str("ptr"),
            ValueType::Handle => f.write_str("handle"),
        }
    }
}

impl fmt::Debug for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_reads_back() {
        let mut all = vec![ValueType::Void, ValueType::Path, ValueType::Ptr, ValueType::Handle];
        for width in Width::ALL {
            all.extend(COMPONENT_COUNTS.map(|components| ValueType::bits(width, components)));
        }
        for ty in all {
            assert_eq!(ValueType::parse(&ty.to_string()), Some(ty));
        }
    }

    #[test]
    fn meant_types_are_read_as_bits_and_nonsense_is_refused() {
        assert_eq!(ValueType::parse("f32x4"), ValueType::parse("b32x4"));
        assert_eq!(ValueType::parse("bool"), Some(ValueType::BOOL));
        for text in ["", "b", "b7", "b32x6", "b32x1", "b32x", "x4", "bx2", "uool", "b+8", "b32x04x"] {
            assert_eq!(ValueType::parse(text), None, "{text}");
        }
    }
}

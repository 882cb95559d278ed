//! Types of values: how many bits and lanes, or which kind of address. Never what the bits mean.
//!
//! Full types of memory (structs, images, strides) live in `ir::types`; a value never has one.

use super::scalar::Width;
use std::fmt;

/// The type of a value: bits of one width in 1 to 16 lanes, an address, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ValueType {
    /// No value: the instruction is there for its effect.
    #[default]
    Void,
    /// `lanes` lanes (one of [`LANE_COUNTS`]) of `width` bits each. Width 1 is a boolean.
    Bits {
        /// Bits per lane.
        width: Width,
        /// Number of lanes.
        components: u8,
    },
    /// A typed access path: what a deref yields.
    Path,
    /// An untyped address: what a qptr operation yields.
    Ptr,
    /// An opaque resource: image, sampler, acceleration structure, ray query.
    Handle,
}

/// Lane counts a value may have. 5 is a texel with its residency code, 8 and 16 come
/// from kernels.
pub const COMPONENT_COUNTS: [u8; 7] = [1, 2, 3, 4, 5, 8, 16];

impl ValueType {
    /// A boolean.
    pub const BOOL: ValueType = ValueType::Bits { width: Width::W1, components: 1 };
    /// One lane of 32 bits.
    pub const B32: ValueType = ValueType::Bits { width: Width::W32, components: 1 };

    /// `lanes` lanes of `width` bits.
    pub const fn bits(width: Width, lanes: u8) -> ValueType {
        ValueType::Bits { width, components: lanes }
    }

    /// Bits per lane, where the value has lanes.
    pub fn width(self) -> Option<Width> {
        match self {
            ValueType::Bits { width, .. } => Some(width),
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => None,
        }
    }

    /// Number of lanes; 1 for addresses and handles, 0 for nothing.
    pub fn components(self) -> u8 {
        match self {
            ValueType::Void => 0,
            ValueType::Bits { components: lanes, .. } => lanes,
            ValueType::Path | ValueType::Ptr | ValueType::Handle => 1,
        }
    }

    /// The same width with another lane count; addresses stay what they are.
    pub fn with_components(self, lanes: u8) -> ValueType {
        match self {
            ValueType::Bits { width, .. } => ValueType::Bits { width, components: lanes },
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => self,
        }
    }

    /// Whether the value is a path, a pointer or a handle.
    pub fn is_opaque(self) -> bool {
        matches!(self, ValueType::Path | ValueType::Ptr | ValueType::Handle)
    }

    /// Reads the spelling: `b32x4`, `b1`, `path`, `ptr`, `handle`, `void`.
    ///
    /// `f32`, `i32`, `u32` and `bool` are read as the same number of bits: people write what they mean,
    /// the IR keeps what it needs.
    pub fn parse(text: &str) -> Option<ValueType> {
        match text {
            "void" => return Some(ValueType::Void),
            "path" => return Some(ValueType::Path),
            "ptr" => return Some(ValueType::Ptr),
            "handle" => return Some(ValueType::Handle),
            _ => {}
        }
        let (scalar, lanes) = match text.rsplit_once('x') {
            Some((scalar, lanes)) => (scalar, lanes.parse().ok().filter(|&n| n > 1)?),
            None => (text, 1),
        };
        let width = match scalar.strip_prefix(['b', 'f', 'i', 'u']) {
            Some("ool") if scalar == "bool" => Width::W1,
            Some(digits) if digits.chars().all(|c| c.is_ascii_digit()) => {
                Width::from_bits(digits.parse().ok()?)?
            }
            Some(_) | None => return None,
        };
        COMPONENT_COUNTS.contains(&lanes).then_some(ValueType::Bits { width, components: lanes })
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ValueType::Void => f.write_str("void"),
            ValueType::Bits { width, components: 1 } => write!(f, "b{}", width.bits()),
            ValueType::Bits { width, components: lanes } => write!(f, "b{}x{lanes}", width.bits()),
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
            all.extend(COMPONENT_COUNTS.map(|lanes| ValueType::bits(width, lanes)));
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

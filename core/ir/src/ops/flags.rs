//! Flags of arithmetic instructions: assumptions that a rewrite may make and guarantees that it must keep.
//!
//! An instruction without flags is plain IEEE arithmetic; a rewrite must preserve every bit.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flags(u16);

macro_rules! flags {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal = $bit:literal;)*) => {
        impl Flags {
            $($(#[doc = $doc])+ pub const $name: Flags = Flags(1 << $bit);)*

            /// Every flag with its spelling and description, in printing order.
            pub const TABLE: &'static [(Flags, &'static str, &'static str)] =
                &[$((Flags::$name, $text, concat!($($doc, "\n"),+))),*];
        }
    };
}

flags! {
    /// Must not be contracted, reassociated or otherwise recomputed (SPIR-V NoContraction, GLSL precise).
    EXACT "exact" = 0;
    /// Operands and result may be assumed not to be NaN.
    NNAN "nnan" = 1;
    /// Operands and result may be assumed not to be infinite.
    NINF "ninf" = 2;
    /// The sign of a zero is insignificant.
    NSZ "nsz" = 3;
    /// A division may become a multiplication by the reciprocal.
    ARCP "arcp" = 4;
    /// A multiplication and an addition may be fused into one operation with a single rounding.
    CONTRACT "contract" = 5;
    /// May be reassociated.
    REASSOC "reassoc" = 6;
    /// May be transformed by any identity that holds for real numbers.
    FAST "fast" = 7;
    /// Does not overflow as a signed integer; if it does, the result is undefined.
    NSW "nsw" = 8;
    /// Does not overflow as an unsigned integer; if it does, the result is undefined.
    NUW "nuw" = 9;
    /// Medium precision suffices (SPIR-V RelaxedPrecision).
    RELAXED "relaxed" = 10;
    /// May differ between invocations although its use requires a uniform value (SPIR-V NonUniform).
    NONUNIFORM "nonuniform" = 11;
    /// Every computation of this value must give the same bits (SPIR-V Invariant).
    INVARIANT "invariant" = 12;
}

impl Flags {
    /// The empty set.
    pub const NONE: Flags = Flags(0);

    /// Returns true if all flags of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Returns the set without the flags of `other`.
    #[must_use]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Returns true if no flag is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Spellings of the flags that are set, in printing order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Flags::TABLE.iter().filter(move |(flag, ..)| self.has(*flag)).map(|&(_, text, _)| text)
    }

    /// Returns the flag with this spelling.
    pub fn from_name(name: &str) -> Option<Flags> {
        Flags::TABLE.iter().find(|(_, text, _)| *text == name).map(|&(flag, ..)| flag)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

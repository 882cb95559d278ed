//! Per-instruction permissions and promises about arithmetic: what a rewrite may or must not assume.
//!
//! An instruction without flags is plain IEEE arithmetic in which a rewrite must keep every bit.

use std::fmt;

/// A set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Flags(u16);

macro_rules! flags {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal = $bit:literal;)*) => {
        impl Flags {
            $($(#[doc = $doc])+ pub const $name: Flags = Flags(1 << $bit);)*

            /// Every flag with its spelling and doc, in the order of printing.
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
    /// The sign of a zero does not matter.
    NSZ "nsz" = 3;
    /// A division may become a multiplication with the reciprocal.
    ARCP "arcp" = 4;
    /// A multiplication and an addition may become one operation with one rounding.
    CONTRACT "contract" = 5;
    /// May be reassociated.
    REASSOC "reassoc" = 6;
    /// May be transformed by any rule that holds for real numbers.
    FAST "fast" = 7;
    /// Does not wrap as a signed number; if it does, the result is undefined.
    NSW "nsw" = 8;
    /// Does not wrap as an unsigned number; if it does, the result is undefined.
    NUW "nuw" = 9;
    /// Medium precision is enough (SPIR-V RelaxedPrecision).
    RELAXED "relaxed" = 10;
    /// May differ between lanes though it is used where lanes should agree (SPIR-V NonUniform).
    NONUNIFORM "nonuniform" = 11;
    /// Must be computed the same way wherever it is computed (SPIR-V Invariant).
    INVARIANT "invariant" = 12;
}

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);

    /// Whether all of `other` is set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Without those of `other`.
    #[must_use]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Whether no flag is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flags set, in the order of printing, by spelling.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Flags::TABLE.iter().filter(move |(flag, ..)| self.has(*flag)).map(|&(_, text, _)| text)
    }

    /// The flag of this spelling.
    pub fn from_name(name: &str) -> Option<Flags> {
        Flags::TABLE.iter().find(|(_, text, _)| *text == name).map(|&(flag, ..)| flag)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

//! Comparisons and float classes. Every result is one bit wide.
//!
//! An *ordered* comparison is false if an operand is NaN, an *unordered* one is true. For operands of
//! different widths, or a width without floats, both kinds are false.

use super::Scalar;

/// Defines comparisons of two operands of the same width.
macro_rules! comparisons {
    (reading $read:ident where $legal:expr;
     $($(#[$doc:meta])* $name:ident($x:ident, $y:ident) = $meaning:expr;)*) => {
        impl Scalar {
            $(
                $(#[$doc])*
                pub fn $name(self, $y: Scalar) -> Scalar {
                    let legal: fn(Scalar) -> bool = $legal;
                    if self.width != $y.width || !legal(self) {
                        return Scalar::bool(false);
                    }
                    let ($x, $y) = (self.$read(), $y.$read());
                    Scalar::bool($meaning)
                }
            )*
        }
    };
}

comparisons! {
    reading to_f64 where |x| x.width.has_floats();

    /// Ordered and equal; the zeros are equal. `OpFOrdEqual`.
    feq(x, y) = x == y;
    /// Unordered or not equal. `OpFUnordNotEqual`.
    fneu(x, y) = x != y;
    /// Ordered and less. `OpFOrdLessThan`.
    flt(x, y) = x < y;
    /// Ordered and greater or equal. `OpFOrdGreaterThanEqual`.
    fge(x, y) = x >= y;
    /// Ordered and less or equal. `OpFOrdLessThanEqual`.
    fle(x, y) = x <= y;
    /// Ordered and greater. `OpFOrdGreaterThan`.
    fgt(x, y) = x > y;
    /// Unordered or equal. `OpFUnordEqual`.
    fequ(x, y) = x == y || unordered(x, y);
    /// Ordered and not equal. `OpFOrdNotEqual`.
    fneo(x, y) = x != y && !unordered(x, y);
    /// Unordered or less. `OpFUnordLessThan`.
    fltu(x, y) = x < y || unordered(x, y);
    /// Unordered or greater or equal. `OpFUnordGreaterThanEqual`.
    fgeu(x, y) = x >= y || unordered(x, y);
    /// Unordered or greater. `OpFUnordGreaterThan`.
    fgtu(x, y) = x > y || unordered(x, y);
    /// Unordered or less or equal. `OpFUnordLessThanEqual`.
    fleu(x, y) = x <= y || unordered(x, y);
    /// Neither operand is NaN. `OpOrdered`.
    ford(x, y) = !unordered(x, y);
    /// At least one operand is NaN. `OpUnordered`.
    funord(x, y) = unordered(x, y);
}

comparisons! {
    reading as_u64 where |_| true;

    /// Equal bits; on booleans `OpLogicalEqual`. `OpIEqual`.
    ieq(x, y) = x == y;
    /// Different bits; on booleans `OpLogicalNotEqual`. `OpINotEqual`.
    ine(x, y) = x != y;
    /// Less, unsigned. `OpULessThan`.
    ult(x, y) = x < y;
    /// Greater or equal, unsigned. `OpUGreaterThanEqual`.
    uge(x, y) = x >= y;
    /// Less or equal, unsigned. `OpULessThanEqual`.
    ule(x, y) = x <= y;
    /// Greater, unsigned. `OpUGreaterThan`.
    ugt(x, y) = x > y;
}

comparisons! {
    reading as_i64 where |_| true;

    /// Less, signed. `OpSLessThan`.
    ilt(x, y) = x < y;
    /// Greater or equal, signed. `OpSGreaterThanEqual`.
    ige(x, y) = x >= y;
    /// Less or equal, signed. `OpSLessThanEqual`.
    ile(x, y) = x <= y;
    /// Greater, signed. `OpSGreaterThan`.
    igt(x, y) = x > y;
}

/// Classes of floats: one operand; false if the width has no floats.
impl Scalar {
    /// A NaN of any payload and sign. `OpIsNan`.
    pub fn fisnan(self) -> Scalar {
        Scalar::bool(self.is_nan())
    }

    /// An infinity of either sign. `OpIsInf`.
    pub fn fisinf(self) -> Scalar {
        Scalar::bool(self.exponent_is_full() && !self.is_nan())
    }

    /// Neither infinite nor NaN. `OpIsFinite`.
    pub fn fisfinite(self) -> Scalar {
        Scalar::bool(self.width.has_floats() && !self.exponent_is_full())
    }

    /// Neither zero, subnormal, infinite nor NaN. `OpIsNormal`.
    pub fn fisnormal(self) -> Scalar {
        Scalar::bool(self.width.has_floats() && !self.exponent_is_full() && !self.exponent_is_empty())
    }

    /// The sign bit, also of zeros and NaN. `OpSignBitSet`.
    pub fn fsignbit(self) -> Scalar {
        Scalar::bool(self.width.has_floats() && self.bits & self.width.sign_bit() != 0)
    }
}

fn unordered(x: f64, y: f64) -> bool {
    x.is_nan() || y.is_nan()
}

#[cfg(test)]
mod tests {
    use super::super::Width;
    use super::super::samples::{FLOATS, floats, halves, ints};
    use super::*;
    use std::cmp::Ordering;

    type Op = fn(Scalar, Scalar) -> Scalar;
    use Ordering::{Equal, Greater, Less};

    /// why: each comparison is a set of outcomes of `partial_cmp`; the table lists them independently.
    #[test]
    fn floats_compare_by_their_outcome() {
        let table: [(&str, Op, &[Option<Ordering>]); 14] = [
            ("feq", Scalar::feq, &[Some(Equal)]),
            ("fneu", Scalar::fneu, &[Some(Less), Some(Greater), None]),
            ("flt", Scalar::flt, &[Some(Less)]),
            ("fge", Scalar::fge, &[Some(Greater), Some(Equal)]),
            ("fle", Scalar::fle, &[Some(Less), Some(Equal)]),
            ("fgt", Scalar::fgt, &[Some(Greater)]),
            ("fequ", Scalar::fequ, &[Some(Equal), None]),
            ("fneo", Scalar::fneo, &[Some(Less), Some(Greater)]),
            ("fltu", Scalar::fltu, &[Some(Less), None]),
            ("fgeu", Scalar::fgeu, &[Some(Greater), Some(Equal), None]),
            ("fgtu", Scalar::fgtu, &[Some(Greater), None]),
            ("fleu", Scalar::fleu, &[Some(Less), Some(Equal), None]),
            ("ford", Scalar::ford, &[Some(Less), Some(Equal), Some(Greater)]),
            ("funord", Scalar::funord, &[None]),
        ];
        for (name, op, outcomes) in table {
            for width in FLOATS {
                for a in floats(width) {
                    for b in floats(width) {
                        let outcome = a.to_f64().partial_cmp(&b.to_f64());
                        assert_eq!(op(a, b), Scalar::bool(outcomes.contains(&outcome)), "{name} {a:?} {b:?}");
                    }
                }
            }
            let byte = Scalar::u(Width::W8, 1);
            assert_eq!(op(byte, byte), Scalar::bool(false), "{name}");
            assert_eq!(op(Scalar::f16(1.0), Scalar::f32(1.0)), Scalar::bool(false), "{name}");
        }
    }

    #[test]
    fn integers_compare_by_their_outcome() {
        let table: [(&str, bool, Op, &[Ordering]); 10] = [
            ("ieq", false, Scalar::ieq, &[Equal]),
            ("ine", true, Scalar::ine, &[Less, Greater]),
            ("ilt", true, Scalar::ilt, &[Less]),
            ("ige", true, Scalar::ige, &[Greater, Equal]),
            ("ile", true, Scalar::ile, &[Less, Equal]),
            ("igt", true, Scalar::igt, &[Greater]),
            ("ult", false, Scalar::ult, &[Less]),
            ("uge", false, Scalar::uge, &[Greater, Equal]),
            ("ule", false, Scalar::ule, &[Less, Equal]),
            ("ugt", false, Scalar::ugt, &[Greater]),
        ];
        for (name, signed, op, outcomes) in table {
            for width in Width::ALL {
                for a in ints(width) {
                    for b in ints(width) {
                        let outcome =
                            if signed { a.as_i64().cmp(&b.as_i64()) } else { a.as_u64().cmp(&b.as_u64()) };
                        assert_eq!(op(a, b), Scalar::bool(outcomes.contains(&outcome)), "{name} {a:?} {b:?}");
                    }
                }
            }
            assert_eq!(op(Scalar::u(Width::W8, 1), Scalar::u(Width::W16, 1)), Scalar::bool(false), "{name}");
        }
    }

    #[test]
    fn every_half_has_the_class_that_the_half_crate_sees() {
        for scalar in halves() {
            let number = half::f16::from_bits(scalar.bits() as u16);
            assert_eq!(scalar.fisnan().as_bool(), number.is_nan());
            assert_eq!(scalar.fisinf().as_bool(), number.is_infinite());
            assert_eq!(scalar.fisfinite().as_bool(), number.is_finite());
            assert_eq!(scalar.fisnormal().as_bool(), number.is_normal());
            assert_eq!(scalar.fsignbit().as_bool(), number.is_sign_negative());
        }
        for scalar in floats(Width::W64) {
            let number = f64::from_bits(scalar.bits());
            assert_eq!(scalar.fisinf().as_bool(), number.is_infinite());
            assert_eq!(scalar.fisfinite().as_bool(), number.is_finite());
            assert_eq!(scalar.fisnormal().as_bool(), number.is_normal());
        }
        let byte = Scalar::u(Width::W8, 0xff);
        for answer in [byte.fisnan(), byte.fisinf(), byte.fisfinite(), byte.fisnormal(), byte.fsignbit()] {
            assert_eq!(answer, Scalar::bool(false));
        }
    }

    #[test]
    fn zeros_are_equal_as_floats_and_differ_as_bits() {
        let (plus, minus) = (Scalar::f32(0.0), Scalar::f32(-0.0));
        assert!(plus.feq(minus).as_bool() && plus.ine(minus).as_bool());
        assert!(
            Scalar::bool(true).ilt(Scalar::bool(false)).as_bool(),
            "a true boolean is -1 when read as signed"
        );
    }
}

//! Arithmetic that rounds toward zero: the effect of the execution mode `RoundingModeRTZ` on correctly
//! rounded operations.
//!
//! Each result is rounded to nearest in `f64`, together with the sign of the rounding error; if that sign
//! shows that the magnitude was rounded up, the result is one step closer to zero. Limits: on 64 bits, a
//! product or a quotient whose error is below the smallest subnormal counts as exact.

use super::{Scalar, Width};

/// A number rounded to nearest, and the sign of the rounding error (0: exact).
#[derive(Clone, Copy)]
struct Near {
    value: f64,
    rest: f64,
}

/// The sum and its rounding error (Knuth's two-sum), exact except for overflow.
fn sum(a: f64, b: f64) -> Near {
    let value = a + b;
    let b_part = value - a;
    let rest = (a - (value - b_part)) + (b - b_part);
    Near { value, rest }
}

impl Near {
    /// Rounds toward zero to a width; `finite` indicates that the real result is finite, so that it must not
    /// become infinite.
    fn cut(self, width: Width, finite: bool) -> Scalar {
        if self.value.is_nan() {
            return Scalar::nan(width);
        }
        if self.value.is_infinite() && finite {
            // The largest finite number: rounding toward zero never exceeds it.
            let sign = if self.value < 0.0 { width.sign_bit() } else { 0 };
            let largest = Scalar::float(width, f64::INFINITY).bits() - 1;
            return Scalar::new(width, largest | sign);
        }
        let cut = Scalar::new(Width::W64, self.value.to_bits()).f2f_rtz(width);
        let went_up = (self.value > 0.0 && self.rest < 0.0) || (self.value < 0.0 && self.rest > 0.0);
        if went_up && cut.to_f64() == self.value {
            // The magnitude of a float has the same order as its bits.
            return Scalar::new(width, cut.bits() - 1);
        }
        cut
    }
}

impl Scalar {
    /// Sum, rounded toward zero. `OpFAdd` under `RoundingModeRTZ`.
    pub fn fadd_rtz(self, other: Scalar) -> Scalar {
        let (a, b) = (self.to_f64(), other.to_f64());
        sum(a, b).cut(self.width, a.is_finite() && b.is_finite())
    }

    /// Difference, rounded toward zero. `OpFSub` under `RoundingModeRTZ`.
    pub fn fsub_rtz(self, other: Scalar) -> Scalar {
        self.fadd_rtz(other.fneg())
    }

    /// Product, rounded toward zero. `OpFMul` under `RoundingModeRTZ`.
    pub fn fmul_rtz(self, other: Scalar) -> Scalar {
        let (a, b) = (self.to_f64(), other.to_f64());
        let value = a * b;
        // Exact below 64 bits; the error of a product is itself a float.
        let rest = if self.width == Width::W64 { libm::fma(a, b, -value) } else { 0.0 };
        Near { value, rest }.cut(self.width, a.is_finite() && b.is_finite())
    }

    /// Quotient, rounded toward zero; division by zero gives an infinity. `OpFDiv` under `RoundingModeRTZ`.
    pub fn fdiv_rtz(self, other: Scalar) -> Scalar {
        let (a, b) = (self.to_f64(), other.to_f64());
        let value = a / b;
        let rest = libm::fma(-value, b, a) * b.signum();
        let finite = a.is_finite() && b != 0.0;
        Near { value, rest: if rest.is_nan() { 0.0 } else { rest } }.cut(self.width, finite)
    }

    /// `self·y + z`, rounded toward zero. `Fma` under `RoundingModeRTZ`. On 64 bits the product is rounded
    /// before the addition.
    pub fn ffma_rtz(self, y: Scalar, z: Scalar) -> Scalar {
        let (a, b, c) = (self.to_f64(), y.to_f64(), z.to_f64());
        let finite = a.is_finite() && b.is_finite() && c.is_finite();
        sum(a * b, c).cut(self.width, finite)
    }

    /// Square root, rounded toward zero. `Sqrt` under `RoundingModeRTZ`.
    pub fn fsqrt_rtz(self) -> Scalar {
        let a = self.to_f64();
        let value = a.sqrt();
        let rest = libm::fma(-value, value, a);
        Near { value, rest: if rest.is_nan() { 0.0 } else { rest } }.cut(self.width, a.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    /// Returns true if a number is the real result truncated: its magnitude is not too large, and the next
    /// one's is.
    fn is_cut(result: Scalar, at_most: impl Fn(f64) -> bool) -> bool {
        let magnitude = result.fabs();
        let next = Scalar::new(result.width(), magnitude.bits() + 1);
        at_most(magnitude.to_f64()) && (next.to_f64().is_infinite() || !at_most(next.to_f64()))
    }

    /// why: halves and singles are exact in integers and doubles, which give an independent reference.
    #[test]
    fn results_are_the_largest_that_do_not_exceed() {
        for width in [Width::W16, Width::W32] {
            for word in samples::words(4_000) {
                let (a, b) = (Scalar::new(width, word), Scalar::new(width, word >> 32));
                let (x, y) = (a.to_f64(), b.to_f64());
                if !x.is_finite() || !y.is_finite() {
                    continue;
                }
                assert!(is_cut(a.fmul_rtz(b), |m| m <= (x * y).abs()), "{a:?} * {b:?}");
                if y != 0.0 {
                    // m <= |x / y| where m * |y| <= |x|: exact, since both have few bits.
                    assert!(is_cut(a.fdiv_rtz(b), |m| m * y.abs() <= x.abs()), "{a:?} / {b:?}");
                }
                // m <= |x + y|, without rounding: compare with the larger term first, then with the rest.
                let total = sum(x, y);
                let exceeds = |m: f64| {
                    let (value, rest) = (total.value.abs(), total.rest * total.value.signum());
                    m > value || (m == value && rest < 0.0)
                };
                assert!(is_cut(a.fadd_rtz(b), |m| !exceeds(m)), "{a:?} + {b:?}");
                if x >= 0.0 {
                    assert!(is_cut(a.fsqrt_rtz(), |m| m * m <= x), "sqrt {a:?}");
                }
            }
        }
    }

    #[test]
    fn infinities_come_of_infinities_only() {
        let width = Width::W32;
        let largest = Scalar::new(width, 0x7f7f_ffff);
        assert_eq!(largest.fadd_rtz(largest), largest);
        assert_eq!(largest.fneg().fmul_rtz(largest), largest.fneg());
        let infinity = Scalar::float(width, f64::INFINITY);
        assert_eq!(infinity.fadd_rtz(largest), infinity);
        assert_eq!(largest.fdiv_rtz(Scalar::zero(width)), infinity);
        assert_eq!(infinity.fsub_rtz(infinity), Scalar::nan(width));
        let wide = Scalar::new(Width::W64, 0x7fef_ffff_ffff_ffff);
        assert_eq!(wide.fadd_rtz(wide), wide);
        let third = Scalar::f64(1.0).fdiv_rtz(Scalar::f64(3.0));
        assert_eq!(third.bits(), 0x3fd5_5555_5555_5555);
        let two_thirds = Scalar::f64(2.0).fdiv_rtz(Scalar::f64(3.0));
        assert_eq!(two_thirds.bits(), 0x3fe5_5555_5555_5555);
    }
}

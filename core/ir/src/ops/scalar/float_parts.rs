//! Parts of a float, and formulas of several steps.
//!
//! The formulas are *defined* with every step rounded to the width, so that expanding one (as lowering passes
//! do) changes no bit.

use super::round::{Real, Rounding};
use super::{Scalar, Width};

/// Formulas: each step is an operation of `float`, rounded to the width.
impl Scalar {
    /// `x - floor(x)`. Rounding can make it 1.0 just below an integer, as in GLSL and NIR (Direct3D excludes
    /// that). NaN for an infinity. `GLSL.std.450 Fract`.
    pub fn ffract(self) -> Scalar {
        self.fsub(self.ffloor())
    }

    /// `x·(1-a) + y·a`; the receiver is `x`. `GLSL.std.450 FMix`, NIR `flrp`.
    pub fn fmix(self, y: Scalar, a: Scalar) -> Scalar {
        let one = Scalar::float(self.width, 1.0);
        self.fmul(one.fsub(a)).fadd(y.fmul(a))
    }

    /// `t·t·(3-2t)` with `t = clamp((x-edge0)/(edge1-edge0), 0, 1)`; the receiver is `edge0`, the first
    /// operand. Equal edges give 0 or 1, or 0 if `x` is equal to them (a NaN is clamped to 0).
    /// `GLSL.std.450 SmoothStep`.
    pub fn fsmoothstep(self, edge1: Scalar, x: Scalar) -> Scalar {
        let number = |n| Scalar::float(self.width, n);
        let t = x.fsub(self).fdiv(edge1.fsub(self)).fclamp(number(0.0), number(1.0));
        t.fmul(t).fmul(number(3.0).fsub(number(2.0).fmul(t)))
    }

    /// `x·π/180`, with the constant rounded to the width. `GLSL.std.450 Radians`.
    pub fn fradians(self) -> Scalar {
        self.fmul(Scalar::float(self.width, std::f64::consts::PI / 180.0))
    }

    /// `x·180/π`, with the constant rounded to the width. `GLSL.std.450 Degrees`.
    pub fn fdegrees(self) -> Scalar {
        self.fmul(Scalar::float(self.width, 180.0 / std::f64::consts::PI))
    }
}

/// Significand and exponent.
impl Scalar {
    /// `self·2^exponent`, rounded once, also if the result is subnormal (NIR flushes it). The exponent is a
    /// signed integer of any width. `GLSL.std.450 Ldexp`, which leaves exponents beyond the format open.
    pub fn fldexp(self, exponent: Scalar) -> Scalar {
        let value = self.to_f64();
        if !self.width.has_floats() || !value.is_finite() {
            return self.fcanonicalize();
        }
        // 10,000 takes the smallest double beyond infinity and the largest below half of the smallest.
        let shift = exponent.as_i64().clamp(-10_000, 10_000) as i32;
        let real = Real::from_f64(value);
        Real { exponent: real.exponent + shift, ..real }.round(self.width, Rounding::NearestEven)
    }

    /// The significand, with magnitude in [0.5, 1) and the sign of `x`; zeros and infinities are returned
    /// unchanged. First member of `GLSL.std.450 FrexpStruct`.
    pub fn frexp_sig(self) -> Scalar {
        let value = self.to_f64();
        if !value.is_finite() || value == 0.0 {
            return self.fcanonicalize();
        }
        let (significand, _) = libm::frexp(value);
        Scalar::float(self.width, significand)
    }

    /// The exponent that belongs to [`Scalar::frexp_sig`], as a signed integer of width `to`; 0 for zeros,
    /// infinities and NaN (for the latter two open in SPIR-V and in C). Second member of
    /// `GLSL.std.450 FrexpStruct`.
    pub fn frexp_exp(self, to: Width) -> Scalar {
        let value = self.to_f64();
        if !value.is_finite() || value == 0.0 {
            return Scalar::zero(to);
        }
        let (_, exponent) = libm::frexp(value);
        Scalar::i(to, i64::from(exponent))
    }

    /// Rounds to half precision and back: nearest even, infinity on overflow, and a zero of the same sign if
    /// the half would be subnormal. `OpQuantizeToF16`, which leaves the rounding and the sign of that zero
    /// open; NIR makes the same choices.
    pub fn fquantize16(self) -> Scalar {
        let value = self.to_f64();
        const SMALLEST_NORMAL_HALF: f64 = 1.0 / 16384.0;
        if value.abs() < SMALLEST_NORMAL_HALF {
            return Scalar::float(self.width, libm::copysign(0.0, value));
        }
        Scalar::float(self.width, Scalar::f16(value).to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{FLOATS, floats, halves};
    use super::*;

    #[test]
    fn significand_and_exponent_make_the_number_again() {
        for scalar in FLOATS.into_iter().flat_map(floats) {
            let (significand, exponent) = (scalar.frexp_sig(), scalar.frexp_exp(Width::W32));
            assert_eq!(significand.fldexp(exponent), scalar.fcanonicalize(), "{scalar:?}");
            if scalar.to_f64().is_finite() && scalar.to_f64() != 0.0 {
                assert!((0.5..1.0).contains(&significand.to_f64().abs()), "{scalar:?}");
            } else {
                assert_eq!(exponent, Scalar::zero(Width::W32));
            }
        }
        assert_eq!(Scalar::f32(8.0).frexp_exp(Width::W16), Scalar::i(Width::W16, 4));
    }

    #[test]
    fn scaling_rounds_once() {
        let by = |n| Scalar::i(Width::W32, n);
        // 1.5 times the smallest subnormal is a tie and rounds to the even one, 2.
        assert_eq!(Scalar::new(Width::W32, 3).fldexp(by(-1)), Scalar::new(Width::W32, 2));
        assert_eq!(Scalar::f64(3.0).fldexp(by(-1075)), Scalar::new(Width::W64, 2));
        assert_eq!(Scalar::f16(1.0).fldexp(by(-25)), Scalar::zero(Width::W16));
        assert_eq!(Scalar::f16(1.0).fldexp(by(16)), Scalar::f16(f64::INFINITY));
        assert_eq!(Scalar::new(Width::W64, 1).fldexp(by(1074)), Scalar::f64(1.0));
        assert_eq!(Scalar::f64(-1.0).fldexp(Scalar::i(Width::W64, i64::MIN)), Scalar::f64(-0.0));
        assert_eq!(Scalar::f64(-1.0).fldexp(Scalar::i(Width::W64, i64::MAX)), Scalar::f64(f64::NEG_INFINITY));
        assert_eq!(Scalar::f32(1.0).fldexp(Scalar::bool(true)), Scalar::f32(0.5));
    }

    #[test]
    fn quantizing_drops_bits_that_a_normal_half_lacks() {
        let q = |x: f32| Scalar::f32(x).fquantize16();
        assert_eq!(q(1.0 + 1.0 / 2048.0), Scalar::f32(1.0));
        assert_eq!(q(65520.0), Scalar::f32(f32::INFINITY));
        assert_eq!(q(-6.0e-5), Scalar::f32(-0.0));
        assert_eq!(q(1.0 / 16384.0), Scalar::f32(1.0 / 16384.0));
        for half in halves().filter(|h| h.flush_denorm() == *h) {
            assert_eq!(half.f2f(Width::W32).fquantize16(), half.f2f(Width::W32));
        }
    }

    #[test]
    fn mixing_and_stepping() {
        for width in FLOATS {
            let n = |x| Scalar::float(width, x);
            assert_eq!(n(2.0).fmix(n(6.0), n(0.25)), n(3.0));
            assert_eq!(
                [0.0, 1.0, 2.0, 3.0, 9.0].map(|x| n(1.0).fsmoothstep(n(3.0), n(x))),
                [0.0, 0.0, 0.5, 1.0, 1.0].map(n)
            );
            assert_eq!([0.0, 1.0, 2.0].map(|x| n(1.0).fsmoothstep(n(1.0), n(x))), [0.0, 0.0, 1.0].map(n));
        }
    }

    #[test]
    fn degrees_and_radians() {
        assert_eq!(Scalar::f32(180.0).fradians(), Scalar::f32(std::f32::consts::PI));
        assert_eq!(Scalar::f64(std::f64::consts::PI).fdegrees(), Scalar::f64(180.0));
    }

    /// why: passes expand these formulas, and the rule checker compares bits.
    #[test]
    fn mixing_is_its_formula_step_by_step() {
        let one = Scalar::f32(1.0);
        for x in floats(Width::W32) {
            for y in floats(Width::W32) {
                let a = Scalar::f32(0.3);
                assert_eq!(x.fmix(y, a), x.fmul(one.fsub(a)).fadd(y.fmul(a)));
            }
            assert_eq!(x.ffract(), x.fsub(x.ffloor()));
        }
    }
}

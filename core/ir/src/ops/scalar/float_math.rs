//! Powers, logarithms and trigonometric functions.
//!
//! Every width is computed in `f64` by `libm` and rounded once to its own width. SPIR-V allows errors of
//! several units in the last place here, and hardware makes use of them: two slightly different results can
//! both be correct. The results here are the same on every machine.
//!
//! Limits: `libm` is off by up to about 1 ulp of `f64`, so the 64-bit results are not correctly rounded.

use super::Scalar;
use super::float::float_ops;

float_ops! {
    /// e raised to the power `x`. `GLSL.std.450 Exp`.
    fexp(x) = libm::exp(x);
    /// 2 raised to the power `x`; exact for integers. `GLSL.std.450 Exp2`.
    fexp2(x) = libm::exp2(x);
    /// Natural logarithm: -∞ for zero, NaN for negative numbers (open in GLSL). `GLSL.std.450 Log`.
    flog(x) = libm::log(x);
    /// Logarithm to base 2: -∞ for zero, NaN for negative numbers (open in GLSL); exact for powers of two.
    /// `GLSL.std.450 Log2`.
    flog2(x) = libm::log2(x);
    /// `x` raised to the power `y`. `GLSL.std.450 Pow` leaves `x < 0` and `x = 0 ≥ y` open; this follows C's
    /// `pow`, like NIR: `x^0` is 1 for every `x` including NaN; a negative `x` requires an integer `y` and
    /// otherwise gives NaN.
    fpow(x, y) = libm::pow(x, y);
    /// Sine of an angle in radians; NaN for an infinity. `GLSL.std.450 Sin`.
    fsin(x) = libm::sin(x);
    /// Cosine of an angle in radians; NaN for an infinity. `GLSL.std.450 Cos`.
    fcos(x) = libm::cos(x);
    /// Tangent of an angle in radians; NaN for an infinity. `GLSL.std.450 Tan`.
    ftan(x) = libm::tan(x);
    /// The angle in -π/2..π/2 with this sine; NaN outside -1..1 (open in GLSL). `GLSL.std.450 Asin`.
    fasin(x) = libm::asin(x);
    /// The angle in 0..π with this cosine; NaN outside -1..1 (open in GLSL). `GLSL.std.450 Acos`.
    facos(x) = libm::acos(x);
    /// The angle in -π/2..π/2 with this tangent. `GLSL.std.450 Atan`.
    fatan(x) = libm::atan(x);
    /// The angle in -π..π of the point (x, y); the receiver is `y`, the first operand. `GLSL.std.450 Atan2`
    /// leaves (0, 0) open; this follows C's `atan2`, which gives ±0 or ±π depending on the signs of the
    /// zeros.
    fatan2(y, x) = libm::atan2(y, x);
    /// Hyperbolic sine. `GLSL.std.450 Sinh`.
    fsinh(x) = libm::sinh(x);
    /// Hyperbolic cosine. `GLSL.std.450 Cosh`.
    fcosh(x) = libm::cosh(x);
    /// Hyperbolic tangent. `GLSL.std.450 Tanh`.
    ftanh(x) = libm::tanh(x);
    /// Inverse hyperbolic sine. `GLSL.std.450 Asinh`.
    fasinh(x) = libm::asinh(x);
    /// Inverse hyperbolic cosine; NaN below 1 (open in GLSL). `GLSL.std.450 Acosh`.
    facosh(x) = if x < 1.0 { f64::NAN } else { libm::acosh(x) }; // libm 0.2.16 gives numbers far below -1
    /// Inverse hyperbolic tangent: ±∞ at ±1, NaN beyond (open in GLSL). `GLSL.std.450 Atanh`.
    fatanh(x) = libm::atanh(x);
}

#[cfg(test)]
mod tests {
    use super::super::Width;
    use super::super::samples::{FLOATS, floats, halves};
    use super::*;

    type Ours = fn(Scalar) -> Scalar;
    type Host = fn(f64) -> f64;

    const UNARY: [(&str, Ours, Host); 16] = [
        ("fexp", Scalar::fexp, f64::exp),
        ("fexp2", Scalar::fexp2, f64::exp2),
        ("flog", Scalar::flog, f64::ln),
        ("flog2", Scalar::flog2, f64::log2),
        ("fsin", Scalar::fsin, f64::sin),
        ("fcos", Scalar::fcos, f64::cos),
        ("ftan", Scalar::ftan, f64::tan),
        ("fasin", Scalar::fasin, f64::asin),
        ("facos", Scalar::facos, f64::acos),
        ("fatan", Scalar::fatan, f64::atan),
        ("fsinh", Scalar::fsinh, f64::sinh),
        ("fcosh", Scalar::fcosh, f64::cosh),
        ("ftanh", Scalar::ftanh, f64::tanh),
        ("fasinh", Scalar::fasinh, f64::asinh),
        ("facosh", Scalar::facosh, f64::acosh),
        ("fatanh", Scalar::fatanh, f64::atanh),
    ];
    type Ours2 = fn(Scalar, Scalar) -> Scalar;
    type Host2 = fn(f64, f64) -> f64;
    const BINARY: [(&str, Ours2, Host2); 2] =
        [("fpow", Scalar::fpow, f64::powf), ("fatan2", Scalar::fatan2, f64::atan2)];

    /// Rank of a number in the order of all numbers of its width, so that neighbors differ by one.
    fn place(x: Scalar) -> i128 {
        let size = i128::from(x.bits() & !x.width().sign_bit());
        if x.bits() & x.width().sign_bit() == 0 { size } else { -size }
    }

    /// why: compares with the host's independent library; a wrong branch is detected, an error in the last
    /// place is not.
    #[test]
    fn every_half_agrees_with_the_host() {
        for (name, ours, host) in UNARY {
            for half in halves() {
                let (result, expected) = (ours(half), Scalar::f16(host(half.to_f64())));
                let apart = (place(result) - place(expected)).abs();
                assert!(
                    apart <= 1 && result.is_nan() == expected.is_nan(),
                    "{name} {half:?}: {result:?} {expected:?}"
                );
            }
        }
    }

    #[test]
    fn wide_floats_agree_with_the_host() {
        for scalar in FLOATS.into_iter().flat_map(floats) {
            let width = scalar.width();
            for (name, ours, host) in UNARY {
                let (result, expected) = (ours(scalar), Scalar::float(width, host(scalar.to_f64())));
                // The formulas of std for these lose half of the digits near 0 and 1 and overflow early.
                if width == Width::W64 && ["fasinh", "facosh", "fatanh"].contains(&name) {
                    continue;
                }
                let apart = (place(result) - place(expected)).abs();
                assert!(
                    apart <= 2 && result.is_nan() == expected.is_nan(),
                    "{name} {scalar:?}: {result:?} {expected:?}"
                );
                assert!(!result.is_nan() || result == Scalar::nan(width), "{name} {scalar:?}");
            }
            for (name, ours, host) in BINARY {
                for other in floats(width) {
                    let result = ours(scalar, other);
                    let expected = Scalar::float(width, host(scalar.to_f64(), other.to_f64()));
                    let apart = (place(result) - place(expected)).abs();
                    assert!(
                        apart <= 2 && result.is_nan() == expected.is_nan(),
                        "{name} {scalar:?} {other:?}: {result:?} {expected:?}"
                    );
                    assert!(!result.is_nan() || result == Scalar::nan(width), "{name} {scalar:?} {other:?}");
                }
            }
        }
    }

    /// why: for these three functions at 64 bits, the host is less accurate than `libm`; the values come from
    /// their series.
    #[test]
    fn inverse_hyperbolic_functions_undo_and_hold_their_borders() {
        let close = |x: Scalar, y: f64| assert!((x.to_f64() - y).abs() <= 4e-15 * y.abs(), "{x:?} {y}");
        for x in (1..40).map(|n| f64::from(n) / 16.0) {
            close(Scalar::f64(x).fsinh().fasinh(), x);
            close(Scalar::f64(x + 0.5).fcosh().facosh(), x + 0.5);
            close(Scalar::f64(x / 2.0).ftanh().fatanh(), x / 2.0);
        }
        let ln2 = std::f64::consts::LN_2;
        close(Scalar::f64(1.0 - f64::EPSILON / 2.0).fatanh(), 27.0 * ln2);
        close(Scalar::f64(1.0 + f64::EPSILON).facosh(), (2.0 * f64::EPSILON).sqrt());
        close(Scalar::f64(1e-300).fasinh(), 1e-300);
        close(Scalar::f64(2f64.powi(1000)).fasinh(), 1001.0 * ln2);
        close(Scalar::f64(2f64.powi(1000)).facosh(), 1001.0 * ln2);
    }

    #[test]
    fn powers_of_two_are_exact() {
        for width in FLOATS {
            let bias = match width {
                Width::W16 => 14,
                Width::W32 => 126,
                Width::W64 => 1022,
                Width::W1 | Width::W8 => unreachable!(),
            };
            for exponent in -bias..=bias {
                let power = Scalar::float(width, 1.0).fldexp(Scalar::i(Width::W32, exponent));
                let exponent = Scalar::float(width, exponent as f64);
                assert_eq!(exponent.fexp2(), power);
                assert_eq!(power.flog2(), exponent);
                assert_eq!(Scalar::float(width, 2.0).fpow(exponent), power);
            }
        }
    }

    #[test]
    fn odd_functions_are_odd() {
        let odd: [Ours; 8] = [
            Scalar::fsin,
            Scalar::ftan,
            Scalar::fasin,
            Scalar::fatan,
            Scalar::fsinh,
            Scalar::ftanh,
            Scalar::fasinh,
            Scalar::fatanh,
        ];
        for op in odd {
            for scalar in FLOATS.into_iter().flat_map(floats).filter(|l| !op(*l).is_nan()) {
                assert_eq!(op(scalar.fneg()), op(scalar).fneg(), "{scalar:?}");
            }
        }
    }

    #[test]
    fn borders_that_glsl_leaves_open() {
        for width in FLOATS {
            let n = |x| Scalar::float(width, x);
            assert_eq!(n(0.0).flog2(), n(f64::NEG_INFINITY));
            assert_eq!(n(-0.0).flog(), n(f64::NEG_INFINITY));
            assert!(n(-1.0).flog().is_nan() && n(-1.0).facosh().is_nan() && n(0.5).facosh().is_nan());
            assert!(n(2.0).fatanh().is_nan() && n(1.5).fasin().is_nan() && n(f64::INFINITY).fsin().is_nan());
            assert_eq!(n(-1.0).fatanh(), n(f64::NEG_INFINITY));
            assert_eq!(n(f64::NAN).fpow(n(0.0)), n(1.0));
            assert_eq!(n(0.0).fpow(n(0.0)), n(1.0));
            assert_eq!(n(-2.0).fpow(n(3.0)), n(-8.0));
            assert!(n(-2.0).fpow(n(0.5)).is_nan());
            assert_eq!(n(0.0).fatan2(n(0.0)), n(0.0));
            assert_eq!(n(-0.0).fatan2(n(-0.0)), n(-std::f64::consts::PI));
        }
        assert_eq!(Scalar::u(Width::W8, 1).fsin(), Scalar::zero(Width::W8));
        assert_eq!(Scalar::f16(1.0).fpow(Scalar::f32(1.0)), Scalar::zero(Width::W16));
    }

    /// why: a link to a shader must show the same numbers in five years and in any browser. A change of this
    /// hash means that some result changed by at least one bit; the release notes must mention it.
    #[test]
    fn the_bits_do_not_change() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a
        let mut mix = |result: Scalar| hash = (hash ^ result.bits()).wrapping_mul(0x0000_0100_0000_01b3);
        for scalar in FLOATS.into_iter().flat_map(floats).chain(halves()) {
            for (_, ours, _) in UNARY {
                mix(ours(scalar));
            }
        }
        for width in FLOATS {
            for a in floats(width) {
                for b in floats(width) {
                    mix(a.fpow(b));
                    mix(a.fatan2(b));
                    mix(a.ffma(b, a));
                    mix(a.fmod(b));
                }
            }
        }
        assert_eq!(hash, 0x314c_c23e_bc7a_4dfc, "now {hash:#018x}");
    }
}

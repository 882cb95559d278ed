//! Float arithmetic, rounding to integers, sign operations, minimum and maximum.
//!
//! Narrow floats are computed in `f64` and rounded once more to their width. The double rounding is harmless:
//! for `+ - * /` and square root, an intermediate format of at least `2p + 2` bits gives the correctly
//! rounded result (Figueroa 1995; with subnormal results, Roux 2014), and 53 is greater than 2·24 + 2 and
//! 2·11 + 2.

use super::round::Format;
use super::{Scalar, Width};

/// Defines float operations whose meaning is an expression over `f64`, rounded to the width at the end.
macro_rules! float_ops {
    ($($(#[$doc:meta])* $name:ident($x:ident $(, $y:ident)*) = $meaning:expr;)*) => {
        impl Scalar {
            $(
                $(#[$doc])*
                pub fn $name(self $(, $y: Scalar)*) -> Scalar {
                    let width = self.width;
                    if !width.has_floats() $(|| $y.width != width)* {
                        return Scalar::zero(width);
                    }
                    let $x = self.to_f64();
                    $(let $y = $y.to_f64();)*
                    Scalar::float(width, $meaning)
                }
            )*
        }
    };
}
pub(super) use float_ops;

float_ops! {
    /// Sum. `OpFAdd`.
    fadd(x, y) = x + y;
    /// Difference. `OpFSub`.
    fsub(x, y) = x - y;
    /// Product. `OpFMul`.
    fmul(x, y) = x * y;
    /// Quotient; a nonzero number divided by zero is infinite, zero by zero is NaN. `OpFDiv`.
    fdiv(x, y) = x / y;
    /// Reciprocal. NIR `frcp`; `1.0 / x` in SPIR-V.
    frcp(x) = 1.0 / x;
    /// Remainder with the sign of the dividend: `x - y·trunc(x/y)`, exact, like C's `fmod`. NaN for an
    /// infinite dividend or a zero divisor; `x` for an infinite divisor. `OpFRem`. (NIR rounds each step of
    /// the formula.)
    frem(x, y) = libm::fmod(x, y);
    /// Square root; NaN for negative numbers, -0 for -0. `GLSL.std.450 Sqrt`.
    fsqrt(x) = libm::sqrt(x);
    /// `1/sqrt(x)`: infinite at zero, with its sign; NaN for negative numbers. `GLSL.std.450 InverseSqrt`.
    frsq(x) = 1.0 / libm::sqrt(x);
    /// Clamps to 0..1; NaN and -0 give +0. NIR `fsat`; `FClamp x 0 1` in SPIR-V.
    fsat(x) = if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 };
    /// 1 for positive numbers, -1 for negative; a zero keeps its sign, NaN gives +0. `GLSL.std.450 FSign`.
    fsign(x) = if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else if x.is_nan() { 0.0 } else { x };
    /// The largest integer not greater than `x`. `GLSL.std.450 Floor`.
    ffloor(x) = libm::floor(x);
    /// The smallest integer not less than `x`. `GLSL.std.450 Ceil`.
    fceil(x) = libm::ceil(x);
    /// Rounds toward zero. `GLSL.std.450 Trunc`.
    ftrunc(x) = libm::trunc(x);
    /// The nearest integer; halves round to even. `GLSL.std.450 Round` leaves the direction of halves to the
    /// implementation, and GPUs round to even (in Mesa, both are `fround_even`).
    fround(x) = libm::roundeven(x);
    /// The nearest integer; halves round away from zero. OpenCL's `round`.
    fround_away(x) = libm::round(x);
    /// The nearest integer; halves round to even. `GLSL.std.450 RoundEven`.
    fround_even(x) = libm::roundeven(x);
    /// The fractional part with the sign of `x`; zero for an infinity, like C's `modf`. First member of
    /// `GLSL.std.450 ModfStruct`.
    fmodf_fract(x) = libm::copysign(if x.is_infinite() { 0.0 } else { x - libm::trunc(x) }, x);
    /// The integer part with the sign of `x`. Second member of `GLSL.std.450 ModfStruct`.
    fmodf_whole(x) = libm::trunc(x);
    /// `x`, with a NaN replaced by the canonical one. NIR `fcanonicalize`; not in `OpenCL.std`.
    fcanonicalize(x) = x;
    /// 0 if `x < edge`, else 1 (also for a NaN, as the instruction's definition literally requires).
    /// `GLSL.std.450 Step`; the receiver is `edge`, its first operand.
    fstep(edge, x) = if x < edge { 0.0 } else { 1.0 };
}

/// Operations on the sign bit: no rounding, NaN payloads are kept.
impl Scalar {
    /// Flips the sign bit, also of a NaN. `OpFNegate`.
    pub fn fneg(self) -> Scalar {
        if !self.width.has_floats() {
            return Scalar::zero(self.width);
        }
        Scalar::new(self.width, self.bits ^ self.width.sign_bit())
    }

    /// Clears the sign bit, also of a NaN. `GLSL.std.450 FAbs`.
    pub fn fabs(self) -> Scalar {
        if !self.width.has_floats() {
            return Scalar::zero(self.width);
        }
        Scalar::new(self.width, self.bits & !self.width.sign_bit())
    }
}

/// Products that are 0.0 if a factor is zero.
impl Scalar {
    /// Returns true for 0.0 and -0.0.
    pub fn is_float_zero(self) -> bool {
        self.width.has_floats() && self.bits & !self.width.sign_bit() == 0
    }

    /// `self·y`, or 0.0 if a factor is zero.
    pub fn fmulz(self, y: Scalar) -> Scalar {
        if self.is_float_zero() || y.is_float_zero() { Scalar::zero(self.width) } else { self.fmul(y) }
    }

    /// `self·y + z`, rounded once; the product is 0.0 if a factor is zero.
    pub fn ffmaz(self, y: Scalar, z: Scalar) -> Scalar {
        if self.is_float_zero() || y.is_float_zero() {
            return Scalar::zero(self.width).fadd(z);
        }
        self.ffma(y, z)
    }
}

/// Fused multiply-add.
impl Scalar {
    /// `self·y + z`, rounded once. `GLSL.std.450 Fma`, `OpFmaKHR`.
    pub fn ffma(self, y: Scalar, z: Scalar) -> Scalar {
        let width = self.width;
        if y.width != width || z.width != width {
            return Scalar::zero(width);
        }
        match width {
            Width::W1 | Width::W8 => Scalar::zero(width),
            // The product of two halves is exact in f64 (22 bits), and the sum is either exact or gives the
            // same result when rounded twice. An inexact sum means that the terms span more than 53 bits. If
            // the product is the larger term, it is at least 2^29, far beyond the largest half: infinite both
            // ways. If `z` is the larger term, it is at least 2^5 and the product is below 2^-16, too small
            // to reach the midpoint between `z` and its neighbors: `z` both ways.
            Width::W16 => Scalar::float(width, self.to_f64() * y.to_f64() + z.to_f64()),
            // 24-bit significands have no such margin: the f64 sum can be a midpoint that the exact sum is
            // only close to.
            Width::W32 => Scalar::f32(libm::fmaf(self.to_f64() as f32, y.to_f64() as f32, z.to_f64() as f32)),
            Width::W64 => Scalar::f64(libm::fma(self.to_f64(), y.to_f64(), z.to_f64())),
        }
    }
}

/// Minimum, maximum, clamp.
impl Scalar {
    /// Minimum. If one operand is NaN, the result is the other; -0 is less than +0; two NaNs give the
    /// canonical NaN: `minimumNumber` of IEEE 754-2019. `GLSL.std.450 FMin`, which leaves NaN and zeros open;
    /// NIR makes the same choice.
    pub fn fmin(self, other: Scalar) -> Scalar {
        self.pick(other, |x, y| x < y || x == y && x.is_sign_negative())
    }

    /// Maximum. If one operand is NaN, the result is the other; +0 is greater than -0; two NaNs give the
    /// canonical NaN: `maximumNumber` of IEEE 754-2019. `GLSL.std.450 FMax`, which leaves NaN and zeros open;
    /// NIR makes the same choice.
    pub fn fmax(self, other: Scalar) -> Scalar {
        self.pick(other, |x, y| x > y || x == y && x.is_sign_positive())
    }

    /// Same as [`Scalar::fmin`]; this instruction requires the number if one operand is NaN.
    /// `GLSL.std.450 NMin`.
    pub fn fnmin(self, other: Scalar) -> Scalar {
        self.fmin(other)
    }

    /// Same as [`Scalar::fmax`]; this instruction requires the number if one operand is NaN.
    /// `GLSL.std.450 NMax`.
    pub fn fnmax(self, other: Scalar) -> Scalar {
        self.fmax(other)
    }

    /// `fmin(fmax(self, low), high)`: NaN gives `low`, and `low > high` gives `high`. `GLSL.std.450 FClamp`.
    pub fn fclamp(self, low: Scalar, high: Scalar) -> Scalar {
        self.fmax(low).fmin(high)
    }

    /// Same as [`Scalar::fclamp`]; this instruction requires `low` for a NaN. `GLSL.std.450 NClamp`.
    pub fn nclamp(self, low: Scalar, high: Scalar) -> Scalar {
        self.fclamp(low, high)
    }

    /// Selects one of two operands, bits unchanged; a NaN only if both are NaN.
    fn pick(self, other: Scalar, first_wins: impl FnOnce(f64, f64) -> bool) -> Scalar {
        if !self.width.has_floats() || self.width != other.width {
            return Scalar::zero(self.width);
        }
        match (self.is_nan(), other.is_nan()) {
            (true, true) => Scalar::nan(self.width),
            (true, false) => other,
            (false, true) => self,
            (false, false) if first_wins(self.to_f64(), other.to_f64()) => self,
            (false, false) => other,
        }
    }
}

impl Scalar {
    /// Remainder with the sign of the divisor: `x - y·floor(x/y)`, each step rounded, as in NIR and on GPUs, so that it may
    /// be as large as the divisor or have the other sign; NaN if an operand is infinite or the divisor is zero. `OpFMod`;
    /// its accuracy is that of the formula (Vulkan, "Precision and Operation of SPIR-V Instructions").
    pub fn fmod(self, y: Scalar) -> Scalar {
        self.fsub(y.fmul(self.fdiv(y).ffloor()))
    }
}

/// Predicates on the exponent field, used by the comparisons.
impl Scalar {
    /// True if the exponent field is all ones: an infinity or a NaN. False if the width has no floats.
    pub(super) fn exponent_is_full(self) -> bool {
        Format::of(self.width).is_some_and(|f| self.bits & f.infinity() == f.infinity())
    }

    /// True if the exponent field is all zeros: a zero or a subnormal. False if the width has no floats.
    pub(super) fn exponent_is_empty(self) -> bool {
        Format::of(self.width).is_some_and(|f| self.bits & f.infinity() == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, FLOATS, floats, halves, words};
    use super::*;

    type Native2<T> = fn(T, T) -> T;
    type Ours2 = fn(Scalar, Scalar) -> Scalar;

    /// The bits of a number; any NaN of the host becomes the canonical one.
    fn canonical32(x: f32) -> Scalar {
        if x.is_nan() { Scalar::nan(Width::W32) } else { Scalar::new(Width::W32, u64::from(x.to_bits())) }
    }
    fn canonical64(x: f64) -> Scalar {
        if x.is_nan() { Scalar::nan(Width::W64) } else { Scalar::new(Width::W64, x.to_bits()) }
    }
    fn native32(x: Scalar) -> f32 {
        f32::from_bits(x.bits() as u32)
    }
    fn native64(x: Scalar) -> f64 {
        f64::from_bits(x.bits())
    }

    /// why: the host computes in the width itself, so a double rounding in this code would give different
    /// bits.
    #[test]
    fn arithmetic_is_that_of_the_host() {
        let rows: [(Ours2, Native2<f32>, Native2<f64>); 5] = [
            (Scalar::fadd, |a, b| a + b, |a, b| a + b),
            (Scalar::fsub, |a, b| a - b, |a, b| a - b),
            (Scalar::fmul, |a, b| a * b, |a, b| a * b),
            (Scalar::fdiv, |a, b| a / b, |a, b| a / b),
            (Scalar::frem, |a, b| a % b, |a, b| a % b),
        ];
        for (ours, narrow, wide) in rows {
            for a in floats(Width::W32) {
                for b in floats(Width::W32) {
                    assert_eq!(ours(a, b), canonical32(narrow(native32(a), native32(b))), "{a:?} {b:?}");
                }
            }
            for a in floats(Width::W64) {
                for b in floats(Width::W64) {
                    assert_eq!(ours(a, b), canonical64(wide(native64(a), native64(b))), "{a:?} {b:?}");
                }
            }
            for word in words(200_000) {
                let (a, b) = (Scalar::new(Width::W32, word), Scalar::new(Width::W32, word >> 32));
                assert_eq!(ours(a, b), canonical32(narrow(native32(a), native32(b))), "{a:?} {b:?}");
            }
        }
        for word in words(200_000) {
            let a = Scalar::new(Width::W32, word);
            assert_eq!(a.fsqrt(), canonical32(native32(a).sqrt()));
        }
    }

    /// The half nearest to `sum / 2^48`, found by a search of the table of halves with exact integers.
    fn nearest_half(sum: i128) -> Scalar {
        // Twice the magnitude in units of 2^-48, so that the midpoint of two halves is an integer.
        let size = sum.unsigned_abs() * 2;
        let at = |bits: u64| (Scalar::new(Width::W16, bits).to_f64() * 2f64.powi(49)) as u128;
        let below = (0..=0x7bff_u64).collect::<Vec<_>>().partition_point(|&bits| at(bits) <= size) as u64 - 1;
        let above = if below == 0x7bff { 65536 << 49 } else { at(below + 1) };
        let (down, up) = (size - at(below), above - size.min(above));
        let bits = if up < down || up == down && below & 1 == 1 { below + 1 } else { below };
        Scalar::new(Width::W16, bits | if sum < 0 { 0x8000 } else { 0 })
    }

    /// why: checks the claim that the intermediate rounding to f64 is harmless, using exact integers.
    #[test]
    fn half_arithmetic_is_exact_before_rounding() {
        let finite: Vec<Scalar> = floats(Width::W16).into_iter().filter(|s| s.to_f64().is_finite()).collect();
        let fixed = |s: Scalar, places: i32| (s.to_f64() * 2f64.powi(places)) as i128;
        for &a in &finite {
            for &b in &finite {
                let product = fixed(a, 24) * fixed(b, 24);
                if product != 0 {
                    assert_eq!(a.fmul(b), nearest_half(product), "{a:?} {b:?}");
                }
                let sum = fixed(a, 48) + fixed(b, 48);
                if sum != 0 {
                    assert_eq!(a.fadd(b), nearest_half(sum), "{a:?} {b:?}");
                }
            }
        }
        let triples = words(3000).map(|w| [w, w >> 16, w >> 32].map(|bits| Scalar::new(Width::W16, bits)));
        let tight = finite.iter().flat_map(|&z| {
            [[0x0001, 0x0001], [0x0001, 0x3c00], [0x8001, 0x0401], [0x4bff, 0x0fff]]
                .map(|[x, y]| [Scalar::new(Width::W16, x), Scalar::new(Width::W16, y), z])
        });
        for [x, y, z] in triples.chain(tight).filter(|t| t.iter().all(|s| s.to_f64().is_finite())) {
            let sum = fixed(x, 24) * fixed(y, 24) + fixed(z, 48);
            if sum != 0 {
                assert_eq!(x.ffma(y, z), nearest_half(sum), "{x:?} {y:?} {z:?}");
            }
        }
    }

    /// why: integers give the exact sum, and Rust rounds it once in the conversion.
    #[test]
    fn fused_multiply_add_rounds_once() {
        let mut two_roundings_differ = 0;
        for (word, other) in words(100_000).zip(words(200_000).skip(100_000)) {
            let (a, b) = (i128::from(word & 0xff_ffff), i128::from(word >> 24 & 0xff_ffff));
            let c = i128::from(other.cast_signed() >> 40) << (other & 31);
            let [x, y, z] = [a, b, c].map(|n| Scalar::f32(n as f32));
            assert_eq!(x.ffma(y, z), Scalar::f32((a * b + c) as f32), "{a} {b} {c}");
            two_roundings_differ += u32::from(x.fmul(y).fadd(z) != x.ffma(y, z));

            let (a, b) = (i128::from(word >> 11), i128::from(other >> 11));
            let c = i128::from((word ^ other).cast_signed() >> 11) << (word & 63);
            let [x, y, z] = [a, b, c].map(|n| Scalar::f64(n as f64));
            assert_eq!(x.ffma(y, z), Scalar::f64((a * b + c) as f64), "{a} {b} {c}");
        }
        assert!(two_roundings_differ > 1000, "the samples do not distinguish fused from separate rounding");
    }

    #[test]
    fn fused_multiply_add_at_the_borders() {
        for width in FLOATS {
            let n = |x| Scalar::float(width, x);
            assert!(n(f64::INFINITY).ffma(n(0.0), n(1.0)).is_nan());
            assert!(n(f64::INFINITY).ffma(n(1.0), n(f64::NEG_INFINITY)).is_nan());
            assert_eq!(n(1.0).ffma(n(1.0), n(f64::NEG_INFINITY)), n(f64::NEG_INFINITY));
            assert_eq!(n(-1.0).ffma(n(0.0), n(0.0)), n(0.0));
            assert_eq!(n(-1.0).ffma(n(0.0), n(-0.0)), n(-0.0));
            assert_eq!(n(2.0).ffma(n(3.0), n(-6.0)), n(0.0));
        }
    }

    #[test]
    fn every_nan_made_is_canonical() {
        type Ours1 = fn(Scalar) -> Scalar;
        let unary: [(&str, Ours1); 21] = [
            ("frcp", Scalar::frcp),
            ("fsqrt", Scalar::fsqrt),
            ("frsq", Scalar::frsq),
            ("fsat", Scalar::fsat),
            ("fsign", Scalar::fsign),
            ("ffloor", Scalar::ffloor),
            ("fceil", Scalar::fceil),
            ("ftrunc", Scalar::ftrunc),
            ("fround", Scalar::fround),
            ("fround_even", Scalar::fround_even),
            ("ffract", Scalar::ffract),
            ("fract", Scalar::fmodf_fract),
            ("whole", Scalar::fmodf_whole),
            ("fcanonicalize", Scalar::fcanonicalize),
            ("fradians", Scalar::fradians),
            ("fdegrees", Scalar::fdegrees),
            ("frexp_sig", Scalar::frexp_sig),
            ("fquantize16", Scalar::fquantize16),
            ("ldexp", |x| x.fldexp(Scalar::i(Width::W8, -3))),
            ("min", |x| x.fmin(x)),
            ("max", |x| x.fnmax(x)),
        ];
        for (name, op) in unary {
            for scalar in FLOATS.into_iter().flat_map(floats) {
                let result = op(scalar);
                assert_eq!(result.width(), scalar.width(), "{name}");
                assert!(
                    !result.is_nan() || result == Scalar::nan(scalar.width()),
                    "{name} {scalar:?} {result:?}"
                );
            }
        }
        let binary: [(&str, Ours2); 12] = [
            ("fadd", Scalar::fadd),
            ("fsub", Scalar::fsub),
            ("fmul", Scalar::fmul),
            ("fdiv", Scalar::fdiv),
            ("frem", Scalar::frem),
            ("fmod", Scalar::fmod),
            ("fmin", Scalar::fmin),
            ("fmax", Scalar::fmax),
            ("fstep", Scalar::fstep),
            ("ffma", |x, y| x.ffma(y, x)),
            ("fmix", |x, y| x.fmix(y, x)),
            ("fsmoothstep", |x, y| x.fsmoothstep(y, x)),
        ];
        for (name, op) in binary {
            for width in FLOATS {
                for a in floats(width) {
                    for b in floats(width) {
                        let result = op(a, b);
                        assert!(!result.is_nan() || result == Scalar::nan(width), "{name} {a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn rounding_of_every_half_is_that_of_the_host() {
        for half in halves().filter(|h| !h.is_nan()) {
            let x = half::f16::from_bits(half.bits() as u16).to_f32();
            let h = |x: f32| Scalar::new(Width::W16, u64::from(half::f16::from_f32(x).to_bits()));
            assert_eq!(half.ffloor(), h(x.floor()));
            assert_eq!(half.fceil(), h(x.ceil()));
            assert_eq!(half.ftrunc(), h(x.trunc()));
            assert_eq!(half.fround(), h(x.round_ties_even()));
            assert_eq!(half.fround_away(), h(x.round()));
            assert_eq!(half.fround_even(), h(x.round_ties_even()));
            assert_eq!(half.fmodf_whole(), h(x.trunc()));
            assert_eq!(half.fneg(), h(-x));
            assert_eq!(half.fabs(), h(x.abs()));
            if x.is_finite() {
                assert_eq!(half.ffract(), h(x - x.floor()));
                assert_eq!(half.fmodf_fract(), h((x - x.trunc()).copysign(x)));
            }
            if x >= 0.0 {
                assert_eq!(half.fsqrt(), h(x.sqrt()));
            }
            assert_eq!(half.fsat(), h(if x > 0.0 { x.min(1.0) } else { 0.0 }));
        }
        assert_eq!(Scalar::f32(2.5).fround(), Scalar::f32(2.0));
        assert_eq!(Scalar::f32(2.5).fround_away(), Scalar::f32(3.0));
        assert_eq!(Scalar::f32(2.5).fround_even(), Scalar::f32(2.0));
        assert_eq!(Scalar::f32(f32::INFINITY).fmodf_fract(), Scalar::f32(0.0));
        assert!(Scalar::f32(f32::INFINITY).ffract().is_nan());
        assert_eq!(Scalar::f32(-1.0e-10).ffract(), Scalar::f32(1.0));
    }

    /// The quotient is rounded up to 3 before it is rounded down.
    #[test]
    fn a_floored_remainder_is_rounded_step_by_step() {
        let (x, y) = (Scalar::f32(0.899_999_9), Scalar::f32(0.3));
        assert_eq!(x.fdiv(y), Scalar::f32(2.999_999_5));
        let third = Scalar::f32(1.0).fdiv(Scalar::f32(3.0));
        assert_eq!(Scalar::f32(1.0).fdiv(third), Scalar::f32(3.0));
        assert!(Scalar::f32(1.0).frem(third).to_f64() > 0.0, "the exact quotient is above 3 or below");
        assert_eq!(Scalar::f32(1.0).fmod(third), Scalar::f32(1.0).fsub(Scalar::f32(3.0).fmul(third)));
    }

    #[test]
    fn remainders_take_the_sign_of_their_operand() {
        for width in FLOATS {
            let n = |x| Scalar::float(width, x);
            assert_eq!(n(5.5).frem(n(-2.0)), n(1.5));
            assert_eq!(n(-5.5).frem(n(2.0)), n(-1.5));
            assert_eq!(n(5.5).fmod(n(-2.0)), n(-0.5));
            assert_eq!(n(-5.5).fmod(n(2.0)), n(0.5));
            assert_eq!(n(-4.0).frem(n(2.0)), n(-0.0));
            assert_eq!(n(-4.0).fmod(n(2.0)), n(0.0));
            assert_eq!(n(4.0).fmod(n(-2.0)), n(0.0));
            assert!(n(-1.0).fmod(n(f64::INFINITY)).is_nan() && n(1.0).fmod(n(f64::INFINITY)).is_nan());
            for x in [n(1.0), n(0.0), n(f64::NAN)] {
                assert!(x.fmod(n(0.0)).is_nan() && x.frem(n(0.0)).is_nan());
            }
        }
    }

    #[test]
    fn smallest_and_largest_order_zeros_and_skip_nan() {
        for width in FLOATS {
            let all = floats(width);
            for &a in &all {
                for &b in &all {
                    let (low, high) = (a.fmin(b), a.fmax(b));
                    assert_eq!((low, high), (b.fmin(a), b.fmax(a)), "{a:?} {b:?}");
                    match (a.is_nan(), b.is_nan()) {
                        (true, true) => assert_eq!((low, high), (Scalar::nan(width), Scalar::nan(width))),
                        (true, false) => assert_eq!((low, high), (b, b)),
                        (false, true) => assert_eq!((low, high), (a, a)),
                        (false, false) => {
                            let by_host = a.to_f64().total_cmp(&b.to_f64());
                            assert_eq!((low, high), if by_host.is_lt() { (a, b) } else { (b, a) });
                        }
                    }
                }
            }
            let n = |x| Scalar::float(width, x);
            assert_eq!(n(f64::NAN).fclamp(n(2.0), n(3.0)), n(2.0));
            assert_eq!(n(5.0).nclamp(n(2.0), n(3.0)), n(3.0));
            assert_eq!(n(5.0).fclamp(n(3.0), n(2.0)), n(2.0));
            assert_eq!(n(f64::NAN).fsat(), n(0.0));
            assert_eq!(n(-0.0).fsat(), n(0.0));
        }
    }

    #[test]
    fn sign_and_step() {
        for width in FLOATS {
            let n = |x| Scalar::float(width, x);
            assert_eq!(
                [-3.0, -0.0, 0.0, 9.0, f64::NAN].map(|x| n(x).fsign()),
                [-1.0, -0.0, 0.0, 1.0, 0.0].map(n)
            );
            assert_eq!([0.9, 1.0, 1.1, f64::NAN].map(|x| n(1.0).fstep(n(x))), [0.0, 1.0, 1.0, 1.0].map(n));
        }
    }

    #[test]
    fn signs_move_without_touching_a_payload() {
        let signalling = Scalar::new(Width::W32, 0xff80_0001);
        assert_eq!(signalling.fneg(), Scalar::new(Width::W32, 0x7f80_0001));
        assert_eq!(signalling.fabs(), Scalar::new(Width::W32, 0x7f80_0001));
        assert_eq!(signalling.fcanonicalize(), Scalar::nan(Width::W32));
    }

    #[test]
    fn illegal_operands_give_zero() {
        let (byte, half, single) = (Scalar::u(Width::W8, 200), Scalar::f16(2.0), Scalar::f32(3.0));
        for x in [
            byte.fadd(byte),
            byte.fneg(),
            byte.fabs(),
            byte.fmin(byte),
            byte.ffma(byte, byte),
            byte.fldexp(byte),
            byte.frexp_sig(),
            byte.fmix(byte, byte),
            byte.ffract(),
            byte.fquantize16(),
        ] {
            assert_eq!(x, Scalar::zero(Width::W8));
        }
        for x in [half.fadd(single), half.fmax(single), half.ffma(half, single)] {
            assert_eq!(x, Scalar::zero(Width::W16));
        }
        assert_eq!(samples::ints(Width::W1)[1].fsqrt(), Scalar::zero(Width::W1));
    }
}

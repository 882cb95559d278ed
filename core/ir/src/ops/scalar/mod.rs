//! Scalar arithmetic: the single definition of the meaning of operations on numbers.
//!
//! Op table entries, the constant folder, the interpreter and the rule checker all use it, component by
//! component, so they cannot disagree. Every method has three properties:
//!
//! * **Total.** Any input of a legal width has a result; nothing panics. If SPIR-V leaves a result undefined,
//!   the doc of the method states the choice, which is NIR's unless stated otherwise. Operands of different
//!   widths, or a float operation on a width without floats (1 and 8), give a zero of the first operand's
//!   width; a comparison of such operands is false. The validator rejects such programs, so this is only a
//!   safety net.
//! * **The same bits everywhere.** The host and wasm agree: `+ - * /`, square root and rounding are exact by
//!   IEEE 754; everything else comes from `libm`, compiled from the same source for both, because `std`'s
//!   `sin` or `mul_add` would call the platform. Hardware chooses the payload of a NaN freely, so every NaN
//!   produced by arithmetic is replaced by the positive quiet one. Moves of bits (`fneg`, `fabs`, `select`,
//!   packing) keep payloads.
//! * **One rounding.** A result is the real result rounded once to the width, to nearest even, keeping
//!   subnormals. Formulas such as `fmix` round at each step, as their docs state. Flushing is an execution
//!   mode: its user calls [`Scalar::flush_denorm`] around the operation.
//!
//! Limits: transcendental functions on 64 bits are as accurate as `libm` (about 1 ulp), not correctly
//! rounded; on 16 and 32 bits, rounding to the width can in rare cases double an error of `libm`.

mod compare; // comparisons and predicates
mod convert; // conversions between widths and kinds of numbers
mod float; // arithmetic, rounding, signs
mod float_math; // powers, logarithms, angles
mod float_parts; // significand and exponent, interpolation, quantization
mod int; // integers, booleans, bits, packed dot products
mod pack; // several components in one scalar
mod round; // rounding a real number to a float format
mod toward_zero; // the same arithmetic in another rounding mode

use std::fmt;

/// The number of bits of a component: 1 (booleans), 8, 16, 32 or 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Width {
    /// A boolean.
    W1,
    /// Integers only.
    W8,
    /// Integers and half precision.
    W16,
    /// Integers and single precision; the most common width in shaders.
    #[default]
    W32,
    /// Integers and double precision.
    W64,
}

impl Width {
    /// Every width, in increasing order.
    pub const ALL: [Width; 5] = [Width::W1, Width::W8, Width::W16, Width::W32, Width::W64];

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Width::W1 => 1,
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }

    /// Returns the width with this many bits, if it exists.
    pub const fn from_bits(bits: u32) -> Option<Width> {
        match bits {
            1 => Some(Width::W1),
            8 => Some(Width::W8),
            16 => Some(Width::W16),
            32 => Some(Width::W32),
            64 => Some(Width::W64),
            _ => None,
        }
    }

    /// A mask of all bits of this width, which is also the largest unsigned number.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Returns true if floats of this width exist: 16, 32 and 64.
    pub const fn has_floats(self) -> bool {
        match self {
            Width::W1 | Width::W8 => false,
            Width::W16 | Width::W32 | Width::W64 => true,
        }
    }

    /// The highest bit: the sign of an integer or a float.
    pub const fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }
}

/// One component of a value: `width` bits, kept in the low bits of `bits`; the upper bits are zero.
///
/// A scalar has no type: each operation defines how it interprets the bits. Equality and hash are those of
/// the bits, so `0.0` and `-0.0` differ and a NaN equals itself; [`Scalar::feq`] compares numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scalar {
    bits: u64,
    width: Width,
}

/// Constructors.
impl Scalar {
    /// Keeps the low `width` bits of `bits`.
    pub const fn new(width: Width, bits: u64) -> Scalar {
        Scalar { bits: bits & width.mask(), width }
    }

    /// Zero, `0.0` or false.
    pub const fn zero(width: Width) -> Scalar {
        Scalar { bits: 0, width }
    }

    /// A boolean, one bit wide.
    pub const fn bool(value: bool) -> Scalar {
        Scalar { bits: value as u64, width: Width::W1 }
    }

    /// An unsigned integer, modulo 2 to the width.
    pub const fn u(width: Width, value: u64) -> Scalar {
        Scalar::new(width, value)
    }

    /// A signed integer in two's complement, modulo 2 to the width.
    pub const fn i(width: Width, value: i64) -> Scalar {
        Scalar::new(width, value.cast_unsigned())
    }

    /// Half precision: `value` is rounded to nearest even.
    pub fn f16(value: f64) -> Scalar {
        Scalar::float(Width::W16, value)
    }

    /// Single precision. A NaN becomes the canonical one; [`Scalar::new`] keeps payloads.
    pub fn f32(value: f32) -> Scalar {
        Scalar::float(Width::W32, f64::from(value))
    }

    /// Double precision. A NaN becomes the canonical one; [`Scalar::new`] keeps payloads.
    pub fn f64(value: f64) -> Scalar {
        Scalar::float(Width::W64, value)
    }

    /// Rounds `value` once to the width, to nearest even; overflow gives infinity. A NaN becomes the
    /// canonical one. Zero if the width has no floats.
    pub fn float(width: Width, value: f64) -> Scalar {
        if value.is_nan() {
            return Scalar::nan(width);
        }
        match width {
            Width::W1 | Width::W8 => Scalar::zero(width),
            // Not through `half`: on x86 it converts through f32 or drops the low 32 bits, and either rounds
            // some ties wrongly.
            Width::W16 => round::to_format(width, value, round::Rounding::NearestEven),
            Width::W32 => Scalar::new(width, u64::from((value as f32).to_bits())),
            Width::W64 => Scalar::new(width, value.to_bits()),
        }
    }

    /// The only NaN that arithmetic produces: positive, quiet, no payload. Zero if the width has no floats.
    pub const fn nan(width: Width) -> Scalar {
        let bits = match width {
            Width::W1 | Width::W8 => 0,
            Width::W16 => 0x7e00,
            Width::W32 => 0x7fc0_0000,
            Width::W64 => 0x7ff8_0000_0000_0000,
        };
        Scalar { bits, width }
    }
}

/// Accessors.
impl Scalar {
    /// The bits; those above the width are zero.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// Returns true if any bit is set.
    pub const fn as_bool(self) -> bool {
        self.bits != 0
    }

    /// The bits as an unsigned integer.
    pub const fn as_u64(self) -> u64 {
        self.bits
    }

    /// The bits as a signed integer: sign-extended, so a true boolean is -1.
    pub const fn as_i64(self) -> i64 {
        let unused = 64 - self.width.bits();
        (self.bits << unused).cast_signed() >> unused
    }

    /// The bits as a float. Exact, but every NaN becomes the canonical one, because hardware may change a
    /// payload in the conversion. Zero if the width has no floats.
    pub fn to_f64(self) -> f64 {
        if self.is_nan() {
            return f64::from_bits(Scalar::nan(Width::W64).bits);
        }
        match self.width {
            Width::W1 | Width::W8 => 0.0,
            Width::W16 => half::f16::from_bits(self.bits as u16).to_f64(),
            Width::W32 => f64::from(f32::from_bits(self.bits as u32)),
            Width::W64 => f64::from_bits(self.bits),
        }
    }

    /// Returns true if the bits, interpreted as a float, are a NaN of any payload. False if the width has no
    /// floats.
    pub const fn is_nan(self) -> bool {
        match round::Format::of(self.width) {
            Some(format) => self.bits & !self.width.sign_bit() > format.infinity(),
            None => false,
        }
    }

    /// Replaces a subnormal float by a zero of the same sign; anything else is unchanged.
    ///
    /// `SPV_KHR_float_controls` calls this `DenormFlushToZero`; it applies to operands and results.
    pub const fn flush_denorm(self) -> Scalar {
        match round::Format::of(self.width) {
            Some(format) if self.bits & format.infinity() == 0 => {
                Scalar { bits: self.bits & self.width.sign_bit(), width: self.width }
            }
            Some(_) | None => self,
        }
    }

    /// `a` if `self` has any bit set, else `b`; the bits are unchanged. `OpSelect`.
    pub const fn select(self, a: Scalar, b: Scalar) -> Scalar {
        if self.as_bool() { a } else { b }
    }
}

impl fmt::Debug for Scalar {
    /// Width and all digits: `w16:0x3c00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.width.bits().div_ceil(4) as usize;
        write!(f, "w{}:0x{:0digits$x}", self.width.bits(), self.bits)
    }
}

/// Shared by the tests of all modules: widths with floats, and scalars at boundaries.
#[cfg(test)]
mod samples {
    use super::{Scalar, Width};

    pub(super) const FLOATS: [Width; 3] = [Width::W16, Width::W32, Width::W64];

    /// Bit patterns at every boundary of the format, of both signs, and a few ordinary numbers.
    pub(super) fn floats(width: Width) -> Vec<Scalar> {
        let infinity = Scalar::float(width, f64::INFINITY).bits();
        let one = Scalar::float(width, 1.0).bits();
        let smallest_normal = infinity & (!infinity + 1); // the lowest bit of the exponent
        let borders = [0, 1, 2, 3, smallest_normal - 1, smallest_normal, smallest_normal + 1];
        let around = [one - 1, one, one + 1, infinity - 2, infinity - 1, infinity, infinity + 1];
        let numbers = [0.1, 0.5, 1.5, 2.0, 2.5, 3.0, 7.25, 100.0, 1000.5, 65504.0, 3.0e9, 1.0e-5];
        let mut all: Vec<Scalar> = borders.iter().chain(&around).map(|&b| Scalar::new(width, b)).collect();
        all.extend(numbers.map(|x| Scalar::float(width, x)));
        all.push(Scalar::nan(width));
        all.push(Scalar::new(width, width.mask() >> 1));
        let negative: Vec<Scalar> =
            all.iter().map(|s| Scalar::new(width, s.bits() | width.sign_bit())).collect();
        all.extend(negative);
        all
    }

    /// Integers at every boundary of the width.
    pub(super) fn ints(width: Width) -> Vec<Scalar> {
        let numbers = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, 255, 0x1234_5678_9abc_def0];
        let mut all: Vec<Scalar> = numbers.iter().map(|&n| Scalar::u(width, n)).collect();
        all.extend(numbers.iter().map(|&n| Scalar::u(width, n.wrapping_neg())));
        all.extend(
            [width.sign_bit() - 1, width.sign_bit(), width.sign_bit() + 1].map(|n| Scalar::u(width, n)),
        );
        all
    }

    /// Every half float.
    pub(super) fn halves() -> impl Iterator<Item = Scalar> {
        (0..=u64::from(u16::MAX)).map(|bits| Scalar::new(Width::W16, bits))
    }

    /// The same pseudo-random words in every run (xorshift, Marsaglia 2003).
    pub(super) fn words(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
        .take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_name_their_bits() {
        for width in Width::ALL {
            assert_eq!(Width::from_bits(width.bits()), Some(width));
            assert_eq!(width.mask().count_ones(), width.bits());
            assert_eq!(width.mask().trailing_ones(), width.bits());
        }
        assert_eq!((0..200).filter_map(Width::from_bits).count(), Width::ALL.len());
        assert!(Width::W1 < Width::W8 && Width::W32 < Width::W64);
        assert_eq!(Width::default(), Width::W32);
    }

    #[test]
    fn upper_bits_are_dropped() {
        for width in Width::ALL {
            assert_eq!(Scalar::new(width, u64::MAX).bits(), width.mask());
            assert_eq!(Scalar::i(width, -1).as_i64(), -1);
            assert_eq!(Scalar::new(width, width.sign_bit()).as_i64(), i64::MIN >> (64 - width.bits()));
        }
        assert_eq!(Scalar::u(Width::W8, 0x1ff).as_u64(), 0xff);
        assert_eq!(Scalar::i(Width::W16, 0x7fff).as_i64(), 0x7fff);
    }

    #[test]
    fn debug_shows_width_and_every_digit() {
        assert_eq!(format!("{:?}", Scalar::bool(true)), "w1:0x1");
        assert_eq!(format!("{:?}", Scalar::f16(1.0)), "w16:0x3c00");
        assert_eq!(format!("{:?}", Scalar::u(Width::W64, 10)), "w64:0x000000000000000a");
    }

    #[test]
    fn floats_read_back() {
        for half in samples::halves().filter(|h| !h.is_nan()) {
            assert_eq!(Scalar::f16(half.to_f64()), half);
        }
        for width in samples::FLOATS {
            for scalar in samples::floats(width).into_iter().filter(|s| !s.is_nan()) {
                assert_eq!(Scalar::float(width, scalar.to_f64()), scalar);
            }
        }
        assert_eq!(Scalar::f32(f32::MIN_POSITIVE).to_f64(), f64::from(f32::MIN_POSITIVE));
        assert_eq!(Scalar::new(Width::W16, 1).to_f64(), 2f64.powi(-24));
    }

    #[test]
    fn any_payload_is_nan() {
        let by_half = samples::halves().filter(|h| half::f16::from_bits(h.bits() as u16).is_nan());
        assert!(by_half.eq(samples::halves().filter(|h| h.is_nan())));
        for bits in [0x7f80_0001, 0xff80_0001, 0x7fc0_0000, 0xffff_ffff] {
            let scalar = Scalar::new(Width::W32, bits);
            assert!(scalar.is_nan());
            assert_eq!(scalar.to_f64().to_bits(), 0x7ff8_0000_0000_0000);
        }
        assert!(!Scalar::new(Width::W32, 0x7f80_0000).is_nan());
        assert!(!Scalar::new(Width::W8, 0xff).is_nan());
        assert_eq!(Scalar::f16(-f64::NAN).bits(), 0x7e00);
        assert_eq!(Scalar::f32(-f32::NAN).bits(), 0x7fc0_0000);
        assert_eq!(Scalar::f64(-f64::NAN).bits(), 0x7ff8_0000_0000_0000);
    }

    #[test]
    fn only_subnormals_are_flushed() {
        for half in samples::halves() {
            let number = half::f16::from_bits(half.bits() as u16);
            let expected = match number.classify() {
                std::num::FpCategory::Subnormal => Scalar::new(Width::W16, half.bits() & 0x8000),
                _ => half,
            };
            assert_eq!(half.flush_denorm(), expected);
        }
        assert_eq!(Scalar::u(Width::W8, 1).flush_denorm().bits(), 1);
    }

    #[test]
    fn select_moves_bits() {
        let signalling = Scalar::new(Width::W32, 0x7f80_0001);
        assert_eq!(Scalar::bool(true).select(signalling, Scalar::f32(1.0)), signalling);
        assert_eq!(Scalar::bool(false).select(signalling, Scalar::f32(1.0)), Scalar::f32(1.0));
    }

    #[test]
    fn widths_without_floats_give_zero() {
        assert_eq!(Scalar::float(Width::W8, 3.0), Scalar::zero(Width::W8));
        assert_eq!(Scalar::float(Width::W1, f64::NAN), Scalar::zero(Width::W1));
        assert_eq!(Scalar::u(Width::W8, 3).to_f64(), 0.0);
    }
}

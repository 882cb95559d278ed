//! Rounds a real number to a float format, once, in any direction.
//!
//! Uses integers only, so that the host's rounding mode and conversions have no influence.

use super::{Scalar, Width};

/// The `FPRoundingMode` of SPIR-V.
#[derive(Clone, Copy)]
pub(super) enum Rounding {
    /// `RTE`: to the nearest; a tie goes to the number with an even last bit.
    NearestEven,
    /// `RTZ`.
    TowardZero,
    /// `RTP`: never less than the exact number.
    Up,
    /// `RTN`: never greater than the exact number.
    Down,
}

/// Positions of the fields of an IEEE 754 number: sign, exponent, fraction from the top.
#[derive(Clone, Copy)]
pub(super) struct Format {
    fraction_bits: u32,
    /// Bias of the exponent; also the largest exponent of a finite number.
    bias: i32,
}

impl Format {
    /// `None` if the width has no floats.
    pub(super) const fn of(width: Width) -> Option<Format> {
        match width {
            Width::W1 | Width::W8 => None,
            Width::W16 => Some(Format { fraction_bits: 10, bias: 15 }),
            Width::W32 => Some(Format { fraction_bits: 23, bias: 127 }),
            Width::W64 => Some(Format { fraction_bits: 52, bias: 1023 }),
        }
    }

    /// Bits of positive infinity, which are the bits of the exponent field.
    pub(super) const fn infinity(self) -> u64 {
        (2 * self.bias.cast_unsigned() as u64 + 1) << self.fraction_bits
    }

    /// The exponent of the smallest normal number; subnormals share it.
    const fn min_exponent(self) -> i32 {
        1 - self.bias
    }
}

/// A finite real number: `±magnitude · 2^exponent`. A zero also has a sign.
#[derive(Clone, Copy)]
pub(super) struct Real {
    pub(super) negative: bool,
    pub(super) magnitude: u64,
    pub(super) exponent: i32,
}

impl Real {
    /// Exact; `value` must be finite (an infinity would be read as a large number).
    pub(super) fn from_f64(value: f64) -> Real {
        let bits = value.to_bits();
        let fraction = bits & 0x000f_ffff_ffff_ffff;
        let biased = (bits >> 52 & 0x7ff) as i32;
        let negative = value.is_sign_negative();
        match biased {
            0 => Real { negative, magnitude: fraction, exponent: -1074 },
            _ => Real { negative, magnitude: fraction | 1 << 52, exponent: biased - 1075 },
        }
    }

    /// The number of this width in the direction of `rounding`; zero if the width has no floats.
    pub(super) fn round(self, width: Width, rounding: Rounding) -> Scalar {
        let Some(format) = Format::of(width) else { return Scalar::zero(width) };
        let sign = if self.negative { width.sign_bit() } else { 0 };
        if self.magnitude == 0 {
            return Scalar::new(width, sign);
        }
        // The exponent of the leading one determines the precision of the format here; below the normal range
        // the precision is constant.
        let leading = self.exponent + self.magnitude.ilog2().cast_signed();
        let scale = leading.max(format.min_exponent());
        if scale > format.bias {
            return Scalar::new(width, sign | format.overflow(self.negative, rounding));
        }
        let last_bit = scale - format.fraction_bits.cast_signed();
        let kept = shift_rounded(self.magnitude, last_bit - self.exponent, self.negative, rounding);
        // `kept` includes the leading one, which adds one to the exponent field, and a carry out of the
        // fraction adds another. Both are correct, including the step from the largest finite number to
        // infinity.
        let biased = (scale - format.min_exponent()) as u64;
        Scalar::new(width, sign | ((biased << format.fraction_bits) + kept))
    }
}

impl Format {
    /// The result of an overflow, without its sign.
    const fn overflow(self, negative: bool, rounding: Rounding) -> u64 {
        match (rounding, negative) {
            (Rounding::NearestEven, _) | (Rounding::Up, false) | (Rounding::Down, true) => self.infinity(),
            (Rounding::TowardZero, _) | (Rounding::Up, true) | (Rounding::Down, false) => self.infinity() - 1,
        }
    }
}

/// `magnitude / 2^shift` as an integer. A negative shift is at most 52 and loses nothing.
fn shift_rounded(magnitude: u64, shift: i32, negative: bool, rounding: Rounding) -> u64 {
    if shift <= 0 {
        return magnitude << -shift;
    }
    // Beyond 65 places everything is dropped and is less than half of the last bit: larger shifts make no
    // difference.
    let shift = shift.min(66);
    let wide = u128::from(magnitude);
    let kept = (wide >> shift) as u64;
    let dropped = wide & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let away = match rounding {
        Rounding::NearestEven => dropped > half || dropped == half && kept & 1 == 1,
        Rounding::TowardZero => false,
        Rounding::Up => !negative && dropped != 0,
        Rounding::Down => negative && dropped != 0,
    };
    kept + u64::from(away)
}

/// Any `f64` in the width: NaN becomes canonical, infinities are kept.
pub(super) fn to_format(width: Width, value: f64, rounding: Rounding) -> Scalar {
    if value.is_nan() {
        return Scalar::nan(width);
    }
    if value.is_infinite() {
        let Some(format) = Format::of(width) else { return Scalar::zero(width) };
        let sign = if value < 0.0 { width.sign_bit() } else { 0 };
        return Scalar::new(width, sign | format.infinity());
    }
    Real::from_f64(value).round(width, rounding)
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    const ALL: [Rounding; 4] = [Rounding::NearestEven, Rounding::TowardZero, Rounding::Up, Rounding::Down];

    /// Doubles of all magnitudes relevant to the format, many of them with only a few bits, so that ties are
    /// common.
    fn doubles() -> impl Iterator<Item = f64> {
        samples::words(400_000).map(|word| {
            let exponent = 1023 - 160 + word % 320;
            let fraction = word >> 12 & (u64::MAX << (word >> 5 & 63));
            f64::from_bits(word & 1 << 63 | exponent << 52 | fraction & 0x000f_ffff_ffff_ffff)
        })
    }

    #[test]
    fn nearest_even_agrees_with_the_hardware() {
        for value in doubles() {
            let ours = to_format(Width::W32, value, Rounding::NearestEven).bits();
            assert_eq!(ours, u64::from((value as f32).to_bits()), "{value:e}");
        }
    }

    #[test]
    fn half_from_single_agrees_with_the_half_crate() {
        for value in doubles().map(|v| v as f32) {
            let ours = Scalar::f16(f64::from(value)).bits();
            assert_eq!(ours, u64::from(half::f16::from_f32(value).to_bits()), "{value:e}");
        }
    }

    #[test]
    fn double_is_kept_in_every_direction() {
        for value in doubles().chain([5e-324, f64::MIN_POSITIVE, f64::MAX, -0.0, f64::NEG_INFINITY]) {
            for rounding in ALL {
                assert_eq!(to_format(Width::W64, value, rounding).bits(), value.to_bits());
            }
        }
    }

    /// why: a second rounding or a dropped low bit is visible at midpoints and their neighbors.
    #[test]
    fn between_two_halves_every_direction_takes_its_side() {
        for bits in 0..0x7bff_u64 {
            let (low, high) = (Scalar::new(Width::W16, bits), Scalar::new(Width::W16, bits + 1));
            let middle = (low.to_f64() + high.to_f64()) / 2.0;
            let even = if bits & 1 == 0 { low } else { high };
            for (value, nearest) in [(middle.next_down(), low), (middle, even), (middle.next_up(), high)] {
                assert_eq!(to_format(Width::W16, value, Rounding::NearestEven), nearest);
                assert_eq!(to_format(Width::W16, value, Rounding::TowardZero), low);
                assert_eq!(to_format(Width::W16, value, Rounding::Up), high);
                assert_eq!(to_format(Width::W16, value, Rounding::Down), low);
                assert_eq!(to_format(Width::W16, -value, Rounding::NearestEven), nearest.fneg());
                assert_eq!(to_format(Width::W16, -value, Rounding::TowardZero), low.fneg());
                assert_eq!(to_format(Width::W16, -value, Rounding::Up), low.fneg());
                assert_eq!(to_format(Width::W16, -value, Rounding::Down), high.fneg());
            }
        }
    }

    #[test]
    fn beyond_the_largest_half() {
        let expect = |value: f64, bits: [u64; 4]| {
            for (rounding, bits) in ALL.into_iter().zip(bits) {
                assert_eq!(to_format(Width::W16, value, rounding).bits(), bits, "{value}");
            }
        };
        expect(65519.99, [0x7bff, 0x7bff, 0x7c00, 0x7bff]);
        expect(65520.0, [0x7c00, 0x7bff, 0x7c00, 0x7bff]);
        expect(-65520.0, [0xfc00, 0xfbff, 0xfbff, 0xfc00]);
        expect(1e300, [0x7c00, 0x7bff, 0x7c00, 0x7bff]);
        expect(-1e300, [0xfc00, 0xfbff, 0xfbff, 0xfc00]);
        expect(f64::INFINITY, [0x7c00; 4]);
        expect(f64::NEG_INFINITY, [0xfc00; 4]);
        expect(1e-300, [0, 0, 1, 0]);
        expect(-1e-300, [0x8000, 0x8000, 0x8000, 0x8001]);
        expect(-0.0, [0x8000; 4]);
    }
}

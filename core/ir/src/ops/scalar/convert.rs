//! Conversions between widths and kinds of numbers; `to` is the width of the result.
//!
//! For a width without floats, reading a float gives zero and the result is zero.

use super::int::{saturate_signed, saturate_unsigned};
use super::round::{Real, Rounding, to_format};
use super::{Scalar, Width};

/// Float to float.
impl Scalar {
    /// Rounds to nearest even; overflow gives infinity, and NaN gives the canonical NaN. `OpFConvert`, also
    /// with `FPRoundingMode RTE`.
    pub fn f2f(self, to: Width) -> Scalar {
        self.f2f_rounded(to, Rounding::NearestEven)
    }

    /// Rounds toward zero; a finite number stays finite. `OpFConvert` with `FPRoundingMode RTZ`.
    pub fn f2f_rtz(self, to: Width) -> Scalar {
        self.f2f_rounded(to, Rounding::TowardZero)
    }

    /// Rounds up: the result is not less than the exact number. `OpFConvert` with `FPRoundingMode RTP`.
    pub fn f2f_rtp(self, to: Width) -> Scalar {
        self.f2f_rounded(to, Rounding::Up)
    }

    /// Rounds down: the result is not greater than the exact number. `OpFConvert` with `FPRoundingMode RTN`.
    pub fn f2f_rtn(self, to: Width) -> Scalar {
        self.f2f_rounded(to, Rounding::Down)
    }

    fn f2f_rounded(self, to: Width, rounding: Rounding) -> Scalar {
        // A float of a width without floats reads as zero, which rounds to zero.
        to_format(to, self.to_f64(), rounding)
    }
}

/// Between floats and integers.
impl Scalar {
    /// Converts to a signed integer, rounding toward zero and clamping to the range; NaN gives 0 (all
    /// undefined in SPIR-V without `SaturatedConversion`, poison in NIR). A boolean can only be 0 or -1.
    /// `OpConvertFToS`.
    pub fn f2i(self, to: Width) -> Scalar {
        // `as` truncates, and i128 covers every number whose clamped 64-bit value it could affect.
        Scalar::i(to, saturate_signed(to, self.to_f64() as i128))
    }

    /// Converts to an unsigned integer, rounding toward zero and clamping to the range; NaN gives 0 (all
    /// undefined in SPIR-V without `SaturatedConversion`, poison in NIR). `OpConvertFToU`.
    pub fn f2u(self, to: Width) -> Scalar {
        Scalar::u(to, saturate_unsigned(to, self.to_f64() as i128))
    }

    /// Converts a signed integer, rounding to nearest even; a half overflows to infinity. `OpConvertSToF`.
    pub fn i2f(self, to: Width) -> Scalar {
        let value = self.as_i64();
        // Not through f64: a 64-bit integer would be rounded twice.
        let real = Real { negative: value < 0, magnitude: value.unsigned_abs(), exponent: 0 };
        real.round(to, Rounding::NearestEven)
    }

    /// Converts an unsigned integer, rounding to nearest even; a half overflows to infinity. `OpConvertUToF`.
    pub fn u2f(self, to: Width) -> Scalar {
        let real = Real { negative: false, magnitude: self.as_u64(), exponent: 0 };
        real.round(to, Rounding::NearestEven)
    }
}

/// Integer to integer.
impl Scalar {
    /// Sign-extends or truncates. `OpSConvert`.
    pub fn i2i(self, to: Width) -> Scalar {
        Scalar::i(to, self.as_i64())
    }

    /// Zero-extends or truncates. `OpUConvert`.
    pub fn u2u(self, to: Width) -> Scalar {
        Scalar::u(to, self.as_u64())
    }

    /// Signed to signed, clamped to the range. `OpSConvert` with `SaturatedConversion`.
    pub fn i2i_sat(self, to: Width) -> Scalar {
        Scalar::i(to, saturate_signed(to, self.as_i64().into()))
    }

    /// Unsigned to unsigned, clamped to the range. `OpUConvert` with `SaturatedConversion`.
    pub fn u2u_sat(self, to: Width) -> Scalar {
        Scalar::u(to, saturate_unsigned(to, self.as_u64().into()))
    }

    /// Signed to unsigned, clamped to the range. `OpSatConvertSToU`.
    pub fn i2u_sat(self, to: Width) -> Scalar {
        Scalar::u(to, saturate_unsigned(to, self.as_i64().into()))
    }

    /// Unsigned to signed, clamped to the range. `OpSatConvertUToS`.
    pub fn u2i_sat(self, to: Width) -> Scalar {
        Scalar::i(to, saturate_signed(to, self.as_u64().into()))
    }
}

/// Conversions to and from booleans.
impl Scalar {
    /// 1 for true, 0 for false. `OpSelect` of 1 and 0.
    pub fn b2i(self, to: Width) -> Scalar {
        Scalar::u(to, self.as_bool().into())
    }

    /// 1.0 for true, 0.0 for false. `OpSelect` of 1.0 and 0.0.
    pub fn b2f(self, to: Width) -> Scalar {
        Scalar::float(to, f64::from(u8::from(self.as_bool())))
    }

    /// True if not zero. `OpINotEqual` with 0.
    pub fn i2b(self) -> Scalar {
        Scalar::bool(self.as_bool())
    }

    /// True if not a zero of either sign; NaN gives true. `OpFUnordNotEqual` with 0.0.
    pub fn f2b(self) -> Scalar {
        self.fneu(Scalar::zero(self.width))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{FLOATS, floats, halves, ints, words};
    use super::*;

    #[test]
    fn every_half_survives_widening() {
        for scalar in halves() {
            let number = half::f16::from_bits(scalar.bits() as u16);
            for to in [Width::W32, Width::W64] {
                let wide = scalar.f2f(to);
                for back in [
                    wide.f2f(Width::W16),
                    wide.f2f_rtz(Width::W16),
                    wide.f2f_rtp(Width::W16),
                    wide.f2f_rtn(Width::W16),
                ] {
                    assert_eq!(back, scalar.fcanonicalize());
                }
            }
            if !number.is_nan() {
                assert_eq!(scalar.f2f(Width::W32).bits(), u64::from(number.to_f32().to_bits()));
                assert_eq!(scalar.f2f(Width::W64).bits(), number.to_f64().to_bits());
            }
        }
    }

    /// why: through f32 this number rounds up to a tie and then to even, which is one step too far.
    #[test]
    fn double_to_half_rounds_once() {
        let tie = 1.0 + 1.0 / 2048.0;
        assert_eq!(Scalar::f64(f64::next_up(tie)).f2f(Width::W16).bits(), 0x3c01);
        assert_eq!(Scalar::f64(tie).f2f(Width::W16).bits(), 0x3c00);
        assert_eq!(Scalar::f64(f64::next_down(tie)).f2f(Width::W16).bits(), 0x3c00);
        let odd_tie = 1.0 + 3.0 / 2048.0;
        assert_eq!(Scalar::f64(f64::next_down(odd_tie)).f2f(Width::W16).bits(), 0x3c01);
    }

    #[test]
    fn double_to_single_is_that_of_the_host() {
        for x in
            words(100_000).map(|w| f64::from_bits((w & !(0x7ff << 52)) | (1023 - 100 + (w >> 3) % 200) << 52))
        {
            assert_eq!(Scalar::f64(x).f2f(Width::W32), Scalar::f32(x as f32));
            let (down, up) = (Scalar::f64(x).f2f_rtn(Width::W32), Scalar::f64(x).f2f_rtp(Width::W32));
            assert!(down.to_f64() <= x && x <= up.to_f64());
            assert!(down == up || (down.to_f64() as f32).next_up() == up.to_f64() as f32);
            assert_eq!(Scalar::f64(x).f2f_rtz(Width::W32), if x < 0.0 { up } else { down });
        }
    }

    /// why: Rust's `as` saturates and gives 0 for NaN, as the language reference specifies.
    #[test]
    fn float_to_integer_is_rusts_as() {
        let more = [
            127.5,
            128.0,
            -128.9,
            -129.0,
            255.9,
            256.0,
            2147483647.5,
            2147483648.0,
            -2147483649.0,
            4294967296.0,
            9.3e18,
            1.9e19,
            -9.3e18,
            -0.9,
            1e300,
            -1e300,
        ];
        let more = more.into_iter().map(Scalar::f64);
        for scalar in FLOATS.into_iter().flat_map(floats).chain(more) {
            let x = scalar.to_f64();
            assert_eq!(scalar.f2i(Width::W8), Scalar::i(Width::W8, (x as i8).into()), "{x}");
            assert_eq!(scalar.f2i(Width::W16), Scalar::i(Width::W16, (x as i16).into()), "{x}");
            assert_eq!(scalar.f2i(Width::W32), Scalar::i(Width::W32, (x as i32).into()), "{x}");
            assert_eq!(scalar.f2i(Width::W64), Scalar::i(Width::W64, x as i64), "{x}");
            assert_eq!(scalar.f2u(Width::W8), Scalar::u(Width::W8, (x as u8).into()), "{x}");
            assert_eq!(scalar.f2u(Width::W16), Scalar::u(Width::W16, (x as u16).into()), "{x}");
            assert_eq!(scalar.f2u(Width::W32), Scalar::u(Width::W32, (x as u32).into()), "{x}");
            assert_eq!(scalar.f2u(Width::W64), Scalar::u(Width::W64, x as u64), "{x}");
        }
    }

    #[test]
    fn integer_to_float_rounds_once() {
        for width in Width::ALL {
            for scalar in
                ints(width).into_iter().chain(words(20_000).map(|w| Scalar::u(width, w >> (w & 63))))
            {
                assert_eq!(scalar.i2f(Width::W32), Scalar::f32(scalar.as_i64() as f32), "{scalar:?}");
                assert_eq!(scalar.i2f(Width::W64), Scalar::f64(scalar.as_i64() as f64), "{scalar:?}");
                assert_eq!(scalar.u2f(Width::W32), Scalar::f32(scalar.as_u64() as f32), "{scalar:?}");
                assert_eq!(scalar.u2f(Width::W64), Scalar::f64(scalar.as_u64() as f64), "{scalar:?}");
            }
        }
        for n in -70_000..70_000_i32 {
            let expected = half::f16::from_f32(n as f32).to_bits(); // exact in f32
            assert_eq!(Scalar::i(Width::W32, n.into()).i2f(Width::W16).bits(), u64::from(expected), "{n}");
        }
        // Through f64 this would become a tie and round down to even.
        let above_tie = Scalar::u(Width::W64, (1 << 63) + (1 << 39) + 1);
        assert_eq!(above_tie.u2f(Width::W32).bits(), 0x5f00_0001);
    }

    #[test]
    fn integers_extend_and_drop() {
        for from in Width::ALL {
            for to in Width::ALL {
                for scalar in ints(from) {
                    let (signed, unsigned) = (scalar.as_i64(), scalar.as_u64());
                    assert_eq!(scalar.i2i(to), Scalar::new(to, signed as u64));
                    assert_eq!(scalar.u2u(to), Scalar::new(to, unsigned));
                    let low = i64::MIN >> (64 - to.bits());
                    assert_eq!(scalar.i2i_sat(to).as_i64(), signed.clamp(low, -1 - low));
                    assert_eq!(scalar.u2u_sat(to).as_u64(), unsigned.min(to.mask()));
                    assert_eq!(scalar.i2u_sat(to).as_u64(), (signed.max(0) as u64).min(to.mask()));
                    assert_eq!(scalar.u2i_sat(to).as_i64() as u64, unsigned.min((-1 - low) as u64));
                }
            }
        }
    }

    #[test]
    fn booleans() {
        for to in FLOATS {
            assert_eq!(
                [false, true].map(|b| Scalar::bool(b).b2f(to)),
                [0.0, 1.0].map(|x| Scalar::float(to, x))
            );
            assert_eq!(
                [0.0, -0.0, 1.0e-7, f64::NAN].map(|x| Scalar::float(to, x).f2b().as_bool()),
                [false, false, true, true]
            );
            assert!(Scalar::new(to, 1).f2b().as_bool(), "a subnormal is not zero");
        }
        for to in Width::ALL {
            assert_eq!([false, true].map(|b| Scalar::bool(b).b2i(to).bits()), [0, 1]);
            assert_eq!(Scalar::i(to, -1).i2b(), Scalar::bool(true));
            assert_eq!(Scalar::zero(to).i2b(), Scalar::bool(false));
        }
    }

    #[test]
    fn widths_without_floats_read_as_zero() {
        let byte = Scalar::u(Width::W8, 77);
        assert_eq!(byte.f2f(Width::W32), Scalar::f32(0.0));
        assert_eq!(byte.f2i(Width::W32), Scalar::zero(Width::W32));
        assert_eq!(byte.f2b(), Scalar::bool(false));
        assert_eq!(Scalar::f32(3.0).f2f(Width::W8), Scalar::zero(Width::W8));
        assert_eq!(byte.i2f(Width::W1), Scalar::zero(Width::W1));
        assert_eq!(Scalar::f32(f32::NAN).f2f_rtp(Width::W1), Scalar::zero(Width::W1));
    }
}

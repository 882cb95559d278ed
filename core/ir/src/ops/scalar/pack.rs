//! Packs several components into one scalar, and unpacks them. The first component occupies the lowest bits.
//!
//! If a component has a width other than the one in the name, the whole result is zero.

use super::{Scalar, Width};

/// Defines pure moves: name, inverse, the number and width of the components, and the width of the whole.
macro_rules! moves {
    ($($(#[$pack_doc:meta])* $pack:ident, $(#[$unpack_doc:meta])* $unpack:ident
        = $count:literal x $part:ident in $whole:ident;)*) => {
        impl Scalar {
            $(
                $(#[$pack_doc])*
                pub fn $pack(components: [Scalar; $count]) -> Scalar {
                    join(components, Width::$part, Width::$whole)
                }

                $(#[$unpack_doc])*
                pub fn $unpack(self) -> [Scalar; $count] {
                    split(self, Width::$whole, Width::$part)
                }
            )*
        }
    };
}

moves! {
    /// Packs two 32-bit components into 64 bits. `OpBitcast`; `GLSL.std.450 PackDouble2x32`.
    pack_64_2x32,
    /// Unpacks 64 bits into two 32-bit components. `OpBitcast`; `GLSL.std.450 UnpackDouble2x32`.
    unpack_64_2x32 = 2 x W32 in W64;
    /// Packs four 16-bit components into 64 bits. `OpBitcast`.
    pack_64_4x16,
    /// Unpacks 64 bits into four 16-bit components. `OpBitcast`.
    unpack_64_4x16 = 4 x W16 in W64;
    /// Packs two 16-bit components into 32 bits. `OpBitcast`.
    pack_32_2x16,
    /// Unpacks 32 bits into two 16-bit components. `OpBitcast`.
    unpack_32_2x16 = 2 x W16 in W32;
    /// Packs four 8-bit components into 32 bits. `OpBitcast`.
    pack_32_4x8,
    /// Unpacks 32 bits into four 8-bit components. `OpBitcast`.
    unpack_32_4x8 = 4 x W8 in W32;
    /// Packs two 8-bit components into 16 bits. `OpBitcast`.
    pack_16_2x8,
    /// Unpacks 16 bits into two 8-bit components. `OpBitcast`.
    unpack_16_2x8 = 2 x W8 in W16;
}

/// Half precision in pairs.
impl Scalar {
    /// Packs two single-precision components as halves into 32 bits, each rounded to nearest even (SPIR-V
    /// leaves the rounding open; NIR does the same). `GLSL.std.450 PackHalf2x16`.
    pub fn pack_half_2x16(components: [Scalar; 2]) -> Scalar {
        join_floats(components, |x| x.f2f(Width::W16), Width::W16)
    }

    /// Unpacks two halves in 32 bits to single precision; exact. `GLSL.std.450 UnpackHalf2x16`.
    pub fn unpack_half_2x16(self) -> [Scalar; 2] {
        split(self, Width::W32, Width::W16).map(|x| x.f2f(Width::W32))
    }
}

/// Defines normalized formats: packing and unpacking functions, component count and width, and both
/// conversions.
macro_rules! normalized {
    ($($(#[$pack_doc:meta])* $pack:ident, $(#[$unpack_doc:meta])* $unpack:ident
        = $count:literal x $part:ident, $to:ident, $from:ident;)*) => {
        impl Scalar {
            $(
                $(#[$pack_doc])*
                pub fn $pack(components: [Scalar; $count]) -> Scalar {
                    join_floats(components, |x| $to(x, Width::$part), Width::$part)
                }

                $(#[$unpack_doc])*
                pub fn $unpack(self) -> [Scalar; $count] {
                    split(self, Width::W32, Width::$part).map($from)
                }
            )*
        }
    };
}

normalized! {
    /// `round_even(clamp(x, 0, 1) · 65535)` of two single-precision components; NaN gives 0.
    /// `GLSL.std.450 PackUnorm2x16`, which leaves the rounding of halves open; NIR does the same.
    pack_unorm_2x16,
    /// `x / 65535` of two components, in single precision. `GLSL.std.450 UnpackUnorm2x16`.
    unpack_unorm_2x16 = 2 x W16, to_unorm, from_unorm;
    /// `round_even(clamp(x, -1, 1) · 32767)` of two single-precision components; NaN gives -32767, as
    /// [`Scalar::fclamp`]. `GLSL.std.450 PackSnorm2x16`, which leaves the rounding of halves open; NIR does
    /// the same.
    pack_snorm_2x16,
    /// `clamp(x / 32767, -1, 1)` of two components, in single precision. `GLSL.std.450 UnpackSnorm2x16`.
    unpack_snorm_2x16 = 2 x W16, to_snorm, from_snorm;
    /// `round_even(clamp(x, 0, 1) · 255)` of four single-precision components; NaN gives 0.
    /// `GLSL.std.450 PackUnorm4x8`, which leaves the rounding of halves open; NIR does the same.
    pack_unorm_4x8,
    /// `x / 255` of four components, in single precision. `GLSL.std.450 UnpackUnorm4x8`.
    unpack_unorm_4x8 = 4 x W8, to_unorm, from_unorm;
    /// `round_even(clamp(x, -1, 1) · 127)` of four single-precision components; NaN gives -127, as
    /// [`Scalar::fclamp`]. `GLSL.std.450 PackSnorm4x8`, which leaves the rounding of halves open; NIR does
    /// the same.
    pack_snorm_4x8,
    /// `clamp(x / 127, -1, 1)` of four components, in single precision. `GLSL.std.450 UnpackSnorm4x8`.
    unpack_snorm_4x8 = 4 x W8, to_snorm, from_snorm;
}

// The formulas consist of operations of `float`, each rounded to 32 bits, so that a pass that expands them
// changes no bit.

fn to_unorm(x: Scalar, part: Width) -> Scalar {
    x.fsat().fmul(largest_unsigned(part)).fround_even().f2u(part)
}

fn to_snorm(x: Scalar, part: Width) -> Scalar {
    x.fclamp(Scalar::f32(-1.0), Scalar::f32(1.0)).fmul(largest_signed(part)).fround_even().f2i(part)
}

fn from_unorm(x: Scalar) -> Scalar {
    x.u2f(Width::W32).fdiv(largest_unsigned(x.width))
}

/// The clamp handles the smallest number, -128 or -32768, which also represents -1.
fn from_snorm(x: Scalar) -> Scalar {
    x.i2f(Width::W32).fdiv(largest_signed(x.width)).fclamp(Scalar::f32(-1.0), Scalar::f32(1.0))
}

fn largest_unsigned(part: Width) -> Scalar {
    Scalar::u(part, part.mask()).u2f(Width::W32)
}

fn largest_signed(part: Width) -> Scalar {
    Scalar::u(part, part.mask() >> 1).u2f(Width::W32)
}

/// Concatenates components; zero if one of them has a width other than `part`.
fn join<const COUNT: usize>(components: [Scalar; COUNT], part: Width, whole: Width) -> Scalar {
    if components.iter().any(|scalar| scalar.width != part) {
        return Scalar::zero(whole);
    }
    Scalar::new(whole, components.iter().rev().fold(0, |bits, scalar| bits << part.bits() | scalar.bits))
}

/// Narrows single-precision components and concatenates them into 32 bits.
fn join_floats<const COUNT: usize>(
    components: [Scalar; COUNT],
    narrow: impl Fn(Scalar) -> Scalar,
    part: Width,
) -> Scalar {
    if components.iter().any(|scalar| scalar.width != Width::W32) {
        return Scalar::zero(Width::W32);
    }
    join(components.map(narrow), part, Width::W32)
}

/// Splits a scalar into parts; zeros if it has a width other than `whole`.
fn split<const COUNT: usize>(scalar: Scalar, whole: Width, part: Width) -> [Scalar; COUNT] {
    if scalar.width != whole {
        return [Scalar::zero(part); COUNT];
    }
    std::array::from_fn(|n| Scalar::new(part, scalar.bits >> (n as u32 * part.bits())))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{floats, halves, words};
    use super::*;

    #[test]
    fn the_first_component_is_lowest() {
        let components = |width, n: u64| move |k: u64| Scalar::u(width, n + k);
        let whole = Scalar::pack_32_4x8([0, 1, 2, 3].map(components(Width::W8, 0xa0)));
        assert_eq!(whole, Scalar::u(Width::W32, 0xa3a2_a1a0));
        let whole = Scalar::pack_32_2x16([0, 1].map(components(Width::W16, 0xabc0)));
        assert_eq!(whole, Scalar::u(Width::W32, 0xabc1_abc0));
        let whole = Scalar::pack_64_2x32([0, 1].map(components(Width::W32, 0xabcd_ef00)));
        assert_eq!(whole, Scalar::u(Width::W64, 0xabcd_ef01_abcd_ef00));
        let whole = Scalar::pack_64_4x16([0, 1, 2, 3].map(components(Width::W16, 0xabc0)));
        assert_eq!(whole, Scalar::u(Width::W64, 0xabc3_abc2_abc1_abc0));
        assert_eq!(Scalar::pack_16_2x8([1, 2].map(components(Width::W8, 0))), Scalar::u(Width::W16, 0x0201));
    }

    #[test]
    fn moves_undo_each_other() {
        for word in words(1000) {
            let (wide, single, half) =
                (Scalar::u(Width::W64, word), Scalar::u(Width::W32, word), Scalar::u(Width::W16, word));
            assert_eq!(Scalar::pack_64_2x32(wide.unpack_64_2x32()), wide);
            assert_eq!(Scalar::pack_64_4x16(wide.unpack_64_4x16()), wide);
            assert_eq!(Scalar::pack_32_2x16(single.unpack_32_2x16()), single);
            assert_eq!(Scalar::pack_32_4x8(single.unpack_32_4x8()), single);
            assert_eq!(Scalar::pack_16_2x8(half.unpack_16_2x8()), half);
        }
    }

    #[test]
    fn halves_survive_and_singles_round() {
        for half in halves() {
            let pair = Scalar::pack_32_2x16([half, Scalar::f16(1.0)]);
            let back = Scalar::pack_half_2x16(pair.unpack_half_2x16());
            assert_eq!(back, Scalar::pack_32_2x16([half.fcanonicalize(), Scalar::f16(1.0)]));
        }
        let packed = Scalar::pack_half_2x16([Scalar::f32(65520.0), Scalar::f32(1.0 + 1.0 / 2048.0)]);
        assert_eq!(packed.bits(), 0x3c00_7c00);
    }

    /// why: a code survives unpacking and packing, except the second code for -1.
    #[test]
    fn every_code_of_the_normalized_formats_survives() {
        for code in 0..=0xffff_u64 {
            let pair = Scalar::u(Width::W32, code << 16 | 0x1234);
            assert_eq!(Scalar::pack_unorm_2x16(pair.unpack_unorm_2x16()), pair);
            let signed = if code == 0x8000 { Scalar::u(Width::W32, 0x8001_1234) } else { pair };
            assert_eq!(Scalar::pack_snorm_2x16(pair.unpack_snorm_2x16()), signed);
            let exact = (code as f64 / 65535.0) as f32;
            assert_eq!(pair.unpack_unorm_2x16()[1], Scalar::f32(exact));
            let exact = (f64::from(code as u16 as i16) / 32767.0).max(-1.0) as f32;
            assert_eq!(pair.unpack_snorm_2x16()[1], Scalar::f32(exact));
        }
        for code in 0..=0xff_u64 {
            let four = Scalar::u(Width::W32, code << 24 | 0x7f_0105);
            assert_eq!(Scalar::pack_unorm_4x8(four.unpack_unorm_4x8()), four);
            let signed = if code == 0x80 { Scalar::u(Width::W32, 0x817f_0105) } else { four };
            assert_eq!(Scalar::pack_snorm_4x8(four.unpack_snorm_4x8()), signed);
        }
    }

    #[test]
    fn normalizing_clamps_and_rounds_to_even() {
        let f = Scalar::f32;
        let unorm = Scalar::pack_unorm_4x8([f(-1.0), f(2.0), f(f32::NAN), f(0.5)]);
        assert_eq!(unorm.bits(), 0x8000_ff00, "0.5 · 255 = 127.5 goes to 128");
        let snorm = Scalar::pack_snorm_4x8([f(-2.0), f(2.0), f(f32::NAN), f(0.5)]);
        assert_eq!(snorm.bits(), 0x4081_7f81, "0.5 · 127 = 63.5 goes to 64");
        let wide = Scalar::pack_unorm_2x16([f(f32::INFINITY), f(0.5)]);
        assert_eq!(wide.bits(), 0x8000_ffff);
        let wide = Scalar::pack_snorm_2x16([f(f32::NEG_INFINITY), f(-0.5)]);
        assert_eq!(wide.bits(), 0xc000_8001, "-0.5 · 32767 = -16383.5 goes to -16384");
        for x in floats(Width::W32).into_iter().filter(|x| !x.is_nan()) {
            let by_host = (x.to_f64() as f32).clamp(0.0, 1.0) * 255.0;
            let [first, ..] = Scalar::pack_unorm_4x8([x; 4]).unpack_32_4x8();
            assert_eq!(first.bits(), by_host.round_ties_even() as u64);
        }
    }

    #[test]
    fn components_of_another_width_give_zero() {
        let (half, single, wide) = (Scalar::f16(1.0), Scalar::f32(1.0), Scalar::f64(1.0));
        assert_eq!(Scalar::pack_64_2x32([single, half]), Scalar::zero(Width::W64));
        assert_eq!(Scalar::pack_half_2x16([half, half]), Scalar::zero(Width::W32));
        assert_eq!(Scalar::pack_unorm_2x16([wide, single]), Scalar::zero(Width::W32));
        assert_eq!(half.unpack_64_2x32(), [Scalar::zero(Width::W32); 2]);
        assert_eq!(wide.unpack_unorm_4x8(), [Scalar::f32(0.0); 4]);
        assert_eq!(wide.unpack_half_2x16(), [Scalar::f32(0.0); 2]);
    }
}

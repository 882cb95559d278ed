//! Integers of every width, booleans included: at width 1, `iand`, `ior`, `ixor` and `inot` are the logical
//! operations.
//!
//! Everything wraps modulo 2 to the width unless the name indicates otherwise. Results have the width of the
//! first operand, including bit numbers; at width 1, the -1 of `find_lsb` is the single bit set.

use super::{Scalar, Width};

/// Defines integer operations on operands of the same width. `reading` is how the bits are interpreted,
/// `making` is how the result is truncated to the width; `in w` names the width for entries that need it.
macro_rules! int_ops {
    (reading $read:ident making $make:ident;
     $($(#[$doc:meta])* $name:ident($x:ident $(, $y:ident)*) $(in $w:ident)? = $meaning:expr;)*) => {
        impl Scalar {
            $(
                $(#[$doc])*
                pub fn $name(self $(, $y: Scalar)*) -> Scalar {
                    let width = self.width;
                    let others: &[Width] = &[$($y.width),*];
                    if others.iter().any(|&other| other != width) {
                        return Scalar::zero(width);
                    }
                    let $x = self.$read();
                    $(let $y = $y.$read();)*
                    $(let $w = width;)?
                    Scalar::$make(width, $meaning)
                }
            )*
        }
    };
}

// Two's complement: one addition, subtraction and multiplication serves both signs.
int_ops! {
    reading as_u64 making u;

    /// Sum, wrapping. `OpIAdd`.
    iadd(x, y) = x.wrapping_add(y);
    /// Difference, wrapping. `OpISub`.
    isub(x, y) = x.wrapping_sub(y);
    /// Low half of the product. `OpIMul`; `LowBits` of `OpSMulExtended` and `OpUMulExtended`.
    imul(x, y) = x.wrapping_mul(y);
    /// Negation; the smallest number is unchanged. `OpSNegate`.
    ineg(x) = x.wrapping_neg();
    /// Bitwise and. `OpBitwiseAnd`, `OpLogicalAnd`.
    iand(x, y) = x & y;
    /// Bitwise or. `OpBitwiseOr`, `OpLogicalOr`.
    ior(x, y) = x | y;
    /// Bitwise exclusive or. `OpBitwiseXor`; on booleans `OpLogicalNotEqual`.
    ixor(x, y) = x ^ y;
    /// Flips every bit. `OpNot`, `OpLogicalNot`.
    inot(x) = !x;

    /// Unsigned quotient; division by zero gives 0 (undefined in SPIR-V). `OpUDiv`.
    udiv(x, y) = x.checked_div(y).unwrap_or(0);
    /// Unsigned remainder; division by zero gives 0 (undefined in SPIR-V). `OpUMod`.
    umod(x, y) = x.checked_rem(y).unwrap_or(0);
    /// High half of the unsigned product. `HighBits` of `OpUMulExtended`; `OpenCL.std u_mul_hi`.
    umul_high(x, y) in w = ((u128::from(x) * u128::from(y)) >> w.bits()) as u64;
    /// 1 if the unsigned sum overflows, else 0. Second member of `OpIAddCarry`.
    uadd_carry(x, y) in w = u64::from(u128::from(x) + u128::from(y) > u128::from(w.mask()));
    /// 1 if the unsigned difference is negative, else 0. Second member of `OpISubBorrow`.
    usub_borrow(x, y) = u64::from(x < y);
    /// Unsigned sum, clamped to the largest number. `OpenCL.std u_add_sat`.
    uadd_sat(x, y) in w = saturate_unsigned(w, i128::from(x) + i128::from(y));
    /// Unsigned difference, clamped to 0. `OpenCL.std u_sub_sat`.
    usub_sat(x, y) = x.saturating_sub(y);
    /// Unsigned minimum. `GLSL.std.450 UMin`.
    umin(x, y) = x.min(y);
    /// Unsigned maximum. `GLSL.std.450 UMax`.
    umax(x, y) = x.max(y);
    /// `umin(umax(x, low), high)`: `low > high` (open in GLSL) gives `high`. `GLSL.std.450 UClamp`.
    uclamp(x, low, high) = x.max(low).min(high);
    /// Half of the sum, rounded down, without overflow. `OpenCL.std u_hadd`.
    uhadd(x, y) = ((u128::from(x) + u128::from(y)) >> 1) as u64;
    /// Half of the sum, rounded up, without overflow. `OpenCL.std u_rhadd`.
    urhadd(x, y) = ((u128::from(x) + u128::from(y) + 1) >> 1) as u64;
    /// Absolute difference of two unsigned numbers. `OpenCL.std u_abs_diff`, `OpAbsUSubINTEL`.
    uabsdiff(x, y) = x.abs_diff(y);

    /// The bits in reverse order. `OpBitReverse`.
    bitrev(x) in w = x.reverse_bits() >> (64 - w.bits());
    /// The number of bits that are set. `OpBitCount`; `OpenCL.std popcount`.
    bitcount(x) = u64::from(x.count_ones());
    /// The number of zeros above the highest set bit; the width if there is none. `OpenCL.std clz`.
    clz(x) in w = u64::from(x.leading_zeros() + w.bits() - 64);
    /// The number of zeros below the lowest set bit; the width if there is none. `OpenCL.std ctz`.
    ctz(x) in w = u64::from(x.trailing_zeros().min(w.bits()));
    /// `count` ones starting at bit `offset`, both modulo the width. The receiver is the count. NIR `bfm`.
    bfm(count, offset) in w = {
        let [count, offset] = [count, offset].map(|n| n & u64::from(w.bits() - 1));
        ((1 << count) - 1) << offset
    };
}

int_ops! {
    reading as_i64 making i;

    /// Signed quotient, rounded toward zero; division by zero gives 0; the smallest number divided by -1
    /// wraps to itself. Both are undefined in SPIR-V; NIR gives 0 for the second. `OpSDiv`.
    idiv(x, y) = x.checked_div(y).unwrap_or(if y == 0 { 0 } else { x });
    /// Remainder with the sign of the dividend; 0 for division by zero and for the smallest number by -1
    /// (undefined in SPIR-V). `OpSRem`.
    irem(x, y) = x.checked_rem(y).unwrap_or(0);
    /// Remainder with the sign of the divisor; 0 for division by zero and for the smallest number by -1
    /// (undefined in SPIR-V). `OpSMod`.
    imod(x, y) = floored_remainder(x, y);
    /// Absolute value; the smallest number is unchanged. `GLSL.std.450 SAbs`. (`OpenCL.std s_abs` interprets
    /// the result as unsigned.)
    iabs(x) = x.wrapping_abs();
    /// 1, 0 or -1. `GLSL.std.450 SSign`.
    isign(x) = x.signum();
    /// High half of the signed product. `HighBits` of `OpSMulExtended`; `OpenCL.std s_mul_hi`.
    imul_high(x, y) in w = ((i128::from(x) * i128::from(y)) >> w.bits()) as i64;
    /// Signed sum, clamped to the range. `OpenCL.std s_add_sat`.
    iadd_sat(x, y) in w = saturate_signed(w, i128::from(x) + i128::from(y));
    /// Signed difference, clamped to the range. `OpenCL.std s_sub_sat`.
    isub_sat(x, y) in w = saturate_signed(w, i128::from(x) - i128::from(y));
    /// Signed minimum. `GLSL.std.450 SMin`.
    imin(x, y) = x.min(y);
    /// Signed maximum. `GLSL.std.450 SMax`.
    imax(x, y) = x.max(y);
    /// `imin(imax(x, low), high)`: `low > high` (open in GLSL) gives `high`. `GLSL.std.450 SClamp`.
    iclamp(x, low, high) = x.max(low).min(high);
    /// Half of the sum, rounded down, without overflow. `OpenCL.std s_hadd`.
    ihadd(x, y) = ((i128::from(x) + i128::from(y)) >> 1) as i64;
    /// Half of the sum, rounded up, without overflow. `OpenCL.std s_rhadd`.
    irhadd(x, y) = ((i128::from(x) + i128::from(y) + 1) >> 1) as i64;
    /// Absolute difference of two signed numbers, as an unsigned number. `OpenCL.std s_abs_diff`,
    /// `OpAbsISubINTEL`.
    iabsdiff(x, y) = x.abs_diff(y).cast_signed();

    /// Number of the lowest set bit; -1 if there is none. `GLSL.std.450 FindILsb`.
    find_lsb(x) = if x == 0 { -1 } else { i64::from(x.trailing_zeros()) };
    /// Number of the highest bit that differs from the sign; -1 if there is none, that is for 0 and -1.
    /// `GLSL.std.450 FindSMsb`.
    ifind_msb(x) = 63 - i64::from(if x < 0 { !x } else { x }.leading_zeros());
}

/// Operations whose other operands may have any width, as SPIR-V allows for counts.
impl Scalar {
    /// Number of the highest set bit; -1 if there is none. `GLSL.std.450 FindUMsb`.
    pub fn ufind_msb(self) -> Scalar {
        Scalar::i(self.width, 63 - i64::from(self.bits.leading_zeros()))
    }

    /// Shifts left by `count` modulo the width (larger counts are undefined in SPIR-V). `OpShiftLeftLogical`.
    pub fn ishl(self, count: Scalar) -> Scalar {
        Scalar::u(self.width, self.bits << self.count(count))
    }

    /// Shifts right by `count` modulo the width, filling with the sign. `OpShiftRightArithmetic`.
    pub fn ishr(self, count: Scalar) -> Scalar {
        Scalar::i(self.width, self.as_i64() >> self.count(count))
    }

    /// Shifts right by `count` modulo the width, filling with zeros. `OpShiftRightLogical`.
    pub fn ushr(self, count: Scalar) -> Scalar {
        Scalar::u(self.width, self.bits >> self.count(count))
    }

    /// Rotates left by `count` modulo the width. `OpenCL.std rotate`.
    pub fn rotl(self, count: Scalar) -> Scalar {
        let count = self.count(count);
        let rotated_out = u128::from(self.bits) >> (self.width.bits() - count);
        Scalar::u(self.width, self.bits << count | rotated_out as u64)
    }

    /// Rotates right by `count` modulo the width. NIR `uror`.
    pub fn rotr(self, count: Scalar) -> Scalar {
        let left = self.width.bits() - self.count(count);
        self.rotl(Scalar::u(Width::W32, u64::from(left)))
    }

    /// Extracts `count` bits starting at `offset`, zero-extended; 0 if they exceed the width (undefined in
    /// SPIR-V; the `ubfe` of Direct3D and NIR wraps the counts instead). `OpBitFieldUExtract`.
    pub fn ubfe(self, offset: Scalar, count: Scalar) -> Scalar {
        match self.field(offset, count) {
            Some(field) => Scalar::u(self.width, self.bits >> field.offset & field.ones()),
            None => Scalar::zero(self.width),
        }
    }

    /// Extracts `count` bits starting at `offset`, sign-extended; 0 if they exceed the width (undefined in
    /// SPIR-V). `OpBitFieldSExtract`.
    pub fn ibfe(self, offset: Scalar, count: Scalar) -> Scalar {
        match self.field(offset, count) {
            Some(Field { count: 0, .. }) | None => Scalar::zero(self.width),
            Some(field) => {
                let at_top = (self.bits << (64 - field.offset - field.count)).cast_signed();
                Scalar::i(self.width, at_top >> (64 - field.count))
            }
        }
    }

    /// `self` with the `count` bits starting at `offset` replaced by the low bits of `insert`; `self`
    /// unchanged if they exceed the width (undefined in SPIR-V). `OpBitFieldInsert`, in its order of operands
    /// (NIR's `bfi` takes a mask).
    pub fn bfi(self, insert: Scalar, offset: Scalar, count: Scalar) -> Scalar {
        if insert.width != self.width {
            return Scalar::zero(self.width);
        }
        match self.field(offset, count) {
            Some(field) => {
                let kept = self.bits & !(field.ones() << field.offset);
                Scalar::u(self.width, kept | (insert.bits & field.ones()) << field.offset)
            }
            None => self,
        }
    }

    /// The low bits of a shift count, as in Direct3D and NIR.
    fn count(self, count: Scalar) -> u32 {
        count.bits as u32 & (self.width.bits() - 1)
    }

    /// Returns the bit field if it lies within the width.
    fn field(self, offset: Scalar, count: Scalar) -> Option<Field> {
        let end = offset.bits.checked_add(count.bits)?;
        if end > u64::from(self.width.bits()) {
            return None;
        }
        // An empty field may start at the width itself; moved to 0 it is still empty, and shifts by its
        // offset are valid.
        let offset = if count.bits == 0 { 0 } else { offset.bits as u32 };
        Some(Field { offset, count: count.bits as u32 })
    }
}

/// Dot products of four 8-bit numbers packed into 32 bits, the first in the low bits:
/// `PackedVectorFormat4x8Bit`.
///
/// The sum itself cannot overflow; widths other than 32 give zero.
impl Scalar {
    /// Sum of four products of signed numbers. `OpSDot`.
    pub fn sdot_4x8(self, other: Scalar) -> Scalar {
        self.dot_4x8(other, signed, signed, |sum| sum as u64)
    }

    /// Sum of four products of unsigned numbers. `OpUDot`.
    pub fn udot_4x8(self, other: Scalar) -> Scalar {
        self.dot_4x8(other, unsigned, unsigned, |sum| sum as u64)
    }

    /// Sum of four products of signed numbers of `self` and unsigned numbers of `other`. `OpSUDot`.
    pub fn sudot_4x8(self, other: Scalar) -> Scalar {
        self.dot_4x8(other, signed, unsigned, |sum| sum as u64)
    }

    /// [`Scalar::sdot_4x8`] plus `sum`, clamped to the signed range. `OpSDotAccSat`.
    pub fn sdot_4x8_iadd_sat(self, other: Scalar, sum: Scalar) -> Scalar {
        self.dot_4x8(other, signed, signed, |dot| sum.plus_signed(dot))
    }

    /// [`Scalar::udot_4x8`] plus `sum`, clamped to the largest unsigned number. `OpUDotAccSat`.
    pub fn udot_4x8_uadd_sat(self, other: Scalar, sum: Scalar) -> Scalar {
        self.dot_4x8(other, unsigned, unsigned, |dot| {
            saturate_unsigned(Width::W32, i128::from(sum.as_u64()) + i128::from(dot))
        })
    }

    /// [`Scalar::sudot_4x8`] plus `sum`, clamped to the signed range. `OpSUDotAccSat`.
    pub fn sudot_4x8_iadd_sat(self, other: Scalar, sum: Scalar) -> Scalar {
        self.dot_4x8(other, signed, unsigned, |dot| sum.plus_signed(dot))
    }

    fn plus_signed(self, dot: i64) -> u64 {
        saturate_signed(Width::W32, i128::from(self.as_i64()) + i128::from(dot)).cast_unsigned()
    }

    fn dot_4x8(
        self,
        other: Scalar,
        left: fn(u8) -> i64,
        right: fn(u8) -> i64,
        finish: impl FnOnce(i64) -> u64,
    ) -> Scalar {
        if (self.width, other.width) != (Width::W32, Width::W32) {
            return Scalar::zero(self.width);
        }
        let pairs = self.bits.to_le_bytes().into_iter().zip(other.bits.to_le_bytes());
        let sum = pairs.map(|(a, b)| left(a) * right(b)).sum();
        Scalar::u(Width::W32, finish(sum))
    }
}

/// A bit field of a scalar: `offset + count` is at most its width.
#[derive(Clone, Copy)]
struct Field {
    offset: u32,
    count: u32,
}

impl Field {
    /// As many ones as the field has bits, starting at bit 0.
    fn ones(self) -> u64 {
        u64::MAX.checked_shr(64 - self.count).unwrap_or(0)
    }
}

/// `value` clamped to the signed range of the width.
pub(super) fn saturate_signed(width: Width, value: i128) -> i64 {
    let largest = (width.mask() >> 1).cast_signed();
    value.clamp(i128::from(!largest), i128::from(largest)) as i64
}

/// `value` clamped to the unsigned range of the width.
pub(super) fn saturate_unsigned(width: Width, value: i128) -> u64 {
    value.clamp(0, i128::from(width.mask())) as u64
}

fn floored_remainder(x: i64, y: i64) -> i64 {
    let remainder = x.checked_rem(y).unwrap_or(0);
    if remainder != 0 && (remainder < 0) != (y < 0) { remainder + y } else { remainder }
}

fn signed(byte: u8) -> i64 {
    i64::from(byte.cast_signed())
}

fn unsigned(byte: u8) -> i64 {
    i64::from(byte)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ints, words};
    use super::*;

    type Op2 = fn(Scalar, Scalar) -> Scalar;
    /// The exact result from exact operands, given the width; the test truncates it to the width.
    type Exact2 = fn(i128, i128, u32) -> i128;

    fn hold(width: u32, signed: bool, value: i128) -> i128 {
        let (low, high) =
            if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
        value.max(low).min(high)
    }

    const SIGNED: [(&str, Op2, Exact2); 18] = [
        ("iadd", Scalar::iadd, |a, b, _| a + b),
        ("isub", Scalar::isub, |a, b, _| a - b),
        ("imul", Scalar::imul, |a, b, _| a.wrapping_mul(b)),
        ("ineg", |a, _| a.ineg(), |a, _, _| -a),
        ("iabs", |a, _| a.iabs(), |a, _, _| a.abs()),
        ("isign", |a, _| a.isign(), |a, _, _| a.signum()),
        ("idiv", Scalar::idiv, |a, b, _| if b == 0 { 0 } else { a / b }),
        ("irem", Scalar::irem, |a, b, _| if b == 0 { 0 } else { a % b }),
        ("imod", Scalar::imod, |a, b, _| if b == 0 { 0 } else { ((a % b) + b) % b }),
        ("imul_high", Scalar::imul_high, |a, b, w| (a * b).div_euclid(1 << w)),
        ("iadd_sat", Scalar::iadd_sat, |a, b, w| hold(w, true, a + b)),
        ("isub_sat", Scalar::isub_sat, |a, b, w| hold(w, true, a - b)),
        ("imin", Scalar::imin, |a, b, _| if a < b { a } else { b }),
        ("imax", Scalar::imax, |a, b, _| if a > b { a } else { b }),
        ("ihadd", Scalar::ihadd, |a, b, _| (a + b).div_euclid(2)),
        ("irhadd", Scalar::irhadd, |a, b, _| (a + b + 1).div_euclid(2)),
        ("iabsdiff", Scalar::iabsdiff, |a, b, _| (a - b).abs()),
        ("iclamp", |a, b| a.iclamp(b, b), |_, b, _| b),
    ];

    const UNSIGNED: [(&str, Op2, Exact2); 18] = [
        ("udiv", Scalar::udiv, |a, b, _| if b == 0 { 0 } else { a / b }),
        ("umod", Scalar::umod, |a, b, _| if b == 0 { 0 } else { a % b }),
        ("umul_high", Scalar::umul_high, |a, b, w| ((a as u128 * b as u128) >> w) as i128),
        ("uadd_carry", Scalar::uadd_carry, |a, b, w| (a + b) >> w),
        ("usub_borrow", Scalar::usub_borrow, |a, b, _| i128::from(a - b < 0)),
        ("uadd_sat", Scalar::uadd_sat, |a, b, w| hold(w, false, a + b)),
        ("usub_sat", Scalar::usub_sat, |a, b, w| hold(w, false, a - b)),
        ("umin", Scalar::umin, |a, b, _| if a < b { a } else { b }),
        ("umax", Scalar::umax, |a, b, _| if a > b { a } else { b }),
        ("uhadd", Scalar::uhadd, |a, b, _| (a + b) / 2),
        ("urhadd", Scalar::urhadd, |a, b, _| (a + b + 1) / 2),
        ("uabsdiff", Scalar::uabsdiff, |a, b, _| (a - b).abs()),
        ("uclamp", |a, b| a.uclamp(b, b), |_, b, _| b),
        ("iand", Scalar::iand, |a, b, _| a & b),
        ("ior", Scalar::ior, |a, b, _| a | b),
        ("ixor", Scalar::ixor, |a, b, _| a ^ b),
        ("inot", |a, _| a.inot(), |a, _, w| (1 << w) - 1 - a),
        ("iadd", Scalar::iadd, |a, b, _| a + b),
    ];

    fn check(a: Scalar, b: Scalar) {
        let width = a.width();
        for (name, op, exact) in SIGNED {
            let exact = exact(a.as_i64().into(), b.as_i64().into(), width.bits());
            assert_eq!(op(a, b), Scalar::new(width, exact as u64), "{name} {a:?} {b:?}");
        }
        for (name, op, exact) in UNSIGNED {
            let exact = exact(a.as_u64().into(), b.as_u64().into(), width.bits());
            assert_eq!(op(a, b), Scalar::new(width, exact as u64), "{name} {a:?} {b:?}");
        }
    }

    #[test]
    fn all_pairs_of_bytes_and_booleans() {
        for width in [Width::W1, Width::W8] {
            for a in 0..=width.mask() {
                for b in 0..=width.mask() {
                    check(Scalar::u(width, a), Scalar::u(width, b));
                }
            }
        }
    }

    #[test]
    fn borders_and_samples_of_wide_integers() {
        for width in [Width::W16, Width::W32, Width::W64] {
            for a in ints(width) {
                for b in ints(width) {
                    check(a, b);
                }
            }
            for (a, b) in words(2000).zip(words(4000).skip(2000)) {
                check(Scalar::u(width, a), Scalar::u(width, b));
                check(Scalar::u(width, a), Scalar::u(width, b >> 50));
            }
        }
    }

    #[test]
    fn operands_of_different_widths_give_zero() {
        let (a, b) = (Scalar::u(Width::W8, 7), Scalar::u(Width::W16, 7));
        for (name, op, _) in SIGNED
            .into_iter()
            .chain(UNSIGNED)
            .filter(|(name, ..)| !["ineg", "iabs", "isign", "inot"].contains(name))
        {
            assert_eq!(op(a, b), Scalar::zero(Width::W8), "{name}");
        }
        assert_eq!(a.bfi(b, a, a), Scalar::zero(Width::W8));
    }

    #[test]
    fn clamps_hold_the_middle() {
        let n = |x| Scalar::i(Width::W16, x);
        assert_eq!([-9, 0, 9].map(|x| n(x).iclamp(n(-5), n(5))), [-5, 0, 5].map(n));
        assert_eq!([1, 7, -1].map(|x| n(x).uclamp(n(5), n(8))), [5, 7, 8].map(n));
        assert_eq!(n(7).iclamp(n(5), n(-5)), n(-5));
    }

    /// The bits, lowest first: the naive representation that the bit operations are compared with.
    fn bools(x: Scalar) -> Vec<bool> {
        (0..x.width().bits()).map(|n| x.bits() >> n & 1 == 1).collect()
    }

    fn number(width: Width, bools: &[bool]) -> Scalar {
        Scalar::u(width, bools.iter().rev().fold(0, |sum, &bit| sum << 1 | u64::from(bit)))
    }

    #[test]
    fn counting_and_finding_bits() {
        for width in Width::ALL {
            let samples = (0..=255).map(|n| Scalar::u(width, n)).chain(ints(width));
            for x in samples.chain(words(500).map(|w| Scalar::u(width, w))) {
                let bits = bools(x);
                let index = |found: Option<usize>| Scalar::i(width, found.map_or(-1, |n| n as i64));
                let count = |n: usize| Scalar::u(width, n as u64);
                let sign = *bits.last().unwrap();
                assert_eq!(x.bitcount(), count(bits.iter().filter(|b| **b).count()));
                assert_eq!(x.clz(), count(bits.iter().rev().take_while(|b| !**b).count()));
                assert_eq!(x.ctz(), count(bits.iter().take_while(|b| !**b).count()));
                assert_eq!(x.find_lsb(), index(bits.iter().position(|b| *b)));
                assert_eq!(x.ufind_msb(), index(bits.iter().rposition(|b| *b)));
                assert_eq!(x.ifind_msb(), index(bits.iter().rposition(|b| *b != sign)));
                let reversed: Vec<bool> = bits.iter().rev().copied().collect();
                assert_eq!(x.bitrev(), number(width, &reversed));
            }
        }
    }

    #[test]
    fn shifts_and_rotations_use_the_low_bits_of_the_count() {
        for width in Width::ALL {
            let size = width.bits() as usize;
            for x in ints(width) {
                let bits = bools(x);
                for count in (0..200).chain([1 << 20, u64::from(u32::MAX)]) {
                    let by = count as usize % size;
                    let at = |n: usize, fill: bool| *bits.get(n).unwrap_or(&fill);
                    let right =
                        |fill| number(width, &(0..size).map(|n| at(n + by, fill)).collect::<Vec<_>>());
                    let left: Vec<bool> = (0..size).map(|n| n >= by && bits[n - by]).collect();
                    let round: Vec<bool> = (0..size).map(|n| bits[(n + size - by) % size]).collect();
                    let count = Scalar::u(Width::W32, count);
                    assert_eq!(x.ishl(count), number(width, &left));
                    assert_eq!(x.ushr(count), right(false));
                    assert_eq!(x.ishr(count), right(bits[size - 1]));
                    assert_eq!(x.rotl(count), number(width, &round));
                    assert_eq!(x.rotl(count).rotr(count), x);
                }
            }
        }
        assert_eq!(Scalar::u(Width::W32, 1).ishl(Scalar::u(Width::W8, 33)), Scalar::u(Width::W32, 2));
    }

    #[test]
    fn bit_fields_within_and_beyond_the_width() {
        for width in Width::ALL {
            let size = width.bits() as usize;
            let insert = Scalar::u(width, 0xa5a5_5a5a_0ff0_1234);
            for x in ints(width) {
                let bits = bools(x);
                for offset in 0..=size + 2 {
                    for count in 0..=size + 2 {
                        let [o, c] = [offset, count].map(|n| Scalar::u(Width::W32, n as u64));
                        if offset + count > size {
                            assert_eq!(
                                (x.ubfe(o, c), x.ibfe(o, c)),
                                (Scalar::zero(width), Scalar::zero(width))
                            );
                            assert_eq!(x.bfi(insert, o, c), x);
                            continue;
                        }
                        let field = &bits[offset..offset + count];
                        assert_eq!(x.ubfe(o, c), number(width, field));
                        let mut extended = field.to_vec();
                        extended.resize(size, field.last().copied().unwrap_or(false));
                        assert_eq!(x.ibfe(o, c), number(width, &extended));
                        let mut inserted = bits.clone();
                        inserted[offset..offset + count].copy_from_slice(&bools(insert)[..count]);
                        assert_eq!(x.bfi(insert, o, c), number(width, &inserted));
                    }
                }
                let huge = Scalar::u(Width::W64, u64::MAX);
                assert_eq!(x.ubfe(huge, huge), Scalar::zero(width));
                assert_eq!(x.bfi(insert, Scalar::i(Width::W32, -1), Scalar::u(Width::W32, 1)), x);
            }
        }
    }

    #[test]
    fn masks_are_runs_of_ones() {
        let n = |x| Scalar::u(Width::W32, x);
        assert_eq!(n(3).bfm(n(4)), n(0x70));
        assert_eq!(n(0).bfm(n(4)), n(0));
        assert_eq!(n(31).bfm(n(31)), n(0x8000_0000));
        assert_eq!(n(35).bfm(n(36)), n(0x70));
        assert_eq!(Scalar::u(Width::W64, 63).bfm(Scalar::u(Width::W64, 63)), Scalar::u(Width::W64, 1 << 63));
    }

    #[test]
    fn logic_on_booleans() {
        let [no, yes] = [false, true].map(Scalar::bool);
        assert_eq!([no.inot(), yes.inot()], [yes, no]);
        assert_eq!([yes.iand(no), yes.iand(yes)], [no, yes]);
        assert_eq!([yes.ixor(yes), yes.ior(no), no.ior(no)], [no, yes, no]);
    }

    #[test]
    fn packed_dot_products() {
        let pack = |bytes: [i64; 4]| {
            Scalar::u(Width::W32, bytes.iter().rev().fold(0, |sum, &b| sum << 8 | (b as u64 & 0xff)))
        };
        let n = |x| Scalar::i(Width::W32, x);
        let (a, b) = (pack([1, -2, 127, -128]), pack([3, 4, -128, -128]));
        assert_eq!(a.sdot_4x8(b), n(3 - 8 - 127 * 128 + 128 * 128));
        assert_eq!(a.udot_4x8(b), n(3 + 254 * 4 + 127 * 128 + 128 * 128));
        assert_eq!(a.sudot_4x8(b), n(3 - 8 + 127 * 128 - 128 * 128));
        assert_eq!(b.sdot_4x8(b).bits(), 9 + 16 + 2 * 16384);
        let largest = n(i64::from(i32::MAX));
        assert_eq!(a.sdot_4x8_iadd_sat(b, largest), largest);
        assert_eq!(a.sdot_4x8_iadd_sat(b, n(5)), a.sdot_4x8(b).iadd(n(5)));
        assert_eq!(a.sudot_4x8_iadd_sat(b, n(i64::from(i32::MIN))), n(i64::from(i32::MIN)));
        assert_eq!(a.udot_4x8_uadd_sat(b, n(-1)), n(-1));
        assert_eq!(a.udot_4x8_uadd_sat(b, n(7)), a.udot_4x8(b).iadd(n(7)));
        assert_eq!(Scalar::u(Width::W64, 1).udot_4x8(Scalar::u(Width::W64, 1)), Scalar::zero(Width::W64));
    }
}

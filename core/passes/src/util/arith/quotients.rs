//! Quotients, square roots and remainders of 64-bit floats, by products, sums and integers.
//!
//! ```text
//! a / b    =  (A · 2^54 / B) · 2^(…)             A, B from 2^52 up to 2^53: the significands
//! quotient =  A · r                              r: 1/B, from a float of 32 bits by two of Newton's steps
//! rest     =  A · 2^54 - quotient · B            modulo 2^64, which is exact, since it is small
//! ```
//!
//! The estimate is off by a few units, and the remainder determines by how many: after one correction the integer
//! quotient is known, and also whether the remainder is zero. So it is rounded once, at the last bit of the result,
//! subnormal or not. Roots are computed in the same manner. A remainder whose operands are far apart is `A ·
//! 2^n` modulo `B`: the power by repeated squaring, each square with its own estimate and its own remainder.
//!
//! The estimates may be imprecise: a 32-bit reciprocal and reciprocal root with a relative error of 2^-20 are
//! enough. The requirements are that 64-bit sums and products are rounded to nearest, and that subnormal
//! numbers are kept.
//!
//! Brent and Zimmermann, "Modern Computer Arithmetic" (2010), 1.4, 1.5 and 3.4, for the steps and their
//! corrections.

use super::Arith;
use super::parts::{Layout, Parts, clamped, parts, power, stored};
use vitrine_ir::ops::{ConvertOp, FloatBuild, IntBuild, Width};

/// The number of fraction bits of a 64-bit float.
const FRACTION: u32 = 52;
/// The exponent bias.
const BIAS: i64 = 1023;
/// The stored exponent of infinities and NaN.
const FULL: i64 = 2047;
/// Newton steps: 2^-20 becomes 2^-40, and then 2^-80 plus rounding.
const STEPS: usize = 2;
/// The number of low bits that are discarded from a remainder before it is converted to a 32-bit float.
const CUT: u32 = 32;
/// The number of times that the exponent of a remainder is halved before the first square.
const SQUARES: u32 = 6;

/// A divisor with its reciprocals.
struct Divisor<V> {
    /// The significand as an integer.
    integer_significand: V,
    /// The reciprocal of the significand as a number from 1 up to 2, within a few units in the last place.
    reciprocal: V,
    /// The factor that converts a truncated remainder to a multiple of the divisor: a 32-bit float.
    step: V,
}

/// The quotient, rounded once.
pub(super) fn quotient<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let (dividend, divided_by) = (parts(e, a), parts(e, b));
    let divisor = divisor(e, divided_by.normal);
    let (first, significand) = (one_to_two(e, dividend.normal), integer_significand(e, dividend.normal));
    let estimate = e.fmul(first, divisor.reciprocal);
    let estimate = fixed(e, estimate, 54);
    let (scaled, product) = (e.left(significand, 54), e.imul(estimate, divisor.integer_significand));
    let rest = e.isub(scaled, product);
    let more = times(e, rest, divisor.step);
    let (found, taken) = (e.iadd(estimate, more), e.imul(more, divisor.integer_significand));
    let rest = e.isub(rest, taken);
    let found = less_if_negative(e, found, rest);
    // 55 bits, of which the lowest is also set if the remainder is not zero (sticky bit).
    let least = e.number(found, 1 << 54);
    let (short, doubled) = (e.ult(found, least), e.left(found, 1));
    let found = e.select(short, doubled, found);
    let found = with_rest(e, found, rest);
    let (above, below) = (stored(e, &dividend, -BIAS), stored(e, &divided_by, 0));
    let (exponent, less) = (e.isub(above, below), e.to(ConvertOp::B2I, Width::W32, short));
    let exponent = e.isub(exponent, less);
    let size = rounded(e, exponent, found);
    let signs = e.ixor(a, b);
    let sign = e.masked(signs, Width::W64.sign_bit());
    let (usual, special) = (e.ior(size, sign), e.ior(dividend.special, divided_by.special));
    let reciprocal_special = reciprocal_special(e, b, &divided_by);
    let other = e.fmul(a, reciprocal_special);
    e.select(special, other, usual)
}

/// The reciprocal of a number, rounded once.
pub(super) fn reciprocal<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let one = e.real(a, 1.0);
    quotient(e, one, a)
}

/// The square root, rounded once.
pub(super) fn square_root<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let parts = parts(e, a);
    let exponent = stored(e, &parts, BIAS);
    let one = e.number(exponent, 1);
    let odd = e.iand(exponent, one);
    // From 1 up to 4, as a float and as an integer.
    let (first, doubled) = (one_to_two(e, parts.normal), power(e, a, odd));
    let square = e.fmul(first, doubled);
    let significand = integer_significand(e, parts.normal);
    let significand = e.ishl(significand, odd);
    let scaled = e.left(significand, 54);
    let (reciprocal, step) = reciprocal_root(e, square);
    let estimate = e.fmul(square, reciprocal);
    let estimate = fixed(e, estimate, 53);
    let product = e.imul(estimate, estimate);
    let rest = e.isub(scaled, product);
    let more = times(e, rest, step);
    let found = e.iadd(estimate, more);
    let product = e.imul(found, found);
    let rest = e.isub(scaled, product);
    let found = less_if_negative(e, found, rest);
    // One extra bit; a root is never halfway between two numbers.
    let up = e.number(found, 1);
    let found = e.iadd(found, up);
    let (found, half) = (e.right(found, 1), e.right_signed(exponent, 1));
    let bias = e.number(half, BIAS - 1);
    let field = e.iadd(half, bias);
    let field = e.to(ConvertOp::U2U, Width::W64, field);
    let field = e.left(field, FRACTION);
    let (usual, same) = (e.iadd(field, found), e.fcanonicalize(a));
    let (zero, none) = (e.real(a, 0.0), e.real(a, f64::NAN));
    let (negative, root) = (e.flt(a, zero), e.select(parts.special, same, usual));
    e.select(negative, none, root)
}

/// The remainder with the sign of the dividend, exact.
pub(super) fn remainder<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let (dividend, divided_by) = (parts(e, a), parts(e, b));
    let divisor = divisor(e, divided_by.normal);
    let (above, below) = (stored(e, &dividend, 0), stored(e, &divided_by, 0));
    let (apart, none) = (e.isub(above, below), e.number(above, 0));
    let apart = e.imax(apart, none);
    let power_left = power_modulo(e, a, apart, &divisor);
    let significand = integer_significand(e, dividend.normal);
    let left = product_modulo(e, power_left, significand, &divisor);
    let zero = e.number(left, 0);
    let (below, more) = (e.ilt(left, zero), e.iadd(left, divisor.integer_significand));
    let left = e.select(below, more, left);
    let left = e.to(ConvertOp::I2F, Width::W64, left);
    // The exponent of the divisor, in two parts: its last bit may be smaller than any power of two.
    let exponent = stored(e, &divided_by, BIAS + i64::from(FRACTION));
    let first = e.right_signed(exponent, 1);
    let second = e.isub(exponent, first);
    let [first, second] = [first, second].map(|exponent| power(e, a, exponent));
    let left = e.fmul(left, first);
    let left = e.fmul(left, second);
    let sign = e.masked(a, Width::W64.sign_bit());
    let left = e.ior(left, sign);
    let (a_size, b_size) = (e.fabs(a), e.fabs(b));
    let small = e.flt(a_size, b_size);
    let left = e.select(small, a, left);
    let (zero, infinity, none) = (e.real(a, 0.0), e.real(a, f64::INFINITY), e.real(a, f64::NAN));
    let (finite, some) = (e.flt(a_size, infinity), e.flt(zero, b_size));
    let defined = e.iand(finite, some);
    e.select(defined, left, none)
}

/// The remainder with the sign of the divisor, by its formula.
pub(super) fn floored_remainder<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let quotient = quotient(e, a, b);
    let whole = e.ffloor(quotient);
    let product = e.fmul(b, whole);
    e.fsub(a, product)
}

/// The significand as an integer from 2^52 up to 2^53.
fn integer_significand<E: Arith>(e: &mut E, normal: E::Value) -> E::Value {
    let (fraction, one) = (fraction(e, normal), e.number(normal, 1 << FRACTION));
    e.ior(fraction, one)
}

/// The significand as a float from 1 up to 2.
fn one_to_two<E: Arith>(e: &mut E, normal: E::Value) -> E::Value {
    let (fraction, one) = (fraction(e, normal), e.real(normal, 1.0));
    e.ior(fraction, one)
}

fn fraction<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    e.masked(a, (1 << FRACTION) - 1)
}

fn divisor<E: Arith>(e: &mut E, normal: E::Value) -> Divisor<E::Value> {
    let (float, one) = (one_to_two(e, normal), e.real(normal, 1.0));
    let narrow = e.to(ConvertOp::F2F, Width::W32, float);
    let first = e.frcp(narrow);
    let mut reciprocal = e.to(ConvertOp::F2F, Width::W64, first);
    for _ in 0..STEPS {
        let product = e.fmul(float, reciprocal);
        let error = e.fsub(one, product);
        let more = e.fmul(reciprocal, error);
        reciprocal = e.fadd(reciprocal, more);
    }
    let scale = e.real(first, 2f64.powi(CUT.cast_signed() - FRACTION.cast_signed()));
    Divisor { integer_significand: integer_significand(e, normal), reciprocal, step: e.fmul(first, scale) }
}

/// The reciprocal root of a number from 1 up to 4, and the factor that converts a truncated remainder to a
/// correction of the root.
fn reciprocal_root<E: Arith>(e: &mut E, square: E::Value) -> (E::Value, E::Value) {
    let half = e.real(square, 0.5);
    let halved = e.fmul(square, half);
    let narrow = e.to(ConvertOp::F2F, Width::W32, square);
    let first = e.frsq(narrow);
    let mut root = e.to(ConvertOp::F2F, Width::W64, first);
    for _ in 0..STEPS {
        let product = e.fmul(halved, root);
        let product = e.fmul(product, root);
        let error = e.fsub(half, product);
        let more = e.fmul(root, error);
        root = e.fadd(root, more);
    }
    // Twice the root has 54 fraction bits.
    let scale = e.real(first, 2f64.powi(CUT.cast_signed() - 54));
    (root, e.fmul(first, scale))
}

/// A float from 0 to 4 as a fixed-point number with `places` fraction bits; the last ones are zeros.
fn fixed<E: Arith>(e: &mut E, float: E::Value, places: u32) -> E::Value {
    // From 4 up to 8, 64-bit floats have 50 fraction bits.
    let four = e.real(float, 4.0);
    let sum = e.fadd(float, four);
    let bits = e.isub(sum, four);
    e.left(bits, places - 50)
}

/// The quotient of a remainder by a divisor, to the nearest integer; small, and possibly negative.
fn times<E: Arith>(e: &mut E, rest: E::Value, step: E::Value) -> E::Value {
    let high = e.right_signed(rest, CUT);
    let high = e.to(ConvertOp::I2I, Width::W32, high);
    let high = e.to(ConvertOp::I2F, Width::W32, high);
    let ratio = e.fmul(high, step);
    // The addend is so large that the sum has no fraction: its low bits are the integer.
    let large = e.real(ratio, 12_582_912.0);
    let sum = e.fadd(ratio, large);
    let count = e.isub(sum, large);
    e.to(ConvertOp::I2I, Width::W64, count)
}

/// Subtracts one if the remainder is negative: converts rounding to nearest to rounding down.
fn less_if_negative<E: Arith>(e: &mut E, found: E::Value, rest: E::Value) -> E::Value {
    // The sign of the remainder in all bits: -1 or 0.
    let less = e.right_signed(rest, 63);
    e.iadd(found, less)
}

/// The number with its lowest bit set if the remainder is not zero.
fn with_rest<E: Arith>(e: &mut E, value: E::Value, rest: E::Value) -> E::Value {
    let zero = e.number(rest, 0);
    let some = e.ine(rest, zero);
    let some = e.to(ConvertOp::B2I, Width::W64, some);
    e.ior(value, some)
}

/// Converts a 55-bit significand and a stored exponent to a float without sign: rounded once, to even. The
/// lowest bit of the significand is a sticky bit.
fn rounded<E: Arith>(e: &mut E, exponent: E::Value, significand: E::Value) -> E::Value {
    // Subnormal numbers have fewer bits. Beyond 60 places no bit of any number remains.
    let one = e.number(exponent, 1);
    let missing = e.isub(one, exponent);
    let missing = clamped(e, missing, 0, 60);
    let kept = e.ushr(significand, missing);
    let back = e.ishl(kept, missing);
    let lost = e.isub(significand, back);
    let kept = with_rest(e, kept, lost);
    let last = e.right(kept, 2);
    let one = e.number(last, 1);
    let last = e.iand(last, one);
    let sum = e.iadd(kept, one);
    let sum = e.iadd(sum, last);
    let rounded = e.right(sum, 2);
    // The leading bit adds one to the exponent, and so does a carry.
    let field = clamped(e, exponent, 1, FULL);
    let less = e.number(field, -1);
    let field = e.iadd(field, less);
    let field = e.to(ConvertOp::U2U, Width::W64, field);
    let field = e.left(field, FRACTION);
    let (size, infinity) = (e.iadd(field, rounded), e.real(field, f64::INFINITY));
    e.umin(size, infinity)
}

/// The factor whose product with a number is the quotient by `b`, if either is zero, infinite or NaN: infinity
/// for zero and zero for infinity, with the sign; otherwise only the sign and NaN matter.
fn reciprocal_special<E: Arith>(e: &mut E, b: E::Value, parts: &Parts<E::Value>) -> E::Value {
    let (fraction, zero) = (fraction(e, b), e.number(b, 0));
    let empty = e.ieq(fraction, zero);
    let is_border = e.iand(empty, parts.special);
    let mask = e.number(b, Layout::of(Width::W64).mask().cast_signed());
    let other = e.ixor(b, mask);
    e.select(is_border, other, b)
}

/// `2^exponent` modulo the divisor, of either sign, for exponents below 2^12: repeated squaring, bit by bit of
/// the exponent.
fn power_modulo<E: Arith>(
    e: &mut E,
    like: E::Value,
    exponent: E::Value,
    divisor: &Divisor<E::Value>,
) -> E::Value {
    let (first, bit_mask) = (e.right(exponent, SQUARES), e.number(exponent, 1));
    let one = e.number(like, 1);
    // Exponents differ by at most 2097: this is 2^32 at most, and below every significand.
    let mut left = e.ishl(one, first);
    for bit in (0..SQUARES).rev() {
        let set = e.right(exponent, bit);
        let set = e.iand(set, bit_mask);
        let once_more = e.ishl(left, set);
        left = product_modulo(e, left, once_more, divisor);
    }
    left
}

/// A product modulo the divisor: of either sign, and, apart from rounding errors, at most half of it. One
/// factor is at most the divisor, the other at most twice the divisor.
fn product_modulo<E: Arith>(e: &mut E, a: E::Value, b: E::Value, divisor: &Divisor<E::Value>) -> E::Value {
    let [a_float, b_float] = [a, b].map(|value| e.to(ConvertOp::I2F, Width::W64, value));
    let scale = e.real(a, 2f64.powi(-FRACTION.cast_signed()));
    let reciprocal = e.fmul(divisor.reciprocal, scale);
    let (first, product) = (e.fmul(a_float, reciprocal), e.imul(a, b));
    let estimate = e.fmul(first, b_float);
    let estimate = e.to(ConvertOp::F2I, Width::W64, estimate);
    let taken = e.imul(estimate, divisor.integer_significand);
    let rest = e.isub(product, taken);
    let more = times(e, rest, divisor.step);
    let taken = e.imul(more, divisor.integer_significand);
    e.isub(rest, taken)
}

#[cfg(test)]
mod tests {
    use super::super::doubles::{self, Group};
    use super::super::numbers::{Numbers, corners};
    use super::*;
    use vitrine_ir::base::random::Random;
    use vitrine_ir::ops::{Bits, FloatOp, Op, Scalar, ValueType};

    /// The number of operand pairs for each operation.
    const PAIRS: usize = 208_000;
    /// The number of pairs evaluated at once: the components of a value.
    const COMPONENTS: usize = 16;

    fn real(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    /// Floats with corner cases more often than random ones would have.
    fn float(random: &mut Random, corners: &[Scalar]) -> u64 {
        let (kind, bits, more) = (random.next(), random.next(), random.next());
        let sign = bits & Width::W64.sign_bit();
        let fraction = bits & ((1 << FRACTION) - 1);
        let with = |exponent: u64, fraction: u64| sign | exponent << FRACTION | fraction;
        match kind % 8 {
            0 => bits,
            1 => corners[more as usize % corners.len()].bits(),
            2 => sign | fraction >> (more % 52),
            3 => with(more % 2047, 0).wrapping_add(kind >> 8 & 2).wrapping_sub(1),
            4 => with(more % 2047, 0),
            5 => with(1023 - 60 + more % 120, fraction & u64::MAX << (kind >> 8 & 63)),
            6 => with(1023 - 2 + more % 4, fraction),
            _ => with(2046 - more % 60, fraction),
        }
    }

    /// Two operands; every other time the first one is near a product with the second, or a subnormal half
    /// above one, so that quotients, roots and remainders are near rounding boundaries.
    fn pair(random: &mut Random, corners: &[Scalar]) -> [u64; 2] {
        let (a, b) = (float(random, corners), float(random, corners));
        let (kind, count) = (random.next(), random.next());
        let nudged = |value: f64| value.to_bits().wrapping_add(count % 3).wrapping_sub(1);
        match kind % 8 {
            0 => [nudged(real(a) * real(b)), b],
            1 => [nudged(real(a) * real(a)), a],
            2 => [nudged((count >> 40) as f64 * real(b)), b],
            3 => {
                // An odd number of halves of the smallest number, times a divisor with few bits.
                let divisor = (1 + (kind >> 20 & 0xff_ffff)) as f64 * 2f64.powi(60);
                let halves = (count >> (36 + (kind >> 8 & 15)) | 1) as f64 * 2f64.powi(-537);
                [nudged(halves * divisor * 2f64.powi(-538)), divisor.to_bits()]
            }
            _ => [a, b],
        }
    }

    fn compare(op: Op, numbers: &[[u64; 2]], off: i64) -> Vec<u64> {
        let arity = op.info().operands.len();
        let components = |at: usize| {
            Bits::from_components(Width::W64, &numbers.iter().map(|pair| pair[at]).collect::<Vec<_>>())
        };
        let args: Vec<Bits> = (0..arity).map(components).collect();
        let ty = ValueType::bits(Width::W64, args[0].ty().components());
        let meant = op.info().eval(ty, &args).unwrap();
        let made = doubles::expand(&mut Numbers { off, ..Numbers::default() }, op, &args).unwrap();
        for (at, [a, b]) in numbers.iter().enumerate() {
            let (meant, made) = (meant.component(at).bits(), made.component(at).bits());
            let shown = format!("{a:#018x} {b:#018x} ({:e}, {:e})", real(*a), real(*b));
            assert!(meant == made, "{} {shown} is {meant:#018x}, not {made:#018x}", op.name());
        }
        meant.components().to_vec()
    }

    /// Evaluates all pairs; returns the number of subnormal, infinite and NaN results.
    fn check_all(op: Op) -> [usize; 3] {
        let (mut random, corners) = (Random(op.name().len() as u64), corners(Width::W64));
        let mut seen = [0; 3];
        for _ in 0..PAIRS / COMPONENTS {
            let numbers: Vec<[u64; 2]> = (0..COMPONENTS).map(|_| pair(&mut random, &corners)).collect();
            for result in compare(op, &numbers, 0) {
                seen[0] += usize::from(real(result).is_subnormal());
                seen[1] += usize::from(real(result).is_infinite());
                seen[2] += usize::from(real(result).is_nan());
            }
        }
        seen
    }

    #[test]
    fn quotients_keep_every_bit() {
        let seen = check_all(FloatOp::FDiv.into());
        assert!(seen.iter().all(|&count| count > PAIRS / 100), "{seen:?}");
        check_all(FloatOp::FRcp.into());
    }

    #[test]
    fn roots_keep_every_bit() {
        check_all(FloatOp::FSqrt.into());
        check_all(FloatOp::FRsq.into());
    }

    #[test]
    fn remainders_keep_every_bit() {
        let seen = check_all(FloatOp::FRem.into());
        assert!(seen[0] > PAIRS / 100 && seen[1] == 0, "{seen:?}");
        check_all(FloatOp::FMod.into());
    }

    /// Targets estimate a reciprocal to a few units in the last place: 8 units are less than 2^-20.
    #[test]
    fn bad_estimates_do_no_harm() {
        let (mut random, corners) = (Random(1), corners(Width::W64));
        for op in [FloatOp::FDiv, FloatOp::FSqrt, FloatOp::FRem] {
            for off in [-8, -3, 3, 8] {
                for _ in 0..1_000 {
                    let numbers: Vec<[u64; 2]> =
                        (0..COMPONENTS).map(|_| pair(&mut random, &corners)).collect();
                    compare(op.into(), &numbers, off);
                }
            }
        }
    }

    /// All entries of the table that are not tested above: one step each.
    #[test]
    fn other_operations_keep_every_bit() {
        let above = [Group::Divide, Group::Root, Group::Remainder];
        let rest: Vec<Op> =
            doubles::OPS.iter().filter(|(_, group)| !above.contains(group)).map(|entry| entry.0).collect();
        assert_eq!(rest.len(), 14);
        rest.into_iter().for_each(|op| _ = check_all(op));
    }

    /// All pairs of corner cases, which random operands rarely contain.
    #[test]
    fn corners_keep_every_bit() {
        let corners = corners(Width::W64);
        for &(op, _) in doubles::OPS {
            for &a in &corners {
                let all: Vec<[u64; 2]> = corners.iter().map(|b| [a.bits(), b.bits()]).collect();
                all.chunks(COMPONENTS).for_each(|numbers| _ = compare(op, numbers, 0));
            }
        }
    }
}

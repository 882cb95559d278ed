//! Expansions of `lower-alu`: bit fields, bit positions and counts, wide products, saturating arithmetic, and
//! formulas.
//!
//! Every expansion yields the same bits for every input. Bit counts and masks are as in Warren, "Hacker's
//! Delight", 2nd edition, chapters 2, 5, 7 and 8. Operations that have no closed formula, such as sines and
//! roots, are not here.

use super::{Arith, expansions};
use vitrine_ir::ops::{ConvertOp, FloatBuild, FloatOp, IntBuild, IntOp, Scalar, Width};

expansions! {
    /// All of the following.
    All "all";
    /// Bit field extraction and insertion, and bitwise selection.
    Fields "fields" {
        Int(IntOp::UBfe) |e, a, offset, count| unsigned_field(e, a, offset, count);
        Int(IntOp::IBfe) |e, a, offset, count| signed_field(e, a, offset, count);
        Int(IntOp::Bfi) |e, base, insert, offset, count| insert_field(e, base, insert, offset, count);
        Int(IntOp::BitSelect) |e, mask, a, b| bit_select(e, mask, a, b);
    }
    /// Population count and bit reversal.
    Counts "counts" {
        Int(IntOp::BitCount) |e, a| bit_count(e, a);
        Int(IntOp::BitRev) |e, a| reversed(e, a);
    }
    /// Highest and lowest set bits, leading and trailing zeros.
    Positions "positions" {
        Int(IntOp::FindLsb) |e, a| find_lsb(e, a);
        Int(IntOp::UFindMsb) |e, a| find_msb(e, a);
        Int(IntOp::IFindMsb) |e, a| find_signed_msb(e, a);
        Int(IntOp::Clz) |e, a| leading_zeros(e, a);
        Int(IntOp::Ctz) |e, a| trailing_zeros(e, a);
    }
    /// The high half of a product.
    MulHigh "mul-high" {
        Int(IntOp::UMulHigh) |e, a, b| high_product(e, a, b);
        Int(IntOp::IMulHigh) |e, a, b| high_signed_product(e, a, b);
    }
    /// Carry of a sum and borrow of a difference.
    Carry "carry" {
        Int(IntOp::UAddCarry) |e, a, b| carry(e, a, b);
        Int(IntOp::USubBorrow) |e, a, b| borrow(e, a, b);
    }
    /// Saturating sums and differences.
    Saturate "saturate" {
        Int(IntOp::IAddSat) |e, a, b| signed_add_saturated(e, a, b);
        Int(IntOp::ISubSat) |e, a, b| signed_sub_saturated(e, a, b);
        Int(IntOp::UAddSat) |e, a, b| add_saturated(e, a, b);
        Int(IntOp::USubSat) |e, a, b| sub_saturated(e, a, b);
    }
    /// Averages without overflow.
    Halves "halves" {
        Int(IntOp::UHadd) |e, a, b| {
            let (both, half) = (e.iand(a, b), half_of_differing(e, a, b, false));
            e.iadd(both, half)
        };
        Int(IntOp::IHadd) |e, a, b| {
            let (both, half) = (e.iand(a, b), half_of_differing(e, a, b, true));
            e.iadd(both, half)
        };
        Int(IntOp::URhadd) |e, a, b| {
            let (any, half) = (e.ior(a, b), half_of_differing(e, a, b, false));
            e.isub(any, half)
        };
        Int(IntOp::IRhadd) |e, a, b| {
            let (any, half) = (e.ior(a, b), half_of_differing(e, a, b, true));
            e.isub(any, half)
        };
    }
    /// Absolute differences.
    Distance "distance" {
        Int(IntOp::UAbsDiff) |e, a, b| { let less = e.ult(a, b); distance(e, a, b, less) };
        Int(IntOp::IAbsDiff) |e, a, b| { let less = e.ilt(a, b); distance(e, a, b, less) };
    }
    /// Rotations.
    Rotate "rotate" {
        Int(IntOp::Rotl) |e, a, count| {
            let (count, back) = counts(e, a, count);
            let (up, down) = (e.ishl(a, count), e.ushr(a, back));
            e.ior(up, down)
        };
        Int(IntOp::Rotr) |e, a, count| {
            let (count, back) = counts(e, a, count);
            let (up, down) = (e.ishl(a, back), e.ushr(a, count));
            e.ior(up, down)
        };
    }
    /// Absolute value and sign of integers.
    Sign "sign" {
        Int(IntOp::IAbs) |e, a| { let negative = e.ineg(a); e.imax(a, negative) };
        Int(IntOp::ISign) |e, a| {
            let (low, high) = (e.number(a, -1), e.number(a, 1));
            let bounded = e.imax(a, low);
            e.imin(bounded, high)
        };
    }
    /// Clamping to a range.
    Clamp "clamp" {
        Int(IntOp::IClamp) |e, x, low, high| { let bounded = e.imax(x, low); e.imin(bounded, high) };
        Int(IntOp::UClamp) |e, x, low, high| { let bounded = e.umax(x, low); e.umin(bounded, high) };
        Float(FloatOp::FClamp) |e, x, low, high| { let bounded = e.fmax(x, low); e.fmin(bounded, high) };
        Float(FloatOp::FNClamp) |e, x, low, high| { let bounded = e.fnmax(x, low); e.fnmin(bounded, high) };
        Float(FloatOp::FSat) |e, a| {
            let (low, high) = (e.real(a, 0.0), e.real(a, 1.0));
            let bounded = e.fmax(a, low);
            e.fmin(bounded, high)
        };
    }
    /// Floats: fractional parts, step functions, angle conversions, fused multiply-add.
    Formulas "formulas" {
        Float(FloatOp::FMad) |e, a, b, c| { let product = e.fmul(a, b); e.fadd(product, c) };
        Float(FloatOp::FFract) |e, a| { let whole = e.ffloor(a); e.fsub(a, whole) };
        Float(FloatOp::FStep) |e, edge, x| {
            let (zero, one) = (e.real(x, 0.0), e.real(x, 1.0));
            let below = e.flt(x, edge);
            e.select(below, zero, one)
        };
        Float(FloatOp::FSmoothStep) |e, low, high, x| smooth_step(e, low, high, x);
        Float(FloatOp::FRadians) |e, a| {
            let factor = e.real(a, std::f64::consts::PI / 180.0);
            e.fmul(a, factor)
        };
        Float(FloatOp::FDegrees) |e, a| {
            let factor = e.real(a, 180.0 / std::f64::consts::PI);
            e.fmul(a, factor)
        };
    }
    /// Remainders of floats with the sign of the divisor.
    Mod "mod" {
        Float(FloatOp::FMod) |e, a, b| {
            let quotient = e.fdiv(a, b);
            let whole = e.ffloor(quotient);
            let product = e.fmul(b, whole);
            e.fsub(a, product)
        };
    }
    /// Products that are 0.0 if a factor is zero.
    ZeroProducts "zero-products" {
        Float(FloatOp::FMulZ) |e, a, b| zero_product(e, a, b, None);
        Float(FloatOp::FFmaZ) |e, a, b, c| zero_product(e, a, b, Some(c));
    }
    /// Rounding of floats to 16 bits.
    Quantize "quantize" {
        Float(FloatOp::FQuantize16) |e, a| quantized(e, a);
    }
    /// A float times a power of two.
    Ldexp "ldexp" {
        Float(FloatOp::FLdexp) |e, a, exponent| super::parts::scaled(e, a, exponent);
    }
    /// Dot products of four packed 8-bit numbers.
    Dot "dot" {
        Int(IntOp::SDot4x8) |e, a, b| packed_dot(e, a, b, [true, true]);
        Int(IntOp::UDot4x8) |e, a, b| packed_dot(e, a, b, [false, false]);
        Int(IntOp::SUDot4x8) |e, a, b| packed_dot(e, a, b, [true, false]);
        Int(IntOp::SDot4x8Sat) |e, a, b, c| {
            let dot = packed_dot(e, a, b, [true, true]);
            e.iadd_sat(dot, c)
        };
        Int(IntOp::UDot4x8Sat) |e, a, b, c| {
            let dot = packed_dot(e, a, b, [false, false]);
            e.uadd_sat(dot, c)
        };
        Int(IntOp::SUDot4x8Sat) |e, a, b, c| {
            let dot = packed_dot(e, a, b, [true, false]);
            e.iadd_sat(dot, c)
        };
    }
}

/// A bit field of a number: its offset, its size as 32 bits, and a flag that is true if it lies within the
/// number.
struct Field<V> {
    offset: V,
    count: V,
    fits: V,
    is_empty: V,
}

fn field<E: Arith>(e: &mut E, a: E::Value, offset: E::Value, count: E::Value) -> Field<E::Value> {
    let width = e.width(a).bits();
    // Counts may have any width, and truncating a large one could make it small.
    let mut small = |value: E::Value| {
        let most = e.number(value, i64::from(width));
        let fits = e.ule(value, most);
        let value =
            if e.width(value) == Width::W32 { value } else { e.to(ConvertOp::U2U, Width::W32, value) };
        (value, fits)
    };
    let ((offset, first), (count, second)) = (small(offset), small(count));
    let end = e.iadd(offset, count);
    let (most, zero) = (e.number(end, i64::from(width)), e.number(end, 0));
    let third = e.ule(end, most);
    let both = e.iand(first, second);
    let fits = e.iand(both, third);
    let is_empty = e.ieq(count, zero);
    Field { offset, count, fits, is_empty }
}

/// A mask with as many ones as the field has bits.
fn ones<E: Arith>(e: &mut E, a: E::Value, field: &Field<E::Value>) -> E::Value {
    let width = e.number(field.count, i64::from(e.width(a).bits()));
    let (all, none) = (e.number(a, -1), e.number(a, 0));
    let above = e.isub(width, field.count);
    let low = e.ushr(all, above);
    // A shift by the whole width is undefined: handle it separately.
    e.select(field.is_empty, none, low)
}

fn unsigned_field<E: Arith>(e: &mut E, a: E::Value, offset: E::Value, count: E::Value) -> E::Value {
    let field = field(e, a, offset, count);
    let ones = ones(e, a, &field);
    let low = e.ushr(a, field.offset);
    let (cut, zero) = (e.iand(low, ones), e.number(a, 0));
    e.select(field.fits, cut, zero)
}

fn signed_field<E: Arith>(e: &mut E, a: E::Value, offset: E::Value, count: E::Value) -> E::Value {
    let field = field(e, a, offset, count);
    let width = e.number(field.count, i64::from(e.width(a).bits()));
    let above = e.isub(width, field.count);
    let left = e.isub(above, field.offset);
    let top = e.ishl(a, left);
    let low = e.ishr(top, above);
    let zero = e.number(a, 0);
    let some = e.select(field.is_empty, zero, low);
    e.select(field.fits, some, zero)
}

fn insert_field<E: Arith>(
    e: &mut E,
    base: E::Value,
    insert: E::Value,
    offset: E::Value,
    count: E::Value,
) -> E::Value {
    let field = field(e, base, offset, count);
    let ones = ones(e, base, &field);
    let mask = e.ishl(ones, field.offset);
    let moved = e.ishl(insert, field.offset);
    let chosen = bit_select(e, mask, moved, base);
    e.select(field.fits, chosen, base)
}

fn bit_select<E: Arith>(e: &mut E, mask: E::Value, a: E::Value, b: E::Value) -> E::Value {
    let others = e.inot(mask);
    let (a, b) = (e.iand(mask, a), e.iand(others, b));
    e.ior(a, b)
}

/// A product that is 0.0 if a factor is zero, and a sum with it.
fn zero_product<E: Arith>(e: &mut E, a: E::Value, b: E::Value, c: Option<E::Value>) -> E::Value {
    let zero = e.real(a, 0.0);
    let tests = [e.feq(a, zero), e.feq(b, zero)];
    let either = e.ior(tests[0], tests[1]);
    match c {
        None => {
            let product = e.fmul(a, b);
            e.select(either, zero, product)
        }
        Some(c) => {
            let (a, b) = (e.select(either, zero, a), e.select(either, zero, b));
            e.ffma(a, b, c)
        }
    }
}

/// A float rounded to half precision, by its bits: the nearest even; an infinity from the middle between the largest half and
/// the next power of two on; a zero with the sign of the number below the smallest normal half.
fn quantized<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let width = e.width(a);
    let bits = |value: f64| Scalar::float(width, value).bits().cast_signed();
    // The bits of a fraction that a half does not have.
    let lost = match width {
        Width::W16 => 0,
        Width::W32 => 13,
        Width::W64 => 42,
        Width::W1 | Width::W8 => return e.number(a, 0),
    };
    let sign = e.masked(a, width.sign_bit());
    let size = e.masked(a, width.mask() ^ width.sign_bit());
    let (zero, infinity) = (e.number(a, 0), e.number(a, bits(f64::INFINITY)));
    let mut rounded = size;
    if lost > 0 {
        let last = e.right(size, lost);
        let odd = e.masked(last, 1);
        let almost_half = e.number(a, (1 << (lost - 1)) - 1);
        let added = e.iadd(size, almost_half);
        let carried = e.iadd(added, odd);
        let cut = e.masked(carried, !((1 << lost) - 1));
        let most = e.number(a, bits(65536.0));
        let is_large = e.uge(cut, most);
        rounded = e.select(is_large, infinity, cut);
    }
    let least = e.number(a, bits(1.0 / 16384.0));
    let is_small = e.ult(size, least);
    let all = e.select(is_small, zero, rounded);
    let signed = e.ior(all, sign);
    // Arithmetic makes one NaN, which is positive.
    let is_nan = e.ult(infinity, size);
    let nan = e.number(a, bits(f64::NAN));
    e.select(is_nan, nan, signed)
}

/// A mask of the lower half of every `2 * step` bits.
fn stripes(step: u32) -> u64 {
    (0..64).filter(|bit: &u32| (bit / step).is_multiple_of(2)).fold(0, |mask, bit| mask | 1 << bit)
}

fn bit_count<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    // Counts of pairs, of groups of four, of groups of eight, each in as many bits as it counts; then the sum
    // of the bytes by a product.
    let odd = e.right(a, 1);
    let odd = e.masked(odd, stripes(1));
    let pairs = e.isub(a, odd);
    let (low, high) = (e.masked(pairs, stripes(2)), e.right(pairs, 2));
    let high = e.masked(high, stripes(2));
    let fours = e.iadd(low, high);
    let high = e.right(fours, 4);
    let eights = e.iadd(fours, high);
    let eights = e.masked(eights, stripes(4));
    let width = e.width(a).bits();
    if width == 8 {
        return eights;
    }
    let every_byte = e.number(a, 0x0101_0101_0101_0101);
    let sum = e.imul(eights, every_byte);
    e.right(sum, width - 8)
}

fn reversed<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let width = e.width(a).bits();
    let mut value = a;
    let mut step = 1;
    while step < width {
        let (low, high) = (e.masked(value, stripes(step)), e.right(value, step));
        let (low, high) = (e.left(low, step), e.masked(high, stripes(step)));
        value = e.ior(low, high);
        step *= 2;
    }
    value
}

/// The lowest set bit, minus one: ones at the trailing zeros; all ones for zero.
fn below_lowest<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (negative, one) = (e.ineg(a), e.number(a, 1));
    let lowest = e.iand(a, negative);
    e.isub(lowest, one)
}

fn trailing_zeros<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let below = below_lowest(e, a);
    e.bitcount(below)
}

fn find_lsb<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let count = trailing_zeros(e, a);
    let (zero, none) = (e.number(a, 0), e.number(a, -1));
    let is_zero = e.ieq(a, zero);
    e.select(is_zero, none, count)
}

fn leading_zeros<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    // Ones from the highest set bit downwards.
    let width = e.width(a).bits();
    let mut value = a;
    let mut step = 1;
    while step < width {
        let lower = e.right(value, step);
        value = e.ior(value, lower);
        step *= 2;
    }
    let (count, all) = (e.bitcount(value), e.number(a, i64::from(width)));
    e.isub(all, count)
}

fn find_msb<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (zeros, top) = (leading_zeros(e, a), e.number(a, i64::from(e.width(a).bits()) - 1));
    e.isub(top, zeros)
}

fn find_signed_msb<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let sign = e.right_signed(a, e.width(a).bits() - 1);
    let differs = e.ixor(a, sign);
    find_msb(e, differs)
}

fn high_product<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    // Schoolbook multiplication by halves; no sum overflows.
    let half = e.width(a).bits() / 2;
    let mask = (1u64 << half) - 1;
    let [(a_low, a_high), (b_low, b_high)] =
        [a, b].map(|value| (e.masked(value, mask), e.right(value, half)));
    let low = e.imul(a_low, b_low);
    let carried = e.right(low, half);
    let first = e.imul(a_high, b_low);
    let first = e.iadd(first, carried);
    let (first_low, first_high) = (e.masked(first, mask), e.right(first, half));
    let second = e.imul(a_low, b_high);
    let second = e.iadd(second, first_low);
    let second_high = e.right(second, half);
    let high = e.imul(a_high, b_high);
    let high = e.iadd(high, first_high);
    e.iadd(high, second_high)
}

fn high_signed_product<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    // A negative number is its bits minus two to the power of the width.
    let top = e.width(a).bits() - 1;
    let (high, a_sign, b_sign) = (e.umul_high(a, b), e.right_signed(a, top), e.right_signed(b, top));
    let (first, second) = (e.iand(a_sign, b), e.iand(b_sign, a));
    let high = e.isub(high, first);
    e.isub(high, second)
}

fn carry<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let sum = e.iadd(a, b);
    let wrapped = e.ult(sum, a);
    e.to(ConvertOp::B2I, e.width(a), wrapped)
}

fn borrow<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let less = e.ult(a, b);
    e.to(ConvertOp::B2I, e.width(a), less)
}

/// The largest number, or the smallest one if `a` is negative, where `overflow` holds; otherwise `value`.
fn saturate<E: Arith>(e: &mut E, a: E::Value, overflow: E::Value, value: E::Value) -> E::Value {
    let width = e.width(a);
    let (zero, largest) = (e.number(a, 0), e.number(a, (width.mask() >> 1).cast_signed()));
    let is_over = e.ilt(overflow, zero);
    let sign = e.right_signed(a, width.bits() - 1);
    let border = e.ixor(sign, largest);
    e.select(is_over, border, value)
}

fn signed_add_saturated<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    // The sum overflows if its sign differs from the signs of both operands.
    let sum = e.iadd(a, b);
    let (first, second) = (e.ixor(a, sum), e.ixor(b, sum));
    let overflow = e.iand(first, second);
    saturate(e, a, overflow, sum)
}

fn signed_sub_saturated<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let difference = e.isub(a, b);
    let (first, second) = (e.ixor(a, b), e.ixor(a, difference));
    let overflow = e.iand(first, second);
    saturate(e, a, overflow, difference)
}

fn add_saturated<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let (sum, most) = (e.iadd(a, b), e.number(a, -1));
    let wrapped = e.ult(sum, a);
    e.select(wrapped, most, sum)
}

fn sub_saturated<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let (difference, zero) = (e.isub(a, b), e.number(a, 0));
    let below = e.ult(a, b);
    e.select(below, zero, difference)
}

/// A number of bits and its opposite, each less than the width: languages leave wider shifts undefined.
fn counts<E: Arith>(e: &mut E, a: E::Value, count: E::Value) -> (E::Value, E::Value) {
    let mask = u64::from(e.width(a).bits()) - 1;
    let back = e.ineg(count);
    (e.masked(count, mask), e.masked(back, mask))
}

/// Half of the bits in which two numbers differ.
fn half_of_differing<E: Arith>(e: &mut E, a: E::Value, b: E::Value, signed: bool) -> E::Value {
    let differing = e.ixor(a, b);
    if signed { e.right_signed(differing, 1) } else { e.right(differing, 1) }
}

fn distance<E: Arith>(e: &mut E, a: E::Value, b: E::Value, less: E::Value) -> E::Value {
    let (there, back) = (e.isub(a, b), e.isub(b, a));
    e.select(less, back, there)
}

fn smooth_step<E: Arith>(e: &mut E, low: E::Value, high: E::Value, x: E::Value) -> E::Value {
    let [zero, one, two, three] = [0.0, 1.0, 2.0, 3.0].map(|value| e.real(x, value));
    let (above, wide) = (e.fsub(x, low), e.fsub(high, low));
    let ratio = e.fdiv(above, wide);
    let bounded = e.fmax(ratio, zero);
    let t = e.fmin(bounded, one);
    let (squared, twice) = (e.fmul(t, t), e.fmul(two, t));
    let rest = e.fsub(three, twice);
    e.fmul(squared, rest)
}

fn packed_dot<E: Arith>(e: &mut E, a: E::Value, b: E::Value, signed: [bool; 2]) -> E::Value {
    let mut sum = None;
    for byte in 0..4 {
        let [a, b] = [(a, signed[0]), (b, signed[1])].map(|(value, signed)| {
            let top = e.left(value, 24 - 8 * byte);
            if signed { e.right_signed(top, 24) } else { e.right(top, 24) }
        });
        let product = e.imul(a, b);
        sum = Some(match sum {
            Some(sum) => e.iadd(sum, product),
            None => product,
        });
    }
    sum.unwrap_or_else(|| e.constant(vitrine_ir::ops::Bits::default()))
}

//! Division without a division instruction: by floating-point estimates, bit by bit, and by constants.
//!
//! An estimate need not be correctly rounded: its quotient is corrected, so a reciprocal that is off by one
//! unit in the last place is good enough. Division by constants: Granlund and Montgomery, "Division by
//! invariant integers using multiplication" (1994), figures 4.1 and 5.1.

use super::{Arith, expansions};
use vitrine_ir::ops::{Bits, ConvertOp, FloatBuild, IntBuild, IntOp, Scalar, Width};

expansions! {
    /// All of the following.
    All "all";
    /// Quotients and remainders of unsigned numbers.
    Unsigned "unsigned" {
        Int(IntOp::UDiv) |e, n, d| quotient(e, n, d);
        Int(IntOp::UMod) |e, n, d| remainder(e, n, d);
    }
    /// Quotients and remainders of signed numbers.
    Signed "signed" {
        Int(IntOp::IDiv) |e, n, d| signed_quotient(e, n, d);
        Int(IntOp::IRem) |e, n, d| signed_remainder(e, n, d);
        Int(IntOp::IMod) |e, n, d| floored_remainder(e, n, d);
    }
}

/// Replaces the result by zero if the divisor is zero.
fn unless_zero<E: Arith>(e: &mut E, d: E::Value, value: E::Value) -> E::Value {
    let zero = e.number(d, 0);
    let is_zero = e.ieq(d, zero);
    e.select(is_zero, zero, value)
}

fn quotient<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> E::Value {
    let (quotient, _) = div_rem(e, n, d);
    unless_zero(e, d, quotient)
}

fn remainder<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> E::Value {
    let (_, remainder) = div_rem(e, n, d);
    unless_zero(e, d, remainder)
}

/// The sign (-1 if the number is negative, else 0) and the absolute value.
fn sign_and_size<E: Arith>(e: &mut E, a: E::Value) -> (E::Value, E::Value) {
    let sign = e.right_signed(a, e.width(a).bits() - 1);
    (sign, with_sign(e, a, sign))
}

/// The negated value if the sign is -1, the value itself if it is 0.
fn with_sign<E: Arith>(e: &mut E, a: E::Value, sign: E::Value) -> E::Value {
    let flipped = e.ixor(a, sign);
    e.isub(flipped, sign)
}

fn signed_quotient<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> E::Value {
    let ((n_sign, n), (d_sign, size)) = (sign_and_size(e, n), sign_and_size(e, d));
    let (quotient, _) = div_rem(e, n, size);
    let sign = e.ixor(n_sign, d_sign);
    let quotient = with_sign(e, quotient, sign);
    unless_zero(e, d, quotient)
}

fn signed_remainder<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> E::Value {
    let ((sign, n), (_, size)) = (sign_and_size(e, n), sign_and_size(e, d));
    let (_, remainder) = div_rem(e, n, size);
    let remainder = with_sign(e, remainder, sign);
    unless_zero(e, d, remainder)
}

fn floored_remainder<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> E::Value {
    let remainder = signed_remainder(e, n, d);
    floored(e, remainder, d)
}

/// Converts a remainder with the sign of the dividend to one with the sign of the divisor.
fn floored<E: Arith>(e: &mut E, remainder: E::Value, d: E::Value) -> E::Value {
    let (zero, signs) = (e.number(d, 0), e.ixor(remainder, d));
    let (some, apart) = (e.ine(remainder, zero), e.ilt(signs, zero));
    let (wrong, moved) = (e.iand(some, apart), e.iadd(remainder, d));
    e.select(wrong, moved, remainder)
}

/// Quotient and remainder of unsigned numbers; undefined if the divisor is zero.
fn div_rem<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> (E::Value, E::Value) {
    match e.width(n) {
        Width::W1 | Width::W8 | Width::W16 => div_rem_short(e, n, d),
        Width::W32 => div_rem_word(e, n, d),
        Width::W64 => div_rem_long(e, n, d),
    }
}

/// Numbers that a 32-bit float holds exactly: the estimate is off by one at most.
fn div_rem_short<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> (E::Value, E::Value) {
    let width = e.width(n);
    let [n, d] = [n, d].map(|value| e.to(ConvertOp::U2U, Width::W32, value));
    let [n_float, d_float] = [n, d].map(|value| e.to(ConvertOp::U2F, Width::W32, value));
    let reciprocal = e.frcp(d_float);
    let estimate = e.fmul(n_float, reciprocal);
    let quotient = e.to(ConvertOp::F2U, Width::W32, estimate);
    let (one, zero) = (e.number(n, 1), e.number(n, 0));
    let product = e.imul(quotient, d);
    let remainder = e.isub(n, product);
    let above = e.ilt(remainder, zero);
    let (less, more) = (e.isub(quotient, one), e.iadd(remainder, d));
    let (quotient, remainder) = (e.select(above, less, quotient), e.select(above, more, remainder));
    let (quotient, remainder) = correct_quotient(e, quotient, remainder, d);
    (e.to(ConvertOp::U2U, width, quotient), e.to(ConvertOp::U2U, width, remainder))
}

/// Increments the quotient if the remainder is not less than the divisor.
fn correct_quotient<E: Arith>(
    e: &mut E,
    quotient: E::Value,
    remainder: E::Value,
    d: E::Value,
) -> (E::Value, E::Value) {
    let one = e.number(quotient, 1);
    let below = e.uge(remainder, d);
    let (more, less) = (e.iadd(quotient, one), e.isub(remainder, d));
    (e.select(below, more, quotient), e.select(below, less, remainder))
}

/// 32 bits: the reciprocal as a fraction of 2^32, estimated from below and improved by one Newton step in
/// integers. The quotient is then too small by two at most.
fn div_rem_word<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> (E::Value, E::Value) {
    let float = e.to(ConvertOp::U2F, Width::W32, d);
    // Slightly less than 2^32, so that no rounding makes the estimate exceed the reciprocal.
    let (reciprocal, scale) = (e.frcp(float), e.real(float, 4_294_966_784.0));
    let scaled = e.fmul(reciprocal, scale);
    let estimate = e.to(ConvertOp::F2U, Width::W32, scaled);
    let negative = e.ineg(d);
    let error = e.imul(negative, estimate);
    let step = e.umul_high(estimate, error);
    let estimate = e.iadd(estimate, step);
    let quotient = e.umul_high(n, estimate);
    let product = e.imul(quotient, d);
    let remainder = e.isub(n, product);
    let (quotient, remainder) = correct_quotient(e, quotient, remainder, d);
    correct_quotient(e, quotient, remainder, d)
}

/// 64 bits: bit by bit, as in long division.
fn div_rem_long<E: Arith>(e: &mut E, n: E::Value, d: E::Value) -> (E::Value, E::Value) {
    let (zero, one) = (e.number(n, 0), e.number(n, 1));
    let (mut quotient, mut remainder) = (zero, zero);
    for bit in (0..64).rev() {
        let over = e.ilt(remainder, zero);
        let next = e.right(n, bit);
        let (next, moved) = (e.iand(next, one), e.left(remainder, 1));
        let moved = e.ior(moved, next);
        let fits = e.uge(moved, d);
        let fits = e.ior(over, fits);
        let less = e.isub(moved, d);
        remainder = e.select(fits, less, moved);
        let set = e.number(n, (1u64 << bit).cast_signed());
        let more = e.ior(quotient, set);
        quotient = e.select(fits, more, quotient);
    }
    (quotient, remainder)
}

/// Division by a constant; none for an operation that is not a division, or for a width without it.
pub(crate) fn by_constant<E: Arith>(e: &mut E, op: IntOp, n: E::Value, divisor: Bits) -> Option<E::Value> {
    let signed = match op {
        IntOp::UDiv | IntOp::UMod => false,
        IntOp::IDiv | IntOp::IRem | IntOp::IMod => true,
        _ => return None,
    };
    let components: Vec<Scalar> = divisor.scalars().collect();
    // The reciprocal of zero does not matter: the component is masked.
    let some = components
        .iter()
        .map(|component| if component.bits() == 0 { Scalar::u(component.width(), 1) } else { *component });
    let some: Vec<Scalar> = some.collect();
    if op == IntOp::UMod && some.iter().all(|component| component.bits().is_power_of_two()) {
        let masks = some
            .iter()
            .map(|component| Scalar::u(component.width(), component.bits() - 1))
            .collect::<Vec<_>>();
        let mask = e.constant(Bits::from_scalars(&masks));
        let low = e.iand(n, mask);
        return Some(unless_zero_component(e, &components, low));
    }
    let quotient = if signed { known_signed(e, n, &some) } else { known_unsigned(e, n, &some) };
    let value = match op {
        IntOp::UDiv | IntOp::IDiv => quotient,
        _ => {
            let d = e.constant(Bits::from_scalars(&some));
            let product = e.imul(quotient, d);
            let remainder = e.isub(n, product);
            if op == IntOp::IMod { floored(e, remainder, d) } else { remainder }
        }
    };
    Some(unless_zero_component(e, &components, value))
}

/// Zero in the components where the divisor is zero.
fn unless_zero_component<E: Arith>(e: &mut E, divisor: &[Scalar], value: E::Value) -> E::Value {
    if divisor.iter().all(|component| component.bits() != 0) {
        return value;
    }
    let mask = |component: &Scalar| Scalar::i(component.width(), if component.bits() == 0 { 0 } else { -1 });
    let masks: Vec<Scalar> = divisor.iter().map(mask).collect();
    let mask = e.constant(Bits::from_scalars(&masks));
    e.iand(value, mask)
}

/// The common value of all components, if they are equal.
fn same(components: &[Scalar]) -> Option<u64> {
    let first = components.first()?.bits();
    components.iter().all(|component| component.bits() == first).then_some(first)
}

fn counts<E: Arith>(e: &mut E, counts: impl Iterator<Item = u32>) -> E::Value {
    let counts: Vec<Scalar> = counts.map(|count| Scalar::u(Width::W32, u64::from(count))).collect();
    e.constant(Bits::from_scalars(&counts))
}

/// The number of bits of numbers below `d`.
fn log2_up(d: u64) -> u32 {
    u64::BITS - d.saturating_sub(1).leading_zeros()
}

fn known_unsigned<E: Arith>(e: &mut E, n: E::Value, d: &[Scalar]) -> E::Value {
    let width = e.width(n);
    match same(d) {
        Some(d) if d.is_power_of_two() => return e.right(n, d.trailing_zeros()),
        Some(d) => {
            if let Some((factor, shift)) = short_factor(width, d) {
                let factor = e.all_components(n, Scalar::u(width, factor));
                let high = e.umul_high(n, factor);
                return e.right(high, shift);
            }
        }
        None => {}
    }
    // The multiplier has one bit more than the width: the number itself is added, halved so that it fits.
    let factor = |d: &Scalar| {
        let (d, up) = (u128::from(d.bits()), log2_up(d.bits()));
        Scalar::u(width, ((((1u128 << up) - d) << width.bits()) / d + 1) as u64)
    };
    let factors: Vec<Scalar> = d.iter().map(factor).collect();
    let factors = e.constant(Bits::from_scalars(&factors));
    let high = e.umul_high(factors, n);
    let rest = e.isub(n, high);
    let first = counts(e, d.iter().map(|d| log2_up(d.bits()).min(1)));
    let second = counts(e, d.iter().map(|d| log2_up(d.bits()).saturating_sub(1)));
    let half = e.ushr(rest, first);
    let sum = e.iadd(half, high);
    e.ushr(sum, second)
}

/// A multiplier and a shift that give the quotient of every number, if a multiplier fits the width.
fn short_factor(width: Width, d: u64) -> Option<(u64, u32)> {
    let d = u128::from(d);
    (0..log2_up(d as u64)).find_map(|shift| {
        let whole = 1u128.checked_shl(width.bits() + shift)?;
        let factor = whole.div_ceil(d);
        let error = factor * d - whole;
        (error <= 1u128 << shift && factor <= u128::from(width.mask())).then_some((factor as u64, shift))
    })
}

fn known_signed<E: Arith>(e: &mut E, n: E::Value, d: &[Scalar]) -> E::Value {
    let width = e.width(n);
    let bits = width.bits();
    let size = |d: &Scalar| d.as_i64().unsigned_abs();
    let negative = d.iter().all(|d| d.as_i64() < 0);
    let quotient = match same(d).zip(d.first().map(size)) {
        Some((_, 1)) => n,
        Some((_, size)) if size.is_power_of_two() => {
            // Negative numbers round up: add the discarded bits, minus one.
            let up = size.trailing_zeros();
            let sign = e.right_signed(n, up - 1);
            let more = e.right(sign, bits - up);
            let sum = e.iadd(n, more);
            e.right_signed(sum, up)
        }
        Some(_) | None => {
            let up = |d: &Scalar| log2_up(size(d)).max(1);
            let factor = |d: &Scalar| {
                let factor = (1u128 << (bits + up(d) - 1)) / u128::from(size(d)) + 1;
                Scalar::u(width, factor as u64)
            };
            let factors: Vec<Scalar> = d.iter().map(factor).collect();
            let factors = e.constant(Bits::from_scalars(&factors));
            let high = e.imul_high(factors, n);
            let sum = e.iadd(n, high);
            let shift = counts(e, d.iter().map(|d| up(d) - 1));
            let (low, sign) = (e.ishr(sum, shift), e.right_signed(n, bits - 1));
            e.isub(low, sign)
        }
    };
    match same(d) {
        Some(_) if negative => e.ineg(quotient),
        Some(_) => quotient,
        None => {
            let signs = |d: &Scalar| Scalar::i(width, d.as_i64() >> 63);
            let signs: Vec<Scalar> = d.iter().map(signs).collect();
            let signs = e.constant(Bits::from_scalars(&signs));
            with_sign(e, quotient, signs)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::{Numbers, corners};
    use super::*;
    use vitrine_ir::base::random::Random;
    use vitrine_ir::ops::Op;

    const ALL: [IntOp; 5] = [IntOp::UDiv, IntOp::UMod, IntOp::IDiv, IntOp::IRem, IntOp::IMod];

    fn check(op: IntOp, n: Bits, d: Bits) {
        let meant = Op::Int(op).info().eval(n.ty(), &[n, d]).unwrap();
        let made = by_constant(&mut Numbers::default(), op, n, d).unwrap();
        assert_eq!(meant, made, "{} {n:?} {d:?}", Op::Int(op).name());
    }

    #[test]
    fn every_number_of_8_bits_by_every_other() {
        for op in ALL {
            for d in corners(Width::W8) {
                for n in corners(Width::W8) {
                    check(op, Bits::scalar(n), Bits::scalar(d));
                }
            }
        }
    }

    #[test]
    fn corner_cases_of_wider_numbers_and_vectors() {
        let mut random = Random(1);
        for width in [Width::W8, Width::W16, Width::W32, Width::W64] {
            let list = corners(width);
            for op in ALL {
                for &d in &list {
                    for &n in &list {
                        check(op, Bits::scalar(n), Bits::scalar(d));
                    }
                    for _ in 0..20 {
                        let n = Scalar::u(width, random.next());
                        check(op, Bits::scalar(n), Bits::scalar(d));
                    }
                }
                for at in 0..list.len() {
                    let pick = |at: usize| list[at % list.len()];
                    let d = Bits::from_scalars(&[pick(at), pick(at * 3 + 1), pick(at * 5 + 2)]);
                    let n: Vec<u64> = (0..3).map(|_| random.next()).collect();
                    check(op, Bits::from_components(width, &n), d);
                }
            }
        }
    }
}

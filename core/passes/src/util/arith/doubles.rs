//! Expansions of `lower-double-ops`: operations on 64-bit floats that a target may lack.
//!
//! Truncation clears the fraction bits that stand for less than one; floor and ceiling adjust that by one.
//! Rounding to even adds and subtracts a number so large that it leaves no bits for a fraction. Quotients,
//! roots and remainders are in `quotients`, and are for 64 bits only; all other entries hold for any width.

use super::parts::Layout;
use super::{Arith, expansions, quotients};
use vitrine_ir::ops::{ConvertOp, FloatBuild, FloatOp, IntBuild, Width};

expansions! {
    /// All of the following.
    All "all";
    /// Rounding toward zero, and the discarded fraction.
    Truncate "truncate" {
        Float(FloatOp::FTrunc) |e, a| truncated(e, a);
        Float(FloatOp::FModfWhole) |e, a| e.ftrunc(a);
        Float(FloatOp::FModfFract) |e, a| cut_off(e, a);
    }
    /// Rounding down and up, and the fractional part.
    Floor "floor" {
        Float(FloatOp::FFloor) |e, a| floor(e, a);
        Float(FloatOp::FCeil) |e, a| ceiling(e, a);
        Float(FloatOp::FFract) |e, a| { let below = e.ffloor(a); e.fsub(a, below) };
    }
    /// Rounding to nearest, ties to even.
    Round "round" {
        Float(FloatOp::FRound) |e, a| rounded(e, a);
        Float(FloatOp::FRoundEven) |e, a| rounded(e, a);
    }
    /// Rounding to nearest, ties away from zero.
    RoundAway "round-away" {
        Float(FloatOp::FRoundAway) |e, a| rounded_away(e, a);
    }
    /// Quotients and reciprocals.
    Divide "divide" {
        Float(FloatOp::FDiv) |e, a, b| quotients::quotient(e, a, b);
        Float(FloatOp::FRcp) |e, a| quotients::reciprocal(e, a);
    }
    /// Square roots and their reciprocals.
    Root "root" {
        Float(FloatOp::FSqrt) |e, a| quotients::square_root(e, a);
        Float(FloatOp::FRsq) |e, a| { let root = quotients::square_root(e, a); quotients::reciprocal(e, root) };
    }
    /// Remainders with the sign of the dividend or of the divisor.
    Remainder "remainder" {
        Float(FloatOp::FRem) |e, a, b| quotients::remainder(e, a, b);
        Float(FloatOp::FMod) |e, a, b| quotients::floored_remainder(e, a, b);
    }
    /// Minimum and maximum.
    MinMax "min-max" {
        Float(FloatOp::FMin) |e, a, b| smaller(e, a, b);
        Float(FloatOp::FNMin) |e, a, b| smaller(e, a, b);
        Float(FloatOp::FMax) |e, a, b| larger(e, a, b);
        Float(FloatOp::FNMax) |e, a, b| larger(e, a, b);
    }
    /// The sign: minus one, zero or one.
    Sign "sign" {
        Float(FloatOp::FSign) |e, a| sign(e, a);
    }
}

fn truncated<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let layout = Layout::of(e.width(a));
    let field = e.masked(a, layout.mask());
    let field = e.right(field, layout.fraction);
    let field = match e.width(field) {
        Width::W32 => field,
        _ => e.to(ConvertOp::U2U, Width::W32, field),
    };
    // Below one only the sign remains; from here on there is no fraction.
    let (one, last) =
        (e.number(field, layout.bias), e.number(field, layout.bias + i64::from(layout.fraction)));
    let (small, large) = (e.ilt(field, one), e.ige(field, last));
    let (cut, all) = (e.isub(last, field), e.number(a, -1));
    let kept = e.ishl(all, cut);
    let (whole, sign) = (e.iand(a, kept), e.masked(a, e.width(a).sign_bit()));
    let same = e.fcanonicalize(a);
    let rest = e.select(large, same, whole);
    e.select(small, sign, rest)
}

fn floor<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (whole, one) = (e.ftrunc(a), e.real(a, 1.0));
    let (above, less) = (e.flt(a, whole), e.fsub(whole, one));
    e.select(above, less, whole)
}

fn ceiling<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (whole, one) = (e.ftrunc(a), e.real(a, 1.0));
    let (below, more) = (e.flt(whole, a), e.fadd(whole, one));
    e.select(below, more, whole)
}

fn rounded<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let layout = Layout::of(e.width(a));
    let (size, large) = (e.fabs(a), e.real(a, 2f64.powi(layout.fraction.cast_signed())));
    let sum = e.fadd(size, large);
    let near = e.fsub(sum, large);
    let sign = e.masked(a, e.width(a).sign_bit());
    let (signed, small) = (e.ior(near, sign), e.flt(size, large));
    let same = e.fcanonicalize(a);
    e.select(small, signed, same)
}

/// The nearest integer, halves away from zero.
pub(super) fn rounded_away<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (whole, half) = (e.ftrunc(a), e.real(a, 0.5));
    // Exact; NaN for an infinity, which is handled separately.
    let rest = e.fsub(a, whole);
    let rest = e.fabs(rest);
    let far = e.fge(rest, half);
    let (sign, one) = (e.masked(a, e.width(a).sign_bit()), e.real(a, 1.0));
    let one = e.ior(one, sign);
    let more = e.fadd(whole, one);
    e.select(far, more, whole)
}

fn cut_off<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (whole, zero) = (e.ftrunc(a), e.real(a, 0.0));
    // An infinity is an integer; the difference of two would be NaN.
    let (is_whole, rest) = (e.feq(a, whole), e.fsub(a, whole));
    let (size, sign) = (e.fabs(rest), e.masked(a, e.width(a).sign_bit()));
    let size = e.select(is_whole, zero, size);
    let signed = e.ior(size, sign);
    e.fcanonicalize(signed)
}

/// Equal numbers differ at most in the sign of a zero: the minimum has the sign if either has.
fn smaller<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let (first, equal) = (e.fltu(a, b), e.ior(a, b));
    one_of(e, [a, b], first, equal)
}

fn larger<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let (first, equal) = (e.fgtu(a, b), e.iand(a, b));
    one_of(e, [a, b], first, equal)
}

/// The first of two if `first` holds, the number if the other is NaN, and `equal` if they are equal.
fn one_of<E: Arith>(e: &mut E, [a, b]: [E::Value; 2], first: E::Value, equal: E::Value) -> E::Value {
    let (no_number, same) = (e.fisnan(a), e.feq(a, b));
    let chosen = e.select(first, a, b);
    let chosen = e.select(no_number, b, chosen);
    let chosen = e.select(same, equal, chosen);
    e.fcanonicalize(chosen)
}

fn sign<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let (zero, one, less) = (e.real(a, 0.0), e.real(a, 1.0), e.real(a, -1.0));
    let (above, below, no_number) = (e.flt(zero, a), e.flt(a, zero), e.fisnan(a));
    let rest = e.select(no_number, zero, a);
    let rest = e.select(below, less, rest);
    e.select(above, one, rest)
}

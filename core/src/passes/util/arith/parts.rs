//! Significands and exponents by their bits.
//!
//! Subnormal numbers are made normal by a product that is exact. Infinities, NaN and zeros are let through as
//! `ops::scalar` says.

use super::{Arith, expansions};
use crate::ops::{ConvertOp, FloatBuild, FloatOp, IntBuild, Width};

expansions! {
    "Both that follow.";
    "significand" "The significand of a float." {
        Float(FloatOp::FFrexpSig) |e, a| significand(e, a);
    }
    "exponent" "The exponent of a float." {
        Float(FloatOp::FFrexpExp) |e, a| exponent(e, a);
    }
}

/// How a float of a width is laid out.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Bits of the fraction.
    pub(super) fraction: u32,
    /// What is added to an exponent to store it.
    pub(super) bias: i64,
}

impl Layout {
    pub(super) fn of(width: Width) -> Layout {
        match width {
            Width::W1 | Width::W8 | Width::W16 => Layout { fraction: 10, bias: 15 },
            Width::W32 => Layout { fraction: 23, bias: 127 },
            Width::W64 => Layout { fraction: 52, bias: 1023 },
        }
    }

    /// The bits of the exponent.
    pub(super) fn mask(self) -> u64 {
        ((2 * self.bias + 1).cast_unsigned()) << self.fraction
    }

    /// By how many bits subnormal numbers are moved to be normal.
    fn lift(self) -> u32 {
        self.fraction + 1
    }
}

/// A float taken apart.
pub(super) struct Parts<V> {
    /// The number, subnormal ones made normal.
    pub(super) normal: V,
    /// What is to be added to an exponent as stored, as 32 bits: 0, or less where the number was moved.
    pub(super) moved: V,
    /// Whether it is zero, infinite or NaN.
    pub(super) special: V,
}

/// Takes a float apart.
pub(super) fn parts<E: Arith>(e: &mut E, a: E::Value) -> Parts<E::Value> {
    let layout = Layout::of(e.width(a));
    let (zero, mask) = (e.number(a, 0), e.number(a, layout.mask().cast_signed()));
    let (stored, size) = (e.iand(a, mask), e.fabs(a));
    let (small, large) = (e.ieq(stored, zero), e.ieq(stored, mask));
    let is_zero = e.ieq(size, zero);
    let special = e.ior(is_zero, large);
    let factor = e.real(a, 2f64.powi(layout.lift().cast_signed()));
    let lifted = e.fmul(a, factor);
    let normal = e.select(small, lifted, a);
    let (none, less) = (e.count(a, 0), e.all_components(a, word(-i64::from(layout.lift()))));
    let moved = e.select(small, less, none);
    Parts { normal, moved, special }
}

fn word(value: i64) -> crate::ops::Scalar {
    crate::ops::Scalar::i(Width::W32, value)
}

/// The number with another exponent, stored as `stored`.
fn with_exponent<E: Arith>(e: &mut E, a: E::Value, stored: i64) -> E::Value {
    let layout = Layout::of(e.width(a));
    let rest = e.masked(a, !layout.mask());
    let exponent = e.number(a, stored << layout.fraction);
    e.ior(rest, exponent)
}

/// The exponent as it is stored, less `from`, as 32 bits.
pub(super) fn stored<E: Arith>(e: &mut E, parts: &Parts<E::Value>, from: i64) -> E::Value {
    let layout = Layout::of(e.width(parts.normal));
    let field = e.masked(parts.normal, layout.mask());
    let field = e.right(field, layout.fraction);
    let field = match e.width(field) {
        Width::W32 => field,
        _ => e.to(ConvertOp::U2U, Width::W32, field),
    };
    let from = e.number(field, -from);
    let exponent = e.iadd(field, from);
    e.iadd(exponent, parts.moved)
}

fn significand<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let parts = parts(e, a);
    let bias = Layout::of(e.width(a)).bias;
    let (half, same) = (with_exponent(e, parts.normal, bias - 1), e.fcanonicalize(a));
    e.select(parts.special, same, half)
}

fn exponent<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let parts = parts(e, a);
    let bias = Layout::of(e.width(a)).bias;
    let (found, none) = (stored(e, &parts, bias - 1), e.count(a, 0));
    e.select(parts.special, none, found)
}

/// `a * 2^by` with one rounding: the significand times two powers, of which the first leaves an exact product.
pub(super) fn scaled<E: Arith>(e: &mut E, a: E::Value, by: E::Value) -> E::Value {
    let layout = Layout::of(e.width(a));
    let parts = parts(e, a);
    let one_to_two = with_exponent(e, parts.normal, layout.bias);
    let (from, by) = (stored(e, &parts, layout.bias), narrow(e, by));
    // Beyond these, everything is zero or infinite.
    let (least, most) = (1 - layout.bias, layout.bias);
    let lowest = least - i64::from(layout.fraction) - 2;
    let total = e.iadd(from, by);
    let total = held(e, total, lowest, most + 1);
    let first = held(e, total, least, most);
    let second = e.isub(total, first);
    let [first, second] = [first, second].map(|exponent| power(e, a, exponent));
    let exact = e.fmul(one_to_two, first);
    let rounded = e.fmul(exact, second);
    let same = e.fcanonicalize(a);
    e.select(parts.special, same, rounded)
}

/// A number no less than one and no more than another.
pub(super) fn held<E: Arith>(e: &mut E, value: E::Value, least: i64, most: i64) -> E::Value {
    let (least, most) = (e.number(value, least), e.number(value, most));
    let held = e.imax(value, least);
    e.imin(held, most)
}

/// An exponent as 32 bits, no larger than any float can tell.
fn narrow<E: Arith>(e: &mut E, by: E::Value) -> E::Value {
    const MOST: i64 = 5_000;
    match e.width(by) {
        Width::W32 => held(e, by, -MOST, MOST),
        Width::W64 => {
            let by = held(e, by, -MOST, MOST);
            e.to(ConvertOp::I2I, Width::W32, by)
        }
        Width::W1 | Width::W8 | Width::W16 => {
            let by = e.to(ConvertOp::I2I, Width::W32, by);
            held(e, by, -MOST, MOST)
        }
    }
}

/// A power of two in the width of a float, by its exponent of 32 bits.
pub(super) fn power<E: Arith>(e: &mut E, like: E::Value, exponent: E::Value) -> E::Value {
    let layout = Layout::of(e.width(like));
    let bias = e.number(exponent, layout.bias);
    let stored = e.iadd(exponent, bias);
    let stored = match e.width(like) {
        Width::W32 => stored,
        width => e.to(ConvertOp::U2U, width, stored),
    };
    e.left(stored, layout.fraction)
}

//! Significands and exponents of floats, by their bits.
//!
//! Subnormal numbers are normalized by an exact product. Infinities, NaN and zeros are passed through as
//! defined in `ops::scalar`.

use super::{Arith, expansions};
use vitrine_ir::ops::{ConvertOp, FloatBuild, FloatOp, IntBuild, Width};

expansions! {
    /// Both of the following.
    All "all";
    /// The significand of a float.
    Significand "significand" {
        Float(FloatOp::FFrexpSig) |e, a| significand(e, a);
    }
    /// The exponent of a float.
    Exponent "exponent" {
        Float(FloatOp::FFrexpExp) |e, a| exponent(e, a);
    }
}

/// The layout of a float of a given width.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// The number of fraction bits.
    pub(super) fraction: u32,
    /// The exponent bias.
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

    /// The mask of the exponent bits.
    pub(super) fn mask(self) -> u64 {
        ((2 * self.bias + 1).cast_unsigned()) << self.fraction
    }

    /// The exponent that normalizes subnormal numbers.
    fn lift(self) -> u32 {
        self.fraction + 1
    }
}

/// A float split into its parts.
pub(super) struct Parts<V> {
    /// The number, with subnormal ones normalized.
    pub(super) normal: V,
    /// The correction of the stored exponent, as 32 bits: 0, or negative if the number was normalized.
    pub(super) moved: V,
    /// True if the number is zero, infinite or NaN.
    pub(super) special: V,
}

/// Splits a float.
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

fn word(value: i64) -> vitrine_ir::ops::Scalar {
    vitrine_ir::ops::Scalar::i(Width::W32, value)
}

/// The number with another stored exponent.
fn with_exponent<E: Arith>(e: &mut E, a: E::Value, stored: i64) -> E::Value {
    let layout = Layout::of(e.width(a));
    let rest = e.masked(a, !layout.mask());
    let exponent = e.number(a, stored << layout.fraction);
    e.ior(rest, exponent)
}

/// The stored exponent minus `from`, as 32 bits.
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

/// `a * 2^by` with one rounding: the significand times two powers, of which the first gives an exact product.
pub(super) fn scaled<E: Arith>(e: &mut E, a: E::Value, by: E::Value) -> E::Value {
    let layout = Layout::of(e.width(a));
    let parts = parts(e, a);
    let one_to_two = with_exponent(e, parts.normal, layout.bias);
    let (from, by) = (stored(e, &parts, layout.bias), narrow(e, by));
    // Beyond these, every result is zero or infinite.
    let (least, most) = (1 - layout.bias, layout.bias);
    let lowest = least - i64::from(layout.fraction) - 2;
    let total = e.iadd(from, by);
    let total = clamped(e, total, lowest, most + 1);
    let first = clamped(e, total, least, most);
    let second = e.isub(total, first);
    let [first, second] = [first, second].map(|exponent| power(e, a, exponent));
    let exact = e.fmul(one_to_two, first);
    let rounded = e.fmul(exact, second);
    let same = e.fcanonicalize(a);
    e.select(parts.special, same, rounded)
}

/// A number clamped to a range.
pub(super) fn clamped<E: Arith>(e: &mut E, value: E::Value, least: i64, most: i64) -> E::Value {
    let (least, most) = (e.number(value, least), e.number(value, most));
    let clamped = e.imax(value, least);
    e.imin(clamped, most)
}

/// An exponent as 32 bits, clamped to a range that covers every float.
fn narrow<E: Arith>(e: &mut E, by: E::Value) -> E::Value {
    const MOST: i64 = 5_000;
    match e.width(by) {
        Width::W32 => clamped(e, by, -MOST, MOST),
        Width::W64 => {
            let by = clamped(e, by, -MOST, MOST);
            e.to(ConvertOp::I2I, Width::W32, by)
        }
        Width::W1 | Width::W8 | Width::W16 => {
            let by = e.to(ConvertOp::I2I, Width::W32, by);
            clamped(e, by, -MOST, MOST)
        }
    }
}

/// A power of two as a float, by its 32-bit exponent.
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

//! Whole numbers near a float, by its bits: truncating, flooring, rounding.
//!
//! Cutting off the bits of the fraction that stand for less than one truncates; the rest is one more or one less.
//! Rounding to even adds and takes away again a number so large that no fraction fits beside it.

use super::parts::Layout;
use super::{Arith, expansions};
use crate::ops::{ConvertOp, FloatBuild, FloatOp, IntBuild, Width};

expansions! {
    "Everything that follows.";
    "truncate" "Towards zero." {
        Float(FloatOp::FTrunc) |e, a| truncated(e, a);
        Float(FloatOp::FModfWhole) |e, a| e.ftrunc(a);
    }
    "floor" "Down, up, and what is left above the number below." {
        Float(FloatOp::FFloor) |e, a| floor(e, a);
        Float(FloatOp::FCeil) |e, a| ceiling(e, a);
        Float(FloatOp::FFract) |e, a| { let below = e.ffloor(a); e.fsub(a, below) };
    }
    "round" "To the nearest, halves to even." {
        Float(FloatOp::FRoundEven) |e, a| rounded(e, a);
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
    // Below one nothing is left but the sign; from here on there is no fraction.
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

//! Transfer functions of floating-point operations: intervals, NaN, -0, integral values.
//!
//! The bounds of an interval are computed with the arithmetic of `ops` in the width of the operation.
//! Rounding to nearest is monotonic, so the rounded bounds contain the rounded results. In other cases
//! (another rounding mode, functions that are only nearly monotonic) the bounds are moved outward.

use super::fact::{Fact, Float};
use crate::FloatModes;
use vitrine_ir::ops::{FloatOp, Scalar, Width};

/// Number of representable steps by which a function computed by a series may violate monotonicity.
const SLACK: u32 = 4;

/// An operation in a width, under the execution modes of the module.
#[derive(Clone, Copy)]
pub(super) struct Cx {
    pub(super) width: Width,
    pub(super) modes: FloatModes,
}

impl Cx {
    /// The fact for one component of the result of an operation; `None` if nothing is known. `same` is set if
    /// the first two operands are the same value.
    pub(super) fn of(self, op: FloatOp, args: &[Float], same: bool) -> Option<Fact> {
        let float = self.shape(op, args, same)?;
        Some(Fact::float(self.width, self.rounded(float)))
    }

    /// Adjusts a result to the execution modes.
    pub(super) fn rounded(self, float: Float) -> Float {
        let rounded = if self.modes.rounds_toward_zero(self.width) { self.further(float, 1) } else { float };
        self.flushed(rounded)
    }

    /// Adjusts an operand to the execution modes: subnormals may be flushed to zero.
    pub(super) fn flushed(self, float: Float) -> Float {
        if !self.modes.flushes(self.width) || float.has_no_number() {
            return float;
        }
        let flush = |value: f64| Scalar::float(self.width, value).flush_denorm().to_f64() + 0.0;
        let ends = Float { low: flush(float.low), high: flush(float.high), ..float };
        let minus_zero = float.minus_zero || (float.low < 0.0 && ends.high >= 0.0);
        Float { minus_zero, ..float.join(ends) }
    }

    fn shape(self, op: FloatOp, args: &[Float], same: bool) -> Option<Float> {
        use FloatOp as O;
        Some(match (op, args) {
            (O::FAdd, [a, b]) => self.add(a, b),
            (O::FSub, [a, b]) => self.add(a, &neg(b)),
            (O::FMul, [a, b]) => self.mul(a, b, same),
            (O::FDiv, [a, b]) => self.div(a, b),
            (O::FRcp, [a]) => self.div(&Float::exactly(Scalar::float(self.width, 1.0)), a),
            (O::FMad, [a, b, c]) => self.add(&self.mul(a, b, same), c),
            (O::FMulZ, [a, b]) => self.mul_zero(a, b, same),
            (O::FFma | O::FFmaZ, [a, b, c]) => {
                let product = if op == O::FFma { self.mul(a, b, same) } else { self.mul_zero(a, b, same) };
                let sum = self.add(&self.beyond(product, 1), c);
                // A nonzero sum may round to zero and keep its sign.
                sum.with_zero(!product.is_positive() || !c.is_positive())
            }
            (O::FNeg, [a]) => neg(a),
            (O::FAbs, [a]) => abs(a),
            (O::FMin | O::FNMin, [a, b]) => min(a, b),
            (O::FMax | O::FNMax, [a, b]) => max(a, b),
            (O::FClamp | O::FNClamp, [x, low, high]) => min(&max(x, low), high),
            (O::FSat, [a]) => saturated(a),
            (O::FSign, [a]) => Float {
                low: if a.low < 0.0 {
                    -1.0
                } else if a.low > 0.0 && !a.nan {
                    1.0
                } else {
                    0.0
                },
                high: if a.high > 0.0 {
                    1.0
                } else if a.high < 0.0 && !a.nan {
                    -1.0
                } else {
                    0.0
                },
                nan: false,
                minus_zero: true,
                whole: true,
            }
            .settled_zero(),
            (O::FFloor, [a]) => self.whole(a, Scalar::ffloor),
            (O::FCeil, [a]) => self.whole(a, Scalar::fceil),
            (O::FTrunc | O::FModfWhole, [a]) => self.whole(a, Scalar::ftrunc),
            (O::FRound, [a]) => self.whole(a, Scalar::fround),
            (O::FRoundAway, [a]) => self.whole(a, Scalar::fround_away),
            (O::FRoundEven, [a]) => self.whole(a, Scalar::fround_even),
            (O::FFract, [a]) => Float { nan: a.nan || a.may_be_infinite(), ..Float::within(0.0, 1.0) },
            (O::FSqrt, [a]) => self.sqrt(a),
            (O::FRsq, [a]) if a.is_positive() => Float { nan: a.nan, ..Float::within(0.0, f64::INFINITY) },
            (O::FExp, [a]) => self.rising(a, Scalar::fexp, (0.0, f64::INFINITY)),
            (O::FExp2, [a]) => self.rising(a, Scalar::fexp2, (0.0, f64::INFINITY)),
            (O::FLog, [a]) if a.is_positive() => self.rising(a, Scalar::flog, WIDEST),
            (O::FLog2, [a]) if a.is_positive() => self.rising(a, Scalar::flog2, WIDEST),
            (O::FSin | O::FCos, [a]) => {
                Float { nan: a.nan || a.may_be_infinite(), ..Float::within(-1.0, 1.0) }
            }
            (O::FTanh, [a]) => Float { nan: a.nan, ..Float::within(-1.0, 1.0) },
            (O::FAtan, [a]) => self.rising(a, Scalar::fatan, WIDEST),
            (O::FPow, [a, _]) if a.is_positive() => Float { nan: true, ..Float::within(0.0, f64::INFINITY) },
            (O::FStep, [_, _]) => Float { whole: true, ..Float::within(0.0, 1.0) },
            (O::FCanonicalize, [a]) => *a,
            _ => return None,
        })
    }

    fn scalar(self, value: f64) -> Scalar {
        Scalar::float(self.width, value)
    }

    fn add(self, a: &Float, b: &Float) -> Float {
        let sum = |x: f64, y: f64| self.scalar(x).fadd(self.scalar(y)).to_f64();
        let (low, high) = (sum(a.low, b.low), sum(a.high, b.high));
        let inf = f64::INFINITY;
        let opposite = (a.may_be(inf) && b.may_be(-inf)) || (a.may_be(-inf) && b.may_be(inf));
        Float {
            low: if low.is_nan() { -inf } else { low },
            high: if high.is_nan() { inf } else { high },
            nan: a.nan || b.nan || opposite,
            minus_zero: a.minus_zero && b.minus_zero,
            whole: a.whole && b.whole,
        }
        .emptied(a.has_no_number() || b.has_no_number())
    }

    fn mul(self, a: &Float, b: &Float, same: bool) -> Float {
        let product = |x: f64, y: f64| {
            let out = self.scalar(x).fmul(self.scalar(y)).to_f64();
            if out.is_nan() { 0.0 } else { out }
        };
        let corners =
            [product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)];
        let zero_by_infinity =
            (a.may_be_zero() && b.may_be_infinite()) || (b.may_be_zero() && a.may_be_infinite());
        let (low, high) = hull(&corners);
        let positive = (a.is_positive() && b.is_positive()) || same;
        Float {
            low: if same { low.max(0.0) } else { low },
            high,
            nan: a.nan || b.nan || (zero_by_infinity && !same),
            minus_zero: !positive,
            whole: a.whole && b.whole,
        }
        .with_zero(!positive)
        .emptied(a.has_no_number() || b.has_no_number())
    }

    /// A product that is 0.0 if a factor is zero, whatever the other one is.
    fn mul_zero(self, a: &Float, b: &Float, same: bool) -> Float {
        if !a.may_be_zero() && !b.may_be_zero() {
            return self.mul(a, b, same);
        }
        let zero = Float::exactly(self.scalar(0.0));
        match a.has_no_number() || b.has_no_number() {
            true => Float { nan: true, ..zero },
            false => Float { nan: a.nan || b.nan, ..self.mul(a, b, same) }.join(zero),
        }
    }

    fn div(self, a: &Float, b: &Float) -> Float {
        let nan = a.nan
            || b.nan
            || (a.may_be_zero() && b.may_be_zero())
            || (a.may_be_infinite() && b.may_be_infinite());
        let positive = a.is_positive() && b.is_positive();
        if b.may_be_zero() {
            let low = if positive { 0.0 } else { f64::NEG_INFINITY };
            return Float { low, high: f64::INFINITY, nan, minus_zero: !positive, whole: false };
        }
        let quotient = |x: f64, y: f64| {
            let out = self.scalar(x).fdiv(self.scalar(y)).to_f64();
            if out.is_nan() { 0.0 } else { out }
        };
        let (low, high) = hull(&[
            quotient(a.low, b.low),
            quotient(a.low, b.high),
            quotient(a.high, b.low),
            quotient(a.high, b.high),
        ]);
        Float { low, high, nan, minus_zero: !positive, whole: false }
            .with_zero(!positive)
            .emptied(a.has_no_number() || b.has_no_number())
    }

    fn sqrt(self, a: &Float) -> Float {
        let root = |x: f64| self.scalar(x.max(0.0)).fsqrt().to_f64();
        let nan = a.nan || a.low < 0.0;
        Float { low: root(a.low), high: root(a.high), nan, minus_zero: a.minus_zero, whole: false }
            .with_zero(a.minus_zero)
            .emptied(a.has_no_number())
    }

    /// A monotonic function with integral results.
    fn whole(self, a: &Float, f: fn(Scalar) -> Scalar) -> Float {
        let (low, high) = (f(self.scalar(a.low)).to_f64(), f(self.scalar(a.high)).to_f64());
        let minus_zero = a.minus_zero || (a.low < 0.0 && high >= 0.0);
        Float { low: low + 0.0, high: high + 0.0, nan: a.nan, minus_zero, whole: true }
            .emptied(a.has_no_number())
    }

    /// A nearly monotonic function, and the bounds of its results.
    fn rising(self, a: &Float, f: fn(Scalar) -> Scalar, within: (f64, f64)) -> Float {
        let (low, high) = (f(self.scalar(a.low)).to_f64(), f(self.scalar(a.high)).to_f64());
        if low.is_nan() || high.is_nan() {
            return Float { low: within.0, high: within.1, nan: true, minus_zero: true, whole: false };
        }
        let out = Float { low: low + 0.0, high: high + 0.0, nan: a.nan, minus_zero: false, whole: false };
        let out = self.further(out.emptied(a.has_no_number()), SLACK);
        let out = Float { low: out.low.max(within.0), high: out.high.min(within.1), ..out };
        let below = out.low < 0.0 && out.high >= 0.0;
        Float { minus_zero: below || (a.minus_zero && out.may_be_zero()), ..out }
    }

    /// Moves the bounds outward by this many representable numbers; a bound of 0 is unchanged, since rounding
    /// never changes a sign.
    fn further(self, float: Float, steps: u32) -> Float {
        let out = self.beyond(float, steps);
        Float {
            low: if float.low == 0.0 { 0.0 } else { out.low },
            high: if float.high == 0.0 { 0.0 } else { out.high },
            minus_zero: float.minus_zero || (out.minus_zero && float.low != 0.0),
            ..out
        }
    }

    /// Like `further`, but also past 0: for a product that underflows.
    fn beyond(self, float: Float, steps: u32) -> Float {
        if float.has_no_number() {
            return float;
        }
        let mut out = float;
        for _ in 0..steps {
            out.low = below(self.width, out.low);
            out.high = -below(self.width, -out.high);
        }
        Float { minus_zero: out.minus_zero || (out.low < 0.0 && out.high >= 0.0), ..out }
    }
}

/// The interval of all numbers.
const WIDEST: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Float {
    /// No number is possible if an operand has none.
    fn emptied(self, empty: bool) -> Float {
        if !empty {
            return self;
        }
        Float { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true, minus_zero: false, ..self }
    }

    /// Extends the interval to zero if -0 is possible.
    fn with_zero(self, minus_zero: bool) -> Float {
        let reaches = minus_zero && self.low <= 0.0 && self.high >= 0.0;
        Float { minus_zero: reaches, ..self }
    }

    fn settled_zero(self) -> Float {
        let minus_zero = self.minus_zero && self.may_be_zero();
        Float { minus_zero, ..self }
    }
}

/// The next smaller representable number.
fn below(width: Width, value: f64) -> f64 {
    let component = Scalar::float(width, value);
    let (bits, sign) = (component.bits(), width.sign_bit());
    let next = if value == f64::NEG_INFINITY {
        bits
    } else if bits & !sign == 0 {
        sign | 1
    } else if bits & sign != 0 {
        bits + 1
    } else {
        bits - 1
    };
    Scalar::new(width, next).to_f64()
}

fn hull(corners: &[f64]) -> (f64, f64) {
    let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low + 0.0, high + 0.0)
}

fn neg(a: &Float) -> Float {
    let minus_zero = a.may_be_zero();
    Float { low: 0.0 - a.high, high: 0.0 - a.low, minus_zero, ..*a }
}

fn abs(a: &Float) -> Float {
    let (low, high) = (a.low.abs(), a.high.abs());
    let least = if a.may_be_zero() { 0.0 } else { low.min(high) };
    Float { low: least, high: low.max(high), minus_zero: false, ..*a }.emptied(a.has_no_number())
}

fn min(a: &Float, b: &Float) -> Float {
    let mut high = a.high.min(b.high);
    if a.nan {
        high = high.max(b.high);
    }
    if b.nan {
        high = high.max(a.high);
    }
    both(a, b, a.low.min(b.low), high)
}

fn max(a: &Float, b: &Float) -> Float {
    let mut low = a.low.max(b.low);
    if a.nan {
        low = low.min(b.low);
    }
    if b.nan {
        low = low.min(a.low);
    }
    both(a, b, low, a.high.max(b.high))
}

/// One of two values, within an interval; NaN only if both are.
fn both(a: &Float, b: &Float, low: f64, high: f64) -> Float {
    let minus_zero = (a.minus_zero || b.minus_zero) && low <= 0.0 && high >= 0.0;
    Float { low, high, nan: a.nan && b.nan, minus_zero, whole: a.whole && b.whole }
}

fn saturated(a: &Float) -> Float {
    let clamp = |value: f64| value.clamp(0.0, 1.0);
    let (low, high) = if a.has_no_number() { (0.0, 0.0) } else { (clamp(a.low), clamp(a.high)) };
    let low = if a.nan { 0.0 } else { low };
    Float { low, high, nan: false, minus_zero: false, whole: a.whole }
}

/// The possible results of a comparison; `None` if the operation is not a comparison.
pub(super) fn compare(op: FloatOp, a: &Float, b: &Float) -> Option<Fact> {
    use FloatOp as O;
    let nan = a.nan || b.nan;
    let numbers = !a.has_no_number() && !b.has_no_number();
    let one = numbers && a.low == a.high && b.low == b.high && a.low == b.low;
    let apart = !numbers || a.high < b.low || b.high < a.low;
    let (may_be_false, may_be_true) = match op {
        O::FEq => (nan || !one, !apart),
        O::FNeu => (!apart, nan || !one),
        O::FEqu => (numbers && !one, nan || !apart),
        O::FNeo => (nan || !apart, numbers && !one),
        O::FLt => (nan || a.high >= b.low, numbers && a.low < b.high),
        O::FGt => (nan || a.low <= b.high, numbers && a.high > b.low),
        O::FLe => (nan || a.high > b.low, numbers && a.low <= b.high),
        O::FGe => (nan || a.low < b.high, numbers && a.high >= b.low),
        O::FLtu => (numbers && a.high >= b.low, nan || a.low < b.high),
        O::FGtu => (numbers && a.low <= b.high, nan || a.high > b.low),
        O::FLeu => (numbers && a.high > b.low, nan || a.low <= b.high),
        O::FGeu => (numbers && a.low < b.high, nan || a.high >= b.low),
        O::FIsNan => (!a.has_no_number(), a.nan),
        _ => return None,
    };
    Some(Fact::truth(may_be_false, may_be_true))
}

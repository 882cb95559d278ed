//! What may be known of one lane: bits, the interval it lies in as each kind of integer, and as a float.
//!
//! Values have no type, so a fact keeps all four readings of the same bits and lets each sharpen the others.
//! It says what *may* be there: a lane whose fact is [`Fact::any`] may hold anything. There is no fact for
//! "nothing can be here"; [`Fact::meet`] says so by `None`.
//!
//! Knows no operations: they are in `int` and `float`.

use crate::ops::{Scalar, Width};

/// What is known of a lane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fact {
    pub(super) width: Width,
    /// Bits that are 0 in every value.
    pub zeros: u64,
    /// Bits that are 1 in every value.
    pub ones: u64,
    /// The smallest and the largest value as an unsigned integer.
    pub unsigned: (u64, u64),
    /// The smallest and the largest value as a signed integer.
    pub signed: (i64, i64),
    /// What is known of it as a float. Says nothing for widths without floats.
    pub float: Float,
}

/// What is known of a lane read as a float.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Float {
    /// The smallest number, -0 counting as 0; so where it may be -0, 0 is in the interval. Above `high` where
    /// there is none but NaN.
    pub low: f64,
    /// The largest number.
    pub high: f64,
    /// It may be NaN.
    pub nan: bool,
    /// It may be -0.
    pub minus_zero: bool,
    /// Every finite value is a whole number.
    pub whole: bool,
}

impl Float {
    /// Nothing is known.
    pub const ANY: Float =
        Float { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true, minus_zero: true, whole: false };

    /// Numbers of an interval, no NaN; -0 only where the interval goes below 0.
    pub fn within(low: f64, high: f64) -> Float {
        Float { low, high, nan: false, minus_zero: low < 0.0, whole: false }
    }

    /// The float of these bits.
    pub fn exactly(lane: Scalar) -> Float {
        let value = lane.to_f64();
        if value.is_nan() {
            return Float {
                low: f64::INFINITY,
                high: f64::NEG_INFINITY,
                nan: true,
                minus_zero: false,
                whole: true,
            };
        }
        let minus_zero = value == 0.0 && value.is_sign_negative();
        let whole = value.is_finite() && value.trunc() == value;
        Float {
            low: value + 0.0,
            high: value + 0.0,
            nan: false,
            minus_zero,
            whole: whole || value.is_infinite(),
        }
    }

    /// Whether it is never below 0 and never -0, unless it is NaN.
    pub fn is_positive(&self) -> bool {
        self.low >= 0.0 && !self.minus_zero
    }

    /// Whether this number is in the interval.
    pub fn may_be(&self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    /// Whether it may be a zero of either sign.
    pub fn may_be_zero(&self) -> bool {
        self.may_be(0.0)
    }

    /// Whether it may be infinite.
    pub fn may_be_infinite(&self) -> bool {
        self.may_be(f64::INFINITY) || self.may_be(f64::NEG_INFINITY)
    }

    /// Whether no number is in it.
    pub fn has_no_number(&self) -> bool {
        self.low > self.high
    }

    /// What either allows.
    pub fn join(self, other: Float) -> Float {
        Float {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
            minus_zero: self.minus_zero || other.minus_zero,
            whole: self.whole && other.whole,
        }
    }

    /// What both allow.
    pub fn meet(self, other: Float) -> Float {
        Float {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            nan: self.nan && other.nan,
            minus_zero: self.minus_zero && other.minus_zero,
            whole: self.whole || other.whole,
        }
    }
}

impl Fact {
    /// Anything of this width.
    pub fn any(width: Width) -> Fact {
        let top = width.mask() >> 1;
        Fact {
            width,
            zeros: 0,
            ones: 0,
            unsigned: (0, width.mask()),
            signed: (!(top.cast_signed()), top.cast_signed()),
            float: Float::ANY,
        }
    }

    /// These bits and no others.
    pub fn exactly(lane: Scalar) -> Fact {
        let (bits, width) = (lane.bits(), lane.width());
        Fact {
            width,
            zeros: !bits & width.mask(),
            ones: bits,
            unsigned: (bits, bits),
            signed: (lane.as_i64(), lane.as_i64()),
            float: Float::exactly(lane),
        }
    }

    /// An unsigned integer of an interval; anything where the width cannot hold all of it.
    pub fn unsigned(width: Width, low: i128, high: i128) -> Fact {
        let mut fact = Fact::any(width);
        if low >= 0 && high <= i128::from(width.mask()) && low <= high {
            fact.unsigned = (low as u64, high as u64);
        }
        fact.sharpened()
    }

    /// A signed integer of an interval; anything where the width cannot hold all of it.
    pub fn signed(width: Width, low: i128, high: i128) -> Fact {
        let mut fact = Fact::any(width);
        let (least, most) = fact.signed;
        if low >= i128::from(least) && high <= i128::from(most) && low <= high {
            fact.signed = (low as i64, high as i64);
        }
        fact.sharpened()
    }

    /// An integer of which some bits are known.
    pub fn known(width: Width, zeros: u64, ones: u64) -> Fact {
        Fact { zeros: zeros & width.mask(), ones: ones & width.mask(), ..Fact::any(width) }.sharpened()
    }

    /// A float of which something is known.
    pub fn float(width: Width, float: Float) -> Fact {
        debug_assert!(!float.low.is_nan() && !float.high.is_nan());
        Fact { float, ..Fact::any(width) }.sharpened()
    }

    /// A truth value: false, true or either.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> Fact {
        match (may_be_false, may_be_true) {
            (true, false) => Fact::exactly(Scalar::new(Width::W1, 0)),
            (false, true) => Fact::exactly(Scalar::new(Width::W1, 1)),
            (true, true) | (false, false) => Fact::any(Width::W1),
        }
    }

    /// Bits of the lane.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The only bits that may be there, if one fact is all there is.
    pub fn constant(&self) -> Option<Scalar> {
        (self.unsigned.0 == self.unsigned.1).then(|| Scalar::new(self.width, self.unsigned.0))
    }

    /// Whether nothing is known.
    pub fn is_any(&self) -> bool {
        *self == Fact::any(self.width)
    }

    /// Whether these bits may be there.
    pub fn allows(&self, lane: Scalar) -> bool {
        let (bits, int) = (lane.bits(), lane.as_i64());
        let as_int = bits & self.zeros == 0
            && bits & self.ones == self.ones
            && (self.unsigned.0..=self.unsigned.1).contains(&bits)
            && (self.signed.0..=self.signed.1).contains(&int);
        let Float { low, high, nan, minus_zero, whole } = self.float;
        let value = lane.to_f64();
        let as_float = if !has_floats(self.width) {
            true
        } else if lane.is_nan() {
            nan
        } else if value == 0.0 && value.is_sign_negative() {
            minus_zero
        } else {
            low <= value && value <= high && (!whole || value.is_infinite() || value.trunc() == value)
        };
        as_int && as_float
    }

    /// What either allows. The width is this one's.
    #[must_use]
    pub fn join(&self, other: &Fact) -> Fact {
        Fact {
            width: self.width,
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            unsigned: (self.unsigned.0.min(other.unsigned.0), self.unsigned.1.max(other.unsigned.1)),
            signed: (self.signed.0.min(other.signed.0), self.signed.1.max(other.signed.1)),
            float: self.float.join(other.float),
        }
    }

    /// What both allow; `None` where no bits do. The width is this one's.
    #[must_use]
    pub fn meet(&self, other: &Fact) -> Option<Fact> {
        let met = Fact {
            width: self.width,
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            unsigned: (self.unsigned.0.max(other.unsigned.0), self.unsigned.1.min(other.unsigned.1)),
            signed: (self.signed.0.max(other.signed.0), self.signed.1.min(other.signed.1)),
            float: self.float.meet(other.float),
        };
        met.checked()
    }

    /// What must stand for a lane that was `self` and has grown to `grown`, so that it grows no more: what
    /// moved goes as far as it can.
    #[must_use]
    pub fn widened(&self, grown: &Fact) -> Fact {
        fn end<T: PartialEq>(old: T, new: T, far: T) -> T {
            if old == new { new } else { far }
        }
        let any = Fact::any(self.width);
        let (old, new) = (&self.float, &grown.float);
        Fact {
            width: self.width,
            zeros: end(self.zeros, grown.zeros, 0),
            ones: end(self.ones, grown.ones, 0),
            unsigned: (
                end(self.unsigned.0, grown.unsigned.0, any.unsigned.0),
                end(self.unsigned.1, grown.unsigned.1, any.unsigned.1),
            ),
            signed: (
                end(self.signed.0, grown.signed.0, any.signed.0),
                end(self.signed.1, grown.signed.1, any.signed.1),
            ),
            float: Float {
                low: end(old.low, new.low, f64::NEG_INFINITY),
                high: end(old.high, new.high, f64::INFINITY),
                ..*new
            },
        }
    }

    /// The same with each reading sharpened by the others.
    #[must_use]
    pub fn sharpened(self) -> Fact {
        self.checked().unwrap_or(self)
    }

    /// The same; `None` where the readings contradict each other.
    fn checked(mut self) -> Option<Fact> {
        // Bits sharpen intervals and intervals bits: the second round sees what the first found.
        for _ in 0..2 {
            self.read_bits();
            self.between_signs();
            if self.unsigned.0 > self.unsigned.1 || self.signed.0 > self.signed.1 {
                return None;
            }
            self.note_bits();
            if self.zeros & self.ones != 0 {
                return None;
            }
        }
        self.with_float()
    }

    fn read_bits(&mut self) {
        let most = !self.zeros & self.width.mask();
        self.unsigned = (self.unsigned.0.max(self.ones), self.unsigned.1.min(most));
    }

    /// The bits above the highest in which the ends of an interval differ.
    fn note_bits(&mut self) {
        let (low, high) = self.unsigned;
        let common = match (low ^ high).checked_ilog2() {
            None => u64::MAX,
            Some(63) => 0,
            Some(at) => u64::MAX << (at + 1),
        } & self.width.mask();
        self.zeros |= !low & common;
        self.ones |= low & common;
    }

    fn between_signs(&mut self) {
        let sign = self.width.sign_bit();
        let signed = |bits: u64| Scalar::new(self.width, bits).as_i64();
        let bits = |value: i64| value.cast_unsigned() & self.width.mask();
        let (low, high) = self.unsigned;
        if high < sign || low >= sign {
            self.signed = (self.signed.0.max(signed(low)), self.signed.1.min(signed(high)));
        }
        let (low, high) = self.signed;
        if low >= 0 || high < 0 {
            self.unsigned = (self.unsigned.0.max(bits(low)), self.unsigned.1.min(bits(high)));
        }
    }

    /// The sign is a bit of both; and what is one constant is that as a float too.
    fn with_float(mut self) -> Option<Fact> {
        if !has_floats(self.width) {
            self.float = Float::ANY;
            return Some(self);
        }
        if let Some(lane) = self.constant() {
            let fits = self.allows(lane);
            self.float = Float::exactly(lane);
            return fits.then_some(self);
        }
        let sign = self.width.sign_bit();
        if self.zeros & sign != 0 {
            self.float.low = self.float.low.max(0.0);
            self.float.minus_zero = false;
        }
        if self.ones & sign != 0 {
            self.float.high = self.float.high.min(0.0);
        }
        if self.float.has_no_number() && !self.float.nan {
            return None;
        }
        if self.float.is_positive() && !self.float.nan && self.zeros & sign == 0 {
            if self.ones & sign != 0 {
                return None;
            }
            self.zeros |= sign;
            self.read_bits();
            self.between_signs();
        }
        (self.unsigned.0 <= self.unsigned.1 && self.signed.0 <= self.signed.1).then_some(self)
    }
}

/// Whether lanes of this width can be floats.
pub(super) fn has_floats(width: Width) -> bool {
    matches!(width, Width::W16 | Width::W32 | Width::W64)
}

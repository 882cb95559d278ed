//! Facts about one component: known bits, its interval as each kind of integer, and its properties as a
//! float.
//!
//! Values have no type, so a fact keeps all four interpretations of the same bits and lets each refine the
//! others. It describes the possible values: a component whose fact is [`Fact::any`] may hold anything. There
//! is no fact for an impossible value; [`Fact::meet`] returns `None` instead.
//!
//! Independent of operations: those are in `int` and `float`.

use vitrine_ir::ops::{Scalar, Width};

/// The possible values of a component.
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
    /// Its properties as a float. Meaningless for widths without floats.
    pub float: Float,
}

/// The possible values of a component interpreted as a float.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Float {
    /// The smallest number, with -0 counted as 0; so if -0 is possible, the interval contains 0. Greater than
    /// `high` if the only possible values are NaN.
    pub low: f64,
    /// The largest number.
    pub high: f64,
    /// If set, NaN is possible.
    pub nan: bool,
    /// If set, -0 is possible.
    pub minus_zero: bool,
    /// If set, every finite value is integral.
    pub whole: bool,
}

impl Float {
    /// Any float.
    pub const ANY: Float =
        Float { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true, minus_zero: true, whole: false };

    /// The numbers of an interval without NaN; -0 is possible only if the interval extends below 0.
    pub fn within(low: f64, high: f64) -> Float {
        Float { low, high, nan: false, minus_zero: low < 0.0, whole: false }
    }

    /// The float with these bits.
    pub fn exactly(component: Scalar) -> Float {
        let value = component.to_f64();
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

    /// Returns true if no possible value is below 0 or is -0; NaN is allowed.
    pub fn is_positive(&self) -> bool {
        self.low >= 0.0 && !self.minus_zero
    }

    /// Returns true if the interval contains this number.
    pub fn may_be(&self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    /// Returns true if a zero of either sign is possible.
    pub fn may_be_zero(&self) -> bool {
        self.may_be(0.0)
    }

    /// Returns true if an infinity is possible.
    pub fn may_be_infinite(&self) -> bool {
        self.may_be(f64::INFINITY) || self.may_be(f64::NEG_INFINITY)
    }

    /// Returns true if no number is possible.
    pub fn has_no_number(&self) -> bool {
        self.low > self.high
    }

    /// The union: all values that either allows.
    pub fn join(self, other: Float) -> Float {
        Float {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
            minus_zero: self.minus_zero || other.minus_zero,
            whole: self.whole && other.whole,
        }
    }

    /// The intersection: the values that both allow.
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
    /// Any value of this width.
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

    /// These bits only.
    pub fn exactly(component: Scalar) -> Fact {
        let (bits, width) = (component.bits(), component.width());
        Fact {
            width,
            zeros: !bits & width.mask(),
            ones: bits,
            unsigned: (bits, bits),
            signed: (component.as_i64(), component.as_i64()),
            float: Float::exactly(component),
        }
    }

    /// An unsigned integer of an interval; any value if the width cannot represent all of it.
    pub fn unsigned(width: Width, low: i128, high: i128) -> Fact {
        let mut fact = Fact::any(width);
        if low >= 0 && high <= i128::from(width.mask()) && low <= high {
            fact.unsigned = (low as u64, high as u64);
        }
        fact.sharpened()
    }

    /// A signed integer of an interval; any value if the width cannot represent all of it.
    pub fn signed(width: Width, low: i128, high: i128) -> Fact {
        let mut fact = Fact::any(width);
        let (least, most) = fact.signed;
        if low >= i128::from(least) && high <= i128::from(most) && low <= high {
            fact.signed = (low as i64, high as i64);
        }
        fact.sharpened()
    }

    /// An integer with some known bits.
    pub fn known(width: Width, zeros: u64, ones: u64) -> Fact {
        Fact { zeros: zeros & width.mask(), ones: ones & width.mask(), ..Fact::any(width) }.sharpened()
    }

    /// A float with known properties.
    pub fn float(width: Width, float: Float) -> Fact {
        debug_assert!(!float.low.is_nan() && !float.high.is_nan());
        Fact { float, ..Fact::any(width) }.sharpened()
    }

    /// A boolean: false, true or either.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> Fact {
        match (may_be_false, may_be_true) {
            (true, false) => Fact::exactly(Scalar::new(Width::W1, 0)),
            (false, true) => Fact::exactly(Scalar::new(Width::W1, 1)),
            (true, true) | (false, false) => Fact::any(Width::W1),
        }
    }

    /// The width of the component.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The constant, if the fact allows only one value.
    pub fn constant(&self) -> Option<Scalar> {
        (self.unsigned.0 == self.unsigned.1).then(|| Scalar::new(self.width, self.unsigned.0))
    }

    /// Returns true if every value is possible.
    pub fn is_any(&self) -> bool {
        *self == Fact::any(self.width)
    }

    /// Returns true if these bits are possible.
    pub fn allows(&self, component: Scalar) -> bool {
        let (bits, int) = (component.bits(), component.as_i64());
        let as_int = bits & self.zeros == 0
            && bits & self.ones == self.ones
            && (self.unsigned.0..=self.unsigned.1).contains(&bits)
            && (self.signed.0..=self.signed.1).contains(&int);
        let Float { low, high, nan, minus_zero, whole } = self.float;
        let value = component.to_f64();
        let as_float = if !has_floats(self.width) {
            true
        } else if component.is_nan() {
            nan
        } else if value == 0.0 && value.is_sign_negative() {
            minus_zero
        } else {
            low <= value && value <= high && (!whole || value.is_infinite() || value.trunc() == value)
        };
        as_int && as_float
    }

    /// The union: all values that either allows. The width is that of `self`.
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

    /// The intersection; `None` if it is empty. The width is that of `self`.
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

    /// Widening from `self` to the larger `grown`: bounds that moved go to the limit, so that the fact stops
    /// growing.
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

    /// The same fact with each interpretation refined by the others.
    #[must_use]
    pub fn sharpened(self) -> Fact {
        self.checked().unwrap_or(self)
    }

    /// Like `sharpened`; `None` if the interpretations contradict each other.
    fn checked(mut self) -> Option<Fact> {
        // Bits refine intervals and intervals refine bits: the second iteration uses the results of the
        // first.
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

    /// Learns the bits above the highest one in which the ends of an interval differ.
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

    /// The sign is a bit of both interpretations; a constant is also constant as a float.
    fn with_float(mut self) -> Option<Fact> {
        if !has_floats(self.width) {
            self.float = Float::ANY;
            return Some(self);
        }
        if let Some(component) = self.constant() {
            let fits = self.allows(component);
            self.float = Float::exactly(component);
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

/// Returns true if a component of this width can be a float.
pub(super) fn has_floats(width: Width) -> bool {
    matches!(width, Width::W16 | Width::W32 | Width::W64)
}

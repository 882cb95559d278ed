//! What a rule asks of its constants.

use crate::ops::{Bits, Scalar};

/// A question about constants.
type Test = fn(&[Bits]) -> bool;

/// A condition on constants of a rule.
pub(super) struct ConstCond {
    test: Test,
    vars: Vec<usize>,
}

/// Every condition by name.
const GUARDS: &[(&str, Test)] = &[
    ("pow2", |c| every(c, |lane| lane.as_u64().is_power_of_two())),
    ("not_zero", |c| every(c, |lane| lane.as_u64() != 0)),
    ("exact_rcp", |c| every(c, has_exact_reciprocal)),
    ("negative", |c| every(c, |lane| lane.as_i64() < 0 && lane.bits() != lane.width().sign_bit())),
    ("field", |c| match c {
        // One field for all lanes: a target's instruction has no others.
        [offset, mask] => is_one(offset) && is_one(mask) && is_field(offset, mask),
        _ => false,
    }),
    ("shifts_add", |c| match c {
        [a, b] => shifts_add(a, b),
        _ => false,
    }),
];

impl ConstCond {
    /// Whether it holds; what is not constant meets no condition.
    pub(super) fn holds(&self, values: &[Option<Bits>]) -> bool {
        let given: Option<Vec<Bits>> =
            self.vars.iter().map(|&at| values.get(at).copied().flatten()).collect();
        given.is_some_and(|given| (self.test)(&given))
    }
}

/// Reads `name var var …`.
pub(super) fn read(text: &str, names: &[String]) -> Option<ConstCond> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let (_, test) = GUARDS.iter().find(|(known, _)| *known == name)?;
    let vars = words.map(|word| names.iter().position(|known| known == word)).collect::<Option<_>>()?;
    Some(ConstCond { test: *test, vars })
}

fn every(constants: &[Bits], test: impl Fn(Scalar) -> bool) -> bool {
    constants.iter().flat_map(Bits::scalars).all(test)
}

/// Whether every lane is the same.
fn is_one(constant: &Bits) -> bool {
    constant.components().windows(2).all(|pair| pair.first() == pair.last())
}

/// A power of two that is neither subnormal nor has a subnormal reciprocal: dividing by it is multiplying.
fn has_exact_reciprocal(lane: Scalar) -> bool {
    let reciprocal = lane.frcp();
    let normal = |lane: Scalar| lane.fisnormal().as_bool();
    let mantissa = lane.frexp_sig().fabs();
    normal(lane) && normal(reciprocal) && mantissa == Scalar::float(lane.width(), 0.5)
}

/// Whether a shift by an offset and then a mask take out bits that lie within the number: those are all ones of the
/// mask, from its lowest bit on.
fn is_field(offset: &Bits, mask: &Bits) -> bool {
    let width = u64::from(mask.width().bits());
    let fits = |(&offset, &mask): (&u64, &u64)| {
        let count = u64::from(mask.trailing_ones());
        mask != 0 && u64::from(mask.count_ones()) == count && offset.saturating_add(count) <= width
    };
    offset.components().len() == mask.components().len()
        && offset.components().iter().zip(mask.components()).all(fits)
}

/// Whether shifting twice is shifting by the sum, in numbers of 8 bits and so in all: counts are taken modulo
/// the width, which a guard does not see.
fn shifts_add(a: &Bits, b: &Bits) -> bool {
    let mut pairs = a.components().iter().zip(b.components());
    a.width() == b.width() && pairs.all(|(&a, &b)| a < 8 && b < 8 && a + b < 8)
}

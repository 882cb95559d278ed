//! Conditions of a rule on its constants.

use vitrine_ir::ops::{Bits, Scalar};

/// A predicate over constants.
type Test = fn(&[Bits]) -> bool;

/// A condition of a rule and the variables it applies to.
pub(super) struct ConstCond {
    test: Test,
    vars: Vec<usize>,
}

/// Every condition by name.
const CONST_CONDS: &[(&str, Test)] = &[
    ("pow2", |c| every(c, |component| component.as_u64().is_power_of_two())),
    ("not_zero", |c| every(c, |component| component.as_u64() != 0)),
    ("exact_rcp", |c| every(c, has_exact_reciprocal)),
    ("negative", |c| {
        every(c, |component| component.as_i64() < 0 && component.bits() != component.width().sign_bit())
    }),
    ("field", |c| match c {
        // One field for all components: the instructions of targets have no others.
        [offset, mask] => is_one(offset) && is_one(mask) && is_field(offset, mask),
        _ => false,
    }),
    ("shifts_add", |c| match c {
        [a, b] => shifts_add(a, b),
        _ => false,
    }),
];

impl ConstCond {
    /// Returns true if the condition holds; it does not hold for a value that is not constant.
    pub(super) fn holds(&self, values: &[Option<Bits>]) -> bool {
        let given: Option<Vec<Bits>> =
            self.vars.iter().map(|&at| values.get(at).copied().flatten()).collect();
        given.is_some_and(|given| (self.test)(&given))
    }
}

/// Parses `name var var …`.
pub(super) fn read(text: &str, names: &[String]) -> Option<ConstCond> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let (_, test) = CONST_CONDS.iter().find(|(known, _)| *known == name)?;
    let vars = words.map(|word| names.iter().position(|known| known == word)).collect::<Option<_>>()?;
    Some(ConstCond { test: *test, vars })
}

fn every(constants: &[Bits], test: impl Fn(Scalar) -> bool) -> bool {
    constants.iter().flat_map(Bits::scalars).all(test)
}

/// Returns true if every component is the same.
fn is_one(constant: &Bits) -> bool {
    constant.components().windows(2).all(|pair| pair.first() == pair.last())
}

/// Returns true for a power of two that is neither subnormal nor has a subnormal reciprocal: dividing by it
/// is exactly multiplying by the reciprocal.
fn has_exact_reciprocal(component: Scalar) -> bool {
    let reciprocal = component.frcp();
    let normal = |component: Scalar| component.fisnormal().as_bool();
    let mantissa = component.frexp_sig().fabs();
    normal(component) && normal(reciprocal) && mantissa == Scalar::float(component.width(), 0.5)
}

/// Returns true if a right shift by the offset and the mask extract a bit field within the value: the mask is
/// a run of ones from its lowest bit.
fn is_field(offset: &Bits, mask: &Bits) -> bool {
    let width = u64::from(mask.width().bits());
    let fits = |(&offset, &mask): (&u64, &u64)| {
        let count = u64::from(mask.trailing_ones());
        mask != 0 && u64::from(mask.count_ones()) == count && offset.saturating_add(count) <= width
    };
    offset.components().len() == mask.components().len()
        && offset.components().iter().zip(mask.components()).all(fits)
}

/// Returns true if two shifts combine to one by the sum for every width. The counts must fit 8-bit values,
/// because counts are taken modulo the width and a condition does not know the width.
fn shifts_add(a: &Bits, b: &Bits) -> bool {
    let mut pairs = a.components().iter().zip(b.components());
    a.width() == b.width() && pairs.all(|(&a, &b)| a < 8 && b < 8 && a + b < 8)
}

//! Conditions of a rule on values: predicates over facts of the `range` analysis.
//!
//! A condition is evaluated for each component. If it holds for a fact, it holds for every value that the
//! fact allows, so a test of rules may apply it to the values themselves (`Fact::exactly`). A constant is a
//! value whose fact is exact.

use crate::Fact;
use vitrine_ir::ops::Width;

/// A predicate over the facts of one component of some values.
type Test = fn(&[Fact]) -> bool;

/// A condition of a rule and the variables it applies to.
pub(super) struct RangeCond {
    test: Test,
    vars: Vec<usize>,
}

/// Every condition by name.
const RANGE_CONDS: &[(&str, Test)] = &[
    // Integers.
    ("at_least_zero", |f| matches!(f, [x] if x.signed.0 >= 0)),
    ("below", |f| matches!(f, [x, y] if x.width() == y.width() && x.unsigned.1 < y.unsigned.0)),
    ("zero_outside", |f| matches!(f, [x, c] if !x.zeros & !c.ones & mask(x) == 0)),
    ("fits_times", |f| match f {
        [x, c] => c.unsigned.0 > 0 && product(x.unsigned.1, c.unsigned.1) <= u128::from(mask(x)),
        _ => false,
    }),
    ("fits_times_signed", |f| match f {
        [x, c] => {
            let products =
                [x.signed.0, x.signed.1].map(|x| [c.signed.0, c.signed.1].map(|c| wide(x) * wide(c)));
            let not_zero = c.signed.0 > 0 || c.signed.1 < 0;
            not_zero && products.iter().flatten().all(|&product| is_in(product, x.width()))
        }
        _ => false,
    }),
    ("fits_shift", |f| match f {
        [x, c] => c.constant().is_some_and(|count| {
            count.as_u64() < u64::from(x.width().bits()) && x.unsigned.1 <= mask(x) >> count.as_u64()
        }),
        _ => false,
    }),
    // Neither x + c nor d - c wraps.
    ("fits_moved", |f| match f {
        [x, c, d] => {
            let sums = [wide(x.signed.0) + wide(c.signed.0), wide(x.signed.1) + wide(c.signed.1)];
            let rest = [wide(d.signed.0) - wide(c.signed.1), wide(d.signed.1) - wide(c.signed.0)];
            sums.iter().chain(&rest).all(|&number| is_in(number, x.width()))
        }
        _ => false,
    }),
    ("fits_moved_unsigned", |f| match f {
        [x, c, d] => {
            u128::from(x.unsigned.1) + u128::from(c.unsigned.1) <= u128::from(mask(x))
                && d.unsigned.0 >= c.unsigned.1
        }
        _ => false,
    }),
    ("signed_byte", |f| matches!(f, [x] if x.signed.0 >= -128 && x.signed.1 <= 127)),
    ("byte", |f| matches!(f, [x] if x.unsigned.1 <= 255)),
    // Integers that 16-bit floats, and so all floats, represent exactly.
    ("up_to_2048_signed", |f| matches!(f, [x] if x.signed.0 >= -2048 && x.signed.1 <= 2048)),
    ("up_to_2048", |f| matches!(f, [x] if x.unsigned.1 <= 2048)),
    // Floats. None of these holds for NaN.
    ("number", |f| matches!(f, [x] if number(x))),
    ("not_minus_zero", |f| matches!(f, [x] if number(x) && !x.float.minus_zero)),
    ("not_negative", |f| matches!(f, [x] if number(x) && x.float.is_positive())),
    ("at_most_zero", |f| matches!(f, [x] if number(x) && x.float.high <= 0.0)),
    ("whole", |f| matches!(f, [x] if number(x) && x.float.whole)),
    ("finite", |f| matches!(f, [x] if finite(x))),
    ("finite_not_zero", |f| matches!(f, [x] if finite(x) && !x.float.may_be_zero())),
    ("at_least", |f| match f {
        // Of two zeros, either may be the larger.
        [x, a] => number(x) && number(a) && x.float.low >= a.float.high && !x.float.minus_zero,
        _ => false,
    }),
    ("at_most", |f| match f {
        [x, a] => number(x) && number(a) && x.float.high <= a.float.low && !a.float.minus_zero,
        _ => false,
    }),
];

/// Parses `name var var …`.
pub(super) fn read(text: &str, names: &[String]) -> Option<RangeCond> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let (_, test) = RANGE_CONDS.iter().find(|(known, _)| *known == name)?;
    let vars = words.map(|word| names.iter().position(|known| known == word)).collect::<Option<_>>()?;
    Some(RangeCond { test: *test, vars })
}

impl RangeCond {
    /// Returns true if the condition holds in every component; it does not hold for a value without facts.
    pub(super) fn holds(&self, mut facts: impl FnMut(usize) -> Vec<Fact>) -> bool {
        let facts: Vec<Vec<Fact>> = self.vars.iter().map(|&at| facts(at)).collect();
        let components = facts.iter().map(Vec::len).max().unwrap_or(0);
        let row = |component: usize| -> Option<Vec<Fact>> {
            facts
                .iter()
                .map(|of| of.get(component).or(of.first().filter(|_| of.len() == 1)).copied())
                .collect()
        };
        components > 0 && (0..components).all(|component| row(component).is_some_and(|row| (self.test)(&row)))
    }
}

fn mask(fact: &Fact) -> u64 {
    fact.width().mask()
}

fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

fn wide(number: i64) -> i128 {
    i128::from(number)
}

/// Returns true if a number fits a signed integer of the width.
fn is_in(number: i128, width: Width) -> bool {
    let half = 1i128 << (width.bits().max(1) - 1);
    (-half..half).contains(&number)
}

fn number(fact: &Fact) -> bool {
    fact.width().has_floats() && !fact.float.nan && !fact.float.has_no_number()
}

fn finite(fact: &Fact) -> bool {
    number(fact) && !fact.float.may_be_infinite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::ops::Scalar;

    /// Facts of 8 bits: intervals of both kinds and known bits.
    fn facts() -> Vec<Fact> {
        let ends = [-128i128, -100, -16, -2, -1, 0, 1, 2, 3, 15, 16, 100, 127];
        let mut out = Vec::new();
        for (at, &low) in ends.iter().enumerate() {
            for &high in &ends[at..] {
                out.push(Fact::signed(Width::W8, low, high));
                if low >= 0 {
                    out.push(Fact::unsigned(Width::W8, low, 2 * high + 1));
                }
            }
        }
        for bits in [0u64, 1, 0x0f, 0xf0, 0x80, 0xff] {
            out.push(Fact::known(Width::W8, bits, 0));
            out.push(Fact::known(Width::W8, 0, bits));
        }
        out
    }

    /// Facts of 16-bit floats.
    fn floats() -> Vec<Fact> {
        let ends = [f64::NEG_INFINITY, -2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 2048.0, f64::INFINITY];
        let mut out = vec![Fact::any(Width::W16)];
        for (at, &low) in ends.iter().enumerate() {
            for &high in &ends[at..] {
                let within = crate::Float::within(low, high);
                for whole in [false, true] {
                    out.push(Fact::float(Width::W16, crate::Float { whole, ..within }));
                    out.push(Fact::float(Width::W16, crate::Float { nan: true, whole, ..within }));
                }
            }
        }
        out
    }

    fn members(fact: &Fact, most: u64) -> Vec<Fact> {
        let step = if most > 256 { 37 } else { 1 };
        let components = (0..most).step_by(step).map(|bits| Scalar::new(fact.width(), bits));
        components.filter(|&component| fact.allows(component)).map(Fact::exactly).collect()
    }

    /// The number of variables of a condition.
    fn arity(test: Test) -> usize {
        let zero = Fact::exactly(Scalar::new(Width::W8, 0));
        let one = Fact::exactly(Scalar::new(Width::W8, 1));
        let [half, less, two] = [0.5, -0.5, 2.0].map(|value| Fact::exactly(Scalar::float(Width::W16, value)));
        let pool = [zero, one, half, less, two];
        let hit = |facts: &[Fact]| test(facts);
        (1..=3)
            .find(|&count| {
                pool.iter().any(|&first| pool.iter().any(|&second| hit(&[first, second, second][..count])))
            })
            .unwrap_or(0)
    }

    #[test]
    fn a_condition_that_holds_for_a_fact_holds_for_all_its_values() {
        let (ints, floats) = (facts(), floats());
        let small = [-1, 0, 1, 3].map(|value| Fact::exactly(Scalar::i(Width::W8, value)));
        let halves = [-1.0, 0.0, 0.5, 2048.0].map(|value| Fact::exactly(Scalar::float(Width::W16, value)));
        for (name, test) in RANGE_CONDS {
            let count = arity(*test);
            assert!(count > 0, "{name} is never answered with yes");
            let mut yes = 0;
            for (pool, others, most) in [(&ints, small, 256), (&floats, halves, 1 << 16)] {
                for fact in pool {
                    for other in &others {
                        let row = [*fact, *other, *other];
                        if !test(&row[..count]) {
                            continue;
                        }
                        yes += 1;
                        for component in members(fact, most) {
                            let row = [component, *other, *other];
                            assert!(test(&row[..count]), "{name}: yes for {fact:?}, no for {component:?}");
                        }
                    }
                }
            }
            assert!(yes > 0, "{name} is never answered with yes");
        }
    }
}

//! Checks a rule against the semantics of operations: all inputs of small types, corner cases and seeded samples of
//! others.
//!
//! The tests require that every rule passes, and the reference shows an input that breaks a rule without its conditions
//! or its flags. Refuses to prove: for wide types the answer is only that no input of the samples breaks the rule.

use super::{Pat, Rule, Typed, evaluate, typings};
use crate::Fact;
use vitrine_ir::base::random::Random;
use vitrine_ir::ops::{Bits, Flags, Scalar, ValueType, Width};

/// The inputs that a rule is tested on.
#[derive(Clone, Copy)]
pub enum TestedInputs<'r> {
    /// Inputs that satisfy the conditions of the rule.
    Allowed,
    /// Inputs that satisfy the conditions on constants, and any values.
    AllValues,
    /// All inputs.
    All,
    /// Inputs that satisfy the conditions on constants, and those of another rule on values.
    AllowedBy(&'r Rule),
}

impl TestedInputs<'_> {
    /// Returns true if the conditions hold for an input; `given` are the constants.
    fn allow(self, rule: &Rule, values: &[Bits], given: &[Option<Bits>]) -> bool {
        let exactly = |at: usize| {
            values.get(at).map(|bits| bits.scalars().map(Fact::exactly).collect()).unwrap_or_default()
        };
        match self {
            TestedInputs::Allowed => rule.holds(given) && rule.is_known(exactly),
            TestedInputs::AllValues => rule.holds(given),
            TestedInputs::All => true,
            TestedInputs::AllowedBy(other) => rule.holds(given) && other.is_known(exactly),
        }
    }
}

/// The sides of a rule, with the types of their parts.
#[derive(Clone, Copy)]
pub struct Sides<'t> {
    /// The types of the variables.
    pub types: &'t [ValueType],
    /// The pattern.
    pub left: &'t Typed<'t>,
    /// The replacement.
    pub right: &'t Typed<'t>,
}

/// The way in which results are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// As the flags of the rule permit.
    Permitted,
    /// Bit by bit, as if the operations of the left side had no flags.
    Bits,
}

/// An input on which the sides of a rule differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// The values of the variables.
    pub values: Vec<Bits>,
    /// The result of the left side; none if it cannot be evaluated.
    pub left: Option<Bits>,
    /// The result of the right side; none if it cannot be evaluated.
    pub right: Option<Bits>,
}

/// The result of a check.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The number of inputs that satisfy the conditions and the promises of the flags, up to the counterexample.
    pub counted: usize,
    /// The first input on which the sides differ.
    pub counterexample: Option<Counterexample>,
}

/// Compares the sides of a rule on all inputs of small types, or on corner cases and `samples` seeded ones.
pub fn check(
    rule: &Rule,
    sides: Sides<'_>,
    tested: TestedInputs<'_>,
    comparison: Comparison,
    samples: usize,
) -> Checked {
    let mut constants = vec![false; rule.vars];
    mark_constants(&rule.left, &mut constants);
    let mut checked = Checked { counted: 0, counterexample: None };
    let mut all = inputs(sides.types, sides.left, samples);
    if rule.asks() && matches!(tested, TestedInputs::Allowed) {
        all.extend(drawn(sides.types, &constants));
    }
    for values in all {
        let given: Vec<Option<Bits>> =
            values.iter().zip(&constants).map(|(&bits, &constant)| constant.then_some(bits)).collect();
        let is_promised = comparison == Comparison::Bits || !breaks_promise(rule, sides.left, &values);
        if !tested.allow(rule, &values, &given) || !is_promised {
            continue;
        }
        checked.counted += 1;
        let (left, right) = (evaluate(sides.left, &values), evaluate(sides.right, &values));
        let is_same = match (left, right) {
            (Some(a), Some(b)) => match comparison {
                Comparison::Permitted => same(rule, a, b),
                Comparison::Bits => a == b,
            },
            _ => false,
        };
        if !is_same {
            checked.counterexample = Some(Counterexample { values, left, right });
            break;
        }
    }
    checked
}

/// Returns true if all inputs of these types are tested.
pub fn is_exhaustive(types: &[ValueType]) -> bool {
    bits_of(types) <= MOST_BITS
}

/// An input that breaks a rule without its conditions; none if it has none, or if no input was found.
pub fn without_conditions(rule: &Rule, samples: usize) -> Option<Counterexample> {
    if rule.text.guard.is_empty() {
        return None;
    }
    counterexample(rule, TestedInputs::All, Comparison::Permitted, samples)
}

/// An input that breaks a rule if the operations do not have the flags that it requires; none if it requires none, or if
/// no input was found.
pub fn without_flags(rule: &Rule, samples: usize) -> Option<Counterexample> {
    if rule.is_exact() {
        return None;
    }
    counterexample(rule, TestedInputs::Allowed, Comparison::Bits, samples)
}

fn counterexample(
    rule: &Rule,
    tested: TestedInputs<'_>,
    comparison: Comparison,
    samples: usize,
) -> Option<Counterexample> {
    // 32 bits are the most familiar type, and others may be the only ones.
    let mut typed = typings(rule, 1);
    typed.sort_by_key(|(types, ..)| types.iter().filter(|ty| ty.width() != Some(Width::W32)).count());
    typed.iter().find_map(|(types, left, right)| {
        check(rule, Sides { types, left, right }, tested, comparison, samples).counterexample
    })
}

/// Marks the variables that are constants in a pattern.
pub fn mark_constants(pat: &Pat, constants: &mut [bool]) {
    let mut work = vec![pat];
    while let Some(pat) = work.pop() {
        match pat {
            Pat::Const(at) => {
                if let Some(constant) = constants.get_mut(*at) {
                    *constant = true;
                }
            }
            Pat::Var(_) | Pat::Lit(_) => {}
            Pat::Op(_, args) => work.extend(args),
            Pat::Once(inner) => work.push(inner),
        }
    }
}

/// Number of inputs drawn for rules with conditions on several values.
const MOST_DRAWN: usize = 1_500;

/// Inputs with small, integral or nearby values, which conditions are about.
fn drawn(types: &[ValueType], constants: &[bool]) -> Vec<Vec<Bits>> {
    let mut random = Random(constants.len() as u64 + 77);
    let mut component = |width: Width| {
        let any = random.next();
        let small = (any >> 8 & 0x3f) as i64;
        match any % 6 {
            0 => Scalar::i(width, small).bits(),
            1 => Scalar::i(width, -small).bits(),
            2 => Scalar::i(width, 1 << (small % 8)).bits(),
            3 if width.has_floats() => Scalar::float(width, small as f64).bits(),
            4 if width.has_floats() => Scalar::float(width, -small as f64 / 4.0).bits(),
            _ => any >> 20 & width.mask(),
        }
    };
    let count = if types.len() == 1 { 300 } else { MOST_DRAWN };
    (0..count)
        .map(|_| types.iter().map(|&ty| of_components(ty, |_| component(width_of(ty)))).collect())
        .collect()
}

/// Returns true if an input violates a promise of the rule's flags.
fn breaks_promise(rule: &Rule, left: &Typed<'_>, values: &[Bits]) -> bool {
    let banned = |component: Scalar| {
        (rule.needs.has(Flags::NNAN) && component.fisnan().as_bool())
            || (rule.needs.has(Flags::NINF) && component.fisinf().as_bool())
            // Real numbers have neither, and sides may differ if one overflows.
            || (is_loose(rule) && (component.fabs().flt(Scalar::float(component.width(), 1e-2)).as_bool()
                || component.fabs().fgtu(Scalar::float(component.width(), 1e2)).as_bool()))
            || (rule.needs.has(Flags::FAST) && component.fsignbit().as_bool())
    };
    let mut parts = vec![left];
    while let Some(part) = parts.pop() {
        if part.ty.width().is_some_and(Width::has_floats)
            && let Some(bits) = evaluate(part, values)
            && bits.scalars().any(banned)
        {
            return true;
        }
        parts.extend(&part.args);
    }
    false
}

/// Returns true if the rule holds only for real numbers.
fn is_loose(rule: &Rule) -> bool {
    [Flags::REASSOC, Flags::ARCP, Flags::FAST, Flags::CONTRACT].into_iter().any(|flag| rule.needs.has(flag))
}

fn same(rule: &Rule, a: Bits, b: Bits) -> bool {
    a.ty() == b.ty() && a.scalars().zip(b.scalars()).all(|(a, b)| same_component(rule, a, b))
}

fn same_component(rule: &Rule, a: Scalar, b: Scalar) -> bool {
    let both_nan = a.fisnan().as_bool() && b.fisnan().as_bool();
    let both_zero = a.feq(b).as_bool() && a.feq(Scalar::zero(a.width())).as_bool();
    a == b
        || (rule.any_nan && both_nan)
        || (rule.needs.has(Flags::NSZ) && both_zero)
        || (is_loose(rule) && near(a, b))
}

fn near(a: Scalar, b: Scalar) -> bool {
    let tolerance = Scalar::float(a.width(), if a.width() == Width::W16 { 2e-2 } else { 1e-5 });
    let one = Scalar::float(a.width(), 1.0);
    let most = a.fabs().fmax(b.fabs()).fmax(one).fmul(tolerance);
    a.fsub(b).fabs().fle(most).as_bool()
}

/// The largest number of bits of an input for which all inputs are tested: two values of 8 bits.
const MOST_BITS: u32 = 16;

/// The largest number of combinations of corner cases.
const MOST_CORNERS: usize = 3_000;

fn width_of(ty: ValueType) -> Width {
    ty.width().unwrap_or_default()
}

fn bits_of(types: &[ValueType]) -> u32 {
    types.iter().map(|&ty| width_of(ty).bits() * u32::from(ty.components())).sum()
}

fn of_components(ty: ValueType, component: impl FnMut(usize) -> u64) -> Bits {
    let components: Vec<u64> = (0..usize::from(ty.components())).map(component).collect();
    Bits::from_components(width_of(ty), &components)
}

/// All combinations if there are few: all 8-bit numbers for up to two values. Corner cases and
/// seeded samples otherwise.
fn inputs(types: &[ValueType], left: &Typed<'_>, samples: usize) -> Vec<Vec<Bits>> {
    let bits = bits_of(types);
    if is_exhaustive(types) {
        return (0..1u64 << bits).map(|number| spread(types, number)).collect();
    }
    let mut random = Random(u64::from(bits) + left.args.len() as u64);
    let mut out = Vec::new();
    let corners: Vec<Vec<u64>> = types.iter().map(|&ty| corners(width_of(ty))).collect();
    let total: usize = corners.iter().map(Vec::len).product();
    for number in 0..total.min(MOST_CORNERS) {
        // Larger sets of combinations are thinned out evenly.
        let mut rest = if total > MOST_CORNERS { number * (total / MOST_CORNERS) } else { number };
        let pick = |(&ty, list): (&ValueType, &Vec<u64>)| {
            let first = rest % list.len();
            rest /= list.len();
            of_components(ty, |component| list[(first + component * 5) % list.len()])
        };
        out.push(types.iter().zip(&corners).map(pick).collect());
    }
    for _ in 0..samples {
        let value = |&ty: &ValueType| of_components(ty, |_| component(&mut random, width_of(ty)));
        out.push(types.iter().map(value).collect());
    }
    out
}

/// The bits of a number, distributed over the components of values.
fn spread(types: &[ValueType], mut number: u64) -> Vec<Bits> {
    let mut component = |width: Width| {
        let component = number & width.mask();
        number >>= width.bits();
        component
    };
    types.iter().map(|&ty| of_components(ty, |_| component(width_of(ty)))).collect()
}

/// Corner cases of integers and floats.
fn corners(width: Width) -> Vec<u64> {
    let integers = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 63, -1, -2, -3, -8, i64::MAX, i64::MIN];
    let mut out: Vec<u64> = integers.iter().map(|&value| Scalar::i(width, value).bits()).collect();
    out.extend([width.sign_bit(), width.sign_bit() - 1]);
    if width.has_floats() {
        let floats = [
            0.0,
            0.25,
            0.5,
            0.75,
            1.0,
            1.5,
            2.0,
            3.0,
            4.0,
            10.0,
            1e-3,
            1e3,
            6e-8,
            6e4,
            1e-45,
            3e38,
            1e308,
            f64::INFINITY,
            f64::NAN,
        ];
        for value in floats {
            out.extend([Scalar::float(width, value).bits(), Scalar::float(width, -value).bits()]);
        }
        // A NaN with a payload and a sign.
        out.push(Scalar::nan(width).bits() | width.sign_bit() | 5);
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Random bits, a small integer, or an ordinary float.
fn component(random: &mut Random, width: Width) -> u64 {
    let any = random.next();
    match any % 4 {
        0 => any >> 2,
        1 => any >> 2 & 0x3f,
        _ => Scalar::float(width, ((any >> 20) as i32 as f64) / f64::from(1u32 << (any >> 2 & 31))).bits(),
    }
}

//! Every algebraic rule against the evaluation of operations, and the ordering that makes rewriting terminate.
//!
//! `VITRINE_CASES=100000` tries more seeded samples.

use crate::testing::numbers::Random;
use crate::testing::settings::setting;
use vitrine_core::analysis::Fact;
use vitrine_core::ops::{Bits, Flags, Scalar, ValueType, Width};
use vitrine_core::rules::{Pat, Rule, Rules, Set, Typed, cost, evaluate, texts, typings};

fn rules() -> &'static [Rule] {
    Rules::get().all()
}

fn samples() -> usize {
    setting("VITRINE_CASES", 400)
}

#[test]
fn every_rule_can_be_parsed_and_is_documented() {
    let read: Vec<&str> = rules().iter().map(|rule| rule.text.name).collect();
    let written: Vec<&str> = texts().map(|text| text.name).collect();
    let unparsed: Vec<&&str> = written.iter().filter(|name| !read.contains(name)).collect();
    assert!(unparsed.is_empty(), "these rules cannot be parsed: {unparsed:?}");
    let mut unique = read.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), read.len(), "two rules share a name");
    for rule in rules() {
        assert!(rule.text.doc.trim().ends_with('.'), "{} needs a description", rule.text.name);
        let marks =
            rule.text.marks.iter().filter(|mark| Flags::from_name(mark).is_none() && **mark != "any_nan");
        assert_eq!(marks.count(), 0, "{}: unknown mark", rule.text.name);
    }
}

/// Rules make programs cheaper, so that rewriting terminates: the cost decreases, and no value gets more uses.
#[test]
fn every_rule_is_cheaper_on_the_right() {
    for rule in rules().iter().filter(|rule| rule.set == Set::Algebraic) {
        let name = rule.text.name;
        let mut constants = vec![false; rule.vars];
        mark_constants(&rule.left, &mut constants);
        let (left, right) = (cost(&rule.left, &constants), cost(&rule.right, &constants));
        assert!(right < left, "{name} costs {left} on the left and {right} on the right");
        let [mut before, mut after] = [vec![0; rule.vars], vec![0; rule.vars]];
        rule.left.count_reads(&mut before);
        rule.right.count_reads(&mut after);
        for at in 0..rule.vars {
            assert!(constants[at] || after[at] <= before[at], "{name} adds uses of a value");
        }
    }
}

/// Rules of the other sets terminate for another reason: no operation of a right side is the root of a rule of
/// the same set. Unless the set permits it, the number of operations does not grow.
#[test]
fn every_other_set_terminates() {
    let others: Vec<&Rule> = rules().iter().filter(|rule| rule.set != Set::Algebraic).collect();
    let operations = |pat: &Pat| {
        let mut found = Vec::new();
        let mut work = vec![pat];
        while let Some(pat) = work.pop() {
            match pat {
                Pat::Op(op, args) => {
                    found.push(*op);
                    work.extend(args);
                }
                Pat::Once(inner) => work.push(inner),
                Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => {}
            }
        }
        found
    };
    for rule in &others {
        let name = rule.text.name;
        let mut constants = vec![false; rule.vars];
        mark_constants(&rule.left, &mut constants);
        for op in operations(&rule.right) {
            let begins = |other: &&&Rule| {
                other.set == rule.set && matches!(&other.left, Pat::Op(root, _) if *root == op)
            };
            let again = others.iter().find(begins).map(|other| other.text.name);
            assert!(again.is_none(), "{name} leaves {}, the root of {again:?}", op.name());
        }
        if !rule.set.may_grow() {
            let (left, right) = (operations(&rule.left).len(), operations(&rule.right).len());
            // A subexpression of constants is folded when the rule is applied.
            let computed = operations(&rule.right).len() - kept(&rule.right, &constants);
            assert!(right - computed <= left, "{name} leaves more operations");
        }
    }
    assert!(others.len() > 20);
}

/// The number of operations of a side that remain in the program.
fn kept(pat: &Pat, constants: &[bool]) -> usize {
    match pat {
        Pat::Op(_, args) if !pat.is_constant(constants) => {
            1 + args.iter().map(|arg| kept(arg, constants)).sum::<usize>()
        }
        Pat::Once(inner) => kept(inner, constants),
        Pat::Op(..) | Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => 0,
    }
}

fn mark_constants(pat: &Pat, constants: &mut [bool]) {
    match pat {
        Pat::Const(at) => constants[*at] = true,
        Pat::Var(_) | Pat::Lit(_) => {}
        Pat::Op(_, args) => args.iter().for_each(|arg| mark_constants(arg, constants)),
        Pat::Once(inner) => mark_constants(inner, constants),
    }
}

/// Checks every `PARTS`-th rule, starting with this one; the parts run in parallel.
fn rules_hold(part: usize) {
    let mut failed = Vec::new();
    for rule in rules().iter().skip(part).step_by(PARTS) {
        let mut typed = 0;
        for components in [1, 2, 3] {
            for (types, left, right) in typings(rule, components) {
                typed += 1;
                if let Err(why) = holds(rule, &types, &left, &right, TestedInputs::Allowed) {
                    failed.push(why);
                    break;
                }
            }
        }
        if typed == 0 {
            failed.push(format!("{} fits no types", rule.text.name));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

const PARTS: usize = 4;

#[test]
fn every_rule_holds_first_part() {
    rules_hold(0);
}

#[test]
fn every_rule_holds_second_part() {
    rules_hold(1);
}

#[test]
fn every_rule_holds_third_part() {
    rules_hold(2);
}

#[test]
fn every_rule_holds_fourth_part() {
    rules_hold(3);
}

/// A rule with a condition does not hold for all values: the condition is needed, and the same samples would find
/// one that is too weak.
#[test]
fn every_condition_of_a_rule_is_needed() {
    let asking: Vec<&Rule> = rules().iter().filter(|rule| rule.asks()).collect();
    assert!(asking.len() >= 15, "{}", asking.len());
    for rule in asking {
        let name = rule.text.name;
        assert!(rule.is_exact(), "{name}: a rule with a condition must be exact");
        let broken = |(types, left, right): &(Vec<ValueType>, Typed<'_>, Typed<'_>)| {
            holds(rule, types, left, right, TestedInputs::All).is_err()
        };
        assert!(typings(rule, 1).iter().any(broken), "{name} holds without its condition");
    }
}

/// A wrong condition is detected: each rule with the condition of another.
#[test]
fn a_wrong_condition_is_found() {
    let rule = |name: &str| rules().iter().find(|rule| rule.text.name == name).unwrap();
    for (name, other) in [
        ("known_fsub_same", "known_fle_same"),   // a value may be infinite
        ("known_fdiv_same", "known_fsub_same"),  // a finite value may be zero
        ("known_f2i_ffloor", "known_f2i_fceil"), // differs for the other sign
        ("known_fadd_zero", "known_fle_same"),   // a value may be -0.0
        ("known_ieq_imul", "known_ieq_ishl"),    // multiplication is not a shift
        ("known_i2i_i2i", "known_f2i_i2f"),      // 2048 does not fit a byte
        ("known_udiv_imul", "known_idiv_imul"),  // signed and unsigned differ
    ] {
        let (rule, tested) = (rule(name), TestedInputs::AllowedBy(rule(other)));
        let found = typings(rule, 1)
            .iter()
            .any(|(types, left, right)| holds(rule, types, left, right, tested).is_err());
        assert!(found, "{name} with the condition of {other} passes");
    }
}

#[test]
fn rules_that_need_a_single_use_declare_it() {
    let once = rules().iter().filter(|rule| rule.text.left.contains("once"));
    assert!(once.count() >= 15);
}

/// An incorrect rule is detected, which tests the checker itself.
#[test]
fn a_rule_that_does_not_hold_is_found() {
    let sides = |name: &str| rules().iter().find(|rule| rule.text.name == name).unwrap();
    for (name, other) in
        [("iadd_zero", "isub_self"), ("fadd_zero", "fsub_same"), ("select_same", "select_true")]
    {
        let (rule, broken) = (sides(name), sides(other));
        let found = typings(rule, 1).iter().any(|(types, left, _)| {
            let others = typings(broken, 1);
            let right = others.iter().map(|(_, _, right)| right).find(|right| right.ty == left.ty);
            right.is_some_and(|right| holds(rule, types, left, right, TestedInputs::Allowed).is_err())
        });
        assert!(found, "{name} with the right side of {other} passes");
    }
}

/// The inputs that a rule is tested on.
#[derive(Clone, Copy)]
enum TestedInputs<'r> {
    /// Inputs that satisfy the conditions of the rule.
    Allowed,
    /// All inputs.
    All,
    /// Inputs that satisfy the conditions of another rule.
    AllowedBy(&'r Rule),
}

impl TestedInputs<'_> {
    /// `true` if the conditions hold for an input.
    fn allow(self, rule: &Rule, values: &[Bits]) -> bool {
        let exactly = |at: usize| values[at].scalars().map(Fact::exactly).collect();
        match self {
            TestedInputs::Allowed => rule.is_known(exactly),
            TestedInputs::All => true,
            TestedInputs::AllowedBy(other) => other.is_known(exactly),
        }
    }
}

/// Minimum number of inputs that must satisfy the conditions of a rule.
const FEWEST: usize = 8;

/// Number of inputs drawn for rules with conditions on several values.
const MOST_DRAWN: usize = 1_500;

fn holds(
    rule: &Rule,
    types: &[ValueType],
    left: &Typed<'_>,
    right: &Typed<'_>,
    tested: TestedInputs<'_>,
) -> Result<(), String> {
    let mut constants = vec![false; rule.vars];
    mark_constants(&rule.left, &mut constants);
    let mut counted = 0;
    let mut one = |values: &[Bits]| {
        let given: Vec<Option<Bits>> =
            values.iter().zip(&constants).map(|(&bits, &constant)| constant.then_some(bits)).collect();
        if !rule.holds(&given) || !tested.allow(rule, values) || breaks_promise(rule, left, values) {
            return Ok(());
        }
        counted += 1;
        let (a, b) = (evaluate(left, values), evaluate(right, values));
        let (Some(a), Some(b)) = (a, b) else {
            return Err(format!("{}: a side cannot be evaluated for {types:?}", rule.text.name));
        };
        if !same(rule, a, b) {
            let text = format!("{} => {}", rule.text.left, rule.text.right);
            return Err(format!("{}: {text} for {values:x?}: {a:x?} is not {b:x?}", rule.text.name));
        }
        Ok(())
    };
    inputs(types, left).iter().try_for_each(|values| one(values))?;
    if rule.asks() && matches!(tested, TestedInputs::Allowed) {
        drawn(types, &constants).iter().try_for_each(|values| one(values))?;
        // Few samples satisfy a condition in three components.
        if types.iter().all(|ty| ty.components() == 1) && counted < FEWEST {
            return Err(format!(
                "{}: only {counted} inputs of {types:?} satisfy its conditions",
                rule.text.name
            ));
        }
    }
    Ok(())
}

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
    let value = |ty: &ValueType, component: &mut dyn FnMut(Width) -> u64| {
        let width = ty.width().unwrap();
        let components: Vec<u64> = (0..ty.components()).map(|_| component(width)).collect();
        Bits::from_components(width, &components)
    };
    let count = if types.len() == 1 { 300 } else { MOST_DRAWN };
    (0..count).map(|_| types.iter().map(|ty| value(ty, &mut component)).collect()).collect()
}

/// `true` if an input violates a promise of the rule's flags.
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

/// `true` if the rule holds only for real numbers.
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

/// All combinations if there are few: all 8-bit numbers for up to two values. Corner cases and
/// seeded samples otherwise.
fn inputs(types: &[ValueType], left: &Typed<'_>) -> Vec<Vec<Bits>> {
    let bits: u32 = types.iter().map(|ty| ty.width().unwrap().bits() * u32::from(ty.components())).sum();
    if bits <= 16 {
        return (0..1u64 << bits).map(|number| spread(types, number)).collect();
    }
    let mut random = Random(u64::from(bits) + left.args.len() as u64);
    let mut out = Vec::new();
    let corners: Vec<Vec<u64>> = types.iter().map(|ty| corners(ty.width().unwrap())).collect();
    let total: usize = corners.iter().map(Vec::len).product();
    for number in 0..total.min(3_000) {
        // Larger sets of combinations are thinned out evenly.
        let mut rest = if total > 3_000 { number * (total / 3_000) } else { number };
        let pick = |(ty, list): (&ValueType, &Vec<u64>)| {
            let first = rest % list.len();
            rest /= list.len();
            let components: Vec<u64> = (0..usize::from(ty.components()))
                .map(|component| list[(first + component * 5) % list.len()])
                .collect();
            Bits::from_components(ty.width().unwrap(), &components)
        };
        out.push(types.iter().zip(&corners).map(pick).collect());
    }
    for _ in 0..samples() {
        let value = |ty: &ValueType| {
            let components: Vec<u64> =
                (0..ty.components()).map(|_| component(&mut random, ty.width().unwrap())).collect();
            Bits::from_components(ty.width().unwrap(), &components)
        };
        out.push(types.iter().map(value).collect());
    }
    out
}

/// The bits of a number, distributed over the components of values.
fn spread(types: &[ValueType], mut number: u64) -> Vec<Bits> {
    let value = |ty: &ValueType| {
        let width = ty.width().unwrap();
        let components: Vec<u64> = (0..ty.components())
            .map(|_| {
                let component = number & width.mask();
                number >>= width.bits();
                component
            })
            .collect();
        Bits::from_components(width, &components)
    };
    types.iter().map(value).collect()
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

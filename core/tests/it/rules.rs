//! Every rule of the algebra against what operations mean, and the order that makes applying them end.
//!
//! `VITRINE_CASES=100000` asks for more seeded samples.

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
fn every_rule_can_be_read_and_is_documented() {
    let read: Vec<&str> = rules().iter().map(|rule| rule.text.name).collect();
    let written: Vec<&str> = texts().map(|text| text.name).collect();
    let lost: Vec<&&str> = written.iter().filter(|name| !read.contains(name)).collect();
    assert!(lost.is_empty(), "these cannot be read: {lost:?}");
    let mut unique = read.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), read.len(), "two rules share a name");
    for rule in rules() {
        assert!(rule.text.doc.trim().ends_with('.'), "{} wants a sentence", rule.text.name);
        let marks =
            rule.text.marks.iter().filter(|mark| Flags::from_name(mark).is_none() && **mark != "any_nan");
        assert_eq!(marks.count(), 0, "{}: a mark nobody knows", rule.text.name);
    }
}

/// Rules make programs cheaper, so that applying them ends: the weight goes down, and no value gets more uses.
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
            assert!(constants[at] || after[at] <= before[at], "{name} reads a value more often");
        }
    }
}

/// Rules of the other sets end otherwise: what one leaves begins nothing that a rule of its set begins with. And they
/// never leave more operations, where the set does not say so.
#[test]
fn every_other_set_comes_to_an_end() {
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
            assert!(again.is_none(), "{name} leaves {}, with which {again:?} begins", op.name());
        }
        if !rule.set.may_grow() {
            let (left, right) = (operations(&rule.left).len(), operations(&rule.right).len());
            // A part with constants only is computed when the rule is applied.
            let computed = operations(&rule.right).len() - kept(&rule.right, &constants);
            assert!(right - computed <= left, "{name} leaves more");
        }
    }
    assert!(others.len() > 20);
}

/// Operations of a side that are left in the program.
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

/// Every rule whose number leaves this remainder: the parts run at the same time.
fn rules_hold(part: usize) {
    let mut failed = Vec::new();
    for rule in rules().iter().skip(part).step_by(PARTS) {
        let mut typed = 0;
        for components in [1, 2, 3] {
            for (types, left, right) in typings(rule, components) {
                typed += 1;
                if let Err(why) = holds(rule, &types, &left, &right, Asked::Yes) {
                    failed.push(why);
                    break;
                }
            }
        }
        if typed == 0 {
            failed.push(format!("{} makes sense for no types", rule.text.name));
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

/// A rule that asks about values does not hold for all of them: the question is needed, and what asks too little
/// is found by the same samples.
#[test]
fn every_condition_of_a_rule_is_needed() {
    let asking: Vec<&Rule> = rules().iter().filter(|rule| rule.asks()).collect();
    assert!(asking.len() >= 15, "{}", asking.len());
    for rule in asking {
        let name = rule.text.name;
        assert!(rule.is_exact(), "{name}: what is known holds only as long as rules are exact");
        let wrong = |(types, left, right): &(Vec<ValueType>, Typed<'_>, Typed<'_>)| {
            holds(rule, types, left, right, Asked::Anything).is_err()
        };
        assert!(typings(rule, 1).iter().any(wrong), "{name} holds whatever the answer is");
    }
}

/// A wrong question is caught: the rule of one with the question of another.
#[test]
fn a_wrong_condition_is_found() {
    let rule = |name: &str| rules().iter().find(|rule| rule.text.name == name).unwrap();
    for (name, other) in [
        ("known_fsub_same", "known_fle_same"),   // a number may be infinite
        ("known_fdiv_same", "known_fsub_same"),  // what is finite may be zero
        ("known_f2i_ffloor", "known_f2i_fceil"), // on the other side of zero
        ("known_fadd_zero", "known_fle_same"),   // a number may be -0
        ("known_ieq_imul", "known_ieq_ishl"),    // times is not moved by
        ("known_i2i_i2i", "known_f2i_i2f"),      // 2048 is more than a byte
        ("known_udiv_imul", "known_idiv_imul"),  // signed is not unsigned
    ] {
        let (rule, asked) = (rule(name), Asked::By(rule(other)));
        let found = typings(rule, 1)
            .iter()
            .any(|(types, left, right)| holds(rule, types, left, right, asked).is_err());
        assert!(found, "{name} with the question of {other} passes");
    }
}

#[test]
fn rules_that_need_a_single_use_declare_it() {
    let once = rules().iter().filter(|rule| rule.text.left.contains("once"));
    assert!(once.count() >= 15);
}

/// A rule that is wrong is found: the checker is checked.
#[test]
fn a_rule_that_does_not_hold_is_found() {
    let sides = |name: &str| rules().iter().find(|rule| rule.text.name == name).unwrap();
    for (name, other) in
        [("iadd_zero", "isub_self"), ("fadd_zero", "fsub_same"), ("select_same", "select_true")]
    {
        let (rule, wrong) = (sides(name), sides(other));
        let found = typings(rule, 1).iter().any(|(types, left, _)| {
            let others = typings(wrong, 1);
            let right = others.iter().map(|(_, _, right)| right).find(|right| right.ty == left.ty);
            right.is_some_and(|right| holds(rule, types, left, right, Asked::Yes).is_err())
        });
        assert!(found, "{name} with the right side of {other} passes");
    }
}

/// The inputs that count, by what is known of them.
#[derive(Clone, Copy)]
enum Asked<'r> {
    /// Those for which the answers are yes.
    Yes,
    /// All.
    Anything,
    /// Those for which the answers to what another rule asks are yes.
    By(&'r Rule),
}

impl Asked<'_> {
    /// `true` if an input counts: the conditions hold for it.
    fn allow(self, rule: &Rule, values: &[Bits]) -> bool {
        let exactly = |at: usize| values[at].scalars().map(Fact::exactly).collect();
        match self {
            Asked::Yes => rule.is_known(exactly),
            Asked::Anything => true,
            Asked::By(other) => other.is_known(exactly),
        }
    }
}

/// Fewest inputs that must count, where a rule asks about values.
const FEWEST: usize = 8;

/// Inputs that are drawn for rules that ask, where there are several values.
const MOST_DRAWN: usize = 1_500;

fn holds(
    rule: &Rule,
    types: &[ValueType],
    left: &Typed<'_>,
    right: &Typed<'_>,
    asked: Asked<'_>,
) -> Result<(), String> {
    let mut constants = vec![false; rule.vars];
    mark_constants(&rule.left, &mut constants);
    let mut counted = 0;
    let mut one = |values: &[Bits]| {
        let given: Vec<Option<Bits>> =
            values.iter().zip(&constants).map(|(&bits, &constant)| constant.then_some(bits)).collect();
        if !rule.holds(&given) || !asked.allow(rule, values) || breaks_promise(rule, left, values) {
            return Ok(());
        }
        counted += 1;
        let (a, b) = (evaluate(left, values), evaluate(right, values));
        let (Some(a), Some(b)) = (a, b) else {
            return Err(format!("{}: a side has no meaning for {types:?}", rule.text.name));
        };
        if !same(rule, a, b) {
            let text = format!("{} => {}", rule.text.left, rule.text.right);
            return Err(format!("{}: {text} for {values:x?}: {a:x?} is not {b:x?}", rule.text.name));
        }
        Ok(())
    };
    inputs(types, left).iter().try_for_each(|values| one(values))?;
    if rule.asks() && matches!(asked, Asked::Yes) {
        drawn(types, &constants).iter().try_for_each(|values| one(values))?;
        // Few samples fulfill a condition in three components at once.
        if types.iter().all(|ty| ty.components() == 1) && counted < FEWEST {
            return Err(format!("{}: {counted} inputs of {types:?} are as it asks", rule.text.name));
        }
    }
    Ok(())
}

/// Inputs in which constants and values are small, whole or near each other: what questions are about.
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

/// `true` if an input breaks what the flags of the rule promise.
fn breaks_promise(rule: &Rule, left: &Typed<'_>, values: &[Bits]) -> bool {
    let banned = |component: Scalar| {
        (rule.needs.has(Flags::NNAN) && component.fisnan().as_bool())
            || (rule.needs.has(Flags::NINF) && component.fisinf().as_bool())
            // Real numbers know neither, and sides may differ where one leaves what floats can hold.
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

/// `true` if the rule holds for real numbers only.
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

/// All combinations where there are few enough: all 8-bit numbers for up to two values; corner cases and
/// seeded samples for everything else.
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
        // More combinations than that are thinned out evenly.
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

/// The bits of a number, given out to values component by component.
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

/// Numbers at which arithmetic turns: as integers, and as floats.
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

/// Any bits, a small number, or an everyday float.
fn component(random: &mut Random, width: Width) -> u64 {
    let any = random.next();
    match any % 4 {
        0 => any >> 2,
        1 => any >> 2 & 0x3f,
        _ => Scalar::float(width, ((any >> 20) as i32 as f64) / f64::from(1u32 << (any >> 2 & 31))).bits(),
    }
}

//! Every algebraic rule against the evaluation of operations, and the ordering that makes rewriting terminate.
//!
//! `VITRINE_CASES=100000` tries more seeded samples.

use crate::testing::settings::setting;
use vitrine_core::ops::{Flags, ValueType};
use vitrine_core::rules::proof::{
    Comparison, Counterexample, Sides, TestedInputs, check, mark_constants, without_conditions, without_flags,
};
use vitrine_core::rules::{Pat, Rule, Rules, Set, Typed, cost, texts, typings};

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
            holds(rule, types, left, right, TestedInputs::AllValues).is_err()
        };
        assert!(typings(rule, 1).iter().any(broken), "{name} holds without its condition");
    }
}

/// The reference shows what a condition or a flag prevents.
#[test]
fn a_rule_without_its_conditions_or_its_flags_has_a_counterexample() {
    let named = |name: &str| rules().iter().find(|rule| rule.text.name == name).unwrap();
    let found = without_conditions(named("imul_pow2"), samples()).expect("a factor that is no power of two");
    assert!(found.left.is_some() && found.left != found.right, "{found:?}");
    let zero = without_flags(named("fadd_zero"), samples()).expect("-0.0");
    assert_ne!(zero.left, zero.right);
    assert_eq!(without_conditions(named("iadd_zero"), samples()), None);
    assert_eq!(without_flags(named("iadd_zero"), samples()), None);
    let guarded: Vec<&Rule> = rules().iter().filter(|rule| !rule.text.guard.is_empty()).collect();
    let broken = guarded.iter().filter(|rule| without_conditions(rule, 400).is_some()).count();
    assert!(broken * 10 >= guarded.len() * 9, "{broken} of {}", guarded.len());
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

/// Minimum number of inputs that must satisfy the conditions of a rule.
const FEWEST: usize = 8;

fn holds(
    rule: &Rule,
    types: &[ValueType],
    left: &Typed<'_>,
    right: &Typed<'_>,
    tested: TestedInputs<'_>,
) -> Result<(), String> {
    let checked = check(rule, Sides { types, left, right }, tested, Comparison::Permitted, samples());
    if let Some(Counterexample { values, left, right }) = checked.counterexample {
        let text = format!("{} => {}", rule.text.left, rule.text.right);
        return Err(format!("{}: {text} for {values:x?}: {left:x?} is not {right:x?}", rule.text.name));
    }
    // Few samples satisfy a condition in three components.
    let is_single = types.iter().all(|ty| ty.components() == 1);
    if rule.asks() && matches!(tested, TestedInputs::Allowed) && is_single && checked.counted < FEWEST {
        return Err(format!(
            "{}: only {} inputs of {types:?} satisfy its conditions",
            rule.text.name, checked.counted
        ));
    }
    Ok(())
}

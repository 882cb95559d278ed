//! Tests every transfer function against results on corner cases. Programs are in the tests of ranges.

use super::fact::Fact;
use super::transfer;
use crate::FloatModes;
use crate::testing::Random;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Bits, FloatOp, Op, Scalar, ValueType, Width};
use vitrine_ir::{Inst, InstData};

/// Corner cases of a width: as either kind of number, and random bits.
fn component(random: &mut Random, width: Width) -> Scalar {
    const FLOATS: [f64; 20] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        3.0,
        7.25,
        -7.25,
        255.0,
        65504.0,
        1.0e-7,
        1.0e-40,
        -1.0e-40,
        1.0e30,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.999,
    ];
    const INTS: [i64; 14] = [0, 1, 2, 3, 4, 7, 8, 31, 32, 64, 100, 255, 0x1234_5678, i64::MAX];
    let at = random.below(64) as usize;
    if at < FLOATS.len() && width >= Width::W16 {
        Scalar::float(width, FLOATS[at])
    } else if at < 48 {
        let value = INTS[random.below(INTS.len() as u64) as usize];
        Scalar::i(width, if random.below(2) == 0 { value } else { value.wrapping_neg() })
    } else if at < 54 {
        Scalar::new(width, width.sign_bit().wrapping_add(random.below(3)).wrapping_sub(1))
    } else {
        Scalar::new(width, random.next() >> random.below(64))
    }
}

/// Types of operands and result that the entry of `op` admits, with 1, 2 and 4 components.
fn typings(op: Op) -> Vec<(ValueType, Vec<ValueType>)> {
    let all: Vec<ValueType> = Width::ALL
        .iter()
        .flat_map(|&width| [1, 2, 4].map(|components| ValueType::bits(width, components)))
        .collect();
    let info = op.info();
    let count = info.operands.len() + usize::from(info.rest.is_some());
    let mut out = Vec::new();
    for number in 0..all.len().pow(count as u32) {
        let args: Vec<ValueType> =
            (0..count).map(|at| all[number / all.len().pow(at as u32) % all.len()]).collect();
        out.extend(all.iter().filter(|&&to| info.check(to, &args).is_ok()).map(|&to| (to, args.clone())));
    }
    out
}

/// Gives the operation facts that cover a few values; the resulting fact must allow every result.
#[test]
fn the_fact_of_a_result_holds_for_every_allowed_operand() {
    let mut random = Random::new(11);
    let mut derived = 0;
    for op in Op::all().filter(|op| op.info().meaning.is_some() && op.props().pure()) {
        for (to, args) in typings(op) {
            for _ in 0..10 {
                let choices: Vec<Vec<Bits>> = args.iter().map(|&ty| choose(&mut random, ty)).collect();
                let facts: Vec<Vec<Fact>> = choices.iter().map(|values| covering(values)).collect();
                derived += usize::from(check(op, to, &choices, &facts));
            }
        }
    }
    assert!(derived > 5_000, "too few facts were derived: {derived}");
}

fn choose(random: &mut Random, ty: ValueType) -> Vec<Bits> {
    let ValueType::Bits { width, components } = ty else { return Vec::new() };
    let count = 1 + random.below(3);
    let mut value =
        || Bits::from_scalars(&(0..components).map(|_| component(random, width)).collect::<Vec<_>>());
    (0..count).map(|_| value()).collect()
}

/// For each component the union of these values.
fn covering(values: &[Bits]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = values[0].scalars().map(Fact::exactly).collect();
    for value in &values[1..] {
        for (fact, component) in facts.iter_mut().zip(value.scalars()) {
            *fact = fact.join(&Fact::exactly(component));
            assert!(fact.allows(component));
        }
    }
    facts
}

fn transferred(data: &InstData, args: &[Vec<Fact>], out: &mut [Fact]) {
    let flat: Vec<Fact> = args.iter().flatten().copied().collect();
    let ends: Vec<usize> = (1..=args.len()).map(|count| args[..count].iter().map(Vec::len).sum()).collect();
    let args = transfer::Operands { facts: &flat, ends: &ends };
    transfer::components(data, args, FloatModes::default(), out);
}

/// Returns true if a fact was derived, after comparing it with every combination.
fn check(op: Op, to: ValueType, choices: &[Vec<Bits>], facts: &[Vec<Fact>]) -> bool {
    let ValueType::Bits { width, components } = to else { return false };
    let ids: Vec<Inst> = (0..facts.len()).map(EntityId::from_index).collect();
    let data = InstData::new(op, to, &ids);
    let mut out = vec![Fact::any(width); components.into()];
    transferred(&data, facts, &mut out);
    let combinations: usize = choices.iter().map(Vec::len).product();
    for number in 0..combinations {
        let mut rest = number;
        let picked: Vec<Bits> = choices
            .iter()
            .map(|values| {
                let at = rest % values.len();
                rest /= values.len();
                values[at]
            })
            .collect();
        let Some(result) = op.info().eval(to, &picked) else { continue };
        for (component, fact) in result.scalars().zip(&out) {
            assert!(
                fact.allows(component),
                "{op:?} {picked:?} gives {component:?}, but {fact:?} was derived from {facts:?}"
            );
        }
    }
    out.iter().any(|fact| !fact.is_any())
}

#[test]
fn one_operand_twice_is_one_value() {
    let mut random = Random::new(5);
    let (mul, sub) = (FloatOp::FMul, FloatOp::FSub);
    for op in [Op::Float(mul), Op::Float(sub)] {
        for _ in 0..2_000 {
            let values = choose(&mut random, ValueType::B32);
            let facts = covering(&values);
            let one: Inst = EntityId::from_index(0);
            let mut out = [Fact::any(Width::W32)];
            let data = InstData::new(op, ValueType::B32, &[one, one]);
            transferred(&data, &[facts.clone(), facts.clone()], &mut out);
            for value in values {
                let result = op.info().eval(ValueType::B32, &[value, value]).unwrap();
                assert!(out[0].allows(result.component(0)), "{op:?} {value:?}: {:?} {result:?}", out[0]);
            }
        }
    }
}

#[test]
fn meeting_and_joining_keep_what_both_and_either_allow() {
    let mut random = Random::new(7);
    for width in Width::ALL {
        for _ in 0..4_000 {
            let ty = ValueType::bits(width, 1);
            let (a, b) = (covering(&choose(&mut random, ty))[0], covering(&choose(&mut random, ty))[0]);
            let probe = component(&mut random, width);
            let (in_a, in_b) = (a.allows(probe), b.allows(probe));
            assert!(!(in_a || in_b) || a.join(&b).allows(probe));
            assert!(
                !(in_a && in_b) || a.meet(&b).is_some_and(|both| both.allows(probe)),
                "{a:?} {b:?} {probe:?}"
            );
            assert!(!in_a || a.widened(&a.join(&b)).allows(probe));
        }
    }
}

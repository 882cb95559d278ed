//! Properties of the op tables: operations are documented and tested, constraints are consistent,
//! evaluation is total, and algebraic properties hold bit for bit.

use crate::testing::corners::{self, Draw};
use crate::testing::used;
use std::collections::BTreeSet;
use vitrine_core::ops::constraint::Unknowns;
use vitrine_core::ops::{Bits, Meaning, Op, OpInfo, Props, Scalar, SignatureError, ValueType, Width};

/// Combinations of operand types tried per operation.
const TYPES_PER_OP: usize = 300;

/// Operand values tried per combination of types.
const VALUES_PER_TYPES: usize = 60;

#[test]
fn every_operation_has_a_unique_name_and_a_description() {
    let mut names = BTreeSet::new();
    for op in Op::all() {
        let info = op.info();
        assert!(names.insert(info.name), "there are two `{}`", info.name);
        assert_eq!(Op::from_name(info.name), Some(op));
        let doc = op.doc().trim();
        assert!(doc.ends_with('.'), "the doc of `{}` does not end with a period: {doc}", info.name);
        assert!(doc.contains(' ') || doc.len() > 8, "the doc of `{}` is too short: {doc}", info.name);
        let operands: BTreeSet<&str> = info.operands.iter().map(|operand| operand.name).collect();
        assert_eq!(operands.len(), info.operands.len(), "two operands of `{}` have the same name", info.name);
    }
}

#[test]
fn there_are_150_arithmetic_operations() {
    let is_arithmetic = |op: &Op| ["Float", "Int", "Convert", "Vector"].contains(&op.family());
    let count = Op::all().filter(is_arithmetic).count();
    assert!(count >= 150, "{count}");
}

#[test]
fn keys_of_an_operation_are_unique() {
    for op in Op::all() {
        let info = op.info();
        let all: Vec<_> = info.lead.iter().chain(info.need).chain(info.may).collect();
        let unique: BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), all.len(), "`{}` names a key twice", info.name);
    }
}

/// Random operand types that fit. A variadic operation gets one operand more than it names.
fn legal_types(draw: &mut Draw, info: &OpInfo) -> (Vec<ValueType>, Unknowns) {
    let count = info.operands.len() + if info.rest.is_some() { draw.below(3) } else { 0 };
    let mut known = Unknowns::default();
    let mut types = Vec::new();
    for operand in (0..count).filter_map(|at| info.operand(at)) {
        let fits = |ty: &ValueType| operand.constraint.admits(*ty, &mut known.clone());
        let all: Vec<ValueType> = corners::types().into_iter().filter(fits).collect();
        assert!(
            !all.is_empty(),
            "no type fits operand `{}` of `{}` after {types:?}",
            operand.name,
            info.name
        );
        let ty = all[draw.below(all.len())];
        assert!(operand.constraint.admits(ty, &mut known));
        types.push(ty);
    }
    (types, known)
}

fn legal_results(info: &OpInfo, known: Unknowns) -> Vec<ValueType> {
    corners::types().into_iter().filter(|ty| info.result.admits(*ty, &mut known.clone())).collect()
}

#[test]
fn legal_types_are_accepted_and_inference_agrees_with_checking() {
    for op in Op::all() {
        let info = op.info();
        let mut draw = Draw::new(info.name);
        for _ in 0..TYPES_PER_OP {
            let (args, known) = legal_types(&mut draw, info);
            let results = legal_results(info, known);
            assert!(!results.is_empty(), "`{}` yields nothing for {args:?}", info.name);
            for &ty in &results {
                assert_eq!(info.check(ty, &args), Ok(()), "`{}` {args:?} -> {ty}", info.name);
            }
            if let Some(ty) = info.infer(&args) {
                assert_eq!(results, [ty], "`{}` {args:?}", info.name);
            }
            for ty in corners::types().into_iter().filter(|ty| !results.contains(ty)) {
                let refused = matches!(info.check(ty, &args), Err(SignatureError::Result { .. }));
                assert!(refused, "`{}` {args:?} -> {ty} is accepted", info.name);
            }
        }
    }
}

#[test]
fn every_operand_rejects_some_type() {
    for op in Op::all() {
        let info = op.info();
        let mut draw = Draw::new(info.name);
        let (args, _) = legal_types(&mut draw, info);
        for at in 0..args.len() {
            let refused = corners::types().into_iter().any(|ty| {
                let mut args = args.clone();
                args[at] = ty;
                // An illegal operand may be reported at a later operand with the constraint `same`, but not at an earlier one.
                matches!(info.check(ValueType::Void, &args), Err(SignatureError::Operand { at: found, .. }) if found >= at)
            });
            assert!(refused, "operand {at} of `{}` takes anything", info.name);
        }
        if !args.is_empty() && info.rest.is_none() {
            assert!(matches!(info.check(ValueType::Void, &args[1..]), Err(SignatureError::Count { .. })));
            let more = [&args[..], &args[..1]].concat();
            assert!(matches!(info.check(ValueType::Void, &more), Err(SignatureError::Count { .. })));
        }
    }
}

/// `true` if the instruction determines the shape of its result, so that most admitted types do not fit.
fn shape_of_result_is_free(op: Op) -> bool {
    ["vec", "repack"].contains(&op.name())
}

#[test]
fn evaluation_is_total() {
    for op in Op::all().filter(|op| op.info().meaning.is_some()) {
        let info = op.info();
        let mut draw = Draw::new(info.name);
        for _ in 0..TYPES_PER_OP {
            let (types, known) = legal_types(&mut draw, info);
            for ty in legal_results(info, known) {
                if shape_of_result_is_free(op) && !fits_in_shape(op, ty, &types) {
                    continue;
                }
                for _ in 0..VALUES_PER_TYPES / 10 {
                    let args: Vec<Bits> = types.iter().map(|&ty| draw.value(ty)).collect();
                    let got = info.eval(ty, &args);
                    assert_eq!(got.map(|bits| bits.ty()), Some(ty), "`{}` {args:?}", info.name);
                }
            }
        }
    }
}

fn fits_in_shape(op: Op, ty: ValueType, types: &[ValueType]) -> bool {
    let bits = |ty: &ValueType| ty.width().map_or(0, Width::bits) * u32::from(ty.components());
    let given: u32 = types.iter().map(bits).sum();
    given == bits(&ty) && (op.name() == "repack" || types.iter().all(|arg| arg.width() == ty.width()))
}

/// Operations with this property and an evaluator.
fn ops_with(prop: Props) -> impl Iterator<Item = Op> {
    Op::all().filter(move |op| op.props().has(prop) && op.info().meaning.is_some())
}

/// The result of the operation, whose type must follow from the operands.
fn eval(info: &OpInfo, args: &[Bits]) -> Bits {
    let types: Vec<ValueType> = args.iter().map(Bits::ty).collect();
    let ty = info
        .infer(&types)
        .unwrap_or_else(|| panic!("the result of `{}` does not follow from {types:?}", info.name));
    info.eval(ty, args).unwrap_or_else(|| panic!("`{}` has no value for {args:?}", info.name))
}

/// Calls `f` with operands that fit the operation: corner cases and random values.
fn with_operands(op: Op, mut f: impl FnMut(&[Bits])) {
    let info = op.info();
    let mut draw = Draw::new(info.name);
    for _ in 0..TYPES_PER_OP {
        let (types, _) = legal_types(&mut draw, info);
        for _ in 0..VALUES_PER_TYPES {
            let args: Vec<Bits> = types.iter().map(|&ty| draw.value(ty)).collect();
            f(&args);
        }
    }
}

#[test]
fn commutative_operations_commute() {
    for op in ops_with(Props::COMMUTATIVE) {
        let info = op.info();
        assert!(
            info.operands.len() >= 2 && info.operands[0].constraint == info.operands[1].constraint,
            "{}",
            info.name
        );
        with_operands(op, |args| {
            let mut swapped = args.to_vec();
            swapped.swap(0, 1);
            assert_eq!(eval(info, args), eval(info, &swapped), "`{}` {args:?}", info.name);
        });
    }
}

#[test]
fn associative_operations_associate() {
    for op in ops_with(Props::ASSOCIATIVE) {
        let info = op.info();
        let mut draw = Draw::new(info.name);
        with_operands(op, |args| {
            let [a, b] = args else { panic!("`{}` has {} operands", info.name, args.len()) };
            let c = draw.value(a.ty());
            let left = eval(info, &[eval(info, &[*a, *b]), c]);
            let right = eval(info, &[*a, eval(info, &[*b, c])]);
            assert_eq!(left, right, "`{}` {a:?} {b:?} {c:?}", info.name);
        });
    }
}

#[test]
fn idempotent_operations_return_their_operand() {
    for op in ops_with(Props::IDEMPOTENT) {
        let info = op.info();
        with_operands(op, |args| {
            assert_eq!(eval(info, &[args[0], args[0]]), args[0], "`{}`", info.name);
        });
    }
}

/// Binary integer operations on 8 bits, as functions of numbers.
fn bytewise(prop: Props) -> impl Iterator<Item = (&'static str, impl Fn(u8, u8) -> u8)> {
    let byte = ValueType::bits(Width::W8, 1);
    ops_with(prop).filter(move |op| op.info().infer(&[byte, byte]) == Some(byte)).filter_map(|op| {
        let info = op.info();
        let Some(Meaning::Componentwise(meaning)) = info.meaning else { return None };
        let cx = vitrine_core::ops::Cx { to: Width::W8, components: 1 };
        let of = |number: u8| Scalar::u(Width::W8, u64::from(number));
        Some((info.name, move |a, b| meaning(&[of(a), of(b)], cx).bits() as u8))
    })
}

#[test]
fn properties_hold_for_every_byte() {
    for (name, f) in bytewise(Props::COMMUTATIVE) {
        for (a, b) in pairs() {
            assert_eq!(f(a, b), f(b, a), "`{name}` {a} {b}");
        }
    }
    for (name, f) in bytewise(Props::IDEMPOTENT) {
        for a in 0..=u8::MAX {
            assert_eq!(f(a, a), a, "`{name}` {a}");
        }
    }
}

#[test]
fn associativity_holds_for_every_three_bytes() {
    for (name, f) in bytewise(Props::ASSOCIATIVE) {
        let table: Vec<u8> = pairs().map(|(a, b)| f(a, b)).collect();
        let f = |a: u8, b: u8| table[usize::from(a) * 256 + usize::from(b)];
        for (a, b) in pairs() {
            for c in 0..=u8::MAX {
                assert!(f(f(a, b), c) == f(a, f(b, c)), "`{name}` {a} {b} {c}");
            }
        }
    }
}

fn pairs() -> impl Iterator<Item = (u8, u8)> {
    (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b)))
}

#[test]
fn properties_hold_for_all_booleans() {
    let all: Vec<Bits> = [0, 1].map(|bit| Bits::from_components(Width::W1, &[bit])).to_vec();
    let types = [ValueType::BOOL; 2];
    for op in
        Op::all().filter(|op| op.info().meaning.is_some() && op.info().infer(&types) == Some(ValueType::BOOL))
    {
        let (info, props) = (op.info(), op.props());
        for (a, b, c) in all.iter().flat_map(|a| all.iter().flat_map(|b| all.iter().map(|c| (*a, *b, *c)))) {
            let f = |a: Bits, b: Bits| eval(info, &[a, b]);
            assert!(!props.has(Props::COMMUTATIVE) || f(a, b) == f(b, a), "{}", info.name);
            assert!(!props.has(Props::ASSOCIATIVE) || f(f(a, b), c) == f(a, f(b, c)), "{}", info.name);
            assert!(!props.has(Props::IDEMPOTENT) || f(a, a) == a, "{}", info.name);
        }
    }
}

#[test]
fn every_operation_is_used_in_a_valid_filetest() {
    let used = used::ops_in_filetests();
    let missing: Vec<&str> = Op::all().filter(|op| !used.contains(op)).map(Op::name).collect();
    assert!(missing.is_empty(), "no filetest uses {missing:?}; add them to filetests/ops");
}

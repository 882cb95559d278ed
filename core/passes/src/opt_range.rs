//! `opt-range`: replaces values by constants where range analysis proves a single possible value.
//!
//! ```text
//!   %2: b32 = const 8
//!   %4: b32 = const 7
//!   loop !0(%0) {                               loop !0(%0) {
//!   ^1(%1: b32):                                ^1(%1: b32):
//!     %3: b1 = ult %1, %2                         %3: b1 = ult %1, %2
//!     if !1 %3 {                                  if !1 %3 {
//!     ^2:                                         ^2:
//!       %5: b32 = umin %1, %4                       %7: b1 = const true
//!       %7: b1 = ule %5, %2               =>        %8: b32 = select %7, %1, %0
//!       %8: b32 = select %7, %5, %0
//! ```
//!
//! Uses the analysis `range`, which takes the branches to a block into account. There are five rewrites:
//!
//! * a value with a single possible value becomes that constant;
//! * a value that always equals one of its operands becomes that operand: redundant bounds (`min`, `max`,
//!   clamps, `fsat`), known signs (`iabs`, `fabs`), masks of zero bits;
//! * of two operations that are equal for the known signs, the cheaper one is used: shifts, divisions and
//!   remainders of non-negative numbers become unsigned, for which there are more rules;
//! * a conversion of a non-negative value that preserves its number becomes unsigned;
//! * the rules of `algebraic` with conditions on values are applied.
//!
//! A bound is kept if the value may be NaN, and a selection between zeros if it may be -0. NIR does part of
//! this in its algebraic rules with conditions such as `is_not_negative`.

use super::pass::PassInfo;
use crate::util::apply_rules::by_facts;
use crate::util::rewrite_each::rewrite_each;
use vitrine_analysis::rules::{Facts, Set};
use vitrine_analysis::{Analyses, Fact, FloatModes, Range};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, ConvertOp, FloatOp, IntOp, Op, Scalar, ValueType};
use vitrine_ir::{Block, Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces values by constants where range analysis proves a single possible value.",
    idempotent: false, // new constants may bound other values
    ..PassInfo::edits("opt-range", opening!("opt_range.rs"), |ed, cx| opt_range(ed, cx.analyses))
};

/// The replacement of an instruction.
enum Replacement {
    Constant(Bits),
    /// An operand, by index.
    Operand(usize),
    /// Another operation on the same operands.
    Op(Op),
}

/// Visits all instructions once. The cost is that of the analysis; both shapes.
pub(super) fn opt_range(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let range = analyses.get::<Range>(ed.module(), ed.id());
    let known = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        if data.args.is_empty() || !data.op.props().pure() {
            return None;
        }
        replacement(ed, &range, data, inst, ed.block_of(inst)?)
    };
    rewrite_each(ed, known, |ed, inst, replacement| match replacement {
        Replacement::Constant(bits) => {
            let data = ed.const_bits(bits);
            ed.rewrite(inst, data, Reason::Note("the ranges of its operands leave one possible value"))
        }
        Replacement::Operand(at) => {
            let Some(&arg) = ed.func().inst(inst).args.get(at) else { return Ok(()) };
            ed.replace(inst, arg, Reason::Note("by their ranges, the result is always this operand"))
        }
        Replacement::Op(op) => {
            let data = InstData { op, ..ed.func().inst(inst).clone() };
            ed.rewrite(inst, data, Reason::Note("its operands are never negative"))
        }
    })?;
    // The rewrites so far preserve values, so the facts remain valid.
    let modes = FloatModes::of(ed.module());
    by_facts(ed, Set::Algebraic, Facts::known(range, modes)).map(|_| ())
}

fn replacement(
    ed: &Editor<'_>,
    range: &Range,
    data: &InstData,
    inst: Inst,
    home: Block,
) -> Option<Replacement> {
    let facts = range.facts(inst);
    if facts.is_empty() || facts.iter().any(|fact| fact.constant().is_none()) {
        return by_components(ed, range, data, home);
    }
    let components: Vec<Scalar> = facts.iter().filter_map(Fact::constant).collect();
    Some(Replacement::Constant(Bits::from_scalars(&components)))
}

/// The replacement that is valid in every component, from the facts of the operands and the branches to the
/// block.
fn by_components(ed: &Editor<'_>, range: &Range, data: &InstData, home: Block) -> Option<Replacement> {
    let ValueType::Bits { width, components } = data.ty else { return None };
    if !BOUNDS.iter().any(|&(op, ..)| data.op == op) && !SIGNS.iter().any(|&(op, _)| data.op == op) {
        return None;
    }
    let facts: Vec<Vec<Fact>> = data
        .args
        .iter()
        .map(|&arg| range.at(arg, home).map_or_else(|| range.facts(arg).to_vec(), |fact| vec![fact]))
        .collect();
    let every = |test: fn(&[&Fact]) -> bool| {
        (0..usize::from(components)).all(|component| {
            let row = facts.iter().map(|arg| arg.get(component).or(arg.first().filter(|_| arg.len() == 1)));
            row.collect::<Option<Vec<&Fact>>>().is_some_and(|row| test(&row))
        })
    };
    // If subnormals are flushed to zero, an operation on one differs from the operand.
    let flushed = matches!(data.op, Op::Float(_)) && FloatModes::of(ed.module()).flushes(width);
    if flushed {
        return None;
    }
    // Only an operand with the result's type can replace it.
    let fits = |at: usize| data.args.get(at).is_some_and(|&arg| ed.func().ty(arg) == data.ty);
    for &(op, at, test) in BOUNDS {
        if data.op == op && fits(at) && every(test) {
            return Some(Replacement::Operand(at));
        }
    }
    SIGNS.iter().find(|&&(op, _)| data.op == op && every(never_negative)).map(|&(_, to)| Replacement::Op(to))
}

/// An operation, the operand that it equals, and the condition.
type Bound = (Op, usize, fn(&[&Fact]) -> bool);

const BOUNDS: &[Bound] = &[
    (Op::Int(IntOp::IMin), 0, |f| matches!(f, [a, b] if a.signed.1 <= b.signed.0)),
    (Op::Int(IntOp::IMin), 1, |f| matches!(f, [a, b] if b.signed.1 <= a.signed.0)),
    (Op::Int(IntOp::IMax), 0, |f| matches!(f, [a, b] if a.signed.0 >= b.signed.1)),
    (Op::Int(IntOp::IMax), 1, |f| matches!(f, [a, b] if b.signed.0 >= a.signed.1)),
    (Op::Int(IntOp::UMin), 0, |f| matches!(f, [a, b] if a.unsigned.1 <= b.unsigned.0)),
    (Op::Int(IntOp::UMin), 1, |f| matches!(f, [a, b] if b.unsigned.1 <= a.unsigned.0)),
    (Op::Int(IntOp::UMax), 0, |f| matches!(f, [a, b] if a.unsigned.0 >= b.unsigned.1)),
    (Op::Int(IntOp::UMax), 1, |f| matches!(f, [a, b] if b.unsigned.0 >= a.unsigned.1)),
    (
        Op::Int(IntOp::IClamp),
        0,
        |f| matches!(f, [x, low, high] if x.signed.0 >= low.signed.1 && x.signed.1 <= high.signed.0),
    ),
    (
        Op::Int(IntOp::UClamp),
        0,
        |f| matches!(f, [x, low, high] if x.unsigned.0 >= low.unsigned.1 && x.unsigned.1 <= high.unsigned.0),
    ),
    (Op::Int(IntOp::IAbs), 0, |f| matches!(f, [a] if a.signed.0 >= 0)),
    // Every bit that may be set is kept by the mask.
    (Op::Int(IntOp::IAnd), 0, |f| matches!(f, [a, b] if (a.zeros | b.ones) & mask(a) == mask(a))),
    (Op::Int(IntOp::IAnd), 1, |f| matches!(f, [a, b] if (b.zeros | a.ones) & mask(a) == mask(a))),
    (Op::Int(IntOp::UMod), 0, |f| matches!(f, [a, b] if a.unsigned.1 < b.unsigned.0)),
    (Op::Int(IntOp::IRem), 0, |f| matches!(f, [a, b] if a.signed.0 >= 0 && a.signed.1 < b.signed.0)),
    (Op::Int(IntOp::IMod), 0, |f| matches!(f, [a, b] if a.signed.0 >= 0 && a.signed.1 < b.signed.0)),
    (Op::Float(FloatOp::FMin), 0, at_most),
    (Op::Float(FloatOp::FNMin), 0, at_most),
    (Op::Float(FloatOp::FMin), 1, |f| matches!(f, [a, b] if at_most(&[b, a]))),
    (Op::Float(FloatOp::FNMin), 1, |f| matches!(f, [a, b] if at_most(&[b, a]))),
    (Op::Float(FloatOp::FMax), 0, at_least),
    (Op::Float(FloatOp::FNMax), 0, at_least),
    (Op::Float(FloatOp::FMax), 1, |f| matches!(f, [a, b] if at_least(&[b, a]))),
    (Op::Float(FloatOp::FNMax), 1, |f| matches!(f, [a, b] if at_least(&[b, a]))),
    (Op::Float(FloatOp::FClamp), 0, within),
    (Op::Float(FloatOp::FNClamp), 0, within),
    (
        Op::Float(FloatOp::FSat),
        0,
        |f| matches!(f, [x] if !x.float.nan && x.float.is_positive() && x.float.high <= 1.0),
    ),
    (Op::Float(FloatOp::FAbs), 0, |f| matches!(f, [x] if !x.float.nan && x.float.is_positive())),
    (Op::Float(FloatOp::FFloor), 0, whole),
    (Op::Float(FloatOp::FCeil), 0, whole),
    (Op::Float(FloatOp::FTrunc), 0, whole),
    (Op::Float(FloatOp::FRound), 0, whole),
    (Op::Float(FloatOp::FRoundEven), 0, whole),
    (Op::Float(FloatOp::FRoundAway), 0, whole),
];

/// Pairs of operations that are equal for non-negative numbers, the preferred one second.
const SIGNS: &[(Op, Op)] = &[
    (Op::Int(IntOp::IShr), Op::Int(IntOp::UShr)),
    (Op::Int(IntOp::IDiv), Op::Int(IntOp::UDiv)),
    (Op::Int(IntOp::IRem), Op::Int(IntOp::UMod)),
    (Op::Int(IntOp::IMod), Op::Int(IntOp::UMod)),
    (Op::Convert(ConvertOp::I2I), Op::Convert(ConvertOp::U2U)),
];

fn mask(fact: &Fact) -> u64 {
    fact.width().mask()
}

/// Every operand that is a number of the width; a shift count is never negative by definition.
fn never_negative(facts: &[&Fact]) -> bool {
    facts.iter().all(|fact| fact.signed.0 >= 0)
}

/// The first is a number, and never greater than the second; the same zero if both may be zero.
fn at_most(facts: &[&Fact]) -> bool {
    let [a, b] = facts else { return false };
    let (a, b) = (&a.float, &b.float);
    !a.nan && (a.high < b.low || (a.high <= b.low && !(a.may_be_zero() && b.minus_zero)))
}

/// The first is a number, and never less than the second; the same zero if both may be zero.
fn at_least(facts: &[&Fact]) -> bool {
    let [a, b] = facts else { return false };
    let (a, b) = (&a.float, &b.float);
    !a.nan && (a.low > b.high || (a.low >= b.high && !(a.minus_zero && b.may_be_zero())))
}

fn within(facts: &[&Fact]) -> bool {
    let [x, low, high] = facts else { return false };
    at_least(&[x, low]) && at_most(&[x, high])
}

/// An integer already; the payload of a NaN is unspecified, but it is kept.
fn whole(facts: &[&Fact]) -> bool {
    matches!(facts, [x] if x.float.whole && !x.float.nan)
}

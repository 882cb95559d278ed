//! `int-to-float`: performs arithmetic on small integers with floats.
//!
//! ```text
//!   %1: b32 = const 255                       %1: b32 = const 255
//!   %2: b32 = iand %0, %1                     %2: b32 = iand %0, %1
//!   %3: b32 = iadd %2, %1              =>     %5: b32 = i2f %2
//!   %4: b1 = ilt %3, %2                       %6: b32 = const 255.0
//!                                             %7: b32 = fadd %5, %6
//!                                             %4: b1 = flt %7, %5
//! ```
//!
//! A 32-bit float represents every integer up to 2^24 exactly. If the operands and the result are known to be
//! within that range (constants, masks, remainders, shifts, conversions from fewer bits, and values computed from
//! them), sums, differences, products, quotients, remainders, minimum, maximum and comparisons are computed on
//! floats with unchanged results; quotients and remainders up to 2^23, by divisors that are not zero, if divisions are
//! rounded correctly. Truncation, floor and powers of two cover the rest. Operands are converted to float and the
//! result back, except that a result used directly as an operand is not converted.
//!
//! With `all` the pass converts every operation that has a float form, for targets without integers; **then larger
//! numbers lose low bits, unsigned ones are treated as signed, and overflow does not wrap**. `vitrine check`
//! reports the differences. Loads, stores, parameters and bitwise operations (`iand`, `ior`, shifts by
//! non-constants) stay integers in either case.
//!
//! Run it before `bool-to-float`. NIR: `nir_lower_int_to_float`, which behaves as `all` and does not check ranges.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::arith::{Arith, build};
use crate::util::ranges::{Range, Ranges};
use crate::util::rewrite_each::{rewrite_each, settle};
use std::cell::RefCell;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, ConvertOp, FloatBuild, IntOp, Op, Scalar, Width};
use vitrine_ir::{Builder, Editor, Inst, InstData, Reason, Refusal};

options! {
    /// The operations that are computed as floats.
    struct Converted {
        choice operations: Operations {
            /// Only if all values are known to be small; results stay exact.
            Known "known",
            /// Wherever a float operation exists; large values lose bits.
            All "all",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Performs arithmetic on small integers with floats.",
    options: Converted::INFO,
    ..PassInfo::edits("int-to-float", opening!("int_to_float.rs"), |ed, cx| {
        int_to_float(ed, Converted::of(cx.options).operations)
    })
};

const WHY: Reason = Reason::Note("small integers are computed as floats");

/// The largest magnitude up to which 32-bit floats represent every integer.
const MAX_EXACT: i64 = 1 << 24;

/// The largest magnitude of operands whose quotient is exact after truncation.
const MAX_DIVIDED: i64 = 1 << 23;

/// Converts integer operations to floats. Linear; idempotent; both shapes.
fn int_to_float(ed: &mut Editor<'_>, which: Operations) -> Result<(), Refusal> {
    if !FloatModes::of(ed.module()).are_usual() {
        return Ok(());
    }
    let ranges = Ranges::of(ed);
    let is_chosen = |inst: Inst| match which {
        Operations::Known => is_small(ed, &ranges, inst),
        Operations::All => true,
    };
    let chosen: EntitySet<Inst> = crate::util::open::insts_in_order(ed.func())
        .into_iter()
        .filter(|&inst| has_float_form(ed, ed.func().inst(inst)) && is_chosen(inst))
        .collect();
    // Integers converted from floats by this pass.
    let floats: RefCell<EntitySet<Inst>> = RefCell::new(EntitySet::new());
    let is_chosen = |_: &Editor<'_>, inst: Inst| chosen.contains(inst).then_some(());
    rewrite_each(ed, is_chosen, |ed, inst, ()| lower(ed, inst, &floats))
}

fn is_small(ed: &Editor<'_>, ranges: &Ranges, inst: Inst) -> bool {
    let small = |range: Option<Range>| range.is_some_and(|(min, max)| min >= -MAX_EXACT && max <= MAX_EXACT);
    let data = ed.func().inst(inst);
    let result = data.ty.width() == Some(Width::W1) || small(ranges.get(inst));
    let positive = |arg: &Inst| ranges.get(*arg).is_some_and(|(min, _)| min >= 0);
    let is_sign_safe = !is_unsigned(data.op) || data.args.iter().all(positive);
    // A quotient is rounded and could become the next integer n. Below n, floats are at most n / 2^23 apart, and the
    // quotient a / b is at least 1 / b below n: more than half of that distance, since n * b < |a| + |b| <= 2^24.
    let is_division =
        matches!(data.op, Op::Int(IntOp::IDiv | IntOp::UDiv | IntOp::IRem | IntOp::UMod | IntOp::IMod));
    let is_division_safe =
        |arg: &Inst| ranges.get(*arg).is_some_and(|(min, max)| min >= -MAX_DIVIDED && max <= MAX_DIVIDED);
    let not_zero =
        || ranges.get(*data.args.get(1).unwrap_or(&inst)).is_some_and(|(min, max)| min > 0 || max < 0);
    result
        && is_sign_safe
        && data.args.iter().all(|&arg| small(ranges.get(arg)))
        && (!is_division || (data.args.iter().all(is_division_safe) && not_zero()))
}

fn is_unsigned(op: Op) -> bool {
    matches!(
        op,
        Op::Int(
            IntOp::UDiv
                | IntOp::UMod
                | IntOp::UMin
                | IntOp::UMax
                | IntOp::ULt
                | IntOp::UGt
                | IntOp::ULe
                | IntOp::UGe
        )
    )
}

/// Returns true if an operation on 32-bit integers has a float form.
fn has_float_form(ed: &Editor<'_>, data: &InstData) -> bool {
    let word = |arg: &Inst| ed.func().ty(*arg).width() == Some(Width::W32);
    let form = match data.op {
        Op::Int(op) => matches!(
            op,
            IntOp::IAdd
                | IntOp::ISub
                | IntOp::IMul
                | IntOp::INeg
                | IntOp::IAbs
                | IntOp::ISign
                | IntOp::IDiv
                | IntOp::UDiv
                | IntOp::IRem
                | IntOp::UMod
                | IntOp::IMod
                | IntOp::IMin
                | IntOp::IMax
                | IntOp::UMin
                | IntOp::UMax
                | IntOp::IEq
                | IntOp::INe
                | IntOp::ILt
                | IntOp::IGt
                | IntOp::ILe
                | IntOp::IGe
                | IntOp::ULt
                | IntOp::UGt
                | IntOp::ULe
                | IntOp::UGe
        ),
        _ => false,
    };
    form && data.args.iter().all(word)
}

fn lower(ed: &mut Editor<'_>, inst: Inst, floats: &RefCell<EntitySet<Inst>>) -> Result<(), Refusal> {
    let start = ed.index_of(inst).unwrap_or(0);
    let lowered = build(ed, inst, WHY, |b, data| {
        let Op::Int(op) = data.op else { return None };
        let args: Vec<Inst> = data.args.iter().map(|&arg| float_of(b, arg, floats)).collect();
        let value = on_floats(b, op, &args)?;
        if data.ty.width() == Some(Width::W1) {
            return Some(value);
        }
        let truncated = b.to(ConvertOp::F2I, Width::W32, value);
        Some(truncated)
    })?;
    let Some(value) = lowered else { return Ok(()) };
    let is_number = ed.func().inst(value).op == Op::Convert(ConvertOp::F2I);
    settle(ed, inst, start, value, WHY)?;
    if is_number {
        floats.borrow_mut().insert(inst);
    }
    Ok(())
}

/// Returns an integer as a float: the one that it was converted from, if known.
fn float_of(b: &mut Builder<'_, '_>, value: Inst, floats: &RefCell<EntitySet<Inst>>) -> Inst {
    if let Some(bits) = b.editor().bits_of(value) {
        let components: Vec<Scalar> = bits.scalars().map(|component| component.i2f(Width::W32)).collect();
        return Arith::constant(b, Bits::from_scalars(&components));
    }
    let source = b.editor().func().inst(value).args.first().copied();
    match source.filter(|_| floats.borrow().contains(value)) {
        Some(float) => float,
        None => b.to(ConvertOp::I2F, Width::W32, value),
    }
}

fn on_floats(b: &mut Builder<'_, '_>, op: IntOp, args: &[Inst]) -> Option<Inst> {
    Some(match (op, args) {
        (IntOp::IAdd, &[x, y]) => b.fadd(x, y),
        (IntOp::ISub, &[x, y]) => b.fsub(x, y),
        (IntOp::IMul, &[x, y]) => b.fmul(x, y),
        (IntOp::INeg, &[x]) => b.fneg(x),
        (IntOp::IAbs, &[x]) => b.fabs(x),
        (IntOp::ISign, &[x]) => b.fsign(x),
        (IntOp::IMin | IntOp::UMin, &[x, y]) => b.fmin(x, y),
        (IntOp::IMax | IntOp::UMax, &[x, y]) => b.fmax(x, y),
        (IntOp::IDiv | IntOp::UDiv, &[x, y]) => {
            let ratio = b.fdiv(x, y);
            b.ftrunc(ratio)
        }
        (IntOp::IRem | IntOp::UMod, &[x, y]) => {
            let ratio = b.fdiv(x, y);
            let whole = b.ftrunc(ratio);
            let part = b.fmul(whole, y);
            b.fsub(x, part)
        }
        (IntOp::IMod, &[x, y]) => {
            let ratio = b.fdiv(x, y);
            let whole = b.ffloor(ratio);
            let part = b.fmul(whole, y);
            b.fsub(x, part)
        }
        (IntOp::IEq, &[x, y]) => b.feq(x, y),
        (IntOp::INe, &[x, y]) => b.fneu(x, y),
        (IntOp::ILt | IntOp::ULt, &[x, y]) => b.flt(x, y),
        (IntOp::IGt | IntOp::UGt, &[x, y]) => b.fgt(x, y),
        (IntOp::ILe | IntOp::ULe, &[x, y]) => b.fle(x, y),
        (IntOp::IGe | IntOp::UGe, &[x, y]) => b.fge(x, y),
        _ => return None,
    })
}

//! `comparison-pre`: replaces a comparison of two floats that are also subtracted by a comparison of the
//! difference with zero.
//!
//! ```text
//!   %2: b1 = flt %0, %1                       %3: b32 = fsub %1, %0
//!   if !0 %2 {                                %5: b32 = const 0.0
//!   ^1:                                =>     %2: b1 = flt %5, %3
//!     %3: b32 = fsub %1, %0                   if !0 %2 {
//! ```
//!
//! Saves the comparison on targets where comparing with zero is free. The difference of two floats is below zero
//! exactly if the first is less: subnormals keep it from vanishing, an overflow keeps its sign, and equal
//! infinities give NaN, which is not less than zero, as equal infinities are not less than each other. So the pass
//! rewrites `flt` and `fgt`; `fle`, `fge`, `feq` and `fneu` only with `ninf`, since equal infinities are equal.
//!
//! The difference may be computed on only some of the paths after the comparison. Left alone: `exact` on either
//! instruction, integers (their differences wrap), and everything if execution modes flush subnormals. Run it
//! before a `peephole-select` with a small limit and after all others.
//!
//! NIR: `nir_opt_comparison_pre`.

use super::pass::PassInfo;
use crate::util::scopes::Scopes;
use vitrine_analysis::{Analyses, FloatModes};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, Flags, FloatOp, Op, ValueType};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Reason, Refusal, Use};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces a comparison by one with zero if the difference is computed anyway.",
    ..PassInfo::edits("comparison-pre", opening!("comparison_pre.rs"), |ed, cx| {
        comparison_pre(ed, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("the difference is computed anyway");

/// Maximum number of uses of a value that are searched for a difference.
const MAX_USES: usize = 64;

/// Compares differences. Near-linear; idempotent; both shapes.
pub(super) fn comparison_pre(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !FloatModes::of(ed.module()).are_usual() {
        return Ok(());
    }
    let scopes = Scopes::of(ed, analyses);
    for &block in scopes.order() {
        for &inst in ed.func().block(block).insts.clone().iter() {
            if !is_comparison(ed.func().inst(inst)) {
                continue;
            }
            let Some(difference) = difference(ed, &scopes, inst) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            compare(ed, inst, difference)?;
        }
    }
    Ok(())
}

fn is_comparison(data: &InstData) -> bool {
    let strict = matches!(data.op, Op::Float(FloatOp::FLt | FloatOp::FGt));
    let finite = matches!(data.op, Op::Float(FloatOp::FLe | FloatOp::FGe | FloatOp::FEq | FloatOp::FNeu));
    (strict || (finite && data.flags.has(Flags::NINF))) && !data.flags.has(Flags::EXACT)
}

/// Returns the first difference of the two operands that the comparison dominates.
fn difference(ed: &mut Editor<'_>, scopes: &Scopes, inst: Inst) -> Option<Inst> {
    let &[a, b] = &ed.func().inst(inst).args[..] else { return None };
    let comparison_block = ed.block_of(inst)?;
    if a == b || ed.bits_of(a).is_some() || ed.bits_of(b).is_some() {
        return None;
    }
    let fewer = if ed.use_count(a) <= ed.use_count(b) { a } else { b };
    let users: Vec<Inst> = ed
        .uses(fewer)
        .take(MAX_USES)
        .filter_map(|place| match place {
            Use::Arg(user, _) => Some(user),
            Use::Terminator(..) | Use::Node(_) => None,
        })
        .collect();
    let here = ed.index_of(inst)?;
    let mut found: Option<(u32, usize, Inst)> = None;
    for user in users {
        let data = ed.func().inst(user);
        let same = data.args[..] == [a, b] || data.args[..] == [b, a];
        if data.op != Op::Float(FloatOp::FSub) || !same || data.flags.has(Flags::EXACT) {
            continue;
        }
        let Some(block) = ed.block_of(user).filter(|&block| scopes.covers(comparison_block, block)) else {
            continue;
        };
        let Some(at) = ed.index_of(user).filter(|&at| block != comparison_block || at > here) else {
            continue;
        };
        let depth = u32::from(block != comparison_block);
        if found.is_none_or(|(best_depth, best, _)| (depth, at) < (best_depth, best)) {
            found = Some((depth, at, user));
        }
    }
    found.map(|(_, _, user)| user)
}

/// Moves a difference before a comparison, and compares it with zero.
fn compare(ed: &mut Editor<'_>, inst: Inst, difference: Inst) -> Result<(), Refusal> {
    let data = ed.func().inst(inst).clone();
    let args = ed.func().inst(difference).args.clone();
    let ValueType::Bits { width, components } = ed.func().ty(difference) else { return Ok(()) };
    ed.move_to(difference, InsertPoint::Before(inst), WHY)?;
    let zero = ed.const_bits(Bits::zero(width, components));
    let zero = ed.insert(InsertPoint::Before(inst), zero, WHY)?;
    // `a < b` is `a - b < 0`, and `0 < b - a`.
    let args = if args == data.args { [difference, zero] } else { [zero, difference] };
    let mut new = InstData::new(data.op, data.ty, &args).flagged(data.flags);
    new.attrs = data.attrs;
    ed.rewrite(inst, new, WHY)
}

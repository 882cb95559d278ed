//! `discard-to-demote`: replaces discards by demotion: the invocation continues as a helper.
//!
//! ```text
//!   if !0 %0 {                                if !0 %0 {
//!   ^1:                                       ^1:
//!     stop discard                              io.demote
//!   } else {                             =>     next
//!   ^2:                                       } else {
//!     next                                    ^2:
//!   }                                           next
//!   io.discard_if %1                          }
//!                                             io.demote_if %1
//! ```
//!
//! This is the meaning of `discard` in HLSL and WGSL: later derivatives are defined, because the invocation still
//! computes the values that its neighbors need, and none of its writes are visible. The visible results are
//! unchanged, except that the invocation counts as demoted. A block that discarded now falls out of its region,
//! passing zeros; inside a loop, or if a passed value is not a number, it returns instead, so that it does not
//! loop forever. `io.terminate_if` and `stop terminate` are meant to end the invocation and are unchanged.
//!
//! Left alone: `stop discard` in a function whose result is an address or a resource. A loop whose only exit was a
//! discard does not terminate for a demoted invocation, as in those languages; this also holds for loops of the
//! caller.
//!
//! NIR: `nir_lower_discard_or_demote`, `nir_lower_terminate_to_demote`.

use super::pass::PassInfo;
use crate::util::lcssa::to_lcssa;
use crate::util::open::in_order;
use vitrine_analysis::Analyses;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, IoOp, Op, ValueType};
use vitrine_ir::{
    Block, Editor, InsertPoint, Inst, InstData, NodeKind, Reason, Refusal, Region, Stage, Stop, Terminator,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces discards by demotion: the invocation continues as a helper.",
    stages: &[Stage::Fragment],
    ..PassInfo::edits("discard-to-demote", opening!("discard_to_demote.rs"), |ed, cx| {
        discard_to_demote(ed, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("a discarded invocation continues as a helper");

/// Replaces every form of discard. Linear, times the nesting depth of the stops; idempotent; both shapes.
pub(super) fn discard_to_demote(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let stops = |block: Block| matches!(ed.func().terminator(block), Terminator::Stop(Stop::Discard));
    if ed.func().blocks_in_order().into_iter().any(stops) {
        // The invocation now continues after the `if`, where values computed in the other arm are not always
        // available.
        to_lcssa(ed, analyses)?;
    }
    for block in in_order(ed.func()) {
        for &inst in ed.func().block(block).insts.clone().iter() {
            let data = ed.func().inst(inst);
            if data.op == Op::Io(IoOp::DiscardIf) && ed.consume_fuel() {
                let data = InstData { op: Op::Io(IoOp::DemoteIf), ..ed.func().inst(inst).clone() };
                ed.rewrite(inst, data, WHY)?;
            }
        }
        if matches!(ed.func().terminator(block), Terminator::Stop(Stop::Discard)) {
            stop(ed, block)?;
        }
    }
    Ok(())
}

/// Replaces the discard of a block by a demotion, after which the block continues.
fn stop(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let passed = fallthrough_types(ed, block);
    let result = ed.func().result();
    if passed.is_none() && !matches!(result, ValueType::Void | ValueType::Bits { .. }) || !ed.consume_fuel() {
        return Ok(());
    }
    ed.insert(InsertPoint::End(block), InstData::new(IoOp::Demote, ValueType::Void, &[]), WHY)?;
    let terminator = match passed {
        Some(types) => {
            let args = types.into_iter().map(|ty| zero(ed, block, ty)).collect::<Result<Vec<_>, _>>()?;
            Terminator::Next(args.into_iter().flatten().collect())
        }
        None => Terminator::Return(zero(ed, block, result)?),
    };
    ed.set_terminator(block, terminator, WHY)
}

/// Returns the types of the values that a block passes when it falls out of its region, if it may.
fn fallthrough_types(ed: &Editor<'_>, block: Block) -> Option<Vec<ValueType>> {
    let region = ed.region_of(block)?;
    let owner = ed.owner_of(region)?;
    let mut outer: Option<Region> = Some(region);
    while let Some(node) = outer.and_then(|region| ed.owner_of(region)) {
        if matches!(ed.func().node(node).kind, NodeKind::Loop { .. }) {
            return None;
        }
        outer = ed.block_before(node).and_then(|before| ed.region_of(before));
    }
    let after = ed.block_after(owner)?;
    let types: Vec<ValueType> =
        ed.func().block(after).params.iter().map(|&param| ed.func().ty(param)).collect();
    types.iter().all(|ty| matches!(ty, ValueType::Bits { .. })).then_some(types)
}

/// Inserts a zero of a type at the end of a block.
fn zero(ed: &mut Editor<'_>, block: Block, ty: ValueType) -> Result<Option<Inst>, Refusal> {
    let ValueType::Bits { width, components } = ty else { return Ok(None) };
    let data = ed.const_bits(Bits::zero(width, components));
    ed.insert(InsertPoint::End(block), data, WHY).map(Some)
}

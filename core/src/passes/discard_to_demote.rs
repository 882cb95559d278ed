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
//! What `discard` means in HLSL and WGSL: derivatives further down are defined, since the invocation still computes what its
//! neighbours ask for, and nothing it writes is seen. So what others see stays, but that the invocation is called demoted.
//! An invocation that stopped falls out of its region, handing on zeros; in a loop, or where what is handed on is no number,
//! it returns instead, so that it does not go round for ever. `io.terminate_if` and `stop terminate` mean to end the
//! invocation and stay.
//!
//! Left alone: `stop discard` in a function whose result is an address or a resource. A loop that only discarding ever
//! left has no end for such an invocation, as in those languages: a helper goes round in it, also where it is the caller's.
//!
//! NIR: `nir_lower_discard_or_demote`, `nir_lower_terminate_to_demote`.

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{
    Block, Editor, InsertPoint, Inst, InstData, NodeKind, Reason, Refusal, Region, Stage, Stop, Terminator,
};
use crate::ops::{Bits, IoOp, Op, ValueType};
use crate::passes::util::lcssa::to_lcssa;
use crate::passes::util::open::in_order;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces discards by demotion: the invocation continues as a helper.",
    stages: &[Stage::Fragment],
    ..PassInfo::edits("discard-to-demote", opening!("discard_to_demote.rs"), |ed, _| discard_to_demote(ed))
};

const WHY: Reason = Reason::Note("a discarded invocation continues as a helper");

/// Replaces every way to discard. Linear, times the depth of what stops; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn discard_to_demote(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let stops = |block: Block| matches!(ed.func().terminator(block), Terminator::Stop(Stop::Discard));
    if ed.func().blocks_in_order().into_iter().any(stops) {
        // Behind a choice that an invocation only goes on from now, what the other arm computed is not always there.
        to_lcssa(ed)?;
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

/// Lets a block that discards demote and go on.
fn stop(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let handed = falls(ed, block);
    let result = ed.func().result();
    if handed.is_none() && !matches!(result, ValueType::Void | ValueType::Bits { .. }) || !ed.consume_fuel() {
        return Ok(());
    }
    ed.insert(InsertPoint::End(block), InstData::new(IoOp::Demote, ValueType::Void, &[]), WHY)?;
    let exit = match handed {
        Some(types) => {
            let args = types.into_iter().map(|ty| zero(ed, block, ty)).collect::<Result<Vec<_>, _>>()?;
            Terminator::Next(args.into_iter().flatten().collect())
        }
        None => Terminator::Return(zero(ed, block, result)?),
    };
    ed.set_terminator(block, exit, WHY)
}

/// The types of what a block hands on where it falls out of its region, if it may.
fn falls(ed: &Editor<'_>, block: Block) -> Option<Vec<ValueType>> {
    let region = ed.region_of(block)?;
    let owner = ed.owner_of(region)?;
    let mut around: Option<Region> = Some(region);
    while let Some(node) = around.and_then(|region| ed.owner_of(region)) {
        if matches!(ed.func().node(node).kind, NodeKind::Loop { .. }) {
            return None;
        }
        around = ed.block_before(node).and_then(|before| ed.region_of(before));
    }
    let after = ed.block_after(owner)?;
    let types: Vec<ValueType> =
        ed.func().block(after).params.iter().map(|&param| ed.func().ty(param)).collect();
    types.iter().all(|ty| matches!(ty, ValueType::Bits { .. })).then_some(types)
}

/// A zero of a type at the end of a block.
fn zero(ed: &mut Editor<'_>, block: Block, ty: ValueType) -> Result<Option<Inst>, Refusal> {
    let ValueType::Bits { width, components } = ty else { return Ok(None) };
    let data = ed.const_bits(Bits::zero(width, components));
    ed.insert(InsertPoint::End(block), data, WHY).map(Some)
}

//! `if-hoist-common`: hoists instructions that both arms of an `if` compute.
//!
//! ```text
//!   if !0 %0 {                                %2: b32 = imul %1, %1
//!   ^1:                                       if !0 %0 {
//!     %2: b32 = imul %1, %1                   ^1:
//!     %3: b32 = iadd %2, %1                     %3: b32 = iadd %2, %1
//!     next(%3)                          =>      next(%3)
//!   } else {                                  } else {
//!   ^2:                                       ^2:
//!     %4: b32 = imul %1, %1                     next(%2)
//!     next(%4)                                }
//!   }                                       ^3(%5: b32):
//! ^3(%5: b32):                                return %5
//!   return %5
//! ```
//!
//! Considers the first blocks of the arms, one of which is executed on either path, so nothing is computed that
//! was not computed before, division by zero included. The operands of commutative operations may be in any order.
//! Loads are hoisted too if no instruction before them writes memory.
//!
//! Left alone: operations that depend on other invocations, since fewer invocations are active in an arm; stores
//! and other effects; switches; graphs.
//!
//! NIR: `nir_opt_gcm`, and partly `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice};
use crate::util::memory::is_plain;
use crate::util::open::nodes_in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, MemoryOp, Op, Props};
use vitrine_ir::{Args, Editor, InsertPoint, Inst, InstData, Reason, Refusal, Region};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Hoists instructions that both arms of an `if` compute.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-hoist-common", opening!("if_hoist_common.rs"), |ed, _| if_hoist_common(ed))
};

const WHY: Reason = Reason::Note("both arms compute it");

/// Hoists out of arms, inner ones first. `O(instructions · depth)`; idempotent; trees.
pub(super) fn if_hoist_common(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        let Some(choice) = choice(ed, node) else { continue };
        for (kept, duplicate) in common(ed, &choice) {
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(kept, InsertPoint::End(choice.before), WHY)?;
            ed.replace(duplicate, kept, WHY)?;
        }
    }
    Ok(())
}

/// Returns the pairs of equal instructions in both arms, in the order of the first arm.
fn common(ed: &mut Editor<'_>, choice: &Choice) -> Vec<(Inst, Inst)> {
    let mut first: FxHashMap<InstData, Vec<Inst>> = FxHashMap::default();
    let mut movable: FxHashSet<Inst> = FxHashSet::default();
    let end = InsertPoint::End(choice.before);
    for inst in candidates(ed, choice.then) {
        let data = ed.func().inst(inst).clone();
        if data.args.iter().all(|arg| movable.contains(arg) || ed.is_visible(*arg, end)) {
            movable.insert(inst);
            first.entry(ordered(data)).or_default().push(inst);
        }
    }
    if first.is_empty() {
        return Vec::new();
    }
    let mut duplicates: FxHashMap<Inst, Inst> = FxHashMap::default();
    let mut by_kept: FxHashMap<Inst, Inst> = FxHashMap::default();
    for inst in candidates(ed, choice.els) {
        let data = ed.func().inst(inst);
        let rewritten = InstData {
            args: data.args.map(|arg| duplicates.get(&arg).copied().unwrap_or(arg)),
            ..data.clone()
        };
        // An instruction that each arm computes twice forms two pairs.
        if let Some(kept) = first.get_mut(&ordered(rewritten)).and_then(Vec::pop) {
            duplicates.insert(inst, kept);
            by_kept.insert(kept, inst);
        }
    }
    let head = ed.func().region(choice.then).head;
    let insts = ed.func().block(head).insts.clone();
    insts.iter().filter_map(|&kept| Some((kept, *by_kept.get(&kept)?))).collect()
}

/// An instruction with the operands of a commutative operation in order: `iadd %1, %0` equals `iadd %0, %1`.
fn ordered(data: InstData) -> InstData {
    match data.args[..] {
        [a, b, ref rest @ ..] if b < a && data.op.props().has(Props::COMMUTATIVE) => {
            let args: Vec<Inst> = [b, a].into_iter().chain(rest.iter().copied()).collect();
            InstData { args: Args::new(&args), ..data }
        }
        _ => data,
    }
}

/// Returns the instructions of an arm that may be computed before it, considering only this arm.
fn candidates(ed: &Editor<'_>, arm: Region) -> Vec<Inst> {
    let head = ed.func().region(arm).head;
    let mut writes = false;
    let mut found = Vec::new();
    for &inst in ed.func().block(head).insts.iter() {
        let data = ed.func().inst(inst);
        let props = data.op.props();
        let is_load = data.op == Op::Memory(MemoryOp::Load) && is_plain(data) && !writes;
        let is_pure = props.pure()
            && !props.has(Props::NEEDS_HELPERS)
            && !matches!(data.op, Op::Spirv(_) | Op::Basic(BasicOp::Param));
        if data.has_result() && (is_load || is_pure) {
            found.push(inst);
        }
        writes |= !props.removable();
    }
    found
}

//! `opt-sink`: sinks instructions into the only arm that uses them.
//!
//! ```text
//!   %2: b32 = fsqrt %1                        if !0 %0 {
//!   if !0 %0 {                                ^1:
//!   ^1:                                         %2: b32 = fsqrt %1
//!     next(%2)                         =>       next(%2)
//!   } else {                                  } else {
//!   ^2:                                       ^2:
//!     next(%1)                                  next(%1)
//! ```
//!
//! An instruction moves to the start of the lowest block that dominates all its uses, but never into a loop. In
//! a graph it may move out of a loop; in a tree a value leaves a loop only as a block parameter, so there is
//! nothing to do. Operands follow their users. No instruction is computed on more paths than before, so
//! divisions may move too.
//!
//! Unchanged: instructions with side effects, memory reads, or communication between invocations; parameters.
//!
//! Run it after `licm` and `cse`, which move in the opposite direction; use only one of `opt-sink`, `gcm` and
//! `licm` per optimization level.
//!
//! NIR: `nir_opt_sink`.

use super::pass::PassInfo;
use crate::util::scopes::Scopes;
use crate::util::speculate::may_move;
use vitrine_analysis::{Analyses, Loops};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Sinks instructions into the only arm that uses them.",
    ..PassInfo::edits("opt-sink", opening!("opt_sink.rs"), |ed, cx| opt_sink(ed, cx.analyses))
};

const WHY: Reason = Reason::Note("it has no earlier use");

/// Moves instructions to their uses. `O(uses · log blocks)`; idempotent; both shapes.
pub(super) fn opt_sink(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let scopes = Scopes::of(ed, analyses);
    let loops = analyses.get::<Loops>(ed.module(), ed.id());
    for &block in scopes.order().iter().rev() {
        // Users come after their operands in order: they have been moved already.
        for &inst in ed.func().block(block).insts.clone().iter().rev() {
            if !may_move(ed.func().inst(inst)) {
                continue;
            }
            let Some(target) = target(ed, &scopes, &loops, block, inst) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(inst, InsertPoint::Start(target), WHY)?;
        }
    }
    Ok(())
}

/// The lowest block that dominates all uses, if it is not the instruction's own.
fn target(ed: &Editor<'_>, scopes: &Scopes, loops: &Loops, home: Block, inst: Inst) -> Option<Block> {
    let mut at = scopes.of_readers(ed, inst).filter(|&at| at != home && scopes.covers(home, at))?;
    // Up again until every enclosing loop also contains the instruction.
    while let Some(inner) = loops.innermost(at).filter(|&inner| !loops.contains(inner, home)) {
        at = scopes.above(loops.header(inner)).filter(|&up| scopes.covers(home, up))?;
        // Loops with several entry blocks are skipped.
        if loops.is_irreducible(inner) {
            return None;
        }
    }
    (at != home).then_some(at)
}

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
//! An instruction goes to the start of the block that sees all its readers and is nearest to them, never into a loop
//! that it was not in. Out of a loop it goes where a graph lets it; in a tree what leaves a loop leaves it by
//! parameters, and nothing has to be done. Operands follow those that read them. Nothing is computed on more ways than
//! before, so divisions may move.
//!
//! Left alone: what has effects, reads memory, or looks at other components; parameters.
//!
//! After `licm` and `cse`, which move the other way; of `opt-sink`, `gcm` and `licm` take one policy a level.
//!
//! NIR: `nir_opt_sink`.

use super::pass::PassInfo;
use crate::analysis::{Cfg, Loops};
use crate::base::opening::opening;
use crate::ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal};
use crate::passes::util::scopes::Scopes;
use crate::passes::util::speculate::may_move;
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Sinks instructions into the only arm that uses them.",
    ..PassInfo::edits("opt-sink", opening!("opt_sink.rs"), |ed, _| opt_sink(ed))
};

const WHY: Reason = Reason::Note("nothing reads it earlier");

/// Moves instructions to their readers. `O(uses · log blocks)`; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn opt_sink(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let scopes = Scopes::of(ed.func());
    let cfg = Rc::new(Cfg::of(ed.func()));
    let loops = Loops::of(ed.func(), &cfg);
    for &block in scopes.order().iter().rev() {
        // Readers stand behind what they read: they have gone where they go.
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

/// The block below its own in which all read it, if there is one.
fn target(ed: &Editor<'_>, scopes: &Scopes, loops: &Loops, home: Block, inst: Inst) -> Option<Block> {
    let mut at = scopes.of_readers(ed, inst).filter(|&at| at != home && scopes.covers(home, at))?;
    // Up again until every loop around is one around the instruction.
    while let Some(inner) = loops.innermost(at).filter(|&inner| !loops.contains(inner, home)) {
        at = scopes.above(loops.header(inner)).filter(|&up| scopes.covers(home, up))?;
        // A loop that is entered at several blocks is no place to reason about.
        if loops.is_irreducible(inner) {
            return None;
        }
    }
    (at != home).then_some(at)
}

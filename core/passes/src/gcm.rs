//! `gcm`: global code motion: moves instructions out of loops, then close to their uses.
//!
//! ```text
//!   loop !0(%0) {                             %4: b32 = imul %1, %1
//!   ^1(%3: b32):                              loop !0(%0) {
//!     %4: b32 = imul %1, %1                   ^1(%3: b32):
//!     %5: b32 = iadd %3, %4                     %5: b32 = iadd %3, %4
//!     if !1 %2 {                       =>       if !1 %2 {
//!     ^2:                                       ^2:
//!       %6: b32 = iadd %5, %5                     %6: b32 = iadd %5, %5
//! ```
//!
//! After Click, "Global code motion, global value numbering" (1995): the *late* block of an instruction is the
//! lowest one that dominates all its uses, the *early* block is the lowest one that computes an operand. Of the
//! blocks between them, one inside the fewest loops is chosen, and of those the lowest.
//!
//! Pinned, and so moved neither up nor down: side effects, memory reads, operations that depend on other
//! invocations. The others can always move down; they move up only if they may be executed speculatively (see
//! `licm`: no division by a value that may be zero). In a tree a value is moved only to blocks from which it is
//! visible, so not out of a continuing region into the body. Value numbering is done by `cse`, which runs before.
//!
//! NIR: `nir_opt_gcm` without its own value numbering.

use super::pass::PassInfo;
use crate::util::scopes::Scopes;
use crate::util::speculate::may_move;
use crate::util::speculate::may_speculate;
use vitrine_analysis::{Analyses, Loops};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Global code motion: moves instructions out of loops, then close to their uses.",
    ..PassInfo::edits("gcm", opening!("gcm.rs"), |ed, cx| gcm(ed, cx.analyses))
};

/// Maximum number of iterations over the function; usually one, and a second to confirm the fixed point.
const MAX_ITERATIONS: usize = 16;

/// Schedules a function. `O(uses · log blocks + instructions · depth of loops)`; idempotent; both shapes.
pub(super) fn gcm(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let scopes = Scopes::of(ed, analyses);
    let loops = analyses.get::<Loops>(ed.module(), ed.id());
    // Moving operands out of a loop and below it may allow their users to move.
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        hoist(ed, &scopes, &loops)?;
        lower(ed, &scopes, &loops)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// Moves instructions out of loops, operands before users.
fn hoist(ed: &mut Editor<'_>, scopes: &Scopes, loops: &Loops) -> Result<(), Refusal> {
    for &block in scopes.order() {
        for &inst in ed.func().block(block).insts.clone().iter() {
            let data = ed.func().inst(inst);
            if !may_move(data) || !may_speculate(ed, data) {
                continue;
            }
            let early = early(ed, scopes, inst);
            let target = outermost(scopes, loops, block, early);
            if target == block {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(
                inst,
                InsertPoint::End(target),
                Reason::Note("it is computed less often outside of the loop"),
            )?;
        }
    }
    Ok(())
}

/// Returns the lowest block that computes an operand; none if all are available from the start.
fn early(ed: &Editor<'_>, scopes: &Scopes, inst: Inst) -> Option<Block> {
    let blocks = ed.func().inst(inst).args.iter().filter_map(|&arg| ed.block_of(arg));
    blocks.reduce(|a, b| if scopes.covers(a, b) { b } else { a })
}

/// Returns the dominating block that is inside the fewest loops and is dominated by the block of the operands.
fn outermost(scopes: &Scopes, loops: &Loops, from: Block, early: Option<Block>) -> Block {
    let (mut best, mut at) = (from, from);
    while let Some(inner) = loops.innermost(at) {
        if loops.is_irreducible(inner) || early.is_some_and(|early| loops.contains(inner, early)) {
            break;
        }
        let up = scopes.above(loops.header(inner));
        let Some(up) = up.filter(|&up| early.is_none_or(|early| scopes.covers(early, up))) else { break };
        at = up;
        if loops.block_depth(at) < loops.block_depth(best) {
            best = at;
        }
    }
    best
}

/// Moves instructions down to their uses, without entering a loop; users before operands.
fn lower(ed: &mut Editor<'_>, scopes: &Scopes, loops: &Loops) -> Result<(), Refusal> {
    for &block in scopes.order().iter().rev() {
        for &inst in ed.func().block(block).insts.clone().iter().rev() {
            if !may_move(ed.func().inst(inst)) {
                continue;
            }
            let late =
                scopes.of_readers(ed, inst).filter(|&late| late != block && scopes.covers(block, late));
            let Some(late) = late else { continue };
            let target = outermost(scopes, loops, late, Some(block));
            // Never move into a loop, even if every path goes through it.
            let inside = loops.innermost(target).is_some_and(|inner| !loops.contains(inner, block));
            if target == block || inside || !scopes.covers(block, target) {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(inst, InsertPoint::Start(target), Reason::Note("it has no earlier uses"))?;
        }
    }
    Ok(())
}

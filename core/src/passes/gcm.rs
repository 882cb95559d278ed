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
//! After Click, "Global code motion, global value numbering" (1995): the *late* place of an instruction is the lowest
//! block that sees all its readers, the *early* one the lowest of those that compute its operands. Of the blocks
//! between, that inside the fewest loops is taken, and of those the lowest.
//!
//! Pinned, and so neither earlier nor later: effects, what reads memory, what looks at other components. Later is always
//! possible for the others; earlier only for what may be computed though nobody asked (`licm` says what: no division
//! by what may be zero). In a tree a value is moved only where the tree shows it, so not out of a continuing region
//! into the body. Value numbering is `cse`, and goes before.
//!
//! NIR: `nir_opt_gcm` without its own value numbering.

use super::pass::PassInfo;
use crate::analysis::{Cfg, Loops};
use crate::base::opening::opening;
use crate::ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal};
use crate::passes::util::scopes::Scopes;
use crate::passes::util::speculate::may_move;
use crate::passes::util::speculate::may_speculate;
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Global code motion: moves instructions out of loops, then close to their uses.",
    ..PassInfo::edits("gcm", opening!("gcm.rs"), |ed, _| gcm(ed))
};

/// Rounds over the function; one is the rule, and one to see that it was.
const MOST_ROUNDS: usize = 16;

/// Schedules a function. `O(uses · log blocks + instructions · depth of loops)`; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn gcm(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let scopes = Scopes::of(ed.func());
    let cfg = Rc::new(Cfg::of(ed.func()));
    let loops = Loops::of(ed.func(), &cfg);
    // Operands that went out behind a loop may let go what read them in it.
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        hoist(ed, &scopes, &loops)?;
        lower(ed, &scopes, &loops)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// First everything out of loops, operands before readers.
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

/// The lowest block that computes an operand; none if all are there from the beginning.
fn early(ed: &Editor<'_>, scopes: &Scopes, inst: Inst) -> Option<Block> {
    let homes = ed.func().inst(inst).args.iter().filter_map(|&arg| ed.block_of(arg));
    homes.reduce(|a, b| if scopes.covers(a, b) { b } else { a })
}

/// The block above that is inside the fewest loops, and sees the block of the operands.
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

/// Then everything towards its readers, without entering a loop again; readers before operands.
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
            // Nothing goes into a loop, not even where there is no way around it.
            let inside = loops.innermost(target).is_some_and(|inner| !loops.contains(inner, block));
            if target == block || inside || !scopes.covers(block, target) {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(inst, InsertPoint::Start(target), Reason::Note("nothing reads it earlier"))?;
        }
    }
    Ok(())
}

//! `licm`: hoists loop-invariant instructions out of loops.
//!
//! ```text
//!   loop !0(%0) {                             %4: b32 = imul %1, %1
//!   ^1(%3: b32):                              loop !0(%0) {
//!     %4: b32 = imul %1, %1             =>    ^1(%3: b32):
//!     %5: b32 = iadd %3, %4                     %5: b32 = iadd %3, %4
//! ```
//!
//! An instruction goes in front of the outermost loop around it in which none of its operands is computed; what
//! reads it follows. The block before that loop is the one from which it is entered: in a tree there is one, in a
//! graph loops that are entered from several blocks, or at several blocks, are left alone.
//!
//! Moved is only what is as good where nobody asked for it: pure instructions that look at no other invocation. A
//! division stays unless its divisor is constant and not zero. Loads stay: see `copy-prop-vars`. What is computed
//! in one arm of an `if` in a loop moves too, so that a loop without rounds computes it for nothing.

use super::pass::PassInfo;
use crate::analysis::{Cfg, Loop, Loops};
use crate::base::SideTable;
use crate::base::opening::opening;
use crate::ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal};
use crate::passes::util::open::in_order;
use crate::passes::util::speculate::may_speculate;
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Hoists loop-invariant instructions out of loops.",
    ..PassInfo::edits("licm", opening!("licm.rs"), |ed, _| licm(ed))
};

/// Moves invariants out of loops. `O(instructions · depth of loops)`; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn licm(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let cfg = Rc::new(Cfg::of(ed.func()));
    let loops = Loops::of(ed.func(), &cfg);
    if loops.is_empty() {
        return Ok(());
    }
    // Where values are computed; parameters of the function are computed nowhere.
    let mut homes: SideTable<Inst, Option<Block>> = SideTable::new();
    ed.func().for_each_inst(|block, inst| homes[inst] = Some(block));
    for block in in_order(ed.func()) {
        let Some(innermost) = loops.innermost(block).filter(|_| cfg.is_reachable(block)) else { continue };
        for &inst in ed.func().block(block).insts.clone().iter() {
            let Some(target) = target(ed, &cfg, &loops, &homes, innermost, inst) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(inst, InsertPoint::End(target), Reason::Note("it does not change in the loop"))?;
            homes[inst] = Some(target);
        }
    }
    Ok(())
}

/// The block before the outermost loop that an instruction can leave.
fn target(
    ed: &Editor<'_>,
    cfg: &Cfg,
    loops: &Loops,
    homes: &SideTable<Inst, Option<Block>>,
    innermost: Loop,
    inst: Inst,
) -> Option<Block> {
    let data = ed.func().inst(inst);
    if !may_speculate(ed, data) {
        return None;
    }
    let mut target = None;
    let mut around = Some(innermost);
    while let Some(at) = around {
        let inside = |&arg: &Inst| homes[arg].is_some_and(|home| loops.contains(at, home));
        if data.args.iter().any(inside) {
            break;
        }
        let Some(before) = entered_from(cfg, loops, at) else { break };
        // Where one loop leads straight into the next, the block before is in the other loop: further up, if at all.
        let up = loops.innermost(before);
        if up == loops.parent(at) {
            target = Some(before);
        }
        around = up;
    }
    target
}

/// The one block from which a loop is entered.
fn entered_from(cfg: &Cfg, loops: &Loops, at: Loop) -> Option<Block> {
    if loops.is_irreducible(at) {
        return None;
    }
    let mut outside = cfg.preds(loops.header(at)).filter(|&from| !loops.contains(at, from));
    let before = outside.next().filter(|&before| cfg.is_reachable(before))?;
    outside.next().is_none().then_some(before)
}

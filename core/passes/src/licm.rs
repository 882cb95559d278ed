//! `licm`: hoists loop-invariant instructions out of loops.
//!
//! ```text
//!   loop !0(%0) {                             %4: b32 = imul %1, %1
//!   ^1(%3: b32):                              loop !0(%0) {
//!     %4: b32 = imul %1, %1             =>    ^1(%3: b32):
//!     %5: b32 = iadd %3, %4                     %5: b32 = iadd %3, %4
//! ```
//!
//! An instruction moves before the outermost enclosing loop in which none of its operands is computed; its users
//! follow. The block before that loop is the one from which it is entered: a tree has exactly one; in a graph,
//! loops entered from several blocks, or at several blocks, are left alone.
//!
//! Only instructions that may be executed speculatively move: pure ones that do not depend on other invocations. A
//! division is hoisted only if its divisor is constant and not zero. Loads are not hoisted: see
//! `copy-prop-vars`. Instructions in one arm of an `if` in a loop move too, so a loop with zero iterations
//! computes them needlessly.

use super::pass::PassInfo;
use crate::util::open::in_order;
use crate::util::speculate::may_speculate;
use vitrine_analysis::{Analyses, Cfg, Loop, Loops};
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Hoists loop-invariant instructions out of loops.",
    ..PassInfo::edits("licm", opening!("licm.rs"), |ed, cx| licm(ed, cx.analyses))
};

/// Moves invariants out of loops. `O(instructions · depth of loops)`; idempotent; both shapes.
pub(super) fn licm(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
    let loops = analyses.get::<Loops>(ed.module(), ed.id());
    if loops.is_empty() {
        return Ok(());
    }
    // The block of each value; parameters of the function have none.
    let mut def_blocks: SideTable<Inst, Option<Block>> = SideTable::new();
    ed.func().for_each_inst(|block, inst| def_blocks[inst] = Some(block));
    for block in in_order(ed.func()) {
        let Some(innermost) = loops.innermost(block).filter(|_| cfg.is_reachable(block)) else { continue };
        for &inst in ed.func().block(block).insts.clone().iter() {
            let Some(target) = target(ed, &cfg, &loops, &def_blocks, innermost, inst) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.move_to(inst, InsertPoint::End(target), Reason::Note("it is loop-invariant"))?;
            def_blocks[inst] = Some(target);
        }
    }
    Ok(())
}

/// Returns the block before the outermost loop that an instruction can leave.
fn target(
    ed: &Editor<'_>,
    cfg: &Cfg,
    loops: &Loops,
    def_blocks: &SideTable<Inst, Option<Block>>,
    innermost: Loop,
    inst: Inst,
) -> Option<Block> {
    let data = ed.func().inst(inst);
    if !may_speculate(ed, data) {
        return None;
    }
    let mut target = None;
    let mut enclosing = Some(innermost);
    while let Some(at) = enclosing {
        let inside = |&arg: &Inst| def_blocks[arg].is_some_and(|def_block| loops.contains(at, def_block));
        if data.args.iter().any(inside) {
            break;
        }
        let Some(before) = entered_from(cfg, loops, at) else { break };
        // If one loop directly follows another, the block before is in the other loop: only an outer position is
        // possible.
        let up = loops.innermost(before);
        if up == loops.parent(at) {
            target = Some(before);
        }
        enclosing = up;
    }
    target
}

/// Returns the only block from which a loop is entered.
fn entered_from(cfg: &Cfg, loops: &Loops, at: Loop) -> Option<Block> {
    if loops.is_irreducible(at) {
        return None;
    }
    let mut outside = cfg.preds(loops.header(at)).filter(|&from| !loops.contains(at, from));
    let before = outside.next().filter(|&before| cfg.is_reachable(before))?;
    outside.next().is_none().then_some(before)
}

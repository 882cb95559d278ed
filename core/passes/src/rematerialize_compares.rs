//! `rematerialize-compares`: recomputes comparisons in the blocks whose terminators use them.
//!
//! ```text
//!   %2: b1 = ilt %0, %1                       %2: b1 = ilt %0, %1
//!   if !0 %2 {                                if !0 %2 {
//!   ^1:                                =>     ^1:
//!     %3: b32 = select %2, %0, %1               %4: b1 = ilt %0, %1
//!                                               %3: b32 = select %4, %0, %1
//! ```
//!
//! For targets that keep the result of a comparison in flags: a comparison must directly precede the branch or
//! the select that uses it. A copy is inserted before the first such use in each block: conditions of nodes,
//! branches, and `select`. A comparison without remaining uses is removed.
//!
//! Unchanged: comparisons whose uses are all in their own block (`opt-move` moves them down), and other uses.
//! Runs last: `cse` undoes it.
//!
//! NIR: `nir_opt_rematerialize_compares`.

use super::pass::PassInfo;
use crate::util::open::in_order;
use crate::util::scopes::reader;
use crate::util::speculate::may_move;
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IntOp, Op, Props};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal, Terminator, Use};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Recomputes comparisons in the blocks whose terminators use them.",
    ..PassInfo::edits("rematerialize-compares", opening!("rematerialize_compares.rs"), |ed, _| {
        rematerialize_compares(ed)
    })
};

const WHY: Reason = Reason::Note("a terminator of this block uses it");

/// Copies comparisons to the blocks that use them as conditions. `O(uses)` plus the copies; idempotent; both
/// shapes.
pub(super) fn rematerialize_compares(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for home in in_order(ed.func()) {
        for &inst in ed.func().block(home).insts.clone().iter() {
            let data = ed.func().inst(inst);
            if !data.op.props().has(Props::COMPARISON) || !may_move(data) {
                continue;
            }
            let mut elsewhere: Vec<(Block, Vec<Use>)> = Vec::new();
            let mut last: FxHashMap<Block, usize> = FxHashMap::default();
            for place in ed.uses(inst).filter(|&place| is_condition(ed, place)) {
                let Some(block) = reader(ed, place).filter(|&block| block != home) else { continue };
                let number = *last.entry(block).or_insert(elsewhere.len());
                match elsewhere.get_mut(number) {
                    Some((_, places)) => places.push(place),
                    None => elsewhere.push((block, vec![place])),
                }
            }
            let copied = !elsewhere.is_empty();
            for (block, places) in elsewhere {
                if !ed.consume_fuel() {
                    return Ok(());
                }
                copy_into(ed, inst, block, &places)?;
            }
            if copied && ed.use_count(inst) == 0 && ed.consume_fuel() {
                ed.erase(inst, Reason::Note("it is computed where a terminator uses it"))?;
            }
        }
    }
    Ok(())
}

/// Returns true if a use is a condition.
fn is_condition(ed: &Editor<'_>, place: Use) -> bool {
    match place {
        Use::Node(_) => true,
        Use::Terminator(block, at) => {
            at == 0 && matches!(ed.func().terminator(block), Terminator::Branch { .. })
        }
        Use::Arg(inst, at) => {
            at == 0 && matches!(ed.func().inst(inst).op, Op::Int(IntOp::Select | IntOp::Select1))
        }
    }
}

/// Inserts a copy into a block for these uses.
fn copy_into(ed: &mut Editor<'_>, inst: Inst, block: Block, places: &[Use]) -> Result<(), Refusal> {
    let mut first: Option<(usize, Inst)> = None;
    for &place in places {
        let Use::Arg(reader, _) = place else { continue };
        let Some(at) = ed.index_of(reader) else { continue };
        if first.is_none_or(|(best, _)| at < best) {
            first = Some((at, reader));
        }
    }
    let at = first.map_or(InsertPoint::End(block), |(_, reader)| InsertPoint::Before(reader));
    let data = ed.func().inst(inst).clone();
    let origin = ed.func().origin(inst);
    let copy = ed.insert(at, data, WHY)?;
    ed.set_origin(copy, origin)?;
    ed.replace_uses_where(inst, copy, |place| places.contains(&place), WHY)?;
    Ok(())
}

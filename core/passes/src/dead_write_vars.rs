//! `dead-write-vars`: removes stores that are overwritten before they are read.
//!
//! ```text
//!   store %2, %0                              store %2, %1
//!   store %2, %1                       =>     return
//!   return
//! ```
//!
//! Traverses the function backwards with a table of dead places: those that are overwritten on every path from the
//! current point before they may be read, and, at the end of the function, its locals and the private variables of
//! an entry point. An instruction that reads a place, or may read a place that overlaps with it
//! (`analysis::Alias`), removes it from the table; for memory visible to other invocations, so do barriers,
//! atomics, calls and the end of an invocation. At a branch, a place is dead only if it is on all paths; on a back
//! edge of a loop the table is empty.
//!
//! Left alone: volatile and coherent stores, stores whose components are overwritten by several others, and
//! outputs at the end of the function. A copy is a store to one place and a load of the other. At most the 64
//! latest places are tracked. NIR: `nir_opt_dead_write_vars`.

use super::pass::PassInfo;
use crate::util::memory::{Does, any_op, called, does, is_plain, survives};
use vitrine_analysis::{Alias, Analyses, Cfg, Overlap, Spot};
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Key, MemoryOp, Op, Props};
use vitrine_ir::{Block, Editor, Inst, Mode, Reason, Refusal, Stop, Terminator};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes stores that are overwritten before they are read.",
    ..PassInfo::edits("dead-write-vars", opening!("dead_write_vars.rs"), |ed, cx| {
        dead_write_vars(ed, cx.analyses)
    })
};

/// Maximum number of places tracked at a time.
const MAX_TRACKED: usize = 64;

/// Removes overwritten stores. Near-linear; idempotent; both shapes.
pub(super) fn dead_write_vars(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !any_op(ed.func(), |op| matches!(op, MemoryOp::Store | MemoryOp::CopyVar)) {
        return Ok(());
    }
    let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
    let alias = analyses.get::<Alias>(ed.module(), ed.id());
    let at_end = at_end(ed, &alias);
    let mut starts: SideTable<Block, Option<Vec<Spot>>> = SideTable::new();
    for &block in cfg.rpo().iter().rev() {
        let mut known = match ed.func().terminator(block) {
            Terminator::Return(_) => at_end.clone(),
            Terminator::Stop(
                Stop::Discard | Stop::Terminate | Stop::IgnoreIntersection | Stop::TerminateRay,
            ) => at_end.iter().copied().filter(|&spot| alias.mode(spot) == Some(Mode::Local)).collect(),
            // The payload of a mesh task is passed on; at an unreachable point nothing is known.
            Terminator::Stop(Stop::EmitMeshTasks | Stop::Unreachable) => Vec::new(),
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => on_all_paths(&cfg, block, &starts),
        };
        let insts: Vec<Inst> = ed.func().block(block).insts.to_vec();
        for inst in insts.into_iter().rev() {
            if is_dead(ed, &alias, &known, inst) {
                if !ed.consume_fuel() {
                    return Ok(());
                }
                ed.erase(inst, Reason::Note("it is overwritten before it is read"))?;
                continue;
            }
            before(ed, &alias, &mut known, inst);
        }
        starts[block] = Some(known);
    }
    Ok(())
}

/// Returns the places that are dead at the end of the function.
fn at_end(ed: &Editor<'_>, alias: &Alias) -> Vec<Spot> {
    let is_entry = ed.module().entries.iter().any(|entry| entry.func == ed.id());
    // Queried for entry points only, so that a module of many functions is not searched for each of them.
    let ends_here = is_entry && !called(ed.module()).contains(&ed.id());
    let ours = |spot: &Spot| match alias.mode(*spot) {
        Some(Mode::Local) => alias.is_ours(*spot),
        Some(Mode::Private) => ends_here,
        Some(_) | None => false,
    };
    alias.whole().filter(ours).filter(|&spot| !alias.is_watched(spot)).take(MAX_TRACKED).collect()
}

/// Returns the places that are dead on all paths after a block.
fn on_all_paths(cfg: &Cfg, block: Block, starts: &SideTable<Block, Option<Vec<Spot>>>) -> Vec<Spot> {
    let mut paths = cfg.succs(block).map(|next| starts[next].as_deref().unwrap_or(&[]));
    let mut known = paths.next().map(<[Spot]>::to_vec).unwrap_or_default();
    for path in paths {
        known.retain(|spot| path.contains(spot));
    }
    known
}

fn is_dead(ed: &Editor<'_>, alias: &Alias, known: &[Spot], inst: Inst) -> bool {
    let data = ed.func().inst(inst);
    match does(alias, data) {
        Does::Copy(_, from) if alias.is_watched(from) => false,
        Does::Store(spot) | Does::Copy(spot, _) => {
            is_plain(data) && !alias.is_watched(spot) && known.iter().any(|&whole| alias.covers(whole, spot))
        }
        Does::Nothing | Does::Looks | Does::Load(_) | Does::Meets | Does::Calls => false,
    }
}

/// Updates the dead places after an instruction to those before it.
fn before(ed: &Editor<'_>, alias: &Alias, known: &mut Vec<Spot>, inst: Inst) {
    let data = ed.func().inst(inst);
    let effect = does(alias, data);
    match effect {
        Does::Nothing => {}
        Does::Store(spot) => {
            let whole = is_plain(data) && !data.attrs.has(Key::Mask) && !alias.is_watched(spot);
            if whole {
                learn(known, spot);
            }
        }
        Does::Load(from) => known.retain(|&spot| alias.overlap(spot, from) == Overlap::No),
        Does::Copy(to, from) => {
            if is_plain(data) && !alias.is_watched(to) {
                learn(known, to);
            }
            known.retain(|&spot| alias.overlap(spot, from) == Overlap::No);
        }
        Does::Looks => known.retain(|&spot| survives(alias, spot, Does::Calls)),
        Does::Meets | Does::Calls => known.retain(|&spot| survives(alias, spot, effect)),
    }
    // An invocation that ends here reads nothing more; others see only the memory that it wrote before.
    if matches!(data.op, Op::Io(_)) && data.op.props().has(Props::TERMINATES) {
        known
            .retain(|&spot| alias.mode(spot).is_some_and(|mode| matches!(mode, Mode::Local | Mode::Private)));
    }
}

fn learn(known: &mut Vec<Spot>, spot: Spot) {
    if !known.contains(&spot) {
        if known.len() >= MAX_TRACKED {
            known.remove(0);
        }
        known.push(spot);
    }
}

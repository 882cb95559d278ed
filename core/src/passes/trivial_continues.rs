//! `trivial-continues`: removes jumps to the place that falling through reaches.
//!
//! ```text
//!   loop !0 {                                 loop !0 {
//!   ^1:                                       ^1:
//!     if !1 %0 {                                if !1 %0 {
//!     ^2:                                       ^2:
//!       continue !0                               next
//!     } else {                          =>      } else {
//!     ^3:                                       ^3:
//!       store %1, %2                              store %1, %2
//!       break !1                                  next
//!     }                                         }
//!   ^4:                                       ^4:
//!     next                                      next
//!   }                                         }
//! ```
//!
//! `continue` and `break` alike, through any number of blocks that do nothing; what is handed on must be the same.
//! An exit is compared with what falling through would do step by step, so nothing that others see changes.
//!
//! Left alone: jumps that bring something else, and graphs, which have no jumps but edges.
//!
//! NIR: `nir_opt_trivial_continues`, and the last of a loop's continues in `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{Block, Editor, Inst, Node, NodeKind, Reason, Refusal, Shape, Terminator};
use crate::passes::util::open::in_order;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes jumps to the place that falling through reaches.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("trivial-continues", opening!("trivial_continues.rs"), |ed, _| trivial_continues(ed))
};

const WHY: Reason = Reason::Note("falling through reaches the same place");

/// Blocks that an invocation may fall through.
const MOST_LEVELS: usize = 64;

/// Where an exit of a tree leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Behind a node.
    Behind(Node),
    /// Into the next round of a loop.
    Round(Node),
}

/// Something that a block nobody has entered yet would bring.
#[derive(Clone, Copy)]
enum Brought {
    /// A value.
    Value(Inst),
    /// What the jumping block would hand on, by number.
    Handed(usize),
}

/// Lets jumps fall through. Near-linear; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn trivial_continues(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    for block in in_order(ed.func()) {
        let Some(args) = falls_alike(ed, block) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        ed.set_terminator(block, Terminator::Next(args.into_iter().collect()), WHY)?;
    }
    Ok(())
}

/// What a block would hand on if it fell through instead of jumping, and came to the same.
fn falls_alike(ed: &Editor<'_>, block: Block) -> Option<Vec<Inst>> {
    let exit = ed.func().terminator(block);
    let (wanted, args) = match exit {
        Terminator::Break(node, args) => (Way::Behind(*node), args.to_vec()),
        Terminator::Continue(node, args) => (Way::Round(*node), args.to_vec()),
        Terminator::Next(_)
        | Terminator::Return(_)
        | Terminator::Stop(_)
        | Terminator::Goto(_)
        | Terminator::Branch { .. }
        | Terminator::Switch { .. } => return None,
    };
    let mut way = falls_to(ed, block)?;
    let Way::Behind(first) = way else { return (way == wanted).then_some(args) };
    if way == wanted {
        return Some(args);
    }
    let mut at = ed.block_after(first)?;
    let handed = ed.func().block(at).params.len();
    let mut bound: Vec<Brought> = (0..handed).map(Brought::Handed).collect();
    for _ in 0..MOST_LEVELS {
        let data = ed.func().block(at);
        if !data.insts.is_empty() {
            return None;
        }
        let bring = |arg: &Inst| {
            let param = data.params.iter().position(|param| param == arg);
            param.and_then(|param| bound.get(param).copied()).unwrap_or(Brought::Value(*arg))
        };
        let (next, list) = match &data.terminator {
            Terminator::Next(list) => (falls_to(ed, at)?, list),
            Terminator::Break(node, list) => (Way::Behind(*node), list),
            Terminator::Continue(node, list) => (Way::Round(*node), list),
            Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => {
                return None;
            }
        };
        let brought: Vec<Brought> = list.iter().map(bring).collect();
        if next == wanted {
            return solve(handed, &brought, &args);
        }
        way = next;
        let Way::Behind(node) = way else { return None };
        at = ed.block_after(node)?;
        bound = brought;
    }
    None
}

/// Where `next` at the end of a block leads, if the block is the last of its region.
fn falls_to(ed: &Editor<'_>, block: Block) -> Option<Way> {
    let region = ed.region_of(block)?;
    let owner = ed.owner_of(region)?;
    if ed.func().region(region).last() != block {
        return None;
    }
    match ed.func().node(owner).kind {
        NodeKind::Loop { continuing: Some(second), .. } if second == region => None,
        NodeKind::Loop { .. } => Some(Way::Round(owner)),
        NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => Some(Way::Behind(owner)),
    }
}

/// What must be handed on so that these values come; none if something would be left open.
fn solve(handed: usize, brought: &[Brought], wanted: &[Inst]) -> Option<Vec<Inst>> {
    let mut values: Vec<Option<Inst>> = vec![None; handed];
    for (brought, &want) in brought.iter().zip(wanted) {
        match *brought {
            Brought::Value(value) if value == want => {}
            Brought::Value(_) => return None,
            Brought::Handed(at) => {
                let slot = values.get_mut(at)?;
                if slot.is_some_and(|other| other != want) {
                    return None;
                }
                *slot = Some(want);
            }
        }
    }
    values.into_iter().collect()
}

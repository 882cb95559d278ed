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
//! Applies to `continue` and `break`, through any number of empty blocks; the arguments must be equal. A jump
//! is compared with the fall-through path step by step, so there is no observable change.
//!
//! Unchanged: jumps with different arguments, and graphs, which have only edges.
//!
//! NIR: `nir_opt_trivial_continues`, and the last of a loop's continues in `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::util::open::in_order;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Block, Editor, Inst, Node, NodeKind, Reason, Refusal, Shape, Terminator};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes jumps to the place that falling through reaches.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("trivial-continues", opening!("trivial_continues.rs"), |ed, _| trivial_continues(ed))
};

const WHY: Reason = Reason::Note("falling through reaches the same place");

/// The maximum number of nested blocks on a fall-through path.
const MAX_LEVELS: usize = 64;

/// The target of an exit of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExitTarget {
    /// After a node.
    After(Node),
    /// The next iteration of a loop.
    Iteration(Node),
}

/// An argument on the fall-through path.
#[derive(Clone, Copy)]
enum PassedValue {
    /// A value.
    Value(Inst),
    /// An argument of the jumping block, by index.
    JumpArg(usize),
}

/// Converts jumps to fall-through. Near-linear; idempotent; trees.
pub(super) fn trivial_continues(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    for block in in_order(ed.func()) {
        let Some(args) = fall_through_args(ed, block) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        ed.set_terminator(block, Terminator::Next(args.into_iter().collect()), WHY)?;
    }
    Ok(())
}

/// The arguments that a block must pass when it falls through, if that is equivalent to its jump.
fn fall_through_args(ed: &Editor<'_>, block: Block) -> Option<Vec<Inst>> {
    let terminator = ed.func().terminator(block);
    let (wanted, args) = match terminator {
        Terminator::Break(node, args) => (ExitTarget::After(*node), args.to_vec()),
        Terminator::Continue(node, args) => (ExitTarget::Iteration(*node), args.to_vec()),
        Terminator::Next(_)
        | Terminator::Return(_)
        | Terminator::Stop(_)
        | Terminator::Goto(_)
        | Terminator::Branch { .. }
        | Terminator::Switch { .. } => return None,
    };
    let mut target = fall_through_target(ed, block)?;
    let ExitTarget::After(first) = target else { return (target == wanted).then_some(args) };
    if target == wanted {
        return Some(args);
    }
    let mut at = ed.block_after(first)?;
    let count = ed.func().block(at).params.len();
    let mut bound: Vec<PassedValue> = (0..count).map(PassedValue::JumpArg).collect();
    for _ in 0..MAX_LEVELS {
        let data = ed.func().block(at);
        if !data.insts.is_empty() {
            return None;
        }
        let resolve = |arg: &Inst| {
            let param = data.params.iter().position(|param| param == arg);
            param.and_then(|param| bound.get(param).copied()).unwrap_or(PassedValue::Value(*arg))
        };
        let (next, list) = match &data.terminator {
            Terminator::Next(list) => (fall_through_target(ed, at)?, list),
            Terminator::Break(node, list) => (ExitTarget::After(*node), list),
            Terminator::Continue(node, list) => (ExitTarget::Iteration(*node), list),
            Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => {
                return None;
            }
        };
        let passed: Vec<PassedValue> = list.iter().map(resolve).collect();
        if next == wanted {
            return solve(count, &passed, &args);
        }
        target = next;
        let ExitTarget::After(node) = target else { return None };
        at = ed.block_after(node)?;
        bound = passed;
    }
    None
}

/// The target of `next` at the end of a block, if the block is the last of its region.
fn fall_through_target(ed: &Editor<'_>, block: Block) -> Option<ExitTarget> {
    let region = ed.region_of(block)?;
    let owner = ed.owner_of(region)?;
    if ed.func().region(region).last() != block {
        return None;
    }
    match ed.func().node(owner).kind {
        NodeKind::Loop { continuing: Some(second), .. } if second == region => None,
        NodeKind::Loop { .. } => Some(ExitTarget::Iteration(owner)),
        NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
            Some(ExitTarget::After(owner))
        }
    }
}

/// The arguments that produce these values; none if they are not determined.
fn solve(count: usize, passed: &[PassedValue], wanted: &[Inst]) -> Option<Vec<Inst>> {
    let mut values: Vec<Option<Inst>> = vec![None; count];
    for (passed, &want) in passed.iter().zip(wanted) {
        match *passed {
            PassedValue::Value(value) if value == want => {}
            PassedValue::Value(_) => return None,
            PassedValue::JumpArg(at) => {
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

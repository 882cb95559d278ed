//! `if-unnest`: moves the only arm of an `if` that continues to the code after the `if`.
//!
//! ```text
//!   if !0 %0 {                                if !0 %0 {
//!   ^1:                                       ^1:
//!     return                                    return
//!   } else {                                  } else {
//!   ^2:                                       ^4:
//!     %2: b32 = iadd %1, %1             =>      next
//!     next(%2)                                }
//!   }                                       ^3:
//! ^3(%3: b32):                                %2: b32 = iadd %1, %1
//!   return %3                                 return %2
//! ```
//!
//! The other arm returns, stops, or breaks or continues an enclosing construct. Nothing is computed more often or
//! in another order, and subgroup reconvergence is unchanged: the invocations that left are inactive in both
//! versions. The values that the arm passes on no longer need block parameters, and terminators of the arm keep
//! their targets.
//!
//! Left alone: empty arms; an `if` that a nested terminator breaks out of; graphs.
//!
//! NIR: `opt_if_loop_terminator` of `nir_opt_if`, there for loops only.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{arms_behind, choice, is_empty};
use crate::util::open::nodes_in_order;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Editor, Node, Reason, Refusal, Region, Terminator};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves the only arm of an `if` that continues to the code after the `if`.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-unnest", opening!("if_unnest.rs"), |ed, _| if_unnest(ed))
};

/// Unnests arms, outer ones first, so that little code is moved. Near-linear; idempotent; trees.
pub(super) fn if_unnest(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()) {
        let Some(arm) = continuing_arm(ed, node) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        ed.unnest(node, arm, Reason::Note("only this arm continues"))?;
    }
    Ok(())
}

/// Returns the only arm whose end reaches the code after a node, if the arm is not empty.
fn continuing_arm(ed: &Editor<'_>, node: Node) -> Option<Region> {
    let choice = choice(ed, node)?;
    let &[arm] = &arms_behind(ed, node)[..] else { return None };
    let last = ed.func().region(arm).last();
    let falls_through = matches!(ed.func().terminator(last), Terminator::Next(_));
    let is_only_source = ed.incoming(choice.after).iter().all(|edge| edge.from == last);
    (falls_through && is_only_source && !is_empty(ed, arm)).then_some(arm)
}

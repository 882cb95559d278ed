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
//! The other arm returns, stops, or jumps out of or round something further outside. Nothing is computed more often
//! or in another order, and components meet where they met: those that left are gone on both sides. What the arm hands on
//! need not be handed on any more, and exits of the arm lead where they led.
//!
//! Left alone: arms that do nothing; an `if` that some exit leaves from further inside; graphs.
//!
//! NIR: `opt_if_loop_terminator` of `nir_opt_if`, there for loops only.

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{Editor, Node, Reason, Refusal, Region, Terminator};
use crate::passes::util::arms::{arms_behind, choice, is_empty};
use crate::passes::util::open::nodes_in_order;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves the only arm of an `if` that continues to the code after the `if`.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-unnest", opening!("if_unnest.rs"), |ed, _| if_unnest(ed))
};

/// Unnests arms, outer ones first, so that what is moved is small. Near-linear; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn if_unnest(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()) {
        let Some(arm) = only_way(ed, node) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        ed.unnest(node, arm, Reason::Note("only this arm continues"))?;
    }
    Ok(())
}

/// The one arm from whose end alone a way leads behind a node, if it does something.
fn only_way(ed: &Editor<'_>, node: Node) -> Option<Region> {
    let choice = choice(ed, node)?;
    let &[arm] = &arms_behind(ed, node)[..] else { return None };
    let last = ed.func().region(arm).last();
    let falls = matches!(ed.func().terminator(last), Terminator::Next(_));
    let alone = ed.incoming(choice.after).iter().all(|edge| edge.from == last);
    (falls && alone && !is_empty(ed, arm)).then_some(arm)
}

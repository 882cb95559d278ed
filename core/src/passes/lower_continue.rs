//! `lower-continue`: moves the continuing region of a loop into its body.
//!
//! ```text
//!   loop !0(%0) {                             loop !0(%0) {
//!   ^1(%1: b32):                              ^1(%1: b32):
//!     … continue !0 …                           block !2 { … break !2 … }
//!     next                              =>    ^4:
//!   } continuing {                              %2: b32 = iadd %1, %1
//!   ^4:                                         next(%2)
//!     %2: b32 = iadd %1, %1                   }
//!     next(%2)
//!   }
//! ```
//!
//! The continuing region moves to the end of the body. If the body branches there with `continue`, the old body is
//! wrapped in a labeled block, and each `continue` becomes a `break` out of it; values of the body used in the
//! continuing region become parameters, and paths are rebuilt. Order and number of effects are unchanged. Loops
//! without a continuing region keep their `continue`, which targets support.
//!
//! Left alone: a loop with a `continue` whose continuing region uses a resource (a handle) or a selected path of
//! the body, since these cannot be passed as parameters.

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{Editor, NodeKind, Refusal};
use crate::passes::util::loop_edit::in_one_region;
use crate::passes::util::open::nodes_in_order;

/// The registry entry.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves the continuing region of a loop into its body.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("lower-continue", opening!("lower_continue.rs"), |ed, _| lower_continue(ed))
};

/// Moves continuing regions into bodies. Linear in the total size of loops; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never causes.
pub(super) fn lower_continue(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        let is_split = ed.has_node(node)
            && matches!(ed.func().node(node).kind, NodeKind::Loop { continuing: Some(_), .. });
        if is_split {
            if !ed.consume_fuel() {
                break;
            }
            in_one_region(ed, node)?;
        }
    }
    Ok(())
}

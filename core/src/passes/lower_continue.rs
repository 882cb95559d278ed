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
//! What every round ends with comes behind what the round does. Where the body jumps there with `continue`, a
//! labelled block around the body is broken out of instead, and what the continuing region reads of the body comes
//! by parameters; paths are computed again. Order and number of what happens stay, so that nothing is changed that
//! others see. Loops without a continuing region keep their `continue`: targets can say it.
//!
//! Left alone: a loop with a `continue` whose continuing region reads a resource (a handle) or a chosen path of the
//! body, since no parameter can hand that on.
//!
//! NIR: `nir_lower_continue_constructs`.

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{Editor, NodeKind, Refusal};
use crate::passes::util::loop_edit::in_one_region;
use crate::passes::util::open::nodes_in_order;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves the continuing region of a loop into its body.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("lower-continue", opening!("lower_continue.rs"), |ed, _| lower_continue(ed))
};

/// Folds continuing regions into bodies. Linear in the sum of loops; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
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

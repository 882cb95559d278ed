//! `lower-returns`: moves all returns of a function to its end.
//!
//! ```text
//!   if !0 %0 {                                block !1 {
//!   ^1:                                       ^0:
//!     return %1                                 if !0 %0 {
//!   } else {                                    ^1:
//!   ^2:                                           break !1(%1)
//!     next                              =>      } else {
//!   }                                           ^2:
//! ^3:                                             next
//!   return %2                                   }
//!                                             ^3:
//!                                               next(%2)
//!                                             }
//!                                           ^4(%3: b32):
//!                                             return %3
//! ```
//!
//! The whole body is wrapped in a labeled block that every `return` breaks out of with its value. `lower-exits`
//! then lowers the label to the construct of the target: a switch with one arm, a single-iteration loop, or flags.
//! Terminators that end invocations are unchanged.
//!
//! Left alone: functions that return only at their end, functions that return a path, and graphs.
//!
//! NIR: `nir_lower_returns`.

use super::pass::{PassInfo, PassShape};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Editor, Reason, Refusal, Shape, Terminator};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves all returns of a function to its end.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("lower-returns", opening!("lower_returns.rs"), |ed, _| lower_returns(ed))
};

/// Adds a label around a function with early returns. Linear; idempotent; trees.
pub(super) fn lower_returns(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let &Shape::Tree(root) = ed.func().shape() else { return Ok(()) };
    let last = ed.func().region(root).last();
    let early = |block| block != last && matches!(ed.func().terminator(block), Terminator::Return(_));
    let has_early = ed.func().blocks_in_order().into_iter().any(early);
    if !has_early || ed.func().result() == ValueType::Path || !ed.consume_fuel() {
        return Ok(());
    }
    ed.label_returns(Reason::Note("the function returns only at its end")).map(drop)
}

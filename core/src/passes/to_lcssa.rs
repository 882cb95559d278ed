//! `to-lcssa`: what leaves a node leaves it by a parameter of the block behind it.
//!
//! ```text
//!   loop !0(%0) {                             loop !0(%0) {
//!   ^1(%1: b32):                              ^1(%1: b32):
//!     %2: b1 = ult %1, %n                       %2: b1 = ult %1, %n
//!     if !1 %2 { … } else { … break !0 }  =>    if !1 %2 { … } else { … break !0(%1) }
//!     …                                         …
//!   }                                         }
//! ^5:                                       ^5(%3: b32):
//!   return %1                                 return %3
//! ```
//!
//! Loops, choices and labelled blocks alike, level by level. A value that is computed on every way behind a node may
//! be read there without; passes that copy a node, or let another way lead behind it, want to see each reader. Paths
//! are computed again where they are read.
//!
//! Left alone: resources, which no parameter can hand on; what nothing reaches; graphs, in which `structurize` finds
//! the nodes.
//!
//! NIR: `nir_to_lcssa` (`nir_convert_to_lcssa`), there for loops.

use super::lcssa::{Closing, place_of};
use super::open::in_order;
use super::opening::opening;
use super::pass::{PassInfo, PassShape};
use crate::analysis::Cfg;
use crate::ir::{Editor, Refusal, Shape};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lets values leave nodes by parameters only.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("to-lcssa", opening!("to_lcssa.rs"), |ed, _| to_lcssa(ed))
};

/// Hands every value on that leaves a node. `O(uses · depth)`; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn to_lcssa(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let cfg = Cfg::of(ed.func());
    let mut closing = Closing::default();
    for block in in_order(ed.func()).into_iter().filter(|&block| cfg.is_reachable(block)) {
        let data = ed.func().block(block);
        let values: Vec<_> = data.params.iter().chain(data.insts.iter()).copied().collect();
        for value in values {
            let away = |ed: &Editor<'_>, place| {
                place_of(ed, place).is_some_and(|(at, _)| at != block && cfg.is_reachable(at))
            };
            let hidden: Vec<_> = ed.uses(value).filter(|&place| away(ed, place)).collect();
            let hidden = hidden
                .into_iter()
                .any(|place| place_of(ed, place).is_some_and(|(_, at)| !ed.is_visible(value, at)));
            if hidden && ed.consume_fuel() {
                closing.value(ed, value, away)?;
            }
        }
    }
    Ok(())
}

//! `to-lcssa`: converts to loop-closed form: values leave nodes only as block parameters.
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

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::passes::util::lcssa::to_lcssa;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts to loop-closed form: values leave nodes only as block parameters.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("to-lcssa", opening!("to_lcssa.rs"), |ed, _| to_lcssa(ed))
};

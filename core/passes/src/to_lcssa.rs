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
//! Applies to loops, conditional nodes and labeled blocks, level by level. A value that is computed on every
//! path to the code after a node may be used there directly; passes that copy a node, or add a path to the code
//! after it, need block parameters instead. Paths are recomputed at their uses.
//!
//! Unchanged: resources, which cannot be passed as parameters; unreachable code; graphs, where `structurize`
//! has not created the nodes yet.
//!
//! NIR: `nir_to_lcssa` (`nir_convert_to_lcssa`), which handles only loops.

use super::pass::{PassInfo, PassShape};
use crate::util::lcssa::to_lcssa;
use vitrine_ir::base::opening::opening;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts to loop-closed form: values leave nodes only as block parameters.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("to-lcssa", opening!("to_lcssa.rs"), |ed, cx| to_lcssa(ed, cx.analyses))
};

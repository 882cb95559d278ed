//! `lower-flrp`: lowers linear interpolation of two floats.
//!
//! ```text
//!                                             %5: b32 = const 1.0
//!                                             %6: b32 = fsub %5, %2
//!   %3: b32 = fmix %0, %1, %2          =>     %7: b32 = fmul %0, %6
//!                                             %8: b32 = fmul %1, %2
//!                                             %3: b32 = fadd %7, %8
//! ```
//!
//! By its definition, so that no bit changes; where the instruction has `fast` and is not `exact`, by the shorter
//! `x + a * (y - x)`; where it has `contract`, with one rounding for the second product and the sum. Afterwards there
//! is no `fmix`. Only where execution modes make floats round towards zero or flush subnormals all of them stay, since
//! steps would round otherwise. Once is enough, and before the last `constant-fold`: with a constant `a` the
//! difference is constant.
//!
//! NIR: `nir_lower_flrp`.

use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::base::opening::opening;
use crate::passes::util::apply_rules::by_rules;
use crate::rules::Set;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers linear interpolation of two floats.",
    ..PassInfo::edits("lower-flrp", opening!("lower_flrp.rs"), |ed, _| {
        match FloatModes::of(ed.module()).are_usual() {
            true => by_rules(ed, Set::Mix),
            false => Ok(()),
        }
    })
};

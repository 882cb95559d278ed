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
//! Uses the definition, so that no bit changes; with `fast` and without `exact`, the shorter `x + a * (y - x)`;
//! with `contract`, a single rounding for the second product and the sum. Afterwards there is no `fmix`. If
//! execution modes make floats round towards zero or flush subnormals, all are unchanged, since the steps would
//! round differently. Run it once, before the last `constant-fold`: with a constant `a` the difference is
//! constant.
//!
//! NIR: `nir_lower_flrp`.

use super::pass::PassInfo;
use crate::util::apply_rules::by_rules;
use vitrine_analysis::FloatModes;
use vitrine_analysis::rules::Set;
use vitrine_ir::base::opening::opening;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers linear interpolation of two floats.",
    ..PassInfo::edits("lower-flrp", opening!("lower_flrp.rs"), |ed, _| {
        match FloatModes::of(ed.module()).are_usual() {
            true => by_rules(ed, Set::Mix),
            false => Ok(()),
        }
    })
};

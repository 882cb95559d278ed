//! `bool-to-float`: encodes booleans as floats: 1.0 or 0.0.
//!
//! ```text
//!                                             %5: b32 = b2f %2
//!                                             %6: b32 = b2f %3
//!   %4: b1 = iand %2, %3               =>     %7: b32 = fmul %5, %6
//!                                             %8: b32 = const 0
//!                                             %4: b1 = fneu %7, %8
//! ```
//!
//! *And* is a product, *or* the maximum, *not* is one minus the value, *equal* compares the two. Everything else
//! is as in `bool-to-int32`: selections between booleans, components, constants and block parameters are floats,
//! and one-bit values exist only directly after the instruction that produces them and directly before the one
//! that uses them.
//!
//! For targets without integers. Run it after `int-to-float`, which removes integer comparisons where it can.
//!
//! NIR: `nir_lower_bool_to_float`.

use super::pass::PassInfo;
use crate::util::bools::{BoolEncoding, lower};
use vitrine_ir::base::opening::opening;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Encodes booleans as floats: 1.0 or 0.0.",
    ..PassInfo::edits("bool-to-float", opening!("bool_to_float.rs"), |ed, _| lower(ed, BoolEncoding::Float))
};

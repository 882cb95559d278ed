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
//! Both is a product, either the larger one, not is one less, equal is a comparison of the two. Everything else is as
//! in `bool-to-int32`: choices between truth values, components, constants and block parameters are floats, and one bit
//! lives only right behind what finds it and right before what decides by it.
//!
//! For targets without integers: after `int-to-float`, which leaves no comparison of integers where it can.
//!
//! NIR: `nir_lower_bool_to_float`.

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::passes::util::bools::{Image, lower};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Encodes booleans as floats: 1.0 or 0.0.",
    ..PassInfo::edits("bool-to-float", opening!("bool_to_float.rs"), |ed, _| lower(ed, Image::Float))
};

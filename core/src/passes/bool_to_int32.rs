//! `bool-to-int32`: encodes booleans as 32-bit integers: all ones or zero.
//!
//! ```text
//!                                             %5: b32 = b2i %2
//!                                             %6: b32 = ineg %5
//!   %4: b1 = iand %2, %3               =>     …
//!                                             %9: b32 = iand %6, %8
//!                                             %4: b1 = ine %9, %10
//! ```
//!
//! Logic, choices between truth values, their components, constants and block parameters are done on numbers: bits in
//! common, bits of either, bits that differ, bits flipped. A truth value is made a number right behind what finds it
//! and asked whether it is zero right before what decides by it, and nowhere else. `cse` then makes each number once.
//!
//! Afterwards one bit lives only from a comparison, or whatever else finds truth, to its conversion, and from the
//! question to a condition, a conversion or a store. Parameters and results of functions stay, as do variables.
//!
//! NIR: `nir_lower_bool_to_int32`; there comparisons themselves yield 32 bits.

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::passes::util::bools::{Image, lower};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Encodes booleans as 32-bit integers: all ones or zero.",
    ..PassInfo::edits("bool-to-int32", opening!("bool_to_int32.rs"), |ed, _| lower(ed, Image::Bits))
};

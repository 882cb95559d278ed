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
//! Logic, selections between booleans, their components, constants and block parameters operate on integers:
//! bitwise and, or, xor, not. A boolean is encoded directly after the instruction that produces it and compared
//! with zero directly before the instruction that uses it, and nowhere else. `cse` then merges the conversions.
//!
//! Afterwards a one-bit value lives only from a comparison, or another instruction that produces a boolean, to its
//! conversion, and from the comparison with zero to a condition, a conversion or a store. Function parameters,
//! function results and variables are unchanged.
//!
//! NIR: `nir_lower_bool_to_int32`; there comparisons themselves yield 32 bits.

use super::pass::PassInfo;
use crate::util::bools::{BoolEncoding, lower};
use vitrine_ir::base::opening::opening;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Encodes booleans as 32-bit integers: all ones or zero.",
    ..PassInfo::edits("bool-to-int32", opening!("bool_to_int32.rs"), |ed, _| lower(ed, BoolEncoding::Bits))
};

//! Diagnostics of the reader: their codes, and a limit on their number.

use crate::ir::{Anchor, Diag, Diags};

/// The header, the end of the file, lengths of instructions.
pub(super) const HEADER: &str = "S001";
/// An opcode or an enumerant that nobody knows.
pub(super) const UNKNOWN: &str = "S002";
/// An instruction is too short, or stands where it may not.
pub(super) const LAYOUT: &str = "S003";
/// An id is defined twice, or not at all, or as something else.
pub(super) const IDS: &str = "S004";
/// A type that cannot be.
pub(super) const TYPES: &str = "S005";
/// A constant that cannot be.
pub(super) const CONSTANTS: &str = "S006";
/// Operands do not fit an instruction.
pub(super) const OPERANDS: &str = "S007";
/// Blocks, branches, phis.
pub(super) const CONTROL: &str = "S008";
/// Something that the IR cannot say.
pub(super) const BEYOND: &str = "S009";
/// Something that was left out, and changes nothing.
pub(super) const LEFT_OUT: &str = "S010";
/// More than can be taken apart in the memory there is.
pub(super) const TOO_LARGE: &str = "S011";

/// Most diagnostics that are kept: a damaged module would repeat itself for megabytes.
const MOST: usize = 100;

/// An error.
pub(super) fn error(code: &'static str, at: Anchor) -> Diag {
    Diag::error(code, at)
}

/// Adds a diagnostic unless there are too many.
pub(super) fn push(diags: &mut Diags, diag: Diag) {
    if diags.len() < MOST {
        diags.push(diag);
    } else if diags.len() == MOST {
        let more = Diag::error(HEADER, Anchor::Module).says("there is more to say than fits here");
        diags.push(more.help("mend what is said above first"));
    }
}

/// The SPIR-V name of an opcode, such as `OpLoad`.
pub(super) fn opcode(opcode: u16) -> String {
    match crate::spirv::op(opcode) {
        Some(op) => op.name.clone(),
        None => format!("opcode {opcode}"),
    }
}

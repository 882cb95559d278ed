//! Codes of the diagnostics of this back end, and the diagnostic for a declaration. Diagnostics for an
//! instruction are made by the function writer, which knows the name of the instruction.

use vitrine_ir::{Anchor, Diag, Help};

/// A function without a tree, or with registers that are not allowed.
pub(super) const SHAPE: &str = "W101";
/// An operation without an instruction in SPIR-V.
pub(super) const NO_INSTRUCTION: &str = "W102";
/// Unknown full type.
pub(super) const NO_TYPE: &str = "W103";
/// A declaration that cannot be written.
pub(super) const DECLARATION: &str = "W104";
/// An instruction of more than 65,535 words.
pub(super) const TOO_LONG: &str = "W105";

/// A diagnostic about a declaration of the module.
pub(super) fn refuse(code: &'static str, message: impl Into<String>, help: impl Into<Help>) -> Diag {
    Diag::error(code, Anchor::Module).says(message).help(help)
}

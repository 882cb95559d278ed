//! Questions about names, constants, and what a module declares.

/// What the engine asks about names, constants, and what a module declares.
pub(in crate::back::text) trait Declarations {}

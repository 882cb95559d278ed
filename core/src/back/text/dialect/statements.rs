//! Questions about statements: which values are written at their use, and how loops and choices look.

/// What the engine asks about statements.
pub(in crate::back::text) trait Statements {}

//! Questions about arithmetic, literals and choices.

/// What the engine asks about arithmetic, literals and choices.
pub(in crate::back::text) trait Values {}

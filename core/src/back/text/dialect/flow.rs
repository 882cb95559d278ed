//! Questions about functions, entry points and calls.

/// What the engine asks about functions, entry points and calls.
pub(in crate::back::text) trait Flow {}

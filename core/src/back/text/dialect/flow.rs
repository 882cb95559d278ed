//! Questions about functions, entry points, statements and calls.

/// What the engine asks about functions, entry points, statements and calls.
pub(in crate::back::text) trait Flow {}

//! Questions about images, atomics, barriers and system values.

/// What the engine asks about images, atomics, barriers and system values.
pub(in crate::back::text) trait Effects {}

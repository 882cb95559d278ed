//! Questions about paths into memory, addresses, loads and stores.

/// What the engine asks about paths into memory, addresses, loads and stores.
pub(in crate::back::text) trait Access {}

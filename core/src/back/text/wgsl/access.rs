//! WGSL: paths into memory, addresses, loads and stores, as the engine asks about them.

use super::Wgsl;
use crate::back::text::dialect::Access;

impl Access for Wgsl {}

//! HLSL: paths into memory, addresses, loads and stores, as the engine asks about them.

use super::Hlsl;
use crate::back::text::dialect::Access;

impl Access for Hlsl {}

//! MSL: paths into memory, addresses, loads and stores, as the engine asks about them.

use super::Msl;
use crate::back::text::dialect::Access;

impl Access for Msl {}

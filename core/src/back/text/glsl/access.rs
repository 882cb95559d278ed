//! GLSL: paths into memory, addresses, loads and stores, as the engine asks about them.

use super::Glsl;
use crate::back::text::dialect::Access;

impl Access for Glsl {}

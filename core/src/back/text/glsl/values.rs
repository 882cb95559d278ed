//! GLSL: arithmetic, literals and casts, as the engine asks about them.

use super::Glsl;
use crate::back::text::dialect::Values;

impl Values for Glsl {}

//! GLSL: names, constants and declarations, as the engine asks about them.

use super::Glsl;
use crate::back::text::dialect::Declarations;

impl Declarations for Glsl {}

//! HLSL: names, constants and declarations, as the engine asks about them.

use super::Hlsl;
use crate::back::text::dialect::Declarations;

impl Declarations for Hlsl {}

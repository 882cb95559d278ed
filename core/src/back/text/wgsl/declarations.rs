//! WGSL: names, constants and declarations, as the engine asks about them.

use super::Wgsl;
use crate::back::text::dialect::Declarations;

impl Declarations for Wgsl {}

//! MSL: names, constants and declarations, as the engine asks about them.

use super::Msl;
use crate::back::text::dialect::Declarations;

impl Declarations for Msl {}

//! GLSL: loops, choices, and what is written at its use, as the engine asks about them.

use super::Glsl;
use crate::back::text::dialect::Statements;

impl Statements for Glsl {}

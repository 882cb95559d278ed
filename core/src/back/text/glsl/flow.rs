//! GLSL: functions, entry points and calls, as the engine asks about them.

use super::Glsl;
use crate::back::text::dialect::Flow;

impl Flow for Glsl {}

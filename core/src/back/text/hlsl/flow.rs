//! HLSL: functions, entry points and calls, as the engine asks about them.

use super::Hlsl;
use crate::back::text::dialect::Flow;

impl Flow for Hlsl {}

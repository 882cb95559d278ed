//! WGSL: functions, entry points and calls, as the engine asks about them.

use super::Wgsl;
use crate::back::text::dialect::Flow;

impl Flow for Wgsl {}

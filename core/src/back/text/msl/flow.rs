//! MSL: functions, entry points and calls, as the engine asks about them.

use super::Msl;
use crate::back::text::dialect::Flow;

impl Flow for Msl {}

//! MSL: images, atomics, barriers and system values, as the engine asks about them.

use super::Msl;
use crate::back::text::dialect::Effects;

impl Effects for Msl {}

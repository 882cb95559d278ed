//! HLSL: images, atomics, barriers and system values, as the engine asks about them.

use super::Hlsl;
use crate::back::text::dialect::Effects;

impl Effects for Hlsl {}

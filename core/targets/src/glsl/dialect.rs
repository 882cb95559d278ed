//! GLSL as a dialect, in each of its versions.

use super::{es, types, words};
use crate::dialect::Dialect;
use crate::language::{Language, Version};
use crate::number::{Kind, NumberType};
use vitrine_analysis::LayoutTarget;
use vitrine_analysis::exits::Target;
use vitrine_ir::ops::Width;

/// GLSL in a version.
pub(crate) struct Glsl(pub(crate) Version);

impl Dialect for Glsl {
    fn language(&self) -> Language {
        Language::Glsl(self.0)
    }

    fn target(&self) -> Target {
        Target::Glsl
    }

    fn layout_target(&self) -> LayoutTarget {
        match self.0 {
            Version::Vulkan => LayoutTarget::Glsl,
            Version::Es300 => LayoutTarget::Essl,
            Version::Es310 => LayoutTarget::Essl310,
        }
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        words::is_reserved
    }

    fn number(&self, ty: NumberType) -> Option<String> {
        if self.0.is_es() && !es::has_number(self.0, ty) {
            return None;
        }
        types::number(ty)
    }

    fn extension(&self, ty: NumberType) -> Option<&'static str> {
        types::extension(ty)
    }

    fn literal(&self, kind: Kind, width: Width, bits: u64) -> String {
        types::literal(kind, width, bits)
    }

    fn bit_cast(&self, from: NumberType, to: Kind) -> Option<String> {
        match types::bit_cast(from, to) {
            Some(name) => Some(name.to_owned()),
            None => types::number(from.with_kind(to)),
        }
    }

    fn version_line(&self) -> Option<&'static str> {
        Some(match self.0 {
            Version::Vulkan => "#version 460",
            Version::Es310 => "#version 310 es",
            Version::Es300 => "#version 300 es",
        })
    }
}

//! The dialect of each language.

use super::dialect::Dialect;
use super::language::{Language, Version};
use super::{glsl, hlsl, msl, wgsl};
use vitrine_analysis::LayoutTarget;

impl Language {
    /// What the engine asks of the language.
    pub(super) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Language::Glsl(Version::Vulkan) => &glsl::Glsl(Version::Vulkan),
            Language::Glsl(Version::Es300) => &glsl::Glsl(Version::Es300),
            Language::Glsl(Version::Es310) => &glsl::Glsl(Version::Es310),
            Language::Wgsl => &wgsl::Wgsl,
            Language::Hlsl => &hlsl::Hlsl,
            Language::Msl => &msl::Msl,
        }
    }
}

/// The dialect whose places are those of a target.
pub(super) fn dialect_of(target: LayoutTarget) -> &'static dyn Dialect {
    match target {
        LayoutTarget::Glsl => Language::Glsl(Version::Vulkan),
        LayoutTarget::Essl => Language::Glsl(Version::Es300),
        LayoutTarget::Essl310 => Language::Glsl(Version::Es310),
        LayoutTarget::Wgsl => Language::Wgsl,
        LayoutTarget::Hlsl => Language::Hlsl,
        LayoutTarget::Msl => Language::Msl,
    }
    .dialect()
}

//! All languages: the dialect of each, and a place for what each finds out. The only file of the engine that knows them.

use super::dialect::Dialect;
use super::language::{Language, Version};
use super::{glsl, hlsl, msl, wgsl};
use crate::analysis::LayoutTarget;

/// What each language finds out about a module for itself. The fields of each are its own.
#[derive(Default)]
pub(super) struct Own {
    pub(super) glsl: glsl::State,
    pub(super) wgsl: wgsl::State,
    pub(super) hlsl: hlsl::State,
    pub(super) msl: msl::State,
}

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

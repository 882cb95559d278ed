//! The languages, by name: what chooses a dialect from outside.

use super::dialect::Dialect;
use super::{glsl, hlsl, msl, wgsl};
use crate::analysis::LayoutTarget;

/// A version of GLSL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// GLSL ES 3.00, of WebGL2.
    Es300,
    /// GLSL ES 3.10.
    Es310,
    /// GLSL 4.60 for Vulkan.
    Vulkan,
}

impl Version {
    /// Returns true for GLSL ES.
    pub(super) fn is_es(self) -> bool {
        self != Version::Vulkan
    }
}

/// What each language finds out about a module for itself. The fields of each are its own.
#[derive(Default)]
pub(super) struct Own {
    pub(super) glsl: glsl::State,
    pub(super) wgsl: wgsl::State,
    pub(super) hlsl: hlsl::State,
    pub(super) msl: msl::State,
}

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// GLSL.
    Glsl(Version),
    /// WGSL.
    Wgsl,
    /// HLSL 2021 for shader model 6.6.
    Hlsl,
    /// The Metal Shading Language.
    Msl,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] = &[
        Language::Glsl(Version::Vulkan),
        Language::Glsl(Version::Es300),
        Language::Glsl(Version::Es310),
        Language::Wgsl,
        Language::Hlsl,
        Language::Msl,
    ];

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

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::Glsl(Version::Vulkan) => "GLSL 4.60",
            Language::Glsl(Version::Es300) => "GLSL ES 3.00",
            Language::Glsl(Version::Es310) => "GLSL ES 3.10",
            Language::Wgsl => "WGSL",
            Language::Msl => "MSL",
            Language::Hlsl => "HLSL",
        }
    }

    /// The preset that prepares a module.
    pub fn preset(self) -> &'static str {
        match self {
            Language::Glsl(Version::Vulkan) => "glsl-out",
            Language::Glsl(Version::Es300) => "essl-out",
            Language::Glsl(Version::Es310) => "essl-310-out",
            Language::Wgsl => "wgsl-out",
            Language::Msl => "msl-out",
            Language::Hlsl => "hlsl-out",
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

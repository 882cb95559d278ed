//! The columns of the spellings: one for each language, and for each version that differs.

use crate::language::{Language, Version};

/// A language with a column of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    /// GLSL 4.60 for Vulkan.
    Glsl,
    /// GLSL ES 3.10.
    Es310,
    /// GLSL ES 3.00.
    Es300,
    /// HLSL.
    Hlsl,
    /// WGSL.
    Wgsl,
    /// The Metal Shading Language.
    Msl,
}

impl Column {
    pub(super) fn of(language: Language) -> Column {
        match language {
            Language::Glsl(Version::Vulkan) => Column::Glsl,
            Language::Glsl(Version::Es310) => Column::Es310,
            Language::Glsl(Version::Es300) => Column::Es300,
            Language::Hlsl => Column::Hlsl,
            Language::Wgsl => Column::Wgsl,
            Language::Msl => Column::Msl,
        }
    }
}

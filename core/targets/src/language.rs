//! The languages by name, for those outside.

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

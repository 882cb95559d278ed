//! The dialects, and what the engine asks of each: types, literals, casts, the table of operations.

use super::expr::Grammar;
use super::number::{Kind, NumberType};
use super::{glsl, hlsl, msl, wgsl};
use crate::analysis::LayoutTarget;
use crate::analysis::exits::Target;
use crate::ops::Width;

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
pub enum Dialect {
    /// GLSL.
    Glsl(Version),
    /// WGSL.
    Wgsl,
    /// HLSL 2021 for shader model 6.6.
    Hlsl,
    /// The Metal Shading Language.
    Msl,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &'static [Dialect] = &[
        Dialect::Glsl(Version::Vulkan),
        Dialect::Glsl(Version::Es300),
        Dialect::Glsl(Version::Es310),
        Dialect::Wgsl,
        Dialect::Hlsl,
        Dialect::Msl,
    ];

    /// Returns true for a version of GLSL.
    pub(super) fn is_glsl(self) -> bool {
        matches!(self, Dialect::Glsl(_))
    }

    /// Returns true for a version of GLSL ES.
    pub(super) fn is_es(self) -> bool {
        matches!(self, Dialect::Glsl(version) if version.is_es())
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Glsl(Version::Vulkan) => "GLSL 4.60",
            Dialect::Glsl(Version::Es300) => "GLSL ES 3.00",
            Dialect::Glsl(Version::Es310) => "GLSL ES 3.10",
            Dialect::Wgsl => "WGSL",
            Dialect::Msl => "MSL",
            Dialect::Hlsl => "HLSL",
        }
    }

    /// The preset that prepares a module.
    pub fn preset(self) -> &'static str {
        match self {
            Dialect::Glsl(Version::Vulkan) => "glsl-out",
            Dialect::Glsl(Version::Es300) => "essl-out",
            Dialect::Glsl(Version::Es310) => "essl-310-out",
            Dialect::Wgsl => "wgsl-out",
            Dialect::Msl => "msl-out",
            Dialect::Hlsl => "hlsl-out",
        }
    }

    /// The line that states the version of GLSL.
    pub(super) fn version_line(self) -> Option<&'static str> {
        match self {
            Dialect::Glsl(Version::Vulkan) => Some("#version 460"),
            Dialect::Glsl(Version::Es310) => Some("#version 310 es"),
            Dialect::Glsl(Version::Es300) => Some("#version 300 es"),
            Dialect::Wgsl | Dialect::Hlsl | Dialect::Msl => None,
        }
    }

    pub(super) fn target(self) -> Target {
        match self {
            Dialect::Glsl(_) => Target::Glsl,
            Dialect::Wgsl => Target::Wgsl,
            Dialect::Msl => Target::Msl,
            Dialect::Hlsl => Target::Hlsl,
        }
    }

    /// The language as a target of layouts and places.
    pub(super) fn layout_target(self) -> LayoutTarget {
        match self {
            Dialect::Glsl(Version::Vulkan) => LayoutTarget::Glsl,
            Dialect::Glsl(Version::Es300) => LayoutTarget::Essl,
            Dialect::Glsl(Version::Es310) => LayoutTarget::Essl310,
            Dialect::Wgsl => LayoutTarget::Wgsl,
            Dialect::Hlsl => LayoutTarget::Hlsl,
            Dialect::Msl => LayoutTarget::Msl,
        }
    }

    pub(super) fn is_reserved(self) -> fn(&str) -> bool {
        match self {
            Dialect::Glsl(_) => glsl::words::is_reserved,
            Dialect::Wgsl => wgsl::words::is_reserved,
            Dialect::Msl => msl::words::is_reserved,
            Dialect::Hlsl => hlsl::words::is_reserved,
        }
    }

    /// The name of a number type. `None` if there is no such type.
    pub(super) fn number(self, ty: NumberType) -> Option<String> {
        match self {
            Dialect::Glsl(version) if version.is_es() && !glsl::es::has_number(version, ty) => None,
            Dialect::Glsl(_) => glsl::types::number(ty),
            Dialect::Wgsl => wgsl::types::number(ty),
            Dialect::Msl => msl::types::number(ty),
            Dialect::Hlsl => hlsl::types::number(ty),
        }
    }

    /// The extension that a number type needs.
    pub(super) fn extension(self, ty: NumberType) -> Option<&'static str> {
        match self {
            Dialect::Glsl(_) => glsl::types::extension(ty),
            Dialect::Wgsl => wgsl::types::extension(ty),
            Dialect::Msl => None,
            Dialect::Hlsl => None,
        }
    }

    /// A component of a constant.
    pub(super) fn literal(self, kind: Kind, width: Width, bits: u64) -> String {
        match self {
            Dialect::Glsl(_) => glsl::types::literal(kind, width, bits),
            Dialect::Wgsl => wgsl::types::literal(kind, width, bits),
            Dialect::Msl => msl::types::literal(kind, width, bits),
            Dialect::Hlsl => hlsl::types::literal(kind, width, bits),
        }
    }

    /// The function that reads the bits of a number as another kind; its type is the name if there is none.
    pub(super) fn bit_cast(self, from: NumberType, to: Kind) -> Option<String> {
        match self {
            Dialect::Glsl(_) => match glsl::types::bit_cast(from, to) {
                Some(name) => Some(name.to_owned()),
                None => glsl::types::number(from.with_kind(to)),
            },
            Dialect::Wgsl => wgsl::types::bit_cast(from, to),
            Dialect::Msl => msl::types::bit_cast(from, to),
            Dialect::Hlsl => hlsl::types::bit_cast(from, to),
        }
    }

    /// The grammar of operators.
    pub(super) fn grammar(self) -> Grammar {
        match self {
            Dialect::Glsl(_) | Dialect::Msl => Grammar::C,
            Dialect::Wgsl => Grammar::Wgsl,
            Dialect::Hlsl => Grammar::C,
        }
    }
}

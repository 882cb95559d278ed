//! Versions of programs: `vs_1_1` to `vs_3_0`, `ps_1_1` to `ps_3_0`.

use std::fmt;

/// The stage of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ShaderStage {
    /// A vertex shader.
    Vertex,
    /// A pixel shader.
    Pixel,
}

/// The version of a program: its first word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// The stage.
    pub stage: ShaderStage,
    /// Shader model, 1 to 3.
    pub major: u8,
    /// 1 for `2_x`, [`Version::SOFTWARE`] for `2_sw` and `3_sw`.
    pub minor: u8,
}

use ShaderStage::{Pixel, Vertex};

impl Version {
    /// The minor version of programs for software processing, which have no limits.
    pub const SOFTWARE: u8 = 0xff;

    /// Every version with its spelling.
    pub const ALL: &'static [(Version, &'static str)] = &[
        (Version::new(Vertex, 1, 1), "vs_1_1"),
        (Version::new(Vertex, 2, 0), "vs_2_0"),
        (Version::new(Vertex, 2, 1), "vs_2_x"),
        (Version::new(Vertex, 2, Version::SOFTWARE), "vs_2_sw"),
        (Version::new(Vertex, 3, 0), "vs_3_0"),
        (Version::new(Vertex, 3, Version::SOFTWARE), "vs_3_sw"),
        (Version::new(Pixel, 1, 1), "ps_1_1"),
        (Version::new(Pixel, 1, 2), "ps_1_2"),
        (Version::new(Pixel, 1, 3), "ps_1_3"),
        (Version::new(Pixel, 1, 4), "ps_1_4"),
        (Version::new(Pixel, 2, 0), "ps_2_0"),
        (Version::new(Pixel, 2, 1), "ps_2_x"),
        (Version::new(Pixel, 2, Version::SOFTWARE), "ps_2_sw"),
        (Version::new(Pixel, 3, 0), "ps_3_0"),
        (Version::new(Pixel, 3, Version::SOFTWARE), "ps_3_sw"),
    ];

    /// A version.
    pub const fn new(stage: ShaderStage, major: u8, minor: u8) -> Version {
        Version { stage, major, minor }
    }

    /// The version of a version token.
    pub fn from_token(token: u32) -> Option<Version> {
        let stage = match token >> 16 {
            0xfffe => Vertex,
            0xffff => Pixel,
            _ => return None,
        };
        let version = Version::new(stage, (token >> 8) as u8, token as u8);
        Version::ALL.iter().any(|&(known, _)| known == version).then_some(version)
    }

    /// The version token.
    pub fn token(self) -> u32 {
        let stage = match self.stage {
            Vertex => 0xfffe_0000,
            Pixel => 0xffff_0000,
        };
        stage | u32::from(self.number())
    }

    /// The version of a spelling; `ps.2.0`, and `2_a` and `2_b` for `2_x`, are accepted too.
    pub fn from_name(name: &str) -> Option<Version> {
        let name = name.to_ascii_lowercase().replace('.', "_");
        let name = match &*name {
            "vs_2_a" => "vs_2_x",
            "ps_2_a" | "ps_2_b" => "ps_2_x",
            other => other,
        };
        Version::ALL.iter().find(|&&(_, spelling)| spelling == name).map(|&(version, _)| version)
    }

    /// The spelling.
    pub fn name(self) -> &'static str {
        Version::ALL.iter().find(|&&(known, _)| known == self).map_or("?", |&(_, name)| name)
    }

    /// Major and minor version as a number that grows with the version: `0x0201` for `2_x`.
    pub fn number(self) -> u16 {
        u16::from(self.major) << 8 | u16::from(self.minor)
    }

    /// Returns true if instruction tokens have their length, and relative addresses a token of their own: since
    /// shader model 2.
    pub fn has_lengths(self) -> bool {
        self.major >= 2
    }

    /// Returns true for vertex shaders.
    pub fn is_vertex(self) -> bool {
        self.stage == Vertex
    }

    /// Returns true for pixel shaders of model 1: texture instructions without samplers, `r0` as the result.
    pub fn is_ps_1(self) -> bool {
        self.stage == Pixel && self.major == 1
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_names_are_inverse() {
        for &(version, name) in Version::ALL {
            assert_eq!(Version::from_token(version.token()), Some(version));
            assert_eq!(Version::from_name(name), Some(version));
            assert_eq!(version.name(), name);
        }
        assert_eq!(Version::from_token(0xffff_0301), None);
        assert_eq!(Version::from_name("ps.2.a").map(Version::name), Some("ps_2_x"));
    }
}

//! Register files: their numbers in tokens, their spellings, and the semantics of declared registers.

use super::version::{ShaderStage, Version};
use vitrine_ir::ops::words::words;

/// A register file, by its role. One type number may mean several files, depending on the version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum File {
    /// `r#`, temporary.
    Temp,
    /// `v#`, input.
    Input,
    /// `c#`, float constant.
    Const,
    /// `a#`, address (vertex shaders).
    Address,
    /// `t#`, texture coordinate or texture value (pixel shaders before model 3).
    Texture,
    /// `oPos`, `oFog`, `oPts`.
    Raster,
    /// `oD#`, color output of vertex shaders before model 3.
    ColorOut,
    /// `oT#`, texture coordinate output of vertex shaders before model 3.
    TexCoordOut,
    /// `o#`, output of vertex shaders of model 3.
    Output,
    /// `i#`, integer constant.
    ConstInt,
    /// `oC#`, color output of pixel shaders.
    Color,
    /// `oDepth`.
    Depth,
    /// `s#`, sampler.
    Sampler,
    /// `b#`, boolean constant.
    ConstBool,
    /// `aL`, the counter of the innermost `loop`.
    Loop,
    /// `h#`, temporary of half precision; reserved.
    Half,
    /// `vPos`, `vFace`.
    Misc,
    /// `l#`, label.
    Label,
    /// `p#`, predicate.
    Predicate,
}

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// Its file.
    pub file: File,
    /// Its number in the file.
    pub number: u16,
}

/// Registers with names of their own, by file; the position is the number.
const NAMED: &[(File, &[&str])] = &[
    (File::Raster, &["oPos", "oFog", "oPts"]),
    (File::Misc, &["vPos", "vFace"]),
    (File::Depth, &["oDepth"]),
    (File::Loop, &["aL"]),
];

/// Prefixes of numbered registers. Of two that fit, the longer one is meant.
const PREFIXED: &[(File, &str)] = &[
    (File::Temp, "r"),
    (File::Input, "v"),
    (File::Const, "c"),
    (File::Address, "a"),
    (File::Texture, "t"),
    (File::Raster, "oRast"),
    (File::ColorOut, "oD"),
    (File::TexCoordOut, "oT"),
    (File::Output, "o"),
    (File::ConstInt, "i"),
    (File::Color, "oC"),
    (File::Depth, "oDepth"),
    (File::Sampler, "s"),
    (File::ConstBool, "b"),
    (File::Loop, "aL"),
    (File::Half, "h"),
    (File::Misc, "vMisc"),
    (File::Label, "l"),
    (File::Predicate, "p"),
];

/// Constants per type number: larger numbers continue in types 11 to 13.
const CONSTANTS_PER_TYPE: u16 = 2048;

impl Register {
    /// A register.
    pub const fn new(file: File, number: u16) -> Register {
        Register { file, number }
    }

    /// The register of a parameter token: its type in bits 30:28 and 12:11, its number in bits 10:0.
    pub fn from_token(token: u32, version: Version) -> Option<Register> {
        let kind = token >> 28 & 7 | token >> 8 & 0x18;
        let number = (token & 0x7ff) as u16;
        let file = match (kind, version.stage) {
            (0, _) => File::Temp,
            (1, _) => File::Input,
            (2, _) => File::Const,
            (3, ShaderStage::Vertex) => File::Address,
            (3, ShaderStage::Pixel) => File::Texture,
            (4, _) => File::Raster,
            (5, _) => File::ColorOut,
            (6, _) if version.major >= 3 => File::Output,
            (6, _) => File::TexCoordOut,
            (7, _) => File::ConstInt,
            (8, _) => File::Color,
            (9, _) => File::Depth,
            (10, _) => File::Sampler,
            (11..=13, _) => {
                return Some(Register::new(File::Const, number + (kind as u16 - 10) * CONSTANTS_PER_TYPE));
            }
            (14, _) => File::ConstBool,
            (15, _) => File::Loop,
            (16, _) => File::Half,
            (17, _) => File::Misc,
            (18, _) => File::Label,
            (19, _) => File::Predicate,
            _ => return None,
        };
        Some(Register::new(file, number))
    }

    /// The bits of a parameter token that name the register.
    pub fn token(self) -> u32 {
        let (kind, number) = match self.file {
            File::Temp => (0, self.number),
            File::Input => (1, self.number),
            File::Const => match self.number / CONSTANTS_PER_TYPE {
                0 => (2, self.number),
                further => (10 + u32::from(further).min(3), self.number % CONSTANTS_PER_TYPE),
            },
            File::Address | File::Texture => (3, self.number),
            File::Raster => (4, self.number),
            File::ColorOut => (5, self.number),
            File::TexCoordOut | File::Output => (6, self.number),
            File::ConstInt => (7, self.number),
            File::Color => (8, self.number),
            File::Depth => (9, self.number),
            File::Sampler => (10, self.number),
            File::ConstBool => (14, self.number),
            File::Loop => (15, self.number),
            File::Half => (16, self.number),
            File::Misc => (17, self.number),
            File::Label => (18, self.number),
            File::Predicate => (19, self.number),
        };
        (kind & 7) << 28 | (kind & 0x18) << 8 | u32::from(number & 0x7ff)
    }

    /// The largest number of a file.
    pub fn most(file: File) -> u16 {
        match file {
            File::Const => 4 * CONSTANTS_PER_TYPE - 1,
            _ => CONSTANTS_PER_TYPE - 1,
        }
    }

    /// The register of a spelling such as `r3` or `oPos`.
    ///
    /// Returns none for an unknown spelling, and for a register that is not in the version's token set.
    pub fn from_name(name: &str, version: Version) -> Option<Register> {
        for &(file, names) in NAMED {
            let found = names.iter().position(|known| *known == name);
            if let Some(number) = found {
                return Some(Register::new(file, number as u16));
            }
        }
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (prefix, number) = name.split_at(digits);
        let number: u16 = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
        let &(file, _) = PREFIXED.iter().find(|&&(_, known)| known == prefix)?;
        let register = Register::new(file, number);
        let fits = number <= Register::most(file)
            && Register::from_token(register.token(), version) == Some(register);
        fits.then_some(register)
    }

    /// The file of a prefix such as `c`, before a relative address without a number.
    pub fn file_of_prefix(prefix: &str) -> Option<File> {
        PREFIXED.iter().find(|&&(_, known)| known == prefix).map(|&(file, _)| file)
    }

    /// The name of a register that is not spelled by prefix and number.
    pub fn own_name(self) -> Option<&'static str> {
        let &(_, names) = NAMED.iter().find(|&&(file, _)| file == self.file)?;
        names.get(usize::from(self.number)).copied()
    }

    /// The prefix of the file.
    pub fn prefix(self) -> &'static str {
        PREFIXED.iter().find(|&&(file, _)| file == self.file).map_or("?", |&(_, prefix)| prefix)
    }

    /// Appends the spelling.
    pub fn spell(self, out: &mut String) {
        match self.own_name() {
            Some(name) => out.push_str(name),
            None => {
                out.push_str(self.prefix());
                out.push_str(&self.number.to_string());
            }
        }
    }
}

words! {
    /// A semantic of declared inputs and outputs; the number is that in a declaration.
    DeclUsage;

    /// The position of a vertex.
    Position "position";
    /// Weights of bones.
    BlendWeight "blendweight";
    /// Numbers of bones.
    BlendIndices "blendindices";
    /// A normal.
    Normal "normal";
    /// The size of a point.
    PointSize "psize";
    /// Texture coordinates.
    TexCoord "texcoord";
    /// A tangent.
    Tangent "tangent";
    /// A binormal.
    Binormal "binormal";
    /// The factor of a tessellation.
    TessFactor "tessfactor";
    /// A position that is transformed already.
    TransformedPosition "positiont";
    /// A color.
    Color "color";
    /// The fog.
    Fog "fog";
    /// A depth.
    Depth "depth";
    /// A value of displacement mapping.
    Sample "sample";
}

/// The spellings of the semantics; the position is the number in a declaration.
pub const USAGES: &[&str] = DeclUsage::NAMES;

/// Texture types of declared samplers; the position is the number in a declaration. 0 is an unknown type.
pub const TEXTURE_TYPES: &[&str] = &["", "1d", "2d", "cube", "volume"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_names_are_inverse() {
        for &(version, _) in Version::ALL {
            for kind in 0..32_u32 {
                for number in [0, 1, 2, 31, 2047] {
                    let token = (kind & 7) << 28 | (kind & 0x18) << 8 | number;
                    let Some(register) = Register::from_token(token, version) else {
                        assert!(kind > 19, "{kind}");
                        continue;
                    };
                    assert_eq!(register.token(), token, "{register:?}");
                    let mut name = String::new();
                    register.spell(&mut name);
                    assert_eq!(Register::from_name(&name, version), Some(register), "{name}");
                }
            }
        }
    }

    #[test]
    fn registers_of_other_versions_are_unknown() {
        let [vs_3, ps_3, ps_2] = ["vs_3_0", "ps_3_0", "ps_2_0"].map(|name| Version::from_name(name).unwrap());
        assert_eq!(Register::from_name("t0", vs_3), None);
        assert_eq!(Register::from_name("a0", ps_3), None);
        assert_eq!(Register::from_name("oT3", ps_3), None);
        assert_eq!(Register::from_name("o3", ps_2), None);
        assert_eq!(Register::from_name("c8192", ps_2), None);
        assert_eq!(Register::from_name("r+1", ps_2), None);
    }
}

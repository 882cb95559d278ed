//! Contents of textures and buffers: words by a rule from the number of the register and a seed.

use crate::image::{ChannelKind, Dim, Format, Image};

/// The largest texture or buffer of a case, in bytes.
pub const MOST_BYTES: u64 = 1 << 24;

/// The rule for words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Integers from 0 to 8.
    Int,
    /// Floats from -2 to 2, multiples of 1/64.
    Float,
    /// Floats from 0 to 1, multiples of 1/64.
    Texel,
    /// Every word is the same.
    Value(u32),
}

impl Rule {
    /// Word `n`, for a register and a seed.
    fn word(self, n: u64, register: u64, seed: u64) -> u32 {
        let step = 37 * n + 11 * register + 5 * seed;
        let float = |value: f32| (value / 64.0).to_bits();
        match self {
            Rule::Int => ((7 * n + 3 * register + seed) % 9) as u32,
            Rule::Float => float((step % 257) as f32 - 128.0),
            Rule::Texel => float((step % 65) as f32),
            Rule::Value(word) => word,
        }
    }

    /// The bytes of a number of words.
    fn bytes(self, words: u64, register: u64, seed: u64) -> Vec<u8> {
        (0..words).flat_map(|n| self.word(n, register, seed).to_le_bytes()).collect()
    }
}

/// The contents of a resource before a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Contents {
    /// A buffer.
    Raw(Vec<u8>),
    /// A texture or a typed buffer.
    Image(Image),
}

impl Contents {
    /// A buffer of words.
    ///
    /// # Errors
    ///
    /// A sentence if it is too large.
    pub fn raw(rule: Rule, words: u32, register: u64, seed: u64) -> Result<Contents, String> {
        match u64::from(words) * 4 <= MOST_BYTES {
            true => Ok(Contents::Raw(rule.bytes(u64::from(words), register, seed))),
            false => Err(format!("a buffer of {words} words is too large")),
        }
    }

    /// An image whose channels have 32 bits: its format by name, its shape (`1d`, `2d`, `3d`, `cube`, `buffer`), width, height
    /// and depth, layers, levels and samples. The words are in the order of its bytes.
    ///
    /// # Errors
    ///
    /// A sentence if the format or the shape is unknown, or if it is too large.
    pub fn image(
        format: &str,
        dim: &str,
        size: [u32; 3],
        counts: [u32; 3],
        register: u64,
        seed: u64,
    ) -> Result<Contents, String> {
        let known = Format::from_name(format).filter(|_| format.contains("32"));
        let known =
            known.ok_or_else(|| format!("the format `{format}` does not have channels of 32 bits"))?;
        let dim = match Dim::parse(dim) {
            Some(dim @ (Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube | Dim::Buffer)) => dim,
            Some(Dim::Rect | Dim::Subpass) | None => {
                return Err(format!("the shape `{dim}` of a texture is unknown"));
            }
        };
        let mut image = Image::new(known, dim, size, counts, MOST_BYTES)
            .ok_or_else(|| format!("a texture of {size:?} texels is too large"))?;
        let rule = match known.kind() {
            ChannelKind::Float | ChannelKind::Unorm | ChannelKind::Snorm => Rule::Texel,
            ChannelKind::Sint | ChannelKind::Uint => Rule::Int,
        };
        image.bytes = rule.bytes(image.bytes.len() as u64 / 4, register, seed);
        Ok(Contents::Image(image))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Contents::Raw(bytes) => bytes,
            Contents::Image(image) => &image.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_the_rules() {
        assert_eq!(Rule::Int.word(2, 1, 3), 20 % 9);
        assert_eq!(f32::from_bits(Rule::Texel.word(0, 0, 0)), 0.0);
        assert_eq!(f32::from_bits(Rule::Texel.word(1, 1, 2)), 58.0 / 64.0);
        assert_eq!(f32::from_bits(Rule::Float.word(0, 0, 0)), -2.0);
        let Ok(Contents::Raw(bytes)) = Contents::raw(Rule::Value(7), 3, 0, 0) else { panic!("a buffer") };
        assert_eq!(bytes, [7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0]);
        assert!(Contents::raw(Rule::Int, u32::MAX, 0, 0).is_err());
        assert!(Contents::image("rgba8", "2d", [4, 4, 1], [1; 3], 0, 0).is_err());
    }
}

//! Images as small arrays of texels with a format, and samplers.
//!
//! Texels are stored by level, layer, slice, row, column and sample. Each texel has the bytes of its format,
//! with channels from the lowest bit. No tiling, no compression.

use vitrine_ir::ImageType;
use vitrine_ir::ops::{Scalar, Width};

pub use vitrine_ir::ops::Dim;

/// The encoding of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelKind {
    /// A float; an unsigned one if it has 10 or 11 bits.
    Float,
    /// A fraction in 0 to 1.
    Unorm,
    /// A fraction in -1 to 1.
    Snorm,
    /// A signed integer.
    Sint,
    /// An unsigned integer.
    Uint,
}

impl ChannelKind {
    /// Returns true if values of the channel are fractional.
    pub fn is_float(self) -> bool {
        matches!(self, ChannelKind::Float | ChannelKind::Unorm | ChannelKind::Snorm)
    }
}

/// Kind and bits of each channel, in the order of `ImageType::FORMATS`.
const FORMATS: [(ChannelKind, [u8; 4]); 42] = [
    (ChannelKind::Float, [32, 32, 32, 32]),
    (ChannelKind::Float, [32, 32, 32, 32]),
    (ChannelKind::Float, [16, 16, 16, 16]),
    (ChannelKind::Float, [32, 0, 0, 0]),
    (ChannelKind::Unorm, [8, 8, 8, 8]),
    (ChannelKind::Snorm, [8, 8, 8, 8]),
    (ChannelKind::Float, [32, 32, 0, 0]),
    (ChannelKind::Float, [16, 16, 0, 0]),
    (ChannelKind::Float, [11, 11, 10, 0]),
    (ChannelKind::Float, [16, 0, 0, 0]),
    (ChannelKind::Unorm, [16, 16, 16, 16]),
    (ChannelKind::Unorm, [10, 10, 10, 2]),
    (ChannelKind::Unorm, [16, 16, 0, 0]),
    (ChannelKind::Unorm, [8, 8, 0, 0]),
    (ChannelKind::Unorm, [16, 0, 0, 0]),
    (ChannelKind::Unorm, [8, 0, 0, 0]),
    (ChannelKind::Snorm, [16, 16, 16, 16]),
    (ChannelKind::Snorm, [16, 16, 0, 0]),
    (ChannelKind::Snorm, [8, 8, 0, 0]),
    (ChannelKind::Snorm, [16, 0, 0, 0]),
    (ChannelKind::Snorm, [8, 0, 0, 0]),
    (ChannelKind::Sint, [32, 32, 32, 32]),
    (ChannelKind::Sint, [16, 16, 16, 16]),
    (ChannelKind::Sint, [8, 8, 8, 8]),
    (ChannelKind::Sint, [32, 0, 0, 0]),
    (ChannelKind::Sint, [32, 32, 0, 0]),
    (ChannelKind::Sint, [16, 16, 0, 0]),
    (ChannelKind::Sint, [8, 8, 0, 0]),
    (ChannelKind::Sint, [16, 0, 0, 0]),
    (ChannelKind::Sint, [8, 0, 0, 0]),
    (ChannelKind::Uint, [32, 32, 32, 32]),
    (ChannelKind::Uint, [16, 16, 16, 16]),
    (ChannelKind::Uint, [8, 8, 8, 8]),
    (ChannelKind::Uint, [32, 0, 0, 0]),
    (ChannelKind::Uint, [10, 10, 10, 2]),
    (ChannelKind::Uint, [32, 32, 0, 0]),
    (ChannelKind::Uint, [16, 16, 0, 0]),
    (ChannelKind::Uint, [8, 8, 0, 0]),
    (ChannelKind::Uint, [16, 0, 0, 0]),
    (ChannelKind::Uint, [8, 0, 0, 0]),
    (ChannelKind::Uint, [64, 0, 0, 0]),
    (ChannelKind::Sint, [64, 0, 0, 0]),
];

/// A texel format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format(u8);

/// A texel: floats as the bits of an `f64`, integers extended to 64 bits.
pub type Texel = [u64; 4];

impl Format {
    /// The format with this index in `ImageType::FORMATS`; unknown ones are `rgba32f`.
    pub fn new(index: u8) -> Format {
        Format(if usize::from(index) < FORMATS.len() { index } else { 0 })
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Format> {
        ImageType::FORMATS.iter().position(|known| *known == name).map(|at| Format(at as u8))
    }

    fn entry(self) -> (ChannelKind, [u8; 4]) {
        FORMATS.get(usize::from(self.0)).copied().unwrap_or(FORMATS[0])
    }

    /// The encoding of channels.
    pub fn kind(self) -> ChannelKind {
        self.entry().0
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        self.entry().1.iter().map(|&bits| usize::from(bits)).sum::<usize>() / 8
    }

    /// Decodes a texel of [`Format::bytes`] bytes; missing channels are 0, alpha is 1.
    pub fn decode(self, bytes: &[u8]) -> Texel {
        let (kind, channels) = self.entry();
        let word = bytes.iter().rev().fold(0u128, |word, &byte| word << 8 | u128::from(byte));
        let one = if kind.is_float() { 1f64.to_bits() } else { 1 };
        let mut out = [0, 0, 0, one];
        let mut shift = 0;
        for (slot, bits) in out.iter_mut().zip(channels) {
            if bits > 0 {
                let mask = u64::MAX >> (64 - bits);
                *slot = decode_channel(kind, bits, (word >> shift) as u64 & mask);
                shift += u32::from(bits);
            }
        }
        out
    }

    /// Encodes a texel.
    pub fn encode(self, texel: Texel, bytes: &mut [u8]) {
        let (kind, channels) = self.entry();
        let mut word = 0u128;
        let mut shift = 0;
        for (value, bits) in texel.into_iter().zip(channels) {
            if bits > 0 {
                let mask = u64::MAX >> (64 - bits);
                word |= u128::from(encode_channel(kind, bits, value) & mask) << shift;
                shift += u32::from(bits);
            }
        }
        for (byte, value) in bytes.iter_mut().zip(word.to_le_bytes()) {
            *byte = value;
        }
    }
}

fn decode_channel(kind: ChannelKind, bits: u8, raw: u64) -> u64 {
    let signed = || ((raw << (64 - bits)) as i64) >> (64 - bits);
    match kind {
        ChannelKind::Uint => raw,
        ChannelKind::Sint => signed().cast_unsigned(),
        ChannelKind::Unorm => (raw as f64 / (u64::MAX >> (64 - bits)) as f64).to_bits(),
        ChannelKind::Snorm => (signed() as f64 / (u64::MAX >> (65 - bits)) as f64).max(-1.0).to_bits(),
        ChannelKind::Float => {
            let channel = match bits {
                32 => Scalar::new(Width::W32, raw),
                // A half has 10 bits of mantissa, an unsigned float of 11 bits has 6, one of 10 bits has 5.
                11 => Scalar::new(Width::W16, raw << 4),
                10 => Scalar::new(Width::W16, raw << 5),
                _ => Scalar::new(Width::W16, raw),
            };
            channel.to_f64().to_bits()
        }
    }
}

fn encode_channel(kind: ChannelKind, bits: u8, value: u64) -> u64 {
    let number = f64::from_bits(value);
    let most = u64::MAX >> (64 - bits);
    // Values out of range are clamped; NaN becomes 0.
    let fraction = |low: f64, top: u64| (number.clamp(low, 1.0) * top as f64).round_ties_even() as i64;
    match kind {
        ChannelKind::Uint => value.min(most),
        ChannelKind::Sint => {
            let (low, high) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
            value.cast_signed().clamp(low, high).cast_unsigned()
        }
        ChannelKind::Unorm => fraction(0.0, most).cast_unsigned(),
        ChannelKind::Snorm => fraction(-1.0, most >> 1).cast_unsigned(),
        ChannelKind::Float => match bits {
            32 => Scalar::float(Width::W32, number).bits(),
            11 => small_float(number, 4),
            10 => small_float(number, 5),
            _ => Scalar::float(Width::W16, number).bits(),
        },
    }
}

/// An unsigned float: a half without its sign and its lowest bits. Rounds toward zero, as in D3D.
fn small_float(number: f64, dropped: u32) -> u64 {
    if number.is_nan() {
        return Scalar::nan(Width::W16).bits() >> dropped;
    }
    Scalar::float(Width::W64, number.max(0.0)).f2f_rtz(Width::W16).bits() >> dropped
}

/// An image.
#[derive(Clone, PartialEq, Debug)]
pub struct Image {
    /// Format of its texels.
    pub format: Format,
    /// Its shape.
    pub dim: Dim,
    /// Width, height and depth of the first level, in texels; 1 for a missing axis.
    pub size: [u32; 3],
    /// Layers; six for each cube.
    pub layers: u32,
    /// Levels of detail.
    pub levels: u32,
    /// Samples of each texel.
    pub samples: u32,
    /// The texels.
    pub bytes: Vec<u8>,
}

/// A texel address; layer and sample count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct At {
    /// Column, row, slice.
    pub texel: [i64; 3],
    /// Layer, or face of a cube (six for each layer).
    pub layer: u32,
    /// Level of detail.
    pub level: u32,
    /// Sample.
    pub sample: u32,
}

impl Image {
    /// An image of zeros. `None` if it would be larger than `limit_bytes`.
    pub fn new(
        format: Format,
        dim: Dim,
        size: [u32; 3],
        counts: [u32; 3],
        limit_bytes: u64,
    ) -> Option<Image> {
        let [layers, levels, samples] = counts.map(|count| count.max(1));
        let size = size.map(|axis| axis.max(1));
        let mut image =
            Image { format, dim, size, layers, levels: levels.min(32), samples, bytes: Vec::new() };
        let bytes = image.level_offset(image.levels)?;
        (bytes <= limit_bytes).then(|| image.bytes = vec![0; bytes as usize])?;
        Some(image)
    }

    /// Width, height and depth of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|axis| (axis >> level.min(31)).max(1))
    }

    fn level_bytes(&self, level: u32) -> Option<u64> {
        let [w, h, d] = self.level_size(level).map(u64::from);
        let texels = w.checked_mul(h)?.checked_mul(d)?.checked_mul(u64::from(self.layers))?;
        texels.checked_mul(u64::from(self.samples))?.checked_mul(self.format.bytes() as u64)
    }

    fn level_offset(&self, level: u32) -> Option<u64> {
        (0..level).try_fold(0u64, |sum, level| sum.checked_add(self.level_bytes(level)?))
    }

    /// The offset of a texel in bytes; `None` outside of the image.
    pub fn offset(&self, at: At) -> Option<usize> {
        if at.level >= self.levels || at.layer >= self.layers || at.sample >= self.samples {
            return None;
        }
        let size = self.level_size(at.level);
        let mut index = u64::from(at.layer);
        for axis in [2, 1, 0] {
            let place = u32::try_from(at.texel[axis]).ok().filter(|&place| place < size[axis])?;
            index = index * u64::from(size[axis]) + u64::from(place);
        }
        let index = index * u64::from(self.samples) + u64::from(at.sample);
        usize::try_from(self.level_offset(at.level)? + index * self.format.bytes() as u64).ok()
    }

    /// The bytes of a texel; `None` outside of the image.
    pub(super) fn texel_mut(&mut self, at: At) -> Option<&mut [u8]> {
        let (start, count) = (self.offset(at)?, self.format.bytes());
        self.bytes.get_mut(start..start + count)
    }
}

/// The addressing mode for coordinates outside of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// Repeats the image.
    Repeat,
    /// Repeats the image, mirrored each time.
    Mirror,
    /// Clamps to the edge.
    Edge,
    /// Yields the border color.
    Border,
    /// Mirrors once, then clamps to the edge.
    MirrorOnce,
}

/// The comparison of a depth with the reference, which is the left operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// Never true.
    Never,
    /// `<`
    Less,
    /// `==`
    Equal,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterEqual,
    /// Always true.
    Always,
}

impl Compare {
    /// Returns true if the comparison holds.
    pub fn holds(self, reference: f64, texel: f64) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => reference < texel,
            Compare::Equal => reference == texel,
            Compare::LessEqual => reference <= texel,
            Compare::Greater => reference > texel,
            Compare::NotEqual => reference != texel,
            Compare::GreaterEqual => reference >= texel,
            Compare::Always => true,
        }
    }
}

/// A sampler.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// If set, interpolates between texels for magnification.
    pub mag_linear: bool,
    /// If set, interpolates between texels for minification.
    pub min_linear: bool,
    /// If set, interpolates between levels.
    pub mip_linear: bool,
    /// The addressing mode along each axis.
    pub wrap: [Wrap; 3],
    /// The depth comparison.
    pub compare: Compare,
    /// Added to the level of detail.
    pub bias: f32,
    /// Minimum and maximum level of detail.
    pub lod: [f32; 2],
    /// The border color.
    pub border: [f32; 4],
    /// If set, coordinates are in texels.
    pub unnormalized: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler {
            mag_linear: true,
            min_linear: true,
            mip_linear: true,
            wrap: [Wrap::Repeat; 3],
            compare: Compare::LessEqual,
            bias: 0.0,
            lod: [0.0, 1000.0],
            border: [0.0; 4],
            unnormalized: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_keeps_its_own_values() {
        for (index, name) in ImageType::FORMATS.iter().enumerate() {
            let format = Format::from_name(name).unwrap();
            assert_eq!(format, Format::new(index as u8));
            let channels = FORMATS[index].1.map(usize::from);
            assert_eq!(channels.iter().sum::<usize>() % 8, 0, "{name}");
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            if index > 0 && !name.starts_with("r11") && !name.starts_with("rgb10") {
                assert_eq!(digits(name), channels[0].to_string(), "{name}");
            }
            // Every byte pattern that decodes to a number survives a round trip.
            for seed in 0..200u64 {
                let mut bytes = vec![0u8; format.bytes()];
                for (at, byte) in bytes.iter_mut().enumerate() {
                    *byte = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (at % 8 * 8)) as u8;
                }
                let texel = format.decode(&bytes);
                let mut again = vec![0u8; format.bytes()];
                format.encode(texel, &mut again);
                let is_nan =
                    format.kind().is_float() && texel.iter().any(|&channel| f64::from_bits(channel).is_nan());
                assert!(is_nan || format.decode(&again) == texel, "{name} {bytes:?} {again:?}");
            }
        }
    }

    #[test]
    fn levels_layers_and_samples_lie_apart() {
        let format = Format::from_name("rg8").unwrap();
        let image = Image::new(format, Dim::D2, [5, 3, 1], [2, 3, 2], 1 << 20).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for level in 0..3 {
            let [w, h, _] = image.level_size(level);
            for (layer, sample) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                for texel in (0..h).flat_map(|y| (0..w).map(move |x| [i64::from(x), i64::from(y), 0])) {
                    assert!(seen.insert(image.offset(At { texel, layer, level, sample }).unwrap()));
                }
            }
        }
        assert_eq!(seen.len() * 2, image.bytes.len());
        assert_eq!(seen.last().unwrap() + 2, image.bytes.len());
        for texel in [[-1, 0, 0], [5, 0, 0], [0, 3, 0], [0, 0, 1]] {
            assert_eq!(image.offset(At { texel, ..At::default() }), None);
        }
        assert_eq!(Image::new(format, Dim::D3, [1 << 20; 3], [1; 3], 1 << 30), None);
    }
}

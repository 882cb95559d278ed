//! Contents of images: patterns by name, and pictures.
//!
//! A sampled image of two dimensions becomes 64 texels wide and high, or as large as its picture, with all levels of detail;
//! others keep their size. A level has the pattern at its own texels, and the average of the picture under them.
//! Limit: 16 MB for each image.

use super::super::image::{At, ChannelKind, Dim, Image};
use vitrine_ir::base::nearest;
use vitrine_ir::base::random::Random;

/// Texels along an edge of a pattern.
const EDGE: u32 = 64;
/// Squares of the checkerboard along an edge.
const SQUARES: f64 = 8.0;
/// Size of the largest image.
const MOST_BYTES: u64 = 1 << 24;
/// Texels along an edge of the largest picture.
const MOST_EDGE: u32 = 4096;

/// A picture for images, by the name of its file: `picture = "photo.png"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The image that it was opened for.
    pub input: String,
    /// The name of its file.
    pub file: String,
    /// Width and height.
    pub size: [u32; 2],
    /// Four bytes for each pixel, row by row from the top.
    pub rgba: Vec<u8>,
}

/// The picture that a value names, if the value is a name in quotes. The one that was opened for the image comes first.
pub(super) fn named<'p>(
    pictures: &'p [Picture],
    image: &str,
    value: &str,
) -> Option<Result<&'p Picture, String>> {
    let file = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let found = pictures.iter().filter(|picture| picture.file == file);
    let found = found.max_by_key(|picture| picture.input == image);
    Some(found.ok_or_else(|| {
        format!("the picture `{file}` is not here: pictures are not kept by a reload or a link, open its file again")
    }))
}

/// The content of an image.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pattern {
    /// Black and white squares.
    Checker,
    /// Red from left to right, green from top to bottom, blue by layer or slice: texture coordinates.
    Gradient,
    /// A random color for each texel, the same at every run.
    Noise,
    /// One color.
    Plain([f64; 4]),
}

impl Pattern {
    /// The names of patterns.
    const NAMES: [(&str, Pattern); 5] = [
        ("checker", Pattern::Checker),
        ("gradient", Pattern::Gradient),
        ("noise", Pattern::Noise),
        ("white", Pattern::Plain([1.0; 4])),
        ("black", Pattern::Plain([0.0, 0.0, 0.0, 1.0])),
    ];

    /// A pattern by name, or a color: `#ff8000`, `(1, 0.5, 0, 1)`.
    pub(super) fn read(text: &str) -> Result<Pattern, String> {
        if let Some((_, pattern)) = Pattern::NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(*pattern);
        }
        if let Some(digits) = text.strip_prefix('#') {
            let number = u32::from_str_radix(digits, 16).ok().filter(|_| matches!(digits.len(), 6 | 8));
            let number =
                number.ok_or_else(|| format!("`{text}` is not a color: write #rrggbb or #rrggbbaa"))?;
            let rgba = if digits.len() == 6 { number << 8 | 0xff } else { number };
            return Ok(Pattern::Plain(rgba.to_be_bytes().map(|byte| f64::from(byte) / 255.0)));
        }
        let words: Vec<&str> = text.split([',', ' ', '(', ')']).filter(|word| !word.is_empty()).collect();
        let numbers: Option<Vec<f64>> = words.iter().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[all]) => Ok(Pattern::Plain([all; 4])),
            Some(&[r, g, b]) => Ok(Pattern::Plain([r, g, b, 1.0])),
            Some(&[r, g, b, a]) => Ok(Pattern::Plain([r, g, b, a])),
            _ => {
                let names = Pattern::NAMES.map(|(name, _)| name);
                let hint =
                    nearest(text, names).map_or(String::new(), |name| format!("did you mean `{name}`? "));
                Err(format!(
                    "`{text}` is not the content of an image: {hint}write {}, a color such as #ff8000, or its numbers",
                    names.join(", ")
                ))
            }
        }
    }

    /// Draws into an image.
    pub(super) fn draw(self, image: &mut Image) -> Result<(), String> {
        resize(image, [EDGE; 2])?;
        fill(image, |[u, v, w], texel| match self {
            Pattern::Checker => {
                let white = ((u * SQUARES) as i64 + (v * SQUARES) as i64) % 2 == 0;
                let level = f64::from(u8::from(white));
                [level, level, level, 1.0]
            }
            Pattern::Gradient => [u, v, w, 1.0],
            Pattern::Noise => noise(texel),
            Pattern::Plain(color) => color,
        });
        Ok(())
    }
}

/// Draws a picture into an image; see `Named::draw`.
pub(super) fn draw_picture(image: &mut Image, size: [u32; 2], rgba: &[u8]) -> Result<(), String> {
    let [width, height] = size;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || width.max(height) > MOST_EDGE || rgba.len() as u64 != 4 * pixels {
        return Err(format!("a picture has at least a pixel and at most {MOST_EDGE} along each edge"));
    }
    if !resize(image, size)? {
        return Err("only sampled images of two dimensions can show a picture".to_owned());
    }
    let levels: Vec<[u32; 3]> = (0..image.levels).map(|level| image.level_size(level)).collect();
    fill(image, |_, at| {
        let [w, h, _] = levels.get(at.level as usize).copied().unwrap_or([1; 3]);
        average(size, rgba, [w, h], [at.texel[0] as u32, at.texel[1] as u32])
    });
    Ok(())
}

/// The average color of the pixels under a texel of a level.
fn average([width, height]: [u32; 2], rgba: &[u8], [w, h]: [u32; 2], [x, y]: [u32; 2]) -> [f64; 4] {
    let span = |at: u32, of: u32, all: u32| {
        let start = u64::from(at) * u64::from(all) / u64::from(of.max(1));
        let end = u64::from(at + 1) * u64::from(all) / u64::from(of.max(1));
        start..end.max(start + 1).min(u64::from(all))
    };
    let mut sum = [0.0; 4];
    let mut count = 0.0f64;
    for row in span(y, h, height) {
        for column in span(x, w, width) {
            let start = 4 * (row * u64::from(width) + column) as usize;
            let pixel = rgba.get(start..start + 4).unwrap_or(&[0; 4]);
            sum.iter_mut().zip(pixel).for_each(|(sum, &byte)| *sum += f64::from(byte) / 255.0);
            count += 1.0;
        }
    }
    sum.map(|sum| sum / count.max(1.0))
}

/// Gives a sampled image of two dimensions this size. Returns false for others, which keep theirs.
fn resize(image: &mut Image, [width, height]: [u32; 2]) -> Result<bool, String> {
    if image.dim != Dim::D2 || image.samples > 1 {
        return Ok(false);
    }
    let levels = if image.levels > 1 { u32::BITS - width.max(height).leading_zeros() } else { 1 };
    let counts = [image.layers, levels, 1];
    let sized = Image::new(image.format, image.dim, [width, height, 1], counts, MOST_BYTES);
    *image =
        sized.ok_or_else(|| format!("an image of {width}×{height} texels needs more than 16 MB here"))?;
    Ok(true)
}

/// Sets every texel to a color, from its place in 0 to 1 and its address.
fn fill(image: &mut Image, color: impl Fn([f64; 3], At) -> [f64; 4]) {
    for level in 0..image.levels {
        let [w, h, d] = image.level_size(level);
        let count = |at: u64, of: u32| (at % u64::from(of), at / u64::from(of));
        for index in 0..u64::from(w) * u64::from(h) * u64::from(d) * u64::from(image.layers * image.samples) {
            let (sample, index) = count(index, image.samples);
            let (x, index) = count(index, w);
            let (y, index) = count(index, h);
            let (z, layer) = count(index, d);
            let at = At {
                texel: [x, y, z].map(|at| at as i64),
                layer: layer as u32,
                level,
                sample: sample as u32,
            };
            let middle = |at: u64, of: u32| (at as f64 + 0.5) / f64::from(of);
            let depth = if d > 1 { middle(z, d) } else { middle(layer, image.layers) };
            let rgba = color([middle(x, w), middle(y, h), depth], at);
            let texel = match image.format.kind() {
                ChannelKind::Float | ChannelKind::Unorm | ChannelKind::Snorm => rgba.map(f64::to_bits),
                ChannelKind::Sint | ChannelKind::Uint => {
                    rgba.map(|part| (part * 255.0).round_ties_even() as u64)
                }
            };
            let format = image.format;
            if let Some(bytes) = image.texel_mut(at) {
                format.encode(texel, bytes);
            }
        }
    }
}

/// A color from the address of a texel.
fn noise(at: At) -> [f64; 4] {
    let [x, y, z] = at.texel.map(|axis| axis as u64);
    let seed = x
        | y << 16
        | z << 32
        | u64::from(at.layer) << 44
        | u64::from(at.level) << 56
        | u64::from(at.sample) << 60;
    let [r, g, b, ..] = Random(seed).next().to_le_bytes().map(|byte| f64::from(byte) / 255.0);
    [r, g, b, 1.0]
}

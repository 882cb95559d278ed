//! The buffers, textures and samplers of a run as WebGPU and WebGL2 want them.
//!
//! Sampled textures have four 32-bit channels, so that no texel loses bits; storage textures have their declared format.
//! Resources that the API cannot bind are errors: buffer textures, samples, arrays of images, depth comparisons of WebGPU.
//! WebGL2 finds resources by name, and an image has its sampler with it.

use super::verdict::wide;
use crate::back::DeclaredAccess;
use crate::interp::image::{ChannelKind, Compare, Dim, Image, Sampler, Wrap};
use crate::ir::ImageType;
use vitrine_protocol::{Bytes, GpuSampler, GpuTexture};

/// Formats of storage textures: the name in SPIR-V's lower case, and in WebGPU.
const STORAGE: [(&str, &str); 17] = [
    ("rgba32f", "rgba32float"),
    ("rgba16f", "rgba16float"),
    ("r32f", "r32float"),
    ("rg32f", "rg32float"),
    ("rgba8", "rgba8unorm"),
    ("rgba8snorm", "rgba8snorm"),
    ("rgba32i", "rgba32sint"),
    ("rgba16i", "rgba16sint"),
    ("rgba8i", "rgba8sint"),
    ("r32i", "r32sint"),
    ("rg32i", "rg32sint"),
    ("rgba32ui", "rgba32uint"),
    ("rgba16ui", "rgba16uint"),
    ("rgba8ui", "rgba8uint"),
    ("r32ui", "r32uint"),
    ("rg32ui", "rg32uint"),
    ("unknown", "rgba32float"),
];

/// An image as a texture. A storage image has an access.
///
/// # Errors
///
/// The reason why WebGPU cannot bind it.
pub(super) fn texture(
    [group, binding]: [u32; 2],
    image: &Image,
    ty: &ImageType,
    filters: bool,
    access: Option<DeclaredAccess>,
) -> Result<GpuTexture, String> {
    if image.samples > 1 {
        return Err("a page cannot fill a texture with samples".to_owned());
    }
    let (dimension, view) = match (image.dim, ty.arrayed) {
        (Dim::D1, false) => ("1d", "1d"),
        (Dim::D2 | Dim::Rect, false) => ("2d", "2d"),
        (Dim::D2 | Dim::Rect, true) => ("2d", "2d-array"),
        (Dim::D3, _) => ("3d", "3d"),
        (Dim::Cube, false) => ("2d", "cube"),
        (Dim::Cube, true) => ("2d", "cube-array"),
        (Dim::D1, true) => return Err("WebGPU has no arrays of 1d textures".to_owned()),
        (Dim::Buffer, _) => return Err("WebGPU has no buffer textures".to_owned()),
        (Dim::Subpass, _) => return Err("WebGPU has no input attachments".to_owned()),
    };
    let [width, height, depth] = image.size;
    let size = [width, height, if dimension == "3d" { depth } else { image.layers }];
    // A 1d texture has one level.
    let levels = if dimension == "1d" { 1 } else { image.levels };
    let made = GpuTexture {
        group,
        binding,
        dimension: dimension.to_owned(),
        view: view.to_owned(),
        texel: 16,
        size,
        levels,
        filters,
        access: access.map_or("", word).to_owned(),
        ..GpuTexture::default()
    };
    if access.is_some() {
        let name = ImageType::FORMATS.get(usize::from(ty.format)).copied().unwrap_or("unknown");
        let known = STORAGE.iter().find(|(of, _)| *of == name);
        let Some((_, format)) = known else {
            return Err(format!("WebGPU has no storage textures of `{name}`"));
        };
        return Ok(GpuTexture {
            format: (*format).to_owned(),
            texel: image.format.bytes() as u32,
            bytes: Bytes(image.bytes.clone()),
            ..made
        });
    }
    let (format, sample) = match image.format.kind() {
        ChannelKind::Float | ChannelKind::Unorm | ChannelKind::Snorm => ("rgba32float", "float"),
        ChannelKind::Sint => ("rgba32sint", "sint"),
        ChannelKind::Uint => ("rgba32uint", "uint"),
    };
    Ok(GpuTexture { format: format.to_owned(), sample: sample.to_owned(), bytes: Bytes(wide(image)), ..made })
}

/// The word of WebGPU for the access to a storage texture.
fn word(access: DeclaredAccess) -> &'static str {
    match access {
        DeclaredAccess::Read => "read-only",
        DeclaredAccess::Write => "write-only",
        DeclaredAccess::ReadWrite => "read-write",
    }
}

/// Types of images in GLSL ES 3.00 without their prefix and suffix: dimension, view, dimension of the image.
const UNITS: [(&str, &str, &str, [Dim; 2]); 4] = [
    ("2D", "2d", "2d", [Dim::D2, Dim::Rect]),
    ("3D", "3d", "3d", [Dim::D3, Dim::D3]),
    ("Cube", "2d", "cube", [Dim::Cube, Dim::Cube]),
    ("2DArray", "2d", "2d-array", [Dim::D2, Dim::Rect]),
];

/// An image as a texture of WebGL2, for a type such as `usampler2DArray`.
///
/// # Errors
///
/// The reason why WebGL2 cannot bind it.
pub(super) fn unit(name: &str, image: &Image, ty: &str, filters: bool) -> Result<GpuTexture, String> {
    let bare = ty.trim_start_matches(['i', 'u']).trim_start_matches("sampler");
    let (bare, compares) = bare.strip_suffix("Shadow").map_or((bare, false), |bare| (bare, true));
    let known = UNITS.iter().find(|(of, _, _, dims)| *of == bare && dims.contains(&image.dim));
    let (Some((_, dimension, view, _)), 1) = (known, image.samples) else {
        return Err(format!("WebGL2 has no texture for `{ty}` with the texels of this run"));
    };
    let all = wide(image);
    let (format, sample, texel, bytes) = match (image.format.kind(), compares) {
        // A depth is the first channel.
        (_, true) => {
            let texels = all.as_chunks::<16>().0.iter();
            ("depth32float", "depth", 4, texels.flat_map(|texel| texel[..4].to_vec()).collect())
        }
        (ChannelKind::Sint, _) => ("rgba32sint", "sint", 16, all),
        (ChannelKind::Uint, _) => ("rgba32uint", "uint", 16, all),
        (ChannelKind::Float | ChannelKind::Unorm | ChannelKind::Snorm, _) => {
            ("rgba32float", "float", 16, all)
        }
    };
    let [width, height, depth] = image.size;
    Ok(GpuTexture {
        name: name.to_owned(),
        dimension: (*dimension).to_owned(),
        view: (*view).to_owned(),
        format: format.to_owned(),
        texel,
        size: [width, height, if *dimension == "3d" { depth } else { image.layers }],
        levels: image.levels,
        sample: sample.to_owned(),
        filters,
        bytes: Bytes(bytes),
        ..GpuTexture::default()
    })
}

/// A sampler, and what it loses, in words.
pub(super) fn sampler(
    [group, binding]: [u32; 2],
    of: &Sampler,
    compares: bool,
) -> (GpuSampler, Option<&'static str>) {
    let filter = |linear: bool| (if linear { "linear" } else { "nearest" }).to_owned();
    let wrap = |wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Mirror => "mirror-repeat",
        Wrap::Edge | Wrap::Border | Wrap::MirrorOnce => "clamp-to-edge",
    };
    let [address_mode_u, address_mode_v, address_mode_w] = of.wrap.map(|of| wrap(of).to_owned());
    let [lod_min_clamp, lod_max_clamp] = of.lod;
    let lost = of.wrap.iter().find_map(|wrap| match wrap {
        Wrap::Border => Some("has a border, for which the device takes the texels at the edge"),
        Wrap::MirrorOnce => Some("mirrors once, where the device takes the texels at the edge"),
        Wrap::Repeat | Wrap::Mirror | Wrap::Edge => None,
    });
    let made = GpuSampler {
        group,
        binding,
        filters: of.mag_linear || of.min_linear || of.mip_linear,
        comparison: (if compares { comparison(of.compare) } else { "" }).to_owned(),
        mag_filter: filter(of.mag_linear),
        min_filter: filter(of.min_linear),
        mipmap_filter: filter(of.mip_linear),
        address_mode_u,
        address_mode_v,
        address_mode_w,
        lod_min_clamp,
        lod_max_clamp,
    };
    (made, lost)
}

fn comparison(of: Compare) -> &'static str {
    match of {
        Compare::Never => "never",
        Compare::Less => "less",
        Compare::Equal => "equal",
        Compare::LessEqual => "less-equal",
        Compare::Greater => "greater",
        Compare::NotEqual => "not-equal",
        Compare::GreaterEqual => "greater-equal",
        Compare::Always => "always",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::image::Format;

    #[test]
    fn formats_of_storage_textures_exist_in_the_ir() {
        for (name, _) in STORAGE {
            assert!(Format::from_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn texels_are_widened_without_loss() {
        let format = Format::from_name("rgba8").unwrap_or(Format::new(0));
        let mut image = Image::new(format, Dim::D2, [2, 1, 1], [1, 2, 1], 1 << 10).unwrap();
        image.bytes = vec![255, 0, 51, 255, 0, 0, 0, 0, 255, 255, 255, 255];
        let bytes = wide(&image);
        let floats: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
        assert_eq!(floats, [1.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_border_is_told() {
        let plain = Sampler::default();
        assert_eq!(sampler([0, 1], &plain, false).1, None);
        let border = Sampler { wrap: [Wrap::Border; 3], ..plain };
        let (made, lost) = sampler([0, 1], &border, true);
        assert!(lost.is_some_and(|words| words.contains("border")));
        assert_eq!(
            (made.comparison, made.address_mode_u),
            ("less-equal".to_owned(), "clamp-to-edge".to_owned())
        );
    }
}

//! Texel lookups: the texels that a coordinate selects, with their weights.
//!
//! Vulkan does not specify the precision; here it is that of `f64` arithmetic with exact weights, with one
//! rounding of the result. Levels: `log2` of the longer derivative, by the formula of the specification,
//! without anisotropy. Coordinates past the edge of a cube face select the adjacent face, found by direction;
//! at a corner, where three faces meet, the direction decides between them.

use super::super::image::{At, Compare, Dim, Image, Sampler, Texel, Wrap};

/// A lookup: coordinate and sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup {
    pub(super) dim: Dim,
    pub(super) coord: [f64; 3],
    pub(super) layer: u32,
    pub(super) offset: [i64; 3],
    pub(super) reference: Option<f64>,
    pub(super) sampler: Sampler,
}

impl Lookup {
    /// Returns true if coordinates are in texels: by the sampler, or because the image requires it.
    fn by_texel(&self) -> bool {
        self.sampler.unnormalized || self.dim == Dim::Rect
    }
}

/// A texel with its weight; `None` is the border.
pub(super) type Tap = (Option<At>, f64);

/// The face of a cube and the position on it (0 to 1) for a direction: the table of the specification.
pub(super) fn face_of([x, y, z]: [f64; 3]) -> (u32, [f64; 2]) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, m) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, x, -y, az) } else { (5, -x, -y, az) }
    } else if ay >= ax {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    let m = if m == 0.0 { 1.0 } else { m };
    (face, [0.5 * (s / m + 1.0), 0.5 * (t / m + 1.0)])
}

/// The direction of a position on a face; positions outside of 0 to 1 lie in the plane of the face.
fn direction(face: u32, [s, t]: [f64; 2]) -> [f64; 3] {
    let (s, t) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// Level of detail for the derivatives of the coordinate along x and y.
pub(super) fn level_of_detail(image: &Image, lookup: &Lookup, changes: [[f64; 3]; 2]) -> f64 {
    let size = image.size.map(f64::from);
    let length = |change: [f64; 3]| -> f64 {
        let change = match lookup.dim {
            Dim::Cube => on_face(lookup.coord, change),
            Dim::D1 | Dim::D2 | Dim::D3 | Dim::Rect | Dim::Buffer | Dim::Subpass => change,
        };
        let axes = if lookup.dim == Dim::Cube { 2 } else { lookup.dim.axes() };
        let scale = |axis: usize| if lookup.by_texel() { 1.0 } else { size[axis] };
        let sum: f64 = (0..axes).map(|axis| (change[axis] * scale(axis)).powi(2)).sum();
        sum.sqrt()
    };
    let longest = length(changes[0]).max(length(changes[1]));
    libm::log2(longest)
}

/// The derivative of a position on a cube face for the derivative of a direction: the quotient rule.
fn on_face(at: [f64; 3], change: [f64; 3]) -> [f64; 3] {
    let step = 1.0 / 65536.0;
    let (face, [s, t]) = face_of(at);
    // A small step in the plane of the same face: exact enough for a logarithm, and total.
    let moved: [f64; 3] = std::array::from_fn(|axis| at[axis] + step * change[axis]);
    let (s2, t2, m) = match face {
        0 => (-moved[2], -moved[1], moved[0]),
        1 => (moved[2], -moved[1], -moved[0]),
        2 => (moved[0], moved[2], moved[1]),
        3 => (moved[0], -moved[2], -moved[1]),
        4 => (moved[0], -moved[1], moved[2]),
        _ => (-moved[0], -moved[1], -moved[2]),
    };
    let m = if m == 0.0 { 1.0 } else { m };
    [(0.5 * (s2 / m + 1.0) - s) / step, (0.5 * (t2 / m + 1.0) - t) / step, 0.0]
}

/// The level of detail after bias and clamping.
pub(super) fn clamp_level(sampler: &Sampler, lod: f64, min_lod: Option<f64>) -> f64 {
    let biased = lod + f64::from(sampler.bias);
    let biased = min_lod.map_or(biased, |least| biased.max(least));
    // NaN, as 0 / 0 for a constant coordinate, becomes the lowest level.
    let [low, high] = sampler.lod.map(f64::from);
    if biased >= low { biased.min(high.max(low)) } else { low }
}

/// The levels to sample, with their weights.
pub(super) fn levels(image: &Image, sampler: &Sampler, lod: f64) -> Vec<(u32, f64)> {
    let last = f64::from(image.levels - 1);
    let lod = lod.clamp(0.0, last);
    if !sampler.mip_linear {
        // Halves round down.
        let level = ((lod + 0.5).ceil() - 1.0).clamp(0.0, last);
        return vec![(level as u32, 1.0)];
    }
    let (low, part) = (lod.floor(), lod - lod.floor());
    if part == 0.0 {
        return vec![(low as u32, 1.0)];
    }
    vec![(low as u32, 1.0 - part), ((low + 1.0).min(last) as u32, part)]
}

/// The texels selected in a level, with their weights.
pub(super) fn taps(image: &Image, lookup: &Lookup, level: u32, linear: bool) -> Vec<Tap> {
    let (face, place, axes) = planar(lookup);
    let size = image.level_size(level);
    let mut corners: Vec<([i64; 3], f64)> = vec![([0; 3], 1.0)];
    for axis in 0..axes {
        let scale = if lookup.by_texel() { 1.0 } else { f64::from(size[axis]) };
        let at = place[axis] * scale + lookup.offset[axis] as f64;
        if !linear {
            corners.iter_mut().for_each(|(texel, _)| texel[axis] = whole(at));
            continue;
        }
        let at = at - 0.5;
        let (low, part) = (at.floor(), at - at.floor());
        corners = corners
            .into_iter()
            .flat_map(|(texel, weight)| {
                let mut next = texel;
                let mut this = texel;
                this[axis] = whole(low);
                next[axis] = whole(low).saturating_add(1);
                [(this, weight * (1.0 - part)), (next, weight * part)]
            })
            .collect();
    }
    corners.into_iter().map(|(texel, weight)| (resolve(image, lookup, texel, face, level), weight)).collect()
}

/// The four texels of a gather in order: lower left, lower right, upper right, upper left.
pub(super) fn gather(image: &Image, lookup: &Lookup, level: u32) -> [Option<At>; 4] {
    let (face, place, _) = planar(lookup);
    let size = image.level_size(level);
    let low: [i64; 2] = std::array::from_fn(|axis| {
        let scale = if lookup.by_texel() { 1.0 } else { f64::from(size[axis]) };
        whole(place[axis] * scale - 0.5).saturating_add(lookup.offset[axis])
    });
    [[0, 1], [1, 1], [1, 0], [0, 0]].map(|[right, below]| {
        let texel = [low[0].saturating_add(right), low[1].saturating_add(below), 0];
        resolve(image, lookup, texel, face, level)
    })
}

fn planar(lookup: &Lookup) -> (u32, [f64; 3], usize) {
    match lookup.dim {
        Dim::Cube => {
            let (face, [s, t]) = face_of(lookup.coord);
            (face, [s, t, 0.0], 2)
        }
        Dim::D1 | Dim::D2 | Dim::D3 | Dim::Rect | Dim::Buffer | Dim::Subpass => {
            (0, lookup.coord, lookup.dim.axes())
        }
    }
}

/// Rounds down to an integer; NaN is 0.
fn whole(number: f64) -> i64 {
    number.floor() as i64
}

fn resolve(image: &Image, lookup: &Lookup, texel: [i64; 3], face: u32, level: u32) -> Option<At> {
    let size = image.level_size(level);
    if lookup.dim == Dim::Cube {
        let inside = |axis: usize| texel[axis] >= 0 && texel[axis] < i64::from(size[axis]);
        let (mut face, mut texel) = (face, texel);
        if !inside(0) || !inside(1) {
            let center = |axis: usize| (texel[axis] as f64 + 0.5) / f64::from(size[axis]);
            let (other, place) = face_of(direction(face, [center(0), center(1)]));
            face = other;
            for (axis, place) in place.into_iter().enumerate() {
                texel[axis] = whole(place * f64::from(size[axis])).clamp(0, i64::from(size[axis]) - 1);
            }
        }
        return Some(At {
            texel,
            layer: lookup.layer.saturating_mul(6).saturating_add(face),
            level,
            sample: 0,
        });
    }
    let mut at = At { texel: [0; 3], layer: lookup.layer, level, sample: 0 };
    for axis in 0..lookup.dim.axes() {
        at.texel[axis] = wrap(lookup.sampler.wrap[axis], texel[axis], i64::from(size[axis]))?;
    }
    Some(at)
}

/// A texel coordinate after addressing; `None` is the border.
fn wrap(mode: Wrap, at: i64, size: i64) -> Option<i64> {
    let mirror = |at: i64| if at >= 0 { at } else { -1 - at };
    match mode {
        Wrap::Repeat => Some(at.rem_euclid(size)),
        Wrap::Mirror => Some((size - 1) - mirror(at.rem_euclid(2 * size) - size)),
        Wrap::Edge => Some(at.clamp(0, size - 1)),
        Wrap::Border => (0..size).contains(&at).then_some(at),
        Wrap::MirrorOnce => Some(mirror(at.max(-size)).clamp(0, size - 1)),
    }
}

/// The result of a depth comparison: 1 or 0.
pub(super) fn compared(compare: Compare, reference: f64, texel: Texel) -> Texel {
    let holds = compare.holds(reference, f64::from_bits(texel[0]));
    let value = if holds { 1f64 } else { 0.0 };
    [value.to_bits(), 0f64.to_bits(), 0f64.to_bits(), 1f64.to_bits()]
}

#[cfg(test)]
mod tests {
    use super::super::super::image::Format;
    use super::*;

    #[test]
    fn addressing_modes_stay_inside_the_image() {
        let of = |mode| (-5..9).map(|at| wrap(mode, at, 4)).collect::<Vec<_>>();
        let some = |list: [i64; 14]| list.map(Some).to_vec();
        assert_eq!(of(Wrap::Repeat), some([3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]));
        assert_eq!(of(Wrap::Mirror), some([3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]));
        assert_eq!(of(Wrap::Edge), some([0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]));
        assert_eq!(of(Wrap::MirrorOnce), some([3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]));
        assert_eq!(of(Wrap::Border).into_iter().flatten().collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn every_place_on_a_face_is_found_again() {
        for face in 0..6 {
            for place in [[0.25, 0.5], [0.9, 0.1], [0.5, 0.99]] {
                let (found, [s, t]) = face_of(direction(face, place));
                assert_eq!(found, face);
                assert!((s - place[0]).abs() < 1e-12 && (t - place[1]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn weights_add_up_and_levels_are_picked() {
        let image =
            Image::new(Format::from_name("r8").unwrap(), Dim::D3, [8, 4, 2], [1, 4, 1], 1 << 20).unwrap();
        let lookup = Lookup {
            dim: Dim::D3,
            coord: [0.3, -1.7, 12.2],
            layer: 0,
            offset: [1, 0, 0],
            reference: None,
            sampler: Sampler::default(),
        };
        for level in 0..4 {
            let found = taps(&image, &lookup, level, true);
            assert_eq!(found.len(), 8);
            assert!((found.iter().map(|tap| tap.1).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(found.iter().all(|tap| image.offset(tap.0.unwrap()).is_some()));
        }
        let nearest = Sampler { mip_linear: false, ..Sampler::default() };
        assert_eq!(levels(&image, &nearest, 0.5), [(0, 1.0)]);
        assert_eq!(levels(&image, &nearest, 0.51), [(1, 1.0)]);
        assert_eq!(levels(&image, &Sampler::default(), 1.25), [(1, 0.75), (2, 0.25)]);
        assert_eq!(levels(&image, &Sampler::default(), 99.0), [(3, 1.0)]);
        let lod = level_of_detail(&image, &lookup, [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0]]);
        assert_eq!(lod, 1.0);
    }
}

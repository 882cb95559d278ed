//! A triangle on the screen: the pixels that it covers, and the inputs of its fragments.
//!
//! Edges are tested in homogeneous coordinates (Olano and Greer, 1997), so that triangles with corners behind the viewer
//! need no clipping; pixels whose depth is not in 0 to 1, or where a clip distance is negative, are not covered.
//! Interpolation is that of Vulkan ("Polygons: Basic Polygon Rasterization"): perspective-correct, linear on the screen
//! for `noperspective`, and the value of the first vertex for `flat`, in 64-bit arithmetic, rounded once.
//!
//! Refuses viewports, multisampling, and rules for pixel centers on an edge: both triangles cover them.

use super::out_key::{OutKey, Outputs};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_ir::ops::{Builtin, Scalar, Width};

/// How an input of a fragment follows from those of the corners.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blend {
    Perspective,
    Screen,
    First,
}

/// An input of fragments: its bits at the corners, undefined ones are `None`.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Corners {
    width: Width,
    blend: Blend,
    bits: [Option<u64>; 3],
}

/// A triangle on the screen, with the outputs of its vertices.
#[derive(Clone, PartialEq, Debug)]
pub struct Triangle {
    /// For each corner its perspective-correct weight divided by `w`, as a linear function of the pixel position.
    edges: [[f64; 3]; 3],
    /// Depths and `w` of the corners, in clip coordinates.
    z: [f64; 3],
    w: [f64; 3],
    /// Clip distances of the corners.
    clip: Vec<[f64; 3]>,
    values: BTreeMap<OutKey, Corners>,
    front: bool,
    pub(super) number: u32,
    /// The pixels whose fragments it gives.
    pub(super) pixels: BTreeSet<[u32; 2]>,
}

impl Triangle {
    /// A triangle of three vertices; `None` if it covers nothing: a position is missing, or its area is zero.
    pub(super) fn of(
        corners: [&Outputs; 3],
        inputs: &[(OutKey, Width, Blend)],
        frame: [u32; 2],
        number: u32,
    ) -> Option<Triangle> {
        let value_of = |corner: usize, builtin: Builtin, at: u32| {
            let bits = corners[corner].get(&OutKey::BuiltIn(builtin, at)).copied()??;
            Some(f64::from(f32::from_bits(bits as u32)))
        };
        let mut positions = [[0.0; 4]; 3];
        for (corner, position) in positions.iter_mut().enumerate() {
            for (at, value) in (0..).zip(position.iter_mut()) {
                *value = value_of(corner, Builtin::Position, at).filter(|value| value.is_finite())?;
            }
        }
        let (edges, front) = edges(&positions, frame)?;
        let distance = |at: u32| {
            let each = [0, 1, 2].map(|corner| value_of(corner, Builtin::ClipDistance, at));
            each.iter().any(Option::is_some).then(|| each.map(Option::unwrap_or_default))
        };
        let values = inputs.iter().map(|&(key, width, blend)| {
            let bits = [0, 1, 2].map(|corner: usize| corners[corner].get(&key).copied().flatten());
            (key, Corners { width, blend, bits })
        });
        Some(Triangle {
            edges,
            z: positions.map(|position| position[2]),
            w: positions.map(|position| position[3]),
            clip: (0..8).map_while(distance).collect(),
            values: values.collect(),
            front,
            number,
            pixels: BTreeSet::new(),
        })
    }

    /// Returns true if it gives the fragment of a pixel.
    pub(super) fn owns(&self, pixel: [u32; 2]) -> bool {
        self.pixels.contains(&pixel)
    }

    /// The weights of the corners, each divided by `w`, at a place on the screen in pixels.
    fn weights(&self, place: [f64; 2]) -> [f64; 3] {
        self.edges.map(|[a, b, c]| a * place[0] + b * place[1] + c)
    }

    /// The depth at the center of a pixel, if the triangle covers it.
    pub(super) fn depth_at(&self, x: u32, y: u32) -> Option<f64> {
        let weights = self.weights([f64::from(x) + 0.5, f64::from(y) + 0.5]);
        let sum: f64 = weights.iter().sum();
        let is_inside = sum > 0.0 && weights.iter().all(|&weight| weight >= 0.0);
        let is_clipped = |distances: &[f64; 3]| dot(distances, &weights) < 0.0;
        let depth = dot(&self.z, &weights);
        let is_seen = (0.0..=1.0).contains(&depth) && !self.clip.iter().any(is_clipped);
        (is_inside && is_seen).then_some(depth)
    }

    /// An input of a fragment at a place on the screen, in pixels; `None` if a vertex did not write it.
    pub(super) fn value(&self, key: OutKey, place: [f64; 2]) -> Option<u64> {
        let corners = self.values.get(&key)?;
        let weights = self.weights(place);
        let weights = match corners.blend {
            Blend::First => return corners.bits[0],
            Blend::Screen => [0, 1, 2].map(|at| weights[at] * self.w[at]),
            Blend::Perspective => {
                let sum: f64 = weights.iter().sum();
                weights.map(|weight| weight / sum)
            }
        };
        let mut values = [0.0; 3];
        for (value, bits) in values.iter_mut().zip(corners.bits) {
            *value = Scalar::new(corners.width, bits?).to_f64();
        }
        Some(Scalar::float(corners.width, dot(&values, &weights)).bits())
    }

    /// An output of a vertex, as fragments see it that read it by vertex.
    pub(super) fn corner(&self, key: OutKey, vertex: u32) -> Option<u64> {
        self.values.get(&key)?.bits.get(vertex as usize).copied()?
    }

    /// A component of a system value of a fragment that the triangle determines, as 32 bits.
    pub(super) fn builtin(&self, builtin: Builtin, at: u32, place: [f64; 2]) -> Option<u64> {
        let weights = self.weights(place);
        let float = |value: f64| Some(Scalar::float(Width::W32, value).bits());
        match (builtin, at) {
            (Builtin::FragCoord, 2) => float(dot(&self.z, &weights)),
            (Builtin::FragCoord, 3) => float(weights.iter().sum()),
            (Builtin::BaryCoord, 0..3) => float(weights[at as usize] / weights.iter().sum::<f64>()),
            (Builtin::BaryCoordNoPerspective, 0..3) => float(weights[at as usize] * self.w[at as usize]),
            (Builtin::FrontFacing, 0) => Some(u64::from(self.front)),
            (Builtin::PrimitiveId, 0) => Some(u64::from(self.number)),
            (Builtin::ClipDistance, _) => self.value(OutKey::BuiltIn(builtin, at), place),
            _ => None,
        }
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The edge functions of a triangle in pixels, and a flag that is set if its corners are counterclockwise on the screen.
/// `None` for a triangle without area.
fn edges(positions: &[[f64; 4]; 3], [width, height]: [u32; 2]) -> Option<([[f64; 3]; 3], bool)> {
    let rows = positions.map(|[x, y, _, w]| [x, y, w]);
    let cross = |a: &[f64; 3], b: &[f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let [a, b, c] = &rows;
    let normals = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = dot(a, &normals[0]);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    // A pixel (x, y) is at 2 x / width - 1 in normalized coordinates.
    let [sx, sy] = [2.0 / f64::from(width.max(1)), 2.0 / f64::from(height.max(1))];
    let edges = normals.map(|normal| {
        let [x, y, one] = normal.map(|part| part / determinant);
        [x * sx, y * sy, one - x - y]
    });
    // Where `w` is positive, the determinant has the sign of the area, and y points down on the screen.
    Some((edges, determinant < 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(position: [f32; 4], value: f32) -> Outputs {
        let position = (0..).zip(position).map(|(at, part)| (OutKey::BuiltIn(Builtin::Position, at), part));
        let values = position.chain([(OutKey::Location(0, 0, 0), value)]);
        values.map(|(key, part)| (key, Some(u64::from(part.to_bits())))).collect()
    }

    fn triangle(positions: [[f32; 4]; 3], blend: Blend) -> Option<Triangle> {
        let corners: Vec<Outputs> =
            positions.iter().zip([0.0, 1.0, 4.0]).map(|(&at, value)| vertex(at, value)).collect();
        let inputs = [(OutKey::Location(0, 0, 0), Width::W32, blend)];
        Triangle::of([&corners[0], &corners[1], &corners[2]], &inputs, [4, 4], 0)
    }

    fn value(triangle: &Triangle, place: [f64; 2]) -> f32 {
        f32::from_bits(triangle.value(OutKey::Location(0, 0, 0), place).unwrap() as u32)
    }

    /// The upper left half of the frame: corners (0, 0), (4, 0) and (0, 4) in pixels.
    const HALF: [[f32; 4]; 3] = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];

    #[test]
    fn a_triangle_covers_pixel_centers_and_interpolates() {
        let half = triangle(HALF, Blend::Perspective).unwrap();
        let covered = |x: u32, y: u32| half.depth_at(x, y).is_some();
        assert!(covered(0, 0) && covered(2, 0) && covered(0, 2));
        // The center of (1, 2) is on the edge; that of (2, 2) is outside.
        assert!(covered(1, 2) && !covered(2, 2));
        assert_eq!(
            [value(&half, [2.0, 0.0]), value(&half, [0.0, 2.0]), value(&half, [2.0, 2.0])],
            [0.5, 2.0, 2.5]
        );
        // Clockwise on the screen.
        assert!(!half.front);
        assert!(triangle([HALF[0], HALF[2], HALF[1]], Blend::Perspective).unwrap().front);
        assert!(triangle([HALF[0], HALF[1], HALF[1]], Blend::Perspective).is_none());
    }

    #[test]
    fn weights_are_correct_in_perspective() {
        // The second corner is three times as far away.
        let far = [HALF[0], HALF[1].map(|part| part * 3.0), HALF[2]];
        let perspective = triangle(far, Blend::Perspective).unwrap();
        // Half way on the screen: (0 / 1 + 1 / 3) / (1 / 1 + 1 / 3).
        assert_eq!(value(&perspective, [2.0, 0.0]), 0.25);
        let screen = triangle(far, Blend::Screen).unwrap();
        assert_eq!(value(&screen, [2.0, 0.0]), 0.5);
        assert_eq!(value(&triangle(far, Blend::First).unwrap(), [2.0, 0.0]), 0.0);
        let w = perspective.builtin(Builtin::FragCoord, 3, [2.0, 0.0]).unwrap();
        assert!((f32::from_bits(w as u32) - 2.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn a_corner_behind_the_viewer_needs_no_clipping() {
        // The third corner has w = -1, and is at (0, -2) on the screen: the part with positive w lies below the edge from
        // (-1, -1) to (1, -1), and covers the frame.
        let positions = [HALF[0], HALF[1], [0.0, 2.0, 0.0, -1.0]];
        let behind = triangle(positions, Blend::Perspective).unwrap();
        let covered = (0..16).filter(|&at| behind.depth_at(at % 4, at / 4).is_some());
        assert_eq!(covered.count(), 16);
        // In the middle all weights are equal.
        assert!((value(&behind, [2.0, 2.0]) - 5.0 / 3.0).abs() < 1e-6);
    }
}

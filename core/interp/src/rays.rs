//! A small acceleration structure, and rays against it.
//!
//! Every acceleration structure of every module is this scene, whatever the inputs bind:
//!
//! | instance | custom index | mask | hit group offset | object to world | triangles | opaque |
//! |---|---|---|---|---|---|---|
//! | 0 | 7 | `0xff` | 0 | identity | three faces of a tetrahedron around the origin | yes |
//! | 1 | 11 | `0x7f` | 1 | scale by 2, then move by (0.5, 0.25, -1) | two small triangles, in front of and behind the origin | no |
//!
//! Each instance has one geometry, number 0. Traversal visits the triangles in this order. A ray intersects a triangle
//! if the parameter is greater than `tmin` and less than the current end of the ray, in 64-bit arithmetic that is
//! rounded once to 32 bits (Möller and Trumbore, 1997). There are no boxes, so that intersection shaders are not invoked.
//!
//! Models neither performance nor motion: the time of every ray is 0.

use super::interface::Leaf;
use vitrine_ir::ops::{Scalar, Width};

/// Number of triangles.
pub(super) const TRIANGLES: usize = 5;

/// A corner of a triangle, a point, or a direction.
type Vec3 = [f64; 3];

struct Instance {
    custom_index: u32,
    mask: u32,
    group: u32,
    opaque: bool,
    /// Object to world: scale and translation.
    scale: f64,
    translation: Vec3,
}

const INSTANCES: [Instance; 2] = [
    Instance { custom_index: 7, mask: 0xff, group: 0, opaque: true, scale: 1.0, translation: [0.0; 3] },
    Instance {
        custom_index: 11,
        mask: 0x7f,
        group: 1,
        opaque: false,
        scale: 2.0,
        translation: [0.5, 0.25, -1.0],
    },
];

/// Instance, number in the geometry, and corners in object space.
const SCENE: [(usize, u32, [Vec3; 3]); TRIANGLES] = [
    (0, 0, [[5.0, 5.0, 5.0], [5.0, -5.0, -5.0], [-5.0, 5.0, -5.0]]),
    (0, 1, [[5.0, 5.0, 5.0], [-5.0, -5.0, 5.0], [5.0, -5.0, -5.0]]),
    (0, 2, [[5.0, 5.0, 5.0], [-5.0, 5.0, -5.0], [-5.0, -5.0, 5.0]]),
    (1, 0, [[-0.75, -0.75, 1.0], [0.75, -0.75, 1.0], [0.0, 0.75, 1.0]]),
    (1, 1, [[-0.75, -0.75, -0.5], [0.0, 0.75, -0.5], [0.75, -0.75, -0.5]]),
];

/// Ray flags of SPIR-V.
pub(super) mod flags {
    pub(crate) const OPAQUE: u32 = 1;
    pub(crate) const NO_OPAQUE: u32 = 2;
    pub(crate) const FIRST_HIT: u32 = 4;
    pub(crate) const SKIP_CLOSEST_HIT: u32 = 8;
    pub(crate) const CULL_BACK: u32 = 0x10;
    pub(crate) const CULL_FRONT: u32 = 0x20;
    pub(crate) const CULL_OPAQUE: u32 = 0x40;
    pub(crate) const CULL_NO_OPAQUE: u32 = 0x80;
    pub(crate) const SKIP_TRIANGLES: u32 = 0x100;
}

/// A ray, as an instruction gives it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Ray {
    pub(super) flags: u32,
    pub(super) cull_mask: u32,
    /// Offset and stride of hit groups, and the number of the miss shader.
    pub(super) table: [u32; 3],
    pub(super) origin: [f32; 3],
    pub(super) tmin: f32,
    pub(super) direction: [f32; 3],
    pub(super) tmax: f32,
}

/// An intersection of a ray with a triangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Hit {
    /// Number of the triangle in the scene.
    triangle: usize,
    pub(super) t: f32,
    /// Barycentric weights of the second and the third corner.
    pub(super) barycentrics: [f32; 2],
    /// If set, the ray comes from the side on which the corners are clockwise.
    pub(super) front: bool,
    pub(super) opaque: bool,
}

fn minus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Instance {
    fn to_world(&self, at: Vec3) -> Vec3 {
        std::array::from_fn(|axis| at[axis] * self.scale + self.translation[axis])
    }
}

impl Ray {
    /// The ray number `number` of those that hit, miss and intersection shaders get if nothing traced one: it starts
    /// near the origin and points at one triangle after another, or, for a miss, at the open side of the scene.
    pub(super) fn numbered(number: u32, misses: bool) -> Ray {
        let (_, _, corners) = SCENE[number as usize % TRIANGLES];
        let instance = &INSTANCES[SCENE[number as usize % TRIANGLES].0];
        // Weights are multiples of 1/8, none of them 0.
        let weights = [[2.0, 3.0, 3.0], [4.0, 2.0, 2.0], [1.0, 2.0, 5.0], [3.0, 4.0, 1.0]];
        let weights: [f64; 3] = weights[(number / TRIANGLES as u32) as usize % weights.len()];
        let target: Vec3 = std::array::from_fn(|axis| {
            let sum: f64 =
                (0..3).map(|corner| instance.to_world(corners[corner])[axis] * weights[corner]).sum();
            sum / 8.0
        });
        let target = if misses { [-8.0 - weights[0], -3.0 - weights[1], -4.0 - weights[2]] } else { target };
        let origin = [[0.0, 0.0, 0.0], [0.125, 0.0, -0.25], [-0.25, 0.125, 0.0]][number as usize % 3];
        Ray {
            flags: 0,
            cull_mask: 0xff,
            table: [0; 3],
            origin: origin.map(|part: f64| part as f32),
            tmin: 0.0625,
            direction: minus(target, origin).map(|part| part as f32),
            tmax: 100.0,
        }
    }

    /// The intersection with a triangle of the scene before `end`, unless the flags or the mask exclude it.
    fn hit(&self, triangle: usize, end: f32) -> Option<Hit> {
        let &(instance, _, corners) = SCENE.get(triangle)?;
        let instance = INSTANCES.get(instance)?;
        let has = |flag: u32| self.flags & flag != 0;
        let opaque = instance.opaque && !has(flags::NO_OPAQUE) || has(flags::OPAQUE);
        let is_culled = has(flags::SKIP_TRIANGLES)
            || instance.mask & self.cull_mask & 0xff == 0
            || has(if opaque { flags::CULL_OPAQUE } else { flags::CULL_NO_OPAQUE });
        if is_culled {
            return None;
        }
        let [a, b, c] = corners.map(|corner| instance.to_world(corner));
        let [origin, direction] = [self.origin, self.direction].map(|part| part.map(f64::from));
        let (ab, ac) = (minus(b, a), minus(c, a));
        let normal = cross(direction, ac);
        let determinant = dot(ab, normal);
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let from_a = minus(origin, a);
        let u = dot(from_a, normal) / determinant;
        let side = cross(from_a, ab);
        let v = dot(direction, side) / determinant;
        let t = dot(ac, side) / determinant;
        let front = determinant < 0.0;
        let is_inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
        let is_between = t > f64::from(self.tmin) && t < f64::from(end);
        let is_culled = has(if front { flags::CULL_FRONT } else { flags::CULL_BACK });
        (is_inside && is_between && !is_culled).then_some(Hit {
            triangle,
            t: t as f32,
            barycentrics: [u as f32, v as f32],
            front,
            opaque,
        })
    }
}

impl Hit {
    fn instance(&self) -> (usize, &'static Instance) {
        let number = SCENE[self.triangle].0;
        (number, &INSTANCES[number])
    }

    /// Number and custom index of the instance, number of the triangle in its geometry, offset of the hit group.
    pub(super) fn numbers(&self) -> [u32; 4] {
        let (number, instance) = self.instance();
        [number as u32, instance.custom_index, SCENE[self.triangle].1, instance.group]
    }

    /// 254 for the front of a triangle, 255 for its back.
    pub(super) fn kind(&self) -> u32 {
        if self.front { 254 } else { 255 }
    }

    /// A component of the transformation, column by column: three columns of the linear part, then the translation.
    pub(super) fn transform(&self, component: u32, to_object: bool) -> Option<f32> {
        let (_, instance) = self.instance();
        let (column, row) = (component as usize / 3, component as usize % 3);
        let scale = if to_object { 1.0 / instance.scale } else { instance.scale };
        match column {
            0..3 => Some(if column == row { scale as f32 } else { 0.0 }),
            3 if to_object => Some((-instance.translation[row] * scale) as f32),
            3 => Some(instance.translation[row] as f32),
            _ => None,
        }
    }

    /// A coordinate of the corners in object space, corner by corner.
    pub(super) fn corner(&self, component: u32) -> Option<f32> {
        let corner = SCENE[self.triangle].2.get(component as usize / 3)?;
        Some(corner[component as usize % 3] as f32)
    }

    /// A point or a direction of the ray in object space.
    pub(super) fn in_object_space(&self, at: [f32; 3], is_point: bool) -> [f32; 3] {
        let (_, instance) = self.instance();
        std::array::from_fn(|axis| {
            let shift = if is_point { instance.translation[axis] } else { 0.0 };
            ((f64::from(at[axis]) - shift) / instance.scale) as f32
        })
    }
}

/// The traversal of the scene by a ray.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Traversal {
    pub(super) ray: Ray,
    /// The next triangle.
    next: usize,
    /// The triangle whose acceptance is open.
    pub(super) candidate: Option<Hit>,
    /// The closest accepted intersection.
    pub(super) committed: Option<Hit>,
}

impl Traversal {
    /// A traversal that has not started.
    pub(super) fn new(ray: Ray) -> Traversal {
        Traversal { ray, ..Traversal::default() }
    }

    /// The traversal of ray `number` of [`Ray::numbered`], whose triangle is the candidate or is accepted.
    pub(super) fn at_triangle(number: u32, is_committed: bool) -> Traversal {
        let ray = Ray::numbered(number, false);
        let hit = ray.hit(number as usize % TRIANGLES, ray.tmax);
        let [candidate, committed] = if is_committed { [None, hit] } else { [hit, None] };
        Traversal { ray, next: TRIANGLES, candidate, committed }
    }

    /// The end of the ray: the closest accepted intersection, or its own end.
    pub(super) fn end(&self) -> f32 {
        self.committed.map_or(self.ray.tmax, |hit| hit.t)
    }

    /// Continues to the next triangle that is not opaque; returns false at the end. Accepts opaque ones.
    pub(super) fn proceed(&mut self) -> bool {
        self.candidate = None;
        while self.next < TRIANGLES {
            let hit = self.ray.hit(self.next, self.end());
            self.next += 1;
            match hit {
                Some(hit) if hit.opaque => self.accept(hit),
                Some(hit) => {
                    self.candidate = Some(hit);
                    return true;
                }
                None => {}
            }
        }
        false
    }

    fn accept(&mut self, hit: Hit) {
        self.committed = Some(hit);
        if self.ray.flags & flags::FIRST_HIT != 0 {
            self.finish();
        }
    }

    /// Accepts the candidate, if there is one.
    pub(super) fn confirm(&mut self) {
        if let Some(hit) = self.candidate {
            self.accept(hit);
        }
    }

    /// Ends the traversal.
    pub(super) fn finish(&mut self) {
        self.next = TRIANGLES;
    }
}

/// The value of a scalar of a payload after a ray for which the module has no shader, or after a call of a callable
/// shader that it does not have:
///
/// * a float is half of its old value, plus a quarter of the parameter of the hit (-1 for a miss), plus a weighted sum of
///   the ray's origin and direction, whose weights depend on the offset;
/// * an integer is its old value plus 0 to 6, and a boolean is any: a hash of the other operands, the hit and the offset.
///
/// So the result depends on every operand, and on floats continuously.
pub(super) fn payload_rule(ray: &Ray, hit: Option<&Hit>, leaf: &Leaf, offset: u32, old: u64) -> u64 {
    let number = offset / 4;
    if leaf.float {
        let old = Scalar::new(leaf.width, old).to_f64();
        let weight = |at: u32| f64::from((number + at) % 5 + 1) / 64.0;
        let parts = ray.origin.iter().chain(&ray.direction).chain([&ray.tmin]);
        let sum: f64 = (0..).zip(parts).map(|(at, &part)| f64::from(part) * weight(at)).sum();
        let t = hit.map_or(-1.0, |hit| f64::from(hit.t));
        return Scalar::float(leaf.width, old * 0.5 + t * 0.25 + sum).bits();
    }
    let hit = hit.map_or([u32::MAX; 4], Hit::numbers);
    let words = [ray.flags, ray.cull_mask & 0xff, number].into_iter().chain(ray.table).chain(hit);
    let hash = words.fold(0x9e37_79b9u32, |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(0x85eb_ca6b);
        mixed ^ mixed >> 13
    });
    match leaf.width {
        Width::W1 => u64::from(hash & 1),
        _ => Scalar::new(leaf.width, old.wrapping_add(u64::from(hash % 7))).bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ray(origin: [f32; 3], direction: [f32; 3]) -> Ray {
        Ray { cull_mask: 0xff, origin, direction, tmax: 100.0, ..Ray::default() }
    }

    #[test]
    fn a_ray_hits_the_triangle_at_a_computed_distance() {
        // The small triangle in front of the origin is at z = 1 * 2 - 1 = 1 in the world.
        let mut traversal = Traversal::new(ray([0.5, 0.25, 0.0], [0.0, 0.0, 0.5]));
        assert!(traversal.proceed());
        let hit = traversal.candidate.unwrap();
        assert_eq!((hit.t, hit.numbers(), hit.opaque), (2.0, [1, 11, 0, 1], false));
        // The point is on the height, half way to the third corner: weights 1/4, 1/4, 1/2.
        assert_eq!(hit.barycentrics, [0.25, 0.5]);
        assert_eq!(hit.in_object_space([0.5, 0.25, 0.0], true), [0.0, 0.0, 0.5]);
        traversal.confirm();
        assert!(!traversal.proceed());
        assert_eq!(traversal.committed.map(|hit| hit.t), Some(2.0));
    }

    #[test]
    fn opaque_triangles_are_accepted_and_flags_exclude_them() {
        let through_face = ray([0.0; 3], [1.0, 1.0, -1.0]);
        let mut traversal = Traversal::new(through_face);
        assert!(!traversal.proceed());
        // x + y - z = 5 is the plane of the face.
        assert_eq!(traversal.committed.map(|hit| (hit.t, hit.numbers()[2])), Some((5.0 / 3.0, 0)));
        for flags in [flags::CULL_OPAQUE, flags::SKIP_TRIANGLES] {
            let mut culled = Traversal::new(Ray { flags, ..through_face });
            assert!(!culled.proceed());
            assert_eq!(culled.committed, None);
        }
        let mut masked = Traversal::new(Ray { cull_mask: 0, ..through_face });
        assert!(!masked.proceed() && masked.committed.is_none());
    }

    #[test]
    fn numbered_rays_hit_their_triangle_or_miss() {
        for number in 0..60 {
            let mut traversal = Traversal::new(Ray::numbered(number, false));
            let mut hits = Vec::new();
            while traversal.proceed() {
                hits.extend(traversal.candidate.map(|hit| hit.triangle));
            }
            hits.extend(traversal.committed.map(|hit| hit.triangle));
            assert!(hits.contains(&(number as usize % TRIANGLES)), "{number}: {hits:?}");
            let mut misses = Traversal::new(Ray::numbered(number, true));
            assert!(!misses.proceed() && misses.committed.is_none(), "{number}");
        }
    }
}

//! Levels of detail by arithmetic.
//!
//! The level is the logarithm of how many texels of level 0 the longer gradient spans (Vulkan, scale factor operation),
//! without anisotropy. For a cube the gradients are those of the place on the face, by the quotient rule.

use super::{in_width, size_as_float};
use crate::ir::{Builder, Inst, InstData};
use crate::ops::{FloatBuild, FloatOp, IntBuild, IntOp, Key, Role, TexOp, ValueType, VectorOp, Width};
use crate::passes::util::arith::Arith;
use crate::passes::util::image_operands::{Roles, dim, plane};

/// Whether a word asks for the gradients of a lookup.
pub(super) fn wants(data: &InstData, word: &str) -> bool {
    match word {
        "gradients" => true,
        "gradients-3d" => dim(data) == "3d",
        "gradients-cube" => dim(data) == "cube",
        "gradients-shadow" => data.attrs.has(Key::Shadow),
        _ => false,
    }
}

/// A lookup by gradients as one at a level.
pub(super) fn by_gradients(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles) -> Option<Inst> {
    let [ddx, ddy] = [roles.take(Role::Ddx)?, roles.take(Role::Ddy)?];
    let slopes = match dim(data) {
        "cube" => {
            let coord = roles.get(Role::Coord)?;
            on_face(b, coord, [ddx, ddy])
        }
        _ => [ddx, ddy],
    };
    let width = b.width(ddx);
    let squares = match dim(data) {
        "rect" => slopes.map(|slope| square(b, slope)),
        _ => {
            let size = size_as_float(b, data, &roles, width)?;
            slopes.map(|slope| {
                let texels = b.fmul(slope, size);
                square(b, texels)
            })
        }
    };
    let longer = b.fmax(squares[0], squares[1]);
    let double = b.flog2(longer);
    let half = b.real(double, 0.5);
    let level = b.fmul(double, half);
    Some(at_level(b, data, roles, level))
}

/// The square of a length.
fn square(b: &mut Builder<'_, '_>, value: Inst) -> Inst {
    let ty = b.type_of(value);
    if ty.components() == 1 {
        return b.fmul(value, value);
    }
    b.checked(VectorOp::FDot, ty.with_components(1), &[value, value])
}

/// Changes of a direction as changes of the place on the face it points at, which is 1 long.
///
/// With `m` the part of the direction across the face and `s` one along it, the place is `s / 2m`, and its change
/// `(ds m - s dm) / 2m²`. Signs do not matter to a length.
fn on_face(b: &mut Builder<'_, '_>, coord: Inst, slopes: [Inst; 2]) -> [Inst; 2] {
    let [x, y, z] = [0, 1, 2].map(|component| {
        let part = b.pick(coord, &[component]);
        b.fabs(part)
    });
    let mut ge = |a: Inst, c: Inst| b.checked(FloatOp::FGe, ValueType::BOOL, &[a, c]);
    let (zx, zy, is_y) = (ge(z, x), ge(z, y), ge(y, x));
    let is_z = b.iand(zx, zy);
    // The part across the face, and the two along it.
    let apart = |b: &mut Builder<'_, '_>, value: Inst| {
        let [x, y, z] = [0, 1, 2].map(|component| b.pick(value, &[component]));
        let mut choose = |on_z: Inst, on_y: Inst, on_x: Inst| {
            let ty = b.type_of(on_z);
            let other = b.checked(IntOp::Select, ty, &[is_y, on_y, on_x]);
            b.checked(IntOp::Select, ty, &[is_z, on_z, other])
        };
        let (across, first, second) = (choose(z, y, x), choose(x, x, z), choose(y, z, y));
        let along = b.join(&[first, second]);
        (b.splat(across, 2), along)
    };
    let (m, along) = apart(b, coord);
    let two = b.real(m, 2.0);
    let by = b.fmul(m, m);
    let by = b.fmul(by, two);
    slopes.map(|slope| {
        let (dm, ds) = apart(b, slope);
        let (first, second) = (b.fmul(ds, m), b.fmul(along, dm));
        let change = b.fsub(first, second);
        b.fdiv(change, by)
    })
}

/// A lookup with a bias or a least level as one at the level that the quad implies, with both.
pub(super) fn by_query(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles) -> Option<Inst> {
    let coord = roles.get(Role::Coord)?;
    let components: Vec<u8> = (0..plane(data)).collect();
    let place = b.pick(coord, &components);
    let asked = [Role::Image, Role::Sampler].into_iter().filter_map(|role| Some((role, roles.get(role)?)));
    let (of, args): (Vec<Role>, Vec<Inst>) = asked.chain([(Role::Coord, place)]).unzip();
    let ty = ValueType::bits(Width::W32, 2);
    let mut query = InstData::new(TexOp::QueryLod, ty, &args).with(Key::Roles, Role::pack(&of));
    for key in [Key::Dim, Key::Arrayed] {
        if let Some(value) = data.attrs.get(key) {
            query = query.with(key, value);
        }
    }
    let both = b.emit_with(query);
    let mut level = b.pick(both, &[1]);
    if let Some(bias) = roles.take(Role::Bias) {
        let bias = in_width(b, bias, Width::W32);
        level = b.fadd(level, bias);
    }
    Some(at_level(b, data, roles, level))
}

/// The lookup at a level, but none below the least one that it asks for.
fn at_level(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles, mut level: Inst) -> Inst {
    if let Some(least) = roles.take(Role::MinLod) {
        let width = b.width(level);
        let least = in_width(b, least, width);
        level = b.fmax(level, least);
    }
    roles.set(Role::Lod, level);
    b.emit_with(roles.put(TexOp::SampleLod, data))
}

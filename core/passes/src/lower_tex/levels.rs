//! Computation of levels of detail.
//!
//! The level is the logarithm of the number of level-0 texels that the longer gradient spans (Vulkan, scale factor
//! operation), without anisotropy. For a cube, the gradients are those of the position on the face, by the
//! quotient rule.

use super::{LookupGroup, in_width, size_as_float};
use crate::util::arith::Arith;
use crate::util::image_operands::{Roles, dim, plane};
use vitrine_ir::ops::{
    Dim, FloatBuild, FloatOp, IntBuild, IntOp, Key, Role, TexOp, ValueType, VectorOp, Width,
};
use vitrine_ir::{Builder, Inst, InstData};

/// Returns true if a group has the gradients of a lookup.
pub(super) fn is_selected(data: &InstData, group: LookupGroup) -> bool {
    match group {
        LookupGroup::Gradients => true,
        LookupGroup::Gradients3d => dim(data) == Some(Dim::D3),
        LookupGroup::GradientsCube => dim(data) == Some(Dim::Cube),
        LookupGroup::GradientsShadow => data.attrs.has(Key::Shadow),
        LookupGroup::All
        | LookupGroup::Projector
        | LookupGroup::Offset
        | LookupGroup::GatherOffsets
        | LookupGroup::ImplicitLod
        | LookupGroup::SizeLod
        | LookupGroup::Layers
        | LookupGroup::Rect
        | LookupGroup::Bias
        | LookupGroup::MinLod
        | LookupGroup::Shadow => false,
    }
}

/// Converts a lookup with gradients to one with an explicit level.
pub(super) fn by_gradients(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles) -> Option<Inst> {
    let [ddx, ddy] = [roles.take(Role::Ddx)?, roles.take(Role::Ddy)?];
    let slopes = if dim(data) == Some(Dim::Cube) {
        let coord = roles.get(Role::Coord)?;
        on_face(b, coord, [ddx, ddy])
    } else {
        [ddx, ddy]
    };
    let width = b.width(ddx);
    let squares = if dim(data) == Some(Dim::Rect) {
        slopes.map(|slope| square(b, slope))
    } else {
        let size = size_as_float(b, data, &roles, width)?;
        slopes.map(|slope| {
            let texels = b.fmul(slope, size);
            square(b, texels)
        })
    };
    let longer = b.fmax(squares[0], squares[1]);
    let double = b.flog2(longer);
    let half = b.real(double, 0.5);
    let level = b.fmul(double, half);
    Some(at_level(b, data, roles, level))
}

/// Returns the squared length of a vector.
fn square(b: &mut Builder<'_, '_>, value: Inst) -> Inst {
    let ty = b.type_of(value);
    if ty.components() == 1 {
        return b.fmul(value, value);
    }
    b.checked(VectorOp::FDot, ty.with_components(1), &[value, value])
}

/// Converts derivatives of a direction to derivatives of the position on the face that it points at, whose size is
/// 1.
///
/// With `m` the component of the direction across the face and `s` one along it, the position is `s / 2m`, and its
/// derivative `(ds m - s dm) / 2m²`. Signs do not matter for a length.
fn on_face(b: &mut Builder<'_, '_>, coord: Inst, slopes: [Inst; 2]) -> [Inst; 2] {
    let [x, y, z] = [0, 1, 2].map(|component| {
        let part = b.pick(coord, &[component]);
        b.fabs(part)
    });
    let mut ge = |a: Inst, c: Inst| b.checked(FloatOp::FGe, ValueType::BOOL, &[a, c]);
    let (zx, zy, is_y) = (ge(z, x), ge(z, y), ge(y, x));
    let is_z = b.iand(zx, zy);
    // The component across the face, and the two along it.
    let split_by_face = |b: &mut Builder<'_, '_>, value: Inst| {
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
    let (m, along) = split_by_face(b, coord);
    let two = b.real(m, 2.0);
    let divisor = b.fmul(m, m);
    let divisor = b.fmul(divisor, two);
    slopes.map(|slope| {
        let (dm, ds) = split_by_face(b, slope);
        let (first, second) = (b.fmul(ds, m), b.fmul(along, dm));
        let change = b.fsub(first, second);
        b.fdiv(change, divisor)
    })
}

/// Converts a lookup with a bias or a minimum level to one with the explicit level that the quad implies,
/// including both.
pub(super) fn by_query(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles) -> Option<Inst> {
    let coord = roles.get(Role::Coord)?;
    let components: Vec<u8> = (0..plane(data)).collect();
    let position = b.pick(coord, &components);
    let resources =
        [Role::Image, Role::Sampler].into_iter().filter_map(|role| Some((role, roles.get(role)?)));
    let (of, args): (Vec<Role>, Vec<Inst>) = resources.chain([(Role::Coord, position)]).unzip();
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

/// Returns the lookup at a level, clamped to the minimum level that it declares.
fn at_level(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles, mut level: Inst) -> Inst {
    if let Some(min_level) = roles.take(Role::MinLod) {
        let width = b.width(level);
        let min_level = in_width(b, min_level, width);
        level = b.fmax(level, min_level);
    }
    roles.set(Role::Lod, level);
    b.emit_with(roles.put(TexOp::SampleLod, data))
}

//! System values of MSL (Metal Shading Language Specification, 5.2.3). Its integers are unsigned.

use super::super::number::NumberType;
use crate::ir::{Mode, Stage};
use crate::ops::Builtin;

/// A system value.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltIn {
    /// Its attribute.
    pub(super) attribute: &'static str,
    /// The name of the parameter or of the member.
    pub(super) variable: &'static str,
    /// Its type.
    pub(super) ty: NumberType,
}

/// Mode, attribute, name of the variable.
type Row = (Mode, &'static str, &'static str);

/// What the language has of a system value: one row for each mode.
#[rustfmt::skip] // A table.
fn rows(value: Builtin) -> &'static [Row] {
    use Builtin as B;
    use Mode::{In, Out};
    match value {
        B::Position => &[(Out, "position", "position")],
        B::PointSize => &[(Out, "point_size", "point_size")],
        B::ClipDistance => &[(Out, "clip_distance", "clip_distance")],
        B::Layer => &[(Out, "render_target_array_index", "layer"), (In, "render_target_array_index", "layer")],
        B::ViewportIndex => &[
            (Out, "viewport_array_index", "viewport"),
            (In, "viewport_array_index", "viewport"),
        ],
        B::FragDepth => &[(Out, "depth(any)", "depth_out")],
        B::FragStencilRef => &[(Out, "stencil", "stencil")],
        B::SampleMask => &[(Out, "sample_mask", "mask"), (In, "sample_mask", "covered")],
        B::VertexIndex => &[(In, "vertex_id", "vertex_index")],
        B::InstanceIndex => &[(In, "instance_id", "instance_index")],
        B::BaseVertex => &[(In, "base_vertex", "base_vertex")],
        B::BaseInstance => &[(In, "base_instance", "base_instance")],
        B::FragCoord => &[(In, "position", "frag_coord")],
        B::FrontFacing => &[(In, "front_facing", "is_front")],
        B::PointCoord => &[(In, "point_coord", "point_coord")],
        B::PrimitiveId => &[(In, "primitive_id", "primitive_index")],
        B::SampleId => &[(In, "sample_id", "sample_index")],
        B::ViewIndex => &[(In, "amplification_id", "view")],
        B::BaryCoord => &[(In, "barycentric_coord", "barycentric")],
        B::BaryCoordNoPerspective => &[(In, "barycentric_coord, center_no_perspective", "barycentric")],
        B::NumWorkgroups => &[(In, "threadgroups_per_grid", "workgroups")],
        B::WorkgroupId => &[(In, "threadgroup_position_in_grid", "workgroup")],
        B::LocalInvocationId => &[(In, "thread_position_in_threadgroup", "local_id")],
        B::GlobalInvocationId => &[(In, "thread_position_in_grid", "id")],
        B::LocalInvocationIndex => &[(In, "thread_index_in_threadgroup", "local_index")],
        B::SubgroupSize => &[(In, "threads_per_simdgroup", "invocations")],
        B::NumSubgroups => &[(In, "simdgroups_per_threadgroup", "subgroups")],
        B::SubgroupId => &[(In, "simdgroup_index_in_threadgroup", "subgroup")],
        B::SubgroupLocalInvocationId => &[(In, "thread_index_in_simdgroup", "invocation")],
        B::CullDistance | B::VertexId | B::InstanceId | B::InvocationId | B::TessLevelOuter
        | B::TessLevelInner | B::TessCoord | B::PatchVertices | B::SamplePosition | B::HelperInvocation
        | B::WorkgroupSize | B::WorkDim | B::GlobalSize | B::EnqueuedWorkgroupSize | B::GlobalOffset
        | B::GlobalLinearId | B::SubgroupMaxSize | B::NumEnqueuedSubgroups | B::SubgroupEqMask
        | B::SubgroupGeMask | B::SubgroupGtMask | B::SubgroupLeMask | B::SubgroupLtMask | B::DrawIndex
        | B::PrimitiveShadingRate | B::DeviceIndex | B::ShadingRate | B::BaryCoordNoPersp
        | B::BaryCoordNoPerspCentroid | B::BaryCoordNoPerspSample | B::BaryCoordSmooth
        | B::BaryCoordSmoothCentroid | B::BaryCoordSmoothSample | B::BaryCoordPullModel | B::FullyCovered
        | B::FragSize | B::FragInvocationCount | B::PrimitivePointIndices | B::PrimitiveLineIndices
        | B::PrimitiveTriangleIndices | B::CullPrimitive | B::PrimitiveCount | B::PrimitiveIndices
        | B::TaskCount | B::MeshViewCount | B::MeshViewIndices | B::LaunchId | B::LaunchSize
        | B::WorldRayOrigin | B::WorldRayDirection | B::ObjectRayOrigin | B::ObjectRayDirection
        | B::RayTmin | B::RayTmax | B::InstanceCustomIndex | B::ObjectToWorld | B::WorldToObject
        | B::HitKind | B::HitT | B::IncomingRayFlags | B::RayGeometryIndex | B::CurrentRayTime
        | B::HitTriangleVertexPositions | B::CullMask | B::ViewportMask | B::SecondaryPosition
        | B::PositionPerView | B::WarpsPerSm | B::SmCount | B::WarpId | B::SmId => &[],
    }
}

/// The system value of an input or output.
pub(super) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let is_there = match value {
        // Simdgroups have numbers in a threadgroup only.
        Builtin::NumSubgroups | Builtin::SubgroupId => {
            matches!(stage, Stage::Compute | Stage::Kernel | Stage::Task)
        }
        // Vertices are amplified, and their fragments with them.
        Builtin::ViewIndex => matches!(stage, Stage::Vertex | Stage::Fragment),
        _ => true,
    };
    let &(_, attribute, variable) = rows(value).iter().find(|row| row.0 == mode).filter(|_| is_there)?;
    Some(BuiltIn { attribute, variable, ty: NumberType::of_builtin(value).unsigned() })
}

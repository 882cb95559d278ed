//! System values of WGSL (WGSL, 13.3.1.1). Its integers are unsigned.
//!
//! The number of a subgroup and how many there are belong to the language extension `subgroup_id`, which compilers that have
//! it allow without a word in the text.

use super::super::number::NumberType;
use crate::ir::{Mode, Stage};
use crate::ops::Builtin;

/// A system value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltIn {
    /// Its name after `@builtin`.
    pub(crate) name: &'static str,
    /// The name of the parameter or of the member.
    pub(crate) variable: &'static str,
    /// Its type.
    pub(crate) ty: NumberType,
    /// It is an array of that type, as long as the program declares it.
    pub(crate) is_array: bool,
    /// The extension that it needs.
    pub(crate) extension: Option<&'static str>,
}

/// Mode, name in WGSL, name of the variable, extension.
type Row = (Mode, &'static str, &'static str, Option<&'static str>);

/// What a system value is.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Inputs and outputs.
    Ports(&'static [Row]),
    /// Zero wherever the language runs, with the comment that states it.
    Zero(&'static str),
    /// The language has none.
    No,
}

const GROUPS: Option<&str> = Some("subgroups");

/// The form of a system value.
#[rustfmt::skip] // A table.
fn form(value: Builtin) -> Form {
    use Builtin as B;
    use Form::{No, Ports, Zero};
    use Mode::{In, Out};
    match value {
        B::Position => Ports(&[(Out, "position", "position", None)]),
        B::ClipDistance => Ports(&[(Out, "clip_distances", "clip_distances", Some("clip_distances"))]),
        B::FragCoord => Ports(&[(In, "position", "frag_coord", None)]),
        B::VertexIndex => Ports(&[(In, "vertex_index", "vertex", None)]),
        B::InstanceIndex => Ports(&[(In, "instance_index", "instance", None)]),
        B::FrontFacing => Ports(&[(In, "front_facing", "is_front", None)]),
        B::FragDepth => Ports(&[(Out, "frag_depth", "depth", None)]),
        B::SampleId => Ports(&[(In, "sample_index", "sample", None)]),
        B::SampleMask => Ports(&[(In, "sample_mask", "covered", None), (Out, "sample_mask", "mask", None)]),
        B::NumWorkgroups => Ports(&[(In, "num_workgroups", "workgroups", None)]),
        B::WorkgroupId => Ports(&[(In, "workgroup_id", "workgroup", None)]),
        B::LocalInvocationId => Ports(&[(In, "local_invocation_id", "local_id", None)]),
        B::GlobalInvocationId => Ports(&[(In, "global_invocation_id", "id", None)]),
        B::LocalInvocationIndex => Ports(&[(In, "local_invocation_index", "local_index", None)]),
        B::SubgroupSize => Ports(&[(In, "subgroup_size", "invocations", GROUPS)]),
        B::SubgroupId => Ports(&[(In, "subgroup_id", "subgroup", GROUPS)]),
        B::NumSubgroups => Ports(&[(In, "num_subgroups", "subgroups", GROUPS)]),
        B::SubgroupLocalInvocationId => Ports(&[(In, "subgroup_invocation_id", "invocation", GROUPS)]),
        B::ShadingRate => Zero("// The shading rate is 0, one pixel: there are no others here."),
        B::ViewIndex => Zero("// The view has the index 0: there is one."),
        B::DeviceIndex => Zero("// The device has the index 0: there is one."),
        B::PointSize | B::CullDistance | B::VertexId | B::InstanceId | B::PrimitiveId | B::InvocationId
        | B::Layer | B::ViewportIndex | B::TessLevelOuter | B::TessLevelInner | B::TessCoord
        | B::PatchVertices | B::PointCoord | B::SamplePosition | B::HelperInvocation | B::WorkgroupSize
        | B::WorkDim | B::GlobalSize | B::EnqueuedWorkgroupSize | B::GlobalOffset | B::GlobalLinearId
        | B::SubgroupMaxSize | B::NumEnqueuedSubgroups | B::SubgroupEqMask | B::SubgroupGeMask
        | B::SubgroupGtMask | B::SubgroupLeMask | B::SubgroupLtMask | B::BaseVertex | B::BaseInstance
        | B::DrawIndex | B::PrimitiveShadingRate | B::BaryCoordNoPersp | B::BaryCoordNoPerspCentroid
        | B::BaryCoordNoPerspSample | B::BaryCoordSmooth | B::BaryCoordSmoothCentroid
        | B::BaryCoordSmoothSample | B::BaryCoordPullModel | B::FragStencilRef | B::FullyCovered
        | B::BaryCoord | B::BaryCoordNoPerspective | B::FragSize | B::FragInvocationCount
        | B::PrimitivePointIndices | B::PrimitiveLineIndices | B::PrimitiveTriangleIndices
        | B::CullPrimitive | B::PrimitiveCount | B::PrimitiveIndices | B::TaskCount | B::MeshViewCount
        | B::MeshViewIndices | B::LaunchId | B::LaunchSize | B::WorldRayOrigin | B::WorldRayDirection
        | B::ObjectRayOrigin | B::ObjectRayDirection | B::RayTmin | B::RayTmax | B::InstanceCustomIndex
        | B::ObjectToWorld | B::WorldToObject | B::HitKind | B::HitT | B::IncomingRayFlags
        | B::RayGeometryIndex | B::CurrentRayTime | B::HitTriangleVertexPositions | B::CullMask
        | B::ViewportMask | B::SecondaryPosition | B::PositionPerView | B::WarpsPerSm | B::SmCount
        | B::WarpId | B::SmId => No,
    }
}

/// The comment on an input that is zero wherever the language runs. `None` for other inputs.
pub(crate) fn zero(value: Builtin) -> Option<&'static str> {
    match form(value) {
        Form::Zero(comment) => Some(comment),
        Form::Ports(_) | Form::No => None,
    }
}

/// The system value of an input or output of a stage.
pub(crate) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let Form::Ports(rows) = form(value) else { return None };
    let &(_, name, variable, extension) = rows.iter().find(|row| row.0 == mode)?;
    // Vertices have no subgroups.
    if extension == GROUPS && stage == Stage::Vertex {
        return None;
    }
    let (ty, is_array) = (NumberType::of_builtin(value).unsigned(), value == Builtin::ClipDistance);
    Some(BuiltIn { name, variable, ty, is_array, extension })
}

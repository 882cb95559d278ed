//! System values of HLSL. Those of stages that rays call are in `hits`.

use crate::back::text::number::NumberType;
use crate::ir::{Mode, Stage};
use crate::ops::Builtin;

/// What states a system value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Semantic {
    /// A semantic of the language.
    Own(&'static str),
    /// A name for the attribute `vk::builtin`.
    Vulkan(&'static str),
    /// The number in SPIR-V, where the language has no word.
    Number(u32),
}

/// Mode, stage if others have no such value, what states it.
type Row = (Mode, Option<Stage>, Semantic);

/// What a system value is.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Inputs and outputs.
    Ports(&'static [Row]),
    /// A function, in all stages.
    Function(&'static str),
    /// The language has none.
    No,
}

/// The form of a system value.
#[rustfmt::skip] // A table.
fn form(value: Builtin) -> Form {
    use Builtin as B;
    use Form::{Function, No, Ports};
    use Mode::{In, Out};
    use Semantic::{Number, Own, Vulkan};
    const VERTEX: Option<Stage> = Some(Stage::Vertex);
    const GEOMETRY: Option<Stage> = Some(Stage::Geometry);
    const FRAGMENT: Option<Stage> = Some(Stage::Fragment);
    match value {
        B::Position => Ports(&[(Out, None, Own("SV_Position")), (In, GEOMETRY, Own("SV_Position"))]),
        B::FragCoord => Ports(&[(In, None, Own("SV_Position"))]),
        B::PointSize => Ports(&[(In, GEOMETRY, Vulkan("PointSize")), (Out, None, Vulkan("PointSize"))]),
        B::PrimitiveId => Ports(&[(Out, GEOMETRY, Own("SV_PrimitiveID")), (In, None, Own("SV_PrimitiveID"))]),
        B::InvocationId => Ports(&[(In, GEOMETRY, Own("SV_GSInstanceID"))]),
        B::VertexIndex => Ports(&[(In, None, Own("SV_VertexID"))]),
        B::InstanceIndex => Ports(&[(In, None, Own("SV_InstanceID"))]),
        B::FrontFacing => Ports(&[(In, None, Own("SV_IsFrontFace"))]),
        B::FragDepth => Ports(&[(Out, None, Own("SV_Depth"))]),
        B::ClipDistance => Ports(&[(Out, None, Own("SV_ClipDistance")), (In, None, Own("SV_ClipDistance"))]),
        B::CullDistance => Ports(&[(Out, None, Own("SV_CullDistance")), (In, None, Own("SV_CullDistance"))]),
        B::BaseVertex => Ports(&[(In, None, Vulkan("BaseVertex"))]),
        B::BaseInstance => Ports(&[(In, None, Vulkan("BaseInstance"))]),
        B::DrawIndex => Ports(&[(In, None, Vulkan("DrawIndex"))]),
        B::DeviceIndex => Ports(&[
            (In, VERTEX, Vulkan("DeviceIndex")),
            (In, GEOMETRY, Vulkan("DeviceIndex")),
            (In, FRAGMENT, Vulkan("DeviceIndex")),
        ]),
        B::HelperInvocation => Ports(&[(In, None, Vulkan("HelperInvocation"))]),
        B::ViewIndex => Ports(&[(In, None, Own("SV_ViewID"))]),
        B::SampleId => Ports(&[(In, None, Own("SV_SampleIndex"))]),
        B::PointCoord => Ports(&[(In, FRAGMENT, Number(16))]),
        B::SamplePosition => Ports(&[(In, FRAGMENT, Number(19))]),
        B::SampleMask => Ports(&[(In, None, Own("SV_Coverage")), (Out, None, Own("SV_Coverage"))]),
        B::Layer => Ports(&[
            (In, None, Own("SV_RenderTargetArrayIndex")),
            (Out, None, Own("SV_RenderTargetArrayIndex")),
        ]),
        B::ViewportIndex => Ports(&[
            (In, None, Own("SV_ViewportArrayIndex")),
            (Out, None, Own("SV_ViewportArrayIndex")),
        ]),
        B::FragStencilRef => Ports(&[(Out, None, Own("SV_StencilRef"))]),
        B::ShadingRate => Ports(&[(In, None, Own("SV_ShadingRate"))]),
        B::PrimitiveShadingRate => Ports(&[(Out, None, Own("SV_ShadingRate"))]),
        B::BaryCoord => Ports(&[(In, None, Own("SV_Barycentrics"))]),
        B::BaryCoordNoPerspective => Ports(&[(In, None, Own("SV_Barycentrics1"))]),
        B::WorkgroupId => Ports(&[(In, None, Own("SV_GroupID"))]),
        B::LocalInvocationId => Ports(&[(In, None, Own("SV_GroupThreadID"))]),
        B::GlobalInvocationId => Ports(&[(In, None, Own("SV_DispatchThreadID"))]),
        B::LocalInvocationIndex => Ports(&[(In, None, Own("SV_GroupIndex"))]),
        B::SubgroupLocalInvocationId => Function("WaveGetLaneIndex()"),
        B::SubgroupSize => Function("WaveGetLaneCount()"),
        B::VertexId | B::InstanceId | B::TessLevelOuter | B::TessLevelInner | B::TessCoord
        | B::PatchVertices | B::NumWorkgroups | B::WorkgroupSize | B::WorkDim | B::GlobalSize
        | B::EnqueuedWorkgroupSize | B::GlobalOffset | B::GlobalLinearId | B::SubgroupMaxSize
        | B::NumSubgroups | B::NumEnqueuedSubgroups | B::SubgroupId | B::SubgroupEqMask | B::SubgroupGeMask
        | B::SubgroupGtMask | B::SubgroupLeMask | B::SubgroupLtMask | B::BaryCoordNoPersp
        | B::BaryCoordNoPerspCentroid | B::BaryCoordNoPerspSample | B::BaryCoordSmooth
        | B::BaryCoordSmoothCentroid | B::BaryCoordSmoothSample | B::BaryCoordPullModel | B::FullyCovered
        | B::FragSize | B::FragInvocationCount | B::PrimitivePointIndices | B::PrimitiveLineIndices
        | B::PrimitiveTriangleIndices | B::CullPrimitive | B::PrimitiveCount | B::PrimitiveIndices
        | B::TaskCount | B::MeshViewCount | B::MeshViewIndices | B::LaunchId | B::LaunchSize
        | B::WorldRayOrigin | B::WorldRayDirection | B::ObjectRayOrigin | B::ObjectRayDirection
        | B::RayTmin | B::RayTmax | B::InstanceCustomIndex | B::ObjectToWorld | B::WorldToObject
        | B::HitKind | B::HitT | B::IncomingRayFlags | B::RayGeometryIndex | B::CurrentRayTime
        | B::HitTriangleVertexPositions | B::CullMask | B::ViewportMask | B::SecondaryPosition
        | B::PositionPerView | B::WarpsPerSm | B::SmCount | B::WarpId | B::SmId => No,
    }
}

/// The semantic and the type of a system value that is an input or output.
pub(super) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<(Semantic, NumberType)> {
    let Form::Ports(rows) = form(value) else { return None };
    let is_it = |row: &&Row| row.0 == mode && row.1.is_none_or(|only| only == stage);
    let &(.., semantic) = rows.iter().find(is_it)?;
    let ty = NumberType::of_builtin(value);
    let ty = match semantic {
        // The language has no signed ones.
        Semantic::Own(_) => ty.unsigned(),
        Semantic::Vulkan(_) | Semantic::Number(_) => ty,
    };
    Some((semantic, ty))
}

/// The function of a system value, with its type.
pub(super) fn function(value: Builtin) -> Option<(&'static str, NumberType)> {
    match form(value) {
        Form::Function(name) => Some((name, NumberType::of_builtin(value).unsigned())),
        Form::Ports(_) | Form::No => None,
    }
}

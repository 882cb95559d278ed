//! System values of GLSL 4.60 for Vulkan (GLSL 4.60, 7.1; GL_KHR_vulkan_glsl), and of GLSL ES.

use crate::back::text::dialect::Version;
use crate::back::text::number::{Kind, NumberType};
use crate::ir::{Mode, Stage};
use crate::ops::Builtin;

/// A system value.
#[derive(Clone, Copy, Debug)]
pub(in crate::back::text) struct BuiltIn {
    /// Its name in GLSL.
    pub(in crate::back::text) name: &'static str,
    /// Its type, or that of its elements.
    pub(in crate::back::text) ty: NumberType,
    /// The extension that declares it.
    pub(in crate::back::text) extension: Option<&'static str>,
}

impl BuiltIn {
    /// The same, declared by an extension.
    fn needs(self, extension: &'static str) -> BuiltIn {
        BuiltIn { extension: Some(extension), ..self }
    }

    /// The same as a signed integer, where the language has no unsigned one.
    fn signed(self) -> BuiltIn {
        BuiltIn { ty: self.ty.with_kind(Kind::Int), ..self }
    }
}

/// The extension of GLSL ES 3.10 for distances to planes that clip or cull.
pub(super) const DISTANCES: &str = "GL_EXT_clip_cull_distance";

/// The extension of GLSL ES 3.10 for system values of samples.
pub(super) const SAMPLES: &str = "GL_OES_sample_variables";

const BALLOT: &str = "GL_KHR_shader_subgroup_ballot";
const BASIC: &str = "GL_KHR_shader_subgroup_basic";
const RATE: &str = "GL_EXT_fragment_shading_rate";
const BARYCENTRIC: &str = "GL_EXT_fragment_shader_barycentric";

/// The system value of an input or output. `None` if the language has none there.
#[rustfmt::skip] // A table.
pub(in crate::back::text) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    use Builtin as B;
    let row = |name| BuiltIn { name, ty: NumberType::of_builtin(value), extension: None };
    // Other stages have layers and viewports by an extension.
    let of_layer = |name| match stage {
        Stage::Fragment | Stage::Geometry | Stage::Mesh => row(name),
        _ => row(name).needs("GL_ARB_shader_viewport_layer_array"),
    };
    Some(match value {
        B::Position => row("gl_Position"),
        B::PointSize => row("gl_PointSize"),
        B::ClipDistance => row("gl_ClipDistance"),
        B::CullDistance => row("gl_CullDistance"),
        B::VertexIndex => row("gl_VertexIndex"),
        B::InstanceIndex => row("gl_InstanceIndex"),
        B::BaseVertex => row("gl_BaseVertex"),
        B::BaseInstance => row("gl_BaseInstance"),
        B::DrawIndex => row("gl_DrawID"),
        B::PrimitiveId if (mode, stage) == (Mode::In, Stage::Geometry) => row("gl_PrimitiveIDIn"),
        B::PrimitiveId => row("gl_PrimitiveID"),
        B::Layer => of_layer("gl_Layer"),
        B::ViewportIndex => of_layer("gl_ViewportIndex"),
        B::InvocationId => row("gl_InvocationID"),
        B::PatchVertices => row("gl_PatchVerticesIn"),
        B::TessLevelOuter => row("gl_TessLevelOuter"),
        B::TessLevelInner => row("gl_TessLevelInner"),
        B::TessCoord => row("gl_TessCoord"),
        B::CullPrimitive => row("gl_CullPrimitiveEXT"),
        B::PrimitivePointIndices => row("gl_PrimitivePointIndicesEXT"),
        B::PrimitiveLineIndices => row("gl_PrimitiveLineIndicesEXT"),
        B::PrimitiveTriangleIndices => row("gl_PrimitiveTriangleIndicesEXT"),
        B::ShadingRate => row("gl_ShadingRateEXT").signed().needs(RATE),
        B::PrimitiveShadingRate => row("gl_PrimitiveShadingRateEXT").signed().needs(RATE),
        // Vertices have an index instead.
        B::InstanceId if stage == Stage::Vertex => return None,
        B::InstanceId => row("gl_InstanceID"),
        B::LaunchId => row("gl_LaunchIDEXT"),
        B::LaunchSize => row("gl_LaunchSizeEXT"),
        B::WorldRayOrigin => row("gl_WorldRayOriginEXT"),
        B::WorldRayDirection => row("gl_WorldRayDirectionEXT"),
        B::ObjectRayOrigin => row("gl_ObjectRayOriginEXT"),
        B::ObjectRayDirection => row("gl_ObjectRayDirectionEXT"),
        B::RayTmin => row("gl_RayTminEXT"),
        B::RayTmax => row("gl_RayTmaxEXT"),
        B::InstanceCustomIndex => row("gl_InstanceCustomIndexEXT").signed(),
        B::ObjectToWorld => row("gl_ObjectToWorldEXT"),
        B::WorldToObject => row("gl_WorldToObjectEXT"),
        B::HitKind => row("gl_HitKindEXT"),
        B::IncomingRayFlags => row("gl_IncomingRayFlagsEXT"),
        B::RayGeometryIndex => row("gl_GeometryIndexEXT").signed(),
        B::FragCoord => row("gl_FragCoord"),
        B::PointCoord => row("gl_PointCoord"),
        B::FrontFacing => row("gl_FrontFacing"),
        B::SampleId => row("gl_SampleID"),
        B::SamplePosition => row("gl_SamplePosition"),
        B::SampleMask if mode == Mode::In => row("gl_SampleMaskIn"),
        B::SampleMask => row("gl_SampleMask"),
        B::FragDepth => row("gl_FragDepth"),
        B::FragStencilRef => row("gl_FragStencilRefARB").needs("GL_ARB_shader_stencil_export"),
        B::HelperInvocation => row("gl_HelperInvocation"),
        B::NumWorkgroups => row("gl_NumWorkGroups"),
        B::WorkgroupId => row("gl_WorkGroupID"),
        B::LocalInvocationId => row("gl_LocalInvocationID"),
        B::GlobalInvocationId => row("gl_GlobalInvocationID"),
        B::LocalInvocationIndex => row("gl_LocalInvocationIndex"),
        B::ViewIndex => row("gl_ViewIndex").needs("GL_EXT_multiview"),
        B::DeviceIndex => row("gl_DeviceIndex").needs("GL_EXT_device_group"),
        B::BaryCoord => row("gl_BaryCoordEXT").needs(BARYCENTRIC),
        B::BaryCoordNoPerspective => row("gl_BaryCoordNoPerspEXT").needs(BARYCENTRIC),
        B::SubgroupSize => row("gl_SubgroupSize").needs(BASIC),
        B::NumSubgroups => row("gl_NumSubgroups").needs(BASIC),
        B::SubgroupId => row("gl_SubgroupID").needs(BASIC),
        B::SubgroupLocalInvocationId => row("gl_SubgroupInvocationID").needs(BASIC),
        B::SubgroupEqMask => row("gl_SubgroupEqMask").needs(BALLOT),
        B::SubgroupGeMask => row("gl_SubgroupGeMask").needs(BALLOT),
        B::SubgroupGtMask => row("gl_SubgroupGtMask").needs(BALLOT),
        B::SubgroupLeMask => row("gl_SubgroupLeMask").needs(BALLOT),
        B::SubgroupLtMask => row("gl_SubgroupLtMask").needs(BALLOT),
        B::VertexId | B::WorkgroupSize | B::WorkDim | B::GlobalSize | B::EnqueuedWorkgroupSize
        | B::GlobalOffset | B::GlobalLinearId | B::SubgroupMaxSize | B::NumEnqueuedSubgroups
        | B::BaryCoordNoPersp | B::BaryCoordNoPerspCentroid | B::BaryCoordNoPerspSample
        | B::BaryCoordSmooth | B::BaryCoordSmoothCentroid | B::BaryCoordSmoothSample
        | B::BaryCoordPullModel | B::FullyCovered | B::FragSize | B::FragInvocationCount
        | B::PrimitiveCount | B::PrimitiveIndices | B::TaskCount | B::MeshViewCount | B::MeshViewIndices
        | B::HitT | B::CurrentRayTime | B::HitTriangleVertexPositions | B::CullMask | B::ViewportMask
        | B::SecondaryPosition | B::PositionPerView | B::WarpsPerSm | B::SmCount | B::WarpId
        | B::SmId => return None,
    })
}

/// The first version of GLSL ES that has a system value.
#[rustfmt::skip] // A table.
fn first_version(value: Builtin) -> Option<Version> {
    use Builtin as B;
    match value {
        B::Position | B::PointSize | B::VertexIndex | B::InstanceIndex | B::BaseInstance | B::FragCoord
        | B::PointCoord | B::FrontFacing | B::FragDepth => Some(Version::Es300),
        B::HelperInvocation | B::NumWorkgroups | B::WorkgroupId | B::LocalInvocationId | B::GlobalInvocationId
        | B::LocalInvocationIndex | B::SampleId | B::SamplePosition | B::SampleMask | B::ClipDistance
        | B::CullDistance | B::SubgroupSize | B::NumSubgroups | B::SubgroupId | B::SubgroupLocalInvocationId
        | B::SubgroupEqMask | B::SubgroupGeMask | B::SubgroupGtMask | B::SubgroupLeMask
        | B::SubgroupLtMask => Some(Version::Es310),
        B::VertexId | B::InstanceId | B::PrimitiveId | B::InvocationId | B::Layer | B::ViewportIndex
        | B::TessLevelOuter | B::TessLevelInner | B::TessCoord | B::PatchVertices | B::WorkgroupSize
        | B::WorkDim | B::GlobalSize | B::EnqueuedWorkgroupSize | B::GlobalOffset | B::GlobalLinearId
        | B::SubgroupMaxSize | B::NumEnqueuedSubgroups | B::BaseVertex | B::DrawIndex
        | B::PrimitiveShadingRate | B::DeviceIndex | B::ViewIndex | B::ShadingRate | B::BaryCoordNoPersp
        | B::BaryCoordNoPerspCentroid | B::BaryCoordNoPerspSample | B::BaryCoordSmooth
        | B::BaryCoordSmoothCentroid | B::BaryCoordSmoothSample | B::BaryCoordPullModel | B::FragStencilRef
        | B::FullyCovered | B::BaryCoord | B::BaryCoordNoPerspective | B::FragSize | B::FragInvocationCount
        | B::PrimitivePointIndices | B::PrimitiveLineIndices | B::PrimitiveTriangleIndices
        | B::CullPrimitive | B::PrimitiveCount | B::PrimitiveIndices | B::TaskCount | B::MeshViewCount
        | B::MeshViewIndices | B::LaunchId | B::LaunchSize | B::WorldRayOrigin | B::WorldRayDirection
        | B::ObjectRayOrigin | B::ObjectRayDirection | B::RayTmin | B::RayTmax | B::InstanceCustomIndex
        | B::ObjectToWorld | B::WorldToObject | B::HitKind | B::HitT | B::IncomingRayFlags
        | B::RayGeometryIndex | B::CurrentRayTime | B::HitTriangleVertexPositions | B::CullMask
        | B::ViewportMask | B::SecondaryPosition | B::PositionPerView | B::WarpsPerSm | B::SmCount
        | B::WarpId | B::SmId => None,
    }
}

/// The system value of an input or output in GLSL ES.
pub(in crate::back::text) fn find_es(
    version: Version,
    value: Builtin,
    mode: Mode,
    stage: Stage,
) -> Option<BuiltIn> {
    let found = find(value, mode, stage).filter(|_| first_version(value).is_some_and(|it| it <= version))?;
    Some(match value {
        Builtin::VertexIndex => BuiltIn { name: "gl_VertexID", ..found },
        Builtin::InstanceIndex => BuiltIn { name: "gl_InstanceID", ..found },
        // Draws begin with the instance 0 (OpenGL ES 3.1, 10.5).
        Builtin::BaseInstance => BuiltIn { name: "0", ..found },
        Builtin::SampleId | Builtin::SamplePosition | Builtin::SampleMask => found.needs(SAMPLES),
        Builtin::ClipDistance | Builtin::CullDistance => found.needs(DISTANCES),
        _ => found,
    })
}

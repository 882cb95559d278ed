//! How each language names each system value: one entry for a value, with a field for each language.
//!
//! Every entry states every field, so that a new system value, or a new language, does not compile until it is
//! decided. Kinds and components stand in `ops::builtin`; what depends on the stage, and the types that a language
//! declares otherwise, in the file of the language. Sources: GLSL 4.60, 7.1, GL_KHR_vulkan_glsl; GLSL ES 3.10.5, 7.1;
//! the documentation of HLSL and of DXC's mapping to SPIR-V; WGSL, 13.3.1.1; the Metal Shading Language Specification,
//! 5.2.3.

use crate::language::Version;
use vitrine_ir::Mode::{self, In, Out};
use vitrine_ir::Stage;
use vitrine_ir::ops::Builtin;

use Call::{Always, Never, OfRays};
use Semantic::{Number, Own, Vulkan};
use Version::{Es300, Es310};
use Wgsl::{Absent, Ports, Zero};

/// How languages name a system value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelled {
    /// The name in GLSL, and the extension that declares it.
    pub(crate) glsl: Option<(&'static str, Option<&'static str>)>,
    /// The first version of GLSL ES that has it.
    pub(crate) essl: Option<Version>,
    /// Inputs and outputs in HLSL: mode, stage if others have none, what states it.
    pub(crate) hlsl: &'static [(Mode, Option<Stage>, Semantic)],
    /// The function in HLSL.
    pub(crate) call: Call,
    /// What it is in WGSL.
    pub(crate) wgsl: Wgsl,
    /// Inputs and outputs in MSL: mode, attribute, name of the variable.
    pub(crate) msl: &'static [(Mode, &'static str, &'static str)],
}

/// What states a system value in HLSL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Semantic {
    /// A semantic of the language.
    Own(&'static str),
    /// A name for the attribute `vk::builtin`.
    Vulkan(&'static str),
    /// The number in SPIR-V, where the language has no word.
    Number(u32),
}

/// The function that yields a system value in HLSL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    /// In every stage that has the value.
    Always(&'static str),
    /// In stages that rays call.
    OfRays(&'static str),
    /// There is none.
    Never,
}

/// What a system value is in WGSL.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wgsl {
    /// Inputs and outputs: mode, name, name of the variable, extension.
    Ports(&'static [(Mode, &'static str, &'static str, Option<&'static str>)]),
    /// Zero wherever the language runs, with the comment that states it.
    Zero(&'static str),
    /// The language has none.
    Absent,
}

/// The extension of WGSL for subgroups.
pub(crate) const GROUPS: Option<&str> = Some("subgroups");

const BALLOT: &str = "GL_KHR_shader_subgroup_ballot";
const BASIC: &str = "GL_KHR_shader_subgroup_basic";
const RATE: &str = "GL_EXT_fragment_shading_rate";
const BARYCENTRIC: &str = "GL_EXT_fragment_shader_barycentric";

const VERTEX: Option<Stage> = Some(Stage::Vertex);
const GEOMETRY: Option<Stage> = Some(Stage::Geometry);
const FRAGMENT: Option<Stage> = Some(Stage::Fragment);

/// The spellings of a system value.
#[rustfmt::skip] // A table.
pub(crate) fn spelled(value: Builtin) -> Spelled {
    use Builtin as B;
    match value {
        B::Position => Spelled {
            glsl: Some(("gl_Position", None)), essl: Some(Es300),
            hlsl: &[(Out, None, Own("SV_Position")), (In, GEOMETRY, Own("SV_Position"))], call: Never,
            wgsl: Ports(&[(Out, "position", "position", None)]), msl: &[(Out, "position", "position")],
        },
        B::PointSize => Spelled {
            glsl: Some(("gl_PointSize", None)), essl: Some(Es300),
            hlsl: &[(In, GEOMETRY, Vulkan("PointSize")), (Out, None, Vulkan("PointSize"))], call: Never,
            wgsl: Absent, msl: &[(Out, "point_size", "point_size")],
        },
        B::ClipDistance => Spelled {
            glsl: Some(("gl_ClipDistance", None)), essl: Some(Es310),
            hlsl: &[(Out, None, Own("SV_ClipDistance")), (In, None, Own("SV_ClipDistance"))], call: Never,
            wgsl: Ports(&[(Out, "clip_distances", "clip_distances", Some("clip_distances"))]),
            msl: &[(Out, "clip_distance", "clip_distance")],
        },
        B::CullDistance => Spelled {
            glsl: Some(("gl_CullDistance", None)), essl: Some(Es310),
            hlsl: &[(Out, None, Own("SV_CullDistance")), (In, None, Own("SV_CullDistance"))], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::InstanceId => Spelled {
            glsl: Some(("gl_InstanceID", None)), essl: None,
            hlsl: &[], call: OfRays("InstanceIndex()"),
            wgsl: Absent, msl: &[],
        },
        B::PrimitiveId => Spelled {
            glsl: Some(("gl_PrimitiveID", None)), essl: None,
            hlsl: &[(Out, GEOMETRY, Own("SV_PrimitiveID")), (In, None, Own("SV_PrimitiveID"))],
            call: OfRays("PrimitiveIndex()"),
            wgsl: Absent, msl: &[(In, "primitive_id", "primitive_index")],
        },
        B::InvocationId => Spelled {
            glsl: Some(("gl_InvocationID", None)), essl: None,
            hlsl: &[(In, GEOMETRY, Own("SV_GSInstanceID"))], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::Layer => Spelled {
            glsl: Some(("gl_Layer", None)), essl: None,
            hlsl: &[(In, None, Own("SV_RenderTargetArrayIndex")), (Out, None, Own("SV_RenderTargetArrayIndex"))],
            call: Never,
            wgsl: Absent,
            msl: &[(Out, "render_target_array_index", "layer"), (In, "render_target_array_index", "layer")],
        },
        B::ViewportIndex => Spelled {
            glsl: Some(("gl_ViewportIndex", None)), essl: None,
            hlsl: &[(In, None, Own("SV_ViewportArrayIndex")), (Out, None, Own("SV_ViewportArrayIndex"))],
            call: Never,
            wgsl: Absent, msl: &[(Out, "viewport_array_index", "viewport"), (In, "viewport_array_index", "viewport")],
        },
        B::TessLevelOuter => Spelled {
            glsl: Some(("gl_TessLevelOuter", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::TessLevelInner => Spelled {
            glsl: Some(("gl_TessLevelInner", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::TessCoord => Spelled {
            glsl: Some(("gl_TessCoord", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::PatchVertices => Spelled {
            glsl: Some(("gl_PatchVerticesIn", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::FragCoord => Spelled {
            glsl: Some(("gl_FragCoord", None)), essl: Some(Es300),
            hlsl: &[(In, None, Own("SV_Position"))], call: Never,
            wgsl: Ports(&[(In, "position", "frag_coord", None)]), msl: &[(In, "position", "frag_coord")],
        },
        B::PointCoord => Spelled {
            glsl: Some(("gl_PointCoord", None)), essl: Some(Es300),
            hlsl: &[(In, FRAGMENT, Number(16))], call: Never,
            wgsl: Absent, msl: &[(In, "point_coord", "point_coord")],
        },
        B::FrontFacing => Spelled {
            glsl: Some(("gl_FrontFacing", None)), essl: Some(Es300),
            hlsl: &[(In, None, Own("SV_IsFrontFace"))], call: Never,
            wgsl: Ports(&[(In, "front_facing", "is_front", None)]), msl: &[(In, "front_facing", "is_front")],
        },
        B::SampleId => Spelled {
            glsl: Some(("gl_SampleID", None)), essl: Some(Es310),
            hlsl: &[(In, None, Own("SV_SampleIndex"))], call: Never,
            wgsl: Ports(&[(In, "sample_index", "sample", None)]), msl: &[(In, "sample_id", "sample_index")],
        },
        B::SamplePosition => Spelled {
            glsl: Some(("gl_SamplePosition", None)), essl: Some(Es310),
            hlsl: &[(In, FRAGMENT, Number(19))], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::SampleMask => Spelled {
            glsl: Some(("gl_SampleMask", None)), essl: Some(Es310),
            hlsl: &[(In, None, Own("SV_Coverage")), (Out, None, Own("SV_Coverage"))], call: Never,
            wgsl: Ports(&[(In, "sample_mask", "covered", None), (Out, "sample_mask", "mask", None)]),
            msl: &[(Out, "sample_mask", "mask"), (In, "sample_mask", "covered")],
        },
        B::FragDepth => Spelled {
            glsl: Some(("gl_FragDepth", None)), essl: Some(Es300),
            hlsl: &[(Out, None, Own("SV_Depth"))], call: Never,
            wgsl: Ports(&[(Out, "frag_depth", "depth", None)]), msl: &[(Out, "depth(any)", "depth_out")],
        },
        B::HelperInvocation => Spelled {
            glsl: Some(("gl_HelperInvocation", None)), essl: Some(Es310),
            hlsl: &[(In, None, Vulkan("HelperInvocation"))], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::NumWorkgroups => Spelled {
            glsl: Some(("gl_NumWorkGroups", None)), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Ports(&[(In, "num_workgroups", "workgroups", None)]),
            msl: &[(In, "threadgroups_per_grid", "workgroups")],
        },
        B::WorkgroupId => Spelled {
            glsl: Some(("gl_WorkGroupID", None)), essl: Some(Es310),
            hlsl: &[(In, None, Own("SV_GroupID"))], call: Never,
            wgsl: Ports(&[(In, "workgroup_id", "workgroup", None)]),
            msl: &[(In, "threadgroup_position_in_grid", "workgroup")],
        },
        B::LocalInvocationId => Spelled {
            glsl: Some(("gl_LocalInvocationID", None)), essl: Some(Es310),
            hlsl: &[(In, None, Own("SV_GroupThreadID"))], call: Never,
            wgsl: Ports(&[(In, "local_invocation_id", "local_id", None)]),
            msl: &[(In, "thread_position_in_threadgroup", "local_id")],
        },
        B::GlobalInvocationId => Spelled {
            glsl: Some(("gl_GlobalInvocationID", None)), essl: Some(Es310),
            hlsl: &[(In, None, Own("SV_DispatchThreadID"))], call: Never,
            wgsl: Ports(&[(In, "global_invocation_id", "id", None)]),
            msl: &[(In, "thread_position_in_grid", "id")],
        },
        B::LocalInvocationIndex => Spelled {
            glsl: Some(("gl_LocalInvocationIndex", None)), essl: Some(Es310),
            hlsl: &[(In, None, Own("SV_GroupIndex"))], call: Never,
            wgsl: Ports(&[(In, "local_invocation_index", "local_index", None)]),
            msl: &[(In, "thread_index_in_threadgroup", "local_index")],
        },
        B::SubgroupSize => Spelled {
            glsl: Some(("gl_SubgroupSize", Some(BASIC))), essl: Some(Es310),
            hlsl: &[], call: Always("WaveGetLaneCount()"),
            wgsl: Ports(&[(In, "subgroup_size", "invocations", GROUPS)]),
            msl: &[(In, "threads_per_simdgroup", "invocations")],
        },
        B::NumSubgroups => Spelled {
            glsl: Some(("gl_NumSubgroups", Some(BASIC))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Ports(&[(In, "num_subgroups", "subgroups", GROUPS)]),
            msl: &[(In, "simdgroups_per_threadgroup", "subgroups")],
        },
        B::SubgroupId => Spelled {
            glsl: Some(("gl_SubgroupID", Some(BASIC))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Ports(&[(In, "subgroup_id", "subgroup", GROUPS)]),
            msl: &[(In, "simdgroup_index_in_threadgroup", "subgroup")],
        },
        B::SubgroupLocalInvocationId => Spelled {
            glsl: Some(("gl_SubgroupInvocationID", Some(BASIC))), essl: Some(Es310),
            hlsl: &[], call: Always("WaveGetLaneIndex()"),
            wgsl: Ports(&[(In, "subgroup_invocation_id", "invocation", GROUPS)]),
            msl: &[(In, "thread_index_in_simdgroup", "invocation")],
        },
        B::VertexIndex => Spelled {
            glsl: Some(("gl_VertexIndex", None)), essl: Some(Es300),
            hlsl: &[(In, None, Own("SV_VertexID"))], call: Never,
            wgsl: Ports(&[(In, "vertex_index", "vertex", None)]), msl: &[(In, "vertex_id", "vertex_index")],
        },
        B::InstanceIndex => Spelled {
            glsl: Some(("gl_InstanceIndex", None)), essl: Some(Es300),
            hlsl: &[(In, None, Own("SV_InstanceID"))], call: Never,
            wgsl: Ports(&[(In, "instance_index", "instance", None)]),
            msl: &[(In, "instance_id", "instance_index")],
        },
        B::SubgroupEqMask => Spelled {
            glsl: Some(("gl_SubgroupEqMask", Some(BALLOT))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::SubgroupGeMask => Spelled {
            glsl: Some(("gl_SubgroupGeMask", Some(BALLOT))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::SubgroupGtMask => Spelled {
            glsl: Some(("gl_SubgroupGtMask", Some(BALLOT))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::SubgroupLeMask => Spelled {
            glsl: Some(("gl_SubgroupLeMask", Some(BALLOT))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::SubgroupLtMask => Spelled {
            glsl: Some(("gl_SubgroupLtMask", Some(BALLOT))), essl: Some(Es310),
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::BaseVertex => Spelled {
            glsl: Some(("gl_BaseVertex", None)), essl: None,
            hlsl: &[(In, None, Vulkan("BaseVertex"))], call: Never,
            wgsl: Absent, msl: &[(In, "base_vertex", "base_vertex")],
        },
        B::BaseInstance => Spelled {
            glsl: Some(("gl_BaseInstance", None)), essl: Some(Es300),
            hlsl: &[(In, None, Vulkan("BaseInstance"))], call: Never,
            wgsl: Absent, msl: &[(In, "base_instance", "base_instance")],
        },
        B::DrawIndex => Spelled {
            glsl: Some(("gl_DrawID", None)), essl: None,
            hlsl: &[(In, None, Vulkan("DrawIndex"))], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::PrimitiveShadingRate => Spelled {
            glsl: Some(("gl_PrimitiveShadingRateEXT", Some(RATE))), essl: None,
            hlsl: &[(Out, None, Own("SV_ShadingRate"))], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::DeviceIndex => Spelled {
            glsl: Some(("gl_DeviceIndex", Some("GL_EXT_device_group"))), essl: None,
            hlsl: &[
                (In, VERTEX, Vulkan("DeviceIndex")),
                (In, GEOMETRY, Vulkan("DeviceIndex")),
                (In, FRAGMENT, Vulkan("DeviceIndex")),
            ],
            call: Never,
            wgsl: Zero("// The device has the index 0: there is one."), msl: &[],
        },
        B::ViewIndex => Spelled {
            glsl: Some(("gl_ViewIndex", Some("GL_EXT_multiview"))), essl: None,
            hlsl: &[(In, None, Own("SV_ViewID"))], call: Never,
            wgsl: Zero("// The view has the index 0: there is one."), msl: &[(In, "amplification_id", "view")],
        },
        B::ShadingRate => Spelled {
            glsl: Some(("gl_ShadingRateEXT", Some(RATE))), essl: None,
            hlsl: &[(In, None, Own("SV_ShadingRate"))], call: Never,
            wgsl: Zero("// The shading rate is 0, one pixel: there are no others here."), msl: &[],
        },
        B::FragStencilRef => Spelled {
            glsl: Some(("gl_FragStencilRefARB", Some("GL_ARB_shader_stencil_export"))), essl: None,
            hlsl: &[(Out, None, Own("SV_StencilRef"))], call: Never,
            wgsl: Absent, msl: &[(Out, "stencil", "stencil")],
        },
        B::BaryCoord => Spelled {
            glsl: Some(("gl_BaryCoordEXT", Some(BARYCENTRIC))), essl: None,
            hlsl: &[(In, None, Own("SV_Barycentrics"))], call: Never,
            wgsl: Absent, msl: &[(In, "barycentric_coord", "barycentric")],
        },
        B::BaryCoordNoPerspective => Spelled {
            glsl: Some(("gl_BaryCoordNoPerspEXT", Some(BARYCENTRIC))), essl: None,
            hlsl: &[(In, None, Own("SV_Barycentrics1"))], call: Never,
            wgsl: Absent, msl: &[(In, "barycentric_coord, center_no_perspective", "barycentric")],
        },
        B::PrimitivePointIndices => Spelled {
            glsl: Some(("gl_PrimitivePointIndicesEXT", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::PrimitiveLineIndices => Spelled {
            glsl: Some(("gl_PrimitiveLineIndicesEXT", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::PrimitiveTriangleIndices => Spelled {
            glsl: Some(("gl_PrimitiveTriangleIndicesEXT", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::CullPrimitive => Spelled {
            glsl: Some(("gl_CullPrimitiveEXT", None)), essl: None,
            hlsl: &[], call: Never,
            wgsl: Absent, msl: &[],
        },
        B::LaunchId => Spelled {
            glsl: Some(("gl_LaunchIDEXT", None)), essl: None,
            hlsl: &[], call: OfRays("DispatchRaysIndex()"),
            wgsl: Absent, msl: &[],
        },
        B::LaunchSize => Spelled {
            glsl: Some(("gl_LaunchSizeEXT", None)), essl: None,
            hlsl: &[], call: OfRays("DispatchRaysDimensions()"),
            wgsl: Absent, msl: &[],
        },
        B::WorldRayOrigin => Spelled {
            glsl: Some(("gl_WorldRayOriginEXT", None)), essl: None,
            hlsl: &[], call: OfRays("WorldRayOrigin()"),
            wgsl: Absent, msl: &[],
        },
        B::WorldRayDirection => Spelled {
            glsl: Some(("gl_WorldRayDirectionEXT", None)), essl: None,
            hlsl: &[], call: OfRays("WorldRayDirection()"),
            wgsl: Absent, msl: &[],
        },
        B::ObjectRayOrigin => Spelled {
            glsl: Some(("gl_ObjectRayOriginEXT", None)), essl: None,
            hlsl: &[], call: OfRays("ObjectRayOrigin()"),
            wgsl: Absent, msl: &[],
        },
        B::ObjectRayDirection => Spelled {
            glsl: Some(("gl_ObjectRayDirectionEXT", None)), essl: None,
            hlsl: &[], call: OfRays("ObjectRayDirection()"),
            wgsl: Absent, msl: &[],
        },
        B::RayTmin => Spelled {
            glsl: Some(("gl_RayTminEXT", None)), essl: None,
            hlsl: &[], call: OfRays("RayTMin()"),
            wgsl: Absent, msl: &[],
        },
        B::RayTmax => Spelled {
            glsl: Some(("gl_RayTmaxEXT", None)), essl: None,
            hlsl: &[], call: OfRays("RayTCurrent()"),
            wgsl: Absent, msl: &[],
        },
        B::InstanceCustomIndex => Spelled {
            glsl: Some(("gl_InstanceCustomIndexEXT", None)), essl: None,
            hlsl: &[], call: OfRays("InstanceID()"),
            wgsl: Absent, msl: &[],
        },
        B::ObjectToWorld => Spelled {
            glsl: Some(("gl_ObjectToWorldEXT", None)), essl: None,
            hlsl: &[], call: OfRays("ObjectToWorld4x3()"),
            wgsl: Absent, msl: &[],
        },
        B::WorldToObject => Spelled {
            glsl: Some(("gl_WorldToObjectEXT", None)), essl: None,
            hlsl: &[], call: OfRays("WorldToObject4x3()"),
            wgsl: Absent, msl: &[],
        },
        B::HitKind => Spelled {
            glsl: Some(("gl_HitKindEXT", None)), essl: None,
            hlsl: &[], call: OfRays("HitKind()"),
            wgsl: Absent, msl: &[],
        },
        B::HitT => Spelled {
            glsl: None, essl: None,
            hlsl: &[], call: OfRays("RayTCurrent()"),
            wgsl: Absent, msl: &[],
        },
        B::IncomingRayFlags => Spelled {
            glsl: Some(("gl_IncomingRayFlagsEXT", None)), essl: None,
            hlsl: &[], call: OfRays("RayFlags()"),
            wgsl: Absent, msl: &[],
        },
        B::RayGeometryIndex => Spelled {
            glsl: Some(("gl_GeometryIndexEXT", None)), essl: None,
            hlsl: &[], call: OfRays("GeometryIndex()"),
            wgsl: Absent, msl: &[],
        },
        B::VertexId | B::WorkgroupSize | B::WorkDim | B::GlobalSize | B::EnqueuedWorkgroupSize
        | B::GlobalOffset | B::GlobalLinearId | B::SubgroupMaxSize | B::NumEnqueuedSubgroups
        | B::BaryCoordNoPersp | B::BaryCoordNoPerspCentroid | B::BaryCoordNoPerspSample | B::BaryCoordSmooth
        | B::BaryCoordSmoothCentroid | B::BaryCoordSmoothSample | B::BaryCoordPullModel | B::FullyCovered
        | B::FragSize | B::FragInvocationCount | B::PrimitiveCount | B::PrimitiveIndices | B::TaskCount
        | B::MeshViewCount | B::MeshViewIndices | B::CurrentRayTime | B::HitTriangleVertexPositions
        | B::CullMask | B::ViewportMask | B::SecondaryPosition | B::PositionPerView | B::WarpsPerSm
        | B::SmCount | B::WarpId | B::SmId => Spelled {
            glsl: None, essl: None, hlsl: &[], call: Never, wgsl: Absent, msl: &[],
        },
    }
}

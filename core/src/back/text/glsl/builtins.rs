//! System values of GLSL 4.60 for Vulkan (GLSL 4.60, 7.1; GL_KHR_vulkan_glsl), by their names in the IR.

use crate::back::text::dialect::Version;
use crate::back::text::number::{Kind, NumberType};
use crate::ir::{Mode, Stage};
use crate::ops::attr::ValueKind;
use crate::ops::{Key, Width};

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

/// The extension of GLSL ES 3.10 for system values of samples.
pub(super) const SAMPLES: &str = "GL_OES_sample_variables";

const BALLOT: Option<&str> = Some("GL_KHR_shader_subgroup_ballot");
const BASIC: Option<&str> = Some("GL_KHR_shader_subgroup_basic");

/// Name in the IR, name in GLSL, kind, components, extension.
type Row = (&'static str, &'static str, Kind, u8, Option<&'static str>);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    ("position", "gl_Position", Kind::Float, 4, None),
    ("point_size", "gl_PointSize", Kind::Float, 1, None),
    ("clip_distance", "gl_ClipDistance", Kind::Float, 1, None),
    ("cull_distance", "gl_CullDistance", Kind::Float, 1, None),
    ("vertex_index", "gl_VertexIndex", Kind::Int, 1, None),
    ("instance_index", "gl_InstanceIndex", Kind::Int, 1, None),
    ("base_vertex", "gl_BaseVertex", Kind::Int, 1, None),
    ("base_instance", "gl_BaseInstance", Kind::Int, 1, None),
    ("draw_index", "gl_DrawID", Kind::Int, 1, None),
    ("primitive_id", "gl_PrimitiveID", Kind::Int, 1, None),
    ("invocation_id", "gl_InvocationID", Kind::Int, 1, None),
    ("patch_vertices", "gl_PatchVerticesIn", Kind::Int, 1, None),
    ("tess_level_outer", "gl_TessLevelOuter", Kind::Float, 1, None),
    ("tess_level_inner", "gl_TessLevelInner", Kind::Float, 1, None),
    ("tess_coord", "gl_TessCoord", Kind::Float, 3, None),
    ("cull_primitive", "gl_CullPrimitiveEXT", Kind::Bool, 1, None),
    ("primitive_point_indices", "gl_PrimitivePointIndicesEXT", Kind::Uint, 1, None),
    ("primitive_line_indices", "gl_PrimitiveLineIndicesEXT", Kind::Uint, 2, None),
    ("primitive_triangle_indices", "gl_PrimitiveTriangleIndicesEXT", Kind::Uint, 3, None),
    ("shading_rate", "gl_ShadingRateEXT", Kind::Int, 1, Some("GL_EXT_fragment_shading_rate")),
    ("primitive_shading_rate", "gl_PrimitiveShadingRateEXT", Kind::Int, 1, Some("GL_EXT_fragment_shading_rate")),
    ("instance_id", "gl_InstanceID", Kind::Int, 1, None),
    ("launch_id", "gl_LaunchIDEXT", Kind::Uint, 3, None),
    ("launch_size", "gl_LaunchSizeEXT", Kind::Uint, 3, None),
    ("world_ray_origin", "gl_WorldRayOriginEXT", Kind::Float, 3, None),
    ("world_ray_direction", "gl_WorldRayDirectionEXT", Kind::Float, 3, None),
    ("object_ray_origin", "gl_ObjectRayOriginEXT", Kind::Float, 3, None),
    ("object_ray_direction", "gl_ObjectRayDirectionEXT", Kind::Float, 3, None),
    ("ray_tmin", "gl_RayTminEXT", Kind::Float, 1, None),
    ("ray_tmax", "gl_RayTmaxEXT", Kind::Float, 1, None),
    ("instance_custom_index", "gl_InstanceCustomIndexEXT", Kind::Int, 1, None),
    ("object_to_world", "gl_ObjectToWorldEXT", Kind::Float, 3, None),
    ("world_to_object", "gl_WorldToObjectEXT", Kind::Float, 3, None),
    ("hit_kind", "gl_HitKindEXT", Kind::Uint, 1, None),
    ("incoming_ray_flags", "gl_IncomingRayFlagsEXT", Kind::Uint, 1, None),
    ("ray_geometry_index", "gl_GeometryIndexEXT", Kind::Int, 1, None),
    ("frag_coord", "gl_FragCoord", Kind::Float, 4, None),
    ("point_coord", "gl_PointCoord", Kind::Float, 2, None),
    ("front_facing", "gl_FrontFacing", Kind::Bool, 1, None),
    ("sample_id", "gl_SampleID", Kind::Int, 1, None),
    ("sample_position", "gl_SamplePosition", Kind::Float, 2, None),
    ("frag_depth", "gl_FragDepth", Kind::Float, 1, None),
    ("frag_stencil_ref", "gl_FragStencilRefARB", Kind::Int, 1, Some("GL_ARB_shader_stencil_export")),
    ("helper_invocation", "gl_HelperInvocation", Kind::Bool, 1, None),
    ("num_workgroups", "gl_NumWorkGroups", Kind::Uint, 3, None),
    ("workgroup_id", "gl_WorkGroupID", Kind::Uint, 3, None),
    ("local_invocation_id", "gl_LocalInvocationID", Kind::Uint, 3, None),
    ("global_invocation_id", "gl_GlobalInvocationID", Kind::Uint, 3, None),
    ("local_invocation_index", "gl_LocalInvocationIndex", Kind::Uint, 1, None),
    ("view_index", "gl_ViewIndex", Kind::Int, 1, Some("GL_EXT_multiview")),
    ("device_index", "gl_DeviceIndex", Kind::Int, 1, Some("GL_EXT_device_group")),
    ("bary_coord", "gl_BaryCoordEXT", Kind::Float, 3, Some("GL_EXT_fragment_shader_barycentric")),
    ("bary_coord_no_perspective", "gl_BaryCoordNoPerspEXT", Kind::Float, 3, Some("GL_EXT_fragment_shader_barycentric")),
    ("subgroup_size", "gl_SubgroupSize", Kind::Uint, 1, BASIC),
    ("num_subgroups", "gl_NumSubgroups", Kind::Uint, 1, BASIC),
    ("subgroup_id", "gl_SubgroupID", Kind::Uint, 1, BASIC),
    ("subgroup_local_invocation_id", "gl_SubgroupInvocationID", Kind::Uint, 1, BASIC),
    ("subgroup_eq_mask", "gl_SubgroupEqMask", Kind::Uint, 4, BALLOT),
    ("subgroup_ge_mask", "gl_SubgroupGeMask", Kind::Uint, 4, BALLOT),
    ("subgroup_gt_mask", "gl_SubgroupGtMask", Kind::Uint, 4, BALLOT),
    ("subgroup_le_mask", "gl_SubgroupLeMask", Kind::Uint, 4, BALLOT),
    ("subgroup_lt_mask", "gl_SubgroupLtMask", Kind::Uint, 4, BALLOT),
];

/// The name of a system value in the IR.
pub(in crate::back::text) fn name(value: u64) -> &'static str {
    let ValueKind::Word(list) = Key::BuiltIn.kind() else { return "" };
    usize::try_from(value).ok().and_then(|at| list.get(at)).copied().unwrap_or("")
}

/// The system value of an input or output, by its number in the IR.
pub(in crate::back::text) fn find(value: u64, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let name = name(value);
    let special = match (name, mode, stage) {
        ("sample_mask", Mode::In, _) => Some(("gl_SampleMaskIn", Kind::Int, None)),
        ("sample_mask", ..) => Some(("gl_SampleMask", Kind::Int, None)),
        ("primitive_id", Mode::In, Stage::Geometry) => Some(("gl_PrimitiveIDIn", Kind::Int, None)),
        ("layer", _, Stage::Fragment | Stage::Geometry | Stage::Mesh) => Some(("gl_Layer", Kind::Int, None)),
        ("layer", ..) => Some(("gl_Layer", Kind::Int, Some("GL_ARB_shader_viewport_layer_array"))),
        ("viewport_index", _, Stage::Fragment | Stage::Geometry | Stage::Mesh) => {
            Some(("gl_ViewportIndex", Kind::Int, None))
        }
        ("viewport_index", ..) => {
            Some(("gl_ViewportIndex", Kind::Int, Some("GL_ARB_shader_viewport_layer_array")))
        }
        _ => None,
    };
    if let Some((name, kind, extension)) = special {
        return Some(BuiltIn { name, ty: NumberType::scalar(kind), extension });
    }
    if name == "instance_id" && stage == Stage::Vertex {
        return None;
    }
    let &(_, glsl, kind, components, extension) = ROWS.iter().find(|row| row.0 == name)?;
    let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
    Some(BuiltIn { name: glsl, ty: NumberType::new(kind, width, components), extension })
}

/// The system value of an input or output in GLSL ES.
pub(in crate::back::text) fn find_es(
    version: Version,
    value: u64,
    mode: Mode,
    stage: Stage,
) -> Option<BuiltIn> {
    let found = find(value, mode, stage)?;
    let name = match found.name {
        "gl_VertexIndex" => "gl_VertexID",
        "gl_InstanceIndex" => "gl_InstanceID",
        // Draws begin with the instance 0 (OpenGL ES 3.1, 10.5).
        "gl_BaseInstance" => "0",
        "gl_Position" | "gl_PointSize" | "gl_FragCoord" | "gl_PointCoord" | "gl_FrontFacing"
        | "gl_FragDepth" => found.name,
        "gl_HelperInvocation"
        | "gl_NumWorkGroups"
        | "gl_WorkGroupID"
        | "gl_LocalInvocationID"
        | "gl_GlobalInvocationID"
        | "gl_LocalInvocationIndex"
            if version == Version::Es310 =>
        {
            found.name
        }
        "gl_SampleID" | "gl_SamplePosition" if version == Version::Es310 => {
            return Some(BuiltIn { extension: Some(SAMPLES), ..found });
        }
        "gl_ClipDistance" | "gl_CullDistance" if version == Version::Es310 => {
            return Some(BuiltIn { extension: Some(super::es::DISTANCES), ..found });
        }
        name if name.starts_with("gl_Subgroup") || name == "gl_NumSubgroups" => {
            return Some(found).filter(|_| version == Version::Es310);
        }
        _ => return None,
    };
    Some(BuiltIn { name, extension: None, ..found })
}

//! System values of HLSL, by their names in the IR.

use crate::back::text::number::{Kind, NumberType};
use crate::ir::{Mode, Stage};
use crate::ops::Width;

/// The position of a sample, by its number in SPIR-V: the language has no semantic for it.
pub(super) const SAMPLE_POSITION: &str = "BUILTIN_19";

/// Name in the IR, mode, stage if it differs, semantic, kind, components.
type Row = (&'static str, Mode, Option<Stage>, &'static str, Kind, u8);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    ("position", Mode::Out, None, "SV_Position", Kind::Float, 4),
    ("frag_coord", Mode::In, None, "SV_Position", Kind::Float, 4),
    ("position", Mode::In, Some(Stage::Geometry), "SV_Position", Kind::Float, 4),
    ("point_size", Mode::In, Some(Stage::Geometry), "vk PointSize", Kind::Float, 1),
    ("primitive_id", Mode::Out, Some(Stage::Geometry), "SV_PrimitiveID", Kind::Uint, 1),
    ("invocation_id", Mode::In, Some(Stage::Geometry), "SV_GSInstanceID", Kind::Uint, 1),
    ("vertex_index", Mode::In, None, "SV_VertexID", Kind::Uint, 1),
    ("instance_index", Mode::In, None, "SV_InstanceID", Kind::Uint, 1),
    ("front_facing", Mode::In, None, "SV_IsFrontFace", Kind::Bool, 1),
    ("frag_depth", Mode::Out, None, "SV_Depth", Kind::Float, 1),
    ("clip_distance", Mode::Out, None, "SV_ClipDistance", Kind::Float, 1),
    ("cull_distance", Mode::Out, None, "SV_CullDistance", Kind::Float, 1),
    ("clip_distance", Mode::In, None, "SV_ClipDistance", Kind::Float, 1),
    ("cull_distance", Mode::In, None, "SV_CullDistance", Kind::Float, 1),
    ("point_size", Mode::Out, None, "vk PointSize", Kind::Float, 1),
    ("base_vertex", Mode::In, None, "vk BaseVertex", Kind::Int, 1),
    ("base_instance", Mode::In, None, "vk BaseInstance", Kind::Int, 1),
    ("draw_index", Mode::In, None, "vk DrawIndex", Kind::Int, 1),
    ("device_index", Mode::In, Some(Stage::Vertex), "vk DeviceIndex", Kind::Int, 1),
    ("device_index", Mode::In, Some(Stage::Geometry), "vk DeviceIndex", Kind::Int, 1),
    ("device_index", Mode::In, Some(Stage::Fragment), "vk DeviceIndex", Kind::Int, 1),
    ("helper_invocation", Mode::In, None, "vk HelperInvocation", Kind::Bool, 1),
    ("view_index", Mode::In, None, "SV_ViewID", Kind::Uint, 1),
    ("sample_id", Mode::In, None, "SV_SampleIndex", Kind::Uint, 1),
    ("point_coord", Mode::In, Some(Stage::Fragment), "BUILTIN_16", Kind::Float, 2),
    ("sample_position", Mode::In, Some(Stage::Fragment), SAMPLE_POSITION, Kind::Float, 2),
    ("sample_mask", Mode::In, None, "SV_Coverage", Kind::Uint, 1),
    ("sample_mask", Mode::Out, None, "SV_Coverage", Kind::Uint, 1),
    ("primitive_id", Mode::In, None, "SV_PrimitiveID", Kind::Uint, 1),
    ("layer", Mode::In, None, "SV_RenderTargetArrayIndex", Kind::Uint, 1),
    ("layer", Mode::Out, None, "SV_RenderTargetArrayIndex", Kind::Uint, 1),
    ("viewport_index", Mode::In, None, "SV_ViewportArrayIndex", Kind::Uint, 1),
    ("viewport_index", Mode::Out, None, "SV_ViewportArrayIndex", Kind::Uint, 1),
    ("frag_stencil_ref", Mode::Out, None, "SV_StencilRef", Kind::Uint, 1),
    ("shading_rate", Mode::In, None, "SV_ShadingRate", Kind::Uint, 1),
    ("primitive_shading_rate", Mode::Out, None, "SV_ShadingRate", Kind::Uint, 1),
    ("bary_coord", Mode::In, None, "SV_Barycentrics", Kind::Float, 3),
    ("bary_coord_no_perspective", Mode::In, None, "SV_Barycentrics1", Kind::Float, 3),
    ("workgroup_id", Mode::In, None, "SV_GroupID", Kind::Uint, 3),
    ("local_invocation_id", Mode::In, None, "SV_GroupThreadID", Kind::Uint, 3),
    ("global_invocation_id", Mode::In, None, "SV_DispatchThreadID", Kind::Uint, 3),
    ("local_invocation_index", Mode::In, None, "SV_GroupIndex", Kind::Uint, 1),
];

/// The semantic and the type of a system value.
pub(super) fn find(name: &str, mode: Mode, stage: Stage) -> Option<(&'static str, NumberType)> {
    let &(.., semantic, kind, components) =
        ROWS.iter().find(|row| row.0 == name && row.1 == mode && row.2.is_none_or(|only| only == stage))?;
    let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
    Some((semantic, NumberType::new(kind, width, components)))
}

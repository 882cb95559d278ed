//! System values of MSL (Metal Shading Language Specification, 5.2.3), by their names in the IR.

use super::super::number::{Kind, NumberType};
use crate::ir::{Mode, Stage};
use crate::ops::Width;

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

/// Name in the IR, mode, attribute, name of the variable, kind, components.
type Row = (&'static str, Mode, &'static str, &'static str, Kind, u8);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    ("position", Mode::Out, "position", "position", Kind::Float, 4),
    ("point_size", Mode::Out, "point_size", "point_size", Kind::Float, 1),
    ("clip_distance", Mode::Out, "clip_distance", "clip_distance", Kind::Float, 1),
    ("layer", Mode::Out, "render_target_array_index", "layer", Kind::Uint, 1),
    ("viewport_index", Mode::Out, "viewport_array_index", "viewport", Kind::Uint, 1),
    ("frag_depth", Mode::Out, "depth(any)", "depth_out", Kind::Float, 1),
    ("frag_stencil_ref", Mode::Out, "stencil", "stencil", Kind::Uint, 1),
    ("sample_mask", Mode::Out, "sample_mask", "mask", Kind::Uint, 1),
    ("vertex_index", Mode::In, "vertex_id", "vertex_index", Kind::Uint, 1),
    ("instance_index", Mode::In, "instance_id", "instance_index", Kind::Uint, 1),
    ("base_vertex", Mode::In, "base_vertex", "base_vertex", Kind::Uint, 1),
    ("base_instance", Mode::In, "base_instance", "base_instance", Kind::Uint, 1),
    ("frag_coord", Mode::In, "position", "frag_coord", Kind::Float, 4),
    ("front_facing", Mode::In, "front_facing", "is_front", Kind::Bool, 1),
    ("point_coord", Mode::In, "point_coord", "point_coord", Kind::Float, 2),
    ("primitive_id", Mode::In, "primitive_id", "primitive_index", Kind::Uint, 1),
    ("sample_id", Mode::In, "sample_id", "sample_index", Kind::Uint, 1),
    ("sample_mask", Mode::In, "sample_mask", "covered", Kind::Uint, 1),
    ("layer", Mode::In, "render_target_array_index", "layer", Kind::Uint, 1),
    ("viewport_index", Mode::In, "viewport_array_index", "viewport", Kind::Uint, 1),
    ("view_index", Mode::In, "amplification_id", "view", Kind::Uint, 1),
    ("bary_coord", Mode::In, "barycentric_coord", "barycentric", Kind::Float, 3),
    ("bary_coord_no_perspective", Mode::In, "barycentric_coord, center_no_perspective", "barycentric", Kind::Float, 3),
    ("num_workgroups", Mode::In, "threadgroups_per_grid", "workgroups", Kind::Uint, 3),
    ("workgroup_id", Mode::In, "threadgroup_position_in_grid", "workgroup", Kind::Uint, 3),
    ("local_invocation_id", Mode::In, "thread_position_in_threadgroup", "local_id", Kind::Uint, 3),
    ("global_invocation_id", Mode::In, "thread_position_in_grid", "id", Kind::Uint, 3),
    ("local_invocation_index", Mode::In, "thread_index_in_threadgroup", "local_index", Kind::Uint, 1),
    ("subgroup_size", Mode::In, "threads_per_simdgroup", "invocations", Kind::Uint, 1),
    ("num_subgroups", Mode::In, "simdgroups_per_threadgroup", "subgroups", Kind::Uint, 1),
    ("subgroup_id", Mode::In, "simdgroup_index_in_threadgroup", "subgroup", Kind::Uint, 1),
    ("subgroup_local_invocation_id", Mode::In, "thread_index_in_simdgroup", "invocation", Kind::Uint, 1),
];

/// The system value of an input or output, by its name in the IR.
pub(super) fn find(name: &str, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let &(_, _, attribute, variable, kind, components) =
        ROWS.iter().find(|row| row.0 == name && row.1 == mode)?;
    let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
    // Simdgroups have numbers in a threadgroup only.
    let is_of_group = matches!(attribute, "simdgroups_per_threadgroup" | "simdgroup_index_in_threadgroup");
    if is_of_group && !matches!(stage, Stage::Compute | Stage::Kernel | Stage::Task) {
        return None;
    }
    // Vertices are amplified, and their fragments with them.
    if attribute == "amplification_id" && !matches!(stage, Stage::Vertex | Stage::Fragment) {
        return None;
    }
    Some(BuiltIn { attribute, variable, ty: NumberType::new(kind, width, components) })
}

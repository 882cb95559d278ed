//! System values of WGSL (WGSL, 13.3.1.1), by their names in the IR.
//!
//! The number of a subgroup and how many there are belong to the language extension `subgroup_id`, which compilers that have
//! it allow without a word in the text.

use super::super::number::{Kind, NumberType};
use crate::ir::{Mode, Stage};
use crate::ops::Width;

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

/// Name in the IR, mode, name in WGSL, name of the variable, kind, components, extension.
type Row = (&'static str, Mode, &'static str, &'static str, Kind, u8, Option<&'static str>);

const GROUPS: Option<&str> = Some("subgroups");

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    ("position", Mode::Out, "position", "position", Kind::Float, 4, None),
    ("clip_distance", Mode::Out, "clip_distances", "clip_distances", Kind::Float, 1, Some("clip_distances")),
    ("frag_coord", Mode::In, "position", "frag_coord", Kind::Float, 4, None),
    ("vertex_index", Mode::In, "vertex_index", "vertex", Kind::Uint, 1, None),
    ("instance_index", Mode::In, "instance_index", "instance", Kind::Uint, 1, None),
    ("front_facing", Mode::In, "front_facing", "is_front", Kind::Bool, 1, None),
    ("frag_depth", Mode::Out, "frag_depth", "depth", Kind::Float, 1, None),
    ("sample_id", Mode::In, "sample_index", "sample", Kind::Uint, 1, None),
    ("sample_mask", Mode::In, "sample_mask", "covered", Kind::Uint, 1, None),
    ("sample_mask", Mode::Out, "sample_mask", "mask", Kind::Uint, 1, None),
    ("num_workgroups", Mode::In, "num_workgroups", "workgroups", Kind::Uint, 3, None),
    ("workgroup_id", Mode::In, "workgroup_id", "workgroup", Kind::Uint, 3, None),
    ("local_invocation_id", Mode::In, "local_invocation_id", "local_id", Kind::Uint, 3, None),
    ("global_invocation_id", Mode::In, "global_invocation_id", "id", Kind::Uint, 3, None),
    ("local_invocation_index", Mode::In, "local_invocation_index", "local_index", Kind::Uint, 1, None),
    ("subgroup_size", Mode::In, "subgroup_size", "invocations", Kind::Uint, 1, GROUPS),
    ("subgroup_id", Mode::In, "subgroup_id", "subgroup", Kind::Uint, 1, GROUPS),
    ("num_subgroups", Mode::In, "num_subgroups", "subgroups", Kind::Uint, 1, GROUPS),
    ("subgroup_local_invocation_id", Mode::In, "subgroup_invocation_id", "invocation", Kind::Uint, 1, GROUPS),
];

/// System values that are zero wherever the language runs, with the comment that states it.
const ZEROS: &[(&str, &str)] = &[
    ("shading_rate", "// The shading rate is 0, one pixel: there are no others here."),
    ("view_index", "// The view has the index 0: there is one."),
    ("device_index", "// The device has the index 0: there is one."),
];

/// The comment on an input that is zero wherever the language runs, by its name in the IR. `None` for other inputs.
pub(crate) fn zero(name: &str) -> Option<&'static str> {
    ZEROS.iter().find(|row| row.0 == name).map(|&(_, comment)| comment)
}

/// The system value of an input or output of a stage, by its name in the IR.
pub(crate) fn find(name: &str, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let &(_, _, wgsl, variable, kind, components, extension) =
        ROWS.iter().find(|row| row.0 == name && row.1 == mode)?;
    // Vertices have no subgroups.
    if extension == GROUPS && stage == Stage::Vertex {
        return None;
    }
    let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
    let (ty, is_array) = (NumberType::new(kind, width, components), name == "clip_distance");
    Some(BuiltIn { name: wgsl, variable, ty, is_array, extension })
}

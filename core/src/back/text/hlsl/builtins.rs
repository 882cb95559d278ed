//! System values of HLSL, by their names in the IR.

use crate::back::text::number::{Kind, NumberType};
use crate::ir::{Mode, Stage};
use crate::ops::Width;

/// Name in the IR, mode, stage if it differs, semantic, kind, components.
type Row = (&'static str, Mode, Option<Stage>, &'static str, Kind, u8);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    ("position", Mode::Out, None, "SV_Position", Kind::Float, 4),
    ("frag_coord", Mode::In, None, "SV_Position", Kind::Float, 4),
    ("vertex_index", Mode::In, None, "SV_VertexID", Kind::Uint, 1),
    ("instance_index", Mode::In, None, "SV_InstanceID", Kind::Uint, 1),
    ("front_facing", Mode::In, None, "SV_IsFrontFace", Kind::Bool, 1),
    ("frag_depth", Mode::Out, None, "SV_Depth", Kind::Float, 1),
    ("workgroup_id", Mode::In, None, "SV_GroupID", Kind::Uint, 3),
    ("local_invocation_id", Mode::In, None, "SV_GroupThreadID", Kind::Uint, 3),
    ("global_invocation_id", Mode::In, None, "SV_DispatchThreadID", Kind::Uint, 3),
    ("local_invocation_index", Mode::In, None, "SV_GroupIndex", Kind::Uint, 1),
];

/// The semantic and the type of a system value.
pub(super) fn find(name: &str, mode: Mode, stage: Stage) -> Option<(&'static str, NumberType)> {
    let &(.., semantic, kind, components) = ROWS
        .iter()
        .find(|row| row.0 == name && row.1 == mode && row.2.is_none_or(|only| only == stage))?;
    let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
    Some((semantic, NumberType::new(kind, width, components)))
}

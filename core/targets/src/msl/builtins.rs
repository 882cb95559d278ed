//! System values of MSL (Metal Shading Language Specification, 5.2.3). Its integers are unsigned.

use super::super::number::NumberType;
use super::super::spelling::builtins::spelled;
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Mode, Stage};

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
    let &(_, attribute, variable) =
        spelled(value).msl.iter().find(|row| row.0 == mode).filter(|_| is_there)?;
    Some(BuiltIn { attribute, variable, ty: NumberType::of_builtin(value).unsigned() })
}

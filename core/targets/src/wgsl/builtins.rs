//! System values of WGSL (WGSL, 13.3.1.1). Its integers are unsigned.
//!
//! The number of a subgroup and how many there are belong to the language extension `subgroup_id`, which compilers that have
//! it allow without a word in the text.

use super::super::number::NumberType;
use super::super::spelling::builtins::{GROUPS, Wgsl, spelled};
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Mode, Stage};

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

/// The comment on an input that is zero wherever the language runs. `None` for other inputs.
pub(crate) fn zero(value: Builtin) -> Option<&'static str> {
    match spelled(value).wgsl {
        Wgsl::Zero(comment) => Some(comment),
        Wgsl::Ports(_) | Wgsl::Absent => None,
    }
}

/// The system value of an input or output of a stage.
pub(crate) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let Wgsl::Ports(rows) = spelled(value).wgsl else { return None };
    let &(_, name, variable, extension) = rows.iter().find(|row| row.0 == mode)?;
    // Vertices have no subgroups.
    if extension == GROUPS && stage == Stage::Vertex {
        return None;
    }
    let (ty, is_array) = (NumberType::of_builtin(value).unsigned(), value == Builtin::ClipDistance);
    Some(BuiltIn { name, variable, ty, is_array, extension })
}

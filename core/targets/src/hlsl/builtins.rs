//! System values of HLSL: types, and the functions of those that have no semantic.

use crate::number::NumberType;
use crate::spelling::builtins::{Call, spelled};
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Mode, Stage};

pub(super) use crate::spelling::builtins::Semantic;

/// The semantic and the type of a system value that is an input or output.
pub(super) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<(Semantic, NumberType)> {
    let mut rows = spelled(value).hlsl.iter();
    let &(.., semantic) = rows.find(|row| row.0 == mode && row.1.is_none_or(|only| only == stage))?;
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
    match spelled(value).call {
        Call::Always(name) => Some((name, NumberType::of_builtin(value).unsigned())),
        Call::OfRays(_) | Call::Never => None,
    }
}

/// The function of a system value in stages that rays call, with its type.
pub(super) fn function_of_rays(value: Builtin) -> Option<(&'static str, NumberType)> {
    match spelled(value).call {
        Call::OfRays(name) => Some((name, NumberType::of_builtin(value).unsigned())),
        Call::Always(_) | Call::Never => None,
    }
}

//! Unsupported operations, each with a reason. All others are supported.

use crate::ops::{IoOp, Op, SpirvOp};

/// The reason why an operation is not supported; `None` if it is.
pub fn refusal(op: Op) -> Option<&'static str> {
    match op {
        Op::Io(IoOp::InputVertex | IoOp::OutputVertex) => {
            Some("stages with several vertices are not supported")
        }
        Op::Io(IoOp::EmitVertex | IoOp::EndPrimitive) => Some("the geometry stage is not supported"),
        Op::Io(IoOp::SetMeshOutputs) => Some("the mesh stage is not supported"),
        Op::Spirv(SpirvOp::Raw) => Some("the semantics of the instruction are not known"),
        _ => None,
    }
}

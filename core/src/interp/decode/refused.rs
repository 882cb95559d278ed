//! The operations that are not run, each with its reason. All others are.

use crate::ops::{IoOp, Op, SpirvOp};

/// Why an operation is not run; none for those that are.
pub fn refusal(op: Op) -> Option<&'static str> {
    match op {
        Op::Io(IoOp::InputVertex | IoOp::OutputVertex) => Some("stages with several vertices are not run"),
        Op::Io(IoOp::EmitVertex | IoOp::EndPrimitive) => Some("the geometry stage is not run"),
        Op::Io(IoOp::SetMeshOutputs) => Some("the mesh stage is not run"),
        Op::Spirv(SpirvOp::Raw) => Some("what the instruction does is not known here"),
        _ => None,
    }
}

//! Unsupported operations, each with a reason. All others are supported.

use vitrine_ir::ops::{Op, SpirvOp};

/// The reason why an operation is not supported; `None` if it is. Of `spirv.raw`, the instructions in the table of
/// `decode/raw.rs` are supported.
pub fn refusal(op: Op) -> Option<&'static str> {
    match op {
        Op::Spirv(SpirvOp::Raw) => Some("the semantics of the instruction are not known"),
        _ => None,
    }
}

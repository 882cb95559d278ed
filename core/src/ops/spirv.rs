//! SPIR-V instructions that the IR has no operation for; they pass through the compiler unchanged.
//!
//! A pass must assume that they read and write everything, and must not move them.

use super::table::ops;

ops! {
    /// Raw instructions.
    SpirvOp;

    /// A SPIR-V instruction given by its opcode, with its literal operands in `words` and its value operands
    /// as operands.
    Raw spirv_raw "spirv.raw"(; args: ANY) -> MAYBE [READS WRITES MEMORY_BARRIER CONVERGENT]
        need(Opcode) may(Words, Text, Type, Mode);
}

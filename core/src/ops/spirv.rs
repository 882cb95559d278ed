//! Instructions the IR has no operation for, carried along as they came and written back unchanged.
//!
//! A pass must take them to read and write everything and to stay where they are.

use super::table::ops;

ops! {
    /// Raw instructions.
    SpirvOp;

    /// A SPIR-V instruction by its opcode; literal operands in `words`, value operands as operands.
    Raw spirv_raw "spirv.raw"(; args: ANY) -> MAYBE [READS WRITES MEMORY_BARRIER CONVERGENT]
        need(Opcode) may(Words, Text, Type, Mode);
}

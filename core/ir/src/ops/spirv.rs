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

/// A pair in the `words` of a `spirv.raw` with this number plus the index of an operand gives the kind of
/// number of the operand: 0 unsigned, 1 signed, 2 float. Instructions have fewer words than this.
pub const RAW_MEANT: u32 = 0x1_0000;

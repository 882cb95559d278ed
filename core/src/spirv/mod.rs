//! SPIR-V as words and as text: reading the binary form, taking instructions apart, disassembling, assembling.
//!
//! ```
//! use vitrine_core::spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};
//!
//! let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n";
//! let assembled = assemble(text, &AsmOptions::default());
//! assert!(assembled.diags.is_empty());
//! let (binary, diags) = Binary::from_words(assembled.words);
//! assert!(diags.is_empty());
//! assert!(disassembly(&binary, &DisOptions::default()).ends_with("%1 = OpTypeVoid\n"));
//! ```
//!
//! Nothing here interprets or validates a module. Three guarantees instead:
//!
//! * **Total.** Any bytes and any text give a result and diagnostics, never a panic; nothing recurses, and
//!   no number in the input decides how much memory is taken.
//! * **Exact.** Assembling a disassembly gives the words it was made of. What the text has no spelling for
//!   stands in it as words: `!0x0004002b`.
//! * **Open.** An unknown opcode, enumerant or extended instruction is carried as a number.
//!
//! The grammar is that of the `rspirv` crate, which is made from the machine-readable specification. Its
//! parser and disassembler are not used: they reject valid modules and panic on damaged ones.

mod words; // start here: the binary form
mod ids;

mod grammar;
mod enums;
mod debug_info;
mod builtins;
mod shared; // tables for reading and writing

mod decode;
mod check;

mod numbers;
mod tools;
mod names;
mod dis;

mod tokens;
mod lexemes; // for editors
mod asm;
mod asm_ids;
mod asm_inst;

#[cfg(test)]
mod tests;

pub use asm::{AsmOptions, Assembled, Line, assemble};
pub use builtins::{builtin_number, builtin_word};
pub use check::check;
pub use decode::{Context, Decoded, Fault, Operand};
pub use dis::{DisOptions, disassemble, disassembly};
pub use enums::{Enumerants, enumerants};
pub use grammar::{
    Expected, ExtInfo, Kind, LogicalOperand, Next, OpInfo, Quantifier, Set, op, op_named, op_names,
};
pub use ids::IdMap;
pub use lexemes::{ends_inside, is_spirv_text, lexemes};
pub use names::Names;
pub use numbers::{Number, NumberForm};
pub use shared::{IMAGE_OPERANDS, LOOP_HINTS, SEMANTICS, coordinate_components};
pub use tools::{tool_name, tool_number};
pub use words::{Binary, HEADER_WORDS, Header, Instruction, MAGIC, string_of};

/// The names of the specification as Rust enums: `spec::Op::TypeFloat`, `spec::Decoration::Block`.
pub use rspirv::spirv as spec;

/// In the `words` of a `spirv.raw`: a pair of this place plus the number of an operand says what the numbers of the
/// operand mean: 0 unsigned, 1 signed, 2 float. Instructions have fewer words than this.
pub const RAW_MEANT: u32 = 0x1_0000;

/// Most diagnostics kept for one input: a damaged one would repeat itself for megabytes.
const MOST_DIAGS: usize = 100;

/// Adds a diagnostic unless there are too many.
fn push(diags: &mut crate::ir::Diags, diag: crate::ir::Diag) {
    match diags.len() {
        0..MOST_DIAGS => diags.push(diag),
        MOST_DIAGS => diags.push(
            crate::ir::Diag::error("S100", crate::ir::Anchor::Module)
                .says("there is more to say than fits here")
                .help("mend what is said above first"),
        ),
        _ => {}
    }
}

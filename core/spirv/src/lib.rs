//! SPIR-V as words, as text and as programs: reading the binary form, decoding instructions, disassembling, assembling; the
//! [`reader`] and the [`writer`] of programs.
//!
//! ```
//! use vitrine_spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};
//!
//! let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n";
//! let assembled = assemble(text, &AsmOptions::default());
//! assert!(assembled.diags.is_empty());
//! let (binary, diags) = Binary::from_words(assembled.words);
//! assert!(diags.is_empty());
//! assert!(disassembly(&binary, &DisOptions::default()).ends_with("%1 = OpTypeVoid\n"));
//! ```
//!
//! As words and as text, modules are neither interpreted nor validated. Three guarantees hold:
//!
//! * **Total.** Any bytes and any text give a result and diagnostics, never a panic. Nothing recurses, and no
//!   number in the input determines an allocation size.
//! * **Exact.** Assembling a disassembly gives the original words. Words without a spelling are written as
//!   numbers: `!0x0004002b`.
//! * **Open.** An unknown opcode, enumerant or extended instruction is kept as a number.
//!
//! The grammar is that of the `rspirv` crate, which is generated from the machine-readable specification. Its
//! parser and disassembler are not used: they reject valid modules and panic on damaged ones.

#![forbid(unsafe_code)]

pub mod reader; // programs of SPIR-V become IR
pub mod writer; // programs become SPIR-V

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

pub use asm::{AsmOptions, Assembled, assemble};
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
pub use shared::{BRANCH_HINTS, FUNC_HINTS, IMAGE_OPERANDS, LOOP_HINTS, SEMANTICS};
pub use tools::{tool_name, tool_number};
pub use words::{Binary, HEADER_WORDS, Header, Instruction, MAGIC, string_of};

/// The names of the specification as Rust enums: `spec::Op::TypeFloat`, `spec::Decoration::Block`.
pub use rspirv::spirv as spec;

/// The largest number of diagnostics for one input. A damaged input would otherwise produce megabytes of
/// them.
const MOST_DIAGS: usize = 100;

/// Adds a diagnostic unless there are too many.
fn push(diags: &mut vitrine_ir::Diags, diag: vitrine_ir::Diag) {
    match diags.len() {
        0..MOST_DIAGS => diags.push(diag),
        MOST_DIAGS => diags.push(
            vitrine_ir::Diag::error("S100", vitrine_ir::Anchor::Module)
                .says("too many diagnostics: the rest is omitted")
                .help("fix the errors above first"),
        ),
        _ => {}
    }
}

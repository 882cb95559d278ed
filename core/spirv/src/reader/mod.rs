//! Reads SPIR-V binaries into IR in graph shape.
//!
//! One pass over the words collects declarations (`collect`). Types, constants and variables follow (`types`,
//! `constants`, `vars`). Then each function is lowered instruction by instruction, its blocks in the order of
//! the binary (`body`).
//!
//! Properties of the result:
//!
//! * Structures, arrays and matrices are not values in the IR. A composite of SPIR-V is a list of *leaves*
//!   (scalars, vectors, paths, handles), so extraction and construction cost nothing.
//! * A function that returns several leaves has one more parameter, the last one: a path to a local variable
//!   of the caller, to which it stores its result before it returns.
//! * Constants, and paths of whole variables, are emitted once per function at the start of its first block.
//! * An instruction without an operation in the IR is a `spirv.raw` (see `raw.rs`).
//! * No id is trusted: an id past the number of words is looked up in a hash map, not in a table.
//!
//! Damaged input gives diagnostics at word offsets and the part of the module that could be read.

mod words; // words by place
mod schema; // operands of an instruction
mod diagnostics; // diagnostics

mod tables;
mod collect; // start here
mod decorate;
mod types;
mod constants;
mod folded;
mod vars;

mod values; // a function: values, blocks, edges
mod body;
mod exits;

mod composite;
mod arith; // lowering, by kind of instruction
mod glsl;
mod matrix;
mod memory;
mod atomic;
mod image;
mod group;
mod kernel;
mod raw;
mod debug; // lines, scopes and variables of the source
mod debug_table;
pub mod forms; // entries of the front ends: binary and text

pub use tables::Read;

/// Reads a SPIR-V binary, of either endianness. Linear in its size, in time and in memory.
pub fn read(bytes: &[u8]) -> Read {
    let (binary, diags) = crate::Binary::read(bytes);
    if binary.words().len() < crate::HEADER_WORDS || binary.words()[0] != crate::MAGIC {
        return Read { diags, ..Read::default() };
    }
    let mut reader = collect::collect(&binary, diags);
    reader.declare_types();
    reader.declare_constants();
    reader.declare_vars();
    reader.declare_functions();
    reader.declare_debug();
    reader.lower_functions();
    reader.name_members();
    reader.finish()
}

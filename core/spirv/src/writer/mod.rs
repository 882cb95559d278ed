//! Writes functions in tree form as SPIR-V binaries.
//!
//! ```text
//! core       front::spirv        structurize, lower-exits{spirv}        back::spirv
//! words ───────────────▶ graph ─────────────────────────────────▶ tree ────────────▶ words
//! ```
//!
//! * Control flow follows the tree: an `if` is a selection, a loop a loop, a labeled block a `switch` of one
//!   arm
//!   (or a loop of one iteration, as `analysis::exits` decides). Block parameters are phis.
//! * Values are untyped bits; the analysis `types` infers the kind of number, and a bit cast is written only
//!   if two uses disagree. A constant has the type that each use needs.
//! * Steps of a path become one access chain at the use of the path.
//! * Names, decorations, lines and execution modes are written back; ids are dense, in order of first mention.
//! * Version and capabilities are the lowest that the written words need ([`Options::as_in`] keeps the
//!   declared ones). From the first version without `BufferBlock` on, storage buffers are blocks in the
//!   storage class `StorageBuffer`.
//!
//! Refuses functions without a tree, terminators that SPIR-V cannot express, and operations without an
//! instruction: `W1xx` diagnostics that name the pass to run first. `pipeline::prepare` runs the
//! required passes.
//!
//! Limits: a function that returned a composite keeps the form the front end gave it, with a last parameter
//! that points to the result. Values of more than 4 components need the capability `Vector16`, which only kernels
//! have.

mod words; // instructions as words
mod diagnostics;
mod shared; // types of both writers
mod ops; // the instruction of an operation
mod limits; // operations that shaders lack
mod uses;

mod module; // start here: the writer of a module
mod decorate;
mod types;
mod constants;
mod vars;
mod signatures;
mod needs; // version and capabilities
mod small; // numbers of 8 and 16 bits
mod sections; // the sections in order

mod function; // the writer of a function
mod debug; // scopes, lines and variables of the source
mod values;
mod paths;
mod memory;
mod arith;
mod components;
mod image;
mod group;
mod raw;
mod insts; // instructions by kind
mod control; // branches and merges of the tree
mod functions;
pub mod forms; // entries of the back ends: binary and text

use vitrine_ir::ops::Key;
use vitrine_ir::{Diag, Mode, Module, Struct, StructData, TypeData, Var, VarData};

pub use shared::{Options, Trail};

/// Writes a valid module whose functions are trees. Linear in its size.
///
/// Errors: the first part of the program that SPIR-V cannot express.
pub fn write(module: &Module, options: Options) -> Result<Vec<u32>, Diag> {
    write_with_trail(module, options).map(|(words, _)| words)
}

/// The same, with the map from words to the program.
pub fn write_with_trail(module: &Module, options: Options) -> Result<(Vec<u32>, Trail), Diag> {
    let (words, trail) = written(module, options)?;
    // The version is known only after writing.
    match words.get(1).filter(|&&version| version > LAST_BUFFER_BLOCK).and_then(|_| modern(module)) {
        Some(modern) => written(&modern, options),
        None => Ok((words, trail)),
    }
}

fn written(module: &Module, options: Options) -> Result<(Vec<u32>, Trail), Diag> {
    let mut writer = module::Writer::new(module);
    writer.declare()?;
    functions::write_functions(&mut writer)?;
    writer.finish(options)
}

/// The last version in which a storage buffer is a uniform with the decoration `BufferBlock`: 1.3.
const LAST_BUFFER_BLOCK: u32 = 1 << 16 | 3 << 8;

/// The module with storage buffers as later versions declare them; none if it has no old ones.
fn modern(module: &Module) -> Option<Module> {
    let is_old = |data: &StructData| data.attrs.has(Key::BufferBlock);
    let old: Vec<(Struct, StructData)> =
        module.structs().filter(|(_, data)| is_old(data)).map(|(id, data)| (id, data.clone())).collect();
    if old.is_empty() {
        return None;
    }
    let is_buffer = |var: &VarData| {
        let mut at = var.ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = module.type_of(at) {
            at = *of;
        }
        matches!(module.type_of(at), TypeData::Struct(id) if module.structure(*id).is_some_and(is_old))
    };
    let vars = module.vars().filter(|(_, var)| var.mode == Mode::Uniform && is_buffer(var));
    let vars: Vec<(Var, VarData)> = vars.map(|(id, var)| (id, var.clone())).collect();
    let mut modern = module.clone();
    for (id, data) in old {
        let attrs = data.attrs.without(Key::BufferBlock).with(Key::Block, 1);
        modern.set_struct(id, StructData { attrs, ..data });
    }
    for (id, data) in vars {
        modern.set_var(id, VarData { mode: Mode::Storage, ..data });
    }
    Some(modern)
}

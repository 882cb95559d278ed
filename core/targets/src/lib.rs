//! Languages like C: one engine, and a dialect for each language.
//!
//! The engine names no language. Where they differ, it asks a `Dialect`; the answers, and what a language finds out
//! about a module, are in the folder of the language, whose functions no other file can call.
//!
//! ```text
//! prepared module ── plan, declaration sites ──▶ decisions ── tree, values, … ──▶ statements ── print ──▶ tokens with links
//! ```
//!
//! The plan is made before anything is written: which values are written at their use, and where names are declared. An
//! operation is written by an entry of the spellings: an operator, a call, code of the engine; or it is refused, with
//! the pass that lowers it. Each operation states the kind of number that it reads; operands of another kind are cast.
//!
//! Writes the entry points of a module, each with the declarations that it uses. Refuses, with a diagnostic at the
//! instruction or the declaration, everything that the language does not have; nothing is left out. Refuses to change the
//! program: the preset of the back end prepares it.

#![forbid(unsafe_code)]

pub mod forms; // the back ends
mod spell; // start here: the forms of operations
mod spelling; // the form of every operation in every language
mod language; // by name
mod registry; // the dialect of each
mod own; // what each finds out
mod dialect; // what the engine asks of a language
mod glsl;
mod hlsl;
mod msl;
mod wgsl;

mod number; // kinds and types of numbers
mod gives; // results of instructions for rays
mod expr; // expressions as tokens
mod stmt; // statements
mod loops; // the forms of loops
mod choices; // `if` as a choice of values
mod arrays; // assignments of whole arrays
mod operands; // numbers and effects of an instruction
mod scopes; // scopes and orders of memory
mod pieces; // components that are written together
mod products; // matrices times vectors
mod plan; // which values are written at their use
mod declaration_sites; // where names are declared
mod calls; // functions that an entry point reaches
mod names;
mod roles; // names of what has none
mod layout; // types that take no memory
mod complete; // what a module leaves open
mod places; // resources and their places
mod parts; // entry points of one text
mod module; // declarations
mod header; // the lines before the functions
mod constants; // of the module
mod frozen; // specialization constants that have their defaults
mod func; // values and statements of a function
mod tree;
mod values; // arithmetic
mod vectors; // components
mod matrices; // their products
mod paths;
mod pointers; // physical addresses
mod memory;
mod memory_uses; // what is written, compared, read
mod atomic_places; // memory that atomics access
mod atomics;
mod images;
mod rays; // what languages with rays share
mod structs; // their order
mod indices;
mod group;

mod print; // lines

pub use language::{Language, Version};
pub use places::{Resource, resources};
pub use wgsl::bindings as wgsl_bindings;

use vitrine_forms::{Interface, Output};
use vitrine_ir::{Diag, Module};
use vitrine_text::Sink;

/// Writes the entry points of a module that the preset of the language prepared, or the one with the number `only`.
///
/// Several are parts of one text, of which the macro `ENTRY` selects one; a language without a preprocessor has all of them
/// side by side.
///
/// Errors: `W201` there is no such entry point; `W202` an operation, `W203` a type or a variable, `W204` a shape that the
/// language does not have; `P110` an exit that it does not have. Near linear in the size of the program and the number of
/// entry points.
pub fn write(
    module: &Module,
    language: Language,
    only: Option<u32>,
    out: &mut Output<'_>,
) -> Result<(), Vec<Diag>> {
    let full = complete::completed(module);
    let dialect = language.dialect();
    let entries = parts::chosen(&full, dialect, only).map_err(|diag| vec![diag])?;
    let mut interface = Interface::default();
    let mut lines = parts::lines(&full, dialect, &entries, &mut interface)?;
    // The version is the first line of the text.
    let first = usize::from(dialect.version_line().is_some()).min(lines.len());
    lines.splice(first..first, complete::comments(module, &full));
    let mut was_empty = true;
    for line in lines {
        // Groups of lines are separated by one empty line.
        if line.is_empty() && was_empty {
            continue;
        }
        was_empty = line.is_empty();
        line.write(out as &mut dyn Sink);
    }
    out.declare(interface);
    Ok(())
}

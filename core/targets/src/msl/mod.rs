//! MSL: types, system values and declarations (Metal Shading Language Specification 2.4 and later).
//!
//! The language has no variables of a module: what a function uses of them are its parameters. Inputs are members of a
//! structure, system values are parameters, outputs are members of the result. Resources are numbered by class, in the order of
//! their sets and bindings; a comment at the start lists them. Push constants are a buffer. Buffers get the offsets that
//! the module declares, by packed vectors and by members that fill gaps.

mod types;
mod words; // reserved words

mod dialect; // start here: the answers to the engine
mod access; // paths into memory, addresses, loads and stores
mod declarations; // names, constants and declarations
mod header; // the lines before the functions
mod effects; // images, atomics, barriers and system values
mod flow; // functions, entry points and calls
mod statements; // loops, choices, and what is written at its use
mod builtins; // system values
mod state; // what is known before functions are written
mod rays; // queries
mod interface; // finds that
mod entry; // parameters, the entry point and its result
mod kernels; // arguments of kernels
mod objects; // the stage before a mesh
mod decls; // types, structures, the lines before the functions
mod layout; // offsets, packed vectors
mod memory; // paths, lengths, constants
mod places; // numbers of resources
mod atomics;
mod values; // operations that are spelled out
mod images;
mod group; // derivatives, barriers, simdgroups

pub(super) use dialect::Msl;
pub(super) use state::State;

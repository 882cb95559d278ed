//! WGSL: types, system values and declarations (W3C, WebGPU Shading Language).
//!
//! Inputs and outputs of the entry point are its parameters and its result; those that other functions use are private
//! variables, too. Buffers get the sizes and strides that the module declares, by attributes and by elements in structures.

mod types;
mod words; // reserved words
mod builtins; // system values

mod dialect; // start here: the answers to the engine
mod access; // paths into memory, addresses, loads and stores
mod declarations; // names, constants and declarations
mod header; // the lines before the functions
mod effects; // images, atomics, barriers and system values
mod flow; // functions, entry points and calls
mod statements; // loops, choices, and what is written at its use
mod values; // operations that are spelled out
mod evaluation; // constants that the compiler of the text evaluates
mod decls; // declarations of the module
mod state; // what is known before functions are written
mod entry; // the entry point, its parameters and its result
mod layout; // sizes, strides
mod places; // groups and bindings
mod images;
mod uniformity; // where invocations may be apart
mod group; // derivatives, barriers, subgroups
mod exchange; // atomics

pub(super) use dialect::Wgsl;
pub(super) use state::State;
pub use state::bindings;

//! GLSL 4.60 for Vulkan: tables of types and system values, and declarations.
//!
//! Source: The OpenGL Shading Language, version 4.60.8; GL_KHR_vulkan_glsl.

mod builtins;
mod es; // what GLSL ES does not have
mod types;
mod words;

mod dialect; // start here: the answers to the engine
mod state; // what is found out about a module
mod access; // paths into memory, addresses, loads and stores
mod declarations; // names, constants and declarations
mod header; // the lines before the functions
mod effects; // images, atomics, barriers and system values
mod flow; // functions, entry points and calls
mod statements; // loops, choices, and what is written at its use
mod values; // arithmetic, literals and casts
mod decls;
mod buffers;
mod layout; // offsets by the rules of a packing
mod places; // sets and bindings
mod modes; // execution modes
mod images; // lookups and queries
mod mixed_images; // with and without comparisons
mod atomics; // on memory and texels
mod group; // derivatives, subgroups, the end of invocations
mod es_rows; // arrays of arrays
mod es_lookups; // that GLSL ES does not have
mod interface; // structures between stages
mod uses; // of variables, found first
mod references; // physical pointers
mod rays; // instructions of SPIR-V
mod orders; // of memory: barriers and atomics
mod instructions; // those without a function, by their numbers
mod sparse; // residency of texels
mod returns; // of functions that never return
mod folding; // of constants, to other numbers
mod packing; // bits in components of another width
mod spelled; // types as declarations write them
mod stages; // tessellation, geometry and mesh shaders

pub(super) use dialect::Glsl;
pub(super) use state::State;

//! HLSL 2021 for shader model 6.6: tables of types and system values, and declarations.
//!
//! Inputs and outputs are static variables, which the entry point fills from its parameter and returns in its result.
//! A compiler to SPIR-V is given the options that Direct3D's layout of buffers and its position imply: `-fvk-use-dx-layout`,
//! `-fvk-use-dx-position-w`, and `-enable-16bit-types` for numbers of 16 bits.
//! Places of resources are stated twice: as registers, and as Vulkan bindings for a compiler that writes SPIR-V.
//! A storage buffer whose layout the language does not reproduce is accessed by bytes.
//!
//! Source: the documentation of HLSL and of the DirectX Shader Compiler (HLSL to SPIR-V feature mapping).

mod types;
mod words;

mod dialect; // start here: the answers to the engine
mod access; // paths into memory, addresses, loads and stores
mod declarations; // names, constants and declarations
mod header; // the lines before the functions
mod effects; // images, atomics, barriers and system values
mod flow; // functions, entry points and calls
mod statements; // loops, choices, and what is written at its use
mod builtins;
mod bytes;
mod buffers;
mod decls;
mod entry;
mod exchanges;
mod externs; // instructions and modes of SPIR-V
mod geometry;
mod group;
mod hits; // entry points that rays call
mod images;
mod literals; // integers without a type
mod memory;
mod places; // registers
mod state;
mod rays; // instructions of rays
mod resources;
mod scaled;
mod structs;
mod values;

pub(super) use dialect::Hlsl;
pub(super) use state::State;

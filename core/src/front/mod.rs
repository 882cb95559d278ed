//! Reading in: programs of other languages become IR.
//!
//! A front end never fails as a whole. It gives what it could make sense of, and diagnostics for the rest.

pub mod encoded; // binaries written as text
pub mod spirv; // start here: binaries of SPIR-V

pub use encoded::base64;

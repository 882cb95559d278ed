//! Filetests: programs as files, each with the pipeline that runs on it and what must come out.
//!
//! `core/tests/filetests/readme/format.ir` explains the format. A crate of its own, so that a change in a pass compiles little
//! before they run. Other tests of the compiler use the parts.

pub mod sections; // start here: the parts of a file
pub mod files; // finds and checks them
pub mod runs; // runs the input and the result on the same inputs
pub mod bless; // accepts what was found
pub mod parallel; // work by all processors

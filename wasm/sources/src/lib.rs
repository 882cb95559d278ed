//! Source languages as SPIR-V, by front ends of other projects; used by the command line and, in a Web Worker of its own, by
//! the page.
//!
//! The SPIR-V words are the only contract: they hold the lines of the source. WGSL is the language of the page; GLSL is for
//! command lines without a compiler for it.
//!
//! Refuses to know the compiler: problems are text and byte ranges, which the caller turns into diagnostics.

mod naga; // start here: WGSL

mod left_open; // what an application would provide
mod lines; // places of instructions
mod parts; // pointers to parts of variables
#[cfg(target_arch = "wasm32")]
mod worker; // the interface for JavaScript

#[cfg(feature = "glsl")]
pub use naga::translate_glsl;
pub use naga::{Options, translate};
#[cfg(target_arch = "wasm32")]
pub use worker::Translator;

use std::ops::Range;

/// A source as SPIR-V.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// The words of the binary.
    pub words: Vec<u32>,
    /// What stands for what the source leaves open, one sentence each.
    pub notes: Vec<String>,
}

/// A problem that a front end reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The problem, in the words of the front end.
    pub says: String,
    /// A suggestion of the front end, or empty.
    pub help: String,
    /// The bytes of the source that it is about.
    pub range: Option<Range<usize>>,
}

impl Problem {
    /// A problem without a place.
    pub fn new(says: String) -> Problem {
        Problem { says, ..Problem::default() }
    }
}

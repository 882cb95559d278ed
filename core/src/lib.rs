//! Vitrine's compiler: readers and writers of shaders, an IR with analyses, passes and an interpreter, pipelines that keep every
//! step, and plain data for a page that shows them.
//!
//! Reading order is the order of the floors below; each imports from lower floors only
//! (`tests/it/floors.rs`). The lower ones are crates of their own, which this crate re-exports. It does no IO, and uses no browser
//! and no clock.

#![forbid(unsafe_code)]

// Floors 0 to 2: programs.
pub use vitrine_ir as ir;
pub use vitrine_ir::{base, ops};

// Floor 3: print and parse.
pub use vitrine_text as text;

// Floor 3: facts; floor 4: algebra as data, and the list of everything that must hold.
pub use vitrine_analysis as analysis;
pub use vitrine_analysis::{rules, validate};

// Floor 4: what a program computes.
pub use vitrine_interp as interp;

// Floor 4: formats, with their readers and writers on floor 5.
pub use vitrine_d3d as d3d;
pub use vitrine_spirv as spirv;

// Floor 5: transform.
pub use vitrine_passes as passes;

// Floor 6: read in, run passes.
pub use vitrine_front as front;
pub use vitrine_pipeline as pipeline;

// Floor 7: check, compare, reduce.
pub use vitrine_lab as lab;

pub mod layout; // floor 4: where blocks go on screen
pub mod back; // floor 7: write out
pub mod report; // floor 8: a finding as Markdown
pub mod share; // floor 8: links and reproductions
pub mod catalog; // floor 9: the reference of passes, presets, rules, operations, front ends and back ends
pub mod view_model; // floor 9: plain data for the page
pub mod judge; // floor 9: decides whether an answer solves a task
#[cfg(feature = "lessons")]
pub mod lessons; // floor 10: the programs of lessons

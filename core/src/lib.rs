//! Vitrine's compiler: readers and writers of shaders, an IR with analyses, passes and an interpreter, pipelines that keep every
//! step, and plain data for a page that shows them.
//!
//! Reading order is the order of the floors below; each imports from lower floors only
//! (`tests/it/floors.rs`). The crate does no IO, knows no browser and asks no clock.

#![forbid(unsafe_code)]

pub mod base; // floor 0: typed indices, tables that clone cheaply, bit sets
pub mod ops; // floor 1: what operations exist and what they mean
pub mod ir; // floor 2: programs
pub mod text; // floor 3: print and parse
pub mod analysis; // floor 3: facts
pub mod validate; // floor 4: the list of everything that must hold
pub mod interp; // floor 4: what a program computes
pub mod layout; // floor 4: where blocks go on screen
pub mod rules; // floor 4: algebra as data
pub mod d3d; // floor 4: formats of Direct3D
pub mod spirv; // floor 4: SPIR-V words, grammar and text
pub mod passes; // floor 5: transform
pub mod front; // floor 5: read in
pub mod back; // floor 5: write out
pub mod pipeline; // floor 6: run passes
pub mod share; // floor 6: links and reproductions
pub mod catalog; // floor 7: the reference of passes, presets, rules, operations, front ends and back ends
pub mod view_model; // floor 7: plain data for the page
pub mod judge; // floor 7: decides whether an answer solves a task
#[cfg(feature = "lessons")]
pub mod lessons; // floor 8: the programs of lessons

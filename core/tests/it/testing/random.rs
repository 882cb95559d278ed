//! Random well-formed modules, from the op tables.
//!
//! Every operation of the tables can occur: operands are picked by the constraints of the operation from the values
//! in scope, attributes by the key table. Definitions dominate uses by construction (`tree`: by nesting, `graph`:
//! by dominator sets). Equal seeds and sizes give equal modules on every machine.
//!
//! Limits: no recursion, no edge to the entry block of a graph.

pub(crate) mod rng; // start here: the source of randomness

mod body; // a function under construction: scope and values
mod graph;
mod memory;
mod module; // types, variables, module constants, entry points
mod ops; // any operation, by its table entry
mod types;
mod tex;
mod texts;
mod tree;

use module::Gen;
use rng::Rng;
use vitrine_core::ir::Module;

/// A random module of about `size` instructions.
pub(crate) fn module(seed: u64, size: usize) -> Module {
    Gen::new(Rng::new(seed), size).module()
}

/// A size for a seed. Most modules are small, so that failures are small.
pub(crate) fn size_of(seed: u64) -> usize {
    match seed % 16 {
        0..8 => 12,
        8..13 => 40,
        13..15 => 120,
        _ => 400,
    }
}

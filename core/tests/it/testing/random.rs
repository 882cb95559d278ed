//! Random well-formed modules, from the op tables.
//!
//! Every operation a row describes is reachable: operands are picked by the row's constraints from what is
//! in scope, attributes by the key table. Uses are dominated by construction (`tree`: by nesting, `graph`:
//! by a dominator set computed on the spot). The same seed and size give the same module everywhere.
//!
//! Limits: no recursion between functions, no edge to the first block of a graph.

pub(crate) mod rng; // start here: where chance comes from

mod body; // a function under construction: scope and values
mod graph;
mod memory;
mod module; // types, variables, module constants, entry points
mod ops; // any operation by its row
mod places;
mod tex;
mod texts;
mod tree;

use module::Gen;
use rng::Rng;
use vitrine_core::ir::Module;

/// A module of about `size` instructions.
pub(crate) fn module(seed: u64, size: usize) -> Module {
    Gen::new(Rng::new(seed), size).module()
}

/// A size that fits the seed: most modules are small, so that failures are.
pub(crate) fn size_of(seed: u64) -> usize {
    match seed % 16 {
        0..8 => 12,
        8..13 => 40,
        13..15 => 120,
        _ => 400,
    }
}

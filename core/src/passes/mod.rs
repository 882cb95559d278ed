//! Passes: what changes a function into one that means the same.
//!
//! ```text
//! structurize      graph to tree
//! flatten          tree to graph
//! values-to-regs   block parameters to registers
//! regs-to-values   registers to values and block parameters
//! ```

pub mod structurize;

mod flatten;
mod values_to_regs;
mod regs_to_values;

mod ssa; // parameters where definitions meet
mod rebuild; // where a new body begins

pub use flatten::flatten;
pub use regs_to_values::regs_to_values;
pub use values_to_regs::values_to_regs;

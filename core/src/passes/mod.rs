//! Passes: what changes a function into one that means the same.
//!
//! ```text
//! structurize      graph to tree
//! lower-exits      exits of a tree that a target can say
//! flatten          tree to graph
//! values-to-regs   block parameters to registers
//! regs-to-values   registers to values and block parameters
//! vars-to-values   local variables to values and block parameters
//! copy-prop        reads through copies
//! constant-fold    computes what is constant
//! algebraic        rules
//! cse              the same thing once
//! dead-cf          control flow that makes no difference
//! dce              what nobody reads
//! ```

pub mod structurize;
pub mod lower_exits;

mod flatten;
mod values_to_regs;
mod regs_to_values;

mod vars_to_values;
mod copy_prop;
mod constant_fold;
mod algebraic;
mod cse;
mod dead_cf;
mod dce;

mod open; // how a pass that edits begins
mod ssa; // parameters where definitions meet
mod rebuild; // where a new body begins

pub use algebraic::algebraic;
pub use constant_fold::constant_fold;
pub use copy_prop::copy_prop;
pub use cse::cse;
pub use dce::dce;
pub use dead_cf::dead_cf;
pub use flatten::flatten;
pub use regs_to_values::regs_to_values;
pub use values_to_regs::values_to_regs;
pub use vars_to_values::vars_to_values;

//! Passes: what changes a function into one that means the same.
//!
//! ```text
//! structurize      graph to tree
//! lower-exits      exits of a tree that a target can say
//! flatten          tree to graph
//! values-to-regs   block parameters to registers
//! regs-to-values   registers to values and block parameters
//! global-vars-to-local   private variables of one entry point
//! vars-to-values   local variables to values and block parameters
//! remove-dead-variables   variables that nobody reads
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

mod global_vars_to_local;
mod vars_to_values;
mod remove_dead_variables;
mod copy_prop;
mod constant_fold;
mod algebraic;
mod cse;
mod dead_cf;
mod dce;

#[cfg(test)]
mod wrong; // a pass with a bug, for tests of what finds bugs

mod pass; // what a pass says of itself
mod opening;
mod open; // how a pass that edits begins
mod ssa; // parameters where definitions meet
mod rebuild; // where a new body begins

pub use flatten::flatten;
pub use pass::{OptionInfo, Options, PassInfo, PassShape};
pub use regs_to_values::regs_to_values;
pub use values_to_regs::values_to_regs;

pub(crate) use pass::{Journals, Run};

/// Every pass, in the order in which a program meets them. Everything that names a pass reads it here.
pub const PASSES: &[PassInfo] = &[
    structurize::PASS,
    lower_exits::PASS,
    flatten::PASS,
    values_to_regs::PASS,
    regs_to_values::PASS,
    global_vars_to_local::PASS,
    vars_to_values::PASS,
    remove_dead_variables::PASS,
    copy_prop::PASS,
    constant_fold::PASS,
    algebraic::PASS,
    cse::PASS,
    dead_cf::PASS,
    dce::PASS,
    #[cfg(test)]
    wrong::PASS,
];

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static PassInfo> {
    PASSES.iter().find(|pass| pass.name == name)
}

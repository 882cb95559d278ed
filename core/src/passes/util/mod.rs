//! Code that several passes share, one topic per file. Passes import from here and never from another pass.
//!
//! Contains no passes, and does not decide when a pass runs.

pub(in crate::passes) mod open; // opens a function, and lists its blocks, nodes and instructions in order
pub(in crate::passes) mod rewrite_each; // drivers for passes that visit every instruction
pub(in crate::passes) mod memory; // the effects of instructions on memory, and variables that others may observe
pub(in crate::passes) mod leaves; // the scalars and vectors that an aggregate consists of
pub(in crate::passes) mod initial; // initial values of variables
pub(in crate::passes) mod places; // variables that untyped pointers refer to
pub(in crate::passes) mod split_vars; // paths of local variables, and their replacement by parts
pub(in crate::passes) mod io_components; // inputs and outputs by component and location
pub(in crate::passes) mod parts; // variables that become one variable for each element or member
pub(in crate::passes) mod image_operands; // operands of image operations
pub(in crate::passes) mod handles; // variables that hold images and samplers
pub(in crate::passes) mod predicate; // code that runs under a condition, and subgroup operations
pub(in crate::passes) mod speculate; // instructions that may run where the program did not run them
pub(in crate::passes) mod scopes; // the blocks in which a value is visible
pub(in crate::passes) mod lcssa; // loop-closed form: values that leave a node leave it by a block parameter
pub(in crate::passes) mod arms; // conditional nodes and their arms
pub(in crate::passes) mod loop_edit; // loops whose body is one region
pub(in crate::passes) mod components; // components of vectors: which are picked, and the cheapest way to pick them
pub(in crate::passes) mod params; // block parameters of another type
pub(in crate::passes) mod single_source; // block parameters that have the same value on every edge
pub(in crate::passes) mod apply_rules; // rewrite rules, applied until none matches
pub(in crate::passes) mod arith; // expansions of arithmetic operations
pub(in crate::passes) mod bools; // booleans encoded as numbers
pub(in crate::passes) mod ranges; // upper bounds of integers
pub(in crate::passes) mod calls; // the call graph
pub(in crate::passes) mod ssa; // block parameters where definitions meet
pub(in crate::passes) mod rebuild; // the start of a new body for a function
pub(in crate::passes) mod rebuilt; // two versions of a function, to give reasons for their differences
pub(in crate::passes) mod resources; // resources by the names that a person writes
pub(in crate::passes) mod route; // the path within a type to the bytes at an offset
pub(in crate::passes) mod untype; // typed paths as byte offsets
pub(in crate::passes) mod plain_types; // types without a layout
pub(in crate::passes) mod ptr_shape; // pointers that differ only in the values of their indices
pub(in crate::passes) mod typed_memory; // accesses to memory, and the test whether they match a type

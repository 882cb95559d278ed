//! Code that several passes share, one topic per file. Passes import from here and never from another pass.
//!
//! Contains no passes, and does not decide when a pass runs.

pub(crate) mod open; // opens a function, and lists its blocks, nodes and instructions in order
pub(crate) mod rewrite_each; // drivers for passes that visit every instruction
pub(crate) mod memory; // the effects of instructions on memory, and variables that others may observe
pub(crate) mod leaves; // the scalars and vectors that an aggregate consists of
pub(crate) mod initial; // initial values of variables
pub(crate) mod places; // variables that untyped pointers refer to
pub(crate) mod split_vars; // paths of local variables, and their replacement by parts
pub(crate) mod io_components; // inputs and outputs by component and location
pub(crate) mod parts; // variables that become one variable for each element or member
pub(crate) mod image_operands; // operands of image operations
pub(crate) mod handles; // variables that hold images and samplers
pub(crate) mod predicate; // code that runs under a condition, and subgroup operations
pub(crate) mod speculate; // instructions that may run where the program did not run them
pub(crate) mod scopes; // the blocks in which a value is visible
pub(crate) mod lcssa; // loop-closed form: values that leave a node leave it by a block parameter
pub(crate) mod arms; // conditional nodes and their arms
pub(crate) mod loop_edit; // loops whose body is one region
pub(crate) mod components; // components of vectors: which are picked, and the cheapest way to pick them
pub(crate) mod params; // block parameters of another type
pub(crate) mod single_source; // block parameters that have the same value on every edge
pub(crate) mod apply_rules; // rewrite rules, applied until none matches
pub(crate) mod arith; // expansions of arithmetic operations
pub(crate) mod bools; // booleans encoded as numbers
pub(crate) mod ranges; // upper bounds of integers
pub(crate) mod calls; // the call graph
pub(crate) mod ssa; // block parameters where definitions meet
pub(crate) mod rebuild; // the start of a new body for a function
pub(crate) mod rebuilt; // two versions of a function, to give reasons for their differences
pub(crate) mod resources; // resources by the names that a person writes
pub(crate) mod route; // the path within a type to the bytes at an offset
pub(crate) mod untype; // typed paths as byte offsets
pub(crate) mod plain_types; // types without a layout
pub(crate) mod ptr_shape; // pointers that differ only in the values of their indices
pub(crate) mod typed_memory; // accesses to memory, and the test whether they match a type

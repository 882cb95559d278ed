//! Passes: what changes a function into one that means the same.
//!
//! ```text
//! shapes
//! structurize            graph to tree
//! lower-exits            exits of a tree that a target can say
//! flatten                tree to graph
//! values-to-regs         block parameters to registers
//! regs-to-values         registers to values and block parameters
//!
//! calls and variables
//! inline-functions       calls become what the functions do
//! global-vars-to-local   private variables of one entry point
//! split-var-copies       copies of aggregates to copies of leaves
//! split-struct-vars      local structures to a local for each member
//! split-array-vars       local arrays to a local for each element
//! shrink-vec-array-vars  local vectors and arrays to what is written and read
//! lower-var-copies       copies to loads and stores
//! vars-to-values         local variables to values and block parameters
//! memcpy                 copies of bytes to copies of what has a type
//! find-array-copies      loads and stores of all of something to copies
//! copy-prop-vars         loads of what is known to be there
//! dead-write-vars        stores that nobody reads
//! lower-variable-initializers  initializers to stores
//! lower-array-deref-of-vec  accesses to lanes to accesses to vectors
//! lower-indirect-derefs  accesses by an index to accesses to all elements
//! combine-stores         stores to lanes to one store
//! large-constants        tables of constants to initializers
//! one-value-vars         reads of what only ever holds one value
//! remove-dead-variables  variables that nobody reads
//!
//! inputs, outputs and resources
//! io-to-temporaries      outputs set once, at the end, or inputs read once, at the start
//! io-to-scalar           vectors handed on to a variable for each lane
//! io-arrays-to-elements  arrays handed on to a variable for each element
//! io-to-vector           what shares a location to one vector
//! lower-system-values    variables the system sets to what they are
//! lower-io               inputs and outputs by location
//! opt-access             buffers and images that nobody writes, or reads
//! uniforms-to-ubo        loose uniforms to one uniform buffer
//! qptr-lower             paths to untyped pointers
//! qptr-infer-storage     pointers that may lead anywhere to one mode
//! qptr-analyze           what is done with untyped memory
//! qptr-legalize          pointers that are one of several to numbers
//! qptr-specialize        functions for each memory that they are called with
//! qptr-fold-offsets      constant distances to where memory is accessed
//! qptr-forward           loads of bytes that are known
//! qptr-partition         memory by what is used together
//! qptr-dead-stores       stores of bytes that nobody reads
//! qptr-lift              untyped pointers to paths
//! inline-uniforms        what a uniform buffer is known to hold
//! opt-barriers           barriers with nothing between them
//! lower-wrmasks          stores with gaps to stores without
//! uniform-atomics        one lane changes memory for all
//! load-store-vectorize   neighbours are accessed at once
//! non-uniform-access     one resource after the other
//! lower-subgroups        what looks at other lanes, by less
//! lower-samplers         images and samplers apart
//! lower-tex              what lookups cannot do
//!
//! arithmetic
//! copy-prop              reads through copies
//! constant-fold          computes what is constant
//! range-fold             what can only be one thing, by what values may be
//! algebraic              rules
//! cse                    the same thing once
//! licm                   what a loop computes again and again, before it
//! algebraic-late         rules for targets
//! comparison-pre         comparing a difference that is computed anyway
//! rematerialize-compares comparisons again where they decide
//! propagate-invariant    exact, what invariant outputs need
//! undef                  through what is undefined
//! shrink-vectors         lanes that nobody reads
//! vectorize              the same on several lanes at once
//! alu-to-scalar          one lane at a time
//! params-to-scalar       the same for block parameters
//! load-const-to-scalar   the same for constants
//! gcm                    everything where it is computed least
//! sink                   what one arm reads, into that arm
//! move                   what is cheap, right before it is read
//! lower-alu              operations that a target may lack
//! idiv-const             division by constants
//! lower-idiv             division of integers
//! lower-flrp             mixing of floats
//! lower-frexp            significands and exponents
//! lower-packing          lanes side by side
//! lower-bit-size         8 and 16 bits on 32
//! lower-int64            64 bits by pairs of 32
//! lower-double-ops       doubles by sums and products
//! bool-to-int32          truth as 32 bits
//! bool-to-float          truth as floats
//! int-to-float           integers as floats
//!
//! control flow
//! loop-peel-initial-if   what only the first round does, before the loop
//! loop-unroll            loops with a known number of rounds become their rounds
//! lower-continue         what every round ends with comes into the body
//! if-constant-arm        what a choice was made by is known in its arms
//! if-unnest              the only arm that goes on comes behind the choice
//! trivial-continues      jumps to where falling leads fall
//! opt-loop               two exits in a row become one
//! if-merge-adjacent      two choices by one condition become one
//! if-hoist-common        what both arms compute, before them
//! if-invert-empty        choices whose first arm is empty, turned round
//! if-select-of-params    selects behind a choice are what its arms bring
//! conditional-discard    choices that only end lanes become instructions
//! discard-to-demote      discarded lanes go on as helpers
//! lower-discard-if       what ends lanes under a condition, as a choice
//! lower-switch           switches become chains of choices
//! lower-returns          functions return at their end only
//! remove-trivial-params  parameters that are always one value
//! to-lcssa               what leaves a node leaves it by a parameter
//! peephole-select        small choices become selects
//! dead-cf                control flow that makes no difference
//!
//! the rest
//! dce                    what nobody reads
//! ```

pub mod structurize;
pub mod lower_exits;
mod flatten;
mod values_to_regs;
mod regs_to_values;

// Calls and variables.
mod inline_functions;
mod global_vars_to_local;
mod split_var_copies;
mod split_struct_vars;
mod split_array_vars;
mod shrink_vec_array_vars;
pub(crate) mod lower_var_copies;
mod vars_to_values;
mod memcpy;
mod find_array_copies;
mod copy_prop_vars;
mod dead_write_vars;
mod lower_variable_initializers;
mod lower_array_deref_of_vec;
mod lower_indirect_derefs;
mod combine_stores;
mod large_constants;
mod one_value_vars;
mod remove_dead_variables;

// Inputs, outputs and resources.
mod io_to_temporaries;
mod io_to_scalar;
mod io_arrays_to_elements;
mod io_to_vector;
mod lower_system_values;
mod lower_io;
mod opt_access;
mod uniforms_to_ubo;
mod qptr_lower;
mod qptr_infer_storage;
mod qptr_analyze;
mod qptr_legalize;
mod qptr_specialize;
mod qptr_fold_offsets;
mod qptr_forward;
mod qptr_partition;
mod qptr_dead_stores;
mod qptr_lift;
mod inline_uniforms;
mod opt_barriers;
mod lower_wrmasks;
mod uniform_atomics;
mod load_store_vectorize;
mod non_uniform_access;
mod lower_subgroups;
mod lower_samplers;
mod lower_tex;

// Arithmetic.
mod copy_prop;
mod constant_fold;
mod range_fold;
mod algebraic;
mod cse;
mod licm;
mod algebraic_late;
mod comparison_pre;
mod rematerialize_compares;
mod propagate_invariant;
mod undef;
mod shrink_vectors;
mod vectorize;
mod alu_to_scalar;
mod params_to_scalar;
mod load_const_to_scalar;
mod gcm;
mod sink;
mod r#move;
mod lower_alu;
mod idiv_const;
mod lower_idiv;
mod lower_flrp;
mod lower_frexp;
mod lower_packing;
mod lower_bit_size;
mod lower_int64;
mod lower_double_ops;
mod bool_to_int32;
mod bool_to_float;
mod int_to_float;

// Control flow.
mod loop_peel_initial_if;
mod loop_unroll;
mod lower_continue;
mod if_constant_arm;
mod if_unnest;
mod trivial_continues;
mod opt_loop;
mod if_merge_adjacent;
mod if_hoist_common;
mod if_invert_empty;
mod if_select_of_params;
mod conditional_discard;
mod discard_to_demote;
pub(crate) mod lower_discard_if;
mod lower_switch;
mod lower_returns;
mod remove_trivial_params;
mod to_lcssa;
mod peephole_select;
mod dead_cf;

// The rest.
mod dce;

#[cfg(test)]
mod wrong; // a pass with a bug, for tests of what finds bugs

mod pass; // what a pass says of itself
mod open; // how a pass that edits begins
mod leaves; // what aggregates are made of
mod io_lanes; // inputs and outputs lane by lane
mod initial; // what variables hold at first
mod memory; // what instructions do to memory
mod places; // where untyped pointers lead
mod split_vars; // paths of locals, and how they are made anew
mod words; // attributes by word, subgroups
mod roles; // operands of image operations
mod handles; // variables of images and samplers
mod guard; // what happens under a condition
mod speculate; // what may be computed though nobody asked
mod lcssa; // values that leave nodes
mod arms; // choices and their arms
mod rounds; // loops of one region
mod scopes; // which blocks see what
mod lanes; // lanes picked
mod params; // block parameters in another form
mod arith; // what operations become
mod bools; // truth as numbers
mod ranges; // how large integers get
mod ssa; // parameters where definitions meet
mod rebuild; // where a new body begins

use crate::base::opening;

pub use flatten::flatten;
pub use pass::{OptionInfo, Options, PassInfo, PassShape};
pub use regs_to_values::regs_to_values;
pub use values_to_regs::values_to_regs;

pub(crate) use pass::{Journals, RunFn};

/// Every pass, in the order in which a program meets them. Everything that names a pass reads it here.
pub const PASSES: &[PassInfo] = &[
    // Shapes.
    structurize::PASS,
    lower_exits::PASS,
    flatten::PASS,
    values_to_regs::PASS,
    regs_to_values::PASS,
    // Calls and variables.
    inline_functions::PASS,
    global_vars_to_local::PASS,
    split_var_copies::PASS,
    split_struct_vars::PASS,
    split_array_vars::PASS,
    shrink_vec_array_vars::PASS,
    lower_var_copies::PASS,
    vars_to_values::PASS,
    memcpy::PASS,
    find_array_copies::PASS,
    copy_prop_vars::PASS,
    dead_write_vars::PASS,
    lower_variable_initializers::PASS,
    lower_array_deref_of_vec::PASS,
    lower_indirect_derefs::PASS,
    combine_stores::PASS,
    large_constants::PASS,
    one_value_vars::PASS,
    remove_dead_variables::PASS,
    // Inputs, outputs and resources.
    io_to_temporaries::PASS,
    io_to_scalar::PASS,
    io_arrays_to_elements::PASS,
    io_to_vector::PASS,
    lower_system_values::PASS,
    lower_io::PASS,
    opt_access::PASS,
    uniforms_to_ubo::PASS,
    qptr_lower::PASS,
    qptr_infer_storage::PASS,
    qptr_analyze::PASS,
    qptr_legalize::PASS,
    qptr_specialize::PASS,
    qptr_fold_offsets::PASS,
    qptr_forward::PASS,
    qptr_partition::PASS,
    qptr_dead_stores::PASS,
    qptr_lift::PASS,
    inline_uniforms::PASS,
    opt_barriers::PASS,
    lower_wrmasks::PASS,
    uniform_atomics::PASS,
    load_store_vectorize::PASS,
    non_uniform_access::PASS,
    lower_subgroups::PASS,
    lower_samplers::PASS,
    lower_tex::PASS,
    // Arithmetic.
    copy_prop::PASS,
    constant_fold::PASS,
    range_fold::PASS,
    algebraic::PASS,
    cse::PASS,
    licm::PASS,
    algebraic_late::PASS,
    comparison_pre::PASS,
    rematerialize_compares::PASS,
    propagate_invariant::PASS,
    undef::PASS,
    shrink_vectors::PASS,
    vectorize::PASS,
    alu_to_scalar::PASS,
    params_to_scalar::PASS,
    load_const_to_scalar::PASS,
    gcm::PASS,
    sink::PASS,
    r#move::PASS,
    lower_alu::PASS,
    idiv_const::PASS,
    lower_idiv::PASS,
    lower_flrp::PASS,
    lower_frexp::PASS,
    lower_packing::PASS,
    lower_bit_size::PASS,
    lower_int64::PASS,
    lower_double_ops::PASS,
    bool_to_int32::PASS,
    bool_to_float::PASS,
    int_to_float::PASS,
    // Control flow.
    loop_peel_initial_if::PASS,
    loop_unroll::PASS,
    lower_continue::PASS,
    if_constant_arm::PASS,
    if_unnest::PASS,
    trivial_continues::PASS,
    opt_loop::PASS,
    if_merge_adjacent::PASS,
    if_hoist_common::PASS,
    if_invert_empty::PASS,
    if_select_of_params::PASS,
    conditional_discard::PASS,
    discard_to_demote::PASS,
    lower_discard_if::PASS,
    lower_switch::PASS,
    lower_returns::PASS,
    remove_trivial_params::PASS,
    to_lcssa::PASS,
    peephole_select::PASS,
    dead_cf::PASS,
    // The rest.
    dce::PASS,
    #[cfg(test)]
    wrong::PASS,
];

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static PassInfo> {
    PASSES.iter().find(|pass| pass.name == name)
}

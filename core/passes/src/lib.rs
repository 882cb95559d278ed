//! Passes: each transforms a function or a module into an equivalent one.
//!
//! A pass is one file (or folder) with its name, and one line in the list below, which declares the module and
//! registers its `PASS`. The file starts with a description of the pass and with IR before and after; `PASS`
//! contains its one-line summary.
//!
//! A pass imports no other pass: code that several passes share is in `util`. Pipelines decide when passes run.

#![forbid(unsafe_code)]

/// Declares the module of each pass and collects the passes in [`PASSES`], group by group.
macro_rules! passes {
    ($($group:literal { $($(#[$attr:meta])* $vis:vis $name:ident,)* })*) => {
        $($($(#[$attr])* $vis mod $name;)*)*

        /// Every pass, in the order in which they usually run. All lists of passes derive from this one.
        pub const PASSES: &[PassInfo] = &[$($($(#[$attr])* $name::PASS,)*)*];
    };
}

passes! {
    "Shapes" {
        pub structurize,
        pub lower_exits,
        flatten,
        values_to_regs,
        coalesce_regs,
        regs_to_values,
    }
    "Calls and variables" {
        inline_functions,
        promote_params,
        call_slots,
        global_vars_to_local,
        split_var_copies,
        split_struct_vars,
        split_array_vars,
        shrink_vec_array_vars,
        pub(crate) lower_var_copies,
        vars_to_values,
        memcpy,
        find_array_copies,
        copy_prop_vars,
        dead_write_vars,
        lower_variable_initializers,
        lower_array_deref_of_vec,
        lower_indirect_derefs,
        combine_stores,
        large_constants,
        one_value_vars,
        remove_dead_variables,
    }
    "Inputs, outputs and resources" {
        io_to_temporaries,
        io_to_scalar,
        io_arrays_to_elements,
        resource_arrays_to_elements,
        flatten_resource_arrays,
        io_to_vector,
        lower_system_values,
        lower_io,
        infer_access_qualifiers,
        uniforms_to_ubo,
        remap_bindings,
        assign_slots,
        split_buffer_paths,
        lower_layout,
        qptr_lower,
        qptr_infer_storage,
        qptr_analyze,
        qptr_legalize,
        qptr_specialize,
        qptr_fold_offsets,
        qptr_forward,
        qptr_partition,
        qptr_dead_stores,
        qptr_lift,
        inline_uniforms,
        opt_barriers,
        lower_wrmasks,
        uniform_atomics,
        load_store_vectorize,
        non_uniform_access,
        uniform_derivatives,
        lower_atomics,
        lower_subgroups,
        lower_samplers,
        lower_tex,
    }
    "Arithmetic" {
        copy_prop,
        constant_fold,
        opt_range,
        algebraic,
        cse,
        licm,
        algebraic_late,
        comparison_pre,
        rematerialize_compares,
        propagate_invariant,
        opt_undef,
        shrink_vectors,
        vectorize,
        alu_to_scalar,
        params_to_scalar,
        load_const_to_scalar,
        gcm,
        opt_sink,
        opt_move,
        lower_alu,
        alu_to_spirv,
        spec_ops_to_values,
        idiv_const,
        lower_idiv,
        lower_flrp,
        lower_frexp,
        lower_packing,
        lower_bit_size,
        lower_int64,
        lower_double_ops,
        bool_to_int32,
        bool_to_float,
        int_to_float,
    }
    "Control flow" {
        loop_peel_initial_if,
        loop_unroll,
        lower_continue,
        if_constant_arm,
        if_unnest,
        trivial_continues,
        opt_loop,
        if_merge_adjacent,
        if_hoist_common,
        if_invert_empty,
        if_select_of_params,
        conditional_discard,
        discard_to_demote,
        lower_demote,
        pub(crate) lower_discard_if,
        lower_fall_through,
        lower_switch,
        lower_returns,
        remove_trivial_params,
        to_lcssa,
        peephole_select,
        dead_cf,
    }
    "Other" {
        dce,
    }
}

mod aliases; // former names of passes and options
mod teaching; // wrong on purpose: in no list
mod options; // what a pass takes and what was given to it, as a structure
mod pass; // the entry of a pass: name, summary, options, and how it runs
mod util; // code shared by passes

pub use flatten::flatten;
pub use options::{GivenPlace, OptionInfo, Options};
pub use pass::{PassInfo, PassShape};
pub use regs_to_values::regs_to_values;
pub use teaching::TEACHING;
pub use values_to_regs::values_to_regs;

pub use aliases::{current_name, current_option};
pub use pass::{Journals, PassContext, RunFn};

/// Finds a pass by its current or a former name, also one that is wrong on purpose.
pub fn find(name: &str) -> Option<&'static PassInfo> {
    let name = current_name(name);
    PASSES.iter().chain(TEACHING).find(|pass| pass.name == name)
}

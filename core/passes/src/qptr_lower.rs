//! `qptr-lower`: converts typed access paths to untyped pointers: byte offsets from the start of memory.
//!
//! ```text
//! storage $lights_3: #0 {set 0}             storage $lights_3: bytes(16 + n * 32) was #0 {set 0}
//! %1: path = deref.var $lights_3            %1: ptr = ptr.var $lights_3
//! %2: path = deref.field %1.1               %5: ptr = ptr.buffer_data %1
//! %3: path = deref.elem %2, %0       =>     %6: ptr = ptr.dyn_offset %5, %0 {stride 32}
//! %4: path = deref.field %3.2               %7: b32x3 = load %6 {offset 28}
//! %7: b32x3 = load %4
//! ```
//!
//! The declared type of memory is no longer a fact about its bytes: passes recognize the same bytes under
//! different declarations, split memory by its uses, and `qptr-lift` reconstructs types. Offsets and strides
//! come from types; without explicit ones (private, local and shared memory, inputs and outputs), members are
//! placed consecutively, aligned to their scalars. Loads and stores access numbers and vectors. A column of a
//! row-major matrix is accessed component by component, so that the order of a matrix is only a matter of
//! strides.
//!
//! * Buffers, by storage class and not by decoration: `ptr.buffer_data` is their first byte, `ptr.buffer_len`
//!   counts the elements up to their end. Arrays of buffers, images and samplers: `ptr.handle_index`;
//!   `ptr.handle` is the resource.
//! * Push constants, private, local and shared memory: bytes directly.
//! * Inputs, outputs and payloads keep their type, because locations and system values are not bytes; they are
//!   accessed in the same manner.
//! * Pointers in block parameters, selects, calls and memory: a pointer that may be one of two others becomes
//!   untyped together with both. Parameters keep their declared type.
//! * Copies of few values become loads and stores; others remain copies between typed views (`deref.cast`).
//!
//! Remains typed, together with all pointers it may alias: operands of instructions that need a type
//! (`interpolate`, ray queries, instructions that the IR does not model), results of functions, variables whose
//! address is a module constant, places after an array whose length is only known at specialization, and more
//! than 2 GB.
//!
//! With `computed`, only the memory of variables of which a pointer is selected, passed to a block, or advanced becomes untyped,
//! for targets that have no such pointers; with `merged`, advanced pointers alone are no reason.
//!
//! SPIR-T: `qptr::lower`, which fails where this pass keeps a root typed.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::open::may_have;
use crate::util::untype::{Classes, erase_types, lower_all};
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{BasicOp, DerefOp, Op, ValueType};
use vitrine_ir::{Diag, Fuel, FuncBody, Inst, InstData, Module, Var};

/// The maximum number of values that a copy is split into.
const MAX_LEAVES: usize = 16;

options! {
    /// The memory that becomes untyped.
    struct Untyped {
        choice memory: UntypedMemory {
            /// All memory.
            All "all",
            /// Only memory of which a pointer is selected, passed to a block, or advanced.
            Computed "computed",
            /// The same without pointers that are only advanced.
            Merged "merged",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts typed access paths to untyped pointers: byte offsets from the start of memory.",
    options: Untyped::INFO,
    ..PassInfo::new(
        "qptr-lower",
        opening!("qptr_lower.rs"),
        RunFn::Module(|module, cx, fuel| qptr_lower(module, Untyped::of(cx.options).memory, fuel)),
    )
};

/// Lowers all functions. Near-linear; idempotent; both shapes. Addresses that become untyped together are a
/// unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_lower(module: &mut Module, memory: UntypedMemory, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut sizes = Sizes::default();
    let takes_steps = match memory {
        UntypedMemory::All => {
            let mut classes = Classes::of(module, &mut sizes);
            classes.take(|| fuel.take());
            return lower_taken(module, &classes, &mut sizes);
        }
        UntypedMemory::Computed => true,
        UntypedMemory::Merged => false,
    };
    let is_computed = |data: &InstData| is_choice(data) || takes_steps && is_step(data);
    if !module.funcs().any(|(_, body)| passes_paths(body) || may_have(body, is_computed)) {
        return Ok(Journals::new());
    }
    let mut classes = Classes::of(module, &mut sizes);
    classes.take_computed(module, is_computed, || fuel.take());
    lower_taken(module, &classes, &mut sizes)
}

/// Returns true for a choice between two paths.
fn is_choice(data: &InstData) -> bool {
    data.ty == ValueType::Path && data.op == Op::Basic(BasicOp::Choose)
}

/// Returns true if a block has a path as a parameter.
fn passes_paths(body: &FuncBody) -> bool {
    let is_path = |&param: &Inst| body.ty(param) == ValueType::Path;
    body.tables().blocks.iter().any(|(_, block)| block.params.iter().any(is_path))
}

/// Returns true for a pointer that is advanced.
fn is_step(data: &InstData) -> bool {
    data.op == Op::Deref(DerefOp::Step)
}

fn lower_taken(module: &mut Module, classes: &Classes, sizes: &mut Sizes) -> Result<Journals, Diag> {
    let journals = lower_all(module, classes, sizes, MAX_LEAVES)?;
    let taken: Vec<Var> = module.vars().map(|(var, _)| var).filter(|&var| classes.takes_var(var)).collect();
    erase_types(module, &taken, sizes);
    Ok(journals)
}

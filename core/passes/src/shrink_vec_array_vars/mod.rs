//! `shrink-vec-array-vars`: shrinks local vectors and arrays to the elements that are both written and read.
//!
//! ```text
//! local $0: [f32x4 * 8]                     local $1: [f32x2 * 3]
//! %1: path = deref.var $0                   %1: path = deref.var $1
//! %2: path = deref.elem %1, %two      =>    %2: path = deref.elem %1, %two
//! %3: b32x4 = load %2                       %7: b32x2 = load %2
//!                                           %3: b32x4 = swizzle %7.xxyx
//! %4: b32x2 = swizzle %3.xz                 %4: b32x2 = swizzle %3.xz
//! ```
//!
//! An array is truncated after the last element that is both written and read; a vector keeps the components
//! that are both, packed. A place that is read and never written is undefined, so its load becomes undefined,
//! and its component may be any other one; stores to a place that is never read are removed. In nested arrays
//! each level is considered separately. A matrix that becomes shorter is an array of columns. Variables with
//! parts that are copied to each other keep equal layouts: a read or write of one counts for the other.
//!
//! A load reads the components that swizzles pick from it, or all; an unused load reads none. Removing accesses
//! may make others unused, so the pass iterates until nothing changes, at most 64 times.
//!
//! Unchanged: levels with a dynamic index, or copied from or to other kinds of variables; variables that
//! contain structures (`split-struct-vars`), with an initializer, with a constant index out of range, with
//! volatile accesses, or with more than 16 levels; vectors with more than 4 components. The old variables
//! remain declared until `remove-dead-variables`. NIR: `nir_shrink_vec_array_vars`.

mod levels; // start here: reads and writes
mod rewrite;

use super::pass::PassInfo;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Editor, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Shrinks local vectors and arrays to the elements that are both written and read.",
    ..PassInfo::edits("shrink-vec-array-vars", opening!("mod.rs"), |ed, _| shrink_vec_array_vars(ed))
};

/// The maximum number of iterations over the function; each one removes something, and two are typical.
const MAX_ITERATIONS: usize = 64;

/// Shrinks variables. Near-linear; idempotent; both shapes. Variables that are copied to each other are a unit
/// of fuel.
fn shrink_vec_array_vars(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        for group in levels::groups(ed) {
            if !ed.consume_fuel() {
                return Ok(());
            }
            rewrite::rewrite(ed, &group)?;
        }
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

//! `shrink-vectors`: removes unused components of vectors.
//!
//! ```text
//!   %2: b32x4 = vec %0, %1, %0, %1            %5: b32x2 = vec %0, %1
//!   %3: b32x4 = fmul %2, %2            =>     %6: b32x2 = fmul %5, %5
//!   %4: b32 = swizzle %3.y                    %4: b32 = swizzle %6.y
//!   %7: b32 = swizzle %3.x                    %7: b32 = swizzle %6.x
//! ```
//!
//! First computes the used components of every value: an instruction that picks components uses those, a
//! component-wise operation uses the components of its operands that are used of its result, an edge uses what
//! is used of the parameter, and everything else uses all. The analysis is optimistic, so loop-carried
//! parameters are resolved. Then constants, undefined values, vector constructors, copies, swizzles,
//! component-wise arithmetic and block parameters keep only the used components; their users pick from fewer
//! components.
//!
//! The number of instructions never grows: arithmetic is unchanged if narrowing its operands takes more
//! swizzles than it makes redundant. Unchanged: loads, texture lookups and operations on all components (a load
//! of fewer components than the variable has does not exist); component counts are 1, 2, 3, 4, 5, 8 and 16, so
//! seven components are kept in eight.
//!
//! Run `cse` before: equal values of different widths are no longer equal.
//!
//! NIR: `nir_opt_shrink_vectors`, without its loads.

mod demand; // start here: the used components
mod narrow;

use super::pass::PassInfo;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Editor, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes unused components of vectors.",
    ..PassInfo::edits("shrink-vectors", opening!("mod.rs"), |ed, _| shrink_vectors(ed))
};

/// The maximum number of iterations over the function; each leaves fewer components, and two are typical.
const MAX_ITERATIONS: usize = 16;

/// Narrows values. Near-linear; idempotent; both shapes.
pub(super) fn shrink_vectors(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    // A value that became narrow may have been the only reason for another value to be wide.
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        let plan = demand::plan(ed);
        narrow::narrow(ed, &plan)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

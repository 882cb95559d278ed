//! `shrink-vectors`: removes unused components of vectors.
//!
//! ```text
//!   %2: b32x4 = vec %0, %1, %0, %1            %5: b32x2 = vec %0, %1
//!   %3: b32x4 = fmul %2, %2            =>     %6: b32x2 = fmul %5, %5
//!   %4: b32 = swizzle %3.y                    %4: b32 = swizzle %6.y
//!   %7: b32 = swizzle %3.x                    %7: b32 = swizzle %6.x
//! ```
//!
//! First, which components of every value are read: what picks components reads those, what computes component by
//! component reads the
//! components that are read of its result, an edge reads what is read of the parameter, and everything else reads all.
//! This begins with nothing and grows, so parameters round loops are seen through. Then constants, undefined
//! values, what is put together, copies, swizzles, arithmetic component by component and block parameters keep the
//! components
//! that are read; readers pick from fewer components.
//!
//! The number of instructions never grows: arithmetic stays as it is where narrowing its operands takes more
//! swizzles than go away behind it. Left alone: what loads, samples or looks at all components (a load of fewer components
//! than the variable has does not exist); component counts are 1, 2, 3, 4, 5, 8 and 16, so seven components are kept in
//! eight.
//!
//! `cse` first: equal values of different widths are no longer equal.
//!
//! NIR: `nir_opt_shrink_vectors`, without its loads.

mod demand; // start here: which components are read
mod narrow;

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{Editor, Refusal};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes unused components of vectors.",
    ..PassInfo::edits("shrink-vectors", opening!("mod.rs"), |ed, _| shrink_vectors(ed))
};

/// Rounds over the function; each leaves fewer components, and two are the rule.
const MOST_ROUNDS: usize = 16;

/// Narrows values. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn shrink_vectors(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    // What became narrow may have been the only reason for something else to be wide.
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        let plan = demand::plan(ed);
        narrow::narrow(ed, &plan)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

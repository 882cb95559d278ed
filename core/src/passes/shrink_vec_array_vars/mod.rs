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
//! An array ends behind the last element that somebody writes and somebody reads; a vector keeps the components of which
//! both is true, side by side. What is read and never written holds anything, so its load is undefined, and a component of
//! it is whatever other component is there; what is written and never read is not written any more. Of an array of arrays
//! each level is looked at by itself. A matrix that becomes shorter is an array of columns. Variables of which parts
//! are copied to each other stay alike: what is read or written of one is of the other.
//!
//! A load reads the components that swizzles pick from it, or all; one that nobody reads, none. What ends there may have
//! been the only reason for something else, so this goes round until nothing changes, 64 times at most.
//!
//! Left alone: levels with an index known only at run time, or copied from or to what is no such variable; variables
//! with structures in them (`split-struct-vars`), with an initializer, with a constant index out of range, accessed
//! in a volatile way, of more than 16 levels; vectors of more than 4 components. The variables that were there stay
//! declared until `remove-dead-variables`. NIR: `nir_shrink_vec_array_vars`.

mod levels; // start here: what is read and written
mod rewrite;

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{Editor, Refusal};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Shrinks local vectors and arrays to the elements that are both written and read.",
    ..PassInfo::edits("shrink-vec-array-vars", opening!("mod.rs"), |ed, _| shrink_vec_array_vars(ed))
};

/// Rounds over the function; each takes something away, and two are the rule.
const MOST_ROUNDS: usize = 64;

/// Shrinks variables. Near-linear; idempotent; both shapes. Variables that are copied to each other are a unit of fuel.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn shrink_vec_array_vars(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for _ in 0..MOST_ROUNDS {
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

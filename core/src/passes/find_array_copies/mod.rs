//! `find-array-copies`: replaces loads and stores that copy a whole aggregate by one copy.
//!
//! ```text
//!   %3: path = deref.elem %1, %zero           copy %2, %1
//!   %4: b32 = load %3
//!   %5: path = deref.elem %2, %zero
//!   store %5, %4                        =>
//!   %6: path = deref.elem %1, %one
//!   %7: b32 = load %6
//!   %8: path = deref.elem %2, %one
//!   store %8, %7
//! ```
//!
//! Front ends take values of aggregate type apart; an array of 4,000 vectors that is handed on comes as 4,000 loads and
//! stores. As one copy it is read in a moment, and `copy-prop-vars` sees through it.
//!
//! Looked at is one block at a time, in any order of elements. Each store of what was loaded from the same member or
//! element of another place belongs to a *group* of the two wholes; when all leaves are there, the group is a copy,
//! and at the same time one element of the group around it. The copy stands where the last store was: stores move
//! down to it, and so do the loads. That is right if nobody writes the source from the first load on, nobody reads or
//! writes the target from the first store on (`analysis::Alias`), and nothing in between lets others see either.
//!
//! Left alone: groups in which a leaf is missing, or that are across blocks (what is read may come from anywhere if
//! it cannot be written); volatile and coherent places; stores with a mask; addresses and resources; copies of less
//! than `min-leaves` leaves. The loads stay for those who read them; `dce` takes the others. The 64 latest wholes are
//! known. Not to be run behind `lower-var-copies`, which does the opposite. NIR: `nir_opt_find_array_copies`, which
//! asks for elements in order.

mod groups;

use super::pass::{OptionInfo, PassInfo};
use crate::analysis::Alias;
use crate::base::opening::opening;
use crate::ir::{Editor, InsertPoint, InstData, Reason, Refusal};
use crate::ops::{MemoryOp, ValueType};
use crate::passes::util::open::in_order;
use groups::{Found, Search};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces loads and stores that copy a whole aggregate by one copy.",
    options: &[OptionInfo::Number {
        name: "min-leaves",
        doc: "Smallest number of leaves of an aggregate to copy at once.",
        default: 2,
        least: 2,
        most: 1_000_000,
    }],
    ..PassInfo::edits("find-array-copies", opening!("mod.rs"), |ed, options| {
        find_array_copies(ed, options.number("min-leaves") as usize)
    })
};

const WHY: Reason = Reason::Note("together they copy the whole aggregate");

/// Finds copies. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn find_array_copies(ed: &mut Editor<'_>, min_leaves: usize) -> Result<(), Refusal> {
    for found in all(ed) {
        if found.stores.len() < min_leaves {
            continue;
        }
        let Some(&last) = found.stores.last() else { continue };
        if !ed.consume_fuel() {
            return Ok(());
        }
        let copy = InstData::new(MemoryOp::CopyVar, ValueType::Void, &[found.to, found.from]);
        ed.insert(InsertPoint::After(last), copy, WHY)?;
        for &store in &found.stores {
            ed.erase(store, WHY)?;
        }
    }
    Ok(())
}

/// Everything there is to find, block by block.
fn all(ed: &Editor<'_>) -> Vec<Found> {
    let blocks = in_order(ed.func());
    let stores = |data: &InstData| data.op == crate::ops::Op::Memory(MemoryOp::Store);
    let any = |&block: &_| ed.func().block(block).insts.iter().any(|&inst| stores(ed.func().inst(inst)));
    if !blocks.iter().any(any) {
        return Vec::new();
    }
    let alias = Alias::of(ed.module(), ed.func());
    let mut search = Search::new(ed.module(), ed.func(), &alias);
    for block in blocks {
        search.block(block);
    }
    search.found
}

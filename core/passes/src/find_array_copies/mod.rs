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
//! Front ends split values of aggregate type; passing an array of 4,000 vectors becomes 4,000 loads and stores. A
//! single copy is easier to read, and `copy-prop-vars` can look through it.
//!
//! Searches one block at a time; elements may be copied in any order. Each store of a value loaded from the same
//! member or element of another place belongs to a *group* of the two aggregates. When all leaves are present, the
//! group is a copy, and at the same time one element of the enclosing group. The copy is inserted after the last
//! store: stores and loads move down to it. This is correct if nothing writes the source after the first load,
//! nothing reads or writes the target after the first store (`analysis::Alias`), and nothing in between makes
//! either visible to other invocations.
//!
//! Left alone: groups with a missing leaf or across blocks (loads from read-only memory may be anywhere); volatile
//! and coherent memory; stores with a mask; addresses and resources; copies of fewer than `min-leaves` leaves.
//! Loads that are used elsewhere are kept; `dce` removes the others. At most the 64 latest aggregates are tracked.
//! Do not run it after `lower-var-copies`, which does the opposite. NIR: `nir_opt_find_array_copies`, which
//! requires elements in order.

mod groups;

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::open::in_order;
use groups::{Found, Search};
use vitrine_analysis::{Alias, Analyses};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{MemoryOp, ValueType};
use vitrine_ir::{Editor, InsertPoint, InstData, Reason, Refusal};

options! {
    /// The aggregates that are copied at once.
    struct Copied {
        /// Smallest number of leaves of an aggregate to copy at once.
        min_leaves: u32 = 2 in 2..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces loads and stores that copy a whole aggregate by one copy.",
    options: Copied::INFO,
    ..PassInfo::edits("find-array-copies", opening!("mod.rs"), |ed, cx| {
        find_array_copies(ed, Copied::of(cx.options).min_leaves as usize, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("together they copy the whole aggregate");

/// Finds copies. Near-linear; idempotent; both shapes.
fn find_array_copies(ed: &mut Editor<'_>, min_leaves: usize, analyses: &mut Analyses) -> Result<(), Refusal> {
    for found in all(ed, analyses) {
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

/// Returns all copies, block by block.
fn all(ed: &Editor<'_>, analyses: &mut Analyses) -> Vec<Found> {
    let blocks = in_order(ed.func());
    let stores = |data: &InstData| data.op == vitrine_ir::ops::Op::Memory(MemoryOp::Store);
    let any = |&block: &_| ed.func().block(block).insts.iter().any(|&inst| stores(ed.func().inst(inst)));
    if !blocks.iter().any(any) {
        return Vec::new();
    }
    let alias = analyses.get::<Alias>(ed.module(), ed.id());
    let mut search = Search::new(ed.module(), ed.func(), &alias);
    for block in blocks {
        search.block(block);
    }
    search.found
}

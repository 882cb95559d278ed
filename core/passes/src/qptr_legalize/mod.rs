//! `qptr-legalize`: replaces pointers that merge several pointers by a base and an index.
//!
//! ```text
//! %1: ptr = ptr.dyn_offset %b, %i {stride 16}         %7: b32 = select %c, %i, %j
//! %2: ptr = ptr.dyn_offset %b, %j {stride 16}     =>  %8: ptr = ptr.dyn_offset %b, %7 {stride 16}
//! %3: ptr = choose %c, %1, %2                         %4: b32 = load %8 {offset 4}
//! %4: b32 = load %3 {offset 4}
//! ```
//!
//! With logical addressing, SPIR-V does not allow pointers in block parameters and selects, except for storage
//! and workgroup memory of programs that declare `VariablePointers`. An untyped pointer is a start and some
//! indices, so the indices can be selected or passed instead. They are chosen so that the declared type of
//! memory is preserved:
//!
//! 1. If every source points to an object of the declared type, an index selects an element of one array around
//!    it. Sources with other enclosing members, or in other variables, are other *shapes*: an additional number
//!    selects the shape, and every access branches on it. A load is then emitted once for each possible shape,
//!    under a condition.
//! 2. Otherwise, if all sources have the same start, there is one index: its stride is the largest one that
//!    divides all offsets. Its `range` covers the sources, or extends to the end of the object at the start if
//!    pointers advance from iteration to iteration. Not if the declared type would have to be dropped.
//! 3. Otherwise, a pointer that a loop advances is assumed to stay in the array that it steps through, as a
//!    declared pointer must (`OpPtrAccessChain`).
//!
//! With `all`, also merges that SPIR-V allows, for targets that have none.
//!
//! Unchanged: pointers with physical addresses; several starts of which one is not a variable, a resource with
//! a constant index, or a parameter of the function; with several shapes, pointers with uses other than loads,
//! stores and atomics; and sources with more than 64 shapes. NIR has no such pass: its pointers are numbers
//! from the start.

mod found; // start here: merges and their sources
mod plan; // the shapes and indices of each merge
mod bytes; // the same in steps of bytes
mod numbers; // computes indices and passes them
mod point; // bases accesses on the start

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use found::Found;
use plan::{Plan, can, declared};
use vitrine_analysis::Analyses;
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::Sizes;
use vitrine_ir::{Editor, Reason, Refusal};

options! {
    /// The merges that are replaced.
    struct Legalized {
        choice merges: Merges {
            /// Merges that SPIR-V does not allow.
            Spirv "spirv",
            /// All merges of pointers without a physical address.
            All "all",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces pointers that merge several pointers by a base and an index.",
    options: Legalized::INFO,
    ..PassInfo::edits("qptr-legalize", opening!("mod.rs"), |ed, cx| {
        legalize(ed, Legalized::of(cx.options).merges, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("a merge of pointers becomes a base and an index");

/// Replaces the merges. Near-linear, except that loads of several shapes are emitted once for each. Idempotent;
/// both shapes of functions. Merges that depend on each other are one unit of fuel.
fn legalize(ed: &mut Editor<'_>, merges: Merges, analyses: &mut Analyses) -> Result<(), Refusal> {
    let Some(found) = Found::of(ed, merges, analyses) else { return Ok(()) };
    let mut sizes = Sizes::default();
    let mut plans: Vec<Option<Plan>> = vec![None; found.merges.len()];
    for group in found.groups() {
        if let Some(all) = plan(ed, &mut sizes, &found, &group)
            && ed.consume_fuel()
        {
            for (&at, plan) in group.iter().zip(all) {
                plans[at] = Some(plan);
            }
        }
    }
    let numbers = numbers::write(ed, &found, &plans)?;
    numbers::pass_indices(ed, &found, &plans, &numbers)?;
    point::point(ed, &found, &plans, &numbers)
}

/// The plan for each merge of a group; none if the group is unchanged. Plans by declared types are preferred.
fn plan(ed: &Editor<'_>, sizes: &mut Sizes, found: &Found, group: &[usize]) -> Option<Vec<Plan>> {
    let can = |plans: &Vec<Plan>| {
        group.iter().zip(plans).all(|(&at, plan)| can(ed, found, &found.merges[at], plan))
    };
    declared(ed, sizes, found, group, false)
        .filter(can)
        .or_else(|| bytes::plan(ed, sizes, found, group).filter(can))
        .or_else(|| declared(ed, sizes, found, group, true).filter(can))
}

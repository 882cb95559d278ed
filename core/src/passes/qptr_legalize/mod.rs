//! `qptr-legalize`: replaces pointers that are chosen among several by a base and an index.
//!
//! ```text
//! %1: ptr = ptr.dyn_offset %b, %i {stride 16}         %7: b32 = select %c, %i, %j
//! %2: ptr = ptr.dyn_offset %b, %j {stride 16}     =>  %8: ptr = ptr.dyn_offset %b, %7 {stride 16}
//! %3: ptr = choose %c, %1, %2                         %4: b32 = load %8 {offset 4}
//! %4: b32 = load %3 {offset 4}
//! ```
//!
//! With logical addressing SPIR-V has no pointers in block parameters and choices, but for storage and workgroup
//! memory of programs that ask for it (`VariablePointers`). An untyped pointer is a start and some numbers of steps,
//! so the numbers can be what is chosen or brought. They are counted so that the type that memory was declared with
//! stays:
//!
//! 1. Where every source leads to an object of the declared type, a number is the index of one array around it. Sources
//!    with other members around them, or in other variables, are other *shapes*: one more number says which it is, and
//!    whoever reads or writes asks it. A load then happens once for each shape that it may be, under a condition.
//! 2. Else, where all start at one place, there is one number: of the largest step of which all distances are made. Its
//!    `range` says how far it may lead: as far as the sources do, or to the end of what they start at where pointers
//!    are moved from round to round. Not where the declared type would have to go for it.
//! 3. Else, a pointer that a loop moves is taken to stay in the array that it steps through, as one that was declared may
//!    be (`OpPtrAccessChain`).
//!
//! Left as they are: pointers with physical addresses; several starts of which one is no variable, no resource of a
//! known number and no parameter of the function; where one of several shapes is meant, pointers that go anywhere but
//! into loads, stores and atomics; and sources of more than 64 shapes. NIR has no such pass: its pointers are numbers
//! from the start.

mod found; // start here: what is one of several, and where it comes from
mod plan; // how each is counted
mod bytes; // the same in steps of bytes
mod numbers; // the numbers are chosen and brought
mod point; // what read pointers counts from the start

use super::pass::{Options, PassInfo};
use crate::base::opening::opening;
use crate::ir::layout::Sizes;
use crate::ir::{Editor, Reason, Refusal};
use found::Found;
use plan::{Plan, plan};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces pointers that are chosen among several by a base and an index.",
    ..PassInfo::edits("qptr-legalize", opening!("mod.rs"), |ed, _: &Options| legalize(ed))
};

const WHY: Reason = Reason::Note("a choice of pointers becomes a base and an index");

/// Replaces them. Near-linear, but for loads of several shapes, which are written once for each. Idempotent; both
/// shapes of functions. All that are counted together are a unit of fuel.
fn legalize(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let Some(found) = Found::of(ed) else { return Ok(()) };
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
    numbers::bring(ed, &found, &plans, &numbers)?;
    point::point(ed, &found, &plans, &numbers)
}

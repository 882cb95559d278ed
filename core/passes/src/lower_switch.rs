//! `lower-switch`: lowers switches to chains of `if`.
//!
//! ```text
//!   switch !0 %0 {                            %2: b32 = const 3
//!     case 3 {                                %3: b1 = ieq %0, %2
//!     ^1:                                     if !0 %3 {
//!       next(%1)                              ^1:
//!     }                                         next(%1)
//!     default {                          =>   } else {
//!     ^2:                                     ^2:
//!       break !0(%0)                            break !0(%0)
//!     }                                       }
//!   }                                       ^3(%4: b32):
//! ^3(%4: b32):                                return %4
//!   return %4
//! ```
//!
//! Cases are tested in order, the default arm last; an arm with several values tests each of them. Arms do not
//! fall through, so each becomes one arm of one `if`. The outermost `if` keeps the label of the switch, so
//! breaks out of it keep their target. In a graph each test is a block. No switch is left.
//!
//! NIR has no switch: its front ends lower it.

use super::pass::PassInfo;
use crate::util::open::{in_order, nodes_in_order};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, IntOp, Scalar, ValueType};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, InstData, NodeKind, Reason, Refusal, Shape, Terminator};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers switches to chains of `if`.",
    ..PassInfo::edits("lower-switch", opening!("lower_switch.rs"), |ed, _| lower_switch(ed))
};

const WHY: Reason = Reason::Note("cases are tested one after the other");

/// Replaces every switch. Linear in cases; idempotent; both shapes.
pub(super) fn lower_switch(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    match ed.func().shape() {
        Shape::Declaration => Ok(()),
        Shape::Tree(_) => {
            for node in nodes_in_order(ed.func()) {
                if matches!(ed.func().node(node).kind, NodeKind::Switch { .. }) {
                    if !ed.consume_fuel() {
                        break;
                    }
                    ed.switch_to_ifs(node, is_one_of, WHY)?;
                }
            }
            Ok(())
        }
        Shape::Graph(_) => {
            for block in in_order(ed.func()) {
                if matches!(ed.func().terminator(block), Terminator::Switch { .. }) {
                    if !ed.consume_fuel() {
                        break;
                    }
                    branches(ed, block)?;
                }
            }
            Ok(())
        }
    }
}

/// Returns true if a number is one of some values; computed at the end of a block.
fn is_one_of(ed: &mut Editor<'_>, block: Block, on: Inst, values: &[u64]) -> Result<Inst, Refusal> {
    let at = InsertPoint::End(block);
    let width = ed.func().ty(on).width().unwrap_or_default();
    let mut any = None;
    for &value in values {
        let constant = ed.const_bits(Bits::scalar(Scalar::u(width, value)));
        let constant = ed.insert(at, constant, WHY)?;
        let same = ed.insert(at, InstData::new(IntOp::IEq, ValueType::BOOL, &[on, constant]), WHY)?;
        any = Some(match any {
            None => same,
            Some(other) => ed.insert(at, InstData::new(IntOp::IOr, ValueType::BOOL, &[other, same]), WHY)?,
        });
    }
    match any {
        Some(any) => Ok(any),
        None => {
            let never = ed.bool(false);
            ed.insert(at, never, WHY)
        }
    }
}

/// Lowers a switch of a graph: adds a block for each case except the first.
fn branches(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let Terminator::Switch { on, cases, default } = ed.func().terminator(block).clone() else {
        return Ok(());
    };
    if cases.is_empty() {
        return ed.set_terminator(block, Terminator::Goto(default), WHY);
    }
    // From the last test to the first, so that each test's false edge already exists.
    let mut els = default;
    for case in cases.iter().skip(1).rev() {
        let test = ed.add_block_after(block, WHY)?;
        let cond = is_one_of(ed, test, on, &case.values)?;
        ed.set_terminator(test, Terminator::Branch { cond, then: case.edge.clone(), els }, WHY)?;
        els = vitrine_ir::Edge { to: test, args: vitrine_ir::Args::default() };
    }
    let Some(first) = cases.first() else { return Ok(()) };
    let cond = is_one_of(ed, block, on, &first.values)?;
    ed.set_terminator(block, Terminator::Branch { cond, then: first.edge.clone(), els }, WHY)
}

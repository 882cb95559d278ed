//! `opt-loop`: merges two adjacent loop exits, and turns loops that never iterate into labelled blocks.
//!
//! ```text
//!   %2: b1 = ult %0, %n                       %2: b1 = ult %0, %n
//!   if !1 %2 {                                %3: b1 = ieq %1, %n
//!   ^2:                                       %4: b1 = ior %2, %3
//!     break !0(%0)                            if !2 %4 {
//!   } else {                                  ^5:
//!   ^3:                                         break !0(%0)
//!     next                              =>    } else {
//!   }                                         ^6:
//! ^4:                                           next
//!   %3: b1 = ieq %1, %n                       }
//!   if !2 %3 {                              ^7:
//!   ^5:
//!     break !0(%0)
//!   } else {
//!   ^6:
//!     next
//!   }
//! ^7:
//! ```
//!
//! Any exit, `return` and `stop` too, that brings the same; where it stands in the other arm, the condition is turned
//! round. What stands between the two is computed always then, so it may only be a few instructions that have no
//! effect and look at no other invocation. A loop whose end is never reached and that nobody continues becomes a labelled
//! block, which others can take away.
//!
//! Left alone: exits with code in their arm, more than `max-insts` instructions between, and graphs.
//!
//! NIR: `nir_opt_loop` (merging of terminators and of breaks).

use super::pass::{OptionInfo, PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{Editor, InsertPoint, Inst, InstData, Node, NodeKind, Reason, Refusal, Terminator};
use crate::ops::{BasicOp, IntOp, Op, ValueType};
use crate::passes::util::arms::{Choice, choice, is_empty, only_block};
use crate::passes::util::open::nodes_in_order;
use crate::passes::util::speculate::may_speculate;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Merges two adjacent loop exits, and turns loops that never iterate into labelled blocks.",
    shape: Some(PassShape::Tree),
    options: &[OptionInfo::Number {
        name: "max-insts",
        doc: "Largest number of instructions between two exits that are merged, without constants.",
        default: 4,
        least: 0,
        most: 1_000_000,
    }],
    ..PassInfo::edits("opt-loop", opening!("opt_loop.rs"), |ed, options| {
        opt_loop(ed, options.number("max-insts") as usize)
    })
};

const WHY: Reason = Reason::Note("both exits lead to the same place");

/// Simplifies exits. Near-linear; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn opt_loop(ed: &mut Editor<'_>, max_insts: usize) -> Result<(), Refusal> {
    // From the end, so that a row of exits becomes one in one walk.
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        if is_once(ed, node) {
            if !ed.consume_fuel() {
                break;
            }
            ed.loop_to_block(node, Reason::Note("the loop never iterates"))?;
            continue;
        }
        let Some(pair) = pair(ed, node, max_insts) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        merge(ed, &pair)?;
    }
    Ok(())
}

/// Whether a node is a loop that never goes round.
fn is_once(ed: &Editor<'_>, node: Node) -> bool {
    if !ed.has_node(node) {
        return false;
    }
    let NodeKind::Loop { body, continuing: None } = ed.func().node(node).kind else { return false };
    let last = ed.func().region(body).last();
    let entered = ed
        .block_before(node)
        .is_some_and(|before| matches!(ed.func().terminator(before), Terminator::Next(_)));
    entered && !matches!(ed.func().terminator(last), Terminator::Next(_)) && ed.continues_of(node).is_empty()
}

/// A choice of which one arm is nothing but an exit that does not lead behind it, and the other is nothing.
struct Leaving {
    choice: Choice,
    /// Whether it leaves where the condition holds.
    by_then: bool,
    exit: Terminator,
}

fn leaving(ed: &Editor<'_>, node: Node) -> Option<Leaving> {
    let choice = choice(ed, node)?;
    let exit_of = |region| {
        let block = only_block(ed, region)?;
        let data = ed.func().block(block);
        let exit = match &data.terminator {
            Terminator::Next(_) => return None,
            Terminator::Break(named, _) if *named == node => return None,
            other => other.clone(),
        };
        data.insts.is_empty().then_some(exit)
    };
    match (exit_of(choice.then), exit_of(choice.els)) {
        (Some(exit), None) if is_empty(ed, choice.els) => Some(Leaving { choice, by_then: true, exit }),
        (None, Some(exit)) if is_empty(ed, choice.then) => Some(Leaving { choice, by_then: false, exit }),
        _ => None,
    }
}

/// Two exits, the second one behind the first.
struct Pair {
    first: Leaving,
    second: Leaving,
}

fn pair(ed: &mut Editor<'_>, node: Node, max_insts: usize) -> Option<Pair> {
    let first = leaving(ed, node)?;
    let after = first.choice.after;
    let second = leaving(ed, ed.node_after(after)?)?;
    let data = ed.func().block(after).clone();
    if first.exit != second.exit || !data.params.is_empty() {
        return None;
    }
    let free = |data: &InstData| matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Undef));
    let count = data.insts.iter().filter(|&&inst| !free(ed.func().inst(inst))).count();
    let cheap = data.insts.iter().all(|&inst| {
        let data = ed.func().inst(inst);
        free(data) || may_speculate(ed, data)
    });
    if count > max_insts || !cheap {
        return None;
    }
    // What both bring must be there before the first.
    let mut brought = Vec::new();
    first.exit.for_each_use(|value| brought.push(value));
    let end = InsertPoint::End(first.choice.before);
    let seen = brought.into_iter().all(|value| ed.is_visible(value, end));
    let reached = is_reached(ed, &first, &data.insts);
    (seen && reached).then_some(Pair { first, second })
}

/// Whether what stands between two exits reads only what is computed before the first, or itself.
fn is_reached(ed: &mut Editor<'_>, first: &Leaving, insts: &[Inst]) -> bool {
    let end = InsertPoint::End(first.choice.before);
    insts.iter().all(|&inst| {
        let args = ed.func().inst(inst).args.clone();
        args.iter().all(|arg| insts.contains(arg) || ed.is_visible(*arg, end))
    })
}

/// Takes the first exit away; the second one happens where either would.
fn merge(ed: &mut Editor<'_>, pair: &Pair) -> Result<(), Refusal> {
    let (first, second) = (&pair.first, &pair.second);
    let before = first.choice.before;
    for &inst in ed.func().block(first.choice.after).insts.clone().iter() {
        ed.move_to(inst, InsertPoint::End(before), WHY)?;
    }
    // Leaves where either holds: in the words of the second, whose arms stay.
    let mut own = first.choice.cond;
    if first.by_then != second.by_then {
        own =
            ed.insert(InsertPoint::End(before), InstData::new(IntOp::INot, ValueType::BOOL, &[own]), WHY)?;
    }
    let op = if second.by_then { IntOp::IOr } else { IntOp::IAnd };
    let both = InstData::new(op, ValueType::BOOL, &[own, second.choice.cond]);
    let both = ed.insert(InsertPoint::End(before), both, WHY)?;
    ed.set_node_operand(second.choice.node, both, WHY)?;
    ed.erase_node(first.choice.node, &[], WHY)
}

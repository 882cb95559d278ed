//! `opt-loop`: merges two adjacent loop exits, and turns loops that never iterate into labeled blocks.
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
//! Applies to all exits with equal arguments, also `return` and `stop`; if they are in different arms, one
//! condition is negated. The instructions between the two exits are then always executed, so they must be few,
//! without side effects, and independent of other invocations. A loop whose end is unreachable and that has no
//! `continue` becomes a labeled block, which other passes can remove.
//!
//! Unchanged: exits with code in their arm, more than `max-insts` instructions between them, and graphs.
//!
//! NIR: `nir_opt_loop` (merging of terminators and of breaks).

use super::options::{PassOptions, options};
use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice, is_empty, only_block};
use crate::util::open::nodes_in_order;
use crate::util::speculate::may_speculate;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, IntOp, Op, ValueType};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Node, NodeKind, Reason, Refusal, Terminator};

options! {
    /// The exits that are merged.
    struct Merged {
        /// Largest number of instructions between two exits that are merged, without constants.
        max_insts: u32 = 4 in 0..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Merges two adjacent loop exits, and turns loops that never iterate into labeled blocks.",
    shape: Some(PassShape::Tree),
    options: Merged::INFO,
    ..PassInfo::edits("opt-loop", opening!("opt_loop.rs"), |ed, cx| {
        opt_loop(ed, Merged::of(cx.options).max_insts as usize)
    })
};

const WHY: Reason = Reason::Note("both exits lead to the same place");

/// Simplifies exits. Near-linear; idempotent; trees.
pub(super) fn opt_loop(ed: &mut Editor<'_>, max_insts: usize) -> Result<(), Refusal> {
    // From the end, so that a sequence of exits is merged in one traversal.
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        if never_iterates(ed, node) {
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

/// Returns true if a node is a loop that never iterates.
fn never_iterates(ed: &Editor<'_>, node: Node) -> bool {
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

/// An `if` with an empty arm, and an arm that consists of an exit that does not lead to the code after the
/// `if`.
struct ExitIf {
    choice: Choice,
    /// True if the exit is taken when the condition holds.
    by_then: bool,
    exit: Terminator,
}

fn exit_if(ed: &Editor<'_>, node: Node) -> Option<ExitIf> {
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
        (Some(exit), None) if is_empty(ed, choice.els) => Some(ExitIf { choice, by_then: true, exit }),
        (None, Some(exit)) if is_empty(ed, choice.then) => Some(ExitIf { choice, by_then: false, exit }),
        _ => None,
    }
}

/// Two exits, the second one after the first.
struct Pair {
    first: ExitIf,
    second: ExitIf,
}

fn pair(ed: &mut Editor<'_>, node: Node, max_insts: usize) -> Option<Pair> {
    let first = exit_if(ed, node)?;
    let after = first.choice.after;
    let second = exit_if(ed, ed.node_after(after)?)?;
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
    // The arguments of both must be available before the first.
    let mut args = Vec::new();
    first.exit.for_each_use(|value| args.push(value));
    let end = InsertPoint::End(first.choice.before);
    let seen = args.into_iter().all(|value| ed.is_visible(value, end));
    let reached = is_available(ed, &first, &data.insts);
    (seen && reached).then_some(Pair { first, second })
}

/// Returns true if the instructions between two exits only use values available before the first, or each
/// other.
fn is_available(ed: &mut Editor<'_>, first: &ExitIf, insts: &[Inst]) -> bool {
    let end = InsertPoint::End(first.choice.before);
    insts.iter().all(|&inst| {
        let args = ed.func().inst(inst).args.clone();
        args.iter().all(|arg| insts.contains(arg) || ed.is_visible(*arg, end))
    })
}

/// Removes the first exit; the second one is taken if either would be.
fn merge(ed: &mut Editor<'_>, pair: &Pair) -> Result<(), Refusal> {
    let (first, second) = (&pair.first, &pair.second);
    let before = first.choice.before;
    for &inst in ed.func().block(first.choice.after).insts.clone().iter() {
        ed.move_to(inst, InsertPoint::End(before), WHY)?;
    }
    // Leaves if either condition holds, in terms of the second exit, whose arms are kept.
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

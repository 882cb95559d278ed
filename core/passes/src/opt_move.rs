//! `opt-move`: moves cheap instructions directly before their first use in the block.
//!
//! ```text
//!   %1: b32 = const 2                         %3: b32 = imul %0, %0
//!   %2: b1 = ilt %0, %0                       %4: b32 = iadd %3, %3
//!   %3: b32 = imul %0, %0              =>     %1: b32 = const 2
//!   %4: b32 = iadd %3, %3                     %5: b32 = imul %4, %1
//!   %5: b32 = imul %4, %1                     %2: b1 = ilt %0, %0
//!   if !0 %2 {                                if !0 %2 {
//! ```
//!
//! This reduces the number of live values, and places a comparison where targets expect it: before the branch
//! or the select that uses it. Moves constants, comparisons and copies of components, each down to its first
//! use in the block; operands of the terminator, or of the node after the block, go to the end. An instruction
//! that is only used in other blocks is not moved (see `opt-sink`). Arithmetic is not moved either: moving it
//! would extend the live ranges of its operands.
//!
//! Runs last: `cse` and `licm` would undo it.
//!
//! NIR: `nir_opt_move`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::open::in_order;
use crate::util::speculate::may_move;
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Op, Props, VectorOp};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, InstData, Reason, Refusal, Use};

options! {
    /// The instructions that are moved.
    struct Moved {
        choice insts: Cheap {
            /// All of the following.
            All "all",
            /// Only constants and undefined values.
            Constants "constants",
            /// Only comparisons.
            Comparisons "comparisons",
            /// Only copies, swizzles and vector construction.
            Copies "copies",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves cheap instructions directly before their first use in the block.",
    options: Moved::INFO,
    ..PassInfo::edits("opt-move", opening!("opt_move.rs"), |ed, cx| opt_move(ed, Moved::of(cx.options).insts))
};

/// Moves cheap instructions down. `O(uses)` plus the moves; idempotent; both shapes.
fn opt_move(ed: &mut Editor<'_>, chosen: Cheap) -> Result<(), Refusal> {
    for block in in_order(ed.func()) {
        let order = order(ed, block, chosen);
        if !arrange(ed, block, &order)? {
            break;
        }
    }
    Ok(())
}

fn is_cheap(data: &InstData, chosen: Cheap) -> bool {
    let kind = match data.op {
        Op::Basic(BasicOp::Const | BasicOp::Undef | BasicOp::Global) => Cheap::Constants,
        Op::Basic(BasicOp::Copy) | Op::Vector(VectorOp::Vec | VectorOp::Splat | VectorOp::Swizzle) => {
            Cheap::Copies
        }
        _ if data.op.props().has(Props::COMPARISON) => Cheap::Comparisons,
        _ => return false,
    };
    // Each execution of an undefined value may differ, but it is executed as often as before.
    let fresh = data.op == Op::Basic(BasicOp::Undef);
    (chosen == Cheap::All || chosen == kind) && (fresh || may_move(data))
}

/// The new order of the instructions of a block: each deferred one directly before its first use.
fn order(ed: &Editor<'_>, block: Block, chosen: Cheap) -> Vec<Inst> {
    let data = ed.func().block(block);
    let here = |place: Use| match place {
        Use::Arg(reader, _) => ed.block_of(reader) == Some(block),
        Use::Terminator(from, _) => from == block,
        Use::Node(node) => ed.block_before(node) == Some(block),
    };
    let waits = |&inst: &Inst| is_cheap(ed.func().inst(inst), chosen) && ed.uses(inst).any(here);
    let mut deferred: EntitySet<Inst> = data.insts.iter().copied().filter(waits).collect();
    let mut out = Vec::new();
    for &inst in data.insts.iter() {
        if !deferred.contains(inst) {
            emit(ed, inst, &mut deferred, &mut out);
        }
    }
    // The rest is used at the end, or by an instruction that is.
    for &inst in data.insts.iter() {
        if deferred.contains(inst) {
            deferred.remove(inst);
            emit(ed, inst, &mut deferred, &mut out);
        }
    }
    out
}

/// Emits an instruction after its deferred operands, recursively.
fn emit(ed: &Editor<'_>, inst: Inst, deferred: &mut EntitySet<Inst>, out: &mut Vec<Inst>) {
    let mut stack = vec![(inst, 0)];
    while let Some((at, operand)) = stack.pop() {
        match ed.func().inst(at).args.get(operand) {
            Some(&arg) => {
                stack.push((at, operand + 1));
                if deferred.contains(arg) {
                    deferred.remove(arg);
                    stack.push((arg, 0));
                }
            }
            None => out.push(at),
        }
    }
}

/// Reorders a block, from the end on. Returns false if fuel ran out.
fn arrange(ed: &mut Editor<'_>, block: Block, order: &[Inst]) -> Result<bool, Refusal> {
    let mut next: Option<Inst> = None;
    for &inst in order.iter().rev() {
        let next_inst = ed.index_of(inst).and_then(|at| ed.func().block(block).insts.get(at + 1).copied());
        if next_inst != next {
            if !ed.consume_fuel() {
                return Ok(false);
            }
            let at = next.map_or(InsertPoint::End(block), InsertPoint::Before);
            ed.move_to(inst, at, Reason::Note("this is its first use"))?;
        }
        next = Some(inst);
    }
    Ok(true)
}

//! Passes that are wrong on purpose, for lessons about finding a miscompile.
//!
//! ```text
//! wrong-commute     %2 = isub %0, %1                        =>     %2 = isub %1, %0
//! wrong-forward     store %a, %1 … %2 = load %b             =>     %1 in place of %2, also if %a and %b differ
//! wrong-not-less    %2 = flt %0, %1    %3 = inot %2         =>     %3 = fge %0, %1, also for NaN
//! wrong-sum         %2 = iadd %0, %1    %3 = iadd %2, %1    =>     %2 = iadd %1, %0    %3 = isub %1, %2, for at=2
//! ```
//!
//! Each makes one mistake that compilers have made. Their names begin with `wrong-`, no list of passes and no preset contains
//! them, and the command line runs them only with `--teaching`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{FloatOp, IntOp, MemoryOp, Op, ValueType};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

options! {
    /// The place of the fault.
    struct Fault {
        /// The number of the addition to break, from 1.
        at: u32 = 1 in 0..=1_000_000;
    }
}

/// The passes that are wrong on purpose.
pub const TEACHING: &[PassInfo] = &[
    PassInfo {
        doc: "WRONG ON PURPOSE: exchanges the operands of subtractions, as if they were commutative.",
        idempotent: false,
        ..PassInfo::edits("wrong-commute", opening!("teaching.rs"), |ed, _| commute(ed))
    },
    PassInfo {
        doc: "WRONG ON PURPOSE: forwards the last stored value of a block to loads of its type, from any address.",
        ..PassInfo::edits("wrong-forward", opening!("teaching.rs"), |ed, _| forward(ed))
    },
    PassInfo {
        doc: "WRONG ON PURPOSE: replaces `not (a < b)` by `a >= b`, which differs if an operand is NaN.",
        ..PassInfo::edits("wrong-not-less", opening!("teaching.rs"), |ed, _| not_less(ed))
    },
    PassInfo {
        doc: "WRONG ON PURPOSE: exchanges the operands of additions, and subtracts in place of one of them.",
        idempotent: false,
        options: Fault::INFO,
        ..PassInfo::edits("wrong-sum", opening!("teaching.rs"), |ed, cx| sum(ed, Fault::of(cx.options).at))
    },
];

fn commute(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let swapped = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst).clone();
        let [a, b] = data.args[..] else { return None };
        let args = vitrine_ir::Args::new(&[b, a]);
        let is_difference = matches!(data.op, Op::Int(IntOp::ISub) | Op::Float(FloatOp::FSub));
        is_difference.then_some(InstData { args, ..data })
    };
    rewrite_each(ed, swapped, |ed, inst, data| {
        ed.rewrite(inst, data, Reason::Note("the operands change places"))
    })
}

fn forward(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for block in ed.func().blocks_in_order() {
        let insts: Vec<Inst> = ed.func().block(block).insts.to_vec();
        let mut last: Option<(ValueType, Inst)> = None;
        for inst in insts {
            let data = ed.func().inst(inst).clone();
            match data.op {
                Op::Memory(MemoryOp::Store) => {
                    last = data.args.get(1).map(|&value| (ed.func().ty(value), value));
                }
                Op::Memory(MemoryOp::Load) => {
                    let Some((_, value)) = last.filter(|(ty, _)| *ty == data.ty) else { continue };
                    if !ed.consume_fuel() {
                        return Ok(());
                    }
                    ed.replace(inst, value, Reason::Note("the last store wrote this value"))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Every rewrite but one is right, so that the search for the wrong one has something to find.
fn sum(ed: &mut Editor<'_>, target: u32) -> Result<(), Refusal> {
    let mut seen = 0;
    let swapped = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst).clone();
        let [a, b] = data.args[..] else { return None };
        let less = match data.op {
            Op::Int(IntOp::IAdd) => Op::Int(IntOp::ISub),
            Op::Float(FloatOp::FAdd) => Op::Float(FloatOp::FSub),
            _ => return None,
        };
        seen += 1;
        let op = if seen == target { less } else { data.op };
        Some(InstData { op, args: vitrine_ir::Args::new(&[b, a]), ..data })
    };
    rewrite_each(ed, swapped, |ed, inst, data| {
        ed.rewrite(inst, data, Reason::Note("the operands are equivalent"))
    })
}

fn not_less(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let greater = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let (Op::Int(IntOp::INot), [compared]) = (data.op, &data.args[..]) else { return None };
        let less = ed.func().inst(*compared).clone();
        (less.op == Op::Float(FloatOp::FLt)).then_some(InstData { op: Op::Float(FloatOp::FGe), ..less })
    };
    rewrite_each(ed, greater, |ed, inst, greater| {
        ed.rewrite(inst, greater, Reason::Note("not less is greater or equal"))
    })
}

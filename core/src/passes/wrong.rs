//! `wrong`: contains a deliberate fault, for tests of the tools that find faults.
//!
//! ```text
//!   %2: b32 = iadd %0, %1                   %2: b32 = iadd %1, %0
//!   %3: b32 = iadd %2, %1            =>     %3: b32 = isub %1, %2
//! ```
//!
//! Only used to test the tools that detect wrong passes; it is not part of the program.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{Args, Editor, Inst, InstData, Reason, Refusal};
use crate::ops::{FloatOp, IntOp, Op};
use crate::passes::util::rewrite_each::rewrite_each;

options! {
    /// The place of the fault.
    struct Fault {
        /// The number of the addition to break, from 1.
        at: u32 = 1 in 0..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Contains a deliberate fault, for tests of the tools that find faults.",
    idempotent: false,
    options: Fault::INFO,
    ..PassInfo::edits("wrong", opening!("wrong.rs"), |ed, cx| wrong(ed, Fault::of(cx.options).at))
};

fn wrong(ed: &mut Editor<'_>, target: u32) -> Result<(), Refusal> {
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
        Some(InstData { op, args: Args::new(&[b, a]), ..data })
    };
    rewrite_each(ed, swapped, |ed, inst, data| {
        ed.rewrite(inst, data, Reason::Note("the operands are equivalent"))
    })
}

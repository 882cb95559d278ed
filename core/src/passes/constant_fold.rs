//! `constant-fold`: computes what has constant operands.
//!
//! ```text
//!   %1: b32 = const 2                       %1: b32 = const 2
//!   %2: b32 = const 3                =>     %2: b32 = const 3
//!   %3: b32 = iadd %1, %2                   %3: b32 = const 5
//! ```
//!
//! What an operation means is asked of its row, so that folding and running cannot disagree. One walk is
//! enough: operands stand before what reads them. The value keeps its id.
//!
//! Not folded: what looks at other lanes (a derivative of a constant need not be zero: NaN and infinity),
//! module constants that may still be specialised, and float arithmetic whose rounding or subnormals the
//! program's execution modes make special. Branches on constants are left to `dead-cf`.

use super::open::insts_in_order;
use super::opening::opening;
use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::ir::{Editor, InstData, Refusal, Why};
use crate::ops::attr::unpack_lane;
use crate::ops::{Bits, Key, Op, ValueType, VectorOp};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Computes what has constant operands.",
    ..PassInfo::edits("constant-fold", opening!("constant_fold.rs"), |ed, _| constant_fold(ed))
};

/// Folds every instruction that can be. Linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn constant_fold(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let modes = FloatModes::of(ed.module());
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst);
        if data.args.is_empty() || !data.op.props().pure() {
            continue;
        }
        if let Some(bits) = fold(ed, data, modes)
            && ed.may()
        {
            let folded = ed.const_bits(bits);
            ed.rewrite(inst, folded, Why::Note("its operands are constant"))?;
        }
    }
    Ok(())
}

fn fold(ed: &Editor<'_>, data: &InstData, modes: FloatModes) -> Option<Bits> {
    let args: Vec<Bits> = data.args.iter().map(|&arg| ed.bits_of(arg)).collect::<Option<_>>()?;
    let bits = evaluate(data.op, data.ty, &args, data.attrs.get(Key::Lanes))?;
    let harmless = !matches!(data.op, Op::Float(_) | Op::Convert(_) | Op::Vector(_))
        || args.iter().chain([&bits]).all(|bits| modes.leave_alone(bits));
    harmless.then_some(bits)
}

/// What an operation yields for constant operands; `lanes` are those a swizzle picks.
pub(super) fn evaluate(op: Op, ty: ValueType, args: &[Bits], lanes: Option<u64>) -> Option<Bits> {
    match (op, args) {
        (Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle), [first, rest @ ..]) => {
            let all: Vec<u64> =
                [first].into_iter().chain(rest).flat_map(|arg| arg.lanes().to_vec()).collect();
            let pick = |at: usize| all.get(usize::from(unpack_lane(lanes?, at))).copied();
            let picked: Vec<u64> = (0..usize::from(ty.lanes())).map(pick).collect::<Option<_>>()?;
            Some(Bits::from_lanes(first.width(), &picked)).filter(|bits| bits.ty() == ty)
        }
        _ => op.info().eval(ty, args),
    }
}

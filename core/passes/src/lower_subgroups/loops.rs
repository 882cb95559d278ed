//! Shuffles and reductions as loops: each iteration broadcasts the value of one active invocation, the lowest
//! first, to all others.
//!
//! All invocations run the same number of iterations, so that the same ones take part in every broadcast. Each
//! invocation selects the values it keeps.

use super::{WHY, ballot, bits, how, integers, is_subgroup, narrow, own_index, reduction};
use crate::util::arith::Arith;
use crate::util::predicate::{iterations, of_subgroup};
use crate::util::rewrite_each::rewrite_each_backward;
use vitrine_ir::ops::{
    Bits, FloatOp, GroupOp, How, IntBuild, IntOp, Key, Op, Reduction, Scalar, ValueType, Width,
};
use vitrine_ir::{Builder, Editor, Inst, InstData, Refusal};

/// Lowers shuffles to an invocation, and reductions.
pub(super) fn lower(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let is_lowered = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let fits = match data.op {
            Op::Group(GroupOp::Shuffle) => true,
            Op::Group(GroupOp::Reduce) => {
                combining_op(data).is_some_and(|op| op.info().infer(&[data.ty; 2]).is_some())
            }
            _ => false,
        };
        (fits && is_subgroup(data)).then_some(())
    };
    rewrite_each_backward(ed, is_lowered, |ed, inst, ()| lower_one(ed, inst, &ed.func().inst(inst).clone()))
}

/// Returns the operation that combines two values of a reduction; none for other instructions.
fn combining_op(data: &InstData) -> Option<Op> {
    if data.op != Op::Group(GroupOp::Reduce) {
        return None;
    }
    match reduction(data) {
        Reduction::FAdd => Some(FloatOp::FAdd.into()),
        Reduction::FMul => Some(FloatOp::FMul.into()),
        Reduction::FMin => Some(FloatOp::FMin.into()),
        Reduction::FMax => Some(FloatOp::FMax.into()),
        Reduction::IAdd
        | Reduction::IMul
        | Reduction::IMin
        | Reduction::UMin
        | Reduction::IMax
        | Reduction::UMax
        | Reduction::IAnd
        | Reduction::IOr
        | Reduction::IXor => integers(data).map(Op::from),
    }
}

/// Returns the identity element of a reduction.
fn identity(reduction: Reduction, width: Width) -> Scalar {
    match reduction {
        Reduction::IAdd | Reduction::FAdd | Reduction::UMax => Scalar::u(width, 0),
        Reduction::IOr | Reduction::IXor => Scalar::u(width, 0),
        Reduction::IMul => Scalar::u(width, 1),
        Reduction::FMul => Scalar::float(width, 1.0),
        Reduction::IMin => Scalar::u(width, width.mask() >> 1),
        Reduction::UMin | Reduction::IAnd => Scalar::u(width, width.mask()),
        Reduction::FMin => Scalar::float(width, f64::INFINITY),
        Reduction::IMax => Scalar::u(width, width.sign_bit()),
        Reduction::FMax => Scalar::float(width, f64::NEG_INFINITY),
    }
}

fn lower_one(ed: &mut Editor<'_>, inst: Inst, data: &InstData) -> Result<(), Refusal> {
    let Some(&value) = data.args.first() else { return Ok(()) };
    let ty = data.ty;
    let mut b = ed.build(vitrine_ir::InsertPoint::Before(inst), WHY);
    let yes = b.bool(true);
    let active = ballot(&mut b, yes);
    let initial = match data.op {
        Op::Group(GroupOp::Reduce) => {
            let identity_value = identity(reduction(data), ty.width().unwrap_or_default());
            let components = vec![identity_value.bits(); usize::from(ty.components())];
            b.bits(Bits::from_components(identity_value.width(), &components))
        }
        // A shuffle from an inactive invocation is undefined: the invocation's own value is as good as any.
        _ => value,
    };
    let source = data.args.get(1).map(|&invocation| narrow(&mut b, invocation));
    let own_index = own_index(&mut b);
    b.finish()?;
    let cond = |b: &mut Builder<'_, '_>, values: &[Inst]| match values.first() {
        Some(&invocations) => bits::any(b, invocations),
        None => yes,
    };
    let step = |b: &mut Builder<'_, '_>, values: &[Inst]| {
        let [invocations, so_far, is_first] = values else { return values.to_vec() };
        let invocation = b.emit_with(of_subgroup(GroupOp::BallotLsb, ValueType::B32, &[*invocations]));
        let broadcast = b.emit_with(of_subgroup(GroupOp::Broadcast, ty, &[value, invocation]));
        let is_included = match source {
            Some(source) => b.ieq(source, invocation),
            None => is_included(b, data, invocation, own_index),
        };
        let new = match combining_op(data) {
            Some(op) => {
                // The first value is used unchanged: adding the identity may round.
                let combined = b.checked(op, ty, &[*so_far, broadcast]);
                select(b, *is_first, broadcast, combined)
            }
            None => broadcast,
        };
        let kept = select(b, is_included, new, *so_far);
        let not = b.inot(is_included);
        let is_still_first = b.iand(*is_first, not);
        let rest = bits::without_lowest(b, *invocations);
        vec![rest, kept, is_still_first]
    };
    let values = iterations(ed, inst, &[active, initial, yes], cond, step, WHY)?;
    match values.get(1) {
        Some(&result) => ed.replace(inst, result, WHY),
        None => Ok(()),
    }
}

/// Returns true if an invocation includes the value of another one in its result.
fn is_included(b: &mut Builder<'_, '_>, data: &InstData, invocation: Inst, own_index: Inst) -> Inst {
    match how(data) {
        How::All => b.bool(true),
        How::Inclusive => b.ule(invocation, own_index),
        How::Exclusive => b.ult(invocation, own_index),
        // The size of a cluster is a power of two.
        How::Clustered => {
            let size = data.attrs.get(Key::Cluster).filter(|&invocations| invocations > 0).unwrap_or(128);
            let distance = b.ixor(invocation, own_index);
            let size = b.number(distance, size.cast_signed());
            b.ult(distance, size)
        }
    }
}

fn select(b: &mut Builder<'_, '_>, cond: Inst, then: Inst, els: Inst) -> Inst {
    let ty = b.type_of(then);
    let cond = if ty.components() == 1 { cond } else { b.splat(cond, ty.components()) };
    b.checked(IntOp::Select, ty, &[cond, then, els])
}

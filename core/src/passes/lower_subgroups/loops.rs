//! Shuffles and reductions as loops: each round broadcasts what one invocation has, the lowest first, to all that are there.
//!
//! All invocations go round as often, so that the same ones take part in every broadcast. What an invocation keeps differs.

use super::{WHY, ballot, bits, how, integers, is_subgroup, narrow, own, word_of};
use crate::ir::{Builder, Editor, Inst, InstData, Refusal};
use crate::ops::{Bits, FloatOp, GroupOp, IntBuild, IntOp, Key, Op, Scalar, ValueType, Width};
use crate::passes::util::arith::Arith;
use crate::passes::util::attr_words::of_subgroup;
use crate::passes::util::open::insts_in_order;
use crate::passes::util::predicate::rounds;

/// Lowers shuffles to an invocation, and reductions. From the last one on: what is split off a block is then short.
pub(super) fn lower(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for inst in insts_in_order(ed.func()).into_iter().rev() {
        let data = ed.func().inst(inst).clone();
        let fits = match data.op {
            Op::Group(GroupOp::Shuffle) => true,
            Op::Group(GroupOp::Reduce) => {
                join(&data).is_some_and(|op| op.info().infer(&[data.ty; 2]).is_some())
            }
            _ => false,
        };
        if !fits || !is_subgroup(&data) {
            continue;
        }
        if !ed.consume_fuel() {
            break;
        }
        one(ed, inst, &data)?;
    }
    Ok(())
}

/// What a reduction joins two values by; none for what is no reduction.
fn join(data: &InstData) -> Option<Op> {
    const FLOATS: [(&str, FloatOp); 4] =
        [("fadd", FloatOp::FAdd), ("fmul", FloatOp::FMul), ("fmin", FloatOp::FMin), ("fmax", FloatOp::FMax)];
    if data.op != Op::Group(GroupOp::Reduce) {
        return None;
    }
    let word = word_of(data, Key::Reduce);
    let float = || FLOATS.iter().find(|(known, _)| *known == word).map(|&(_, op)| Op::from(op));
    integers(data).map(Op::from).or_else(float)
}

/// What changes nothing in a reduction.
fn identity(word: &str, width: Width) -> Scalar {
    match word {
        "imul" => Scalar::u(width, 1),
        "fmul" => Scalar::float(width, 1.0),
        "imin" => Scalar::u(width, width.mask() >> 1),
        "umin" | "iand" => Scalar::u(width, width.mask()),
        "fmin" => Scalar::float(width, f64::INFINITY),
        "imax" => Scalar::u(width, width.sign_bit()),
        "fmax" => Scalar::float(width, f64::NEG_INFINITY),
        _ => Scalar::u(width, 0),
    }
}

fn one(ed: &mut Editor<'_>, inst: Inst, data: &InstData) -> Result<(), Refusal> {
    let Some(&value) = data.args.first() else { return Ok(()) };
    let ty = data.ty;
    let mut b = ed.build(crate::ir::InsertPoint::Before(inst), WHY);
    let yes = b.bool(true);
    let there = ballot(&mut b, yes);
    let begin = match data.op {
        Op::Group(GroupOp::Reduce) => {
            let nothing = identity(word_of(data, Key::Reduce), ty.width().unwrap_or_default());
            let components = vec![nothing.bits(); usize::from(ty.components())];
            b.bits(Bits::from_components(nothing.width(), &components))
        }
        // An invocation that is not there says nothing: one's own value is as good as any.
        _ => value,
    };
    let wanted = data.args.get(1).map(|&invocation| narrow(&mut b, invocation));
    let own = own(&mut b);
    b.finish()?;
    let cond = |b: &mut Builder<'_, '_>, values: &[Inst]| match values.first() {
        Some(&invocations) => bits::any(b, invocations),
        None => yes,
    };
    let step = |b: &mut Builder<'_, '_>, values: &[Inst]| {
        let [invocations, so_far, is_first] = values else { return values.to_vec() };
        let invocation = b.emit_with(of_subgroup(GroupOp::BallotLsb, ValueType::B32, &[*invocations]));
        let here = b.emit_with(of_subgroup(GroupOp::Broadcast, ty, &[value, invocation]));
        let takes = match wanted {
            Some(wanted) => b.ieq(wanted, invocation),
            None => takes(b, data, invocation, own),
        };
        let new = match join(data) {
            Some(op) => {
                // The first one is taken as it is: adding to nothing may round.
                let joined = b.checked(op, ty, &[*so_far, here]);
                select(b, *is_first, here, joined)
            }
            None => here,
        };
        let kept = select(b, takes, new, *so_far);
        let not = b.inot(takes);
        let still = b.iand(*is_first, not);
        let rest = bits::without_lowest(b, *invocations);
        vec![rest, kept, still]
    };
    let values = rounds(ed, inst, &[there, begin, yes], cond, step, WHY)?;
    match values.get(1) {
        Some(&result) => ed.replace(inst, result, WHY),
        None => Ok(()),
    }
}

/// Whether an invocation takes the value of another one into its result.
fn takes(b: &mut Builder<'_, '_>, data: &InstData, invocation: Inst, own: Inst) -> Inst {
    match how(data) {
        "inclusive" => b.ule(invocation, own),
        "exclusive" => b.ult(invocation, own),
        // A cluster has a power of two of invocations.
        "clustered" => {
            let size = data.attrs.get(Key::Cluster).filter(|&invocations| invocations > 0).unwrap_or(128);
            let apart = b.ixor(invocation, own);
            let size = b.number(apart, size.cast_signed());
            b.ult(apart, size)
        }
        _ => b.bool(true),
    }
}

fn select(b: &mut Builder<'_, '_>, cond: Inst, then: Inst, els: Inst) -> Inst {
    let ty = b.type_of(then);
    let cond = if ty.components() == 1 { cond } else { b.splat(cond, ty.components()) };
    b.checked(IntOp::Select, ty, &[cond, then, els])
}

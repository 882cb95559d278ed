//! Instructions that happen under a condition: once, or round after round until it held for every invocation.
//!
//! Decides nothing: passes say which instructions, and by what.

use crate::ir::{
    Args, Builder, Edge, Editor, Incoming, InsertPoint, Inst, InstRange, Reason, Refusal, Shape, Terminator,
};
use crate::ops::ValueType;

/// Lets an instruction that nobody reads happen only where `cond` holds; what it yields there, and `els` elsewhere, is
/// a parameter behind it, where there is an `els`. Linear in what stands behind the instruction in its block.
pub(in crate::passes) fn only_if(
    ed: &mut Editor<'_>,
    inst: Inst,
    cond: Inst,
    els: Option<Inst>,
    why: Reason,
) -> Result<Option<Inst>, Refusal> {
    let (inside, after) = match ed.func().shape() {
        Shape::Graph(_) => {
            let block = ed.block_of(inst).ok_or_else(|| Refusal::new(format!("{inst} is in no block")))?;
            let after = ed.split_block(InsertPoint::After(inst), why)?;
            let inside = ed.add_block_after(block, why)?;
            ed.move_to(inst, InsertPoint::End(inside), why)?;
            ed.set_terminator(inside, Terminator::Goto(to(after)), why)?;
            ed.set_terminator(block, Terminator::Branch { cond, then: to(inside), els: to(after) }, why)?;
            (inside, after)
        }
        Shape::Tree(_) | Shape::Declaration => {
            let wrapped = ed.wrap_in_if(InstRange::of_inst(inst), cond, why)?;
            (wrapped.inside, wrapped.after)
        }
    };
    let Some(els) = els else { return Ok(None) };
    let ty = ed.func().ty(inst);
    let bring = |edge: Incoming| if edge.from == inside { inst } else { els };
    ed.add_param_with(after, ty, bring, why).map(Some)
}

/// Lets the code from `first` to `last`, which nobody reads but through `last`, happen in rounds: what is in front of
/// `inner` in every round, what is from `inner` on in the round in which `cond`, computed before it, holds. An
/// invocation goes
/// on behind when it did. What `last` yields, as it is known behind; none where it yields nothing.
///
/// ```text
///                            loop !0 {
///   first …                    first …
///   inner …             =>     if !1 cond { inner … last; break !0(last) } else { }
///   last                       continue !0
///                            }
/// ```
pub(in crate::passes) fn until(
    ed: &mut Editor<'_>,
    [first, inner, last]: [Inst; 3],
    cond: Inst,
    why: Reason,
) -> Result<Option<Inst>, Refusal> {
    let ty = ed.func().ty(last);
    if let Shape::Graph(_) = ed.func().shape() {
        let after = ed.split_block(InsertPoint::After(last), why)?;
        let inside = ed.split_block(InsertPoint::Before(inner), why)?;
        let head = ed.split_block(InsertPoint::Before(first), why)?;
        ed.set_terminator(inside, Terminator::Goto(to(after)), why)?;
        ed.set_terminator(head, Terminator::Branch { cond, then: to(inside), els: to(head) }, why)?;
        return Ok((ty != ValueType::Void).then_some(last));
    }
    let round = ed.wrap_in_loop(InstRange::new(InsertPoint::Before(first), InsertPoint::After(last)), why)?;
    let inside =
        ed.wrap_in_if(InstRange::new(InsertPoint::Before(inner), InsertPoint::After(last)), cond, why)?;
    ed.set_terminator(inside.inside, Terminator::Break(round.node, Args::default()), why)?;
    ed.set_terminator(inside.after, Terminator::Continue(round.node, Args::default()), why)?;
    match ty {
        ValueType::Void => Ok(None),
        _ => ed.add_param_with(round.after, ty, |_| last, why).map(Some),
    }
}

fn to(block: crate::ir::Block) -> Edge {
    Edge { to: block, args: Args::default() }
}

/// A loop in front of an instruction: as long as `cond` holds of the values, they become what `step` makes of them. The
/// values as they are in the end. `begin` and whatever the two read must be known in front of the instruction.
///
/// ```text
///   loop !0 {
///   ^1(values = begin):
///     cond …
///     if !1 cond { step …; continue !0(new values) } else { }
///     break !0(values)
///   }
/// ```
pub(in crate::passes) fn rounds<'m>(
    ed: &mut Editor<'m>,
    inst: Inst,
    begin: &[Inst],
    cond: impl FnOnce(&mut Builder<'_, 'm>, &[Inst]) -> Inst,
    step: impl FnOnce(&mut Builder<'_, 'm>, &[Inst]) -> Vec<Inst>,
    why: Reason,
) -> Result<Vec<Inst>, Refusal> {
    let yes = ed.bool(true);
    let is_graph = matches!(ed.func().shape(), Shape::Graph(_));
    let mark = ed.insert(InsertPoint::Before(inst), yes, why)?;
    let (head, body, after) = if is_graph {
        let block = ed.block_of(mark).ok_or_else(|| Refusal::new(format!("{mark} is in no block")))?;
        let head = ed.split_block(InsertPoint::Before(mark), why)?;
        let after = ed.split_block(InsertPoint::After(mark), why)?;
        let body = ed.add_block_after(head, why)?;
        ed.set_terminator(body, Terminator::Goto(to(head)), why)?;
        ed.set_terminator(head, Terminator::Branch { cond: mark, then: to(body), els: to(after) }, why)?;
        ed.set_terminator(block, Terminator::Goto(to(head)), why)?;
        (head, body, after)
    } else {
        let round = ed.wrap_in_loop(InstRange::of_inst(mark), why)?;
        let inside = ed.wrap_in_if(InstRange::empty(InsertPoint::After(mark)), mark, why)?;
        ed.set_terminator(inside.inside, Terminator::Continue(round.node, Args::default()), why)?;
        (round.inside, inside.inside, round.after)
    };
    let mut values = Vec::new();
    for &value in begin {
        let ty = ed.func().ty(value);
        values.push(ed.add_param_with(head, ty, |_| value, why)?);
    }
    let mut b = ed.build(InsertPoint::Before(mark), why);
    let holds = cond(&mut b, &values);
    b.finish()?;
    ed.replace(mark, holds, why)?;
    let mut b = ed.build(InsertPoint::End(body), why);
    let new = step(&mut b, &values);
    b.finish()?;
    ed.set_edge_args(Incoming { from: body, edge: 0 }, &new, why)?;
    if is_graph {
        return Ok(values);
    }
    let behind = |ed: &mut Editor<'m>, value: Inst| {
        let ty = ed.func().ty(value);
        ed.add_param_with(after, ty, |_| value, why)
    };
    values.into_iter().map(|value| behind(ed, value)).collect()
}

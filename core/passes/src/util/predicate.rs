//! Instructions under a condition: executed once, or in a loop until the condition held for every invocation.
//! Also the subgroup operations by which invocations agree on it.
//!
//! Does not decide anything: passes choose the instructions and the condition.

use vitrine_ir::ops::{GroupOp, Scope, ValueType};
use vitrine_ir::{
    Args, Builder, Edge, Editor, Incoming, InsertPoint, Inst, InstData, InstRange, Reason, Refusal, Shape,
    Terminator,
};

/// A subgroup operation as in Vulkan 1.1. Without a scope it would be one of the extensions that precede 1.1.
pub(crate) fn of_subgroup(op: GroupOp, ty: ValueType, args: &[Inst]) -> InstData {
    InstData::new(op, ty, args).with_word(Scope::Subgroup)
}

/// Executes an instruction without uses only if `cond` holds. If `els` is given, returns a block parameter that
/// merges the result with `els`. Linear in the number of instructions after it in its block.
pub(crate) fn only_if(
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
    let arg_of = |edge: Incoming| if edge.from == inside { inst } else { els };
    ed.add_param_with(after, ty, arg_of, why).map(Some)
}

/// Executes the instructions from `first` to `last` in a loop; only `last` may have uses after them. The
/// instructions before `inner` run in every iteration, those from `inner` on only in the iteration in which
/// `cond`, computed before it, holds. An invocation leaves the loop after that iteration. Returns the result of
/// `last` as visible after the loop; none if it has no result.
///
/// ```text
///                            loop !0 {
///   first …                    first …
///   inner …             =>     if !1 cond { inner … last; break !0(last) } else { }
///   last                       continue !0
///                            }
/// ```
pub(crate) fn until(
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
    let wrapped =
        ed.wrap_in_loop(InstRange::new(InsertPoint::Before(first), InsertPoint::After(last)), why)?;
    let inside =
        ed.wrap_in_if(InstRange::new(InsertPoint::Before(inner), InsertPoint::After(last)), cond, why)?;
    ed.set_terminator(inside.inside, Terminator::Break(wrapped.node, Args::default()), why)?;
    ed.set_terminator(inside.after, Terminator::Continue(wrapped.node, Args::default()), why)?;
    match ty {
        ValueType::Void => Ok(None),
        _ => ed.add_param_with(wrapped.after, ty, |_| last, why).map(Some),
    }
}

fn to(block: vitrine_ir::Block) -> Edge {
    Edge { to: block, args: Args::default() }
}

/// Inserts a loop before an instruction: as long as `cond` holds for the values, `step` replaces them. Returns
/// the final values. `begin` and the other operands of `cond` and `step` must be visible at the instruction.
///
/// ```text
///   loop !0 {
///   ^1(values = begin):
///     cond …
///     if !1 cond { step …; continue !0(new values) } else { }
///     break !0(values)
///   }
/// ```
pub(crate) fn iterations<'m>(
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
        let wrapped = ed.wrap_in_loop(InstRange::of_inst(mark), why)?;
        let inside = ed.wrap_in_if(InstRange::empty(InsertPoint::After(mark)), mark, why)?;
        ed.set_terminator(inside.inside, Terminator::Continue(wrapped.node, Args::default()), why)?;
        (wrapped.inside, inside.inside, wrapped.after)
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
    let param_after = |ed: &mut Editor<'m>, value: Inst| {
        let ty = ed.func().ty(value);
        ed.add_param_with(after, ty, |_| value, why)
    };
    values.into_iter().map(|value| param_after(ed, value)).collect()
}

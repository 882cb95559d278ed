//! Instructions that happen under a condition: once, or round after round until it held for every lane.
//!
//! Decides nothing: passes say which instructions, and by what.

use crate::ir::{Args, At, Edge, Editor, Exit, Inst, Refusal, Run, Shape, Why};
use crate::ops::ValueType;

/// Lets an instruction that nobody reads happen only where `cond` holds; what it yields there, and `els` elsewhere, is
/// a parameter behind it, where there is an `els`. Linear in what stands behind the instruction in its block.
pub(super) fn only_if(
    ed: &mut Editor<'_>,
    inst: Inst,
    cond: Inst,
    els: Option<Inst>,
    why: Why,
) -> Result<Option<Inst>, Refusal> {
    let (inside, after) = match ed.func().shape() {
        Shape::Graph(_) => {
            let block = ed.block_of(inst).ok_or_else(|| Refusal::new(format!("{inst} is in no block")))?;
            let after = ed.split_block(At::After(inst), why)?;
            let inside = ed.add_block_after(block, why)?;
            ed.move_to(inst, At::End(inside), why)?;
            ed.set_exit(inside, Exit::Goto(to(after)), why)?;
            ed.set_exit(block, Exit::Branch { cond, then: to(inside), els: to(after) }, why)?;
            (inside, after)
        }
        Shape::Tree(_) | Shape::Declaration => {
            let wrapped = ed.wrap_in_if(Run::of_inst(inst), cond, why)?;
            (wrapped.inside, wrapped.after)
        }
    };
    let Some(els) = els else { return Ok(None) };
    let ty = ed.func().ty(inst);
    let bring = |edge: crate::ir::Incoming| if edge.from == inside { inst } else { els };
    ed.add_param_with(after, ty, bring, why).map(Some)
}

/// Lets the code from `first` to `last`, which nobody reads but through `last`, happen in rounds: what is in front of
/// `inner` in every round, what is from `inner` on in the round in which `cond`, computed before it, holds. A lane goes
/// on behind when it did. What `last` yields, as it is known behind; none where it yields nothing.
///
/// ```text
///                            loop !0 {
///   first …                    first …
///   inner …             =>     if !1 cond { inner … last; break !0(last) } else { }
///   last                       continue !0
///                            }
/// ```
pub(super) fn until(
    ed: &mut Editor<'_>,
    [first, inner, last]: [Inst; 3],
    cond: Inst,
    why: Why,
) -> Result<Option<Inst>, Refusal> {
    let ty = ed.func().ty(last);
    if let Shape::Graph(_) = ed.func().shape() {
        let after = ed.split_block(At::After(last), why)?;
        let inside = ed.split_block(At::Before(inner), why)?;
        let head = ed.split_block(At::Before(first), why)?;
        ed.set_exit(inside, Exit::Goto(to(after)), why)?;
        ed.set_exit(head, Exit::Branch { cond, then: to(inside), els: to(head) }, why)?;
        return Ok((ty != ValueType::Void).then_some(last));
    }
    let round = ed.wrap_in_loop(Run::new(At::Before(first), At::After(last)), why)?;
    let inside = ed.wrap_in_if(Run::new(At::Before(inner), At::After(last)), cond, why)?;
    ed.set_exit(inside.inside, Exit::Break(round.node, Args::default()), why)?;
    ed.set_exit(inside.after, Exit::Continue(round.node, Args::default()), why)?;
    match ty {
        ValueType::Void => Ok(None),
        _ => ed.add_param_with(round.after, ty, |_| last, why).map(Some),
    }
}

fn to(block: crate::ir::Block) -> Edge {
    Edge { to: block, args: Args::default() }
}

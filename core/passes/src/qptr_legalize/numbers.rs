//! The indices that replace pointers: block parameters with edge arguments, and selects.
//!
//! Only adds instructions; they have no uses yet.

use super::WHY;
use super::found::Found;
use super::plan::{Plan, SourcePlan, Which};
use crate::util::ptr_shape::sum;
use rustc_hash::FxHashMap;
use vitrine_ir::ops::{IntOp, ValueType, Width};
use vitrine_ir::{Builder, Editor, Incoming, InsertPoint, Inst, Refusal};

/// The replacement of a merge: the shape, if there are several, and its indices, innermost first.
#[derive(Clone, Debug)]
pub(super) struct MergeIndices {
    pub(super) which: Option<Inst>,
    pub(super) steps: Vec<Inst>,
}

/// By merge; none for those that are unchanged.
pub(super) type Numbers = Vec<Option<MergeIndices>>;

/// Creates the indices: parameters and selects.
pub(super) fn write(ed: &mut Editor<'_>, found: &Found, plans: &[Option<Plan>]) -> Result<Numbers, Refusal> {
    let mut numbers: Numbers = vec![None; plans.len()];
    for (at, merge) in found.merges.iter().enumerate() {
        let (Some((block, _)), Some(plan)) = (merge.param, &plans[at]) else { continue };
        let mut steps = Vec::new();
        for _ in 0..plan.numbers {
            steps.push(ed.add_param(block, ValueType::B32, WHY)?);
        }
        let several = plan.shapes.len() > 1;
        let which = several.then(|| ed.add_param(block, ValueType::B32, WHY)).transpose()?;
        numbers[at] = Some(MergeIndices { which, steps });
    }
    for (at, merge) in found.merges.iter().enumerate().filter(|(_, merge)| merge.param.is_none()) {
        let Some(plan) = &plans[at] else { continue };
        let (&[cond, ..], [a, b]) = (&ed.func().inst(merge.value).args[..], &plan.sources[..]) else {
            return Err(Refusal::new("a select does not have two sources"));
        };
        let mut build = ed.build(InsertPoint::Before(merge.value), WHY);
        let [a, b] = [a, b].map(|source_plan| emit_source(&mut build, source_plan, plan, &numbers));
        let mut select = |a: Inst, b: Inst| {
            if a == b { a } else { build.checked(IntOp::Select, ValueType::B32, &[cond, a, b]) }
        };
        let steps = a.steps.iter().zip(&b.steps).map(|(&a, &b)| select(a, b)).collect();
        let which = a.which.zip(b.which).map(|(a, b)| select(a, b));
        build.finish()?;
        numbers[at] = Some(MergeIndices { which, steps });
    }
    Ok(numbers)
}

/// Adds the edge arguments.
pub(super) fn pass_indices(
    ed: &mut Editor<'_>,
    found: &Found,
    plans: &[Option<Plan>],
    numbers: &Numbers,
) -> Result<(), Refusal> {
    let mut new_args: FxHashMap<Incoming, Vec<Inst>> = FxHashMap::default();
    let mut order = Vec::new();
    for (at, merge) in found.merges.iter().enumerate().filter(|(_, merge)| merge.param.is_some()) {
        let Some(plan) = &plans[at] else { continue };
        for (source, source_plan) in merge.sources.iter().zip(&plan.sources) {
            let Some(edge) = source.edge else { continue };
            let mut build = ed.build(InsertPoint::End(edge.from), WHY);
            let number = emit_source(&mut build, source_plan, plan, numbers);
            build.finish()?;
            let known = new_args.entry(edge).or_insert_with(|| {
                order.push(edge);
                Vec::new()
            });
            known.extend(number.steps);
            known.extend(number.which);
        }
    }
    for edge in order {
        let mut args = ed.edge_args(edge).map_or_else(Vec::new, |args| args.to_vec());
        args.extend(new_args.remove(&edge).unwrap_or_default());
        ed.set_edge_args(edge, &args, WHY)?;
    }
    Ok(())
}

/// Emits the indices of a source.
fn emit_source(
    b: &mut Builder<'_, '_>,
    source_plan: &SourcePlan,
    plan: &Plan,
    numbers: &Numbers,
) -> MergeIndices {
    let from = match &source_plan.which {
        Which::Is(_) => None,
        Which::Of(other, _) => numbers.get(*other).and_then(Option::as_ref),
    };
    let mut steps = Vec::new();
    for at in 0..plan.numbers {
        let inner = at.checked_sub(source_plan.shift).and_then(|at| from?.steps.get(at)).copied();
        steps.push(sum(b, inner, source_plan.own.get(at)));
    }
    let several = plan.shapes.len() > 1;
    let which = several.then(|| match (&source_plan.which, from.and_then(|from| from.which)) {
        (&Which::Is(shape), _) => b.int(Width::W32, shape as i64),
        (Which::Of(_, to), None) => b.int(Width::W32, to.first().copied().unwrap_or(0) as i64),
        (Which::Of(_, to), Some(which)) => map(b, which, to),
    });
    MergeIndices { which, steps }
}

/// The shape number mapped through a table; the same instruction if the table is the identity.
fn map(b: &mut Builder<'_, '_>, which: Inst, to: &[usize]) -> Inst {
    if to.iter().enumerate().all(|(at, &to)| at == to) {
        return which;
    }
    let mut all = to.iter().enumerate().rev();
    let last = all.next().map_or(0, |(_, &last)| last);
    let mut total = b.int(Width::W32, last as i64);
    for (at, &to) in all {
        let number = b.int(Width::W32, at as i64);
        let is = b.checked(IntOp::IEq, ValueType::BOOL, &[which, number]);
        let to = b.int(Width::W32, to as i64);
        total = b.checked(IntOp::Select, ValueType::B32, &[is, to, total]);
    }
    total
}

//! The numbers that stand for pointers: parameters that edges bring, and what choices choose.
//!
//! Adds; nothing reads them yet.

use super::WHY;
use super::found::Found;
use super::plan::{Plan, Way, Which};
use crate::ir::{Builder, Editor, Incoming, InsertPoint, Inst, Refusal};
use crate::ops::{IntOp, ValueType, Width};
use crate::passes::util::ptr_shape::sum;
use rustc_hash::FxHashMap;

/// What a merge is now: which shape, where there are several, and its numbers, the innermost first.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) which: Option<Inst>,
    pub(super) steps: Vec<Inst>,
}

/// By merge; none for those that stay.
pub(super) type Numbers = Vec<Option<Number>>;

/// Makes the numbers: parameters, and what choices choose.
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
        numbers[at] = Some(Number { which, steps });
    }
    for (at, merge) in found.merges.iter().enumerate().filter(|(_, merge)| merge.param.is_none()) {
        let Some(plan) = &plans[at] else { continue };
        let (&[cond, ..], [a, b]) = (&ed.func().inst(merge.value).args[..], &plan.ways[..]) else {
            return Err(Refusal::new("a choice is not one of two"));
        };
        let mut build = ed.build(InsertPoint::Before(merge.value), WHY);
        let [a, b] = [a, b].map(|way| bring_one(&mut build, way, plan, &numbers));
        let mut select = |a: Inst, b: Inst| {
            if a == b { a } else { build.checked(IntOp::Select, ValueType::B32, &[cond, a, b]) }
        };
        let steps = a.steps.iter().zip(&b.steps).map(|(&a, &b)| select(a, b)).collect();
        let which = a.which.zip(b.which).map(|(a, b)| select(a, b));
        build.finish()?;
        numbers[at] = Some(Number { which, steps });
    }
    Ok(numbers)
}

/// Lets edges bring the numbers.
pub(super) fn bring(
    ed: &mut Editor<'_>,
    found: &Found,
    plans: &[Option<Plan>],
    numbers: &Numbers,
) -> Result<(), Refusal> {
    let mut brought: FxHashMap<Incoming, Vec<Inst>> = FxHashMap::default();
    let mut order = Vec::new();
    for (at, merge) in found.merges.iter().enumerate().filter(|(_, merge)| merge.param.is_some()) {
        let Some(plan) = &plans[at] else { continue };
        for (source, way) in merge.sources.iter().zip(&plan.ways) {
            let Some(edge) = source.edge else { continue };
            let mut build = ed.build(InsertPoint::End(edge.from), WHY);
            let number = bring_one(&mut build, way, plan, numbers);
            build.finish()?;
            let known = brought.entry(edge).or_insert_with(|| {
                order.push(edge);
                Vec::new()
            });
            known.extend(number.steps);
            known.extend(number.which);
        }
    }
    for edge in order {
        let mut args = ed.edge_args(edge).map_or_else(Vec::new, |args| args.to_vec());
        args.extend(brought.remove(&edge).unwrap_or_default());
        ed.set_edge_args(edge, &args, WHY)?;
    }
    Ok(())
}

/// What a source brings, written down.
fn bring_one(b: &mut Builder<'_, '_>, way: &Way, plan: &Plan, numbers: &Numbers) -> Number {
    let from = match &way.which {
        Which::Is(_) => None,
        Which::Of(other, _) => numbers.get(*other).and_then(Option::as_ref),
    };
    let mut steps = Vec::new();
    for at in 0..plan.numbers {
        let inner = at.checked_sub(way.shift).and_then(|at| from?.steps.get(at)).copied();
        steps.push(sum(b, inner, way.own.get(at)));
    }
    let several = plan.shapes.len() > 1;
    let which = several.then(|| match (&way.which, from.and_then(|from| from.which)) {
        (&Which::Is(shape), _) => b.int(Width::W32, shape as i64),
        (Which::Of(_, to), None) => b.int(Width::W32, to.first().copied().unwrap_or(0) as i64),
        (Which::Of(_, to), Some(which)) => map(b, which, to),
    });
    Number { which, steps }
}

/// The number that stands for another one: the number itself where it is the same for each.
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

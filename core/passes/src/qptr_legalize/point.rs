//! Rewrites the accesses through replaced pointers, and removes the pointers.
//!
//! ```text
//!                               %w: b32 is the shape, %n how many steps
//! %v: b32 = load %p             if %w == 0 { %1 = load ($a + %n * 4) }
//!                               if %w == 1 { %2 = load ($b + 8 + %n * 16) }
//! ```
//!
//! Linear in what it writes.

use super::WHY;
use super::found::Found;
use super::numbers::{MergeIndices, Numbers};
use super::plan::Plan;
use crate::util::predicate::only_if;
use crate::util::ptr_shape::pointer;
use vitrine_analysis::offset_of;
use vitrine_ir::ops::{BasicOp, IntOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use vitrine_ir::{Args, Editor, InsertPoint, Inst, InstData, Refusal, Use};

/// Rewrites the accesses, and removes the pointers.
pub(super) fn point(
    ed: &mut Editor<'_>,
    found: &Found,
    plans: &[Option<Plan>],
    numbers: &Numbers,
) -> Result<(), Refusal> {
    for (at, merge) in found.merges.iter().enumerate() {
        let (Some(number), Some(plan)) = (&numbers[at], &plans[at]) else { continue };
        match (number.which, &plan.shapes[..]) {
            (Some(which), _) => {
                for access in found.readers(ed, merge.value).unwrap_or_default() {
                    for_each_shape(ed, found, plan, access, (which, number))?;
                }
            }
            (None, [shape, ..]) => {
                let place = merge
                    .param
                    .map_or(InsertPoint::Before(merge.value), |(block, _)| InsertPoint::Start(block));
                let pointer = pointer(ed, place, shape, &number.steps, WHY)?;
                ed.replace_uses(merge.value, pointer, WHY)?;
            }
            (None, []) => {}
        }
    }
    erase(ed, found, numbers)
}

/// Emits an access once for each of several shapes, under a condition.
fn for_each_shape(
    ed: &mut Editor<'_>,
    found: &Found,
    plan: &Plan,
    access: Inst,
    (which, number): (Inst, &MergeIndices),
) -> Result<(), Refusal> {
    let data = ed.func().inst(access).clone();
    let mut result = match data.ty {
        ValueType::Void => None,
        ty => Some(ed.insert(InsertPoint::Before(access), InstData::new(BasicOp::Undef, ty, &[]), WHY)?),
    };
    for (at, shape) in plan.shapes.iter().enumerate() {
        let start = pointer(ed, InsertPoint::Before(access), shape, &number.steps, WHY)?;
        let own = further(ed, found, access, start)?;
        let mut build = ed.build(InsertPoint::Before(own), WHY);
        let wanted = build.int(Width::W32, at as i64);
        let cond = build.checked(IntOp::IEq, ValueType::BOOL, &[which, wanted]);
        build.finish()?;
        result = only_if(ed, own, cond, result, WHY)?;
    }
    if let Some(result) = result {
        ed.replace_uses(access, result, WHY)?;
    }
    ed.erase(access, WHY)
}

/// An access at the same offset from a pointer as from the merge.
fn further(ed: &mut Editor<'_>, found: &Found, access: Inst, start: Inst) -> Result<Inst, Refusal> {
    let data = ed.func().inst(access).clone();
    let address = data.args.first().and_then(|&pointer| found.addresses.get(pointer));
    let Some(address) = address else { return Err(Refusal::new("an access has no pointer operand")) };
    let before = InsertPoint::Before(access);
    let mut pointer = start;
    for term in address.terms {
        let step = InstData::new(PtrOp::DynOffset, ValueType::Ptr, &[pointer, term.index])
            .with(Key::Stride, u64::from(term.stride));
        let step = match term.range {
            Some(range) => step.with(Key::Range, u64::from(range)),
            None => step,
        };
        pointer = ed.insert(before, step, WHY)?;
    }
    let mut attrs = data.attrs.clone();
    if matches!(data.op, Op::Memory(MemoryOp::Load | MemoryOp::Store)) {
        attrs = match address.offset + offset_of(&data) {
            0 => attrs.without(Key::Offset),
            far => attrs.with(Key::Offset, far.cast_unsigned()),
        };
    } else if address.offset != 0 {
        let step = InstData::new(PtrOp::Offset, ValueType::Ptr, &[pointer]);
        pointer = ed.insert(before, step.with(Key::Offset, address.offset.cast_unsigned()), WHY)?;
    }
    let mut args = data.args.to_vec();
    if let Some(first) = args.first_mut() {
        *first = pointer;
    }
    ed.insert(before, InstData { args: Args::new(&args), attrs, ..data }, WHY)
}

/// Removes the pointers that are unused now: steps, and the merges themselves.
fn erase(ed: &mut Editor<'_>, found: &Found, numbers: &Numbers) -> Result<(), Refusal> {
    let replaced = || found.merges.iter().zip(numbers).rev().filter(|(_, number)| number.is_some());
    for (merge, _) in replaced() {
        erase_steps(ed, merge.value)?;
    }
    // Two of them may be cyclic: neither has a replacement until both are removed.
    let nothing = InstData::new(BasicOp::Undef, ValueType::Ptr, &[]);
    let mut left = Vec::new();
    for (merge, _) in replaced() {
        let place =
            merge.param.map_or(InsertPoint::Before(merge.value), |(block, _)| InsertPoint::Start(block));
        if ed.use_count(merge.value) > 0 {
            let none = ed.insert(place, nothing.clone(), WHY)?;
            ed.replace_uses(merge.value, none, WHY)?;
            left.push(none);
        }
        let Some((block, _)) = merge.param else {
            ed.erase(merge.value, WHY)?;
            continue;
        };
        if let Some(at) = ed.func().block(block).params.iter().position(|&param| param == merge.value) {
            ed.remove_param(block, at, WHY)?;
        }
    }
    // An argument for another merge is used until that one is removed.
    for none in left {
        if ed.use_count(none) > 0 {
            erase_steps(ed, none)?;
        }
        if ed.use_count(none) == 0 {
            ed.erase(none, WHY)?;
        }
    }
    Ok(())
}

/// Removes the unused pointers that are based on another one.
fn erase_steps(ed: &mut Editor<'_>, from: Inst) -> Result<(), Refusal> {
    let (mut chain, mut work) = (Vec::new(), vec![from]);
    while let Some(pointer) = work.pop() {
        let readers = ed.uses(pointer).filter_map(|place| match place {
            Use::Arg(inst, 0) => Some(inst),
            Use::Arg(..) | Use::Terminator(..) | Use::Node(_) => None,
        });
        let leads = |inst: &Inst| matches!(ed.func().inst(*inst).op, Op::Ptr(_) | Op::Basic(BasicOp::Copy));
        let steps: Vec<Inst> = readers.filter(leads).collect();
        chain.extend(&steps);
        work.extend(steps);
    }
    for step in chain.into_iter().rev() {
        if ed.is_placed(step) && ed.use_count(step) == 0 {
            ed.erase(step, WHY)?;
        }
    }
    Ok(())
}

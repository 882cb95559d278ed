//! Carries out the plan: parameters first, then instructions, operands before their users.
//!
//! A narrowed value is created next to the old one, which becomes a swizzle of it; unused components are
//! arbitrary. Users then look through that swizzle, until it is unused. So every step by itself preserves the
//! program's meaning.

use super::demand::{Plan, can_narrow};
use crate::util::arith::Arith;
use crate::util::components::{Picked, is_per_component, look_near, pick, picks, swizzle};
use crate::util::params::replace_param;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::{BasicOp, Op, VectorOp};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Reason, Refusal};

const WHY: Reason = Reason::Note("its other components are unused");

/// Narrows values according to the plan.
pub(super) fn narrow(ed: &mut Editor<'_>, plan: &Plan) -> Result<(), Refusal> {
    // Instructions that may be unused in the end.
    let mut made = Vec::new();
    for &block in &plan.blocks {
        for &param in ed.func().block(block).params.clone().iter() {
            let Some(kept) = plan.kept(param) else { continue };
            if !ed.consume_fuel() {
                return tidy(ed, made);
            }
            narrow_param(ed, block, param, kept, &mut made)?;
        }
    }
    let mut users: EntitySet<Inst> = made.iter().copied().collect();
    for &block in &plan.blocks {
        for &inst in ed.func().block(block).insts.clone().iter() {
            let reads = ed.func().inst(inst).args.iter().any(|&arg| users.contains(arg));
            match plan.kept(inst) {
                Some(kept) => {
                    users.insert(inst);
                    if !ed.consume_fuel() {
                        return tidy(ed, made);
                    }
                    made.extend(narrow_inst(ed, inst, kept)?);
                    made.push(inst);
                }
                None if reads => {
                    users.insert(inst);
                    shorten(ed, inst)?;
                }
                None => {}
            }
        }
    }
    tidy(ed, made)
}

/// Removes new instructions without uses. Users come after their operands, so the last one is removed first.
fn tidy(ed: &mut Editor<'_>, made: Vec<Inst>) -> Result<(), Refusal> {
    for inst in made.into_iter().rev() {
        if ed.is_placed(inst) && ed.use_count(inst) == 0 && ed.index_of(inst).is_some() {
            ed.erase(inst, WHY)?;
        }
    }
    Ok(())
}

/// For each component of a wide value the index in the narrow one; removed components map to the first.
fn widening(kept: &[u8], components: u8) -> Vec<u8> {
    let place =
        |at: u8| (0u8..).zip(kept).find(|&(_, &component)| component == at).map_or(0, |(place, _)| place);
    (0..components).map(place).collect()
}

fn narrow_param(
    ed: &mut Editor<'_>,
    block: vitrine_ir::Block,
    param: Inst,
    kept: &[u8],
    made: &mut Vec<Inst>,
) -> Result<(), Refusal> {
    let ty = ed.func().ty(param);
    let narrow = ty.with_components(u8::try_from(kept.len()).unwrap_or(1));
    replace_param(
        ed,
        block,
        param,
        &[narrow],
        WHY,
        |b, value| vec![b.pick(value, kept)],
        |b, parts| {
            let &[part] = parts else { return param };
            let wide = b.emit_with(widened(part, ty, kept));
            made.push(wide);
            wide
        },
    )?;
    Ok(())
}

/// The wide value as a swizzle of the narrow one.
fn widened(narrow: Inst, ty: vitrine_ir::ops::ValueType, kept: &[u8]) -> InstData {
    match kept.len() {
        1 => InstData::new(VectorOp::Splat, ty, &[narrow]),
        _ => swizzle(narrow, ty, &widening(kept, ty.components())),
    }
}

/// Narrows an instruction; returns the new one, unless it existed before.
fn narrow_inst(ed: &mut Editor<'_>, inst: Inst, kept: &[u8]) -> Result<Option<Inst>, Refusal> {
    let fresh = ed.func().tables().insts.len();
    let data = ed.func().inst(inst).clone();
    let narrow = match data.op {
        Op::Basic(BasicOp::Const) | Op::Vector(VectorOp::Splat | VectorOp::Swizzle) => {
            pick(ed, InsertPoint::Before(inst), inst, kept, WHY)?
        }
        Op::Vector(VectorOp::Vec) => narrow_vec(ed, inst, &data, kept)?,
        Op::Vector(VectorOp::Shuffle) => narrow_shuffle(ed, inst, &data, kept)?,
        _ => {
            let mut args = Vec::new();
            for (at, &arg) in data.args.iter().enumerate() {
                let laned = is_per_component(&data, at) || data.op == Op::Basic(BasicOp::Copy);
                args.push(if laned { pick(ed, InsertPoint::Before(inst), arg, kept, WHY)? } else { arg });
            }
            let ty = data.ty.with_components(u8::try_from(kept.len()).unwrap_or(1));
            let mut narrow = InstData::new(data.op, ty, &args).flagged(data.flags);
            narrow.attrs = data.attrs.clone();
            ed.insert(InsertPoint::Before(inst), narrow, WHY)?
        }
    };
    // It may be an existing value.
    let is_new = narrow.index() >= fresh;
    if is_new {
        let origin = ed.func().origin(inst);
        ed.set_origin(narrow, origin)?;
    }
    ed.rewrite(inst, widened(narrow, data.ty, kept), WHY)?;
    Ok(is_new.then_some(narrow))
}

/// A vector constructor without the removed components.
fn narrow_vec(ed: &mut Editor<'_>, inst: Inst, data: &InstData, kept: &[u8]) -> Result<Inst, Refusal> {
    let mut parts = Vec::new();
    let mut start = 0;
    for &part in data.args.iter() {
        let components = ed.func().ty(part).components();
        let of_part: Vec<u8> =
            kept.iter().filter(|&&at| at >= start && at - start < components).map(|&at| at - start).collect();
        start += components;
        // Component by component if the component count is not valid.
        let groups: Vec<&[u8]> = match vitrine_ir::ops::ty::COMPONENT_COUNTS.contains(&(of_part.len() as u8))
        {
            true => vec![&of_part],
            false => of_part.chunks(1).collect(),
        };
        for group in groups {
            parts.push(pick(ed, InsertPoint::Before(inst), part, group, WHY)?);
        }
    }
    match parts[..] {
        [part] => Ok(part),
        _ => {
            let ty = data.ty.with_components(u8::try_from(kept.len()).unwrap_or(1));
            ed.insert(
                InsertPoint::Before(inst),
                InstData::new(VectorOp::Vec, ty, &parts).flagged(data.flags),
                WHY,
            )
        }
    }
}

fn narrow_shuffle(ed: &mut Editor<'_>, inst: Inst, data: &InstData, kept: &[u8]) -> Result<Inst, Refusal> {
    let own = picks(data).unwrap_or_default();
    let components: Vec<u8> = kept.iter().filter_map(|&at| own.get(usize::from(at)).copied()).collect();
    let &[a, b] = &data.args[..] else { return Ok(inst) };
    let first = ed.func().ty(a).components();
    // If only one operand remains, it is a swizzle of that.
    if components.iter().all(|&at| at < first) {
        return pick(ed, InsertPoint::Before(inst), a, &components, WHY);
    }
    if components.iter().all(|&at| at >= first) {
        let components: Vec<u8> = components.iter().map(|&at| at - first).collect();
        return pick(ed, InsertPoint::Before(inst), b, &components, WHY);
    }
    let ty = data.ty.with_components(u8::try_from(components.len()).unwrap_or(1));
    let mut narrow = InstData::new(VectorOp::Shuffle, ty, &[a, b]).flagged(data.flags);
    narrow.attrs = swizzle(a, ty, &components).attrs;
    ed.insert(InsertPoint::Before(inst), narrow, WHY)
}

/// Redirects a swizzle of a narrowed value to the narrow one.
fn shorten(ed: &mut Editor<'_>, inst: Inst) -> Result<(), Refusal> {
    let data = ed.func().inst(inst);
    if data.op != Op::Vector(VectorOp::Swizzle) || !can_narrow(data) {
        return Ok(());
    }
    let (Some(components), Some(&source)) = (picks(data), data.args.first()) else { return Ok(()) };
    let (ty, flags) = (data.ty, data.flags);
    let new = match look_near(ed, source, &components) {
        Picked::Whole(value) if value != inst => {
            return if ed.consume_fuel() { ed.replace(inst, value, WHY) } else { Ok(()) };
        }
        Picked::Components(value, components) if value != source && value != inst => {
            swizzle(value, ty, &components)
        }
        Picked::Splat(component) => InstData::new(VectorOp::Splat, ty, &[component]),
        Picked::Whole(_) | Picked::Components(..) | Picked::Const(_) => return Ok(()),
    };
    if ed.consume_fuel() { ed.rewrite(inst, new.flagged(flags), WHY) } else { Ok(()) }
}

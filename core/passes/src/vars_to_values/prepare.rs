//! Converts other accesses to loads and stores of whole leaves: components, masks, copies.

use super::places::{PathTarget, Places};
use crate::util::leaves::{Arrays, further, leaves};
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Journal, Reason, Refusal};

/// Converts copies to a load and a store for each leaf. Copies with more than `max_leaves` leaves, or with
/// leaves that are not values, are unchanged.
pub(super) fn split_copies(mut ed: Editor<'_>, copies: &[Inst], max_leaves: u32) -> Result<Journal, Refusal> {
    const WHY: Reason = Reason::Note("the copy becomes a load and a store for each leaf");
    for &copy in copies {
        let [to, from] = ed.func().inst(copy).args[..] else { continue };
        let Some(place) = ed.module().path_type(ed.func(), to) else { continue };
        let most = max_leaves as usize;
        let Some(leaf_paths) = leaves(ed.module(), place.ty, most, Arrays::Apart) else { continue };
        for leaf in leaf_paths {
            let mut b = ed.build(InsertPoint::Before(copy), WHY);
            let [mut source, mut target] = [from, to];
            for step in leaf {
                source = further(&mut b, source, step);
                target = further(&mut b, target, step);
            }
            let value = b.load(source);
            b.store(target, value);
            b.finish()?;
        }
        ed.erase(copy, WHY)?;
    }
    Ok(ed.finish().journal)
}

/// Converts every access to a promoted leaf to one of the whole leaf.
pub(super) fn whole_accesses(mut ed: Editor<'_>, places: &Places) -> Result<Journal, Refusal> {
    for block in ed.func().blocks_in_order() {
        for &inst in ed.func().block(block).insts.clone().iter() {
            let data = ed.func().inst(inst).clone();
            let Some(&path) = data.args.first() else { continue };
            if places.leaf(path).is_none() {
                continue;
            }
            let is_component = matches!(places.target[path], PathTarget::Component(_));
            match data.op {
                Op::Memory(MemoryOp::Load) if is_component => load_component(&mut ed, inst, path, &data)?,
                Op::Memory(MemoryOp::Store) if is_component => store_component(&mut ed, inst, path, &data)?,
                Op::Memory(MemoryOp::Store) if data.attrs.has(Key::Mask) => {
                    store_masked(&mut ed, inst, &data)?;
                }
                _ => {}
            }
        }
    }
    Ok(ed.finish().journal)
}

const WHOLE: Reason = Reason::Note("an access to the whole vector");

/// The vector that contains a component, and the index.
fn vector_of(ed: &Editor<'_>, component: Inst) -> Result<(Inst, Inst), Refusal> {
    match ed.func().inst(component).args[..] {
        [vector, index] => Ok((vector, index)),
        _ => Err(Refusal::new(format!("{component} is not a component of a vector"))),
    }
}

fn load_component(ed: &mut Editor<'_>, inst: Inst, component: Inst, data: &InstData) -> Result<(), Refusal> {
    let (vector, index) = vector_of(ed, component)?;
    let mut b = ed.build(InsertPoint::Before(inst), WHOLE);
    let whole = b.load(vector);
    b.finish()?;
    ed.rewrite(inst, InstData::new(VectorOp::Extract, data.ty, &[whole, index]), WHOLE)
}

fn store_component(ed: &mut Editor<'_>, inst: Inst, component: Inst, data: &InstData) -> Result<(), Refusal> {
    let (vector, index) = vector_of(ed, component)?;
    let Some(&value) = data.args.get(1) else { return Ok(()) };
    let mut b = ed.build(InsertPoint::Before(inst), WHOLE);
    let whole = b.load(vector);
    let ty = b.editor().func().ty(whole);
    // A constant component index is visible to other passes; one out of range has no effect.
    let known = b.editor().bits_of(index).map(|bits| bits.component(0).as_u64());
    let changed = match known.and_then(|at| u8::try_from(at).ok()).filter(|&at| at < ty.components()) {
        Some(known) => {
            let count = ty.components();
            let picks: Vec<u8> = (0..count).map(|at| if at == known { count } else { at }).collect();
            b.emit_with(
                InstData::new(VectorOp::Shuffle, ty, &[whole, value])
                    .with(Key::Components, pack_components(&picks)),
            )
        }
        None => b.checked(VectorOp::Insert, ty, &[whole, value, index]),
    };
    b.finish()?;
    ed.rewrite(inst, InstData::new(MemoryOp::Store, ValueType::Void, &[vector, changed]), WHOLE)
}

fn store_masked(ed: &mut Editor<'_>, inst: Inst, data: &InstData) -> Result<(), Refusal> {
    let ([path, value], Some(mask)) = (&data.args[..], data.attrs.get(Key::Mask)) else { return Ok(()) };
    let ty = ed.func().ty(*value);
    let count = ty.components();
    let mut b = ed.build(InsertPoint::Before(inst), WHOLE);
    let whole = b.load(*path);
    let picks: Vec<u8> = (0..count).map(|at| if mask >> at & 1 == 1 { count + at } else { at }).collect();
    let shuffle =
        InstData::new(VectorOp::Shuffle, ty, &[whole, *value]).with(Key::Components, pack_components(&picks));
    let changed = b.emit_with(shuffle);
    b.finish()?;
    ed.rewrite(inst, InstData::new(MemoryOp::Store, ValueType::Void, &[*path, changed]), WHOLE)
}

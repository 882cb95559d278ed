//! Rewrites accesses for variables that contain only the kept parts.

use super::levels::{Kept, Shrunk};
use crate::util::split_vars::VarStep;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, VectorOp, Width};
use vitrine_ir::{Args, Attrs, Editor, InsertPoint, Inst, InstData, Len, Reason, Refusal, Type, TypeData};

const WHY: Reason = Reason::Note("only this part of the variable is both written and read");

/// Rewrites all accesses to some variables. Linear.
pub(super) fn rewrite(ed: &mut Editor<'_>, group: &[Shrunk]) -> Result<(), Refusal> {
    for shrunk in group {
        for (steps, &(user, _)) in shrunk.paths.ends.iter().zip(&shrunk.paths.users) {
            // A copy may refer to both sides.
            if !ed.is_placed(user) {
                continue;
            }
            match (shrunk.is_removed(steps), shrunk.components_left(steps)) {
                (true, _) => drop_access(ed, user)?,
                (false, Some(components)) => cut_access(ed, user, &components)?,
                (false, None) => {}
            }
        }
    }
    for shrunk in group {
        shrunk.rewrite_paths(ed)?;
    }
    Ok(())
}

/// Removes an access: its result is undefined.
fn drop_access(ed: &mut Editor<'_>, user: Inst) -> Result<(), Refusal> {
    let data = ed.func().inst(user);
    match data.op {
        Op::Memory(MemoryOp::Load) => {
            let undef = InstData::new(BasicOp::Undef, data.ty, &[]);
            ed.rewrite(user, undef, WHY)
        }
        _ => ed.erase(user, WHY),
    }
}

/// Restricts an access to a whole vector to some of its components.
fn cut_access(ed: &mut Editor<'_>, user: Inst, components: &[u8]) -> Result<(), Refusal> {
    let data = ed.func().inst(user).clone();
    let count = components.len() as u8;
    let picked = |value: Inst, ty| {
        InstData::new(VectorOp::Swizzle, ty, &[value]).with(Key::Components, pack_components(components))
    };
    match (data.op, &data.args[..]) {
        (Op::Memory(MemoryOp::Load), _) => {
            let narrow = InstData { ty: data.ty.with_components(count), ..data.clone() };
            let narrow = InstData { attrs: narrow.attrs.without(Key::Align), ..narrow };
            let value = ed.insert(InsertPoint::Before(user), narrow, WHY)?;
            let place =
                |component: u8| components.iter().position(|&kept| kept == component).unwrap_or(0) as u8;
            let places: Vec<u8> = (0..data.ty.components()).map(place).collect();
            let wide = match count {
                1 => InstData::new(VectorOp::Splat, data.ty, &[value]),
                _ => InstData::new(VectorOp::Swizzle, data.ty, &[value])
                    .with(Key::Components, pack_components(&places)),
            };
            ed.rewrite(user, wide, WHY)
        }
        (Op::Memory(MemoryOp::Store), &[to, value]) => {
            let all = (1u64 << count) - 1;
            let before = data.attrs.get(Key::Mask).unwrap_or(u64::MAX);
            let bits = components.iter().enumerate().map(|(at, &component)| (before >> component & 1) << at);
            let mask = bits.fold(0, |mask, bit| mask | bit);
            if mask == 0 {
                return ed.erase(user, WHY);
            }
            let ty = ed.func().ty(value).with_components(count);
            let narrow = ed.insert(InsertPoint::Before(user), picked(value, ty), WHY)?;
            let attrs = data.attrs.without(Key::Mask).without(Key::Align);
            let attrs = if mask == all { attrs } else { attrs.with(Key::Mask, mask) };
            ed.rewrite(user, InstData { args: Args::new(&[to, narrow]), attrs, ..data }, WHY)
        }
        _ => Ok(()),
    }
}

impl Shrunk {
    /// The kept components of the vector that a path refers to, if they are not all.
    fn components_left(&self, steps: &[VarStep]) -> Option<Vec<u8>> {
        match self.kept.get(steps.len()) {
            Some(&(Kept::Components(mask), true)) => {
                Some((0..16).filter(|&component| mask >> component & 1 == 1).collect())
            }
            Some((Kept::Components(_), false) | (Kept::First(_), _)) | None => None,
        }
    }

    /// Rebases paths on the smaller variable, and removes unused ones.
    fn rewrite_paths(&self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        for (path, _) in self.paths.paths.iter().rev() {
            if ed.use_count(*path) == 0 {
                ed.erase(*path, WHY)?;
            }
        }
        if self.paths.paths.iter().all(|&(path, _)| !ed.is_placed(path)) {
            return Ok(());
        }
        let name = ed.module().var(self.var).and_then(|data| data.name);
        let ty = self.new_type(ed);
        let var = ed.add_local(name, ty, None, Attrs::None);
        for (path, steps) in &self.paths.paths {
            if !ed.is_placed(*path) {
                continue;
            }
            let Some((last, before)) = steps.split_last() else {
                let root = ed.func().inst(*path).clone().with(Key::Var, var.index() as u64);
                ed.rewrite(*path, root, WHY)?;
                continue;
            };
            if let (VarStep::Known(component), Some(components)) = (last, self.components_left(before)) {
                self.step_to_component(ed, *path, *component, &components)?;
            }
        }
        Ok(())
    }

    /// Replaces the component index of a path by its new index.
    fn step_to_component(
        &self,
        ed: &mut Editor<'_>,
        path: Inst,
        component: u32,
        components: &[u8],
    ) -> Result<(), Refusal> {
        let Some(&base) = ed.func().inst(path).args.first() else { return Ok(()) };
        if components.len() == 1 {
            return ed.replace(path, base, WHY);
        }
        let place = components.iter().position(|&kept| u32::from(kept) == component).unwrap_or(0);
        if place == component as usize {
            return Ok(());
        }
        let index = ed.int(Width::W32, place as i64);
        let index = ed.insert(InsertPoint::Before(path), index, WHY)?;
        let data = ed.func().inst(path);
        let step = InstData::new(DerefOp::Elem, data.ty, &[base, index]);
        ed.rewrite(path, step, WHY)
    }

    /// The type of the kept part.
    fn new_type(&self, ed: &mut Editor<'_>) -> Type {
        let Some(&leaf) = self.types.last() else { return Type::from_index(0) };
        let (mut ty, mut changed) = (leaf, false);
        for (&old, &(kept, less)) in self.types.iter().zip(&self.kept).rev() {
            let inside = changed;
            changed |= less;
            if !changed {
                ty = old;
                continue;
            }
            ty = match (kept, ed.module().type_of(old).clone()) {
                (Kept::Components(mask), _) if mask.count_ones() == 1 => leaf,
                (Kept::Components(mask), _) => {
                    ed.full_type(TypeData::Vector { of: leaf, components: mask.count_ones() as u8 })
                }
                (Kept::First(count), TypeData::Array { stride, .. }) => {
                    let stride = if inside { 0 } else { stride };
                    ed.full_type(TypeData::Array { of: ty, len: Len::Count(count), stride })
                }
                // Columns, one after the other.
                (Kept::First(count), _) => {
                    ed.full_type(TypeData::Array { of: ty, len: Len::Count(count), stride: 0 })
                }
            };
        }
        ty
    }
}

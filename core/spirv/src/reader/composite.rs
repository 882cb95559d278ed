//! Composites: since a composite is its leaves, most of this only selects leaves.

use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{BasicOp, IntOp, Key, ValueType, VectorOp};
use vitrine_ir::{Inst, InstData, Type, TypeData};

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction about composites or components. None if it is another one.
    pub(super) fn composite(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        Some(match op {
            S::CompositeConstruct => self.construct(inst),
            S::CompositeExtract => self.extract(inst),
            S::CompositeInsert => self.insert(inst),
            S::CopyObject => self.copy_object(inst),
            S::CopyLogical => self.copy_logical(inst),
            S::Select => self.select(inst),
            S::VectorShuffle => self.shuffle(inst),
            S::VectorExtractDynamic => self.extract_dynamic(inst),
            S::VectorInsertDynamic => self.insert_dynamic(inst),
            _ => return None,
        })
    }

    fn construct(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let mut leaves = Vec::with_capacity(inst.words.len());
        for &id in inst.rest(3) {
            let value = self.value(id, inst)?;
            leaves.extend_from_slice(self.leaves(&value.val));
        }
        if let Some(value @ ValueType::Bits { .. }) = self.r.module.value_type(ty) {
            let components: usize = leaves.iter().map(|&leaf| self.ty(leaf).components() as usize).sum();
            let same = leaves.iter().all(|&leaf| self.ty(leaf).width() == value.width());
            if !same || components != value.components() as usize {
                return self.mismatch(inst, "has a number of components that differs from its result");
            }
            let all_one = leaves.len() > 1 && leaves.iter().all(|&leaf| leaf == leaves[0]);
            let vector = match leaves[..] {
                [one] => one,
                _ if all_one && self.ty(leaves[0]).components() == 1 => {
                    self.splat(leaves[0], value.components())
                }
                _ => self.vector(&leaves),
            };
            self.set(inst.word(2), ty, Val::One(vector));
            return Some(());
        }
        let list = self.leaves_of(ty, inst)?;
        let leaves: Vec<Inst> = if list.len() == leaves.len() {
            leaves.into_iter().zip(&list).map(|(leaf, wanted)| self.leaf_as(leaf, wanted.ty)).collect()
        } else {
            self.columns_of_scalars(ty, &leaves).unwrap_or_default()
        };
        if leaves.len() != list.len()
            || leaves.iter().zip(&list).any(|(&leaf, wanted)| self.ty(leaf) != wanted.value)
        {
            return self.mismatch(inst, "has members that do not match its result type");
        }
        let val = self.pack(&leaves);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    /// Matrices may be constructed from scalars in some dialects.
    fn columns_of_scalars(&mut self, ty: Type, leaves: &[Inst]) -> Option<Vec<Inst>> {
        let TypeData::Matrix { column, columns, .. } = *self.r.module.type_of(ty) else { return None };
        let rows = self.r.module.element_count(column)? as usize;
        if leaves.len() != rows * columns as usize
            || leaves.iter().any(|&leaf| self.ty(leaf).components() != 1)
        {
            return None;
        }
        Some(leaves.chunks(rows).map(|column| self.vector(column)).collect())
    }

    /// The part that literal indices select: its leaves within the whole, its type, and a component if the
    /// last index selects one.
    fn locate(&mut self, ty: Type, indices: &[u32]) -> Option<(u32, u32, Type, Option<u8>)> {
        let (mut start, mut len, mut at) = (0, self.r.leaf_count(ty)?, ty);
        for (number, &index) in indices.iter().enumerate() {
            if let TypeData::Vector { of, components } = *self.r.module.type_of(at) {
                let last = number + 1 == indices.len();
                return (last && index < u32::from(components)).then_some((
                    start,
                    len,
                    of,
                    Some(index as u8),
                ));
            }
            let (offset, inner, part) = self.r.part(at, index)?;
            (start, len, at) = (start + offset, inner, part);
        }
        Some((start, len, at, None))
    }

    fn extract(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let whole = self.value(inst.word(3), inst)?;
        let Some((start, len, part, component)) = self.locate(whole.ty?, inst.rest(4)) else {
            return self.mismatch(inst, "has an index out of range");
        };
        let part = self.r.module.value_type(part);
        if part.is_some() && part != self.r.module.value_type(ty) {
            return self.mismatch(inst, "selects a part whose type is not its result type");
        }
        let val = match (self.slice(whole.val, start, len), component) {
            (Val::One(vector), Some(component)) => Val::One(self.swizzle(vector, &[component])),
            (val, _) => val,
        };
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn insert(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let object = self.value(inst.word(3), inst)?;
        let whole = self.value(inst.word(4), inst)?;
        let Some((start, len, part, component)) = self.locate(whole.ty?, inst.rest(5)) else {
            return self.mismatch(inst, "has an index out of range");
        };
        let mut leaves = self.leaves(&whole.val).to_vec();
        self.afford(leaves.len(), inst)?;
        let new = self.leaves(&object.val).to_vec();
        let (start, len) = (start as usize, len as usize);
        let range = leaves.get_mut(start..start + len)?;
        match (component, &new[..]) {
            (Some(component), &[scalar]) => {
                let vector = range[0];
                if self.r.module.value_type(part) != Some(self.ty(scalar)) {
                    return self.mismatch(inst, "inserts a value of the wrong type");
                }
                range[0] = self.insert_component(vector, scalar, component);
            }
            (None, new) if new.len() == range.len() => range.copy_from_slice(new),
            _ => return self.mismatch(inst, "inserts a value of the wrong type"),
        }
        let list = self.leaves_of(ty, inst)?;
        if list.len() != leaves.len()
            || leaves.iter().zip(&list).any(|(&leaf, wanted)| self.ty(leaf) != wanted.value)
        {
            return self.mismatch(inst, "inserts a value of the wrong type");
        }
        let leaves: Vec<Inst> =
            leaves.into_iter().zip(&list).map(|(leaf, wanted)| self.leaf_as(leaf, wanted.ty)).collect();
        let val = self.pack(&leaves);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn insert_component(&mut self, vector: Inst, scalar: Inst, component: u8) -> Inst {
        let ty = self.ty(vector);
        let components = ty.components();
        if components > 15 {
            let index = self.number(u32::from(component));
            return self.op(VectorOp::Insert, ty, &[vector, scalar, index]);
        }
        let picked: Vec<u8> =
            (0..components).map(|at| if at == component { components } else { at }).collect();
        let data = InstData::new(VectorOp::Shuffle, ty, &[vector, scalar]);
        self.put(data.with(Key::Components, pack_components(&picked)))
    }

    fn copy_object(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let value = self.value(inst.word(3), inst)?;
        if value.ty != Some(ty) {
            return self.mismatch(inst, "copies a value whose type is not its result type");
        }
        let leaves = self.leaves(&value.val).to_vec();
        self.afford(leaves.len(), inst)?;
        let copies: Vec<Inst> = leaves
            .into_iter()
            .map(|leaf| {
                let copy = self.op(BasicOp::Copy, self.ty(leaf), &[leaf]);
                if let Some(&at) = self.paths.get(&leaf) {
                    self.paths.insert(copy, at);
                }
                copy
            })
            .collect();
        let val = self.pack(&copies);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn copy_logical(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let value = self.value(inst.word(3), inst)?;
        let list = self.leaves_of(ty, inst)?;
        let leaves = self.leaves(&value.val).to_vec();
        if leaves.len() != list.len()
            || leaves.iter().zip(&list).any(|(&leaf, wanted)| self.ty(leaf) != wanted.value)
        {
            return self.mismatch(inst, "copies a value that does not match its result type");
        }
        self.set(inst.word(2), ty, value.val);
        Some(())
    }

    fn select(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let cond = self.bits(inst.word(3), inst)?;
        let (a, b) = (self.value(inst.word(4), inst)?, self.value(inst.word(5), inst)?);
        let list = self.leaves_of(ty, inst)?;
        let (a, b) = (self.leaves(&a.val).to_vec(), self.leaves(&b.val).to_vec());
        if a.len() != list.len()
            || b.len() != list.len()
            || self.ty(cond).width() != Some(vitrine_ir::ops::Width::W1)
        {
            return self.mismatch(inst, "selects between values of the wrong types");
        }
        let mut chosen = Vec::with_capacity(list.len());
        for ((a, b), leaf) in a.into_iter().zip(b).zip(&list) {
            let (a, b) = (self.leaf_as(a, leaf.ty), self.leaf_as(b, leaf.ty));
            let components = self.ty(cond).components();
            let op = match leaf.value {
                ValueType::Bits { components: wanted, .. } if wanted == components => IntOp::Select.into(),
                ValueType::Bits { .. } if components == 1 => vitrine_ir::ops::Op::from(IntOp::Select1),
                ValueType::Path | ValueType::Ptr | ValueType::Handle if components == 1 => {
                    BasicOp::Choose.into()
                }
                _ => return self.mismatch(inst, "has a condition with the wrong number of components"),
            };
            if self.ty(a) != leaf.value || self.ty(b) != leaf.value {
                return self.mismatch(inst, "selects between values of the wrong types");
            }
            let result = self.op(op, leaf.value, &[cond, a, b]);
            if let Some(&at) = self.paths.get(&a) {
                self.paths.insert(result, at);
            }
            chosen.push(result);
        }
        let val = self.pack(&chosen);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn shuffle(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (a, b) = (self.bits(inst.word(3), inst)?, self.bits(inst.word(4), inst)?);
        let (of_a, of_b) = (u32::from(self.ty(a).components()), u32::from(self.ty(b).components()));
        let same_width = self.ty(a).width() == value.width() && self.ty(b).width() == value.width();
        let wanted: Vec<u32> =
            inst.rest(5).iter().map(|&component| if component == u32::MAX { 0 } else { component }).collect();
        if wanted.len() != value.components() as usize
            || wanted.iter().any(|&component| component >= of_a + of_b)
            || !same_width
        {
            return self.mismatch(inst, "selects components that do not exist");
        }
        let defined = || inst.rest(5).iter().filter(|&&component| component != u32::MAX);
        let result = if defined().all(|&component| component < of_a) {
            let components: Vec<u8> = wanted.iter().map(|&component| component as u8).collect();
            self.swizzle(a, &components)
        } else if defined().all(|&component| component >= of_a) {
            let components: Vec<u8> =
                wanted.iter().map(|&component| component.saturating_sub(of_a) as u8).collect();
            self.swizzle(b, &components)
        } else if of_a + of_b <= 16 {
            let components: Vec<u8> = wanted.iter().map(|&component| component as u8).collect();
            let data = InstData::new(VectorOp::Shuffle, value, &[a, b]);
            self.put(data.with(Key::Components, pack_components(&components)))
        } else {
            let parts: Vec<Inst> = wanted
                .iter()
                .map(|&component| {
                    if component < of_a {
                        self.component(a, component as u8)
                    } else {
                        self.component(b, (component - of_a) as u8)
                    }
                })
                .collect();
            self.vector(&parts)
        };
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    fn extract_dynamic(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (from, index) = (self.bits(inst.word(3), inst)?, self.bits(inst.word(4), inst)?);
        self.checked(VectorOp::Extract, value, &[from, index], ty, inst)
    }

    fn insert_dynamic(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (into, component) = (self.bits(inst.word(3), inst)?, self.bits(inst.word(4), inst)?);
        let index = self.bits(inst.word(5), inst)?;
        self.checked(VectorOp::Insert, value, &[into, component, index], ty, inst)
    }
}

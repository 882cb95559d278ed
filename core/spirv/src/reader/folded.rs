//! Constants computed from specialization constants (`OpSpecConstantOp`).

use super::collect::Reader;
use super::tables::ConstantData;
use super::words::{Instruction, Words};
use super::{arith, diagnostics};
use crate::spec::Op as S;
use std::rc::Rc;
use vitrine_ir::ops::{Bits, Op, ValueType, VectorOp, Width};
use vitrine_ir::{GlobalValue, Operand, Type, TypeData};

impl Reader<'_> {
    /// Computes an `OpSpecConstantOp`.
    pub(super) fn folded(&mut self, ty: Type, inst: Instruction<'_>) -> Option<ConstantData> {
        let op = S::from_u32(inst.word(3));
        let data = match op {
            Some(S::CompositeExtract) => self.folded_extract(inst),
            Some(S::CompositeInsert) => self.folded_insert(inst),
            Some(S::VectorShuffle) => self.folded_shuffle(ty, inst),
            Some(S::CopyObject) => Some(self.constants.get(self.constants.find(inst.word(4))?).data.clone()),
            Some(op) => self.folded_op(op, ty, inst),
            None => None,
        };
        if data.is_none() {
            let name = diagnostics::opcode(inst.word(3) as u16);
            let message =
                format!("computes {name}, which is not arithmetic or has operands of the wrong types");
            self.error(diagnostics::BEYOND, inst, message, "use arithmetic, selection or extraction");
        }
        data
    }

    fn folded_op(&mut self, op: S, ty: Type, inst: Instruction<'_>) -> Option<ConstantData> {
        let result = self.module.value_type(ty)?;
        let operands: Option<Vec<Operand>> =
            inst.rest(4).iter().map(|&id| self.constant_operand(id)).collect();
        let mut operands = operands?;
        let types: Option<Vec<ValueType>> =
            operands.iter().map(|&arg| self.module.operand_type(arg)).collect();
        let types = types?;
        let op: Op = match op {
            S::Bitcast if types.first() == Some(&result) => {
                return Some(self.constants.get(self.constants.find(inst.word(4))?).data.clone());
            }
            S::Bitcast => VectorOp::Repack.into(),
            op => arith::plain(op)?,
        };
        // A scalar condition selects whole vectors.
        let op = match (op, types.first()) {
            (Op::Int(vitrine_ir::ops::IntOp::Select), Some(&ValueType::BOOL)) if result.components() > 1 => {
                vitrine_ir::ops::IntOp::Select1.into()
            }
            (op, _) => op,
        };
        op.info().meaning?;
        op.info().check(result, &types).ok()?;
        let args = std::mem::take(&mut operands).into();
        Some(ConstantData::Global(self.add_global(inst.word(2), GlobalValue::Op { op, ty: result, args })))
    }

    /// Follows literal indices into a constant; stops at a vector.
    fn folded_extract(&mut self, inst: Instruction<'_>) -> Option<ConstantData> {
        let mut at = self.constants.find(inst.word(4))?;
        for &index in inst.rest(5) {
            at = self.constant_part(at, index)?;
        }
        Some(self.constants.get(at).data.clone())
    }

    /// Constituent `index` of the constant at an index of the table.
    fn constant_part(&mut self, at: u32, index: u32) -> Option<u32> {
        let entry = self.constants.get(at).clone();
        let part_type = match self.module.type_of(entry.ty) {
            TypeData::Struct(id) => self.module.structure(*id)?.members.get(index as usize)?.ty,
            _ => {
                let inside = self.module.element_count(entry.ty).is_some_and(|count| index < count);
                self.module.element_type(entry.ty).filter(|_| inside)?
            }
        };
        let data = match entry.data {
            ConstantData::Parts(parts) => return parts.get(index as usize).copied(),
            ConstantData::Bits(bits) => {
                let component = Bits::scalar(self.module.bits_of(bits).component(index as usize));
                ConstantData::Bits(self.module.bits(component))
            }
            ConstantData::Global(global) => {
                let part = match &self.module.global(global)?.value {
                    GlobalValue::Parts(_, parts) => parts.get(index as usize).copied(),
                    _ => None,
                };
                match part {
                    Some(Operand::Bits(bits)) => ConstantData::Bits(bits),
                    Some(Operand::Global(part)) => ConstantData::Global(part),
                    None => {
                        let ty = self.module.value_type(part_type)?;
                        let number = self.module.bits(Bits::from_components(Width::W32, &[u64::from(index)]));
                        let args: Rc<[Operand]> = [Operand::Global(global), Operand::Bits(number)].into();
                        let op = VectorOp::Extract.into();
                        ConstantData::Global(self.add_global(0, GlobalValue::Op { op, ty, args }))
                    }
                }
            }
            ConstantData::Null => match self.module.value_type(part_type) {
                Some(ValueType::Bits { width, components }) => {
                    ConstantData::Bits(self.module.bits(Bits::zero(width, components)))
                }
                _ => ConstantData::Null,
            },
            ConstantData::Undef => ConstantData::Undef,
            ConstantData::Opaque(_) => return None,
        };
        Some(self.constants.add(0, part_type, data))
    }

    fn folded_insert(&mut self, inst: Instruction<'_>) -> Option<ConstantData> {
        let object = self.constants.find(inst.word(4))?;
        let mut outer = vec![self.constants.find(inst.word(5))?];
        let indices = inst.rest(6);
        for &index in indices.split_last()?.1 {
            outer.push(self.constant_part(*outer.last()?, index)?);
        }
        let mut new = self.constants.get(object).data.clone();
        let mut new_type = self.constants.get(object).ty;
        for (&whole, &index) in outer.iter().zip(indices).rev() {
            let ty = self.constants.get(whole).ty;
            let count = match self.module.type_of(ty) {
                TypeData::Struct(id) => self.module.structure(*id)?.members.len() as u32,
                _ => self.module.element_count(ty)?,
            };
            if index >= count || count > super::tables::MOST_LEAVES {
                return None;
            }
            self.budget = self.budget.checked_sub(count as usize)?;
            let inserted = self.constants.add(0, new_type, new);
            let mut parts = Vec::with_capacity(count as usize);
            for at in 0..count {
                parts.push(if at == index { inserted } else { self.constant_part(whole, at)? });
            }
            new = self.parts(ty, parts, inst)?;
            new_type = ty;
        }
        Some(new)
    }

    fn folded_shuffle(&mut self, ty: Type, inst: Instruction<'_>) -> Option<ConstantData> {
        let (a, b) = (self.constants.find(inst.word(4))?, self.constants.find(inst.word(5))?);
        let components = self.module.element_count(self.constants.get(a).ty)?;
        let mut parts = Vec::new();
        for &component in inst.rest(6) {
            let (of, component) = match component {
                u32::MAX => (a, 0),
                component if component < components => (a, component),
                component => (b, component - components),
            };
            parts.push(self.constant_part(of, component)?);
        }
        self.parts(ty, parts, inst)
    }
}

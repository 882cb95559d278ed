//! Constants: bits if they are known, module constants if they can be specialized.
//!
//! An aggregate is a list of constants. It becomes a module constant only if a use needs it as a whole: an
//! initializer, or a decoration such as the one that makes it the workgroup size.

use super::collect::Reader;
use super::diagnostics;
use super::tables::ConstantData;
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use std::rc::Rc;
use vitrine_ir::ops::{Bits, Scope, ValueType, Width};
use vitrine_ir::{Const, DecorTarget, Global, GlobalData, GlobalValue, Operand, Type, TypeData};

impl Reader<'_> {
    /// Makes module constants of aggregates that are decorated.
    pub(super) fn declare_constants(&mut self) {
        for at in 0..self.constants.entries.len() as u32 {
            let entry = self.constants.get(at);
            let (id, aggregate) = (entry.id, matches!(entry.data, ConstantData::Parts(_)));
            if id != 0 && aggregate && !self.decorations_of(id).is_empty() {
                self.operand_of(at);
            }
        }
    }

    /// Reads a constant. Constants that are lengths of arrays come between the types.
    pub(super) fn declare_constant(&mut self, offset: u32) {
        let Some(inst) = self.at(offset) else { return };
        let Some(op) = S::from_u32(u32::from(inst.opcode)) else { return };
        let (type_id, id) = (inst.word(1), inst.word(2));
        let Some(ty) = self.type_of_id(type_id, inst) else { return };
        let data = match op {
            S::ConstantTrue | S::ConstantFalse | S::SpecConstantTrue | S::SpecConstantFalse => {
                let truth = matches!(op, S::ConstantTrue | S::SpecConstantTrue);
                if *self.module.type_of(ty) != TypeData::Bool {
                    self.error(
                        diagnostics::CONSTANTS,
                        inst,
                        "is not of a boolean type",
                        "declare it as `OpTypeBool`",
                    );
                    return;
                }
                let bits = self.module.bits(Bits::from_components(Width::W1, &[u64::from(truth)]));
                self.maybe_spec(op, id, bits)
            }
            S::Constant | S::SpecConstant => match self.number(ty, inst) {
                Some(bits) => {
                    let bits = self.module.bits(bits);
                    self.maybe_spec(op, id, bits)
                }
                None => {
                    let message =
                        format!("has the type %{type_id}, which is not a numeric type, or has too few words");
                    return self.error(
                        diagnostics::CONSTANTS,
                        inst,
                        message,
                        "a 64-bit number has two words, any other has one",
                    );
                }
            },
            S::ConstantNull => match self.module.value_type(ty) {
                Some(ValueType::Bits { width, components }) => {
                    ConstantData::Bits(self.module.bits(Bits::zero(width, components)))
                }
                _ => ConstantData::Null,
            },
            S::Undef => ConstantData::Undef,
            S::ConstantComposite | S::SpecConstantComposite => match self.composite(ty, inst) {
                Some(data) => data,
                None => return,
            },
            S::SpecConstantOp => match self.folded(ty, inst) {
                Some(data) => data,
                None => return,
            },
            S::ConstantSampler => ConstantData::Opaque(offset),
            _ => {
                return self.error(
                    diagnostics::BEYOND,
                    inst,
                    "is a constant that the IR cannot express",
                    "use plain constants",
                );
            }
        };
        if self.constants.find(id).is_none() {
            let at = self.constants.add(id, ty, data);
            self.constants.by_id.insert(id, at + 1);
        }
    }

    fn maybe_spec(&mut self, op: S, id: u32, bits: Const) -> ConstantData {
        if matches!(op, S::ConstantTrue | S::ConstantFalse | S::Constant) {
            return ConstantData::Bits(bits);
        }
        ConstantData::Global(self.add_global(id, GlobalValue::Spec(bits)))
    }

    /// Declares a module constant with name and attributes of an id.
    pub(super) fn add_global(&mut self, id: u32, value: GlobalValue) -> Global {
        let name = self.name(id);
        let global =
            self.module.add_global(GlobalData { name, value: value.clone(), attrs: Default::default() });
        if id != 0 && !self.decorations_of(id).is_empty() {
            let attrs = self.attrs(id, 0, Some(DecorTarget::Global(global)));
            self.module.set_global(global, GlobalData { name, value, attrs });
        }
        global
    }

    fn number(&self, ty: Type, inst: Instruction<'_>) -> Option<Bits> {
        let (TypeData::Int { width, .. } | TypeData::Float { width }) = *self.module.type_of(ty) else {
            return None;
        };
        let high = if width == Width::W64 { u64::from(*inst.words.get(4)?) << 32 } else { 0 };
        Some(Bits::from_components(width, &[u64::from(inst.word(3)) | high]))
    }

    fn composite(&mut self, ty: Type, inst: Instruction<'_>) -> Option<ConstantData> {
        let mut parts = Vec::with_capacity(inst.words.len());
        for &id in inst.rest(3) {
            match self.constants.find(id) {
                Some(part) => parts.push(part),
                None => {
                    let message =
                        format!("has the constituent %{id}, which is not a constant declared before it");
                    self.error(
                        diagnostics::CONSTANTS,
                        inst,
                        message,
                        "declare its constituents first, as constants",
                    );
                    return None;
                }
            }
        }
        let data = self.parts(ty, parts, inst)?;
        // The vector that is the workgroup size must be found by its decoration.
        match data {
            ConstantData::Bits(_) if !self.decorations_of(inst.word(2)).is_empty() => {
                let operands = inst.rest(3).iter().filter_map(|&id| self.constant_operand(id)).collect();
                Some(ConstantData::Global(self.add_global(inst.word(2), GlobalValue::Parts(ty, operands))))
            }
            data => Some(data),
        }
    }

    /// A constant with these constituents.
    pub(super) fn parts(&mut self, ty: Type, parts: Vec<u32>, inst: Instruction<'_>) -> Option<ConstantData> {
        let wanted = match self.module.type_of(ty) {
            TypeData::Struct(id) => self.module.structure(*id).map(|data| data.members.len() as u32),
            _ => self.module.element_count(ty),
        };
        let members = match self.module.type_of(ty) {
            TypeData::Struct(id) => self.module.structure(*id).map(|data| data.members.clone()),
            _ => None,
        };
        let element = self.module.element_type(ty);
        let fits = wanted == Some(parts.len() as u32)
            && parts.iter().enumerate().all(|(at, &part)| {
                let given = self.constants.get(part).ty;
                let wanted =
                    members.as_ref().and_then(|members| members.get(at)).map(|member| member.ty).or(element);
                wanted == Some(given) || wanted.is_some_and(|wanted| self.alike(wanted, given))
            });
        if !fits {
            self.error(
                diagnostics::CONSTANTS,
                inst,
                "has constituents that do not match its type",
                "use one constituent for each member",
            );
            return None;
        }
        if !matches!(self.module.type_of(ty), TypeData::Vector { .. }) {
            return Some(ConstantData::Parts(parts.into()));
        }
        let bits: Option<Vec<Bits>> = parts
            .iter()
            .map(|&part| match self.constants.get(part).data {
                ConstantData::Bits(bits) => Some(self.module.bits_of(bits)),
                _ => None,
            })
            .collect();
        match bits {
            Some(bits) => {
                let components: Vec<_> = bits.iter().map(|bits| bits.component(0)).collect();
                Some(ConstantData::Bits(self.module.bits(Bits::from_scalars(&components))))
            }
            None => {
                let operands = parts.iter().filter_map(|&part| self.operand_of(part)).collect();
                Some(ConstantData::Global(self.add_global(inst.word(2), GlobalValue::Parts(ty, operands))))
            }
        }
    }

    /// Returns true if two types are equal except for the layout of matrices.
    fn alike(&self, a: Type, b: Type) -> bool {
        let (mut a, mut b) = (a, b);
        loop {
            match (self.module.type_of(a), self.module.type_of(b)) {
                (
                    TypeData::Array { of, len, stride },
                    TypeData::Array { of: of_b, len: len_b, stride: stride_b },
                ) => {
                    if (len, stride) != (len_b, stride_b) {
                        return false;
                    }
                    (a, b) = (*of, *of_b);
                }
                (
                    TypeData::Matrix { column, columns, .. },
                    TypeData::Matrix { column: of_b, columns: count_b, .. },
                ) => {
                    return (column, columns) == (of_b, count_b);
                }
                _ => return a == b,
            }
        }
    }

    /// A constant as an operand of another one; an aggregate becomes a module constant.
    pub(super) fn constant_operand(&mut self, id: u32) -> Option<Operand> {
        let at = self.constants.find(id)?;
        self.operand_of(at)
    }

    /// The constant at an index as an operand of another one.
    pub(super) fn operand_of(&mut self, at: u32) -> Option<Operand> {
        let mut work = vec![at];
        while let Some(&at) = work.last() {
            let entry = self.constants.get(at);
            let (id, ty) = (entry.id, entry.ty);
            let value = match &entry.data {
                _ if entry.global.is_some() => None,
                ConstantData::Bits(_) | ConstantData::Global(_) | ConstantData::Opaque(_) => None,
                ConstantData::Null => Some(GlobalValue::Zero(ty)),
                ConstantData::Undef => Some(GlobalValue::Undef(ty)),
                ConstantData::Parts(parts) => {
                    let parts = parts.clone();
                    let before = work.len();
                    work.extend(parts.iter().copied().filter(|&part| self.done(part).is_none()));
                    if work.len() > before {
                        // A constituent without an operand would be looked up for every use.
                        if work[before..]
                            .iter()
                            .any(|&part| matches!(self.constants.get(part).data, ConstantData::Opaque(_)))
                        {
                            return None;
                        }
                        continue;
                    }
                    let operands: Option<Rc<[Operand]>> = parts.iter().map(|&part| self.done(part)).collect();
                    Some(GlobalValue::Parts(ty, operands?))
                }
            };
            if let Some(value) = value {
                let global = self.add_global(id, value);
                self.constants.entries[at as usize].global = Some(global);
            }
            work.pop();
        }
        self.done(at)
    }

    fn done(&self, at: u32) -> Option<Operand> {
        let entry = self.constants.get(at);
        match entry.data {
            ConstantData::Bits(bits) => Some(Operand::Bits(bits)),
            ConstantData::Global(global) => Some(Operand::Global(global)),
            _ => entry.global.map(Operand::Global),
        }
    }

    /// The scope that a constant names. Scopes have the same numbers in SPIR-V and in the IR.
    pub(super) fn scope_of(&self, id: u32) -> Option<Scope> {
        Scope::from_number(self.number_of(id)?)
    }

    /// The value of an integer constant, without later specialization.
    pub(super) fn number_of(&self, id: u32) -> Option<u64> {
        let bits = match self.constants.get(self.constants.find(id)?).data {
            ConstantData::Bits(bits) => bits,
            ConstantData::Global(global) => match self.module.global(global)?.value {
                GlobalValue::Spec(bits) => bits,
                _ => return None,
            },
            _ => return None,
        };
        self.module.bits_of(bits).components().first().copied()
    }
}

//! The full type of a path: the type and mode it points at, derived from its steps.

use super::{FuncBody, GlobalValue, Inst, Len, Mode, Module, Operand, Type, TypeData};
use crate::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, ValueType};

/// The target of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PathType {
    /// Type in memory.
    pub ty: Type,
    /// Mode of the variable.
    pub mode: Mode,
}

impl Module {
    /// The target of a path, given the targets of the paths among its operands. Each step depends on its
    /// operands only, so that a traversal in definition order takes constant time per step; see `path_type`
    /// for a single query.
    ///
    /// `None` if the step does not fit its base; the validator reports that at the step.
    pub fn path_step(
        &self,
        func: &FuncBody,
        inst: Inst,
        of: impl Fn(Inst) -> Option<PathType>,
    ) -> Option<PathType> {
        let data = func.inst(inst);
        let reported = || {
            let ty: Type = data.entity(Key::Type)?;
            Some(PathType { ty, mode: Mode::from_number(data.attrs.get(Key::Mode)?)? })
        };
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let var = self.var(data.entity(Key::Var)?).filter(|var| !var.is_untyped())?;
                Some(PathType { ty: var.ty, mode: var.mode })
            }
            Op::Deref(DerefOp::Field) => {
                let base = of(*data.args.first()?)?;
                let TypeData::Struct(structure) = self.type_of(base.ty) else { return None };
                let at = usize::try_from(data.attrs.get(Key::Field)?).ok()?;
                Some(PathType { ty: self.structure(*structure)?.members.get(at)?.ty, ..base })
            }
            Op::Deref(DerefOp::Elem | DerefOp::All) => {
                let base = of(*data.args.first()?)?;
                Some(PathType { ty: self.element_type(base.ty)?, ..base })
            }
            Op::Deref(DerefOp::Step) => of(*data.args.first()?),
            Op::Deref(DerefOp::Cast | DerefOp::FromBits) => reported(),
            Op::Memory(MemoryOp::Load) => match of(*data.args.first()?).map(|from| self.type_of(from.ty)) {
                Some(TypeData::Pointer { mode, to }) => Some(PathType { ty: *to, mode: *mode }),
                Some(_) | None => reported(),
            },
            Op::Basic(BasicOp::Global) => {
                let GlobalValue::Address(var) = self.global(data.entity(Key::Global)?)?.value else {
                    return None;
                };
                let var = self.var(var).filter(|var| !var.is_untyped())?;
                Some(PathType { ty: var.ty, mode: var.mode })
            }
            Op::Basic(BasicOp::Copy) => reported().or_else(|| of(*data.args.first()?)),
            Op::Basic(BasicOp::Choose) => reported().or_else(|| of(*data.args.get(1)?)),
            Op::Basic(BasicOp::Call) => {
                let callee = self.func(data.entity(Key::Func)?)?;
                let ty = callee.attrs().get(Key::Type)?;
                let mode = Mode::from_number(callee.attrs().get(Key::Mode)?)?;
                Some(PathType { ty: crate::base::EntityId::from_index(usize::try_from(ty).ok()?), mode })
            }
            _ => reported(),
        }
    }

    /// The target of a path, found by following its steps back. `O(steps)`; a cycle of steps, which only an
    /// invalid program has, gives `None`.
    pub fn path_type(&self, func: &FuncBody, path: Inst) -> Option<PathType> {
        let mut chain = Vec::new();
        let mut at = path;
        loop {
            if func.tables().insts.get(at)?.ty != ValueType::Path {
                break;
            }
            chain.push(at);
            if chain.len() > func.tables().insts.len() {
                return None;
            }
            let data = func.inst(at);
            let base = match data.op {
                Op::Deref(DerefOp::Field | DerefOp::Elem | DerefOp::All | DerefOp::Step)
                | Op::Memory(MemoryOp::Load) => data.args.first(),
                Op::Basic(BasicOp::Copy) if !data.attrs.has(Key::Type) => data.args.first(),
                Op::Basic(BasicOp::Choose) if !data.attrs.has(Key::Type) => data.args.get(1),
                _ => None,
            };
            let Some(&base) = base else { break };
            at = base;
        }
        let mut found = None;
        for &step in chain.iter().rev() {
            let below = found;
            found = self.path_step(func, step, |_| below);
            found?;
        }
        found
    }

    /// Returns true if a constant is declared to be zero as a whole: bits, or the zero of a type.
    pub fn is_zero(&self, operand: Operand) -> bool {
        match operand {
            Operand::Bits(bits) => {
                let bits = self.bits_of(bits);
                (0..usize::from(bits.ty().components())).all(|at| bits.component(at).as_u64() == 0)
            }
            Operand::Global(global) => {
                self.global(global).is_some_and(|data| matches!(data.value, GlobalValue::Zero(_)))
            }
        }
    }

    /// Type of an element, column or component of `ty`.
    pub fn element_type(&self, ty: Type) -> Option<Type> {
        match self.type_of(ty) {
            TypeData::Vector { of, .. } | TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => {
                Some(*of)
            }
            TypeData::Matrix { column, .. } => Some(*column),
            _ => None,
        }
    }

    /// Type of part `at` of an aggregate constant, as a value: a member, an element, a column, a component.
    pub fn part_type(&self, ty: Type, at: usize) -> Option<ValueType> {
        let part = match self.type_of(ty) {
            TypeData::Struct(structure) => self.structure(*structure)?.members.get(at)?.ty,
            _ => self.element_type(ty)?,
        };
        self.value_type(part)
    }

    /// Number of elements, columns or components of `ty`, if it is known.
    pub fn element_count(&self, ty: Type) -> Option<u32> {
        match self.type_of(ty) {
            TypeData::Vector { components, .. } => Some(u32::from(*components)),
            TypeData::Matrix { columns, .. } => Some(u32::from(*columns)),
            TypeData::Array { len: Len::Count(count), .. } => Some(*count),
            _ => None,
        }
    }
}

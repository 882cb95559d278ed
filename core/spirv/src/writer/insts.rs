//! Instructions of a block: the part of the writer that each operation belongs to, and the operations of no
//! other part (constants, copies, calls, returns).

use super::diagnostics::{NO_TYPE, SHAPE};
use super::function::FunctionWriter;
use super::shared::{MemoryPlace, Scalar, Slot};
use crate::spec::Op as S;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, Key, Op, ValueType};
use vitrine_ir::{Block, Diag, Func, Global, GlobalValue, Inst};

impl FunctionWriter<'_, '_> {
    /// Writes the instructions of a block.
    pub(super) fn insts(&mut self, block: Block) -> Result<(), Diag> {
        let insts = self.body.block(block).insts.clone();
        let mut at = 0;
        while let Some(&inst) = insts.get(at) {
            let end = at + 1 + self.inst(inst, insts.get(at + 1).copied())?;
            insts.get(at..end).unwrap_or(&[]).iter().for_each(|&inst| self.debug_values(inst));
            at = end;
        }
        Ok(())
    }

    /// Writes an instruction. Returns the number of following instructions that were written with it.
    fn inst(&mut self, inst: Inst, next: Option<Inst>) -> Result<usize, Diag> {
        let op = self.body.inst(inst).op;
        if !matches!(op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef)) {
            self.line(inst);
        }
        self.steps.push((self.code.len(), inst));
        match op {
            Op::Basic(op) => self.basic(inst, op)?,
            Op::Float(_) | Op::Int(_) | Op::Convert(_) => return self.arithmetic(inst, op, next),
            Op::Vector(op) => self.vector_op(inst, op)?,
            Op::Memory(op) => self.memory(inst, op)?,
            Op::Deref(op) => self.deref(inst, op)?,
            Op::Ptr(op) => self.address(inst, op)?,
            Op::Io(op) => self.interface(inst, op)?,
            Op::Group(op) => self.group(inst, op)?,
            Op::Tex(op) => self.image(inst, op)?,
            Op::Reg(op) => self.register(inst, op)?,
            Op::Spirv(_) => self.raw(inst)?,
        }
        Ok(0)
    }

    fn basic(&mut self, inst: Inst, op: BasicOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            BasicOp::Param => {
                return Err(self.refuse(
                    SHAPE,
                    inst,
                    "is a parameter after instructions",
                    "validate the module",
                ));
            }
            BasicOp::Const => {
                if let Some(bits) = data.entity(Key::Const) {
                    self.set(inst, Slot::Const(bits));
                }
            }
            BasicOp::Global => {
                if let Some(global) = data.entity(Key::Global) {
                    if data.ty == ValueType::Path {
                        return self.global_path(inst, global);
                    }
                    self.set(inst, Slot::Global(global));
                }
            }
            BasicOp::Undef => {
                self.set(inst, Slot::Undef);
                if data.ty == ValueType::Path {
                    self.declared_place(inst)?;
                }
                if let (ValueType::Handle, Some(full)) = (data.ty, data.entity(Key::Type)) {
                    self.handles.insert(inst, full);
                }
            }
            BasicOp::Copy => match data.ty {
                ValueType::Bits { .. } => {
                    let scalar = self.scalar_hint(inst);
                    let from = self.id_as(data.args[0], scalar)?;
                    self.define_bits(inst, S::CopyObject, scalar, &[from])?;
                }
                _ => self.copied_object(inst, op)?,
            },
            BasicOp::Choose => self.copied_object(inst, op)?,
            BasicOp::Call => self.call(inst)?,
            BasicOp::Assume => {
                let cond = self.id_as(data.args[0], Scalar::Bool)?;
                self.code.inst(S::AssumeTrueKHR, &[cond]);
            }
            BasicOp::Print => self.print(inst)?,
        }
        Ok(())
    }

    fn global_path(&mut self, inst: Inst, global: Global) -> Result<(), Diag> {
        let GlobalValue::Address(var) = self
            .writer
            .module
            .global(global)
            .map_or(GlobalValue::Spec(EntityId::from_index(0)), |data| data.value.clone())
        else {
            return Err(self.refuse(
                NO_TYPE,
                inst,
                "is not the address of a variable",
                "validate the module",
            ));
        };
        let id = self.writer.var(var)?;
        let ty = self.writer.var_pointer(var)?;
        if let Some(data) = self.writer.module.var(var) {
            self.places.insert(inst, MemoryPlace { ty: data.ty, class: self.writer.class_of_var(var) });
        }
        self.set(inst, Slot::Whole { id, ty });
        Ok(())
    }

    fn call(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(callee) = data.entity::<Func>(Key::Func) else { return Ok(()) };
        let signature = self.writer.signature(callee)?;
        let mut words = vec![self.writer.funcs.get(&callee).copied().unwrap_or(0)];
        for (at, &arg) in data.args.iter().enumerate() {
            words.push(match (self.body.ty(arg), signature.scalars.get(at)) {
                (ValueType::Bits { .. }, Some(&scalar)) => self.id_as(arg, scalar)?,
                _ => self.whole(arg)?.0,
            });
        }
        match data.ty {
            ValueType::Void => {
                self.emit(S::FunctionCall, signature.result, &words);
            }
            ValueType::Bits { .. } => {
                self.define_bits(inst, S::FunctionCall, signature.result_scalar, &words)?;
            }
            _ => {
                let full = self.writer.module.func(callee).and_then(|body| body.attrs().get(Key::Type));
                if data.ty == ValueType::Path {
                    let place = self.writer.result_place(callee);
                    self.places.extend(place.map(|place| (inst, place)));
                } else if let Some(full) = full {
                    self.handles.insert(inst, EntityId::from_index(full as usize));
                }
                self.define_whole(inst, S::FunctionCall, signature.result, &words);
            }
        }
        Ok(())
    }

    fn print(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(format) = data.entity(Key::Text) else { return Ok(()) };
        let set = self.writer.import("NonSemantic.DebugPrintf");
        let mut words = vec![set, 1, self.writer.string(format)];
        for &arg in data.args.iter() {
            words.push(self.id(arg)?);
        }
        let void = self.writer.intern(S::TypeVoid, &[]);
        self.emit(S::ExtInst, void, &words);
        Ok(())
    }

    /// The block of the current function that returns, with its value.
    pub(super) fn return_words(&mut self, value: Option<Inst>) -> Result<(), Diag> {
        let Some(value) = value else {
            self.code.inst(S::Return, &[]);
            return Ok(());
        };
        let signature = self.writer.signature(self.func)?;
        let id = match self.body.ty(value) {
            ValueType::Bits { .. } => self.id_as(value, signature.result_scalar)?,
            _ => self.whole(value)?.0,
        };
        self.code.inst(S::ReturnValue, &[id]);
        Ok(())
    }
}

//! Floats that are exchanged atomically. The functions of HLSL exchange integers, which is the same exchange of bits.
//!
//! Memory of a workgroup is declared as integers, and a buffer is accessed by bytes, which have no kind. Refuses other
//! memory, and memory of a workgroup that is more than numbers and arrays of them, or that a function gets as a parameter.

use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::operands::{PathRoot, root};
use rustc_hash::FxHashSet;
use vitrine_ir::ops::{MemoryOp, Op, Width};
use vitrine_ir::{FuncBody, Inst, Mode, TypeData, Var};

impl ModuleWriter<'_> {
    /// Finds the memory whose floats an atomic exchanges, loads or stores.
    pub(super) fn find_exchanged(&mut self) {
        let mut found: FxHashSet<Var> = FxHashSet::default();
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let is_exchange = matches!(
                    data.op,
                    Op::Memory(MemoryOp::Atomic | MemoryOp::AtomicLoad | MemoryOp::AtomicStore)
                );
                if is_exchange && let Some(var) = self.float_of(body, data.args.first().copied()) {
                    found.insert(var);
                }
            });
        }
        if found.is_empty() {
            return;
        }
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let is_access = |op: MemoryOp| !matches!(op, MemoryOp::CopyVar);
                if matches!(data.op, Op::Deref(_)) || matches!(data.op, Op::Memory(op) if is_access(op)) {
                    return;
                }
                for &arg in data.args.iter().filter(|&&arg| body.ty(arg).is_opaque()) {
                    if let Some(PathRoot::Var(var)) = root(body, arg) {
                        found.remove(&var);
                    }
                }
            });
        }
        self.own.hlsl.exchanged = found;
    }

    /// The variable of a float of 32 bits.
    fn float_of(&self, body: &FuncBody, path: Option<Inst>) -> Option<Var> {
        let Some(PathRoot::Var(var)) = root(body, path?) else { return None };
        let number = self.number_type(self.type_at(body, path?)?)?;
        (number.kind == Kind::Float && number.width == Width::W32).then_some(var)
    }

    /// The integers that memory of a workgroup is declared as instead of floats. `None` for other memory.
    pub(super) fn words_of(&self, var: Var) -> Option<NumberType> {
        let data = self.module.var(var).filter(|data| data.mode == Mode::Shared)?;
        if !self.own.hlsl.exchanged.contains(&var) {
            return None;
        }
        let mut ty = data.ty;
        while let TypeData::Array { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        self.number_type(ty).map(|number| number.with_kind(Kind::Uint))
    }
}

//! How a module uses its resources: what it writes, what it compares, which texels it reads and writes. Found once, before
//! functions are written.

use super::operands::{PathRoot, combined, root};
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{Key, MemoryOp, Op, PtrOp, Role, TexOp};
use vitrine_ir::{FuncBody, Inst, Module, Var};

/// The variables that a module uses, by kind of use.
#[derive(Debug, Default)]
pub(super) struct MemoryUses {
    /// Memory that is written, also by atomics.
    pub(super) written: EntitySet<Var>,
    /// Images and samplers of lookups that compare.
    pub(super) compared: EntitySet<Var>,
    /// Storage images whose texels are read, also by atomics.
    pub(super) read_texels: EntitySet<Var>,
    /// Storage images whose texels are written, also by atomics.
    pub(super) written_texels: EntitySet<Var>,
}

impl MemoryUses {
    /// Finds the uses. Linear in the size of the module.
    pub(super) fn of(module: &Module) -> MemoryUses {
        let mut out = MemoryUses::default();
        for (_, body) in module.funcs() {
            body.for_each_inst(|_, inst| out.add(body, inst));
        }
        out
    }

    fn add(&mut self, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        let of = |arg: Inst| match root(body, arg) {
            Some(PathRoot::Var(var)) => Some(var),
            Some(PathRoot::Param(_)) | None => None,
        };
        let var = |at: usize| data.args.get(at).and_then(|&arg| of(arg));
        let is_write = matches!(
            data.op,
            Op::Memory(
                MemoryOp::Store
                    | MemoryOp::CopyVar
                    | MemoryOp::CopyBytes
                    | MemoryOp::Atomic
                    | MemoryOp::AtomicStore
                    | MemoryOp::AtomicCas
            )
        );
        if let Some(var) = var(0).filter(|_| is_write) {
            self.written.insert(var);
        }
        if let (Op::Ptr(PtrOp::Texel), Some(var)) = (data.op, var(0)) {
            self.read_texels.insert(var);
            self.written_texels.insert(var);
        }
        let Op::Tex(op) = data.op else { return };
        if data.attrs.has(Key::Shadow) {
            let roles = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0));
            let sampler = roles.enumerate().find(|(_, role)| *role == Role::Sampler);
            let mut found = vec![var(0), sampler.and_then(|(at, _)| var(at))];
            found.extend(combined(body, data).into_iter().flatten().map(of));
            for var in found.into_iter().flatten() {
                self.compared.insert(var);
            }
        }
        let texels = match op {
            TexOp::Read => &mut self.read_texels,
            TexOp::Write => &mut self.written_texels,
            _ => return,
        };
        if let Some(var) = var(0) {
            texels.insert(var);
        }
    }
}

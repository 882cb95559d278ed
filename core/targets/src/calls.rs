//! The functions and variables that an entry point reaches, and the functions that only compute.

use super::operands;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, Props, RegOp, TexOp, ValueType};
use vitrine_ir::{Func, FuncBody, InstData, Mode, Module, Terminator, Var};

/// The functions that an entry point reaches, each after those that it calls. A cycle of calls, which only an invalid
/// program has, is cut.
pub(super) fn callees_first(module: &Module, entry: Func) -> Vec<Func> {
    reached(module, vec![(entry, false)])
}

/// The functions that those of `work` reach, each after those that it calls.
fn reached(module: &Module, mut work: Vec<(Func, bool)>) -> Vec<Func> {
    let mut out: Vec<Func> = Vec::new();
    // After inlining, most modules have nothing to call.
    if let ([(func, _)], 1) = (&work[..], module.funcs().count()) {
        return vec![*func];
    }
    let mut seen = EntitySet::new();
    while let Some((func, callees_done)) = work.pop() {
        if callees_done {
            out.push(func);
            continue;
        }
        if !seen.insert(func) {
            continue;
        }
        work.push((func, true));
        let Some(body) = module.func(func) else { continue };
        let mut called = Vec::new();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if data.op == Op::Basic(BasicOp::Call) {
                called.extend(data.entity::<Func>(Key::Func));
            }
        });
        work.extend(called.into_iter().rev().map(|callee| (callee, false)));
    }
    out
}

/// The variables that each entry point accesses, in order of the entry points.
pub(super) fn accessed_vars(module: &Module) -> Vec<EntitySet<Var>> {
    let of_entry = |func| {
        let mut vars = EntitySet::new();
        for func in callees_first(module, func) {
            let Some(body) = module.func(func) else { continue };
            body.for_each_inst(|_, inst| {
                if let Some(var) = body.inst(inst).entity::<Var>(Key::Var) {
                    vars.insert(var);
                }
            });
        }
        vars
    };
    module.entries.iter().map(|entry| of_entry(entry.func)).collect()
}

/// The functions whose result depends on their arguments and on memory that nothing writes, and that have no other effect:
/// a call of one may stand wherever its result is used.
#[derive(Debug, Default)]
pub(super) struct Computing {
    funcs: EntitySet<Func>,
}

impl Computing {
    /// Finds the functions that only compute. Linear in the size of the module.
    pub(super) fn of(module: &Module) -> Computing {
        let mut found = Computing::default();
        let is_entry = |func: Func| module.entries.iter().any(|entry| entry.func == func);
        for func in reached(module, module.funcs().map(|(func, _)| (func, false)).collect()) {
            // Nothing calls an entry point, which is most of the program.
            if is_entry(func) {
                continue;
            }
            if module.func(func).is_some_and(|body| found.computes(module, func, body)) {
                found.funcs.insert(func);
            }
        }
        found
    }

    /// Returns true for a call of such a function.
    pub(super) fn is_call(&self, data: &InstData) -> bool {
        let callee = data.entity::<Func>(Key::Func).filter(|_| data.op == Op::Basic(BasicOp::Call));
        callee.is_some_and(|callee| self.funcs.contains(callee))
    }

    fn computes(&self, module: &Module, func: Func, body: &FuncBody) -> bool {
        let takes_values =
            body.params().iter().all(|&param| matches!(body.ty(param), ValueType::Bits { .. }));
        takes_values
            && body.entry().is_some()
            && body.blocks_in_order().into_iter().all(|block| {
                let mut insts = body.block(block).insts.iter();
                !matches!(body.terminator(block), Terminator::Stop(_))
                    && insts.all(|&inst| self.is_computation(module, func, body, body.inst(inst)))
            })
    }

    fn is_computation(&self, module: &Module, func: Func, body: &FuncBody, data: &InstData) -> bool {
        let variable = |at: usize| {
            let path = data.args.get(at).copied().filter(|&path| operands::is_direct(body, path))?;
            match operands::root(body, path)? {
                operands::PathRoot::Var(var) => module.var(var),
                operands::PathRoot::Param(_) => None,
            }
        };
        let is_own =
            |at: usize| variable(at).is_some_and(|data| data.mode == Mode::Local && data.owner == Some(func));
        let fixed = [Mode::In, Mode::Uniform, Mode::Push, Mode::Handle];
        let is_fixed = |at: usize| variable(at).is_some_and(|data| fixed.contains(&data.mode));
        let props = data.op.props();
        match data.op {
            Op::Basic(BasicOp::Call) => self.is_call(data),
            Op::Memory(MemoryOp::Load) => is_own(0) || is_fixed(0),
            Op::Memory(MemoryOp::Store) => is_own(0),
            Op::Memory(MemoryOp::CopyVar) => is_own(0) && (is_own(1) || is_fixed(1)),
            Op::Memory(MemoryOp::ArrayLen) => true,
            Op::Memory(_) | Op::Spirv(_) | Op::Tex(TexOp::Read | TexOp::Write) => false,
            Op::Deref(DerefOp::Cast | DerefOp::FromBits) => false,
            Op::Reg(RegOp::Load | RegOp::LoadAt | RegOp::Store | RegOp::StoreAt) => true,
            _ => {
                props.removable()
                    && !props.has(Props::CONVERGENT)
                    && !props.has(Props::NEEDS_HELPERS)
                    && !props.has(Props::READS)
            }
        }
    }
}

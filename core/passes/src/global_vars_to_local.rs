//! `global-vars-to-local`: turns private variables that only one entry point uses into local variables.
//!
//! ```text
//! private $0: f32                         func @0() tree {
//!                                           local $0: f32
//! func @0() tree {                  =>    ^0:
//! ^0:                                       %0: path = deref.var $0
//!   %0: path = deref.var $0                 ...
//!   ...
//! ```
//!
//! A private variable lives as long as the invocation, a local one as long as a call. For a function that runs
//! only once in an invocation the lifetimes are equal: an entry point that is never called. The initializer is
//! kept. Front ends for languages with registers use private variables for everything; `vars-to-values` handles
//! only local ones.
//!
//! Left alone: variables that another function refers to, also by a constant address, and those with a path that
//! escapes (to a call, a parameter, a selection), since the type of such a path includes the kind of its variable.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::memory::roots;
use crate::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op};
use vitrine_ir::{Diag, Fuel, Func, FuncBody, GlobalValue, Mode, Module, Var, VarData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Turns private variables that only one entry point uses into local variables.",
    ..PassInfo::new(
        "global-vars-to-local",
        opening!("global_vars_to_local.rs"),
        RunFn::Module(global_vars_to_local),
    )
};

/// Moves variables into functions. Linear; idempotent; both shapes. One unit of fuel per variable. Never fails.
fn global_vars_to_local(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let run_once_funcs = run_once(module);
    let owners = owners(module);
    let mut moved: FxHashSet<Var> = FxHashSet::default();
    let private: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.mode == Mode::Private)
        .map(|(var, data)| (var, data.clone()))
        .collect();
    for (var, data) in private {
        let Some(Some(owner)) = owners.get(&var).copied() else { continue };
        if run_once_funcs.contains(&owner) && fuel.take() {
            module.set_var(var, VarData { mode: Mode::Local, owner: Some(owner), ..data });
            moved.insert(var);
        }
    }
    if !moved.is_empty() {
        for entry in std::rc::Rc::make_mut(&mut module.entries) {
            entry.interface.retain(|var| !moved.contains(var));
        }
    }
    // No instruction changes; only the modes of the variables they refer to.
    Ok(Journals::new())
}

/// Returns the functions that run once in an invocation: entry points that are never called.
fn run_once(module: &Module) -> FxHashSet<Func> {
    let mut run_once_funcs: FxHashSet<Func> = module.entries.iter().map(|entry| entry.func).collect();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if data.op == Op::Basic(BasicOp::Call)
                && let Some(called) = data.entity::<Func>(Key::Func)
            {
                run_once_funcs.remove(&called);
            }
        });
    }
    run_once_funcs
}

/// Returns the only function that uses each variable, if no path to the variable escapes.
fn owners(module: &Module) -> FxHashMap<Var, Option<Func>> {
    let mut owners: FxHashMap<Var, Option<Func>> = FxHashMap::default();
    for (func, body) in module.funcs() {
        for (var, plain) in uses(body) {
            let owner = owners.entry(var).or_insert(Some(func));
            if !plain || *owner != Some(func) {
                *owner = None;
            }
        }
    }
    for (_, data) in module.globals() {
        if let GlobalValue::Address(var) = data.value {
            owners.insert(var, None);
        }
    }
    owners
}

/// Returns the variables that a function refers to, with true for uses that only load, store, copy or extend a
/// path.
fn uses(body: &FuncBody) -> Vec<(Var, bool)> {
    let roots = roots(body);
    let mut out = Vec::new();
    let reachable: FxHashSet<_> = in_order(body).into_iter().collect();
    for block in body.blocks_in_order() {
        let is_reachable_block = reachable.contains(&block);
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var) {
                out.push((var, is_reachable_block && data.op == Op::Deref(DerefOp::Var)));
            }
            for (at, &arg) in data.args.iter().enumerate() {
                let plain = match data.op {
                    Op::Deref(DerefOp::Field | DerefOp::Elem)
                    | Op::Memory(MemoryOp::Load | MemoryOp::Store) => at == 0,
                    Op::Memory(MemoryOp::CopyVar) => true,
                    _ => false,
                };
                out.extend(roots[arg].map(|var| (var, plain && is_reachable_block)));
            }
        }
        body.terminator(block).for_each_use(|value| out.extend(roots[value].map(|var| (var, false))));
    }
    out
}

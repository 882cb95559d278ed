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
//! A private variable lives as long as the invocation, a local one as long as a call. For a function that runs once in
//! an invocation that is the same: one that entry points name and nobody calls. The initializer stays. Front ends for
//! languages with registers put everything into private variables; `vars-to-values` sees only local ones.
//!
//! Left alone: variables that another function names, also by a constant address, and those of which a path is handed
//! on (to a call, a parameter, a choice), since such a path says what kind of variable it leads into.

use super::pass::{Journals, Options, PassInfo, RunFn};
use crate::base::opening::opening;
use crate::ir::{Diag, Fuel, Func, FuncBody, GlobalValue, Mode, Module, Var, VarData};
use crate::ops::{BasicOp, DerefOp, Key, MemoryOp, Op};
use crate::passes::util::memory::roots;
use crate::passes::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Turns private variables that only one entry point uses into local variables.",
    ..PassInfo::new(
        "global-vars-to-local",
        opening!("global_vars_to_local.rs"),
        RunFn::Module(global_vars_to_local),
    )
};

/// Moves variables into functions. Linear; idempotent; both shapes. A variable is a unit of fuel. Never fails.
fn global_vars_to_local(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let once = run_once(module);
    let owners = owners(module);
    let mut moved: FxHashSet<Var> = FxHashSet::default();
    let private: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.mode == Mode::Private)
        .map(|(var, data)| (var, data.clone()))
        .collect();
    for (var, data) in private {
        let Some(Some(owner)) = owners.get(&var).copied() else { continue };
        if once.contains(&owner) && fuel.take() {
            module.set_var(var, VarData { mode: Mode::Local, owner: Some(owner), ..data });
            moved.insert(var);
        }
    }
    if !moved.is_empty() {
        for entry in std::rc::Rc::make_mut(&mut module.entries) {
            entry.interface.retain(|var| !moved.contains(var));
        }
    }
    // No instruction changes: what they name is something else now.
    Ok(Journals::new())
}

/// Functions that run once in an invocation: entry points that nobody calls.
fn run_once(module: &Module) -> FxHashSet<Func> {
    let mut once: FxHashSet<Func> = module.entries.iter().map(|entry| entry.func).collect();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if data.op == Op::Basic(BasicOp::Call)
                && let Some(called) = data.entity::<Func>(Key::Func)
            {
                once.remove(&called);
            }
        });
    }
    once
}

/// The one function that uses each variable, in ways that do not matter; none for all others.
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

/// Variables a function names, each with whether all it does is to load, to store, to copy and to go further in.
fn uses(body: &FuncBody) -> Vec<(Var, bool)> {
    let roots = roots(body);
    let mut out = Vec::new();
    let reached: FxHashSet<_> = in_order(body).into_iter().collect();
    for block in body.blocks_in_order() {
        let is_reached = reached.contains(&block);
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var) {
                out.push((var, is_reached && data.op == Op::Deref(DerefOp::Var)));
            }
            for (at, &arg) in data.args.iter().enumerate() {
                let plain = match data.op {
                    Op::Deref(DerefOp::Field | DerefOp::Elem)
                    | Op::Memory(MemoryOp::Load | MemoryOp::Store) => at == 0,
                    Op::Memory(MemoryOp::CopyVar) => true,
                    _ => false,
                };
                out.extend(roots[arg].map(|var| (var, plain && is_reached)));
            }
        }
        body.terminator(block).for_each_use(|value| out.extend(roots[value].map(|var| (var, false))));
    }
    out
}

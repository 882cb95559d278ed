//! The functions and variables that an entry point reaches.

use crate::base::EntitySet;
use crate::ir::{Func, Module, Var};
use crate::ops::{BasicOp, Key, Op};

/// The functions that an entry point reaches, each after those that it calls. A cycle of calls, which only an invalid
/// program has, is cut.
pub(super) fn callees_first(module: &Module, entry: Func) -> Vec<Func> {
    let mut out: Vec<Func> = Vec::new();
    let mut seen = EntitySet::new();
    let mut work = vec![(entry, false)];
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

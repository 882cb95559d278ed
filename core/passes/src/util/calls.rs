//! The call graph: the calls of a function, callees before callers, and the removal of functions that lost
//! their last call.
//!
//! Does not decide which calls are inlined or which functions are copied.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{BasicOp, Key, Op};
use vitrine_ir::{DecorTarget, Fuel, Func, FuncBody, Inst, Module, Shape, Var};

/// The calls of a function, in text order.
pub(crate) fn calls(body: &FuncBody) -> Vec<(Inst, Func)> {
    let mut calls = Vec::new();
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        if data.op == Op::Basic(BasicOp::Call) {
            calls.extend(data.entity::<Func>(Key::Func).map(|callee| (inst, callee)));
        }
    });
    calls
}

/// The number of calls of each function.
pub(crate) fn calls_by_callee(module: &Module) -> FxHashMap<Func, usize> {
    let mut called: FxHashMap<Func, usize> = FxHashMap::default();
    for (_, body) in module.funcs() {
        calls(body).into_iter().for_each(|(_, callee)| *called.entry(callee).or_default() += 1);
    }
    called
}

/// All functions, callees before callers, except for those in a recursion.
pub(crate) fn callees_first(module: &Module) -> Vec<Func> {
    let mut order = Vec::new();
    let mut seen: EntitySet<Func> = EntitySet::new();
    for (root, _) in module.funcs() {
        if !seen.insert(root) {
            continue;
        }
        let callees = |func| module.func(func).map(calls).unwrap_or_default().into_iter();
        let mut stack = vec![(root, callees(root))];
        while let Some((func, rest)) = stack.last_mut() {
            match rest.next() {
                Some((_, callee)) if seen.insert(callee) => stack.push((callee, callees(callee))),
                Some(_) => {}
                None => {
                    order.push(*func);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// Removes functions that `before` counts the calls of and that are not called now, callers first, with their locals.
/// Entry points and functions with a decoration stay.
pub(crate) fn remove_uncalled(
    module: &mut Module,
    order: &[Func],
    before: &FxHashMap<Func, usize>,
    fuel: &mut Fuel,
) {
    let mut called = calls_by_callee(module);
    let entries: Vec<Func> = module.entries.iter().map(|entry| entry.func).collect();
    let decorated =
        |module: &Module, func| module.decors.iter().any(|decor| decor.on == DecorTarget::Func(func));
    for &func in order.iter().rev() {
        let is_called = called.get(&func).is_some_and(|&count| count > 0);
        if is_called || !before.contains_key(&func) || entries.contains(&func) || decorated(module, func) {
            continue;
        }
        let Some(body) = module.func(func).filter(|body| *body.shape() != Shape::Declaration) else {
            continue;
        };
        let callees = calls(body);
        if !fuel.take() {
            return;
        }
        for (_, callee) in callees {
            called.entry(callee).and_modify(|count| *count = count.saturating_sub(1));
        }
        let locals: Vec<Var> =
            module.vars().filter(|(_, data)| data.owner == Some(func)).map(|(var, _)| var).collect();
        let of_local = |on| matches!(on, DecorTarget::Var(var) if locals.contains(&var));
        if module.decors.iter().any(|decor| of_local(decor.on)) {
            Rc::make_mut(&mut module.decors).retain(|decor| !of_local(decor.on));
        }
        locals.into_iter().for_each(|var| module.remove_var(var));
        module.remove_func(func);
    }
}

//! Variables of the input that a version does not have: the pass that removed each, and its last definition.
//!
//! Variables are compared by their names in a function, whatever form they have: memory, a parameter, a value.

use super::super::lines::{Lines, Spot};
use crate::ir::{Func, FuncBody, Inst, Module};
use crate::pipeline::Trace;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A variable of the input that a version does not have.
pub(super) struct Removed {
    pub(super) name: String,
    /// The step that removed it, from 1, and its pass.
    pub(super) step: usize,
    pub(super) pass: String,
    /// The line of its last definition in the version before.
    pub(super) line: Option<u32>,
}

/// The names of the variables of a function, each with a definition.
fn names_of(module: &Module, func: Func) -> BTreeMap<String, Option<Inst>> {
    let Some(body) = module.func(func) else { return BTreeMap::new() };
    let locals = module.vars().filter(|(_, data)| data.owner == Some(func) && data.name.is_some());
    let mut names: BTreeMap<String, Option<Inst>> =
        locals.map(|(var, _)| (module.name_of(var), None)).collect();
    for_each_named(module, body, |name, inst| {
        names.insert(name.to_owned(), Some(inst));
    });
    names.remove("");
    names
}

/// Calls `each` with the named values of a function, in order.
pub(super) fn for_each_named<'m>(module: &'m Module, body: &FuncBody, mut each: impl FnMut(&'m str, Inst)) {
    let mut one = |inst: Inst| {
        if let Some(name) = body.inst_name(inst) {
            each(module.text_of(name), inst);
        }
    };
    body.params().iter().for_each(|&inst| one(inst));
    for block in body.blocks_in_order() {
        let data = body.block(block);
        data.params.iter().chain(data.insts.iter()).for_each(|&inst| one(inst));
    }
}

/// The variables of each function that are in the input and not in version `at`.
pub(super) fn removed(trace: &Trace, at: usize) -> FxHashMap<Func, Vec<Removed>> {
    let mut out: FxHashMap<Func, Vec<Removed>> = FxHashMap::default();
    let mut lines: FxHashMap<usize, Lines> = FxHashMap::default();
    let funcs: Vec<Func> = trace.input.funcs().map(|(func, _)| func).collect();
    for func in funcs {
        let mut alive = names_of(&trace.input, func);
        for (number, step) in trace.steps.iter().enumerate().take(at) {
            if step.version.func(func).is_none() {
                break;
            }
            let now = names_of(&step.version, func);
            let gone: BTreeSet<String> =
                alive.keys().filter(|name| !now.contains_key(*name)).cloned().collect();
            for name in gone {
                let definition = alive.remove(&name).flatten();
                let before = trace.version(number);
                let line = definition.zip(before).and_then(|(inst, module)| {
                    lines.entry(number).or_insert_with(|| Lines::of(module)).line(Spot::Inst(func, inst))
                });
                let pass = step.name().to_owned();
                out.entry(func).or_default().push(Removed { name, step: number + 1, pass, line });
            }
            // The last definition may be another one now.
            alive.extend(now.into_iter().filter(|(_, inst)| inst.is_some()));
        }
    }
    out
}

//! `promote-params`: passes values in place of the addresses of local variables that callees only read.
//!
//! ```text
//! func @0(%0: b32) -> b32 tree {              func @0(%0: b32) -> b32 tree {
//!   local $arg_0: u32                         ^0:
//! ^0:                                           %2: b32 = call @1(%0)
//!   %1: path = deref.var $arg_0                 return %2
//!   store %1, %0                              }
//!   %2: b32 = call @1(%1)              =>
//!   return %2                                 func @1(%0: b32) -> b32 tree {
//! }                                           ^0:
//!                                               %2: b32 = imul %0, %0
//! func @1(%0: path {type u32, mode local}) -> b32 tree {
//! ^0:                                           return %2
//!   %1: b32 = load %0                         }
//!   %2: b32 = imul %1, %1
//!   return %2
//! }
//! ```
//!
//! Front ends for languages that copy arguments pass the address of a temporary variable for each of them. A parameter
//! is promoted if it is the address of a scalar or a vector, and the callee only loads it or its components. The value
//! is loaded at the call; if the variable is stored to once and passed once, the stored value is passed, and the
//! variable is removed.
//!
//! Left alone: parameters for which some call passes another address than that of a local variable, or of one that
//! another argument refers to, since the callee could change it; volatile loads; entry points, functions without a
//! body, and functions with a decoration, which may export them. LLVM calls this argument promotion.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::calls::{calls, calls_by_callee};
use crate::util::memory::{addressed, is_plain, roots};
use crate::util::rebuild::{copy, replace_all};
use crate::util::rebuilt::{Change, Rebuilt, became, replaced};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, EntitySet, SideTable, sort_by_number};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{
    Args, Assembler, Block, DecorTarget, Diag, Editor, Event, Fuel, Func, FuncBody, Inst, InstData, Journal,
    Mode, Module, Shape, Var,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Passes values in place of the addresses of local variables that callees only read.",
    reason,
    ..PassInfo::new("promote-params", opening!("promote_params.rs"), RunFn::Module(promote_params))
};

/// The parameters to promote, by position, each with the type of its value.
type Chosen = BTreeMap<Func, Vec<(usize, ValueType)>>;

/// Promotes parameters. Linear; idempotent; both shapes. One unit of fuel per parameter. Never fails.
fn promote_params(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut chosen = candidates(module);
    if chosen.is_empty() {
        return Ok(Journals::new());
    }
    for (_, body) in module.funcs() {
        check_calls(module, body, &mut chosen);
    }
    for params in chosen.values_mut() {
        params.retain(|_| fuel.take());
    }
    chosen.retain(|_, params| !params.is_empty());
    if chosen.is_empty() {
        return Ok(Journals::new());
    }
    let kept = kept_vars(module);
    let mut journals = Journals::new();
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    for func in funcs {
        let Some(body) = module.func(func).cloned() else { continue };
        if chosen.contains_key(&func) || calls(&body).iter().any(|(_, callee)| chosen.contains_key(callee)) {
            journals.push((func, rewrite(module, func, &body, &chosen, &kept)));
        }
    }
    Ok(journals)
}

/// Variables that are not removed: with a decoration, or with an address that is a constant.
fn kept_vars(module: &Module) -> FxHashSet<Var> {
    let decorated = module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        _ => None,
    });
    addressed(module).chain(decorated).collect()
}

/// Parameters that are the address of a value and only read, of functions that are called.
fn candidates(module: &Module) -> Chosen {
    let called = calls_by_callee(module);
    let entries: Vec<Func> = module.entries.iter().map(|entry| entry.func).collect();
    let mut chosen = Chosen::new();
    for (func, body) in module.funcs() {
        let decorated = || module.decors.iter().any(|decor| decor.on == DecorTarget::Func(func));
        let has_paths = || body.params().iter().any(|&param| body.ty(param) == ValueType::Path);
        if !called.contains_key(&func) || !has_paths() || entries.contains(&func) || decorated() {
            continue;
        }
        if *body.shape() == Shape::Declaration {
            continue;
        }
        let written = written(body);
        let of = |(at, &param): (usize, &Inst)| {
            let path = module.path_type(body, param).filter(|path| path.mode == Mode::Local)?;
            let ty = module.value_type(path.ty).filter(|ty| matches!(ty, ValueType::Bits { .. }))?;
            (!written.contains(param)).then_some((at, ty))
        };
        let params: Vec<(usize, ValueType)> = body.params().iter().enumerate().filter_map(of).collect();
        if !params.is_empty() {
            chosen.insert(func, params);
        }
    }
    chosen
}

/// Parameters with another use than a load of the whole or of a component.
fn written(body: &FuncBody) -> EntitySet<Inst> {
    let mut params: EntitySet<Inst> = EntitySet::new();
    body.params().iter().for_each(|&param| _ = params.insert(param));
    // Components of a parameter, each with the parameter.
    let mut parts: SideTable<Inst, Option<Inst>> = SideTable::new();
    let mut written = EntitySet::new();
    for block in body.blocks_in_order() {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            for (at, &arg) in data.args.iter().enumerate() {
                let Some(param) = params.contains(arg).then_some(arg).or(parts[arg]) else { continue };
                match data.op {
                    Op::Memory(MemoryOp::Load) if is_plain(data) => {}
                    Op::Deref(DerefOp::Elem) if at == 0 && param == arg => parts[inst] = Some(param),
                    _ => _ = written.insert(param),
                }
            }
        }
        body.terminator(block).for_each_use(|value| _ = written.insert(parts[value].unwrap_or(value)));
    }
    written
}

/// Drops the parameters that a call in `body` does not fit. A use of a function other than a call drops all of them.
fn check_calls(module: &Module, body: &FuncBody, chosen: &mut Chosen) {
    let roots = roots(body);
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        let Some(callee) = data.entity::<Func>(Key::Func) else { return };
        let Some(params) = chosen.get_mut(&callee) else { return };
        if data.op != Op::Basic(BasicOp::Call) {
            params.clear();
        }
        params.retain(|&(at, ty)| {
            let Some(&arg) = data.args.get(at) else { return false };
            let Some(var) = roots[arg] else { return false };
            let is_local = module.var(var).is_some_and(|var| var.mode == Mode::Local);
            let is_shared = data
                .args
                .iter()
                .enumerate()
                .any(|(other, &arg)| other != at && body.ty(arg).is_opaque() && roots[arg] == Some(var));
            let given = module.path_type(body, arg).and_then(|path| module.value_type(path.ty));
            is_local && !is_shared && given == Some(ty)
        });
    });
}

/// The reason for a difference that is no replacement of a load.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewInst(_) => "the call passes the value that the variable holds",
        Change::GoneInst(data) if data.op == MemoryOp::Store.into() => "the call passes the stored value",
        Change::GoneInst(_) => "no address is passed, and nothing else uses this one",
        Change::ChangedInst(old, new) if new.op == BasicOp::Param.into() && old.ty != new.ty => {
            "the function only loads the variable: it receives the value in place of the address"
        }
        Change::ChangedInst(old, new) if became(old, new, VectorOp::Extract) => {
            "the component is that of the value that is passed"
        }
        Change::ChangedInst(_, new) if new.op == BasicOp::Call.into() => {
            "the function only loads the variable: the call passes the value in place of the address"
        }
        Change::ChangedInst(..) | Change::ChangedNode => "it uses the value that is passed",
        Change::ChangedBlock(..) => "its terminator uses the value that is passed",
        Change::MovedInst
        | Change::NewBlock
        | Change::GoneBlock
        | Change::MovedBlock
        | Change::NewNode(_)
        | Change::GoneNode(_)
        | Change::MovedNode => return None,
    })
}

/// Rewrites the parameters of a function, and its calls; returns the replacements of loads.
fn rewrite(
    module: &mut Module,
    func: Func,
    body: &FuncBody,
    chosen: &Chosen,
    kept: &FxHashSet<Var>,
) -> Journal {
    let mut asm = copy(body);
    let mut gone: EntitySet<Inst> = EntitySet::new();
    let mut loads: FxHashMap<Inst, Inst> = FxHashMap::default();
    for &(at, ty) in chosen.get(&func).into_iter().flatten() {
        if let Some(&param) = body.params().get(at) {
            become_value(&mut asm, body, (param, ty), &mut loads, &mut gone);
        }
    }
    let passed = Passed::of(module, func, body, kept);
    let mut removed: Vec<Var> = Vec::new();
    let mut lists: Vec<(Block, Vec<Inst>)> = Vec::new();
    for block in body.blocks_in_order() {
        let mut insts: Vec<Inst> = Vec::new();
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            let params = match data.op {
                Op::Basic(BasicOp::Call) => data.entity::<Func>(Key::Func).and_then(|func| chosen.get(&func)),
                _ => None,
            };
            for &(at, ty) in params.into_iter().flatten() {
                let Some(&arg) = data.args.get(at) else { continue };
                let value = match passed.stored(arg, inst) {
                    Some((store, value, var)) => {
                        gone.insert(store);
                        gone.insert(arg);
                        removed.push(var);
                        value
                    }
                    None => {
                        let load = asm.add_inst(InstData::new(MemoryOp::Load, ty, &[arg]));
                        asm.origin(load, body.origin(inst));
                        insts.push(load);
                        load
                    }
                };
                let mut args: Vec<Inst> = asm.body().inst(inst).args.to_vec();
                args[at] = value;
                asm.inst_mut(inst).args = Args::new(&args);
            }
            insts.push(inst);
        }
        lists.push((block, insts));
    }
    // The path of a variable may be in an earlier block than the call.
    for (block, mut insts) in lists {
        insts.retain(|&inst| !gone.contains(inst));
        if body.block(block).insts[..] != insts[..] {
            let list = Rc::make_mut(&mut asm.block_mut(block).insts);
            list.clear();
            list.extend(insts);
        }
    }
    match body.shape() {
        Shape::Declaration => {}
        Shape::Graph(order) => asm.graph(order.to_vec()),
        Shape::Tree(root) => asm.tree(*root),
    }
    replace_all(&mut asm, &loads);
    let mut journal = Journal::new();
    let mut replacements: Vec<(Inst, Inst)> = loads.into_iter().collect();
    sort_by_number(&mut replacements, |(load, _)| load.index() as u64);
    for (load, param) in replacements {
        replaced(&mut journal, load, param, "the value is passed in place of its address");
    }
    let journal = Editor::replace_body(module, func, asm.finish(), journal);
    removed.into_iter().for_each(|var| module.remove_var(var));
    journal
}

/// Turns an address into its value; its loads, and the addresses of its components, are gone.
fn become_value(
    asm: &mut Assembler,
    body: &FuncBody,
    (param, ty): (Inst, ValueType),
    loads: &mut FxHashMap<Inst, Inst>,
    gone: &mut EntitySet<Inst>,
) {
    let mut parts: FxHashMap<Inst, Inst> = FxHashMap::default();
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        let Some(&address) = data.args.first() else { return };
        if address == param && data.op == Op::Deref(DerefOp::Elem) {
            parts.extend(data.args.get(1).map(|&index| (inst, index)));
            gone.insert(inst);
        } else if address == param {
            loads.insert(inst, param);
            gone.insert(inst);
        } else if let Some(&index) = parts.get(&address) {
            *asm.inst_mut(inst) = InstData::new(VectorOp::Extract, data.ty, &[param, index]);
        }
    });
    let mut value = InstData::new(BasicOp::Param, ty, &[]);
    // The declared type is evidence for the kind of number.
    if let Some(declared) = body.inst(param).attrs.get(Key::Type) {
        value = value.with(Key::Type, declared);
    }
    *asm.inst_mut(param) = value;
    asm.hold_value(param);
}

/// Local variables that are stored to once and passed once.
struct Passed {
    /// By the path: the store, the value, and the variable.
    stores: FxHashMap<Inst, (Inst, Inst, Var)>,
    /// The block of each instruction, and the position in it.
    places: SideTable<Inst, Option<(Block, usize)>>,
}

impl Passed {
    fn of(module: &Module, func: Func, body: &FuncBody, kept: &FxHashSet<Var>) -> Passed {
        let mut paths: FxHashMap<Var, Vec<Inst>> = FxHashMap::default();
        let mut uses: SideTable<Inst, u32> = SideTable::new();
        let mut stores: FxHashMap<Inst, (Inst, Inst)> = FxHashMap::default();
        let mut places = SideTable::new();
        for block in body.blocks_in_order() {
            for (at, &inst) in body.block(block).insts.iter().enumerate() {
                let data = body.inst(inst);
                places[inst] = Some((block, at));
                if let Some(var) = data.entity::<Var>(Key::Var) {
                    paths.entry(var).or_default().push(inst);
                }
                data.args.iter().for_each(|&arg| uses[arg] += 1);
                if let (Op::Memory(MemoryOp::Store), [path, value]) = (data.op, &data.args[..])
                    && is_plain(data)
                    && !data.attrs.has(Key::Mask)
                {
                    stores.insert(*path, (inst, *value));
                }
            }
            body.terminator(block).for_each_use(|value| uses[value] += 1);
        }
        let single = paths.into_iter().filter_map(|(var, paths)| {
            let [path] = paths[..] else { return None };
            let data = module.var(var)?;
            let (store, value) = *stores.get(&path)?;
            let is_own = data.owner == Some(func) && data.mode == Mode::Local && data.init.is_none();
            let is_path = body.inst(path).op == Op::Deref(DerefOp::Var);
            (is_own && is_path && uses[path] == 2 && !kept.contains(&var))
                .then_some((path, (store, value, var)))
        });
        Passed { stores: single.collect(), places }
    }

    /// The store before a call, the value, and the variable, if the variable is passed to no other.
    fn stored(&self, arg: Inst, call: Inst) -> Option<(Inst, Inst, Var)> {
        let &found = self.stores.get(&arg)?;
        let ((block, store), (other, call)) = (self.places[found.0]?, self.places[call]?);
        (block == other && store < call).then_some(found)
    }
}

//! Clones a function for the memory that it is called with.
//!
//! ```text
//! func @1(%0: ptr, %1: b32)      func @2(%9: b32, %1: b32)
//!                                  %10: ptr = ptr.var $3
//!                                  %0: ptr = ptr.dyn_offset %10, %9 {stride 4}
//! ```
//!
//! The last pointer keeps the id of the parameter, so that the rest of the function changes only in the ids of
//! its locals.

use super::call::{Begin, Root};
use crate::util::ptr_shape::with_attrs;
use crate::util::rebuild;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::Editor;
use vitrine_ir::Journal;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, Key, PtrOp, ValueType};
use vitrine_ir::{
    Args, Assembler, Decor, DecorTarget, Func, Inst, InstData, Mode, Module, Shape, Type, Var, VarData,
};

/// Clones a function; none if it does not exist or has no body.
pub(super) fn copy(module: &mut Module, callee: Func, begins: &[Option<Begin>]) -> Option<Func> {
    let body = module.func(callee)?.clone();
    let entry = body.entry()?;
    let made = module.add_func(body.clone());
    let locals = copy_locals(module, callee, made);
    let mut asm = rebuild::copy(&body);
    body.for_each_inst(|_, inst| {
        let local = body.inst(inst).entity::<Var>(Key::Var).and_then(|var| locals.get(&var));
        if let Some(local) = local {
            *asm.inst_mut(inst) = body.inst(inst).clone().with(Key::Var, local.index() as u64);
        }
    });
    let (mut params, mut first) = (Vec::new(), Vec::new());
    for (at, &param) in body.params().iter().enumerate() {
        match begins.get(at).and_then(Option::as_ref) {
            Some(begin) => replace_param(&mut asm, param, begin, &mut params, &mut first),
            None => params.push(param),
        }
    }
    asm.params(params);
    rebuild::prepend(&mut asm, entry, first);
    match body.shape() {
        Shape::Declaration => {}
        Shape::Graph(order) => asm.graph(order.to_vec()),
        Shape::Tree(root) => asm.tree(*root),
    }
    Editor::replace_body(module, made, asm.finish(), Journal::new());
    let decors = of(module, |on| on == DecorTarget::Func(callee), |_| DecorTarget::Func(made));
    add(module, decors);
    Some(made)
}

/// Replaces a parameter by a pointer of the given shape; its indices become parameters.
fn replace_param(
    asm: &mut Assembler,
    param: Inst,
    begin: &Begin,
    params: &mut Vec<Inst>,
    first: &mut Vec<Inst>,
) {
    let new = |op: PtrOp| InstData::new(op, ValueType::Ptr, &[]);
    let mut number = |asm: &mut Assembler| {
        let made = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
        params.push(made);
        made
    };
    let mut chain: Vec<(InstData, Option<Inst>)> = Vec::new();
    match begin.root {
        Root::Var(var) => chain.push((new(PtrOp::Var).with(Key::Var, var.index() as u64), None)),
        Root::Whole(ty, mode) => chain.push((whole(ty, mode), None)),
    }
    for handle in &begin.handles {
        let index = number(asm);
        let step = with_attrs(new(PtrOp::HandleIndex), handle.stride, handle.range);
        chain.push((step, Some(index)));
    }
    if begin.is_data {
        chain.push((new(PtrOp::BufferData), None));
    }
    let mut numbers: Vec<Inst> = begin.levels.iter().map(|_| number(asm)).collect();
    for level in &begin.levels {
        let step =
            with_attrs(new(PtrOp::DynOffset), Some(u64::from(level.stride)), level.range.map(u64::from));
        // The innermost index is passed first.
        chain.push((step, numbers.pop()));
    }
    if begin.offset != 0 {
        chain.push((new(PtrOp::Offset).with(Key::Offset, begin.offset.cast_unsigned()), None));
    }
    let count = chain.len();
    let (mut last, is_whole) = (None, matches!(begin.root, Root::Whole(..)));
    let own = params.len() - begin.handles.len() - begin.levels.len();
    for (at, (data, index)) in chain.into_iter().enumerate() {
        let args: Vec<Inst> = last.into_iter().chain(index).collect();
        let data = InstData { args: Args::new(&args), ..data };
        let id = if at + 1 == count {
            *asm.inst_mut(param) = data;
            param
        } else {
            asm.add_inst(data)
        };
        if at == 0 && is_whole {
            params.insert(own, id);
        } else {
            first.push(id);
        }
        last = Some(id);
    }
}

/// A parameter that points to a whole object.
fn whole(ty: Type, mode: Mode) -> InstData {
    InstData::new(BasicOp::Param, ValueType::Ptr, &[]).with(Key::Type, ty.index() as u64).with_word(mode)
}

/// The locals of the clone, by those of the original.
fn copy_locals(module: &mut Module, from: Func, to: Func) -> FxHashMap<Var, Var> {
    let of_callee = module.vars().filter(|(_, data)| data.owner == Some(from));
    let locals: Vec<(Var, VarData)> = of_callee.map(|(var, data)| (var, data.clone())).collect();
    let mut copies = FxHashMap::default();
    for (var, data) in locals {
        copies.insert(var, module.add_var(VarData { owner: Some(to), ..data }));
    }
    let local = |on| match on {
        DecorTarget::Var(var) => copies.get(&var).map(|&copy| DecorTarget::Var(copy)),
        _ => None,
    };
    let decors = of(module, |on| local(on).is_some(), |on| local(on).unwrap_or(on));
    add(module, decors);
    copies
}

/// The decorations of some entities, copied to others.
fn of(
    module: &Module,
    which: impl Fn(DecorTarget) -> bool,
    to: impl Fn(DecorTarget) -> DecorTarget,
) -> Vec<Decor> {
    let decors = module.decors.iter().filter(|decor| which(decor.on));
    decors.map(|decor| Decor { on: to(decor.on), ..*decor }).collect()
}

fn add(module: &mut Module, decors: Vec<Decor>) {
    if !decors.is_empty() {
        Rc::make_mut(&mut module.decors).extend(decors);
    }
}

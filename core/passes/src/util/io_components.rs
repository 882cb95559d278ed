//! Inputs and outputs that are scalars or vectors: every access to them, and their replacement by other
//! variables.
//!
//! Shared by `io-to-scalar` and `io-to-vector`. Does not decide which variables are replaced.

use crate::util::memory::{addressed, is_plain};
use crate::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType, Width};
use vitrine_ir::{
    Attrs, DecorTarget, Diag, Editor, Func, FuncBody, InsertPoint, Inst, Journal, Mode, Module, Refusal,
    Stage, TypeData, Var, VarData,
};
use vitrine_ir::{FactKey, Type};

/// Stages in which each invocation has its own inputs and outputs.
pub(crate) const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment, Stage::Compute];

/// Returns true for an array of structures, for a structure with an array or a structure in it, and for an array or a member
/// of a structure that begins inside of its location.
pub(crate) fn is_nested(module: &Module, data: &VarData) -> bool {
    let begins_inside = |attrs: &Attrs| attrs.get(Key::Component).is_some_and(|at| at > 0);
    let mut ty = data.ty;
    let is_array = module.element_type(ty).is_some();
    if begins_inside(&data.attrs) && is_array && module.value_type(ty).is_none() {
        return true;
    }
    while let Some(of) = module.element_type(ty) {
        ty = of;
    }
    let TypeData::Struct(structure) = *module.type_of(ty) else { return false };
    let members = module.structure(structure).map_or(&[][..], |data| &data.members);
    let is_whole = |ty: Type| matches!(module.type_of(ty), TypeData::Array { .. } | TypeData::Struct(_));
    is_array || members.iter().any(|member| is_whole(member.ty) || begins_inside(&member.attrs))
}

/// A load or store of some components of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) inst: Inst,
    pub(crate) var: Var,
    /// The single component, if it is not the whole variable.
    pub(crate) component: Option<u8>,
    pub(crate) is_store: bool,
}

/// The components of a variable that may be replaced: an input or output with a location, one value with 8, 16 or
/// 32 bits per component, in stages in which each invocation has its own.
pub(crate) fn candidate(module: &Module, var: Var, data: &VarData) -> Option<ValueType> {
    let mut named = module.entries.iter().filter(|entry| entry.interface.contains(&var)).peekable();
    let is_named = named.peek().is_some() && named.all(|entry| STAGES.contains(&entry.stage));
    let io = matches!(data.mode, Mode::In | Mode::Out) && data.init.is_none();
    if !is_named || !io || !data.attrs.has(Key::Location) || data.attrs.has(Key::BuiltIn) {
        return None;
    }
    module.value_type(data.ty).filter(|ty| matches!(ty.width(), Some(Width::W8 | Width::W16 | Width::W32)))
}

/// Every access to these variables, by function. Variables with any other use are excluded.
pub(crate) fn accesses(module: &Module, vars: &mut FxHashSet<Var>) -> Vec<(Func, Vec<Access>)> {
    let mut out = Vec::new();
    let mut lost: FxHashSet<Var> = FxHashSet::default();
    for (func, body) in module.funcs() {
        out.push((func, function(module, body, vars, &mut lost)));
    }
    lost.extend(addressed(module));
    lost.extend(module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        DecorTarget::Func(_) | DecorTarget::Global(_) | DecorTarget::Struct(_) | DecorTarget::Member(..) => {
            None
        }
    }));
    vars.retain(|var| !lost.contains(var));
    for (_, accesses) in &mut out {
        accesses.retain(|access| vars.contains(&access.var));
    }
    out
}

fn function(
    module: &Module,
    body: &FuncBody,
    vars: &FxHashSet<Var>,
    lost: &mut FxHashSet<Var>,
) -> Vec<Access> {
    let mut out = Vec::new();
    // The variable that a path refers to, and the component.
    let mut paths: FxHashMap<Inst, (Var, Option<u8>)> = FxHashMap::default();
    let order = in_order(body);
    let reached: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|var| vars.contains(var)) {
                if data.op == Op::Deref(DerefOp::Var) {
                    paths.insert(inst, (var, None));
                } else {
                    lost.insert(var);
                }
            }
            for (number, arg) in data.args.iter().enumerate() {
                let Some(&(var, component)) = paths.get(arg) else { continue };
                let plain = number == 0 && is_plain(data);
                match data.op {
                    Op::Memory(MemoryOp::Load) if plain => {
                        out.push(Access { inst, var, component, is_store: false });
                    }
                    Op::Memory(MemoryOp::Store) if plain => {
                        out.push(Access { inst, var, component, is_store: true });
                    }
                    Op::Deref(DerefOp::Elem) if number == 0 && component.is_none() => {
                        match known_component(module, body, var, data.args.get(1).copied()) {
                            Some(component) => drop(paths.insert(inst, (var, Some(component)))),
                            None => drop(lost.insert(var)),
                        }
                    }
                    _ => drop(lost.insert(var)),
                }
            }
        }
        body.terminator(block).for_each_use(|value| lost.extend(paths.get(&value).map(|&(var, _)| var)));
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reached.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            lost.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
    out
}

fn known_component(module: &Module, body: &FuncBody, var: Var, index: Option<Inst>) -> Option<u8> {
    let TypeData::Vector { components, .. } = *module.type_of(module.var(var)?.ty) else { return None };
    let at = module.bits_of(body.const_of(index?)?).component(0).as_u64();
    u8::try_from(at).ok().filter(|&at| at < components)
}

/// Rewrites the accesses of each function, and removes the paths and variables that are no longer used.
/// `instead` maps a variable to its replacements in entry points.
pub(crate) fn replace<A>(
    module: &mut Module,
    accesses: Vec<(Func, Vec<A>)>,
    instead: &[(Var, Vec<Var>)],
    mut rewrite: impl FnMut(&mut Editor<'_>, &A) -> Result<(), Refusal>,
) -> Result<Vec<(Func, Journal)>, Diag> {
    let replaced: FxHashSet<Var> = instead.iter().map(|&(old, _)| old).collect();
    let mut journals = Vec::new();
    for (func, accesses) in accesses {
        let mut ed = open(module, func)?;
        let done = accesses.iter().try_for_each(|access| rewrite(&mut ed, access));
        let done = done.and_then(|()| clean(&mut ed, &replaced));
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        if !edited.journal.is_empty() {
            journals.push((func, edited.journal));
        }
    }
    for entry in std::rc::Rc::make_mut(&mut module.entries) {
        let mut interface: Vec<Var> = Vec::new();
        for &var in &entry.interface {
            let new = instead.iter().find(|&&(old, _)| old == var).map(|(_, new)| new.as_slice());
            for &var in new.unwrap_or(std::slice::from_ref(&var)) {
                if !interface.contains(&var) {
                    interface.push(var);
                }
            }
        }
        entry.interface = interface;
    }
    replaced.into_iter().for_each(|var| module.remove_var(var));
    Ok(journals)
}

/// Removes the paths that start at these variables.
fn clean(ed: &mut Editor<'_>, replaced: &FxHashSet<Var>) -> Result<(), Refusal> {
    let mut paths = Vec::new();
    let mut roots: FxHashSet<Inst> = FxHashSet::default();
    for block in ed.func().blocks_in_order() {
        for &inst in ed.func().block(block).insts.iter() {
            let data = ed.func().inst(inst);
            let begins = data.entity::<Var>(Key::Var).is_some_and(|var| replaced.contains(&var));
            let further = data.op == Op::Deref(DerefOp::Elem)
                && data.args.first().is_some_and(|arg| roots.contains(arg));
            if begins || further {
                roots.insert(inst);
                paths.push(inst);
            }
        }
    }
    paths
        .into_iter()
        .rev()
        .try_for_each(|path| ed.erase(path, vitrine_ir::Reason::Note("its variable was removed")))
}

/// The insert point of new instructions for an access.
pub(crate) fn before(access: &Access) -> InsertPoint {
    InsertPoint::Before(access.inst)
}

/// Returns true if an entry point lists every module variable that it uses, not only inputs and outputs: since
/// SPIR-V 1.4.
pub(crate) fn names_all(module: &Module) -> bool {
    let version = module.facts.iter().find(|fact| fact.key == FactKey::Version);
    let version = version.and_then(|fact| module.text_of(fact.value).split_once('.'));
    let version =
        version.and_then(|(major, minor)| Some((major.parse::<u8>().ok()?, minor.parse::<u8>().ok()?)));
    version.is_some_and(|version| version >= (1, 4))
}

/// The number of locations that a type occupies; none if its size is not known or a component does not have 32
/// bits.
pub(crate) fn locations(module: &Module, ty: Type) -> Option<u64> {
    let (mut sum, mut work) = (0u64, vec![(ty, 1u64)]);
    // Each member of a structure counts by itself; an array counts its element type once.
    while let Some((ty, times)) = work.pop() {
        if let Some(value) = module.value_type(ty) {
            sum = sum.checked_add(times).filter(|_| value.width() == Some(Width::W32))?;
            continue;
        }
        match module.type_of(ty) {
            TypeData::Struct(structure) => {
                work.extend(module.structure(*structure)?.members.iter().map(|member| (member.ty, times)));
            }
            _ => {
                let count = u64::from(module.element_count(ty)?);
                work.push((module.element_type(ty)?, times.checked_mul(count)?));
            }
        }
    }
    Some(sum)
}

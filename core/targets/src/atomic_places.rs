//! Memory that atomics access, found before anything is written: its declaration may state it.

use super::number::Kind;
use super::operands::{STEPS, compared};
use rustc_hash::FxHashMap;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op};
use vitrine_ir::{FuncBody, Inst, Module, Struct, Type, TypeData, Var};

/// Memory that is accessed by atomics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum AtomicPlace {
    /// A member, or elements of it.
    Member(Struct, u32),
    /// A variable that is no structure, or elements of it.
    Var(Var),
}

/// The places that atomics access, each with the kind of number that they demand, if any.
pub(super) fn atomics(module: &Module) -> FxHashMap<AtomicPlace, Option<Kind>> {
    let mut found = FxHashMap::default();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let is_atomic = matches!(
                data.op,
                Op::Memory(
                    MemoryOp::Atomic | MemoryOp::AtomicCas | MemoryOp::AtomicLoad | MemoryOp::AtomicStore
                )
            );
            if let (true, Some(&path)) = (is_atomic, data.args.first())
                && let Some(place) = place(module, body, path)
            {
                let wanted = data.attrs.word().and_then(compared);
                let known = found.entry(place).or_insert(wanted);
                *known = known.or(wanted);
            }
        });
    }
    found
}

/// The member or the variable that a path ends in.
fn place(module: &Module, body: &FuncBody, path: Inst) -> Option<AtomicPlace> {
    let mut at = path;
    for _ in 0..STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var).map(AtomicPlace::Var),
            Op::Deref(DerefOp::Field) => {
                let structure = structure_at(module, body, *data.args.first()?)?;
                return Some(AtomicPlace::Member(structure, data.attrs.get(Key::Field)? as u32));
            }
            Op::Deref(DerefOp::Elem) | Op::Basic(BasicOp::Copy) => at = *data.args.first()?,
            _ => return None,
        }
    }
    None
}

/// The structure that a path leads to.
fn structure_at(module: &Module, body: &FuncBody, path: Inst) -> Option<Struct> {
    let mut steps = Vec::new();
    let mut at = path;
    let mut ty = loop {
        if steps.len() > STEPS {
            return None;
        }
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => break module.var(data.entity(Key::Var)?)?.ty,
            Op::Basic(BasicOp::Param) => break data.entity::<Type>(Key::Type)?,
            Op::Deref(DerefOp::Field) => steps.push(data.attrs.get(Key::Field)),
            Op::Deref(DerefOp::Elem) => steps.push(None),
            Op::Basic(BasicOp::Copy) => {}
            _ => return None,
        }
        at = *data.args.first()?;
    };
    for step in steps.into_iter().rev() {
        ty = match (module.type_of(ty), step) {
            (TypeData::Struct(structure), Some(field)) => {
                module.structure(*structure)?.members.get(field as usize)?.ty
            }
            _ => module.element_type(ty)?,
        };
    }
    match *module.type_of(ty) {
        TypeData::Struct(structure) => Some(structure),
        _ => None,
    }
}

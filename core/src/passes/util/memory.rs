//! What passes over memory ask of an instruction: does it read, write, or let others see what is there?
//!
//! Decides nothing about places: `analysis::Alias` does.

use super::open::in_order;
use crate::analysis::{Alias, Spot};
use crate::base::SideTable;
use crate::ir::{
    Editor, Func, FuncBody, GlobalValue, Inst, InstData, Mode, Module, Reason, Refusal, Stage, Var,
};
use crate::ir::{TypeData, VarData};
use crate::ops::DerefOp;
use crate::ops::{BasicOp, Key, MemoryOp, Op, Props};
use rustc_hash::FxHashSet;

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::passes) enum Does {
    /// Nothing.
    Nothing,
    /// Reads a place.
    Load(Spot),
    /// Writes a place; with a mask, some of it.
    Store(Spot),
    /// Writes the first place with what the second holds.
    Copy(Spot, Spot),
    /// Reads something that is no place of this function, or a place in a way of its own.
    Looks,
    /// Lets others see and change what they share with this function.
    Meets,
    /// The same, and changes of what lives as long as the invocation.
    Calls,
}

/// Takes a path away that nobody goes any more, step by step, as far as nobody goes it.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(in crate::passes) fn sweep(ed: &mut Editor<'_>, path: Inst, why: Reason) -> Result<(), Refusal> {
    let mut next = Some(path);
    while let Some(at) = next {
        let data = ed.func().inst(at);
        let base = data.args.first().copied();
        if !matches!(data.op, Op::Deref(_)) || !ed.is_placed(at) || ed.use_count(at) > 0 {
            return Ok(());
        }
        ed.erase(at, why)?;
        next = base;
    }
    Ok(())
}

/// Variables whose address is a constant of the module: nobody sees where they are read and written.
pub(in crate::passes) fn addressed(module: &Module) -> impl Iterator<Item = Var> + '_ {
    module.globals().filter_map(|(_, data)| match data.value {
        GlobalValue::Address(var) => Some(var),
        GlobalValue::Spec(_)
        | GlobalValue::Op { .. }
        | GlobalValue::Parts(..)
        | GlobalValue::Zero(_)
        | GlobalValue::Undef(_) => None,
    })
}

/// Functions that some function calls.
pub(in crate::passes) fn called(module: &Module) -> FxHashSet<Func> {
    let mut called = FxHashSet::default();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| called.extend(body.inst(inst).entity::<Func>(Key::Func)));
    }
    called
}

/// What an instruction does to memory. A place without a path, such as an untyped pointer's, is as good as any.
pub(in crate::passes) fn does(alias: &Alias, data: &InstData) -> Does {
    let spot = |at: usize| data.args.get(at).and_then(|&path| alias.spot(path));
    match data.op {
        Op::Memory(MemoryOp::Load) => spot(0).map_or(Does::Calls, Does::Load),
        Op::Memory(MemoryOp::Store) => spot(0).map_or(Does::Calls, Does::Store),
        Op::Memory(MemoryOp::CopyVar) => {
            spot(0).zip(spot(1)).map_or(Does::Calls, |(to, from)| Does::Copy(to, from))
        }
        Op::Memory(MemoryOp::ArrayLen) => Does::Nothing,
        Op::Basic(BasicOp::Call) => Does::Calls,
        Op::Deref(_) | Op::Basic(BasicOp::Copy | BasicOp::Choose) => Does::Nothing,
        _ if data.op.props().removable() => {
            let looks =
                data.op.props().has(Props::READS) || data.args.iter().any(|&arg| alias.spot(arg).is_some());
            if looks { Does::Looks } else { Does::Nothing }
        }
        _ if data.args.iter().any(|&arg| alias.spot(arg).is_some()) => Does::Calls,
        _ => Does::Meets,
    }
}

/// Whether an access asks for nothing but the value: not volatile, coherent, or part of a memory model; and its address
/// is an operand and nothing else.
pub(in crate::passes) fn is_plain(data: &InstData) -> bool {
    is_relaxed(data) && !data.attrs.has(Key::Offset)
}

/// The same of an access whose address may have a constant part.
pub(in crate::passes) fn is_relaxed(data: &InstData) -> bool {
    // nontemporal, readonly, writeonly, nonuniform, reorder
    const HARMLESS: u64 = 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7;
    data.attrs.get(Key::Access).unwrap_or(0) & !HARMLESS == 0
}

/// Whether anybody but this invocation, or a function it calls, reaches memory of this mode.
pub(in crate::passes) fn is_private(mode: Option<Mode>) -> bool {
    matches!(mode, Some(Mode::Local | Mode::Private))
}

/// Whether a place survives what an instruction does that is no access of this function.
pub(in crate::passes) fn survives(alias: &Alias, spot: Spot, does: Does) -> bool {
    let mode = alias.mode(spot);
    let constant = alias.is_fixed(spot);
    match does {
        Does::Calls => constant || alias.is_ours(spot),
        Does::Meets => constant || is_private(mode),
        Does::Nothing | Does::Looks | Does::Load(_) | Does::Store(_) | Does::Copy(..) => true,
    }
}

/// Whether a store may come to nothing because the invocation is a helper: then what is read back is not what was stored.
pub(in crate::passes) fn has_helpers(module: &Module) -> bool {
    module.entries.is_empty() || module.entries.iter().any(|entry| entry.stage == Stage::Fragment)
}

/// Whether a function has local variables.
pub(in crate::passes) fn has_locals(module: &Module, func: Func) -> bool {
    module.vars().any(|(_, data)| data.mode == Mode::Local && data.owner == Some(func))
}

/// Whether a function does any of these with memory, in code that is reached or not.
pub(in crate::passes) fn any_op(body: &FuncBody, is: impl Fn(MemoryOp) -> bool) -> bool {
    let does = |&inst: &Inst| matches!(body.inst(inst).op, Op::Memory(op) if is(op));
    body.blocks_in_order().into_iter().any(|block| body.block(block).insts.iter().any(does))
}

/// Whether an access is volatile: the first word of the attribute's list.
pub(in crate::passes) fn is_volatile(data: &InstData) -> bool {
    data.attrs.get(Key::Access).is_some_and(|access| access & 1 != 0)
}

/// The variable each path leads into, as far as steps show it. A path that is a parameter has none, and what
/// hands it on keeps its variable.
pub(in crate::passes) fn roots(body: &FuncBody) -> SideTable<Inst, Option<Var>> {
    let mut roots: SideTable<Inst, Option<Var>> = SideTable::sized(None, body.tables().insts.len());
    for block in in_order(body) {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            roots[inst] = match data.op {
                Op::Deref(DerefOp::Var) => data.entity(Key::Var),
                Op::Deref(DerefOp::Field | DerefOp::Elem) => data.args.first().and_then(|&base| roots[base]),
                _ => None,
            };
        }
    }
    roots
}

/// Words of `access`.
pub(in crate::passes) const WATCHED: u64 = 0b11;

/// Whether a member of a buffer is coherent or volatile.
pub(in crate::passes) fn has_watched_members(module: &Module, data: &VarData) -> bool {
    let mut work = vec![data.ty];
    let mut seen = FxHashSet::default();
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match module.type_of(ty) {
            TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => work.push(*of),
            TypeData::Struct(structure) => {
                for member in
                    module.structure(*structure).map(|data| data.members.iter()).into_iter().flatten()
                {
                    if member.attrs.get(Key::Access).unwrap_or(0) & WATCHED != 0 {
                        return true;
                    }
                    work.push(member.ty);
                }
            }
            _ => {}
        }
    }
    false
}

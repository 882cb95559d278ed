//! Memory effects of instructions, as passes over memory need them: reads, writes, and synchronization.
//!
//! Does not decide which places alias: `analysis::Alias` does.

use super::open::in_order;
use rustc_hash::FxHashSet;
use vitrine_analysis::{Alias, Spot};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::DerefOp;
use vitrine_ir::ops::{Access, BasicOp, Key, MemoryOp, Op, Props, WordSet};
use vitrine_ir::{
    Attrs, DecorTarget, Editor, Func, FuncBody, GlobalValue, Inst, InstData, Mode, Module, Reason, Refusal,
    Stage, Var,
};
use vitrine_ir::{TypeData, VarData};

/// The memory effect of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    /// Nothing.
    Nothing,
    /// Reads a place.
    Load(Spot),
    /// Writes a place; with a mask, part of it.
    Store(Spot),
    /// Writes the first place with the content of the second.
    Copy(Spot, Spot),
    /// Reads something that is not a place of this function, or reads a place in an unusual manner.
    Looks,
    /// Lets other invocations observe and change the memory they share with this one.
    Meets,
    /// The same, and also changes variables that live as long as the invocation.
    Calls,
}

/// Removes an unused path, step by step, as far as its steps are unused.
pub(crate) fn sweep(ed: &mut Editor<'_>, path: Inst, why: Reason) -> Result<(), Refusal> {
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

/// Variables whose address is a constant of the module: their accesses cannot be enumerated.
pub(crate) fn addressed(module: &Module) -> impl Iterator<Item = Var> + '_ {
    module.globals().filter_map(|(_, data)| match data.value {
        GlobalValue::Address(var) => Some(var),
        GlobalValue::Spec(_)
        | GlobalValue::Op { .. }
        | GlobalValue::Parts(..)
        | GlobalValue::Zero(_)
        | GlobalValue::Undef(_) => None,
    })
}

/// Variables that constants or decorations of the module refer to, so that no other variable may replace them.
pub(crate) fn declared_elsewhere(module: &Module) -> FxHashSet<Var> {
    let decorated = module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        DecorTarget::Func(_) | DecorTarget::Global(_) | DecorTarget::Struct(_) | DecorTarget::Member(..) => {
            None
        }
    });
    addressed(module).chain(decorated).collect()
}

/// Functions that have a call.
pub(crate) fn called(module: &Module) -> FxHashSet<Func> {
    let mut called = FxHashSet::default();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| called.extend(body.inst(inst).entity::<Func>(Key::Func)));
    }
    called
}

/// The memory effect of an instruction. A place without a path, such as that of an untyped pointer, is treated
/// like any other.
pub(crate) fn does(alias: &Alias, data: &InstData) -> Does {
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
            let reads =
                data.op.props().has(Props::READS) || data.args.iter().any(|&arg| alias.spot(arg).is_some());
            if reads { Does::Looks } else { Does::Nothing }
        }
        _ if data.args.iter().any(|&arg| alias.spot(arg).is_some()) => Does::Calls,
        _ => Does::Meets,
    }
}

/// Returns true if an access has no requirement beyond its value: it is not volatile, coherent, or part of a
/// memory model, and its address is a single operand.
pub(crate) fn is_plain(data: &InstData) -> bool {
    is_relaxed(data) && !data.attrs.has(Key::Offset)
}

/// The same for an access whose address may have a constant part.
pub(crate) fn is_relaxed(data: &InstData) -> bool {
    const HARMLESS: Access = Access::NONTEMPORAL
        .and(Access::READONLY)
        .and(Access::WRITEONLY)
        .and(Access::NONUNIFORM)
        .and(Access::REORDER);
    data.attrs.words::<Access>().without(HARMLESS).is_none()
}

/// Returns true if only this invocation, and the functions it calls, can access memory of this mode.
pub(crate) fn is_private(mode: Option<Mode>) -> bool {
    matches!(mode, Some(Mode::Local | Mode::Private))
}

/// Returns true if the content of a place is unchanged by an instruction that is not an access of this
/// function.
pub(crate) fn survives(alias: &Alias, spot: Spot, does: Does) -> bool {
    let mode = alias.mode(spot);
    let constant = alias.is_fixed(spot);
    match does {
        Does::Calls => constant || alias.is_ours(spot),
        Does::Meets => constant || is_private(mode),
        Does::Nothing | Does::Looks | Does::Load(_) | Does::Store(_) | Does::Copy(..) => true,
    }
}

/// Returns true if a store may have no effect because the invocation is a helper invocation: a load after it
/// may then not return the stored value.
pub(crate) fn has_helpers(module: &Module) -> bool {
    module.entries.is_empty() || module.entries.iter().any(|entry| entry.stage == Stage::Fragment)
}

/// Returns true if a function has local variables.
pub(crate) fn has_locals(module: &Module, func: Func) -> bool {
    module.vars().any(|(_, data)| data.mode == Mode::Local && data.owner == Some(func))
}

/// Returns true if a function has any of these memory operations, in reachable code or not.
pub(crate) fn any_op(body: &FuncBody, is: impl Fn(MemoryOp) -> bool) -> bool {
    let does = |&inst: &Inst| matches!(body.inst(inst).op, Op::Memory(op) if is(op));
    body.blocks_in_order().into_iter().any(|block| body.block(block).insts.iter().any(does))
}

/// Returns true if an access is volatile.
pub(crate) fn is_volatile(data: &InstData) -> bool {
    data.attrs.words::<Access>().has(Access::VOLATILE)
}

/// The same attributes with other words of `access`; without the key if there are none.
pub(crate) fn with_access(attrs: &Attrs, access: Access) -> Attrs {
    match access.is_none() {
        true => attrs.without(Key::Access),
        false => attrs.with(Key::Access, access.number()),
    }
}

/// The variable that each path refers to, as far as path steps show it. A path that is a parameter has none; an
/// instruction that forwards a path keeps its variable.
pub(crate) fn roots(body: &FuncBody) -> SideTable<Inst, Option<Var>> {
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

/// Returns true if an access, a variable or a member is coherent or volatile.
pub(crate) fn is_watched(attrs: &Attrs) -> bool {
    attrs.words::<Access>().has_any(Access::VOLATILE.and(Access::COHERENT))
}

/// Returns true if a member of a buffer is coherent or volatile.
pub(crate) fn has_watched_members(module: &Module, data: &VarData) -> bool {
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
                    if is_watched(&member.attrs) {
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

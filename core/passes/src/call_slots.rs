//! `call-slots`: passes a local variable itself in place of a temporary that is copied to it after the call.
//!
//! ```text
//!   %0: path = deref.var $x                   %0: path = deref.var $x
//!   %1: path = deref.var $arg          =>     call @1(%0)
//!   %2: b32 = load %0
//!   store %1, %2
//!   call @1(%1)
//!   %3: b32 = load %1
//!   store %0, %3
//! ```
//!
//! Front ends for languages that copy arguments in and out pass the address of a temporary variable for each of them.
//! The temporary is passed once; in the same block it may be stored to before the call, or be the target of a copy, and
//! is read once after it, by a load whose value is only stored to the variable, or by a copy. Between the store to the
//! temporary and the store to the variable, nothing else accesses the variable. A store of the value that the variable
//! already has is removed, too.
//!
//! Left alone: variables with an initializer, a decoration, or a constant address; variables of which an address is
//! stored, selected or passed on by a block; variables that another argument of the call refers to; temporaries of
//! another type; volatile accesses. LLVM calls this the call slot optimization.

use super::pass::PassInfo;
use crate::util::memory::{addressed, is_plain, roots};
use crate::util::open::{in_order, may_have};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op};
use vitrine_ir::{Block, DecorTarget, Editor, Inst, Mode, Reason, Refusal, Use, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Passes a local variable itself in place of a temporary that is copied to it after the call.",
    may_apply: |body, _| may_have(body, |data| data.op == Op::Basic(BasicOp::Call)),
    ..PassInfo::edits("call-slots", opening!("call_slots.rs"), |ed, _| call_slots(ed))
};

const WHY: Reason = Reason::Note("the variable itself is passed");

/// Passes variables in place of temporaries. Near-linear; idempotent; both shapes.
pub(super) fn call_slots(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let is_call = |ed: &Editor<'_>, inst: Inst| ed.func().inst(inst).op == Op::Basic(BasicOp::Call);
    let has_call =
        |ed: &Editor<'_>, block: Block| ed.func().block(block).insts.iter().any(|&inst| is_call(ed, inst));
    let blocks: Vec<Block> = in_order(ed.func()).into_iter().filter(|&block| has_call(ed, block)).collect();
    if blocks.is_empty() {
        return Ok(());
    }
    let mut vars = Vars::of(ed);
    for block in blocks {
        let insts = ed.func().block(block).insts.to_vec();
        for inst in insts {
            if !ed.is_placed(inst) || !is_call(ed, inst) {
                continue;
            }
            for at in 0..ed.func().inst(inst).args.len() {
                let Some(slot) = slot(ed, &vars, block, inst, at) else { continue };
                if !ed.consume_fuel() {
                    return Ok(());
                }
                apply(ed, &mut vars, &slot)?;
            }
        }
    }
    Ok(())
}

/// The local variables of a function.
struct Vars {
    /// The variables that can be temporaries or take their place: whole paths.
    paths: FxHashMap<Var, Vec<Inst>>,
    roots: SideTable<Inst, Option<Var>>,
}

impl Vars {
    fn of(ed: &Editor<'_>) -> Vars {
        let (module, body) = (ed.module(), ed.func());
        let roots = roots(body);
        let mut paths: FxHashMap<Var, Vec<Inst>> = FxHashMap::default();
        let mut escaped: FxHashSet<Var> = addressed(module).collect();
        escaped.extend(module.decors.iter().filter_map(|decor| match decor.on {
            DecorTarget::Var(var) => Some(var),
            _ => None,
        }));
        for block in in_order(body) {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                if let Some(var) = data.entity::<Var>(Key::Var) {
                    match data.op {
                        Op::Deref(DerefOp::Var) => paths.entry(var).or_default().push(inst),
                        _ => _ = escaped.insert(var),
                    }
                }
                for (at, &arg) in data.args.iter().enumerate() {
                    let is_known = match data.op {
                        Op::Deref(DerefOp::Field | DerefOp::Elem) => at == 0,
                        Op::Memory(MemoryOp::Load | MemoryOp::Store) => at == 0 && is_plain(data),
                        Op::Memory(MemoryOp::CopyVar) => is_plain(data),
                        Op::Basic(BasicOp::Call) => true,
                        _ => false,
                    };
                    escaped.extend(roots[arg].filter(|_| !is_known));
                }
            }
            body.terminator(block).for_each_use(|value| escaped.extend(roots[value]));
        }
        paths.retain(|&var, _| {
            let is_own = module.var(var).is_some_and(|data| {
                data.mode == Mode::Local && data.owner == Some(ed.id()) && data.init.is_none()
            });
            is_own && !escaped.contains(&var)
        });
        Vars { paths, roots }
    }

    /// The variable of a whole path.
    fn whole(&self, ed: &Editor<'_>, path: Inst) -> Option<Var> {
        let data = ed.func().inst(path);
        let var: Var = data.entity(Key::Var).filter(|_| data.op == Op::Deref(DerefOp::Var))?;
        self.paths.contains_key(&var).then_some(var)
    }
}

/// A temporary and the variable that takes its place.
struct Slot {
    temporary: Var,
    /// The path of the temporary.
    path: Inst,
    var: Var,
    /// The store to the variable, or the copy; then the load of the temporary.
    out: Vec<Inst>,
    /// The store to the temporary if it stores the value of the variable; then the load of that, if nothing else uses it.
    same: Vec<Inst>,
}

/// The uses of a temporary, by position in the block.
#[derive(Default)]
struct Uses {
    before: Option<(usize, Inst)>,
    after: Option<(usize, Inst)>,
}

/// Finds the variable that takes the place of an argument.
fn slot(ed: &mut Editor<'_>, vars: &Vars, block: Block, call: Inst, at: usize) -> Option<Slot> {
    let path = *ed.func().inst(call).args.get(at)?;
    let temporary = vars.whole(ed, path)?;
    if vars.paths.get(&temporary)?.len() != 1 {
        return None;
    }
    let called = ed.index_of(call)?;
    let uses = uses(ed, block, path, (call, called))?;
    let (_, out) = uses.after?;
    let data = ed.func().inst(out).clone();
    let (target, end, out) = if data.op == Op::Memory(MemoryOp::CopyVar) {
        (*data.args.first()?, out, vec![out])
    } else {
        let mut users = ed.uses(out);
        let (Some(Use::Arg(store, 1)), None) = (users.next(), users.next()) else { return None };
        drop(users);
        let data = ed.func().inst(store);
        let is_whole = data.op == Op::Memory(MemoryOp::Store) && is_plain(data) && !data.attrs.has(Key::Mask);
        let target = data.args.first().copied().filter(|_| is_whole)?;
        if ed.block_of(store) != Some(block) {
            return None;
        }
        (target, store, vec![store, out])
    };
    let var = vars.whole(ed, target).filter(|&var| var != temporary)?;
    let ty = |var: Var| ed.module().var(var).map(|data| data.ty);
    if ty(var) != ty(temporary) {
        return None;
    }
    let begin = uses.before.map_or(called, |(at, _)| at);
    let end = ed.index_of(end)?;
    let given = uses.before.map(|(_, inst)| inst);
    let is_ours = |inst: Inst| out.contains(&inst) || Some(inst) == given;
    let between = ed.func().block(block).insts.get(begin..end)?;
    if between.iter().any(|&inst| !is_ours(inst) && accesses(ed, vars, inst, var)) {
        return None;
    }
    let same = given.map(|given| same(ed, vars, block, (begin, given), var)).unwrap_or_default();
    Some(Slot { temporary, path, var, out, same })
}

/// Returns true for an access to a variable, or a call that it is passed to.
fn accesses(ed: &Editor<'_>, vars: &Vars, inst: Inst, var: Var) -> bool {
    let data = ed.func().inst(inst);
    !matches!(data.op, Op::Deref(_)) && data.args.iter().any(|&arg| vars.roots[arg] == Some(var))
}

/// The uses of a temporary's path, if they are those of a slot.
fn uses(ed: &mut Editor<'_>, block: Block, path: Inst, (call, called): (Inst, usize)) -> Option<Uses> {
    let mut found = Uses::default();
    let mut calls = 0;
    let all: Vec<Use> = ed.uses(path).take(4).collect();
    for place in all {
        let Use::Arg(user, number) = place else { return None };
        let data = ed.func().inst(user).clone();
        if ed.block_of(user) != Some(block) {
            return None;
        }
        let at = ed.index_of(user)?;
        match (data.op, number) {
            (Op::Basic(BasicOp::Call), _) if user == call => calls += 1,
            (Op::Memory(MemoryOp::Store), 0) if !data.attrs.has(Key::Mask) && at < called => {
                if found.before.replace((at, user)).is_some() {
                    return None;
                }
            }
            (Op::Memory(MemoryOp::CopyVar), 0) if at < called => {
                if found.before.replace((at, user)).is_some() {
                    return None;
                }
            }
            (Op::Memory(MemoryOp::Load), 0) | (Op::Memory(MemoryOp::CopyVar), 1) if at > called => {
                if found.after.replace((at, user)).is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    (calls == 1).then_some(found)
}

/// The store to the temporary, if it stores the value that the variable has then.
fn same(ed: &mut Editor<'_>, vars: &Vars, block: Block, (at, given): (usize, Inst), var: Var) -> Vec<Inst> {
    let data = ed.func().inst(given).clone();
    let Some(&source) = data.args.get(1) else { return Vec::new() };
    if data.op == Op::Memory(MemoryOp::CopyVar) {
        return if vars.whole(ed, source) == Some(var) { vec![given] } else { Vec::new() };
    }
    let load = ed.func().inst(source);
    let path = load.args.first().copied().filter(|_| load.op == Op::Memory(MemoryOp::Load));
    if path.and_then(|path| vars.whole(ed, path)) != Some(var) {
        return Vec::new();
    }
    let is_here = ed.block_of(source) == Some(block);
    let Some(from) = ed.index_of(source).filter(|&from| from < at && is_here) else {
        return Vec::new();
    };
    let insts = &ed.func().block(block).insts;
    let between = insts.get(from + 1..at).unwrap_or_default();
    let is_load = |inst: Inst| ed.func().inst(inst).op == Op::Memory(MemoryOp::Load);
    if between.iter().any(|&inst| ed.is_placed(inst) && !is_load(inst) && accesses(ed, vars, inst, var)) {
        return Vec::new();
    }
    let is_single = ed.use_count(source) == 1;
    std::iter::once(given).chain(is_single.then_some(source)).collect()
}

fn apply(ed: &mut Editor<'_>, vars: &mut Vars, slot: &Slot) -> Result<(), Refusal> {
    let data =
        ed.func().inst(slot.path).clone().with(Key::Var, vitrine_ir::base::EntityId::index(slot.var) as u64);
    for &inst in slot.out.iter().chain(&slot.same) {
        ed.erase(inst, WHY)?;
    }
    ed.rewrite(slot.path, data, WHY)?;
    vars.paths.remove(&slot.temporary);
    vars.paths.entry(slot.var).or_default().push(slot.path);
    vars.roots[slot.path] = Some(slot.var);
    ed.remove_local(slot.temporary)
}

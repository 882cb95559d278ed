//! `remove-dead-variables`: removes variables that are never read, and the stores to them.
//!
//! ```text
//! global $scratch: f32 private            ^0:
//! ^0:                                       return
//!   %1: path = deref.var $scratch    =>
//!   store %1, %0
//!   return
//! ```
//!
//! Applies to variables that are only visible to this shader (`local`, `private`, `workgroup`). Such a variable
//! is removed if in all functions its paths are only extended, stored to and copied to. Volatile stores and
//! copies are kept, and so are their variables. A variable that is only read by copies into removed variables
//! is removed with them. The initializer of a variable does not count as a use.
//!
//! Unchanged: variables that are visible outside, even if the shader does not use them; variables whose address
//! is a module constant or is passed on; variables with an unknown decoration; single dead stores to variables
//! that are read elsewhere (see `dead-write-vars`).

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::memory::addressed;
use crate::util::memory::{is_volatile, roots};
use crate::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op};
use vitrine_ir::{
    DecorTarget, Diag, Fuel, Func, Inst, InstData, Journal, Mode, Module, Reason, Refusal, Var,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes variables that are never read, and the stores to them.",
    ..PassInfo::new(
        "remove-dead-variables",
        opening!("remove_dead_variables.rs"),
        RunFn::Module(remove_dead_variables),
    )
};

/// Removes unused variables. Linear; idempotent; both shapes. A variable is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn remove_dead_variables(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let (kept, copies) = kept(module);
    let dead = module.vars().filter(|(var, data)| is_internal(data.mode) && !kept.contains(var));
    let dead = affordable(&dead.map(|(var, _)| var).collect::<Vec<Var>>(), &copies, fuel);
    if dead.is_empty() {
        return Ok(Vec::new());
    }
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let mut journals = Vec::new();
    for func in funcs {
        let journal = erase(module, func, &dead).map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, journal));
    }
    for entry in std::rc::Rc::make_mut(&mut module.entries) {
        entry.interface.retain(|var| !dead.contains(var));
    }
    dead.into_iter().for_each(|var| module.remove_var(var));
    Ok(journals)
}

/// Returns true if only this shader accesses variables of this mode.
fn is_internal(mode: Mode) -> bool {
    matches!(mode, Mode::Local | Mode::Private | Mode::Shared)
}

/// The variables that the fuel allows. The source of a copy comes after its target; variables that are copied
/// to each other are removed together.
fn affordable(dead: &[Var], copies: &[(Var, Var)], fuel: &mut Fuel) -> FxHashSet<Var> {
    let all: FxHashSet<Var> = dead.iter().copied().collect();
    let edges = copies.iter().filter(|(to, from)| to != from && all.contains(to) && all.contains(from));
    let mut readers: FxHashMap<Var, usize> = FxHashMap::default();
    let mut sources: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
    for &(to, from) in edges {
        *readers.entry(from).or_default() += 1;
        sources.entry(to).or_default().push(from);
    }
    let mut out: FxHashSet<Var> = FxHashSet::default();
    let mut work: Vec<Var> = dead.iter().rev().copied().filter(|var| !readers.contains_key(var)).collect();
    while let Some(var) = work.pop() {
        if !fuel.take() {
            return out;
        }
        out.insert(var);
        for &source in sources.get(&var).into_iter().flatten() {
            if let Some(count) = readers.get_mut(&source) {
                *count -= 1;
                if *count == 0 {
                    work.push(source);
                }
            }
        }
    }
    if out.len() < dead.len() && fuel.take() {
        out.extend(dead);
    }
    out
}

/// Variables that may be read, and copies from one variable to another: the source is only read if the target
/// is.
fn kept(module: &Module) -> (FxHashSet<Var>, Vec<(Var, Var)>) {
    let mut kept: FxHashSet<Var> = FxHashSet::default();
    let mut copies: Vec<(Var, Var)> = Vec::new();
    for (_, body) in module.funcs() {
        let roots = roots(body);
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            // A longer path is classified by its own uses.
            let further = matches!(data.op, Op::Deref(DerefOp::Field | DerefOp::Elem));
            let stored = is_store(data) && !is_volatile(data);
            let copied = match data.args[..] {
                [to, from] if stored && data.op == Op::Memory(MemoryOp::CopyVar) => {
                    roots[to].zip(roots[from])
                }
                _ => None,
            };
            copies.extend(copied);
            for (at, &arg) in data.args.iter().enumerate() {
                if !(at == 0 && (further || stored)) && copied.is_none() {
                    kept.extend(roots[arg]);
                }
            }
            // Unreachable code was not visited: it keeps the variables that it uses.
            if data.op != Op::Deref(DerefOp::Var) || roots[inst].is_none() {
                kept.extend(data.entity::<Var>(Key::Var));
            }
        });
        for block in body.blocks_in_order() {
            body.terminator(block).for_each_use(|value| kept.extend(roots[value]));
        }
    }
    let addressed = addressed(module);
    kept.extend(addressed);
    kept.extend(module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        DecorTarget::Func(_) | DecorTarget::Global(_) | DecorTarget::Struct(_) | DecorTarget::Member(..) => {
            None
        }
    }));
    let mut sources: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
    copies.iter().for_each(|&(to, from)| sources.entry(to).or_default().push(from));
    let seen = |var: Var| module.var(var).is_some_and(|data| !is_internal(data.mode));
    kept.extend(copies.iter().map(|&(to, _)| to).filter(|&to| seen(to)));
    let mut work: Vec<Var> = kept.iter().copied().collect();
    while let Some(var) = work.pop() {
        let from = sources.remove(&var).unwrap_or_default();
        work.extend(from.into_iter().filter(|&source| kept.insert(source)));
    }
    (kept, copies)
}

/// Returns true if the only effect of an instruction is to write through its first operand.
fn is_store(data: &InstData) -> bool {
    matches!(data.op, Op::Memory(MemoryOp::Store | MemoryOp::CopyVar))
}

/// Erases the stores to these variables, and their paths.
fn erase(module: &mut Module, func: Func, dead: &FxHashSet<Var>) -> Result<Journal, Refusal> {
    let Ok(mut ed) = open(module, func) else { return Ok(Journal::new()) };
    let roots = roots(ed.func());
    let into = |inst: Inst| roots[inst].is_some_and(|var| dead.contains(&var));
    let mut dead_insts = Vec::new();
    for block in in_order(ed.func()) {
        for &inst in ed.func().block(block).insts.iter() {
            let data = ed.func().inst(inst);
            let store = is_store(data) && data.args.first().is_some_and(|&to| into(to));
            if store || into(inst) {
                dead_insts.push(inst);
            }
        }
    }
    for inst in dead_insts.into_iter().rev() {
        ed.erase(inst, Reason::Note("the variable is never read"))?;
    }
    Ok(ed.finish().journal)
}

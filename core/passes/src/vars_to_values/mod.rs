//! `vars-to-values`: promotes local variables to values and block parameters, leaf by leaf.
//!
//! ```text
//! local $sum_0: f32                           ^0:
//! ^0:                                           %1: b32 = const 1.0
//!   %1: b32 = const 1.0                         if !0 %0 {
//!   %2: path = deref.var $sum_0                 ^1:
//!   store %2, %1                                  %3: b32 = fadd %1, %1
//!   if !0 %0 {                                    next(%3)
//!   ^1:                                  =>     } else {
//!     %3: b32 = fadd %1, %1                     ^2:
//!     store %2, %3                                next(%1)
//!     next                                      }
//!   } else { ^2: next }                       ^3(%5: b32):
//! ^3:                                           return %5
//!   %4: b32 = load %2
//!   return %4
//! ```
//!
//! A *leaf* is a scalar or a vector in a variable: a member of a structure, an element of an array, a column of
//! a matrix, or the whole variable. A leaf is promoted if all paths to it consist of constant steps and are
//! only used by loads and stores; a dynamic index, a call or an atomic keeps the affected part in memory, and
//! nothing else. Loads and stores of a component, and masked stores, are converted to accesses to the whole
//! vector first; copies become a load and a store for each leaf, which is the only case in which this pass
//! makes a program larger. Places without a store are `undef`, or have the initializer's value. Parameters are
//! added where definitions meet (`ssa`).
//!
//! Parameters are named after the variable and the steps to the leaf, and so are stored values without a name.
//!
//! Unused paths are removed, and variables without any. A pointer in a variable is a leaf too, if it has no
//! initializer. Kept in memory: resources in variables, volatile accesses, constant indices out of range, and
//! variables with more leaves than the option `max-leaves` allows.

mod places; // start here: the leaves
mod prepare; // accesses that are not loads or stores of a whole leaf
mod promote; // converts loads and stores to values

use super::options::{PassOptions, options};
use super::pass::{PassInfo, RunFn};
use crate::util::open::{open, refused};
use places::Places;
use rustc_hash::FxHashSet;
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, Key, Op};
use vitrine_ir::{DecorTarget, Diag, Fuel, Func, Inst, Journal, Module, Reason, Var};

options! {
    /// The variables that are promoted.
    struct Promoted {
        /// Largest number of leaves of a variable that is promoted.
        max_leaves: u32 = 64 in 0..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Promotes local variables to values and block parameters, leaf by leaf.",
    options: Promoted::INFO,
    reason: crate::util::ssa::reason,
    ..PassInfo::new(
        "vars-to-values",
        opening!("mod.rs"),
        RunFn::Function(|module, func, cx, fuel| {
            vars_to_values(module, func, Promoted::of(cx.options).max_leaves, fuel)
        }),
    )
};

/// Promotes leaves of local variables to values. Near-linear; idempotent; both shapes.
///
/// Errors: `P101` no such function, `P103` a function that was not valid.
pub(super) fn vars_to_values(
    module: &mut Module,
    func: Func,
    max_leaves: u32,
    fuel: &mut Fuel,
) -> Result<Journal, Diag> {
    let mut journal = Journal::new();
    let fail = |refusal| refused(func, &refusal);
    drop(open(module, func)?);
    // A variable is a unit of fuel: the remaining ones are unchanged.
    let candidates = Places::of(module, func, max_leaves, &FxHashSet::default()).candidates();
    let late: FxHashSet<Var> = candidates.into_iter().filter(|_| !fuel.take()).collect();
    let analyze = |module: &Module| Places::of(module, func, max_leaves, &late);
    let places = analyze(module);
    if !places.copies.is_empty() {
        let copies = places.copies.clone();
        let edited = prepare::split_copies(open(module, func)?, &copies, max_leaves).map_err(fail)?;
        extend(&mut journal, &edited);
    }
    let places = analyze(module);
    if !places.promotes_any() {
        return Ok(journal);
    }
    extend(&mut journal, &prepare::whole_accesses(open(module, func)?, &places).map_err(fail)?);
    let places = analyze(module);
    extend(&mut journal, &promote::promote(module, func, &places));
    extend(&mut journal, &clean(module, func, &places.vars())?);
    Ok(journal)
}

fn extend(journal: &mut Journal, more: &Journal) {
    more.events().iter().for_each(|&(event, why)| journal.push(event, why));
}

/// Erases unused paths of these variables, and variables without paths.
fn clean(module: &mut Module, func: Func, vars: &[Var]) -> Result<Journal, Diag> {
    let wanted: FxHashSet<Var> = vars.iter().copied().collect();
    let mut ed = open(module, func)?;
    let mut paths: Vec<Inst> = Vec::new();
    ed.func().for_each_inst(|_, inst| {
        let data = ed.func().inst(inst);
        if matches!(data.op, Op::Deref(_)) || data.attrs.has(Key::Var) {
            paths.push(inst);
        }
    });
    let mut left: FxHashSet<Var> = FxHashSet::default();
    for path in paths.into_iter().rev() {
        let data = ed.func().inst(path);
        let var: Option<Var> = data.entity(Key::Var);
        let ours = roots_at(&ed, path).is_some_and(|var| wanted.contains(&var));
        let unused =
            ours && ed.use_count(path) == 0 && ed.erase(path, Reason::Note("the path is unused")).is_ok();
        if !unused {
            left.extend(var);
        }
    }
    let edited = ed.finish().journal;
    let decorated: FxHashSet<Var> = module
        .decors
        .iter()
        .filter_map(|decor| match decor.on {
            DecorTarget::Var(var) => Some(var),
            DecorTarget::Func(_)
            | DecorTarget::Global(_)
            | DecorTarget::Struct(_)
            | DecorTarget::Member(..) => None,
        })
        .collect();
    for &var in vars {
        if !left.contains(&var) && !decorated.contains(&var) && !is_addressed(module, var) {
            module.remove_var(var);
        }
    }
    Ok(edited)
}

/// The variable a path starts at.
fn roots_at(ed: &vitrine_ir::Editor<'_>, path: Inst) -> Option<Var> {
    let mut at = path;
    // The length of a path is bounded by the depth of types; cycles occur only in invalid code.
    for _ in 0..256 {
        let data = ed.func().inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var),
            Op::Deref(_) => at = *data.args.first()?,
            _ => return None,
        }
    }
    None
}

/// Returns true if a module constant is the address of a variable.
fn is_addressed(module: &Module, var: Var) -> bool {
    let address = vitrine_ir::GlobalValue::Address(var);
    let addressed = module.globals().any(|(_, data)| data.value == address);
    addressed || var.index() >= module.sizes()[1]
}

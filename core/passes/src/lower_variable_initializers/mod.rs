//! `lower-variable-initializers`: lowers initializers of variables to stores at the start.
//!
//! ```text
//! local $0: [u32 * 2] = &0                  local $0: [u32 * 2]
//! ^0:                                       ^0:
//!   ...                               =>      %1: path = deref.var $0
//!                                             %2: b32 = const 0
//!                                             %3: path = deref.elem %1, %2
//!                                             %4: b32 = const 5
//!                                             store %3, %4
//!                                             ...
//! ```
//!
//! A local is initialized at each call, so its stores are at the start of its function; a private variable or an
//! output is initialized once per invocation, so its stores are at the start of every entry point.
//!
//! With `local`, only locals are lowered; with `outputs`, only outputs. Afterwards no local, private variable or
//! output has an initializer, except those with a part known only when the shader is specialized, those with more
//! than 16,384 leaves, locals of functions with a back edge to the first block, globals if an entry point is called
//! or has such an edge, and outputs of tessellation control and mesh shaders, which several invocations write.
//! Undefined parts are not stored. Untyped variables, which `qptr-lower` leaves, keep their initializers, because their
//! parts have no paths.
//!
//! With `shared`, only variables that a workgroup shares are lowered, if they start as zeros: its invocations store
//! the zeros together, and a barrier follows.
//!
//! ```text
//! shared $1: [u32 * 512] = zero             %1: path = deref.var $index
//!                                           %2: b32 = load %1
//!                                     =>    loop from %2, by the size of the workgroup {
//!                                             store $1[…], 0
//!                                           }
//!                                           barrier {scope workgroup, order acq_rel+workgroup_memory, exec workgroup}
//! ```
//!
//! The opposite is `large-constants`. NIR: `nir_lower_variable_initializers`.

mod shared;

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn, merged};
use crate::util::initial;
use crate::util::leaves::{Arrays, Inner, further, leaves};
use crate::util::memory::called;
use crate::util::open::{open, refused};
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{MemoryOp, Op, ValueType};
use vitrine_ir::{
    Diag, Fuel, Func, GlobalValue, InsertPoint, InstData, Journal, Mode, Module, Operand, Reason, Refusal,
    Stage, Type, Var, VarData,
};

options! {
    /// The variables whose initializers are lowered.
    struct Lowered {
        choice vars: Variables {
            /// Locals, private variables and outputs.
            All "all",
            /// Locals.
            Local "local",
            /// Outputs.
            Outputs "outputs",
            /// Variables of a workgroup that start as zeros.
            Shared "shared",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers initializers of variables to stores at the start.",
    options: Lowered::INFO,
    ..PassInfo::new(
        "lower-variable-initializers",
        opening!("mod.rs"),
        RunFn::Module(|module, cx, fuel| {
            lower_variable_initializers(module, Lowered::of(cx.options).vars, cx.analyses, fuel)
        }),
    )
};

const WHY: Reason = Reason::Note("the initial value is stored");

/// Maximum number of leaves of a variable.
const MAX_LEAVES: usize = 1 << 14;

/// Maximum number of stores.
const MAX_STORES: usize = 1 << 20;

/// A leaf: the steps to it, and its initial value.
type Leaf = (Vec<Inner>, Operand, ValueType);

/// Turns initializers into stores. Linear in the size of the result; idempotent; both shapes. One unit of fuel per
/// variable.
///
/// Error: `P103` if a function is not valid.
fn lower_variable_initializers(
    module: &mut Module,
    which: Variables,
    analyses: &mut Analyses,
    fuel: &mut Fuel,
) -> Result<Journals, Diag> {
    let entries = entries(module, analyses);
    if which == Variables::Shared {
        return shared::lower(module, entries.as_deref().unwrap_or(&[]), fuel);
    }
    let all: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.init.is_some() && !data.is_untyped())
        .map(|(var, data)| (var, data.clone()))
        .collect();
    let mut journals = Journals::new();
    let mut budget = MAX_STORES;
    for (var, data) in all {
        let funcs: Vec<Func> = match (data.mode, data.owner) {
            (Mode::Local, Some(owner))
                if which != Variables::Outputs && has_single_entry(module, owner, analyses) =>
            {
                vec![owner]
            }
            (Mode::Private, _) if which == Variables::All => match &entries {
                Some(entries) => entries.clone(),
                None => continue,
            },
            (Mode::Out, _) if which != Variables::Local => match &entries {
                Some(entries) if !is_written_together(module, var) => writers(module, entries, var),
                Some(_) | None => continue,
            },
            _ => continue,
        };
        let Some(parts) = data.init.and_then(|init| parts(module, data.ty, init)) else { continue };
        let count = parts.len().saturating_mul(funcs.len().max(1));
        if count > budget {
            continue;
        }
        if !fuel.take() {
            break;
        }
        budget -= count;
        module.set_var(var, VarData { init: None, ..data });
        for func in funcs {
            let journal = insert_stores(module, func, var, &parts)?;
            journals.push((func, journal));
        }
    }
    Ok(merged(journals))
}

/// Returns the entry points, if each runs once in an invocation.
fn entries(module: &Module, analyses: &mut Analyses) -> Option<Vec<Func>> {
    let mut entries: Vec<Func> = Vec::new();
    for entry in module.entries.iter() {
        if !entries.contains(&entry.func) {
            entries.push(entry.func);
        }
    }
    let called = called(module);
    // Without an entry point, the start of an invocation is unknown.
    let mut fits = |&func: &Func| !called.contains(&func) && has_single_entry(module, func, analyses);
    (!entries.is_empty() && entries.iter().all(&mut fits)).then_some(entries)
}

/// The entry points with an output in their interface; all of them if none has it there.
fn writers(module: &Module, entries: &[Func], var: Var) -> Vec<Func> {
    let has = |func: &&Func| {
        module.entries.iter().any(|entry| entry.func == **func && entry.interface.contains(&var))
    };
    let own: Vec<Func> = entries.iter().filter(has).copied().collect();
    if own.is_empty() { entries.to_vec() } else { own }
}

/// Returns true if several invocations may write an output: one may do so before another one stores the initial value.
fn is_written_together(module: &Module, var: Var) -> bool {
    module.entries.iter().any(|entry| {
        matches!(entry.stage, Stage::TessControl | Stage::Mesh) && entry.interface.contains(&var)
    })
}

/// Returns true if the first block of a function is entered only by calls.
fn has_single_entry(module: &Module, func: Func, analyses: &mut Analyses) -> bool {
    let cfg = analyses.get::<Cfg>(module, func);
    cfg.entry().is_some_and(|entry| cfg.preds(entry).next().is_none())
}

/// Returns the initial value of each leaf; none if one is unknown.
fn parts(module: &mut Module, ty: Type, init: Operand) -> Option<Vec<Leaf>> {
    let mut out = Vec::new();
    for leaf_path in leaves(module, ty, MAX_LEAVES, Arrays::Apart)? {
        let steps: Vec<u32> = leaf_path.iter().map(|&step| initial::number(step)).collect();
        let leaf = initial::leaf_type(module, ty, &steps)?;
        if is_undefined(module, init, &steps) {
            continue;
        }
        let part = initial::part(module, init, steps, leaf)?;
        out.push((leaf_path, part, leaf));
    }
    Some(out)
}

/// Returns true if a part of an initializer is undefined.
fn is_undefined(module: &Module, init: Operand, steps: &[u32]) -> bool {
    let mut part = Some(init);
    for at in 0..=steps.len() {
        let Some(Operand::Global(global)) = part else { return false };
        part = match module.global(global).map(|data| &data.value) {
            Some(GlobalValue::Undef(_)) => return true,
            Some(GlobalValue::Parts(_, parts)) => {
                steps.get(at).and_then(|&step| parts.get(step as usize)).copied()
            }
            _ => return false,
        };
    }
    false
}

/// Inserts the stores before all other instructions.
fn insert_stores(module: &mut Module, func: Func, var: Var, parts: &[Leaf]) -> Result<Journal, Diag> {
    let mut ed = open(module, func)?;
    let done = (|| {
        let Some(entry) = ed.func().entry() else { return Ok(()) };
        let mut b = ed.build(InsertPoint::Start(entry), WHY);
        let root = b.deref_var(var);
        for (leaf_path, part, ty) in parts {
            let path = leaf_path.iter().fold(root, |path, &step| further(&mut b, path, step));
            let value = b.emit_with(initial::instruction(*part, *ty));
            b.emit_with(InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[path, value]));
        }
        b.finish()
    })();
    let edited = ed.finish();
    done.map_err(|refusal: Refusal| refused(func, &refusal))?;
    Ok(edited.journal)
}

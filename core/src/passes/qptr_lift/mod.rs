//! `qptr-lift`: converts untyped pointers to typed access paths.
//!
//! ```text
//! storage $lights_3: bytes(16 + n * 32) was #0 {set 0}       storage $lights_3: #0 {set 0}
//! %1: ptr = ptr.var $lights_3                                %1: path = deref.var $lights_3
//! %5: ptr = ptr.buffer_data %1                               %8: path = deref.field %1.1
//! %6: ptr = ptr.dyn_offset %5, %0 {stride 32}           =>   %9: path = deref.elem %8, %0
//! %7: b32x3 = load %6 {offset 28}                            %10: path = deref.field %9.2
//!                                                            %7: b32x3 = load %10
//! ```
//!
//! A type is found for each address by its bytes: the members, elements and components that lie there. Memory gets back
//! the type that it was declared with, with names and decorations, wherever every address agrees with its layout.
//! What is read as components of a vector, or wider than memory is declared, is read in parts. A step that no array has is
//! counted in smaller units and divided.
//!
//! Memory with which they do not agree gets another type: members that agree stay, and what is seen in several ways
//! becomes numbers of which each is made (`rebuild.rs`). Where there is none, the program stays as it was.
//!
//! SPIR-T: `qptr::lift`, which makes types anew and loses what they said.

mod accesses;
mod paths;
mod rebuild;

use super::pass::{Journals, Options, PassInfo, RunFn};
use crate::analysis::Usage;
use crate::base::opening::opening;
use crate::ir::layout::Sizes;
use crate::ir::{Anchor, BlockRewriter, Diag, Fuel, Func, Module, Refusal, Var, VarData};
use crate::ops::{Key, ValueType};
use crate::passes::util::open::{in_order, refused, sweep};
use paths::{Lifter, Misfit};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts untyped pointers to typed access paths.",
    ..PassInfo::new("qptr-lift", opening!("mod.rs"), RunFn::Module(qptr_lift))
};

/// Lifts. Near-linear; idempotent; both shapes. All of it is one unit of fuel.
///
/// Errors: `P103` a function that was not valid; `P110` an address that agrees with no type; `P116` a function that
/// returns an untyped pointer, which `qptr-lower` makes of none.
fn qptr_lift(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    if !has_pointers(module) || !fuel.take() {
        return Ok(Journals::new());
    }
    if let Some((func, _)) = module.funcs().find(|(_, body)| body.result() == ValueType::Ptr) {
        return Err(Diag::error("P116", Anchor::Func(func))
            .names(func, Anchor::Func(func))
            .says("returns an untyped pointer, and a path from a function has to lead where its type says")
            .help("run `inline-functions` first"));
    }
    let mut lifted = module.clone();
    restore(&mut lifted);
    let (journals, misfits) = all(&mut lifted)?;
    if misfits.is_empty() {
        *module = lifted;
        return Ok(journals);
    }
    // Once more, with types that agree with what is done.
    let usage = Usage::once(module);
    let mut lifted = module.clone();
    restore(&mut lifted);
    for misfit in misfits {
        match misfit {
            Misfit::Var(var) if rebuild::rebuild(&mut lifted, &usage, var) => {}
            Misfit::Var(_) | Misfit::Value(..) => return Err(told(module, misfit)),
        }
    }
    let (journals, misfits) = all(&mut lifted)?;
    if let Some(&misfit) = misfits.first() {
        return Err(told(module, misfit));
    }
    *module = lifted;
    Ok(journals)
}

/// Whether there is anything untyped.
fn has_pointers(module: &Module) -> bool {
    let untyped = module.vars().any(|(_, data)| data.is_untyped());
    untyped
        || module
            .funcs()
            .any(|(_, body)| body.tables().insts.iter().any(|(_, data)| data.ty == ValueType::Ptr))
}

/// Gives memory back the type that it was declared with.
fn restore(module: &mut Module) {
    let vars: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.is_untyped() || data.attrs.has(Key::Usage))
        .map(|(var, data)| (var, data.clone()))
        .collect();
    for (var, data) in vars {
        let told = [Key::Bytes, Key::Stride, Key::Global, Key::Usage];
        let attrs = told.into_iter().fold(data.attrs.clone(), |attrs, key| attrs.without(key));
        module.set_var(var, VarData { attrs, ..data });
    }
}

/// Lifts every function, and says which addresses agree with no type.
fn all(module: &mut Module) -> Result<(Journals, Vec<Misfit>), Diag> {
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let (mut journals, mut misfits) = (Journals::new(), Vec::new());
    let mut sizes = Sizes::default();
    for func in funcs {
        let mut ed = sweep(module, func)?;
        let done = lift(&mut ed, &mut sizes);
        misfits.extend(done.map_err(|refusal| refused(func, &refusal))?);
        let edited = ed.finish();
        if edited.changed {
            journals.push((func, edited.journal));
        }
    }
    misfits.sort_unstable();
    misfits.dedup();
    Ok((journals, misfits))
}

fn lift(ed: &mut BlockRewriter<'_>, sizes: &mut Sizes) -> Result<Vec<Misfit>, Refusal> {
    let order = in_order(ed.func());
    let params = ed.func().params().to_vec();
    let mut lifter = Lifter::new(ed, sizes, &order);
    for param in params {
        lifter.param(param)?;
    }
    for &block in &order {
        let params = lifter.ed.func().block(block).params.clone();
        for &param in params.iter() {
            lifter.param(param)?;
        }
    }
    for &block in &order {
        lifter.enter(block);
        while let Some(inst) = lifter.ed.step() {
            if lifter.is_ptr(inst) {
                lifter.pointer(inst)?;
            } else {
                lifter.access(inst)?;
            }
        }
        lifter.terminator(block)?;
    }
    let clean = lifter.settle()?;
    if !clean && lifter.misfits.is_empty() {
        return Err(Refusal::new("an untyped pointer is read where only a path may be"));
    }
    Ok(lifter.misfits)
}

fn told(module: &Module, misfit: Misfit) -> Diag {
    match misfit {
        Misfit::Var(var) => {
            let name = module.var(var).and_then(|data| data.name).map(|name| module.text_of(name).to_owned());
            Diag::error("P110", Anchor::Var(var))
                .says(format!(
                    "what is read and written of {} agrees with no type",
                    name.unwrap_or_else(|| var.to_string())
                ))
                .help("`qptr-analyze` shows which bytes are used as what")
        }
        Misfit::Value(func, inst) => Diag::error("P110", Anchor::Inst(func, inst))
            .says("reads through a pointer that was never declared as what is read")
            .help("`qptr-specialize` copies the function for the memory it is called with"),
    }
}

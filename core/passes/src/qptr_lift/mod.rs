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
//! For each address, the members, elements and components at its bytes determine a type. Memory gets its
//! declared type back, with names and decorations, if every address matches its layout. An access to components
//! of a vector, or wider than the declared type, is split. A step whose stride matches no array is converted to
//! smaller units and divided.
//!
//! Otherwise memory gets a new type: matching members are kept, and bytes that are accessed in several ways
//! become numbers that divide each access (`rebuild.rs`). If there is no such type, the program is unchanged.
//!
//! SPIR-T: `qptr::lift`, which creates types from scratch and loses names and decorations.

mod accesses;
mod paths;
mod rebuild;

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::open::{in_order, refused, sweep};
use paths::{Lifter, Mismatch};
use vitrine_analysis::Usage;
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, ValueType};
use vitrine_ir::{Anchor, BlockRewriter, Diag, Fuel, Func, Help, Module, Refusal, Var, VarData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts untyped pointers to typed access paths.",
    ..PassInfo::new("qptr-lift", opening!("mod.rs"), RunFn::Module(qptr_lift))
};

/// Lifts all functions. Near-linear; idempotent; both shapes. The whole pass is one unit of fuel.
///
/// Errors: `P103` a function that was not valid; `P110` an address that does not match any type; `P116` a
/// function that returns an untyped pointer, which `qptr-lower` never creates.
fn qptr_lift(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    if !has_pointers(module) || !fuel.take() {
        return Ok(Journals::new());
    }
    if let Some((func, _)) = module.funcs().find(|(_, body)| body.result() == ValueType::Ptr) {
        return Err(Diag::error("P116", Anchor::Func(func))
            .names(func, Anchor::Func(func))
            .says("returns an untyped pointer, but a returned path must have a declared type")
            .help(Help::text("run").pass("inline-functions").then("first")));
    }
    let mut lifted = module.clone();
    restore(&mut lifted);
    let (journals, mismatches) = all(&mut lifted)?;
    if mismatches.is_empty() {
        *module = lifted;
        return Ok(journals);
    }
    // The second attempt uses types that match the accesses.
    let usage = Usage::once(module);
    let mut lifted = module.clone();
    restore(&mut lifted);
    for mismatch in mismatches {
        match mismatch {
            Mismatch::Var(var) if rebuild::rebuild(&mut lifted, &usage, var) => {}
            Mismatch::Var(_) | Mismatch::Value(..) => return Err(mismatch_diag(module, mismatch)),
        }
    }
    let (journals, mismatches) = all(&mut lifted)?;
    if let Some(&mismatch) = mismatches.first() {
        return Err(mismatch_diag(module, mismatch));
    }
    *module = lifted;
    Ok(journals)
}

/// Returns true if there are untyped pointers.
fn has_pointers(module: &Module) -> bool {
    let untyped = module.vars().any(|(_, data)| data.is_untyped());
    untyped
        || module
            .funcs()
            .any(|(_, body)| body.tables().insts.iter().any(|(_, data)| data.ty == ValueType::Ptr))
}

/// Gives memory its declared type back.
fn restore(module: &mut Module) {
    let vars: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.is_untyped() || data.attrs.has(Key::Usage))
        .map(|(var, data)| (var, data.clone()))
        .collect();
    for (var, data) in vars {
        let mismatch_diag = [Key::Bytes, Key::Stride, Key::Global, Key::Usage];
        let attrs = mismatch_diag.into_iter().fold(data.attrs.clone(), |attrs, key| attrs.without(key));
        module.set_var(var, VarData { attrs, ..data });
    }
}

/// Lifts every function, and returns the addresses that do not match any type.
fn all(module: &mut Module) -> Result<(Journals, Vec<Mismatch>), Diag> {
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let (mut journals, mut mismatches) = (Journals::new(), Vec::new());
    let mut sizes = Sizes::default();
    for func in funcs {
        let mut ed = sweep(module, func)?;
        let done = lift(&mut ed, &mut sizes);
        mismatches.extend(done.map_err(|refusal| refused(func, &refusal))?);
        let edited = ed.finish();
        if edited.changed {
            journals.push((func, edited.journal));
        }
    }
    mismatches.sort_unstable();
    mismatches.dedup();
    Ok((journals, mismatches))
}

fn lift(ed: &mut BlockRewriter<'_>, sizes: &mut Sizes) -> Result<Vec<Mismatch>, Refusal> {
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
    if !clean && lifter.mismatches.is_empty() {
        return Err(Refusal::new("an untyped pointer is used where a path is required"));
    }
    Ok(lifter.mismatches)
}

fn mismatch_diag(module: &Module, mismatch: Mismatch) -> Diag {
    match mismatch {
        Mismatch::Var(var) => {
            let name = module.var(var).and_then(|data| data.name).map(|name| module.text_of(name).to_owned());
            Diag::error("P117", Anchor::Var(var))
                .says(format!(
                    "the accesses to {} do not match any type",
                    name.unwrap_or_else(|| var.to_string())
                ))
                .help(
                    Help::text("run").pass("qptr-analyze").then("to see the accesses to each range of bytes"),
                )
        }
        Mismatch::Value(func, inst) => Diag::error("P117", Anchor::Inst(func, inst))
            .says("reads through a pointer that is not declared with the type that is read")
            .help(
                Help::text("run")
                    .pass("qptr-specialize")
                    .then("first, which clones the function for each memory that it is called with"),
            ),
    }
}

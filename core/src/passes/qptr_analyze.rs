//! `qptr-analyze`: reports how the bytes of untyped memory are used.
//!
//! ```text
//! storage $lights_3: bytes(16 + n * 32) was #0          storage $lights_3: bytes(16 + n * 32) was #0
//!                                                         usage 0..4 b32 read "count"
//!                                                  =>     usage 16.. * 32 {
//!                                                           0..12 b32x3 read "lights[].pos"
//!                                                           12..16 b32 read+write "lights[].radius"
//!                                                         }
//! ```
//!
//! Ranges are bytes from where the variable, or one of the resources in it, begins; in braces, from where an element
//! or what is seen in several ways (`union`) begins. `16.. * 32` is a row of unknown length, an element every 32
//! bytes. A range is a value (`b32x3`), `bytes` that are copied, or `typed`: asked for as it was declared. `anywhere`
//! is what nobody could follow. Names are those of the declared type. Function and block parameters say what is done
//! where they lead.
//!
//! What is said is a remark: it changes nothing, a second run replaces it, and other passes leave it as it is,
//! whatever they do to the program. It is the analysis `usage`. SPIR-T: `qptr::analyze`, for which overlap is an
//! error.

use super::pass::{Journals, Options, PassInfo, RunFn};
use crate::analysis::{Memory, Usage};
use crate::base::EntityId;
use crate::base::opening::opening;
use crate::ir::layout::Sizes;
use crate::ir::{Attrs, Diag, Fuel, Func, Inst, Mode, Module, Reason, Text, Var, VarData};
use crate::ops::{BasicOp, Key, Op, ValueType};
use crate::passes::util::open::{open, refused};
use std::collections::BTreeSet;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Reports how the bytes of untyped memory are used.",
    ..PassInfo::new("qptr-analyze", opening!("qptr_analyze.rs"), RunFn::Module(qptr_analyze))
};

const WHY: Reason = Reason::Note("the accesses that memory receives");

/// Says it. `O(n log n)` in accesses; idempotent; both shapes. A variable or parameter is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_analyze(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let usage = Usage::once(module);
    let mut sizes = Sizes::default();
    let reached: BTreeSet<Memory> = usage.memory().collect();
    // A resource without bytes has nothing to say.
    let told = |var: Var, data: &VarData| {
        data.is_untyped() || data.mode != Mode::Handle && reached.contains(&Memory::Var(var))
    };
    let vars: Vec<(Var, VarData, bool)> = module
        .vars()
        .map(|(var, data)| (var, data, told(var, data)))
        .filter(|&(_, data, told)| told || data.attrs.has(Key::Usage))
        .map(|(var, data, told)| (var, data.clone(), told))
        .collect();
    for (var, data, told) in vars {
        let of = Memory::Var(var);
        let text = told.then(|| usage.text_sized(module, of, &mut sizes));
        let attrs = with(module, &data.attrs, text);
        if attrs == data.attrs {
            continue;
        }
        if !fuel.take() {
            return Ok(Journals::new());
        }
        module.set_var(var, VarData { attrs, ..data });
    }
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let mut journals = Journals::new();
    for func in funcs {
        let mut told = Vec::new();
        for param in pointers(module, func) {
            let text = usage.text_sized(module, Memory::Value(func, param), &mut sizes);
            let Some(data) = module.func(func).map(|body| body.inst(param).clone()) else { continue };
            let attrs = with(module, &data.attrs, Some(text));
            if attrs != data.attrs && fuel.take() {
                told.push((param, crate::ir::InstData { attrs, ..data }));
            }
        }
        if told.is_empty() {
            continue;
        }
        let mut ed = open(module, func)?;
        let done = told.into_iter().try_for_each(|(param, data)| ed.readdress(param, data, WHY));
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(journals)
}

/// Attributes that say what is done, or nothing of it.
fn with(module: &mut Module, attrs: &Attrs, text: Option<String>) -> Attrs {
    match text {
        Some(text) => {
            let text: Text = module.text(&text);
            attrs.with(Key::Usage, text.index() as u64)
        }
        None => attrs.without(Key::Usage),
    }
}

/// The parameters of a function and of its blocks that are untyped pointers.
fn pointers(module: &Module, func: Func) -> Vec<Inst> {
    let Some(body) = module.func(func) else { return Vec::new() };
    let is_pointer =
        |&inst: &Inst| body.ty(inst) == ValueType::Ptr && body.inst(inst).op == Op::Basic(BasicOp::Param);
    let mut out: Vec<Inst> = body.params().iter().copied().filter(is_pointer).collect();
    // Few blocks of few functions have such: where the blocks stand is asked only then.
    if body.tables().blocks.iter().any(|(_, data)| data.params.iter().any(is_pointer)) {
        for block in body.blocks_in_order() {
            out.extend(body.block(block).params.iter().copied().filter(is_pointer));
        }
    }
    out
}

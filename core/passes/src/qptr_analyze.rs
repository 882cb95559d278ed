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
//! Ranges are in bytes from the start of the variable, or of one of the resources in it; inside braces, from
//! the start of an element or of a `union` (memory that is accessed in several ways). `16.. * 32` is an array
//! of unknown length, with an element every 32 bytes. A range is a value (`b32x3`), copied `bytes`, or `typed`:
//! accessed as it was declared. `anywhere` stands for accesses whose address is unknown. Names are those of the
//! declared type. Function and block parameters, loaded pointers and physical addresses describe the accesses through
//! them.
//!
//! The report is a remark: it does not change the program, a second run replaces it, and other passes leave it
//! unchanged. It shows the analysis `usage`. SPIR-T: `qptr::analyze`, for which overlap is an error.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::open::{open, refused};
use std::collections::BTreeSet;
use vitrine_analysis::{Memory, Usage};
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, PtrOp, ValueType};
use vitrine_ir::{Attrs, BlockData, Diag, Fuel, Func, Inst, Mode, Module, Reason, Text, Var, VarData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Reports how the bytes of untyped memory are used.",
    ..PassInfo::new("qptr-analyze", opening!("qptr_analyze.rs"), RunFn::Module(qptr_analyze))
};

const WHY: Reason = Reason::Note("the accesses that memory receives");

/// Adds the report. `O(n log n)` in accesses; idempotent; both shapes. A variable or parameter is a unit of
/// fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_analyze(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let usage = Usage::once(module);
    let mut sizes = Sizes::default();
    let reached: BTreeSet<Memory> = usage.memory().collect();
    // A resource that is not made of bytes has no report.
    let has_report = |var: Var, data: &VarData| {
        data.is_untyped() || data.mode != Mode::Handle && reached.contains(&Memory::Var(var))
    };
    let vars: Vec<(Var, VarData, bool)> = module
        .vars()
        .map(|(var, data)| (var, data, has_report(var, data)))
        .filter(|&(_, data, has_report)| has_report || data.attrs.has(Key::Usage))
        .map(|(var, data, has_report)| (var, data.clone(), has_report))
        .collect();
    for (var, data, has_report) in vars {
        let of = Memory::Var(var);
        let text = has_report.then(|| usage.text_sized(module, of, &mut sizes));
        let attrs = with_usage(module, &data.attrs, text);
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
        let mut updates = Vec::new();
        for param in pointers(module, func) {
            let text = usage.text_sized(module, Memory::Value(func, param), &mut sizes);
            let Some(data) = module.func(func).map(|body| body.inst(param).clone()) else { continue };
            let attrs = with_usage(module, &data.attrs, Some(text));
            if attrs != data.attrs && fuel.take() {
                updates.push((param, vitrine_ir::InstData { attrs, ..data }));
            }
        }
        if updates.is_empty() {
            continue;
        }
        let mut ed = open(module, func)?;
        let done = updates.into_iter().try_for_each(|(param, data)| ed.readdress(param, data, WHY));
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(journals)
}

/// The attributes with the new report, or without any.
fn with_usage(module: &mut Module, attrs: &Attrs, text: Option<String>) -> Attrs {
    match text {
        Some(text) => {
            let text: Text = module.text(&text);
            attrs.with(Key::Usage, text.index() as u64)
        }
        None => attrs.without(Key::Usage),
    }
}

/// The untyped pointers of a function whose memory is unknown: parameters of the function and of its blocks, loaded pointers,
/// and physical addresses.
fn pointers(module: &Module, func: Func) -> Vec<Inst> {
    let Some(body) = module.func(func) else { return Vec::new() };
    let starts = [BasicOp::Param.into(), MemoryOp::Load.into(), PtrOp::FromBits.into()];
    let is_pointer = |&inst: &Inst| body.ty(inst) == ValueType::Ptr && starts.contains(&body.inst(inst).op);
    let mut out: Vec<Inst> = body.params().iter().copied().filter(is_pointer).collect();
    // Few blocks have such parameters: the order of blocks is computed only for those.
    let has_pointer = |data: &BlockData| data.params.iter().chain(data.insts.iter()).any(is_pointer);
    if body.tables().blocks.iter().any(|(_, data)| has_pointer(data)) {
        for block in body.blocks_in_order() {
            let data = body.block(block);
            out.extend(data.params.iter().chain(data.insts.iter()).copied().filter(is_pointer));
        }
    }
    out
}

//! `io-to-scalar`: splits input and output vectors into one variable for each component.
//!
//! ```text
//! in $0: f32x2 {location 1}                 in $1: f32 {location 1, component 0}
//!                                           in $2: f32 {location 1, component 1}
//! %2: b32x2 = load %1                 =>    %3: b32 = load %x
//!                                           %4: b32 = load %y
//!                                           %2: b32x2 = vec %3, %4
//! ```
//!
//! Unused components can then be removed individually, and components that a stage does not write need not be
//! passed on. Variables keep location, interpolation and index, and each gets its component; so the other stage is
//! unaffected.
//!
//! Left alone: widths other than 32 bits, arrays and structures, system values, inputs and outputs of stages whose
//! invocations access each other's, variables with an initializer, and those with a path used by anything except
//! plain loads and stores of known components. The opposite is `io-to-vector`. NIR: `nir_lower_io_to_scalar`,
//! before offsets are assigned.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::io_components::{Access, STAGES, accesses, before, candidate, replace};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Diag, Editor, Fuel, Inst, InstData, Module, Reason, Refusal, Var, VarData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits input and output vectors into one variable for each component.",
    stages: STAGES,
    ..PassInfo::new("io-to-scalar", opening!("io_to_scalar.rs"), RunFn::Module(io_to_scalar))
};

const WHY: Reason = Reason::Note("each component becomes a variable");

/// Splits variables. Linear; idempotent; both shapes. One unit of fuel per variable.
///
/// Error: `P103` if a function is not valid.
fn io_to_scalar(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let is_vector =
        |(var, data): &(Var, &VarData)| candidate(module, *var, data).is_some_and(|ty| ty.components() > 1);
    let mut vars: FxHashSet<Var> = module.vars().filter(is_vector).map(|(var, _)| var).collect();
    if vars.is_empty() {
        return Ok(Journals::new());
    }
    let mut found = accesses(module, &mut vars);
    let all: Vec<(Var, VarData)> =
        module.vars().filter(|(var, _)| vars.contains(var)).map(|(var, data)| (var, data.clone())).collect();
    let mut replacements: Vec<(Var, Vec<Var>)> = Vec::new();
    for (var, data) in all {
        let Some(scalar) = module.element_type(data.ty) else { continue };
        let components = module.value_type(data.ty).map_or(0, ValueType::components);
        if !fuel.take() {
            break;
        }
        let first = data.attrs.get(Key::Component).unwrap_or(0);
        let component = |at: u8| {
            let attrs = data.attrs.with(Key::Component, first + u64::from(at));
            VarData { ty: scalar, attrs, ..data.clone() }
        };
        let new: Vec<Var> = (0..components).map(|at| module.add_var(component(at))).collect();
        replacements.push((var, new));
    }
    let by_var: FxHashMap<Var, Vec<Var>> = replacements.iter().cloned().collect();
    for (_, accesses) in &mut found {
        accesses.retain(|access| by_var.contains_key(&access.var));
    }
    replace(module, found, &replacements, |ed, access| {
        let components = by_var.get(&access.var).map_or(&[][..], Vec::as_slice);
        rewrite(ed, access, components)
    })
}

fn rewrite(ed: &mut Editor<'_>, access: &Access, components: &[Var]) -> Result<(), Refusal> {
    let data = ed.func().inst(access.inst).clone();
    let accessed: Vec<(u8, Var)> = (0..).zip(components.iter().copied()).collect();
    let accessed: Vec<(u8, Var)> = accessed
        .into_iter()
        .filter(|(at, _)| access.component.is_none_or(|component| component == *at))
        .collect();
    if !access.is_store {
        let mut b = ed.build(before(access), WHY);
        let load = |b: &mut vitrine_ir::Builder<'_, '_>, var: Var| -> Inst {
            let path = b.deref_var(var);
            let args = vitrine_ir::Args::new(&[path]);
            b.emit_with(InstData { args, ty: data.ty.with_components(1), ..data.clone() })
        };
        let parts: Vec<Inst> = accessed.iter().map(|&(_, var)| load(&mut b, var)).collect();
        b.finish()?;
        let Some((&first, more)) = parts.split_first() else { return Ok(()) };
        return match more.is_empty() {
            true => ed.replace(access.inst, first, WHY),
            false => ed.rewrite(access.inst, InstData::new(VectorOp::Vec, data.ty, &parts), WHY),
        };
    }
    let Some(&value) = data.args.get(1) else { return Ok(()) };
    let mask = data.attrs.get(Key::Mask).unwrap_or(u64::MAX);
    let mut b = ed.build(before(access), WHY);
    for (at, var) in accessed {
        if access.component.is_none() && mask >> at & 1 == 0 {
            continue;
        }
        let ty = b.editor().func().ty(value);
        let part = match access.component {
            Some(_) => value,
            None => {
                let swizzle = InstData::new(VectorOp::Swizzle, ty.with_components(1), &[value]);
                b.emit_with(swizzle.with(Key::Components, pack_components(&[at])))
            }
        };
        let path = b.deref_var(var);
        let store = InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[path, part]);
        b.emit_with(InstData { attrs: data.attrs.without(Key::Mask), ..store });
    }
    b.finish()?;
    ed.erase(access.inst, WHY)
}

//! `io-to-vector`: merges inputs or outputs that share a location into one vector.
//!
//! ```text
//! out $0: f32 {location 1, component 1}     out $2: f32x3 {location 1, component 1}
//! out $1: f32x2 {location 1, component 2}
//! store %1, %0                        =>    store %2.x, %0
//! ```
//!
//! On targets with registers of four components, passing on a vector costs as much as one component. Variables
//! with the same mode, location, index, interpolation and scalar type are merged into one that extends from the
//! first to the last component; loads select their components, and stores of several components have a mask. Components
//! in gaps are undefined.
//!
//! With `widen`, each vector begins at component 0, and so does a variable that shares its location with none, for targets
//! that declare no components.
//!
//! Left alone: variables that share a component with another, or that differ in more than component, name and
//! number of components; and those that `io-to-scalar`, the opposite pass, leaves alone. NIR:
//! `nir_lower_io_to_vector`.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::io_components::{Access, STAGES, accesses, before, candidate, replace};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{Key, MemoryOp, Op, ValueType, VectorOp, Width};
use vitrine_ir::{
    Attrs, Diag, Editor, Fuel, InstData, Mode, Module, Reason, Refusal, Type, TypeData, Var, VarData,
};

options! {
    /// The components of the new vectors.
    struct Vectors {
        choice extent: Extent {
            /// From the first component of a variable of the location to the last.
            Used "used",
            /// From component 0, also for a variable that shares its location with none.
            Widen "widen",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Merges inputs or outputs that share a location into one vector.",
    options: Vectors::INFO,
    stages: STAGES,
    ..PassInfo::new(
        "io-to-vector",
        opening!("io_to_vector.rs"),
        RunFn::Module(|module, cx, fuel| io_to_vector(module, Vectors::of(cx.options).extent, fuel)),
    )
};

const WHY: Reason = Reason::Note("variables that share a location become one vector");

/// Components of a location.
const COMPONENTS: u64 = 4;

/// A variable of a group: its first component and its number of components.
#[derive(Clone)]
struct Part {
    var: Var,
    first: u64,
    components: u64,
}

/// New position of the components of a variable.
#[derive(Clone, Copy)]
struct Moved {
    to: Var,
    first: u8,
    components: u8,
    whole: u8,
}

/// Merges variables. Linear; idempotent; both shapes. One unit of fuel per location.
///
/// Error: `P103` if a function is not valid.
fn io_to_vector(module: &mut Module, extent: Extent, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let fits = |(var, data): &(Var, &VarData)| candidate(module, *var, data).is_some();
    let mut vars: FxHashSet<Var> = module.vars().filter(fits).map(|(var, _)| var).collect();
    if vars.is_empty() {
        return Ok(Journals::new());
    }
    let mut found = accesses(module, &mut vars);
    let mut replacements: Vec<(Var, Vec<Var>)> = Vec::new();
    let mut moved: FxHashMap<Var, Moved> = FxHashMap::default();
    for group in groups(module, &vars) {
        let Some((first, end)) = range(&group, extent) else { continue };
        let Some(data) = group.first().and_then(|part| module.var(part.var)).cloned() else { continue };
        let scalar = scalar(module, data.ty);
        if !fuel.take() {
            break;
        }
        let whole = (end - first) as u8;
        let ty = module.ty(TypeData::Vector { of: scalar, components: whole });
        let attrs = data.attrs.without(Key::Component);
        let attrs = if first == 0 { attrs } else { attrs.with(Key::Component, first) };
        let to = module.add_var(VarData { ty, attrs, ..data });
        for part in group {
            moved.insert(
                part.var,
                Moved { to, first: (part.first - first) as u8, components: part.components as u8, whole },
            );
            replacements.push((part.var, vec![to]));
        }
    }
    if moved.is_empty() {
        return Ok(Journals::new());
    }
    for (_, accesses) in &mut found {
        accesses.retain(|access| moved.contains_key(&access.var));
    }
    replace(module, found, &replacements, |ed, access| match moved.get(&access.var) {
        Some(&moved) => rewrite(ed, access, moved),
        None => Ok(()),
    })
}

/// Returns the variables to merge, in order of their first member.
fn groups(module: &Module, vars: &FxHashSet<Var>) -> Vec<Vec<Part>> {
    type GroupKey = (Mode, Type, Attrs, Vec<bool>);
    let mut at: FxHashMap<GroupKey, usize> = FxHashMap::default();
    let mut out: Vec<Vec<Part>> = Vec::new();
    for (var, data) in module.vars().filter(|(var, _)| vars.contains(var)) {
        let named = module.entries.iter().map(|entry| entry.interface.contains(&var)).collect();
        let key = (data.mode, scalar(module, data.ty), data.attrs.without(Key::Component), named);
        let next = out.len();
        let index = *at.entry(key).or_insert(next);
        if index == next {
            out.push(Vec::new());
        }
        let first = data.attrs.get(Key::Component).unwrap_or(0);
        let components = module.value_type(data.ty).map_or(0, ValueType::components);
        if let Some(group) = out.get_mut(index) {
            group.push(Part { var, first, components: u64::from(components) });
        }
    }
    out
}

/// Returns the range of components of the vector for a group; none if it needs no new one, two variables share a component,
/// or the range exceeds a location.
fn range(group: &[Part], extent: Extent) -> Option<(u64, u64)> {
    let mut taken = 0u64;
    for part in group {
        let end = part.first.checked_add(part.components).filter(|&end| end <= COMPONENTS)?;
        let components = (1u64 << end) - (1u64 << part.first);
        if taken & components != 0 {
            return None;
        }
        taken |= components;
    }
    let used = u64::from(taken.trailing_zeros());
    let first = match extent {
        Extent::Used => used,
        Extent::Widen => 0,
    };
    let is_new = group.len() > 1 || first < used;
    is_new.then(|| (first, u64::from(u64::BITS - taken.leading_zeros())))
}

fn scalar(module: &Module, ty: Type) -> Type {
    match *module.type_of(ty) {
        TypeData::Vector { of, .. } => of,
        _ => ty,
    }
}

fn rewrite(ed: &mut Editor<'_>, access: &Access, moved: Moved) -> Result<(), Refusal> {
    let data = ed.func().inst(access.inst).clone();
    let components: Vec<u8> = match access.component {
        Some(component) => vec![moved.first + component],
        None => (moved.first..moved.first + moved.components).collect(),
    };
    let mut b = ed.build(before(access), WHY);
    let path = b.deref_var(moved.to);
    let Some(&value) = data.args.get(1) else {
        let args = vitrine_ir::Args::new(&[path]);
        let whole = b.emit_with(InstData { args, ty: data.ty.with_components(moved.whole), ..data.clone() });
        b.finish()?;
        let swizzle = InstData::new(VectorOp::Swizzle, data.ty, &[whole]);
        return ed.rewrite(access.inst, swizzle.with(Key::Components, pack_components(&components)), WHY);
    };
    // A component has an address of its own.
    if let (&[component], false) = (&components[..], data.attrs.has(Key::Mask)) {
        let at = b.int(Width::W32, i64::from(component));
        let path = b.elem(path, at);
        b.finish()?;
        let store = InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[path, value]);
        return ed.rewrite(access.inst, InstData { attrs: data.attrs, ..store }, WHY);
    }
    let given = data.attrs.get(Key::Mask).filter(|_| access.component.is_none()).unwrap_or(u64::MAX);
    let stored = components.iter().zip(0..).filter(|&(_, at)| given >> at & 1 == 1);
    let mask: u64 = stored.map(|(&component, _)| 1u64 << component).sum();
    // Components that the mask excludes may have any value.
    let picks: Vec<u8> = (0..moved.whole)
        .map(|component| components.iter().position(|&other| other == component).map_or(0, |at| at as u8))
        .collect();
    let ty = b.editor().func().ty(value);
    let whole = match ty.components() {
        1 => b.splat(value, moved.whole),
        _ => b.swizzle(value, &picks),
    };
    b.finish()?;
    let store = InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[path, whole]);
    let attrs = data.attrs.with(Key::Mask, mask);
    ed.rewrite(access.inst, InstData { attrs, ..store }, WHY)
}

//! `io-arrays-to-elements`: splits input and output arrays, matrices and structures into one variable for each part.
//!
//! ```text
//! in $0: [f32x4 * 2] {location 3}           in $1: f32x4 {location 3}
//!                                           in $2: f32x4 {location 4}
//! %1: path = deref.var $0             =>
//! %2: path = deref.elem %1, %one            %2: path = deref.var $2
//! %3: b32x4 = load %2                       %3: b32x4 = load %2
//! ```
//!
//! Separate elements can be removed, packed (`io-to-vector`) and addressed by location individually. An element
//! occupies as many locations as its type, and each variable keeps component, interpolation and index; so the
//! other stage is unaffected. A matrix is an array of columns, and an array of arrays is split level by level. So is a
//! structure or a block, of which each member has its own attributes and those of the variable: its location is declared, or
//! follows that of the member before. With `nested`, only arrays of structures, and structures with arrays or structures in
//! them, are split, for targets that have simple arrays and structures.
//!
//! Left alone: an index known only at run time (`io-to-temporaries{indexed}`, `lower-indirect-derefs`) or out of range, and
//! copies of the whole (`split-var-copies`, `lower-var-copies`); types wider than 32 bits; system values; inputs and
//! outputs of stages whose invocations access each other's, where the outermost index is that of a vertex;
//! variables with an initializer; arrays of more than 256 elements. NIR:
//! `nir_lower_io_arrays_to_elements_no_indirects`; its variant for two stages at once is not needed, because
//! locations are unchanged.

use super::pass::{Journals, OptionInfo, Options, PassInfo, RunFn, merged};
use crate::base::EntityId;
use crate::base::opening::opening;
use crate::ir::{
    Attrs, DecorTarget, Diag, Fuel, Func, FuncBody, Inst, InstData, Len, Mode, Module, Reason, Struct, Text,
    Type, TypeData, Var, VarData,
};
use crate::ops::{DerefOp, Key, Op, ValueType};
use crate::passes::util::io_components::{STAGES, is_nested, locations, replace};
use crate::passes::util::memory::addressed;
use crate::passes::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};

/// The registry entry.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits input and output arrays, matrices and structures into one variable for each part.",
    options: &[
        OptionInfo::Word("all", "All of them."),
        OptionInfo::Word(
            "nested",
            "Only arrays of structures, and structures with arrays or structures in them.",
        ),
    ],
    stages: STAGES,
    ..PassInfo::new(
        "io-arrays-to-elements",
        opening!("io_arrays_to_elements.rs"),
        RunFn::Module(io_arrays_to_elements),
    )
};

const WHY: Reason = Reason::Note("each part becomes a variable");

/// Most parts of an array or a structure that is split.
const MAX_PARTS: usize = 256;

/// Deepest nesting of arrays that is considered.
const MAX_LEVELS: usize = 16;

/// Splits variables. Linear in the size of the result; idempotent; both shapes. One unit of fuel per level of a
/// variable.
///
/// Error: `P103` if a function is not valid.
fn io_arrays_to_elements(module: &mut Module, options: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut journals = Journals::new();
    for _ in 0..MAX_LEVELS {
        let is_taken = |data: &VarData| options.word != "nested" || is_nested(module, data.ty);
        let mut vars: FxHashMap<Var, Whole> = module
            .vars()
            .filter(|(_, data)| is_taken(data))
            .filter_map(|(var, data)| Some((var, Whole::of(module, var, data)?)))
            .collect();
        let mut found = element_paths(module, &mut vars);
        let mut replacements: Vec<(Var, Vec<Var>)> = Vec::new();
        let all: Vec<(Var, VarData)> = module
            .vars()
            .filter(|(var, _)| vars.contains_key(var))
            .map(|(var, data)| (var, data.clone()))
            .collect();
        for (var, data) in all {
            let Some(whole) = vars.get(&var).filter(|_| fuel.take()) else { break };
            let part = |part: &Part| VarData {
                name: part.name.or(data.name),
                ty: part.ty,
                attrs: part.attrs.clone(),
                ..data.clone()
            };
            replacements.push((var, whole.parts.iter().map(|it| module.add_var(part(it))).collect()));
        }
        if replacements.is_empty() {
            break;
        }
        let by_var: FxHashMap<Var, Vec<Var>> = replacements.iter().cloned().collect();
        found.iter_mut().for_each(|(_, element_paths)| {
            element_paths.retain(|element_path| by_var.contains_key(&element_path.var));
        });
        journals.extend(replace(module, found, &replacements, |ed, element_path: &ElementPath| {
            let element = by_var.get(&element_path.var).and_then(|elements| elements.get(element_path.at));
            let Some(element) = element else { return Ok(()) };
            let path = InstData::new(DerefOp::Var, ValueType::Path, &[]);
            ed.rewrite(element_path.path, path.with(Key::Var, element.index() as u64), WHY)
        })?);
    }
    Ok(merged(journals))
}

/// An input or output that may be split.
struct Whole {
    parts: Vec<Part>,
    /// The step to a part is that to a member.
    is_structure: bool,
}

/// An element or a member.
struct Part {
    name: Option<Text>,
    ty: Type,
    attrs: Attrs,
}

impl Whole {
    fn of(module: &Module, var: Var, data: &VarData) -> Option<Whole> {
        let mut named = module.entries.iter().filter(|entry| entry.interface.contains(&var)).peekable();
        let is_named = named.peek().is_some() && named.all(|entry| STAGES.contains(&entry.stage));
        let io = matches!(data.mode, Mode::In | Mode::Out) && data.init.is_none();
        if !is_named || !io || data.attrs.has(Key::BuiltIn) {
            return None;
        }
        if let TypeData::Struct(structure) = *module.type_of(data.ty) {
            return Whole::of_structure(module, structure, data);
        }
        let (of, count) = match *module.type_of(data.ty) {
            TypeData::Array { of, len: Len::Count(count), .. } => (of, count),
            TypeData::Matrix { column, columns, .. } => (column, u32::from(columns)),
            _ => return None,
        };
        let location = data.attrs.get(Key::Location)?;
        let each = occupied(module, of)?;
        // Locations are 32-bit numbers.
        let end = each.checked_mul(u64::from(count))?.checked_add(location)?;
        if count == 0 || count as usize > MAX_PARTS || end > u64::from(u32::MAX) {
            return None;
        }
        let part = |at: u64| Part {
            name: data.name,
            ty: of,
            attrs: data.attrs.with(Key::Location, location + at * each),
        };
        Some(Whole { parts: (0..u64::from(count)).map(part).collect(), is_structure: false })
    }

    fn of_structure(module: &Module, structure: Struct, data: &VarData) -> Option<Whole> {
        let members = &module.structure(structure)?.members;
        if members.is_empty() || members.len() > MAX_PARTS {
            return None;
        }
        let mut next = data.attrs.get(Key::Location);
        let mut parts = Vec::with_capacity(members.len());
        for member in members.iter() {
            let location = member.attrs.get(Key::Location).or(next)?;
            let end = location.checked_add(occupied(module, member.ty)?)?;
            if member.attrs.has(Key::BuiltIn) || end > u64::from(u32::MAX) {
                return None;
            }
            next = Some(end);
            let attrs =
                INHERITED.iter().fold(data.attrs.clone(), |attrs, &key| match member.attrs.get(key) {
                    Some(own) => {
                        attrs.with(key, own | data.attrs.get(key).filter(|_| is_set(key)).unwrap_or(0))
                    }
                    None => attrs,
                });
            parts.push(Part { name: member.name, ty: member.ty, attrs: attrs.with(Key::Location, location) });
        }
        Some(Whole { parts, is_structure: true })
    }
}

/// The attributes of a member that its variable gets.
const INHERITED: &[Key] =
    &[Key::Component, Key::Index, Key::Interp, Key::Access, Key::Invariant, Key::Stream];

/// Returns true for an attribute that is a set of words.
fn is_set(key: Key) -> bool {
    matches!(key, Key::Interp | Key::Access)
}

/// The locations that a type occupies. `None` for one that is not split into numbers of 32 bits or fewer.
fn occupied(module: &Module, ty: Type) -> Option<u64> {
    let (mut sum, mut work) = (0u64, vec![(ty, 1u64)]);
    let mut steps = 0;
    while let Some((ty, times)) = work.pop() {
        steps += 1;
        if steps > MAX_PARTS * MAX_LEVELS {
            return None;
        }
        if module.value_type(ty).is_some() {
            sum = sum.checked_add(locations(module, ty)?.checked_mul(times)?)?;
            continue;
        }
        match *module.type_of(ty) {
            TypeData::Array { of, len: Len::Count(count), .. } => {
                work.push((of, times.checked_mul(u64::from(count))?));
            }
            TypeData::Matrix { column, columns, .. } => work.push((column, times * u64::from(columns))),
            TypeData::Struct(structure) => {
                work.extend(module.structure(structure)?.members.iter().map(|member| (member.ty, times)));
            }
            _ => return None,
        }
    }
    Some(sum)
}

/// A path to a part.
struct ElementPath {
    path: Inst,
    var: Var,
    at: usize,
}

/// Returns every step to a part, by function; variables with any other use are removed from `vars`.
fn element_paths(module: &Module, vars: &mut FxHashMap<Var, Whole>) -> Vec<(Func, Vec<ElementPath>)> {
    let mut escaped: FxHashSet<Var> = addressed(module).collect();
    escaped.extend(module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        DecorTarget::Func(_) | DecorTarget::Global(_) | DecorTarget::Struct(_) | DecorTarget::Member(..) => {
            None
        }
    }));
    let mut out = Vec::new();
    for (func, body) in module.funcs() {
        out.push((func, of_function(module, body, vars, &mut escaped)));
    }
    vars.retain(|var, _| !escaped.contains(var));
    for (_, element_paths) in &mut out {
        element_paths.retain(|element_path| vars.contains_key(&element_path.var));
    }
    out
}

fn of_function(
    module: &Module,
    body: &FuncBody,
    vars: &FxHashMap<Var, Whole>,
    escaped: &mut FxHashSet<Var>,
) -> Vec<ElementPath> {
    let mut out = Vec::new();
    let mut roots: FxHashMap<Inst, Var> = FxHashMap::default();
    let order = in_order(body);
    let reachable: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|var| vars.contains_key(var)) {
                match data.op {
                    Op::Deref(DerefOp::Var) => drop(roots.insert(inst, var)),
                    _ => drop(escaped.insert(var)),
                }
            }
            for (number, arg) in data.args.iter().enumerate() {
                let Some(&var) = roots.get(arg) else { continue };
                let Some(whole) = vars.get(&var) else { continue };
                let step = match data.op {
                    Op::Deref(DerefOp::Field) if whole.is_structure => data.attrs.get(Key::Field),
                    Op::Deref(DerefOp::Elem) if !whole.is_structure => {
                        let known = data.args.get(1).and_then(|&index| body.const_of(index));
                        known.map(|bits| module.bits_of(bits).component(0).as_u64())
                    }
                    _ => None,
                };
                match step.filter(|&at| number == 0 && at < whole.parts.len() as u64) {
                    Some(at) => out.push(ElementPath { path: inst, var, at: at as usize }),
                    _ => drop(escaped.insert(var)),
                }
            }
        }
        body.terminator(block).for_each_use(|value| escaped.extend(roots.get(&value)));
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reachable.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            escaped.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
    out
}

//! `io-arrays-to-elements`: splits input and output arrays into one variable for each element.
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
//! other stage is unaffected. A matrix is an array of columns, and an array of arrays is split level by level.
//!
//! Left alone: an index known only at run time (`lower-indirect-derefs`) or out of range, and copies of the whole
//! (`split-var-copies`, `lower-var-copies`); structures; types other than 32 bits wide; system values; inputs and
//! outputs of stages whose invocations access each other's, where the outermost index is that of a vertex;
//! variables with an initializer; arrays of more than 256 elements. NIR:
//! `nir_lower_io_arrays_to_elements_no_indirects`; its variant for two stages at once is not needed, because
//! locations are unchanged.

use super::pass::{Journals, Options, PassInfo, RunFn, merged};
use crate::base::EntityId;
use crate::base::opening::opening;
use crate::ir::{
    DecorTarget, Diag, Fuel, Func, FuncBody, Inst, InstData, Len, Mode, Module, Reason, Type, TypeData, Var,
    VarData,
};
use crate::ops::{DerefOp, Key, Op, ValueType};
use crate::passes::util::io_components::locations;
use crate::passes::util::io_components::{STAGES, replace};
use crate::passes::util::memory::addressed;
use crate::passes::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};

/// The registry entry.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits input and output arrays into one variable for each element.",
    stages: STAGES,
    ..PassInfo::new(
        "io-arrays-to-elements",
        opening!("io_arrays_to_elements.rs"),
        RunFn::Module(io_arrays_to_elements),
    )
};

const WHY: Reason = Reason::Note("each element becomes a variable");

/// Longest array that is split.
const MAX_ELEMENTS: u32 = 256;

/// Deepest nesting of arrays that is considered.
const MAX_LEVELS: usize = 16;

/// Splits variables. Linear in the size of the result; idempotent; both shapes. One unit of fuel per level of a
/// variable.
///
/// Error: `P103` if a function is not valid.
fn io_arrays_to_elements(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut journals = Journals::new();
    for _ in 0..MAX_LEVELS {
        let mut vars: FxHashMap<Var, Array> =
            module.vars().filter_map(|(var, data)| Some((var, Array::of(module, var, data)?))).collect();
        let mut found = element_paths(module, &mut vars);
        let mut replacements: Vec<(Var, Vec<Var>)> = Vec::new();
        let all: Vec<(Var, VarData)> = module
            .vars()
            .filter(|(var, _)| vars.contains_key(var))
            .map(|(var, data)| (var, data.clone()))
            .collect();
        for (var, data) in all {
            let Some(array) = vars.get(&var).filter(|_| fuel.take()) else { break };
            let element = |at: u32| {
                let attrs = data.attrs.with(Key::Location, array.location + u64::from(at) * array.each);
                VarData { ty: array.of, attrs, ..data.clone() }
            };
            replacements.push((var, (0..array.count).map(|at| module.add_var(element(at))).collect()));
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
struct Array {
    of: Type,
    count: u32,
    /// Locations of one element.
    each: u64,
    location: u64,
}

impl Array {
    fn of(module: &Module, var: Var, data: &VarData) -> Option<Array> {
        let mut named = module.entries.iter().filter(|entry| entry.interface.contains(&var)).peekable();
        let is_named = named.peek().is_some() && named.all(|entry| STAGES.contains(&entry.stage));
        let io = matches!(data.mode, Mode::In | Mode::Out) && data.init.is_none();
        if !is_named || !io || data.attrs.has(Key::BuiltIn) {
            return None;
        }
        let location = data.attrs.get(Key::Location)?;
        let (of, count) = match *module.type_of(data.ty) {
            TypeData::Array { of, len: Len::Count(count), .. } => (of, count),
            TypeData::Matrix { column, columns, .. } => (column, u32::from(columns)),
            _ => return None,
        };
        let mut inner = of;
        for _ in 0..MAX_LEVELS {
            if module.value_type(inner).is_some() {
                break;
            }
            match *module.type_of(inner) {
                TypeData::Array { of, .. } => inner = of,
                TypeData::Matrix { column, .. } => inner = column,
                _ => return None,
            }
        }
        let each = locations(module, of)?;
        // Locations are 32-bit numbers.
        let end = each.checked_mul(u64::from(count))?.checked_add(location)?;
        let fits = (1..=MAX_ELEMENTS).contains(&count) && end <= u64::from(u32::MAX);
        fits.then_some(Array { of, count, each, location })
    }
}

/// A path to an element.
struct ElementPath {
    path: Inst,
    var: Var,
    at: usize,
}

/// Returns every step to an element, by function; variables with any other use are removed from `vars`.
fn element_paths(module: &Module, vars: &mut FxHashMap<Var, Array>) -> Vec<(Func, Vec<ElementPath>)> {
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
    vars: &FxHashMap<Var, Array>,
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
                let known = data.args.get(1).and_then(|&index| body.const_of(index));
                let known = known.map(|bits| module.bits_of(bits).component(0).as_u64());
                let count = vars.get(&var).map_or(0, |array| u64::from(array.count));
                match (data.op, known.filter(|&at| number == 0 && at < count)) {
                    (Op::Deref(DerefOp::Elem), Some(at)) => {
                        out.push(ElementPath { path: inst, var, at: at as usize });
                    }
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

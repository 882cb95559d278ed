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
//! What is handed on element by element can be left out, packed (`io-to-vector`) and reached by location one by one. An
//! element takes as many locations as it is made of, and each variable keeps component, interpolation and index; so the
//! other stage need not change. A matrix is an array of columns, and an array of arrays comes apart level by level.
//!
//! Left alone: an index known only at run time (`lower-indirect-derefs`) or out of range, and copies of the whole
//! (`split-var-copies`, `lower-var-copies`); structures; other numbers than of 32 bits; system values; inputs and
//! outputs of stages whose components see each other's, where the outermost index is that of a vertex; variables with an
//! initializer; arrays of more than 256 elements. NIR: `nir_lower_io_arrays_to_elements_no_indirects`; between two
//! stages at once there is nothing to agree on, because locations stay.

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

/// The row of the list.
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

/// Longest array that is taken apart.
const MOST_ELEMENTS: u32 = 256;

/// Deepest nesting of arrays that is looked at.
const MOST_LEVELS: usize = 16;

/// Splits variables. Linear in what comes out; idempotent; both shapes. A level of a variable is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn io_arrays_to_elements(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut journals = Journals::new();
    for _ in 0..MOST_LEVELS {
        let mut vars: FxHashMap<Var, Array> =
            module.vars().filter_map(|(var, data)| Some((var, Array::of(module, var, data)?))).collect();
        let mut found = steps(module, &mut vars);
        let mut instead: Vec<(Var, Vec<Var>)> = Vec::new();
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
            instead.push((var, (0..array.count).map(|at| module.add_var(element(at))).collect()));
        }
        if instead.is_empty() {
            break;
        }
        let by_var: FxHashMap<Var, Vec<Var>> = instead.iter().cloned().collect();
        found.iter_mut().for_each(|(_, steps)| steps.retain(|step| by_var.contains_key(&step.var)));
        journals.extend(replace(module, found, &instead, |ed, step: &Step| {
            let element = by_var.get(&step.var).and_then(|elements| elements.get(step.at));
            let Some(element) = element else { return Ok(()) };
            let path = InstData::new(DerefOp::Var, ValueType::Path, &[]);
            ed.rewrite(step.path, path.with(Key::Var, element.index() as u64), WHY)
        })?);
    }
    Ok(merged(journals))
}

/// An input or output that may be taken apart.
struct Array {
    of: Type,
    count: u32,
    /// Locations of an element.
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
        for _ in 0..MOST_LEVELS {
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
        // Locations are numbers of 32 bits.
        let end = each.checked_mul(u64::from(count))?.checked_add(location)?;
        let fits = (1..=MOST_ELEMENTS).contains(&count) && end <= u64::from(u32::MAX);
        fits.then_some(Array { of, count, each, location })
    }
}

/// A path to an element.
struct Step {
    path: Inst,
    var: Var,
    at: usize,
}

/// Every step to an element, by function; variables of which anything else is done are not taken.
fn steps(module: &Module, vars: &mut FxHashMap<Var, Array>) -> Vec<(Func, Vec<Step>)> {
    let mut lost: FxHashSet<Var> = addressed(module).collect();
    lost.extend(module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        DecorTarget::Func(_) | DecorTarget::Global(_) | DecorTarget::Struct(_) | DecorTarget::Member(..) => {
            None
        }
    }));
    let mut out = Vec::new();
    for (func, body) in module.funcs() {
        out.push((func, of_function(module, body, vars, &mut lost)));
    }
    vars.retain(|var, _| !lost.contains(var));
    for (_, steps) in &mut out {
        steps.retain(|step| vars.contains_key(&step.var));
    }
    out
}

fn of_function(
    module: &Module,
    body: &FuncBody,
    vars: &FxHashMap<Var, Array>,
    lost: &mut FxHashSet<Var>,
) -> Vec<Step> {
    let mut out = Vec::new();
    let mut roots: FxHashMap<Inst, Var> = FxHashMap::default();
    let order = in_order(body);
    let reached: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|var| vars.contains_key(var)) {
                match data.op {
                    Op::Deref(DerefOp::Var) => drop(roots.insert(inst, var)),
                    _ => drop(lost.insert(var)),
                }
            }
            for (number, arg) in data.args.iter().enumerate() {
                let Some(&var) = roots.get(arg) else { continue };
                let known = data.args.get(1).and_then(|&index| body.const_of(index));
                let known = known.map(|bits| module.bits_of(bits).component(0).as_u64());
                let count = vars.get(&var).map_or(0, |array| u64::from(array.count));
                match (data.op, known.filter(|&at| number == 0 && at < count)) {
                    (Op::Deref(DerefOp::Elem), Some(at)) => {
                        out.push(Step { path: inst, var, at: at as usize });
                    }
                    _ => drop(lost.insert(var)),
                }
            }
        }
        body.terminator(block).for_each_use(|value| lost.extend(roots.get(&value)));
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reached.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            lost.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
    out
}

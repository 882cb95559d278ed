//! Variables that become one variable for each element or member.
//!
//! Shared by `io-arrays-to-elements` and `resource-arrays-to-elements`. Does not decide which variables are split, nor what
//! their parts are.

use crate::pass::{Journals, merged};
use crate::util::io_components::replace;
use crate::util::memory::declared_elsewhere;
use crate::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{DerefOp, Key, Op, ValueType};
use vitrine_ir::{
    Attrs, Diag, Fuel, Func, FuncBody, Inst, InstData, Module, Reason, Text, Type, Var, VarData,
};

const WHY: Reason = Reason::Note("each part becomes a variable");

/// Deepest nesting of arrays that is considered.
pub(crate) const MAX_LEVELS: usize = 16;

/// Most parts of an array or a structure that is split.
pub(crate) const MAX_PARTS: usize = 256;

/// A variable that may be split.
pub(crate) struct Whole {
    pub(crate) parts: Vec<Part>,
    /// The step to a part is that to a member.
    pub(crate) is_structure: bool,
}

/// An element or a member.
pub(crate) struct Part {
    pub(crate) name: Option<Text>,
    pub(crate) ty: Type,
    pub(crate) attrs: Attrs,
}

/// Splits the variables that `whole_of` takes, level by level, unless an access is not a step to a known part. Linear in the
/// size of the result. One unit of fuel per level of a variable.
///
/// Error: `P103` if a function is not valid.
pub(crate) fn split_parts(
    module: &mut Module,
    fuel: &mut Fuel,
    whole_of: impl Fn(&Module, Var, &VarData) -> Option<Whole>,
) -> Result<Journals, Diag> {
    let mut journals = Journals::new();
    for _ in 0..MAX_LEVELS {
        let mut vars: FxHashMap<Var, Whole> =
            module.vars().filter_map(|(var, data)| Some((var, whole_of(module, var, data)?))).collect();
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

/// A path to a part.
struct ElementPath {
    path: Inst,
    var: Var,
    at: usize,
}

/// Returns every step to a part, by function; variables with any other use are removed from `vars`.
fn element_paths(module: &Module, vars: &mut FxHashMap<Var, Whole>) -> Vec<(Func, Vec<ElementPath>)> {
    let mut escaped = declared_elsewhere(module);
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

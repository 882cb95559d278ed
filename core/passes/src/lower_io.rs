//! `lower-io`: replaces accesses to input and output variables by accesses to locations.
//!
//! ```text
//! in $0: [f32x4 * 3] {location 2}           ^0:
//! ^0:                                         %3: b32x4 = io.input_at %0 {location 2}
//!   %1: path = deref.var $0           =>
//!   %2: path = deref.elem %1, %0
//!   %3: b32x4 = load %2
//! ```
//!
//! A scalar or vector occupies one location, a column of a matrix and an element of an array as many as its type,
//! and members of a structure follow each other unless they declare their own. Constant steps are added to the
//! location; a dynamic index is an operand. A component of a vector stays a component.
//!
//! Supports vertex and fragment shaders, and 32-bit types. Afterwards no variable with a location is accessed,
//! except for: paths with uses other than plain loads and stores (`interpolate` takes a path; if one access of an
//! output is unchanged, all are), stores of components known only at run time (`lower-array-deref-of-vec`), copies
//! (`lower-var-copies`), paths with several dynamic indices. Variables stay declared: they are the interface to
//! the other stage. System values are handled by `lower-system-values`. SPIR-V has only variables, so this is for
//! other targets.
//!
//! Does not lower buffers: a buffer has no location, only a layout in bytes, and an access by bytes uses an untyped
//! pointer: the operations of `ptr` declare offsets, strides and lengths, and can be converted back into paths.
//! Loose uniforms become a buffer first (`uniforms-to-ubo`). NIR: `nir_lower_io`, the part for inputs and outputs;
//! its part for explicit memory selects hardware address formats, which do not exist here.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::io_components::locations;
use crate::util::memory::is_plain;
use crate::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, IntOp, IoOp, Key, MemoryOp, Op, ValueType, VectorOp, Width};
use vitrine_ir::{
    Attrs, Diag, Editor, Fuel, Func, FuncBody, GlobalValue, InsertPoint, Inst, InstData, Mode, Module,
    Reason, Refusal, Stage, Type, TypeData, Var,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces accesses to input and output variables by accesses to locations.",
    stages: STAGES,
    ..PassInfo::new("lower-io", opening!("lower_io.rs"), RunFn::Module(lower_io))
};

/// Supported stages.
const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment];

const WHY: Reason = Reason::Note("it is accessed by location");

/// Target of a path.
#[derive(Clone)]
struct IoPlace {
    var: Var,
    location: u64,
    component: u64,
    /// A dynamic index, with the number of locations per step.
    dynamic_index: Option<(Inst, u64)>,
    ty: Type,
    /// A dynamic component of a vector, with the number of its components.
    dynamic_component: Option<(Inst, u8)>,
    /// The path ends at a component of a vector: a store writes only that component.
    is_component: bool,
}

/// Replaces loads and stores. Linear; idempotent; both shapes. One unit of fuel per variable.
///
/// Error: `P103` if a function is not valid.
fn lower_io(module: &mut Module, _: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut vars = candidates(module);
    if vars.is_empty() {
        return Ok(Journals::new());
    }
    let mut blocked: FxHashSet<Var> = FxHashSet::default();
    let mut found: Vec<(Func, Vec<(Inst, IoPlace)>)> = Vec::new();
    for (func, body) in module.funcs() {
        found.push((func, collect(module, body, &vars, &mut blocked)));
    }
    for (_, data) in module.globals() {
        if let GlobalValue::Address(var) = data.value {
            blocked.insert(var);
        }
    }
    let is_out = |var: Var| module.var(var).is_some_and(|data| data.mode == Mode::Out);
    let used: FxHashSet<Var> =
        found.iter().flat_map(|(_, all)| all.iter().map(|(_, place)| place.var)).collect();
    vars.retain(|&var| used.contains(&var) && !(is_out(var) && blocked.contains(&var)));
    let taken: FxHashSet<Var> = vars.into_iter().filter(|_| fuel.take()).collect();
    let mut journals = Journals::new();
    for (func, accesses) in found {
        let accesses: Vec<_> = accesses.into_iter().filter(|(_, place)| taken.contains(&place.var)).collect();
        if accesses.is_empty() {
            continue;
        }
        let mut ed = open(module, func)?;
        let done = accesses.iter().try_for_each(|(inst, place)| place.lower(&mut ed, *inst));
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(journals)
}

/// Returns the inputs and outputs of vertex and fragment shaders that have a location, in order.
fn candidates(module: &Module) -> Vec<Var> {
    let named = |var: Var| {
        let mut entries = module.entries.iter().filter(|entry| entry.interface.contains(&var)).peekable();
        entries.peek().is_some() && entries.all(|entry| STAGES.contains(&entry.stage))
    };
    let io = module.vars().filter(|(_, data)| matches!(data.mode, Mode::In | Mode::Out));
    let io = io.filter(|(_, data)| !data.attrs.has(Key::BuiltIn) && data.init.is_none());
    io.filter(|&(var, _)| named(var)).map(|(var, _)| var).collect()
}

/// Returns the accesses that can be lowered; adds variables with other accesses to `blocked`.
fn collect(
    module: &Module,
    body: &FuncBody,
    vars: &[Var],
    blocked: &mut FxHashSet<Var>,
) -> Vec<(Inst, IoPlace)> {
    let vars: FxHashSet<Var> = vars.iter().copied().collect();
    let mut places: FxHashMap<Inst, Result<IoPlace, Var>> = FxHashMap::default();
    let mut out = Vec::new();
    let order = in_order(body);
    let reachable: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|var| vars.contains(var)) {
                if data.op == Op::Deref(DerefOp::Var) {
                    places.insert(inst, place_of_var(module, var).ok_or(var));
                } else {
                    blocked.insert(var);
                }
            }
            for (number, &arg) in data.args.iter().enumerate() {
                let Some(place) = places.get(&arg).cloned() else { continue };
                let var = place.as_ref().map_or_else(|&var| var, |place| place.var);
                let value = match data.op {
                    Op::Memory(MemoryOp::Store) => data.args.get(1).map(|&value| body.ty(value)),
                    _ => Some(data.ty),
                };
                let plain =
                    number == 0 && is_plain(data) && value.and_then(ValueType::width) == Some(Width::W32);
                match (data.op, place) {
                    (Op::Deref(DerefOp::Field | DerefOp::Elem), place) if number == 0 => {
                        let next = place.ok().and_then(|place| place.step(module, body, inst));
                        places.insert(inst, next.ok_or(var));
                    }
                    (Op::Memory(MemoryOp::Load), Ok(place)) if plain => out.push((inst, place)),
                    (Op::Memory(MemoryOp::Store), Ok(place))
                        if plain && place.dynamic_component.is_none() =>
                    {
                        out.push((inst, place));
                    }
                    _ => drop(blocked.insert(var)),
                }
            }
        }
        body.terminator(block).for_each_use(|value| {
            if let Some(place) = places.get(&value) {
                blocked.insert(place.as_ref().map_or_else(|&var| var, |place| place.var));
            }
        });
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reachable.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            blocked.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
    out
}

fn place_of_var(module: &Module, var: Var) -> Option<IoPlace> {
    let data = module.var(var)?;
    // Members of a structure may declare locations.
    let location = match module.type_of(data.ty) {
        TypeData::Struct(_) => data.attrs.get(Key::Location).unwrap_or(0),
        _ => data.attrs.get(Key::Location)?,
    };
    let component = data.attrs.get(Key::Component).unwrap_or(0);
    Some(IoPlace {
        var,
        location,
        component,
        dynamic_index: None,
        ty: data.ty,
        dynamic_component: None,
        is_component: false,
    })
}

impl IoPlace {
    /// Extends the place by one step.
    fn step(mut self, module: &Module, body: &FuncBody, inst: Inst) -> Option<IoPlace> {
        let data = body.inst(inst);
        let index = data.args.get(1).copied();
        let known = index
            .and_then(|index| body.const_of(index))
            .map(|bits| module.bits_of(bits).component(0).as_u64());
        match (module.type_of(self.ty), index, known) {
            (TypeData::Struct(structure), None, _) => {
                let at = usize::try_from(data.attrs.get(Key::Field)?).ok()?;
                let members = &module.structure(*structure)?.members;
                let member = members.get(at)?;
                if member.attrs.has(Key::BuiltIn) {
                    return None;
                }
                self.location = match member.attrs.get(Key::Location) {
                    Some(location) => location,
                    None => {
                        let before = members.iter().take(at).map(|member| locations(module, member.ty));
                        self.location.checked_add(before.sum::<Option<u64>>()?)?
                    }
                };
                self.component = member.attrs.get(Key::Component).unwrap_or(0);
                self.ty = member.ty;
            }
            (&TypeData::Vector { of, components }, Some(_), Some(component)) => {
                if component >= u64::from(components) {
                    return None;
                }
                self.component = self.component.checked_add(component)?;
                (self.ty, self.is_component) = (of, true);
            }
            (&TypeData::Vector { of, components }, Some(index), None) => {
                self.dynamic_component = Some((index, components));
                (self.ty, self.is_component) = (of, true);
            }
            (_, Some(index), known) => {
                let of = module.element_type(self.ty)?;
                let each = locations(module, of)?;
                match known {
                    Some(at) if at < u64::from(module.element_count(self.ty)?) => {
                        self.location = self.location.checked_add(at.checked_mul(each)?)?;
                    }
                    Some(_) => return None,
                    None if self.dynamic_index.is_none() && body.ty(index) == ValueType::B32 => {
                        self.dynamic_index = Some((index, each));
                    }
                    None => return None,
                }
                self.ty = of;
            }
            (_, None, _) => return None,
        }
        Some(self)
    }

    fn lower(&self, ed: &mut Editor<'_>, inst: Inst) -> Result<(), Refusal> {
        let data = ed.func().inst(inst).clone();
        let Some(var) = ed.module().var(self.var).cloned() else { return Ok(()) };
        let mut attrs = Attrs::one(Key::Location, self.location);
        if self.component != 0 {
            attrs = attrs.with(Key::Component, self.component);
        }
        for key in [Key::Interp, Key::Index] {
            attrs = var
                .attrs
                .get(key)
                .filter(|_| key == Key::Interp || var.mode == Mode::Out)
                .map_or_else(|| attrs.clone(), |value| attrs.with(key, value));
        }
        let mut b = ed.build(InsertPoint::Before(inst), WHY);
        let offset = self.dynamic_index.map(|(index, each)| match each {
            1 => index,
            each => {
                let each = b.int(Width::W32, each as i64);
                b.checked(IntOp::IMul, ValueType::B32, &[index, each])
            }
        });
        let is_store = data.op == Op::Memory(MemoryOp::Store);
        let whole =
            self.dynamic_component.map_or(data.ty, |(_, components)| data.ty.with_components(components));
        let zero = match (is_store, var.mode, offset) {
            (false, Mode::Out, None) => Some(b.int(Width::W32, 0)),
            _ => offset,
        };
        b.finish()?;
        let new = match (is_store, var.mode, zero) {
            (true, _, None) => InstData::new(
                IoOp::Output,
                ValueType::Void,
                &data.args.iter().skip(1).copied().collect::<Vec<_>>(),
            ),
            (true, _, Some(offset)) => {
                let args: Vec<Inst> = data.args.iter().skip(1).copied().chain([offset]).collect();
                InstData::new(IoOp::OutputAt, ValueType::Void, &args)
            }
            (false, Mode::Out, offset) => {
                InstData::new(IoOp::OutputRead, whole, &offset.into_iter().collect::<Vec<_>>())
            }
            (false, _, None) => InstData::new(IoOp::Input, whole, &[]),
            (false, _, Some(offset)) => InstData::new(IoOp::InputAt, whole, &[offset]),
        };
        if let Some(mask) = data.attrs.get(Key::Mask).filter(|_| is_store && !self.is_component) {
            attrs = attrs.with(Key::Mask, mask);
        }
        let new = InstData { attrs, flags: data.flags, ..new };
        let Some((component, _)) = self.dynamic_component else { return ed.rewrite(inst, new, WHY) };
        let vector = ed.insert(InsertPoint::Before(inst), new, WHY)?;
        ed.rewrite(inst, InstData::new(VectorOp::Extract, data.ty, &[vector, component]), WHY)
    }
}

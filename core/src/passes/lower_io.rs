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
//! A scalar or vector takes one location, a column of a matrix and an element of an array as many as it is made of,
//! members of a structure follow each other unless they say their own. Steps known now are added to the location, an
//! index known only at run time is an operand. A component is a component.
//!
//! Looked at are vertex and fragment shaders, and numbers of 32 bits. Afterwards no variable with a location is
//! accessed but for: paths that go anywhere but into plain loads and stores (`interpolate` reads a path; an output of
//! which one access stays keeps all), stores of components known only at run time (`lower-array-deref-of-vec`), copies
//! (`lower-var-copies`), several indices known only at run time in one path. Variables stay declared: they are what the
//! other stage agrees on. System values are for `lower-system-values`. SPIR-V has only variables, so this is for other
//! targets.
//!
//! Of buffers nothing belongs here. A buffer has no location, only a layout in bytes, and what reaches it by bytes is
//! an untyped pointer: offsets, strides and lengths are said by operations of `ptr`, where they can be read back into
//! paths. Loose uniforms become a buffer first (`uniforms-to-ubo`). NIR: `nir_lower_io`, the part for inputs and
//! outputs; its part for explicit memory chooses between address formats of hardware, and there is none here.

use super::pass::{Journals, Options, PassInfo, RunFn};
use crate::base::opening::opening;
use crate::ir::{
    Attrs, Diag, Editor, Fuel, Func, FuncBody, GlobalValue, InsertPoint, Inst, InstData, Mode, Module,
    Reason, Refusal, Stage, Type, TypeData, Var,
};
use crate::ops::{DerefOp, IntOp, IoOp, Key, MemoryOp, Op, ValueType, VectorOp, Width};
use crate::passes::util::io_components::locations;
use crate::passes::util::memory::is_plain;
use crate::passes::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces accesses to input and output variables by accesses to locations.",
    stages: STAGES,
    ..PassInfo::new("lower-io", opening!("lower_io.rs"), RunFn::Module(lower_io))
};

/// Stages that are looked at.
const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment];

const WHY: Reason = Reason::Note("it is accessed by location");

/// Where a path leads.
#[derive(Clone)]
struct Place {
    var: Var,
    location: u64,
    component: u64,
    /// An index known only at run time, and how many locations a step is.
    by: Option<(Inst, u64)>,
    ty: Type,
    /// A component of a vector known only at run time, and how many there are.
    picked: Option<(Inst, u8)>,
    /// One of a vector: a store there is of that component.
    is_component: bool,
}

/// Replaces loads and stores. Linear; idempotent; both shapes. A variable is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn lower_io(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut vars = candidates(module);
    if vars.is_empty() {
        return Ok(Journals::new());
    }
    let mut blocked: FxHashSet<Var> = FxHashSet::default();
    let mut found: Vec<(Func, Vec<(Inst, Place)>)> = Vec::new();
    for (func, body) in module.funcs() {
        found.push((func, look(module, body, &vars, &mut blocked)));
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

/// Inputs and outputs with a location of vertex and fragment shaders, in order.
fn candidates(module: &Module) -> Vec<Var> {
    let named = |var: Var| {
        let mut entries = module.entries.iter().filter(|entry| entry.interface.contains(&var)).peekable();
        entries.peek().is_some() && entries.all(|entry| STAGES.contains(&entry.stage))
    };
    let io = module.vars().filter(|(_, data)| matches!(data.mode, Mode::In | Mode::Out));
    let io = io.filter(|(_, data)| !data.attrs.has(Key::BuiltIn) && data.init.is_none());
    io.filter(|&(var, _)| named(var)).map(|(var, _)| var).collect()
}

/// Accesses that can be lowered; variables with others are blocked.
fn look(module: &Module, body: &FuncBody, vars: &[Var], blocked: &mut FxHashSet<Var>) -> Vec<(Inst, Place)> {
    let vars: FxHashSet<Var> = vars.iter().copied().collect();
    let mut places: FxHashMap<Inst, Result<Place, Var>> = FxHashMap::default();
    let mut out = Vec::new();
    let order = in_order(body);
    let reached: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|var| vars.contains(var)) {
                if data.op == Op::Deref(DerefOp::Var) {
                    places.insert(inst, begin(module, var).ok_or(var));
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
                    (Op::Memory(MemoryOp::Store), Ok(place)) if plain && place.picked.is_none() => {
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
    for block in body.blocks_in_order().into_iter().filter(|block| !reached.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            blocked.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
    out
}

fn begin(module: &Module, var: Var) -> Option<Place> {
    let data = module.var(var)?;
    // Members of a structure may say theirs.
    let location = match module.type_of(data.ty) {
        TypeData::Struct(_) => data.attrs.get(Key::Location).unwrap_or(0),
        _ => data.attrs.get(Key::Location)?,
    };
    let component = data.attrs.get(Key::Component).unwrap_or(0);
    Some(Place { var, location, component, by: None, ty: data.ty, picked: None, is_component: false })
}

impl Place {
    /// One step further in.
    fn step(mut self, module: &Module, body: &FuncBody, inst: Inst) -> Option<Place> {
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
                self.picked = Some((index, components));
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
                    None if self.by.is_none() && body.ty(index) == ValueType::B32 => {
                        self.by = Some((index, each));
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
        let offset = self.by.map(|(index, each)| match each {
            1 => index,
            each => {
                let each = b.int(Width::W32, each as i64);
                b.checked(IntOp::IMul, ValueType::B32, &[index, each])
            }
        });
        let is_store = data.op == Op::Memory(MemoryOp::Store);
        let whole = self.picked.map_or(data.ty, |(_, components)| data.ty.with_components(components));
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
        let Some((component, _)) = self.picked else { return ed.rewrite(inst, new, WHY) };
        let vector = ed.insert(InsertPoint::Before(inst), new, WHY)?;
        ed.rewrite(inst, InstData::new(VectorOp::Extract, data.ty, &[vector, component]), WHY)
    }
}

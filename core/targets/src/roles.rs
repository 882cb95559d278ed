//! Names by role, for values, registers and variables without a name of their own.
//!
//! ```text
//! load of `light.color`   color      sample of `albedo`    albedo      component of `uv`    uv_x
//! comparison              test       call of `noise`       noise       register that counts i, j, k
//! dot product             cosine     normalized vector     direction   power               power
//! ```
//!
//! A value that is stored to a named variable takes the name of that variable if its operation gives none. A role is a
//! hint: the caller makes the name unique. Values whose operation says nothing about them, such as sums, have no role.

use super::declaration_sites::Named;
use super::operands::STEPS;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::ops::{BasicOp, DerefOp, FloatOp, IntOp, Key, MemoryOp, Op, RegOp, ValueType, VectorOp};
use vitrine_ir::{Func, FuncBody, Inst, Module, Reg, TypeData, Var};

/// The names of variables that count, in order of use.
pub(super) const COUNTERS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// The names of components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The most operations that a name is followed through.
const FAR: usize = 8;

/// What the stores of a function say about the roles of its values.
#[derive(Default)]
pub(super) struct Roles {
    /// The register or the path that a value is stored to first.
    stored_to: FxHashMap<Inst, Inst>,
    /// The first value with a role that is stored to a register or a variable.
    holds: FxHashMap<Named, Vec<Inst>>,
    counters: FxHashSet<Named>,
}

impl Roles {
    /// Finds the roles of a function. Linear.
    pub(super) fn of(body: &FuncBody) -> Roles {
        let mut roles = Roles::default();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let (place, value) = match (data.op, &data.args[..]) {
                (Op::Reg(RegOp::Store), &[value]) => (data.entity(Key::Reg).map(Named::Reg), value),
                (Op::Memory(MemoryOp::Store), &[path, value]) => (whole_variable(body, path), value),
                _ => return,
            };
            roles.stored_to.entry(value).or_insert(inst);
            let Some(place) = place else { return };
            roles.holds.entry(place).or_default().push(value);
            if counts(body, place, value) {
                roles.counters.insert(place);
            }
        });
        roles
    }

    /// Returns true if a register or a variable is changed by a constant.
    pub(super) fn is_counter(&self, named: Named) -> bool {
        self.counters.contains(&named)
    }

    /// The role of a register or a variable: that of the first value with a role that it holds.
    pub(super) fn of_storage(&self, module: &Module, body: &FuncBody, named: Named) -> Option<String> {
        let values = self.holds.get(&named)?;
        values.iter().take(FAR).find_map(|&value| by_operation(module, body, value))
    }

    /// The role of a value.
    pub(super) fn of_value(&self, module: &Module, body: &FuncBody, value: Inst) -> Option<String> {
        let stored = || {
            let store = body.inst(*self.stored_to.get(&value)?);
            match store.entity::<Reg>(Key::Reg) {
                Some(reg) => text(module, body.reg(reg)?.name),
                None => path_name(module, body, *store.args.first()?),
            }
        };
        let test = || (body.ty(value) == ValueType::BOOL).then(|| "test".to_owned());
        by_operation(module, body, value).or_else(stored).or_else(test)
    }
}

fn text(module: &Module, name: Option<vitrine_ir::Text>) -> Option<String> {
    let name = module.text_of(name?);
    // The name of a system value, as a name of the program would be.
    let name = match name.strip_prefix("gl_") {
        Some(rest) => {
            rest.chars().take(1).map(|c| c.to_ascii_lowercase()).chain(rest.chars().skip(1)).collect()
        }
        None => name.to_owned(),
    };
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

/// The variable that is the whole of a path.
fn whole_variable(body: &FuncBody, path: Inst) -> Option<Named> {
    let data = body.inst(path);
    match data.op {
        Op::Deref(DerefOp::Var) => data.entity::<Var>(Key::Var).map(Named::Var),
        _ => None,
    }
}

/// Returns true if a value is that of an integer register or variable plus or minus a constant.
fn counts(body: &FuncBody, place: Named, value: Inst) -> bool {
    let data = body.inst(value);
    if !matches!(data.op, Op::Int(IntOp::IAdd | IntOp::ISub)) || data.ty.components() != 1 {
        return false;
    }
    let is_constant = |inst: &Inst| body.const_of(*inst).is_some();
    let is_place = |inst: &Inst| {
        let data = body.inst(*inst);
        match (data.op, place) {
            (Op::Reg(RegOp::Load), Named::Reg(reg)) => data.entity(Key::Reg) == Some(reg),
            (Op::Memory(MemoryOp::Load), Named::Var(_)) => {
                data.args.first().is_some_and(|&path| whole_variable(body, path) == Some(place))
            }
            _ => false,
        }
    };
    match &data.args[..] {
        [a, b] => is_place(a) && is_constant(b) || is_constant(a) && is_place(b),
        _ => false,
    }
}

/// The role of a value by the operations that compute it.
fn by_operation(module: &Module, body: &FuncBody, value: Inst) -> Option<String> {
    let mut at = value;
    for _ in 0..FAR {
        // A variable is no constant, even if it holds one first.
        if matches!(body.inst(at).op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef)) {
            return None;
        }
        if let Some(name) = text(module, body.inst_name(at)) {
            return Some(with_component(module, body, value, at, name));
        }
        let data = body.inst(at);
        let first = data.args.first().copied();
        let name = match data.op {
            Op::Memory(_) => path_name(module, body, first?),
            Op::Reg(RegOp::Load) => text(module, body.reg(data.entity(Key::Reg)?)?.name),
            Op::Tex(_) => resource_name(module, body, first?),
            Op::Basic(BasicOp::Call) => text(module, module.func(data.entity::<Func>(Key::Func)?)?.name()),
            Op::Vector(VectorOp::Extract | VectorOp::Shuffle) | Op::Basic(BasicOp::Copy) => {
                at = first?;
                continue;
            }
            // A single operand of the same shape: the sign, the absolute value, a conversion.
            Op::Float(_) | Op::Convert(_) | Op::Int(_) if data.args.len() == 1 => {
                at = first.filter(|&arg| body.ty(arg).components() == data.ty.components())?;
                continue;
            }
            op => by_function(op).map(str::to_owned),
        };
        return name.map(|name| with_component(module, body, value, at, name));
    }
    None
}

/// The role of the result of a built-in function.
fn by_function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Vector(VectorOp::FDot) => "cosine",
        Op::Vector(VectorOp::FCross) => "normal",
        Op::Vector(VectorOp::FNormalize) => "direction",
        Op::Vector(VectorOp::FLength | VectorOp::FDistance) => "range",
        Op::Vector(VectorOp::FReflect) => "reflected",
        Op::Vector(VectorOp::FRefract) => "refracted",
        Op::Float(FloatOp::FPow) => "power",
        Op::Float(FloatOp::FMix) => "mixed",
        Op::Float(FloatOp::FClamp) => "clamped",
        Op::Float(FloatOp::FStep | FloatOp::FSmoothStep) => "edge",
        _ => return None,
    })
}

/// The name of a vector, with the component that a value is.
fn with_component(module: &Module, body: &FuncBody, value: Inst, of: Inst, name: String) -> String {
    let data = body.inst(value);
    let index = match (data.op, &data.args[..]) {
        (Op::Vector(VectorOp::Extract), &[vector, index]) if vector == of => Some(index),
        _ => None,
    };
    let at =
        index.and_then(|index| body.const_of(index)).map(|bits| module.bits_of(bits).component(0).as_u64());
    let component = at.and_then(|at| COMPONENTS.get(usize::try_from(at).ok()?));
    match component {
        Some(component) => format!("{name}_{component}"),
        None => name,
    }
}

/// The last member with a name on a path, else the variable.
fn path_name(module: &Module, body: &FuncBody, path: Inst) -> Option<String> {
    let mut steps = Vec::new();
    let mut at = path;
    let (mut name, mut ty) = loop {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let var = module.var(data.entity(Key::Var)?)?;
                break (text(module, var.name), var.ty);
            }
            Op::Basic(BasicOp::Param) => break (text(module, body.inst_name(at)), data.entity(Key::Type)?),
            Op::Deref(DerefOp::Field | DerefOp::Elem) => steps.push(at),
            // A pointer that is loaded.
            Op::Memory(MemoryOp::Load) if !steps.is_empty() => break (None, module.path_type(body, at)?.ty),
            _ => return None,
        }
        if steps.len() > STEPS {
            return None;
        }
        at = *data.args.first()?;
    };
    for step in steps.into_iter().rev() {
        let field = body.inst(step).attrs.get(Key::Field);
        ty = match (module.type_of(ty), field) {
            (TypeData::Struct(structure), Some(field)) => {
                let member = module.structure(*structure)?.members.get(usize::try_from(field).ok()?)?;
                name = text(module, member.name).or(name);
                member.ty
            }
            _ => module.element_type(ty)?,
        };
    }
    name
}

/// The name of the variable that an image or a sampled image is loaded from.
fn resource_name(module: &Module, body: &FuncBody, handle: Inst) -> Option<String> {
    let mut at = handle;
    for _ in 0..FAR {
        let data = body.inst(at);
        match data.op {
            Op::Deref(_) => return path_name(module, body, at),
            Op::Basic(BasicOp::Param) => return text(module, body.inst_name(at)),
            _ => at = *data.args.first()?,
        }
    }
    None
}

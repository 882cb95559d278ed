//! Initial values of variables: parts of initializers, and initializers built from parts.
//!
//! Reads declarations only, not the uses of a variable.

use crate::util::leaves::{Arrays, Inner, leaves};
use rustc_hash::FxHashMap;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, Bits, Key, ValueType};
use vitrine_ir::{GlobalData, GlobalValue, InstData, Module, Operand, Type, TypeData};

/// The part of an initializer at the end of a path of constant steps, as a value of type `ty`; none if it is
/// not known. Interns the bits if the part belongs to a zero value.
pub(crate) fn part(
    module: &mut Module,
    init: Operand,
    steps: impl IntoIterator<Item = u32>,
    ty: ValueType,
) -> Option<Operand> {
    let zero = |module: &mut Module| match ty {
        ValueType::Bits { width, components } => {
            Some(Operand::Bits(module.bits(Bits::zero(width, components))))
        }
        _ => None,
    };
    let mut part = init;
    for step in steps {
        let Operand::Global(global) = part else { return None };
        part = match &module.global(global)?.value {
            GlobalValue::Parts(_, parts) => *parts.get(step as usize)?,
            GlobalValue::Zero(_) => return zero(module),
            GlobalValue::Undef(_)
            | GlobalValue::Spec(_)
            | GlobalValue::Op { .. }
            | GlobalValue::Address(_) => return None,
        };
    }
    if let Operand::Global(global) = part
        && let GlobalValue::Zero(_) = module.global(global)?.value
    {
        return zero(module);
    }
    (module.operand_type(part) == Some(ty)).then_some(part)
}

/// A constant as an instruction of type `ty`.
pub(crate) fn instruction(part: Operand, ty: ValueType) -> InstData {
    match part {
        Operand::Bits(bits) => InstData::new(BasicOp::Const, ty, &[]).with(Key::Const, bits.index() as u64),
        Operand::Global(global) => {
            InstData::new(BasicOp::Global, ty, &[]).with(Key::Global, global.index() as u64)
        }
    }
}

/// The constant that an instruction is, if any.
pub(crate) fn constant(data: &InstData) -> Option<Operand> {
    match data.op {
        vitrine_ir::ops::Op::Basic(BasicOp::Const) => data.entity(Key::Const).map(Operand::Bits),
        vitrine_ir::ops::Op::Basic(BasicOp::Global) => data.entity(Key::Global).map(Operand::Global),
        _ => None,
    }
}

/// An initializer of a type from these leaves, with zero for absent ones; none for types with more than `most`
/// leaves or with leaves that are not plain bits.
pub(crate) fn whole(
    module: &mut Module,
    ty: Type,
    known: &FxHashMap<Vec<u32>, Operand>,
    most: usize,
) -> Option<Operand> {
    let leaf_paths = leaves(module, ty, most, Arrays::Apart)?;
    let mut values = Vec::with_capacity(leaf_paths.len());
    for leaf_path in &leaf_paths {
        let steps: Vec<u32> = leaf_path.iter().map(|&step| number(step)).collect();
        values.push(match known.get(&steps) {
            Some(&value) => value,
            None => {
                let leaf = leaf_path.iter().try_fold(ty, |ty, &step| inner(module, ty, step))?;
                let ValueType::Bits { width, components } = module.value_type(leaf)? else {
                    return None;
                };
                Operand::Bits(module.bits(Bits::zero(width, components)))
            }
        });
    }
    // Leaves are in order, so each aggregate is a contiguous range of them: composites are built from the
    // inside out.
    let mut values = values.into_iter();
    let mut open: Vec<(Type, Vec<Operand>)> = Vec::new();
    let mut next = Some(ty);
    loop {
        let done = match next.take() {
            Some(at) if module.value_type(at).is_some() => values.next()?,
            Some(at) => {
                open.push((at, Vec::new()));
                match child(module, at, 0) {
                    Some(first) => {
                        next = Some(first);
                        continue;
                    }
                    None => close(module, open.pop()?),
                }
            }
            None => return None,
        };
        let mut done = done;
        loop {
            let Some((at, parts)) = open.last_mut() else { return Some(done) };
            parts.push(done);
            let (at, count) = (*at, parts.len());
            if let Some(child) = child(module, at, count) {
                next = Some(child);
                break;
            }
            done = close(module, open.pop()?);
        }
    }
}

/// The index of a step.
pub(crate) fn number(step: Inner) -> u32 {
    match step {
        Inner::Field(at) | Inner::Element(at) => at,
        Inner::All => 0,
    }
}

fn inner(module: &Module, ty: Type, step: Inner) -> Option<Type> {
    child(module, ty, number(step) as usize)
}

/// The type of a member, element or column.
fn child(module: &Module, ty: Type, at: usize) -> Option<Type> {
    match module.type_of(ty) {
        TypeData::Struct(structure) => Some(module.structure(*structure)?.members.get(at)?.ty),
        _ => module
            .element_type(ty)
            .filter(|_| module.element_count(ty).is_some_and(|count| at < count as usize)),
    }
}

fn close(module: &mut Module, (ty, parts): (Type, Vec<Operand>)) -> Operand {
    let value = GlobalValue::Parts(ty, parts.into());
    let known =
        module.globals().find(|(_, data)| data.value == value && data.attrs.is_empty()).map(|(at, _)| at);
    Operand::Global(known.unwrap_or_else(|| {
        module.add_global(GlobalData { name: None, value, attrs: vitrine_ir::Attrs::None })
    }))
}

/// The type of the value at the end of a path of constant steps; none for components, and for steps out of
/// range.
pub(crate) fn leaf_type(module: &Module, ty: Type, steps: &[u32]) -> Option<ValueType> {
    let mut at = ty;
    for &step in steps {
        if module.value_type(at).is_some() {
            return None;
        }
        at = match module.type_of(at) {
            TypeData::Struct(structure) => module.structure(*structure)?.members.get(step as usize)?.ty,
            _ if step < module.element_count(at)? => module.element_type(at)?,
            _ => return None,
        };
    }
    module.value_type(at)
}

//! Specialized module constants: their values for given values of the specialization constants.
//!
//! Each constant is computed after those that it refers to, whatever their numbers are: two programs side by side have numbers
//! of equal parts. Aggregates are not flattened here: an initializer is written to memory part by part (`fill`).

use std::collections::BTreeMap;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::layout::{Lengths, Sizes};
use vitrine_ir::ops::{Bits, Key, ValueType};
use vitrine_ir::{Global, GlobalValue, Module, Operand, Type, TypeData, Var};

/// The value of a module constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConstValue {
    /// A value.
    Bits(Bits),
    /// An undefined value of the type.
    Undef(ValueType),
    /// The address of a variable.
    Address(Var),
    /// An aggregate; its parts are in the module.
    Aggregate,
}

/// Every module constant by id.
#[derive(Debug, Default)]
pub struct Consts {
    value_of: SideTable<Global, Option<ConstValue>>,
}

impl Lengths for Consts {
    fn of_global(&self, global: Global) -> u64 {
        self.scalar(global).unwrap_or(0)
    }
}

impl Consts {
    /// Computes them; `specs` are the values of specialization constants by their identity.
    pub fn of(module: &Module, specs: &BTreeMap<u32, u64>) -> Consts {
        let mut consts = Consts::default();
        for global in module.globals_operands_first() {
            let Some(data) = module.global(global) else { continue };
            let value_of = match &data.value {
                GlobalValue::Spec(default) => {
                    let default = module.bits_of(*default);
                    let given = data.attrs.get(Key::SpecId).and_then(|id| specs.get(&(id as u32)));
                    ConstValue::Bits(
                        given.map_or(default, |&bits| Bits::from_components(default.width(), &[bits])),
                    )
                }
                GlobalValue::Op { op, ty, args } => {
                    let args: Option<Vec<Bits>> = args.iter().map(|&arg| consts.bits(module, arg)).collect();
                    match args.and_then(|args| op.info().eval(*ty, &args)) {
                        Some(bits) => ConstValue::Bits(bits),
                        None => ConstValue::Undef(*ty),
                    }
                }
                GlobalValue::Parts(ty, parts) => match module.value_type(*ty) {
                    Some(ValueType::Bits { width, .. }) => {
                        let components =
                            parts.iter().map(|&part| Some(consts.bits(module, part)?.component(0).bits()));
                        match components.collect::<Option<Vec<u64>>>() {
                            Some(components) => ConstValue::Bits(Bits::from_components(width, &components)),
                            None => ConstValue::Aggregate,
                        }
                    }
                    Some(_) | None => ConstValue::Aggregate,
                },
                GlobalValue::Zero(ty) => match module.value_type(*ty) {
                    Some(ValueType::Bits { width, components }) => {
                        ConstValue::Bits(Bits::zero(width, components))
                    }
                    Some(_) | None => ConstValue::Aggregate,
                },
                GlobalValue::Undef(ty) => {
                    module.value_type(*ty).map_or(ConstValue::Aggregate, ConstValue::Undef)
                }
                GlobalValue::Address(var) => ConstValue::Address(*var),
            };
            consts.value_of[global] = Some(value_of);
        }
        consts
    }

    /// The value of a module constant.
    pub fn value_of(&self, global: Global) -> Option<ConstValue> {
        self.value_of[global]
    }

    /// The first component of a constant with a value.
    pub fn scalar(&self, global: Global) -> Option<u64> {
        match self.value_of[global]? {
            ConstValue::Bits(bits) => Some(bits.component(0).bits()),
            ConstValue::Undef(_) | ConstValue::Address(_) | ConstValue::Aggregate => None,
        }
    }

    /// The bits of an operand, if it has a value.
    pub fn bits(&self, module: &Module, operand: Operand) -> Option<Bits> {
        match operand {
            Operand::Bits(bits) => Some(module.bits_of(bits)),
            Operand::Global(global) => match self.value_of[global]? {
                ConstValue::Bits(bits) => Some(bits),
                ConstValue::Undef(_) | ConstValue::Address(_) | ConstValue::Aggregate => None,
            },
        }
    }
}

/// A piece of an initializer: components at a byte offset, `step` bytes apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// Components.
    Bits { at: u64, step: u64, bits: Bits },
    /// Zero bytes.
    Zero { at: u64, bytes: u64 },
    /// The address of a variable.
    Address { at: u64, var: Var },
}

/// The pieces of an initializer of the type; undefined parts have none.
///
/// No recursion. `None` if there are many more parts than bytes: deeply nested parts of size zero.
pub(super) fn pieces(
    module: &Module,
    consts: &Consts,
    sizes: &mut Sizes,
    ty: Type,
    init: Operand,
) -> Option<Vec<Piece>> {
    let mut out = Vec::new();
    let mut budget = sizes.of(module, consts, ty).bytes.saturating_mul(4).saturating_add(4096);
    let mut work = vec![(ty, 0u64, 0u64, init)];
    while let Some((ty, at, step, operand)) = work.pop() {
        budget = budget.checked_sub(1)?;
        if let Some(bits) = consts.bits(module, operand) {
            let step = if step == 0 { vitrine_ir::layout::scalar_bytes(bits.width()) } else { step };
            out.push(Piece::Bits { at, step, bits });
            continue;
        }
        let Operand::Global(global) = operand else { continue };
        match module.global(global).map(|data| &data.value) {
            Some(GlobalValue::Parts(_, parts)) => {
                let stride = sizes.stride(module, consts, ty);
                for (index, &part) in parts.iter().enumerate() {
                    let place = match module.type_of(ty) {
                        TypeData::Struct(structure) => {
                            let offsets = sizes.offsets(module, consts, *structure);
                            let member =
                                module.structure(*structure).and_then(|data| data.members.get(index));
                            offsets.get(index).zip(member).map(|(&offset, member)| (member.ty, offset, 0))
                        }
                        TypeData::Matrix { row_major: true, stride: rows, column, .. } => {
                            Some((*column, stride.saturating_mul(index as u64), u64::from(*rows)))
                        }
                        _ => module.element_type(ty).map(|of| (of, stride.saturating_mul(index as u64), 0)),
                    };
                    if let Some((ty, offset, step)) = place {
                        work.push((ty, at.saturating_add(offset), step, part));
                    }
                }
            }
            Some(GlobalValue::Zero(_)) => {
                out.push(Piece::Zero { at, bytes: sizes.of(module, consts, ty).bytes });
            }
            Some(GlobalValue::Address(var)) => out.push(Piece::Address { at, var: *var }),
            Some(GlobalValue::Undef(_) | GlobalValue::Spec(_) | GlobalValue::Op { .. }) | None => {}
        }
    }
    Some(out)
}

/// The id of a type by its number, as an attribute holds it.
pub(super) fn entity<K: EntityId>(value: Option<u64>) -> Option<K> {
    Some(K::from_index(usize::try_from(value?).ok()?))
}

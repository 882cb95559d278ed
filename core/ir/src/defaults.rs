//! Values of module constants without specialization: specialization constants have their defaults.

use super::{Global, GlobalValue, Module, Operand};
use crate::base::EntitySet;
use crate::ops::{Bits, Key, ValueType};
use rustc_hash::FxHashMap;

impl Module {
    /// The value of a number without specialization: constants have their defaults. `None` for others and for an operation
    /// that has no constant result. Linear in the constants that it depends on; no recursion.
    pub fn default_of(&self, global: Global) -> Option<Bits> {
        let mut known: FxHashMap<Global, Option<Bits>> = FxHashMap::default();
        let mut work = vec![(global, false)];
        while let Some((at, are_operands_known)) = work.pop() {
            let value = self.global(at).map(|data| &data.value);
            if known.contains_key(&at) && !are_operands_known {
                continue;
            }
            let operands = value.map(GlobalValue::operands).unwrap_or_default();
            if !are_operands_known {
                // A cycle, which only an invalid module has, finds no value.
                known.insert(at, None);
                work.push((at, true));
                work.extend(operands.iter().filter_map(|operand| match *operand {
                    Operand::Global(other) => Some((other, false)),
                    Operand::Bits(_) => None,
                }));
                continue;
            }
            let args: Option<Vec<Bits>> = operands
                .iter()
                .map(|operand| match *operand {
                    Operand::Bits(bits) => Some(self.bits_of(bits)),
                    Operand::Global(other) => known.get(&other).copied().flatten(),
                })
                .collect();
            let found = match value {
                Some(GlobalValue::Spec(bits)) => Some(self.bits_of(*bits)),
                Some(GlobalValue::Op { op, ty, .. }) => args.and_then(|args| op.info().eval(*ty, &args)),
                Some(GlobalValue::Parts(ty, _)) => match (self.value_type(*ty), args) {
                    (Some(ValueType::Bits { width, .. }), Some(args)) => {
                        let parts: Vec<u64> = args.iter().map(|arg| arg.component(0).bits()).collect();
                        Some(Bits::from_components(width, &parts))
                    }
                    _ => None,
                },
                Some(GlobalValue::Zero(ty)) => match self.value_type(*ty) {
                    Some(ValueType::Bits { width, components }) => Some(Bits::zero(width, components)),
                    _ => None,
                },
                Some(GlobalValue::Undef(_) | GlobalValue::Address(_)) | None => None,
            };
            known.insert(at, found);
        }
        known.remove(&global).flatten()
    }

    /// The specialization constants that a constant depends on, in order.
    pub fn specialized_by(&self, global: Global) -> Vec<Global> {
        let (mut out, mut work) = (Vec::new(), vec![global]);
        let mut seen: EntitySet<Global> = EntitySet::new();
        while let Some(at) = work.pop() {
            let Some(data) = self.global(at).filter(|_| seen.insert(at)) else { continue };
            if matches!(data.value, GlobalValue::Spec(_)) && data.attrs.has(Key::SpecId) {
                out.push(at);
            }
            work.extend(data.value.operands().iter().filter_map(|operand| match *operand {
                Operand::Global(other) => Some(other),
                Operand::Bits(_) => None,
            }));
        }
        out.sort_unstable();
        out
    }
}

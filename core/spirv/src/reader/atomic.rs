//! Atomics, with the memory barriers that their orders and scopes include.

use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::SEMANTICS;
use crate::spec::Op as S;
use vitrine_ir::ops::{AtomicOp, Bits, Key, MemoryOp, Scalar, Scope, Semantics, ValueType, WordSet};
use vitrine_ir::{Inst, InstData};

/// What an atomic does.
#[rustfmt::skip] // A table.
fn kind(op: S) -> Option<AtomicOp> {
    use AtomicOp as A;
    Some(match op {
        S::AtomicIAdd | S::AtomicIIncrement => A::IAdd, S::AtomicISub | S::AtomicIDecrement => A::ISub,
        S::AtomicSMin => A::IMin, S::AtomicUMin => A::UMin, S::AtomicSMax => A::IMax, S::AtomicUMax => A::UMax,
        S::AtomicAnd => A::IAnd, S::AtomicOr => A::IOr, S::AtomicXor => A::IXor, S::AtomicExchange => A::Exchange,
        S::AtomicFAddEXT => A::FAdd, S::AtomicFMinEXT => A::FMin, S::AtomicFMaxEXT => A::FMax,
        _ => return None,
    })
}

/// The same instruction with an order, unless it is relaxed.
pub(super) fn with_order(data: InstData, key: Key, order: Semantics) -> InstData {
    if order.is_none() { data } else { data.with(key, order.number()) }
}

impl<'a> Lower<'_, 'a> {
    /// Lowers an atomic. None if the instruction is not one.
    pub(super) fn atomic(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        if let Some(kind) = kind(op) {
            return Some(self.combine_atomically(op, kind, inst));
        }
        Some(match op {
            S::AtomicLoad => self.atomic_load(inst),
            S::AtomicStore => self.atomic_store(inst),
            S::AtomicCompareExchange | S::AtomicCompareExchangeWeak => self.compare_exchange(inst),
            _ => return None,
        })
    }

    /// The scope that a constant names.
    pub(super) fn scope(&mut self, id: u32, inst: Instruction<'a>) -> Option<Scope> {
        let scope = self.r.scope_of(id);
        scope.or_else(|| {
            self.mismatch(inst, format!("has the scope %{id}, which is not a constant from 0 to 6"))
        })
    }

    /// Memory semantics that a constant names; none if they are relaxed.
    pub(super) fn order(&mut self, id: u32, inst: Instruction<'a>) -> Option<Semantics> {
        let Some(mask) = self.r.number_of(id) else {
            return self.mismatch(inst, format!("has the semantics %{id}, which is not a constant"));
        };
        let found = SEMANTICS.iter().filter(|&&(_, bit)| mask & u64::from(bit) != 0);
        Some(found.fold(Semantics::NONE, |order, &(word, _)| order.and(word)))
    }

    /// The same instruction with a scope and an order.
    fn ordered(&mut self, data: InstData, scope: u32, order: u32, inst: Instruction<'a>) -> Option<InstData> {
        let data = data.with_word(self.scope(scope, inst)?);
        let order = self.order(order, inst)?;
        Some(with_order(data, Key::Order, order))
    }

    fn combine_atomically(&mut self, op: S, kind: AtomicOp, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let at = self.address(inst.word(3), ty, inst)?;
        let operand = match op {
            S::AtomicIIncrement | S::AtomicIDecrement => {
                let width = value.width().unwrap_or_default();
                self.head_bits(Bits::scalar(Scalar::new(width, 1)))
            }
            _ => self.bits(inst.word(6), inst)?,
        };
        if self.ty(operand) != value {
            return self.mismatch(inst, "has a value whose type is not its result type");
        }
        let data = InstData::new(MemoryOp::Atomic, value, &[at, operand]).with_word(kind);
        let data = self.ordered(data, inst.word(4), inst.word(5), inst)?;
        let result = self.put(data);
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    fn atomic_load(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let from = self.address(inst.word(3), ty, inst)?;
        let data = InstData::new(MemoryOp::AtomicLoad, value, &[from]);
        let data = self.ordered(data, inst.word(4), inst.word(5), inst)?;
        let result = self.put(data);
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    fn atomic_store(&mut self, inst: Instruction<'a>) -> Option<()> {
        let Some(stored) = self.value(inst.word(4), inst)?.ty else {
            return self.mismatch(inst, "stores a value without a type");
        };
        let to = self.address(inst.word(1), stored, inst)?;
        let value = self.bits(inst.word(4), inst)?;
        let data = InstData::new(MemoryOp::AtomicStore, ValueType::Void, &[to, value]);
        let data = self.ordered(data, inst.word(2), inst.word(3), inst)?;
        self.put(data);
        Some(())
    }

    fn compare_exchange(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let at = self.address(inst.word(3), ty, inst)?;
        let (new, expected): (Inst, Inst) = (self.bits(inst.word(7), inst)?, self.bits(inst.word(8), inst)?);
        if self.ty(new) != value || self.ty(expected) != value {
            return self.mismatch(inst, "has a value whose type is not its result type");
        }
        let data = InstData::new(MemoryOp::AtomicCas, value, &[at, expected, new]);
        let data = self.ordered(data, inst.word(4), inst.word(5), inst)?;
        let order = self.order(inst.word(6), inst)?;
        let data = with_order(data, Key::OrderElse, order);
        let result = self.put(data);
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }
}

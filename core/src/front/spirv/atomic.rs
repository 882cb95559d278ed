//! Atomics, with the memory barriers that their orders and scopes include.

use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::ir::{Inst, InstData};
use crate::ops::{Bits, Key, MemoryOp, Scalar, ValueType};
use crate::spirv::SEMANTICS;
use crate::spirv::spec::Op as S;

/// The words of `Key::Atomic`, by bit position.
#[rustfmt::skip] // A table.
fn kind(op: S) -> Option<u64> {
    Some(match op {
        S::AtomicIAdd | S::AtomicIIncrement => 0, S::AtomicISub | S::AtomicIDecrement => 1,
        S::AtomicSMin => 2, S::AtomicUMin => 3, S::AtomicSMax => 4, S::AtomicUMax => 5,
        S::AtomicAnd => 6, S::AtomicOr => 7, S::AtomicXor => 8, S::AtomicExchange => 9,
        S::AtomicFAddEXT => 10, S::AtomicFMinEXT => 11, S::AtomicFMaxEXT => 12,
        _ => return None,
    })
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
    pub(super) fn scope(&mut self, id: u32, inst: Instruction<'a>) -> Option<u64> {
        match self.r.number_of(id) {
            Some(scope) if scope <= 6 => Some(scope),
            _ => self.mismatch(inst, format!("has the scope %{id}, which is not a constant from 0 to 6")),
        }
    }

    /// The words of `Key::Order` for memory semantics; none if the semantics are relaxed.
    pub(super) fn order(&mut self, id: u32, inst: Instruction<'a>) -> Option<u64> {
        let Some(mask) = self.r.number_of(id) else {
            return self.mismatch(inst, format!("has the semantics %{id}, which is not a constant"));
        };
        Some(
            (0..)
                .zip(SEMANTICS)
                .filter(|&(_, bit)| mask & u64::from(bit) != 0)
                .fold(0, |order, (at, _)| order | 1 << at),
        )
    }

    /// The same instruction with a scope and an order.
    fn ordered(&mut self, data: InstData, scope: u32, order: u32, inst: Instruction<'a>) -> Option<InstData> {
        let data = data.with(Key::Scope, self.scope(scope, inst)?);
        Some(match self.order(order, inst)? {
            0 => data,
            order => data.with(Key::Order, order),
        })
    }

    fn combine_atomically(&mut self, op: S, kind: u64, inst: Instruction<'a>) -> Option<()> {
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
        let data = InstData::new(MemoryOp::Atomic, value, &[at, operand]).with(Key::Atomic, kind);
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
        let data = match self.order(inst.word(6), inst)? {
            0 => data,
            order => data.with(Key::OrderElse, order),
        };
        let result = self.put(data);
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }
}

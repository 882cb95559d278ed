//! The grammar's operands of an instruction, as far as lowering needs them.

use crate::{LogicalOperand, Quantifier};

/// The form of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Has a result type in word 1.
    pub(super) typed: bool,
    /// Has a result.
    pub(super) result: bool,
    /// Operands after type and result.
    pub(super) operands: &'static [LogicalOperand],
}

impl Form {
    /// The form of an opcode; none for unknown opcodes.
    pub(super) fn of(opcode: u16) -> Option<Form> {
        let info = crate::op(opcode)?;
        Some(Form { typed: info.has_type, result: info.has_result, operands: info.operands })
    }

    /// The minimal number of words, including the first.
    pub(super) fn least(self) -> usize {
        let must = self.operands.iter().filter(|operand| operand.quantifier == Quantifier::One);
        self.first() + must.count()
    }

    /// The index of the word with the result id, if it has one.
    pub(super) fn result_at(self) -> Option<usize> {
        self.result.then_some(1 + usize::from(self.typed))
    }

    /// The index of the first operand word.
    pub(super) fn first(self) -> usize {
        1 + usize::from(self.typed) + usize::from(self.result)
    }
}

//! Operations on constants that compilers of GLSL fold to other numbers than they compute when the program runs.
//!
//! ```text
//! -7 % 3                 is -1 as a constant expression, by the rules of C, and 2 otherwise
//! abs(int64_t(-7))       and other functions of integers are folded as if they had 32 bits
//! ```
//!
//! An operand of such an operation is a variable, which is no constant expression.

use crate::expr::{Expr, Prec};
use crate::func::{FuncWriter, Role};
use crate::number::NumberType;
use vitrine_ir::Inst;
use vitrine_ir::ops::{IntOp, Op};

impl FuncWriter<'_, '_> {
    /// Keeps compilers from folding an operation that they fold to another number.
    pub(super) fn keep_from_folding(&mut self, inst: Inst, operands: &mut [Expr]) {
        let data = self.body.inst(inst);
        let is_folded = matches!(data.op, Op::Int(IntOp::IMod | IntOp::UMod | IntOp::IAbs | IntOp::ISign))
            && data.args.iter().all(|&arg| self.body.const_of(arg).is_some());
        if let (true, Some(operand)) = (is_folded, operands.first_mut()) {
            let constant = std::mem::replace(operand, Expr::new(Vec::new(), Prec::Atom, NumberType::BOOL));
            *operand = self.fixed(constant, Role::Variable, inst);
        }
    }
}

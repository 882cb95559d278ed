//! GLSL: loops, choices, and what is written at its use, as the engine asks about them.

use super::Glsl;
use crate::dialect::Statements;
use crate::expr::Token;
use crate::plan;
use vitrine_ir::ops::{FloatOp, Op};
use vitrine_ir::{Inst, InstData};

impl Statements for Glsl {
    fn multiplies_matrices(&self) -> bool {
        true
    }

    fn repeats_operand(&self, data: &InstData, arg: Inst) -> bool {
        match data.op {
            Op::Float(FloatOp::FRem) => data.args.first() == Some(&arg),
            // A layer is a component of the coordinate.
            Op::Tex(_) => false,
            _ => plan::repeats(data, arg),
        }
    }

    fn may_choose(&self, _yes: &[Token], _no: &[Token]) -> bool {
        true
    }
}

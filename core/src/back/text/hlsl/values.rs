//! Arithmetic of HLSL that is spelled out.

use crate::back::text::expr::{Expr, Prec};
use crate::back::text::func::{FuncWriter, Role};
use crate::back::text::number::{Kind, NumberType};
use crate::ir::Inst;
use crate::ops::{Bits, FloatOp, IntOp, Scalar, Width};

impl FuncWriter<'_, '_> {
    /// Operations on floats that the language has no function for.
    pub(in crate::back::text) fn hlsl_float(
        &mut self,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        let number = |this: &mut Self, value: f64| {
            let bits = Bits::from_scalars(&vec![Scalar::float(ty.width, value); usize::from(ty.components)]);
            this.constant(&bits, Kind::Float, inst)
        };
        Some(match (op, operands) {
            (FloatOp::FMod, [a, b]) => {
                // The remainder of the language has the sign of the dividend.
                let (a, b) = (self.twice(a, inst), self.twice(b, inst));
                let quotient = self.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
                let whole = self.call(inst, "floor", vec![quotient], ty);
                let product = self.infix(inst, "*", Prec::Product, vec![b, whole], ty);
                self.infix(inst, "-", Prec::Sum, vec![a, product], ty)
            }
            (FloatOp::FLdexp, [a, exponent]) => {
                // The exponent is a float there.
                let exponent = self.construct(inst, ty, vec![exponent.clone()]);
                self.call(inst, "ldexp", vec![a.clone(), exponent], ty)
            }
            (FloatOp::FAsinh, [a]) => {
                // The formula loses the digits of negative numbers.
                let a = self.twice(a, inst);
                let size = self.call(inst, "abs", vec![a.clone()], ty);
                let one = number(self, 1.0);
                let square = self.infix(inst, "*", Prec::Product, vec![a.clone(), a.clone()], ty);
                let sum = self.infix(inst, "+", Prec::Sum, vec![square, one], ty);
                let root = self.call(inst, "sqrt", vec![sum], ty);
                let sum = self.infix(inst, "+", Prec::Sum, vec![size, root], ty);
                let size = self.call(inst, "log", vec![sum], ty);
                let sign = self.call(inst, "sign", vec![a], ty.with_kind(Kind::Int));
                let sign = self.construct(inst, ty, vec![sign]);
                self.infix(inst, "*", Prec::Product, vec![sign, size], ty)
            }
            (FloatOp::FAcosh, [a]) => {
                let a = self.twice(a, inst);
                let one = number(self, 1.0);
                let square = self.infix(inst, "*", Prec::Product, vec![a.clone(), a.clone()], ty);
                let difference = self.infix(inst, "-", Prec::Sum, vec![square, one], ty);
                let root = self.call(inst, "sqrt", vec![difference], ty);
                let sum = self.infix(inst, "+", Prec::Sum, vec![a, root], ty);
                self.call(inst, "log", vec![sum], ty)
            }
            (FloatOp::FAtanh, [a]) => {
                let a = self.twice(a, inst);
                let (one, half) = (number(self, 1.0), number(self, 0.5));
                let over = self.infix(inst, "+", Prec::Sum, vec![one.clone(), a.clone()], ty);
                let under = self.infix(inst, "-", Prec::Sum, vec![one, a], ty);
                let quotient = self.infix(inst, "/", Prec::Product, vec![over, under], ty);
                let log = self.call(inst, "log", vec![quotient], ty);
                self.infix(inst, "*", Prec::Product, vec![half, log], ty)
            }
            _ => return None,
        })
    }

    /// An operand that is written twice: a name if it is more than one.
    fn twice(&mut self, operand: &Expr, inst: Inst) -> Expr {
        match operand.tokens.len() {
            1 => operand.clone(),
            _ => self.fixed(operand.clone(), Role::Value, inst),
        }
    }

    /// Counts and positions of bits, which are functions of unsigned numbers of 32 bits.
    pub(in crate::back::text) fn hlsl_bits(
        &mut self,
        inst: Inst,
        op: IntOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        let (IntOp::BitCount | IntOp::FindLsb | IntOp::UFindMsb | IntOp::IFindMsb, [a]) = (op, operands)
        else {
            return None;
        };
        if a.ty.width != Width::W32 {
            let word = if op == IntOp::BitCount { "counts" } else { "positions" };
            self.lowered(inst, &format!("lower-alu{{{word}}}"));
        }
        let (name, operand) = match op {
            IntOp::BitCount => ("countbits", a.clone()),
            IntOp::FindLsb => ("firstbitlow", a.clone()),
            IntOp::UFindMsb => ("firstbithigh", a.clone()),
            _ => {
                // The highest bit that differs from the sign.
                let a = self.cast(a.clone(), Kind::Int, inst);
                let a = self.twice(&a, inst);
                let int = a.ty;
                let last =
                    Bits::from_scalars(&vec![Scalar::new(Width::W32, 31); usize::from(int.components)]);
                let last = self.constant(&last, Kind::Uint, inst);
                let sign = self.infix(inst, ">>", Prec::Shift, vec![a.clone(), last], int);
                ("firstbithigh", self.infix(inst, "^", Prec::BitXor, vec![a, sign], int))
            }
        };
        let operand = self.cast(operand, Kind::Uint, inst);
        let uint = operand.ty;
        let found = self.call(inst, name, vec![operand], uint);
        Some(self.cast(found, ty.kind, inst))
    }
}

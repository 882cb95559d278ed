//! Arithmetic of WGSL that is spelled out, and constants that the language does not allow.

use crate::back::text::expr::{Expr, Prec, Token, punct, space};
use crate::back::text::func::{FuncWriter, Role};
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::stmt::Stmt;
use crate::ir::Inst;
use crate::ops::{Bits, FloatOp, IntOp, Op, Scalar, ValueType, Width};
use crate::text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// Constant bits with an infinity or a NaN: they are read from a variable, because no constant may be one.
    pub(in crate::back::text) fn wgsl_forbidden(
        &mut self,
        bits: &Bits,
        scalar: NumberType,
        inst: Inst,
    ) -> Expr {
        let ints = NumberType::new(Kind::Uint, Width::W32, bits.components().len() as u8);
        if scalar.width != Width::W32 {
            self.refuse(inst, "it has no constant infinities and NaN of 16 bits", "");
        }
        let plain = self.constant(bits, Kind::Uint, inst);
        let name = self.fixed(plain, Role::Variable, inst);
        let name = Expr { ty: ints, ..name };
        self.cast(name, Kind::Float, inst)
    }

    /// A name for an expression, so that it is no constant expression any more.
    pub(in crate::back::text) fn fixed(&mut self, expr: Expr, role: Role, inst: Inst) -> Expr {
        let name = self.names.fresh("fixed", "fixed");
        let ty = expr.ty;
        let expr = match role {
            // A declaration without a type gets that of the literal.
            Role::Variable if ty.components == 1 => self.construct(inst, ty, vec![expr]),
            _ => expr,
        };
        let tokens = self.declaration((&name, Link::None), role, ty, inst, false, Some(expr));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty)
    }

    /// Keeps the compiler of the text from evaluating an operation on constants: it rejects overflow and division by zero.
    pub(in crate::back::text) fn keep_from_evaluation(&mut self, inst: Inst, operands: &mut [Expr]) {
        let data = self.body.inst(inst);
        let constant = |arg: &Inst| self.body.const_of(*arg).map(|bits| self.w.module.bits_of(bits));
        let constants: Vec<Option<Bits>> = data.args.iter().map(constant).collect();
        let is_evaluated = !constants.is_empty() && constants.iter().all(Option::is_some);
        let is_bad = |bits: &Bits, wrong: &dyn Fn(u64) -> bool| bits.components().iter().any(|&it| wrong(it));
        let is_wrong = match (data.op, constants.get(1)) {
            (
                Op::Int(IntOp::IDiv | IntOp::UDiv | IntOp::UMod | IntOp::IRem | IntOp::IMod),
                Some(Some(by)),
            ) => is_bad(by, &|it| it == 0),
            (Op::Int(IntOp::IShl | IntOp::IShr | IntOp::UShr), Some(Some(by))) => is_bad(by, &|it| it >= 32),
            (Op::Float(FloatOp::FDiv | FloatOp::FRem | FloatOp::FMod), Some(Some(by))) => {
                is_bad(by, &|it| Scalar::new(by.width(), it).to_f64() == 0.0)
            }
            _ => false,
        };
        let at = match (is_wrong, is_evaluated) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => return,
        };
        if let Some(operand) = operands.get_mut(at) {
            let expr = std::mem::replace(operand, Expr::new(Vec::new(), Prec::Atom, NumberType::BOOL));
            *operand = self.fixed(expr, Role::Variable, inst);
        }
    }

    /// True where a float is a NaN: a comparison with itself may be removed by a compiler that ignores NaN.
    pub(in crate::back::text) fn wgsl_is_nan(&mut self, inst: Inst, operand: Expr) -> Expr {
        self.bits_above(inst, operand, ">")
    }

    fn bits_above(&mut self, inst: Inst, operand: Expr, symbol: &'static str) -> Expr {
        let ty = operand.ty.with_kind(Kind::Uint);
        let splat = |value: u64| {
            Bits::from_scalars(&vec![Scalar::new(Width::W32, value); usize::from(ty.components)])
        };
        let bits = self.cast(operand, Kind::Uint, inst);
        let mask = self.constant(&splat(0x7fff_ffff), Kind::Uint, inst);
        let infinity = self.constant(&splat(0x7f80_0000), Kind::Uint, inst);
        let size = self.infix(inst, "&", Prec::BitAnd, vec![bits, mask], ty);
        let truth = NumberType::new(Kind::Bool, Width::W1, ty.components);
        self.infix(inst, symbol, Prec::Relation, vec![size, infinity], truth)
    }

    /// Operations on floats that are spelled otherwise than in languages like C. `None` if they are not.
    pub(in crate::back::text) fn wgsl_float(
        &mut self,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        match (op, operands) {
            (FloatOp::FIsNan | FloatOp::FIsInf, [a]) if a.ty.width == Width::W32 => {
                Some(self.bits_above(inst, a.clone(), if op == FloatOp::FIsNan { ">" } else { "==" }))
            }
            (FloatOp::FMod, [a, b]) => {
                // With the sign of the divisor; `%` has that of the dividend.
                let quotient = self.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
                let floor = self.call(inst, "floor", vec![quotient], ty);
                let product = self.infix(inst, "*", Prec::Product, vec![b.clone(), floor], ty);
                Some(self.infix(inst, "-", Prec::Sum, vec![a.clone(), product], ty))
            }
            (FloatOp::FModfFract | FloatOp::FModfWhole, [a]) => {
                let call = self.call(inst, "modf", vec![a.clone()], ty);
                let member = if op == FloatOp::FModfFract { "fract" } else { "whole" };
                Some(call.postfix([punct("."), Token::new(Class::Plain, member)], ty))
            }
            _ => None,
        }
    }

    /// The remainder with the sign of the divisor.
    pub(in crate::back::text) fn imod(&mut self, inst: Inst, a: Expr, b: Expr, ty: NumberType) -> Expr {
        let truth = NumberType::new(Kind::Bool, Width::W1, ty.components);
        let remainder = self.infix(inst, "%", Prec::Product, vec![a, b.clone()], ty);
        let remainder = self.fixed(remainder, Role::Value, inst);
        let zero = self.constant(&Bits::zero(ty.width, ty.components), ty.kind, inst);
        let is_some = self.infix(inst, "!=", Prec::Equality, vec![remainder.clone(), zero.clone()], truth);
        let signs = self.infix(inst, "^", Prec::BitXor, vec![remainder.clone(), b.clone()], ty);
        let differ = self.infix(inst, "<", Prec::Relation, vec![signs, zero], truth);
        let wrong = self.logic(inst, IntOp::IAnd, is_some, differ, truth);
        let sum = self.infix(inst, "+", Prec::Sum, vec![remainder.clone(), b], ty);
        self.choice(inst, wrong, sum, remainder, ty)
    }

    /// Assignments to the components in a mask, one for each: only single components can be assigned.
    pub(in crate::back::text) fn wgsl_components(
        &mut self,
        inst: Inst,
        target: &Expr,
        value: &Expr,
        list: &[u8],
    ) {
        let one = target.ty.with_components(1);
        for &component in list {
            let target = self.components(inst, target.clone(), &[component], one);
            let value = match value.ty.components {
                1 => value.clone(),
                _ => self.components(inst, value.clone(), &[component], one),
            };
            let mut tokens = target.tokens;
            tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
            tokens.extend(value.tokens);
            self.statement(tokens);
        }
    }

    /// Two halves as the bits of a number, and back.
    pub(in crate::back::text) fn wgsl_repacked(
        &mut self,
        inst: Inst,
        from: ValueType,
        ty: NumberType,
    ) -> Option<Expr> {
        let data = self.body.inst(inst);
        let operand = data.args.first().copied()?;
        if from == (ValueType::Bits { width: ty.width, components: ty.components }) {
            return Some(self.value_as(operand, ty.kind));
        }
        self.refuse(inst, "it has no numbers of these widths", "pass `lower-packing` lowers others");
        None
    }
}

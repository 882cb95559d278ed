//! Arithmetic of WGSL that is spelled out, and constants that the language does not allow.

use super::Wgsl;
use crate::back::text::dialect::Values;
use crate::back::text::expr::{Expr, Prec, Token, prefix, punct, space};
use crate::back::text::func::{FuncWriter, Role};
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::stmt::Stmt;
use crate::ir::{Help, Inst};
use crate::ops::{Bits, FloatOp, IntOp, Scalar, ValueType, VectorOp, Width};
use crate::text::{Class, Link};

impl Values for Wgsl {}

impl FuncWriter<'_, '_> {
    /// Constant bits with an infinity or a NaN: they are read from a variable, because no constant may be one.
    pub(in crate::back::text) fn wgsl_forbidden(
        &mut self,
        bits: &Bits,
        scalar: NumberType,
        inst: Inst,
    ) -> Expr {
        if scalar.width == Width::W16 {
            return self.wgsl_forbidden_halves(bits, scalar, inst);
        }
        let ints = NumberType::new(Kind::Uint, Width::W32, bits.components().len() as u8);
        let plain = self.constant(bits, Kind::Uint, inst);
        let name = self.fixed(plain, Role::Variable, inst);
        let name = Expr { ty: ints, ..name };
        self.cast(name, Kind::Float, inst)
    }

    /// The same for numbers of 16 bits, of which each word has two: an exact conversion from 32 bits.
    fn wgsl_forbidden_halves(&mut self, bits: &Bits, scalar: NumberType, inst: Inst) -> Expr {
        let words: Vec<Scalar> = bits
            .components()
            .chunks(2)
            .map(|pair| {
                let [low, high] = [0, 1].map(|at: usize| pair.get(at).copied().unwrap_or(0));
                Scalar::new(Width::W32, low | high << 16)
            })
            .collect();
        let word = NumberType::new(Kind::Uint, Width::W32, 1);
        let plain = self.constant(&Bits::from_scalars(&words), Kind::Uint, inst);
        let name = self.fixed(plain, Role::Variable, inst);
        let name = Expr { ty: word.with_components(words.len() as u8), ..name };
        let count = bits.components().len() as u8;
        let mut parts = Vec::new();
        for at in 0..words.len() as u8 {
            let word = self.components(inst, name.clone(), &[at], word);
            let pair = NumberType::new(Kind::Float, Width::W32, 2);
            let pair = self.call(inst, "unpack2x16float", vec![word], pair);
            let here: &[u8] = if count - 2 * at == 1 { &[0] } else { &[0, 1] };
            let ty = scalar.with_components(here.len() as u8);
            let pair = self.components(inst, pair, here, NumberType { width: Width::W32, ..ty });
            parts.push(self.construct(inst, ty, vec![pair]));
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => self.construct(inst, scalar.with_components(count), parts),
        }
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
            (FloatOp::FQuantize16, [a]) => {
                let single = NumberType { width: Width::W32, ..ty };
                let is_half = ty.width == Width::W16;
                let wide = if is_half { self.construct(inst, single, vec![a.clone()]) } else { a.clone() };
                let rounded = self.call(inst, "quantizeToF16", vec![wide], single);
                Some(if is_half { self.construct(inst, ty, vec![rounded]) } else { rounded })
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

    /// Operations on vectors that the language does not have for numbers. `None` for others.
    pub(in crate::back::text) fn geometry_of_scalars(
        &mut self,
        inst: Inst,
        op: VectorOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        let first = operands.first().filter(|first| first.ty.components == 1)?;
        match (op, operands) {
            (VectorOp::FNormalize, [a]) => {
                let length = self.call(inst, "abs", vec![first.clone()], ty);
                Some(self.infix(inst, "/", Prec::Product, vec![a.clone(), length], ty))
            }
            (VectorOp::FFaceForward, [normal, incident, reference]) => {
                let zero = self.constant(&Bits::zero(ty.width, 1), Kind::Float, inst);
                let product =
                    self.infix(inst, "*", Prec::Product, vec![reference.clone(), incident.clone()], ty);
                let faces = self.infix(inst, "<", Prec::Relation, vec![product, zero], NumberType::BOOL);
                let back = prefix(Token::linked(Class::Op, "-", self.anchor(inst)), normal.clone(), ty);
                Some(self.choice(inst, faces, normal.clone(), back, ty))
            }
            (VectorOp::FReflect | VectorOp::FRefract, _) => {
                // The first component of vectors whose second one is 0.
                let name = if op == VectorOp::FReflect { "reflect" } else { "refract" };
                let pair = ty.with_components(2);
                let mut args = operands.to_vec();
                for arg in args.iter_mut().take(2) {
                    let zero = self.constant(&Bits::zero(ty.width, 1), Kind::Float, inst);
                    *arg = self.construct(inst, pair, vec![arg.clone(), zero]);
                }
                let vector = self.call(inst, name, args, pair);
                Some(self.components(inst, vector, &[0], ty))
            }
            _ => None,
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
        self.refuse(
            inst,
            "it has no numbers of these widths",
            Help::by_pass("lower-packing", "lowers others"),
        );
        None
    }
}

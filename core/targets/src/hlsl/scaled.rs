//! Products with powers of two.
//!
//! The compiler of the text makes `ldexp(a, e)` a product with `exp2(e)`, which is infinite or zero for many exponents whose
//! product is neither. An exponent that is not constant is split, so that each of its parts has a power of two. Exponents
//! beyond those of every product are clamped.

use crate::expr::{Expr, Prec, Token};
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use crate::stmt::Stmt;
use vitrine_ir::Inst;
use vitrine_ir::ops::{Bits, Scalar, Width};
use vitrine_text::{Class, Link};

/// Exponents whose product is zero, and infinite but for subnormal numbers. The halves of the first have a subnormal power of two.
const FLOATS: [&str; 2] = ["-278.0f", "254.0f"];

/// The same for 16 bits, whose product is computed with 32.
const HALVES: [&str; 2] = ["-60.0f", "60.0f"];

/// Exponents whose product is zero, and infinite. Their thirds are those of normal numbers.
const DOUBLES: i64 = 3_066;

impl FuncWriter<'_, '_> {
    /// The product of a number and a power of two with an exponent of 32 bits.
    pub(super) fn hlsl_scaled(&mut self, inst: Inst, a: Expr, exponent: Expr, ty: NumberType) -> Expr {
        if ty.width == Width::W64 {
            return self.scaled_double(inst, a, exponent, ty);
        }
        // The exponent is a float there.
        let wide = NumberType::new(Kind::Float, Width::W32, ty.components);
        let is_small =
            self.constant_exponents(inst).is_some_and(|list| list.iter().all(|it| it.abs() <= 126));
        let exponent = self.construct(inst, wide, vec![exponent]);
        if is_small && ty.width == Width::W32 {
            return self.call(inst, "ldexp", vec![a, exponent], ty);
        }
        let number = |text| Expr::atom(Token::new(Class::Number, text), NumberType::scalar(Kind::Float));
        let [least, most] = if ty.width == Width::W16 { HALVES } else { FLOATS }.map(number);
        let exponent = self.call(inst, "clamp", vec![exponent, least, most], wide);
        if ty.width == Width::W16 {
            let a = self.construct(inst, wide, vec![a]);
            let scaled = self.call(inst, "ldexp", vec![a, exponent], wide);
            return self.construct(inst, ty, vec![scaled]);
        }
        let exponent = self.named("exponent", exponent, inst);
        let half = self.infix(inst, "*", Prec::Product, vec![exponent.clone(), number("0.5f")], wide);
        let half = self.call(inst, "floor", vec![half], wide);
        let half = self.named("half_exponent", half, inst);
        let rest = self.infix(inst, "-", Prec::Sum, vec![exponent, half.clone()], wide);
        let scaled = self.call(inst, "ldexp", vec![a, half], ty);
        self.call(inst, "ldexp", vec![scaled, rest], ty)
    }

    /// Gives an expression a name.
    fn named(&mut self, wanted: &str, expr: Expr, inst: Inst) -> Expr {
        let ty = expr.ty;
        let name = self.names.fresh(wanted, wanted);
        let tokens = self.declaration((&name, Link::None), Role::Value, ty, inst, false, Some(expr));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty)
    }

    /// The exponents, if they are constant.
    fn constant_exponents(&self, inst: Inst) -> Option<Vec<i64>> {
        let bits = self.body.const_of(*self.body.inst(inst).args.get(1)?)?;
        Some(self.w.module.bits_of(bits).scalars().map(Scalar::as_i64).collect())
    }

    /// The same for 64 bits, for which there is no function: a product with powers of two by their bits.
    fn scaled_double(&mut self, inst: Inst, a: Expr, exponent: Expr, ty: NumberType) -> Expr {
        if let Some(list) = self.constant_exponents(inst)
            && list.iter().all(|&it| (-1022..=1023).contains(&it))
        {
            let powers: Vec<Scalar> =
                list.into_iter().map(|it| Scalar::new(Width::W64, ((it + 1023) as u64) << 52)).collect();
            let power = self.constant(&Bits::from_scalars(&powers), Kind::Float, inst);
            return self.infix(inst, "*", Prec::Product, vec![a, power], ty);
        }
        let int = exponent.ty;
        let number = |value: i64| {
            let token = Token::new(Class::Number, value.to_string());
            Expr::atom(token, int.with_components(1))
        };
        let exponent = self.call(inst, "clamp", vec![exponent, number(-DOUBLES), number(DOUBLES)], int);
        let exponent = self.named("exponent", exponent, inst);
        let third = self.infix(inst, "/", Prec::Product, vec![exponent.clone(), number(3)], int);
        let third = self.named("third", third, inst);
        let twice = self.infix(inst, "*", Prec::Product, vec![number(2), third.clone()], int);
        let rest = self.infix(inst, "-", Prec::Sum, vec![exponent, twice], int);
        let rest = self.named("rest", rest, inst);
        let [third, rest] = [third, rest].map(|exponent| self.double_power(inst, &exponent, ty));
        let third = self.named("power", third, inst);
        let scaled = self.infix(inst, "*", Prec::Product, vec![a, third.clone()], ty);
        let scaled = self.infix(inst, "*", Prec::Product, vec![scaled, third], ty);
        self.infix(inst, "*", Prec::Product, vec![scaled, rest], ty)
    }

    /// A power of two of 64 bits.
    fn double_power(&mut self, inst: Inst, exponent: &Expr, ty: NumberType) -> Expr {
        let (int, word) = (NumberType::scalar(Kind::Int), NumberType::scalar(Kind::Uint));
        let number = |text| Expr::atom(Token::new(Class::Number, text), word);
        let parts: Vec<Expr> = (0..ty.components)
            .map(|at| {
                let part = match ty.components {
                    1 => exponent.clone(),
                    _ => self.components(inst, exponent.clone(), &[at], int),
                };
                let bias = Expr::atom(Token::new(Class::Number, "1023"), int);
                let stored = self.infix(inst, "+", Prec::Sum, vec![part, bias], int);
                let stored = self.construct(inst, word, vec![stored]);
                let high = self.infix(inst, "<<", Prec::Shift, vec![stored, number("20")], word);
                self.call(inst, "asdouble", vec![number("0u"), high], ty.with_components(1))
            })
            .collect();
        match ty.components {
            1 => parts.into_iter().next().unwrap_or_else(|| exponent.clone()),
            _ => self.construct(inst, ty, parts),
        }
    }
}

//! Arithmetic of HLSL that is spelled out.

use super::literals::{is_untyped, typed, typed_args};
use super::{Hlsl, types};
use crate::dialect::Values;
use crate::expr::{Expr, Prec, Token, punct};
use crate::func::{FuncWriter, NumberDeclaration, Role};
use crate::number::{Kind, NumberType};
use std::rc::Rc;
use vitrine_ir::ops::{Bits, FloatOp, IntOp, Op, Scalar, VectorOp, Width};
use vitrine_ir::{Help, Inst};
use vitrine_text::Class;

impl Values for Hlsl {
    fn adjust_operands(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operands: &mut [Expr]) {
        if matches!(f.body.inst(inst).op, Op::Int(IntOp::IShl | IntOp::IShr))
            && let [left, right] = operands
            && let [literal, ..] = &left.tokens[..]
            && (literal.class == Class::Number && left.ty.kind == Kind::Int && right.ty.kind == Kind::Uint)
        {
            // A literal without a suffix would become unsigned.
            let (literal, ty) = (left.clone(), left.ty);
            *left = f.construct(inst, ty, vec![literal]);
        }
    }

    fn operator_operands(&self, [mut left, mut right]: [Expr; 2]) -> [Expr; 2] {
        // A number stands for a vector of it.
        match (splatted(&left), splatted(&right)) {
            (Some(number), None) => left = number,
            (None, Some(number)) => right = number,
            (None, None) | (Some(_), Some(_)) => {}
        }
        if is_untyped(&left) && is_untyped(&right) {
            left = typed(left);
        }
        [left, right]
    }

    fn shifts_by_unsigned(&self, count: Option<&Bits>) -> bool {
        count.is_none()
    }

    fn refuses_function(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, name: &str, ty: NumberType) -> bool {
        f.hlsl_rounds(inst, name, ty)
    }

    fn float_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        f.hlsl_float(inst, op, operands, ty)
    }

    fn integer_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: IntOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        match (op, operands) {
            // Its function yields numbers of 32 bits.
            (IntOp::ISign, [_]) if ty.width == Width::W32 => {
                Some(f.call(inst, "sign", operands.to_vec(), ty))
            }
            (IntOp::ISign, [a]) => Some(f.integer_sign(inst, a.clone(), ty)),
            _ => f.hlsl_bits(inst, op, operands, ty),
        }
    }

    fn vector_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: VectorOp,
        ty: NumberType,
        shared: Kind,
    ) -> Option<Expr> {
        let operand = f.operands(inst, ty.kind, shared).pop()?;
        f.hlsl_halves(inst, op, &operand, ty)
    }

    fn conversion(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        f.hlsl_conversion(inst, operand, ty)
    }

    fn cast_bits(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, expr: Expr, kind: Kind) -> Expr {
        match f.hlsl_cast(&expr, kind, inst) {
            Some(cast) => cast,
            None => f.bits_as(inst, expr, kind),
        }
    }

    fn chosen_value(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        cond: Expr,
        [a, b]: [Expr; 2],
        ty: NumberType,
    ) -> Expr {
        let cond = splatted(&cond).unwrap_or(cond);
        if cond.ty.components == 1 {
            return f.conditional(inst, cond, [a, b], ty);
        }
        if !f.w.own.hlsl.choices.contains(&ty) {
            f.w.own.hlsl.choices.push(ty);
        }
        f.call(inst, "choose", vec![cond, a, b], ty)
    }

    fn builtin_arguments(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        name: &str,
        args: Vec<Expr>,
    ) -> Vec<Expr> {
        let args = match name {
            "isnan" | "isinf" => args.into_iter().map(|arg| f.hlsl_out_of_memory(inst, arg)).collect(),
            _ => args,
        };
        typed_args(args)
    }

    fn construction(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        (name, ty): (Rc<str>, NumberType),
        args: Vec<Expr>,
    ) -> Expr {
        let args = f.hlsl_kept_conversion(inst, args);
        if let ([one], true) = (&args[..], ty.components > 1)
            && one.ty.components == 1
        {
            // Its constructors take as many components as the vector has; a cast takes one.
            let name = Token::linked(Class::Type, name, f.anchor(inst));
            let mut tokens = vec![punct("("), name, punct(")")];
            tokens.extend(one.clone().at_least(Prec::Postfix).tokens);
            return Expr { operand: Some(one.prec), ..Expr::new(tokens, Prec::Prefix, ty) };
        }
        f.constructor(inst, (name, ty), args)
    }

    fn selected_residency(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        from: Inst,
        components: &[u8],
        ty: NumberType,
    ) -> Option<Expr> {
        f.texel_or_residency(inst, from, components, ty)
    }

    fn declared_number(&self, _f: &mut FuncWriter<'_, '_>, declaration: NumberDeclaration<'_>) -> Vec<Token> {
        declaration.precise()
    }
}

impl FuncWriter<'_, '_> {
    /// Operations on floats that the language has no function for.
    fn hlsl_float(&mut self, inst: Inst, op: FloatOp, operands: &[Expr], ty: NumberType) -> Option<Expr> {
        let number = |this: &mut Self, value: f64| {
            let bits = Bits::from_scalars(&vec![Scalar::float(ty.width, value); usize::from(ty.components)]);
            this.constant(&bits, Kind::Float, inst)
        };
        Some(match (op, operands) {
            (FloatOp::FSign, [a]) => {
                // It yields integers.
                let sign = self.call(inst, "sign", vec![a.clone()], ty.with_kind(Kind::Int));
                self.construct(inst, ty, vec![sign])
            }
            (FloatOp::FMod, [a, b]) => {
                // The remainder of the language has the sign of the dividend.
                let (a, b) = (self.twice(a, inst), self.twice(b, inst));
                let quotient = self.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
                let whole = self.call(inst, "floor", vec![quotient], ty);
                let product = self.infix(inst, "*", Prec::Product, vec![b, whole], ty);
                self.infix(inst, "-", Prec::Sum, vec![a, product], ty)
            }
            (FloatOp::FLdexp, [_, _]) => {
                let operands = self.exponents(inst, operands.to_vec());
                let [a, exponent] = <[Expr; 2]>::try_from(operands).ok()?;
                self.hlsl_scaled(inst, a, exponent, ty)
            }
            (FloatOp::FFma, [_, _, _]) => {
                let name = if ty.width == Width::W64 { "fma" } else { "mad" };
                self.call(inst, name, operands.to_vec(), ty)
            }
            (FloatOp::FMix, [a, b, t]) if ty.width == Width::W64 => {
                // The function takes numbers of 32 bits.
                let t = self.twice(t, inst);
                let one = number(self, 1.0);
                let rest = self.infix(inst, "-", Prec::Sum, vec![one, t.clone()], ty);
                let first = self.infix(inst, "*", Prec::Product, vec![a.clone(), rest], ty);
                let second = self.infix(inst, "*", Prec::Product, vec![b.clone(), t], ty);
                self.infix(inst, "+", Prec::Sum, vec![first, second], ty)
            }
            (FloatOp::FMix, [_, _, _]) => self.call(inst, "lerp", operands.to_vec(), ty),
            (FloatOp::FAsinh | FloatOp::FAcosh | FloatOp::FAtanh, [a]) if ty.width == Width::W16 => {
                // The formulas lose digits.
                let wide = NumberType { width: Width::W32, ..ty };
                let a = self.construct(inst, wide, vec![a.clone()]);
                let computed = self.hlsl_float(inst, op, &[a], wide)?;
                self.construct(inst, ty, vec![computed])
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

    /// A number that is no member of a buffer: its compiler gives the booleans of some functions the layout of the memory that
    /// their argument is in.
    fn hlsl_out_of_memory(&mut self, inst: Inst, number: Expr) -> Expr {
        let is_member = number.prec == Prec::Postfix
            && number.tokens.len() > 1
            && number.tokens.last().is_some_and(|last| last.text.as_str() != ")");
        if is_member { self.fixed(number, Role::Value, inst) } else { number }
    }

    /// An operand that is written twice: a name if it is more than one.
    fn twice(&mut self, operand: &Expr, inst: Inst) -> Expr {
        match operand.tokens.len() {
            1 => operand.clone(),
            _ => self.fixed(operand.clone(), Role::Value, inst),
        }
    }

    /// Counts and positions of bits, which are functions of unsigned numbers of 32 bits.
    fn hlsl_bits(&mut self, inst: Inst, op: IntOp, operands: &[Expr], ty: NumberType) -> Option<Expr> {
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

    /// The bits of numbers of 16 and 64 bits as another kind: the functions for it are those of 32 bits. `None` for others.
    fn hlsl_cast(&mut self, expr: &Expr, kind: Kind, inst: Inst) -> Option<Expr> {
        let from = expr.ty;
        let to = from.with_kind(kind);
        if from.kind != Kind::Float && kind != Kind::Float {
            return None;
        }
        let (half, word) = (
            NumberType::new(Kind::Float, Width::W32, from.components),
            NumberType::new(Kind::Uint, Width::W32, from.components),
        );
        match (from.width, from.kind) {
            (Width::W16, Kind::Float) => {
                let wide = self.construct(inst, half, vec![expr.clone()]);
                let bits = self.call(inst, "f32tof16", vec![wide], word);
                Some(self.construct(inst, to, vec![bits]))
            }
            (Width::W16, _) => {
                let bits = self.cast(expr.clone(), Kind::Uint, inst);
                let bits = self.construct(inst, word, vec![bits]);
                let wide = self.call(inst, "f16tof32", vec![bits], half);
                Some(self.construct(inst, to, vec![wide]))
            }
            (Width::W64, _) if from.components > 1 => {
                let says = "it reads the bits of a vector of 64-bit numbers";
                self.refuse(inst, says, Help::by_pass("alu-to-scalar", "makes it numbers"));
                Some(expr.clone())
            }
            (Width::W64, Kind::Float) => {
                let parts = ["low", "high"].map(|name| {
                    let name = self.output(name, word, inst);
                    Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), word)
                });
                let [low, high] = parts;
                let call = self.call(inst, "asuint", vec![expr.clone(), low.clone(), high.clone()], word);
                self.statement(call.tokens);
                let wide = from.with_kind(Kind::Uint);
                let (low, high) =
                    (self.construct(inst, wide, vec![low]), self.construct(inst, wide, vec![high]));
                let count = Expr::atom(Token::new(Class::Number, "32"), word);
                let high = self.infix(inst, "<<", Prec::Shift, vec![high, count], wide);
                let both = self.infix(inst, "|", Prec::BitOr, vec![low, high], wide);
                Some(self.cast(both, kind, inst))
            }
            (Width::W64, _) => {
                let bits = self.cast(expr.clone(), Kind::Uint, inst);
                let bits = self.twice(&bits, inst);
                let count = Expr::atom(Token::new(Class::Number, "32"), word);
                let high = self.infix(inst, ">>", Prec::Shift, vec![bits.clone(), count], bits.ty);
                let (low, high) =
                    (self.construct(inst, word, vec![bits]), self.construct(inst, word, vec![high]));
                Some(self.call(inst, "asdouble", vec![low, high], to))
            }
            _ => None,
        }
    }

    /// The argument of a conversion. Its compiler leaves out a conversion of a vector that is converted again at once, also one
    /// that rounds or that changes the sign: that one gets a name.
    fn hlsl_kept_conversion(&mut self, inst: Inst, args: Vec<Expr>) -> Vec<Expr> {
        match &args[..] {
            [one] if one.ty.components > 1 && is_conversion(one) => {
                vec![self.fixed(one.clone(), Role::Value, inst)]
            }
            _ => args,
        }
    }

    /// A conversion by the constructor of the result type.
    fn hlsl_conversion(&mut self, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        let from = operand.ty;
        let crosses = (from.kind == Kind::Float) != (ty.kind == Kind::Float)
            && from.kind != Kind::Bool
            && ty.kind != Kind::Bool;
        if crosses && from.width.bits() > ty.width.bits() {
            // Its compiler changes the width first, which loses digits.
            if from.kind != Kind::Float && from.width == Width::W64 {
                self.refuse(
                    inst,
                    "its compiler converts integers of 64 bits through 32 bits",
                    Help::lowered_by("lower-int64{to-float}"),
                );
            }
            if from.kind == Kind::Float {
                let whole = self.construct(inst, NumberType { width: from.width, ..ty }, vec![operand]);
                return self.construct(inst, ty, vec![whole]);
            }
        }
        let has_half = from.kind == Kind::Float && from.width == Width::W16
            || ty.kind == Kind::Float && ty.width == Width::W16;
        let operand = match crosses && has_half {
            // The compiler of the text converts from and to integers of 16 bits, which overflow.
            true => {
                self.construct(inst, NumberType::new(Kind::Float, Width::W32, ty.components), vec![operand])
            }
            false => operand,
        };
        self.construct(inst, ty, vec![operand])
    }

    /// Halves in a number of 32 bits. Refuses others.
    fn hlsl_halves(&mut self, inst: Inst, op: VectorOp, operand: &Expr, ty: NumberType) -> Option<Expr> {
        let word = NumberType::scalar(Kind::Uint);
        let count = Expr::atom(Token::new(Class::Number, "16"), word);
        match op {
            VectorOp::PackHalf2x16 => {
                let operand = self.twice(operand, inst);
                let parts = [0, 1].map(|at| {
                    let part = self.components(inst, operand.clone(), &[at], NumberType::scalar(Kind::Float));
                    self.call(inst, "f32tof16", vec![part], word)
                });
                let [low, high] = parts;
                let high = self.infix(inst, "<<", Prec::Shift, vec![high, count], word);
                let both = self.infix(inst, "|", Prec::BitOr, vec![low, high], word);
                Some(self.cast(both, ty.kind, inst))
            }
            VectorOp::UnpackHalf2x16 => {
                let bits = self.twice(operand, inst);
                let high = self.infix(inst, ">>", Prec::Shift, vec![bits.clone(), count], word);
                let float = NumberType::scalar(Kind::Float);
                let parts = [bits, high].map(|bits| self.call(inst, "f16tof32", vec![bits], float));
                Some(self.construct(inst, ty, parts.into()))
            }
            _ => {
                self.refuse(inst, "it has no such operation", "");
                None
            }
        }
    }

    /// Refuses a function that the language has for 32 bits only, which would round.
    fn hlsl_rounds(&mut self, inst: Inst, name: &str, ty: NumberType) -> bool {
        const DOUBLES: &[&str] = &["abs", "min", "max", "clamp", "fma", "dot", "all", "any"];
        let data = self.body.inst(inst);
        let reads =
            data.args.first().map(|&arg| self.body.ty(arg)).and_then(vitrine_ir::ops::ValueType::width);
        let is_wide = matches!(data.op, Op::Float(_) | Op::Vector(_))
            && (ty.width == Width::W64 || reads == Some(Width::W64))
            && !DOUBLES.contains(&name);
        if is_wide {
            let says = "its function takes numbers of 32 bits";
            self.refuse(inst, says, Help::lowered_by("lower-double-ops"));
        }
        is_wide
    }
}

/// The number that a vector of it is cast from. `None` for other expressions.
fn splatted(expr: &Expr) -> Option<Expr> {
    let [open, ty, close, _, ..] = &expr.tokens[..] else { return None };
    let is_cast = expr.prec == Prec::Prefix
        && open.text.as_str() == "("
        && ty.class == Class::Type
        && close.text.as_str() == ")"
        && expr.ty.components > 1;
    is_cast.then(|| Expr { ty: expr.ty.with_components(1), ..expr.clone().without_prefix(3, Prec::Postfix) })
}

/// Returns true for a constructor of one argument.
fn is_conversion(expr: &Expr) -> bool {
    let [name, open, inside @ .., close] = &expr.tokens[..] else { return false };
    let is_type = types::number(expr.ty).is_some_and(|ty| ty == name.text.as_str());
    if !is_type || open.text.as_str() != "(" || close.text.as_str() != ")" {
        return false;
    }
    let mut depth = 0;
    inside.iter().all(|token| {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        // An argument ends inside of the constructor, which then has two; or the constructor itself.
        depth > 0 || depth == 0 && token.text.as_str() != ","
    })
}

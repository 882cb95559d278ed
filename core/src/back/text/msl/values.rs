//! Arithmetic of MSL that is spelled out: what it has no function for, lengths of scalars, packed halves, bits of other
//! widths.

use super::Msl;
use crate::back::text::dialect::Values;
use crate::back::text::expr::{Expr, Prec, punct};
use crate::back::text::func::FuncWriter;
use crate::back::text::number::{Kind, NumberType};
use crate::ir::{Anchor, Inst};
use crate::ops::{Bits, Flags, FloatOp, Op, Scalar, VectorOp, Width};
use crate::text::{Class, Link};

impl Values for Msl {}

impl FuncWriter<'_, '_> {
    /// A number as a constant with as many components as a type has.
    fn splat(&mut self, inst: Inst, value: f64, ty: NumberType) -> Expr {
        let scalar = match ty.kind {
            Kind::Float => Scalar::float(ty.width, value),
            Kind::Bool | Kind::Int | Kind::Uint => Scalar::new(ty.width, value as i64 as u64),
        };
        let bits = Bits::from_scalars(&vec![scalar; usize::from(ty.components)]);
        self.constant(&bits, ty.kind, inst)
    }

    /// Operations on floats that are spelled otherwise than in other languages like C. `None` if they are not.
    pub(in crate::back::text) fn msl_float(
        &mut self,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        match (op, operands) {
            (FloatOp::FMod, [a, b]) => {
                // With the sign of the divisor; `fmod` has that of the dividend.
                let quotient = self.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
                let floor = self.call(inst, "floor", vec![quotient], ty);
                let product = self.infix(inst, "*", Prec::Product, vec![b.clone(), floor], ty);
                Some(self.infix(inst, "-", Prec::Sum, vec![a.clone(), product], ty))
            }
            (FloatOp::FMad, [a, b, c]) => {
                let product = self.infix(inst, "*", Prec::Product, vec![a.clone(), b.clone()], ty);
                Some(self.infix(inst, "+", Prec::Sum, vec![product, c.clone()], ty))
            }
            (FloatOp::FNClamp, [x, low, high]) => {
                // These functions return the other operand for NaN.
                self.w.msl.has_nan = true;
                let bounded = self.call(inst, "fmax", vec![x.clone(), low.clone()], ty);
                Some(self.call(inst, "fmin", vec![bounded, high.clone()], ty))
            }
            (FloatOp::FRadians | FloatOp::FDegrees, [a]) => {
                let pi = std::f64::consts::PI;
                let factor = if op == FloatOp::FRadians { pi / 180.0 } else { 180.0 / pi };
                let factor = self.splat(inst, factor, ty.with_components(1));
                Some(self.infix(inst, "*", Prec::Product, vec![a.clone(), factor], ty))
            }
            (FloatOp::FQuantize16, [a]) => {
                let half = NumberType { width: Width::W16, ..ty };
                let rounded = self.construct(inst, half, vec![a.clone()]);
                Some(self.construct(inst, ty, vec![rounded]))
            }
            _ => None,
        }
    }

    /// The sign of integers.
    pub(in crate::back::text) fn integer_sign(&mut self, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        let (low, high) = (self.splat(inst, -1.0, ty), self.splat(inst, 1.0, ty));
        self.call(inst, "clamp", vec![operand, low, high], ty)
    }

    /// The result of an operator on scalars of fewer than 32 bits: the language computes with 32.
    pub(in crate::back::text) fn narrowed(&mut self, inst: Inst, expr: Expr) -> Expr {
        let ty = expr.ty;
        let is_narrow = matches!(ty.width, Width::W8 | Width::W16);
        let is_integer = matches!(ty.kind, Kind::Int | Kind::Uint);
        let is_msl = self.w.language == crate::back::text::Language::Msl;
        match is_msl && is_narrow && is_integer && ty.components == 1 {
            true => self.construct(inst, ty, vec![expr]),
            false => expr,
        }
    }

    /// Operations on vectors that the language has for other types, or as bits.
    pub(in crate::back::text) fn msl_vector(
        &mut self,
        inst: Inst,
        op: VectorOp,
        ty: NumberType,
    ) -> Option<Expr> {
        let data = self.body.inst(inst);
        let &first = data.args.first()?;
        let components = self.body.ty(first).components();
        let operand =
            |this: &mut Self, at: usize, kind: Kind| data.args.get(at).map(|&arg| this.value_as(arg, kind));
        match op {
            VectorOp::FLength | VectorOp::FDistance | VectorOp::FNormalize => {
                let a = operand(self, 0, Kind::Float)?;
                let name = match (op, components) {
                    (VectorOp::FLength, 1) => "abs",
                    (VectorOp::FNormalize, 1) => "sign",
                    (VectorOp::FLength, _) => "length",
                    (VectorOp::FNormalize, _) => "normalize",
                    _ => {
                        let b = operand(self, 1, Kind::Float)?;
                        if components > 1 {
                            return Some(self.call(inst, "distance", vec![a, b], ty));
                        }
                        let difference = self.infix(inst, "-", Prec::Sum, vec![a, b], ty);
                        return Some(self.call(inst, "abs", vec![difference], ty));
                    }
                };
                Some(self.call(inst, name, vec![a], ty))
            }
            VectorOp::PackHalf2x16 => {
                let value = operand(self, 0, Kind::Float)?;
                let half = NumberType::new(Kind::Float, Width::W16, 2);
                let halves = self.construct(inst, half, vec![value]);
                Some(self.call(inst, "as_type<uint>", vec![halves], ty))
            }
            VectorOp::UnpackHalf2x16 => {
                let bits = operand(self, 0, Kind::Uint)?;
                let half = NumberType::new(Kind::Float, Width::W16, 2);
                let halves = self.call(inst, "as_type<half2>", vec![bits], half);
                Some(self.construct(inst, ty, vec![halves]))
            }
            _ => {
                let bits = operand(self, 0, Kind::Uint)?;
                if bits.ty.width == ty.width && bits.ty.components == ty.components {
                    return Some(bits);
                }
                let name = self.type_name(ty, inst);
                Some(self.call(inst, format!("as_type<{name}>"), vec![bits], ty))
            }
        }
    }

    /// Notes the options of the compiler that the result of an operation depends on.
    pub(in crate::back::text) fn note_options(&mut self, inst: Inst) {
        use FloatOp::{FIsInf, FIsNan, FNMax, FNMin};
        let data = self.body.inst(inst);
        self.w.msl.has_nan |= matches!(data.op, Op::Float(FIsNan | FIsInf | FNMin | FNMax));
        self.w.msl.is_exact |= data.flags.has(Flags::EXACT);
    }

    /// A call of a method.
    pub(super) fn method(
        &self,
        inst: Inst,
        object: Expr,
        name: &str,
        args: Vec<Expr>,
        ty: NumberType,
    ) -> Expr {
        let call = self.call(inst, name.to_owned(), args, ty);
        let tokens = [punct(".")].into_iter().chain(call.tokens);
        object.postfix(tokens, ty)
    }
}

/// Components of a swizzle as components of the vector that it selects from. `None` if an expression is no swizzle.
pub(in crate::back::text) fn selected(expr: &Expr, list: &[u8]) -> Option<(Expr, Vec<u8>)> {
    let [rest @ .., dot, last] = &expr.tokens[..] else { return None };
    let of = |letter| "xyzw".find(letter).map(|at| at as u8);
    let order: Vec<u8> = last.text.as_str().chars().map(of).collect::<Option<_>>()?;
    // An input or a member may have the name `xy`.
    let is_member = matches!(last.link, Link::Use(Anchor::Member(..)));
    let is_swizzle = last.class == Class::Plain && !is_member && dot.text.as_str() == ".";
    if expr.prec != Prec::Postfix || !is_swizzle || order.len() < 2 || rest.is_empty() {
        return None;
    }
    let list: Vec<u8> = list.iter().map(|&at| order.get(usize::from(at)).copied()).collect::<Option<_>>()?;
    // The number of components is not known; with five none of them is the whole.
    let whole = Expr::new(rest.to_vec(), Prec::Postfix, expr.ty.with_components(5));
    Some((whole, list))
}

//! Arithmetic of MSL that is spelled out: what it has no function for, lengths of scalars, packed halves, bits of other
//! widths.

use super::Msl;
use crate::dialect::{Values, VectorLogic};
use crate::expr::{Expr, Prec, Token, call, punct};
use crate::func::FuncWriter;
use crate::number::{Kind, NumberType};
use vitrine_ir::ops::{Bits, Flags, FloatOp, IntOp, Op, VectorOp, Width};
use vitrine_ir::{Anchor, Inst};
use vitrine_text::{Class, Link};

impl Values for Msl {
    fn note_options(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) {
        use FloatOp::{FIsInf, FIsNan, FNMax, FNMin};
        let data = f.body.inst(inst);
        f.w.own.msl.has_nan |= matches!(data.op, Op::Float(FIsNan | FIsInf | FNMin | FNMax));
        f.w.own.msl.is_exact |= data.flags.has(Flags::EXACT);
    }

    fn narrowed(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, expr: Expr) -> Expr {
        // The language computes with 32 bits on scalars of fewer.
        let ty = expr.ty;
        let is_narrow = matches!(ty.width, Width::W8 | Width::W16);
        let is_integer = matches!(ty.kind, Kind::Int | Kind::Uint);
        match is_narrow && is_integer && ty.components == 1 {
            true => f.construct(inst, ty, vec![expr]),
            false => expr,
        }
    }

    fn geometry_of_scalars(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: VectorOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        f.geometry_without_functions(inst, op, operands, ty)
    }

    fn float_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        f.msl_float(inst, op, operands, ty)
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
            (IntOp::ISign, [a]) => Some(f.integer_sign(inst, a.clone(), ty)),
            _ => None,
        }
    }

    fn vector_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: VectorOp,
        ty: NumberType,
        _shared: Kind,
    ) -> Option<Expr> {
        f.msl_vector(inst, op, ty)
    }

    fn chosen_value(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        cond: Expr,
        [a, b]: [Expr; 2],
        ty: NumberType,
    ) -> Expr {
        match cond.ty.components == 1 {
            true => f.conditional(inst, cond, [a, b], ty),
            false => f.call(inst, "select", vec![b, a, cond], ty),
        }
    }

    fn vector_logic(&self) -> VectorLogic {
        VectorLogic::Logical
    }

    fn selected_components(&self, whole: &Expr, components: &[u8]) -> Option<(Expr, Vec<u8>)> {
        selected(whole, components)
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

    fn indexable(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, vector: Expr) -> Expr {
        if !is_selection(&vector.tokens) {
            return vector;
        }
        // A selection of components is no vector there.
        let (ty, name) = (vector.ty, f.type_name(vector.ty, inst));
        call(Token::new(Class::Type, name), [vector], ty)
    }

    fn spelled_constant(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        _bits: &Bits,
        scalar: NumberType,
    ) -> Option<Expr> {
        if f.w.dialect.number(scalar).is_none() {
            // Refuses the type.
            f.type_name(scalar, inst);
        }
        None
    }
}

impl FuncWriter<'_, '_> {
    /// Operations on floats that are spelled otherwise than in other languages like C. `None` if they are not.
    fn msl_float(&mut self, inst: Inst, op: FloatOp, operands: &[Expr], ty: NumberType) -> Option<Expr> {
        match (op, operands) {
            (FloatOp::FMod, [a, b]) => Some(self.floored_remainder(inst, a, b, ty)),
            (FloatOp::FNClamp, [x, low, high]) => {
                // These functions return the other operand for NaN.
                self.w.own.msl.has_nan = true;
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

    /// Operations on vectors that the language has for other types, or as bits.
    fn msl_vector(&mut self, inst: Inst, op: VectorOp, ty: NumberType) -> Option<Expr> {
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

    /// A call of a method.
    pub(super) fn method(
        &mut self,
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

/// Returns true for an expression that ends with a selection of several components.
fn is_selection(tokens: &[Token]) -> bool {
    let [.., point, name] = tokens else { return false };
    let name = name.text.as_str();
    point.text.as_str() == "." && name.len() > 1 && name.bytes().all(|byte| b"xyzw".contains(&byte))
}

/// Components of a swizzle as components of the vector that it selects from. `None` if an expression is no swizzle.
fn selected(expr: &Expr, list: &[u8]) -> Option<(Expr, Vec<u8>)> {
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

//! GLSL: arithmetic, literals and casts, as the engine asks about them.

use super::{Glsl, types};
use crate::dialect::{ArrayValues, Values};
use crate::expr::{Expr, Prec, Token, punct};
use crate::func::{FuncWriter, NumberDeclaration};
use crate::language::Version;
use crate::number::{Kind, NumberType};
use vitrine_ir::Inst;
use vitrine_ir::ops::{Bits, FloatOp, IntOp, VectorOp, Width};
use vitrine_text::Class;

impl Values for Glsl {
    fn adjust_operands(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operands: &mut [Expr]) {
        f.keep_from_folding(inst, operands);
    }

    fn counts_are_signed(&self) -> bool {
        true
    }

    fn field_kind(&self) -> Kind {
        Kind::Int
    }

    fn refuses_function(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, name: &str, ty: NumberType) -> bool {
        let is_refused = ty.width == Width::W64 && types::lacks_doubles(name);
        if is_refused {
            f.refuse(inst, "its function takes no numbers of 64 bits", "");
        }
        is_refused
    }

    fn float_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        match (op, operands) {
            (FloatOp::FSat, [a]) => {
                let one = f.splat(inst, 1.0, ty);
                let zero = f.splat(inst, 0.0, ty);
                let positive = f.call(inst, "max", vec![a.clone(), zero], ty);
                Some(f.call(inst, "min", vec![positive, one], ty))
            }
            (FloatOp::FRem, [a, b]) => {
                // Of positive numbers both remainders are the same, and a zero keeps the sign of the dividend.
                let [size, divisor] = [a, b].map(|it| f.call(inst, "abs", vec![it.clone()], ty));
                let remainder = f.call(inst, "mod", vec![size, divisor], ty);
                let sign = f.call(inst, "sign", vec![a.clone()], ty);
                Some(f.infix(inst, "*", Prec::Product, vec![sign, remainder], ty))
            }
            _ => None,
        }
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
            (IntOp::IRem, [a, b]) => {
                // The quotient is rounded toward zero; `%` is undefined for negative operands.
                let quotient = f.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
                let product = f.infix(inst, "*", Prec::Product, vec![b.clone(), quotient], ty);
                Some(f.infix(inst, "-", Prec::Sum, vec![a.clone(), product], ty))
            }
            (IntOp::IMod, [_, _]) => Some(f.infix(inst, "%", Prec::Product, operands.to_vec(), ty)),
            _ => None,
        }
    }

    fn vector_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        _op: VectorOp,
        ty: NumberType,
        _shared: Kind,
    ) -> Option<Expr> {
        f.repacked(inst, ty)
    }

    fn chosen_value(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        cond: Expr,
        [a, b]: [Expr; 2],
        ty: NumberType,
    ) -> Expr {
        if cond.ty.components == 1 {
            return f.conditional(inst, cond, [a, b], ty);
        }
        match ty.kind != Kind::Float && self.0 == Version::Es300 {
            true => f.choice_without_mix(inst, cond, [a, b], ty),
            false => f.call(inst, "mix", vec![b, a, cond], ty),
        }
    }

    fn compares_whole_vectors(&self) -> bool {
        true
    }

    fn selected_residency(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        from: Inst,
        components: &[u8],
        ty: NumberType,
    ) -> Option<Expr> {
        f.glsl_residency(inst, from, components, ty)
    }

    fn element_index(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, index: Expr) -> Expr {
        // The language indexes by 32 bits.
        match index.ty.width == Width::W64 {
            true => f.construct(inst, NumberType::scalar(Kind::Uint), vec![index]),
            false => index,
        }
    }

    fn matrix_name(&self, columns: u8, rows: u8) -> Option<String> {
        Some(if columns == rows { format!("mat{columns}") } else { format!("mat{columns}x{rows}") })
    }

    fn spelled_constant(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        bits: &Bits,
        scalar: NumberType,
    ) -> Option<Expr> {
        if self.0.is_es() && f.w.dialect.number(scalar).is_none() {
            // Refuses the type.
            f.type_name(scalar, inst);
        }
        let by_bits = |&it: &u64| types::is_written_by_bits(scalar.kind, scalar.width, it);
        if bits.components().iter().any(by_bits) {
            // Their literals are bits of integers.
            f.w.extensions.extend(types::extension(scalar.with_kind(Kind::Uint)));
        }
        None
    }

    fn declared_number(&self, f: &mut FuncWriter<'_, '_>, declaration: NumberDeclaration<'_>) -> Vec<Token> {
        match self.0.is_es() {
            true => {
                // It has no word for it.
                f.w.own.glsl.es_loses_precise |= declaration.is_exact;
                declaration.typed()
            }
            false => declaration.precise(),
        }
    }

    fn array_values(&self) -> Option<ArrayValues> {
        let list = |of, len: u64| {
            vec![of, punct("["), Token::new(Class::Number, len.to_string()), punct("]"), punct("(")]
        };
        Some(ArrayValues { list, copies: true })
    }
}

impl FuncWriter<'_, '_> {
    /// A choice between vectors of integers or booleans in GLSL ES 3.00, whose `mix` takes floats only: the difference of
    /// integers wraps around.
    fn choice_without_mix(&mut self, inst: Inst, cond: Expr, [a, b]: [Expr; 2], ty: NumberType) -> Expr {
        if ty.kind == Kind::Bool {
            let floats = NumberType::new(Kind::Float, Width::W32, ty.components);
            let a = self.construct(inst, floats, vec![a]);
            let b = self.construct(inst, floats, vec![b]);
            let mixed = self.call(inst, "mix", vec![b, a, cond], floats);
            return self.construct(inst, ty, vec![mixed]);
        }
        let factor = self.construct(inst, ty, vec![cond]);
        let difference = self.infix(inst, "-", Prec::Sum, vec![a, b.clone()], ty);
        let scaled = self.infix(inst, "*", Prec::Product, vec![difference, factor], ty);
        self.infix(inst, "+", Prec::Sum, vec![b, scaled], ty)
    }
}

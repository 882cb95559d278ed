//! Operations on constants that a compiler of WGSL evaluates: it rejects those whose result overflows or is undefined (WGSL,
//! 8.1, 17.5), and some that get constants for a part of their operands only.
//!
//! An operand of such an operation is written by way of a variable, which is no constant expression. Specialization constants
//! are left alone: they are evaluated when a pipeline is created.

use crate::expr::{Expr, Prec};
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use vitrine_ir::Inst;
use vitrine_ir::ops::{Bits, ConvertOp, FloatOp, IntOp, Op, Scalar, VectorOp, Width};
use vitrine_text::Class;

/// The condition under which the compiler of the text rejects an operation.
#[derive(Clone, Copy)]
enum Rule {
    /// It evaluates the operation, but always to a value.
    Never,
    /// All operands are constants, and the result does not exist.
    Together,
    /// That, or these operands are constants that are wrong by themselves: the first, their number, the test.
    Partly(usize, usize, fn(&[Bits]) -> bool),
}

/// The rule of an operation.
fn rule(op: Op) -> Rule {
    match op {
        Op::Float(op) => float(op),
        Op::Int(op) => int(op),
        Op::Convert(op) => convert(op),
        Op::Vector(op) => vector(op),
        // Their operands are memory, resources, or values of other invocations.
        Op::Basic(_)
        | Op::Memory(_)
        | Op::Deref(_)
        | Op::Ptr(_)
        | Op::Io(_)
        | Op::Group(_)
        | Op::Tex(_)
        | Op::Reg(_)
        | Op::Spirv(_) => Rule::Never,
    }
}

fn float(op: FloatOp) -> Rule {
    use FloatOp as F;
    match op {
        F::FDiv | F::FRem | F::FMod => Rule::Partly(1, 1, is_float_zero),
        F::FClamp | F::FNClamp => Rule::Partly(1, 2, is_reversed_float),
        F::FMad => Rule::Partly(0, 2, is_large_product),
        F::FSmoothStep => Rule::Partly(0, 2, has_no_width),
        F::FLdexp => Rule::Partly(1, 1, is_large_exponent),
        _ => Rule::Together,
    }
}

fn int(op: IntOp) -> Rule {
    use IntOp as I;
    match op {
        I::IDiv | I::UDiv | I::UMod | I::IRem | I::IMod => Rule::Partly(1, 1, is_zero),
        I::IShl | I::IShr | I::UShr => Rule::Partly(1, 1, is_too_far),
        I::IClamp => Rule::Partly(1, 2, is_reversed_int),
        I::UClamp => Rule::Partly(1, 2, is_reversed_uint),
        I::UBfe | I::IBfe => Rule::Partly(1, 2, is_beyond),
        I::Bfi => Rule::Partly(2, 2, is_beyond),
        _ => Rule::Together,
    }
}

fn convert(op: ConvertOp) -> Rule {
    match op {
        ConvertOp::B2I | ConvertOp::B2F => Rule::Never,
        _ => Rule::Together,
    }
}

fn vector(op: VectorOp) -> Rule {
    use VectorOp as V;
    match op {
        // Constructors, components and comparisons have a value for all operands; other indices are not written.
        V::Vec | V::Splat | V::Swizzle | V::Shuffle | V::Extract | V::Insert | V::AllEq | V::AnyNe => {
            Rule::Never
        }
        V::All | V::Any => Rule::Never,
        // Of numbers it is written as a choice by a product.
        V::FFaceForward => Rule::Partly(1, 2, is_large_product),
        _ => Rule::Together,
    }
}

/// The test on the components of two operands, one of which may have fewer: the last one stands for the others.
fn any_pair(operands: &[Bits], is_wrong: impl Fn(Scalar, Scalar) -> bool) -> bool {
    let [a, b] = operands else { return false };
    let at = |bits: &Bits, index: usize| bits.component(index.min(bits.components().len().saturating_sub(1)));
    let count = a.components().len().max(b.components().len());
    (0..count).any(|index| is_wrong(at(a, index), at(b, index)))
}

fn any_one(operands: &[Bits], is_wrong: impl Fn(Scalar) -> bool) -> bool {
    let [one] = operands else { return false };
    one.components().iter().any(|&bits| is_wrong(Scalar::new(one.width(), bits)))
}

fn is_float_zero(operands: &[Bits]) -> bool {
    any_one(operands, |it| it.to_f64() == 0.0)
}

fn is_zero(operands: &[Bits]) -> bool {
    any_one(operands, |it| it.bits() == 0)
}

fn is_too_far(operands: &[Bits]) -> bool {
    any_one(operands, |it| it.bits() >= 32)
}

/// The exponent, plus the bias, is larger than that of any number.
fn is_large_exponent(operands: &[Bits]) -> bool {
    // The smallest of both widths: a variable is never wrong.
    any_one(operands, |it| (it.bits() as u32).cast_signed() > 16)
}

fn is_reversed_float(operands: &[Bits]) -> bool {
    any_pair(operands, |low, high| low.to_f64() > high.to_f64())
}

/// Factors with a product that is no number of their width.
fn is_large_product(operands: &[Bits]) -> bool {
    any_pair(operands, |a, b| {
        let largest = if a.width() == Width::W16 { LARGEST_HALF } else { f64::from(f32::MAX) };
        (a.to_f64() * b.to_f64()).abs() > largest
    })
}

/// The largest number of 16 bits.
const LARGEST_HALF: f64 = 65_504.0;

/// Edges in the wrong order, or with a difference that is no number of their width.
fn has_no_width(operands: &[Bits]) -> bool {
    any_pair(operands, |low, high| {
        let largest = if low.width() == Width::W16 { LARGEST_HALF } else { f64::from(f32::MAX) };
        let width = high.to_f64() - low.to_f64();
        width <= 0.0 || width > largest
    })
}

fn is_reversed_int(operands: &[Bits]) -> bool {
    any_pair(operands, |low, high| (low.bits() as u32).cast_signed() > (high.bits() as u32).cast_signed())
}

fn is_reversed_uint(operands: &[Bits]) -> bool {
    any_pair(operands, |low, high| low.bits() > high.bits())
}

/// The bits of a field end after those of the number.
fn is_beyond(operands: &[Bits]) -> bool {
    any_pair(operands, |offset, count| offset.bits() + count.bits() > 32)
}

/// Returns true for the text of a constant expression: it names no variable, value, or specialization constant.
pub(super) fn is_constant(expr: &Expr) -> bool {
    expr.tokens.iter().all(|token| !matches!(token.class, Class::Name | Class::Value))
}

impl FuncWriter<'_, '_> {
    /// Keeps the compiler of the text from evaluating an operation that it would reject.
    pub(super) fn keep_from_evaluation(&mut self, inst: Inst, operands: &mut [Expr]) {
        let data = self.body.inst(inst);
        let rule = rule(data.op);
        if matches!(rule, Rule::Never) || operands.is_empty() {
            return;
        }
        if let Rule::Partly(first, count, is_wrong) = rule
            && let Some(checked) = operands.get(first..first + count)
            && checked.iter().all(is_constant)
        {
            let known = data
                .args
                .iter()
                .skip(first)
                .take(count)
                .map(|&arg| self.body.const_of(arg).map(|bits| self.w.module.bits_of(bits)));
            let known: Option<Vec<Bits>> = known.collect();
            if known.is_none_or(|known| is_wrong(&known)) {
                return self.fix_operand(inst, operands, first);
            }
        }
        if operands.iter().all(is_constant) {
            self.fix_operand(inst, operands, 0);
        }
    }

    fn fix_operand(&mut self, inst: Inst, operands: &mut [Expr], at: usize) {
        if let Some(operand) = operands.get_mut(at) {
            let expr = std::mem::replace(operand, Expr::new(Vec::new(), Prec::Atom, NumberType::BOOL));
            *operand = self.fixed(expr, Role::Variable, inst);
        }
    }

    /// The expression, by way of a variable if it is a constant one: an operation that the writer adds would be evaluated.
    pub(super) fn not_constant(&mut self, inst: Inst, expr: Expr) -> Expr {
        if is_constant(&expr) { self.fixed(expr, Role::Variable, inst) } else { expr }
    }

    /// The operand of a cast. The bits of a constant integer may be those of an infinity or a NaN, which no constant is; a
    /// negative literal has no type yet, and is no unsigned number.
    pub(super) fn wgsl_cast_operand(&mut self, inst: Inst, expr: Expr, to: Kind) -> Expr {
        let is_negative = matches!(&expr.tokens[..], [one] if one.text.as_str().starts_with('-'));
        match (expr.ty.kind, to) {
            (Kind::Int | Kind::Uint, Kind::Float) => self.not_constant(inst, expr),
            (Kind::Int, Kind::Uint) if is_negative => {
                let ty = expr.ty;
                self.construct(inst, ty, vec![expr])
            }
            _ => expr,
        }
    }
}

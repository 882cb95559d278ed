//! Mutants of floating-point operations: each replaces an operation by a formula that equals it for most operands, and
//! differs for zeros, infinities, NaN, large values, or in the last bit.
//!
//! Only operations without flags are replaced: a flag may permit the formula.

use super::mutants::{Change, Mutant, MutationSite, View};
use vitrine_core::ir::{Editor, InsertPoint, Inst, InstData, Reason};
use vitrine_core::ops::{BasicOp, Bits, ConvertOp, Emit, FloatBuild, IntBuild, Op, Scalar, ValueType, Width};

/// Creates instructions before one of a function.
pub(super) struct Before<'e, 'm> {
    ed: &'e mut Editor<'m>,
    at: Inst,
}

/// The formula for an instruction with these operands; `None` if it does not apply to them.
pub(super) type Formula = fn(&mut Before<'_, '_>, &[Inst]) -> Option<Inst>;

impl Emit for Before<'_, '_> {
    type Value = Inst;

    fn emit(&mut self, op: Op, args: &[Inst]) -> Inst {
        let types: Vec<ValueType> = args.iter().map(|&arg| self.ed.func().ty(arg)).collect();
        let ty = op.info().infer(&types).expect("operands that fit");
        self.add(InstData::new(op, ty, args))
    }
}

impl Before<'_, '_> {
    fn add(&mut self, data: InstData) -> Inst {
        let at = InsertPoint::Before(self.at);
        self.ed.insert(at, data, Reason::Note("a mutant")).expect("an instruction that fits")
    }

    /// A number in every component, of the type of another value.
    fn real(&mut self, like: Inst, value: f64) -> Inst {
        let ty = self.ed.func().ty(like);
        let width = ty.width().unwrap_or_default();
        let one = Scalar::float(width, value);
        let data = self.ed.const_bits(Bits::from_scalars(&vec![one; usize::from(ty.components())]));
        self.add(data)
    }

    fn truth(&mut self, value: bool, components: u8) -> Inst {
        let one = Scalar::new(Width::W1, u64::from(value));
        let data = self.ed.const_bits(Bits::from_scalars(&vec![one; usize::from(components)]));
        self.add(data)
    }

    fn components(&self, of: Inst) -> u8 {
        self.ed.func().ty(of).components()
    }

    /// Converts to a type with as many components.
    fn converted(&mut self, op: ConvertOp, value: Inst) -> Inst {
        let ty = self.ed.func().ty(value);
        self.add(InstData::new(op, ty, &[value]))
    }

    /// The number of a constant if all components are the same.
    fn constant(&self, value: Inst) -> Option<f64> {
        let bits = self.ed.module().bits_of(self.ed.func().const_of(value)?);
        let first = bits.component(0);
        bits.scalars().all(|component| component == first).then(|| first.to_f64())
    }
}

/// Replaces an instruction by its formula; `None` if it does not apply.
pub(super) fn replace(ed: &mut Editor<'_>, inst: Inst, formula: Formula) -> Option<()> {
    let args: Vec<Inst> = ed.func().inst(inst).args.to_vec();
    let value = formula(&mut Before { ed, at: inst }, &args)?;
    ed.replace_uses(inst, value, Reason::Note("a mutant")).ok()
}

/// The formula at a site with one of these operations.
fn formula(view: &View<'_>, site: MutationSite, op: &str, formula: Formula) -> Option<Vec<Change>> {
    let MutationSite::Inst(_, inst) = site else { return None };
    let data = view.body.inst(inst);
    let fits = data.op.name() == op && data.flags.is_empty() && data.op != Op::Basic(BasicOp::Const);
    fits.then(|| vec![Change::Formula(inst, formula)])
}

/// An entry: a name, the operation, and its formula.
macro_rules! formulas {
    ($($name:literal: $op:literal |$b:ident, $args:pat_param| $formula:expr;)*) => {
        /// Every mutant of this file.
        pub(super) const FLOATS: &[Mutant] = &[$(Mutant::new($name, "float corners", |view, site| {
            formula(view, site, $op, |$b, args| {
                let $args = *args else { return None };
                $formula
            })
        })),*];
    };
}

formulas! {
    "difference of a value and itself taken for zero": "fsub" |b, [x, y]| (x == y).then(|| b.real(x, 0.0));
    "quotient of a value and itself taken for one": "fdiv" |b, [x, y]| (x == y).then(|| b.real(x, 1.0));
    "value taken for equal to itself": "feq" |b, [x, y]| (x == y).then(|| b.truth(true, b.components(x)));
    "value taken for at most itself": "fle" |b, [x, y]| (x == y).then(|| b.truth(true, b.components(x)));
    "negation by a difference from zero": "fneg" |b, [x]| {
        let zero = b.real(x, 0.0);
        Some(b.fsub(zero, x))
    };
    "difference from zero by a negation": "fsub" |b, [x, y]| (b.constant(x)? == 0.0).then(|| b.fneg(y));
    "difference by a negated difference": "fsub" |b, [x, y]| {
        let other = b.fsub(y, x);
        Some(b.fneg(other))
    };
    "absolute value by a comparison": "fabs" |b, [x]| {
        let (zero, negative) = (b.real(x, 0.0), b.fneg(x));
        let below = b.flt(x, zero);
        Some(b.select(below, negative, x))
    };
    "minimum by a comparison that NaN fails": "fmin" |b, [x, y]| {
        let less = b.flt(x, y);
        Some(b.select(less, x, y))
    };
    "maximum by a comparison that NaN passes": "fmax" |b, [x, y]| {
        let less = b.fltu(x, y);
        Some(b.select(less, y, x))
    };
    "saturation by bounds in the other order": "fsat" |b, [x]| {
        let (zero, one) = (b.real(x, 0.0), b.real(x, 1.0));
        let low = b.fmin(x, one);
        Some(b.fmax(low, zero))
    };
    "sign by one comparison": "fsign" |b, [x]| {
        let (zero, one, minus) = (b.real(x, 0.0), b.real(x, 1.0), b.real(x, -1.0));
        let above = b.fge(x, zero);
        Some(b.select(above, one, minus))
    };
    "quotient by a reciprocal": "fdiv" |b, [x, y]| {
        let reciprocal = b.frcp(y);
        Some(b.fmul(x, reciprocal))
    };
    "quotient by a rounded constant": "fdiv" |b, [x, y]| {
        let constant = b.constant(y)?;
        let reciprocal = b.real(y, 1.0 / constant);
        Some(b.fmul(x, reciprocal))
    };
    "root by an inverse root": "fsqrt" |b, [x]| {
        let inverse = b.frsq(x);
        Some(b.fmul(x, inverse))
    };
    "inverse root of an absolute value": "frsq" |b, [x]| {
        let size = b.fabs(x);
        Some(b.frsq(size))
    };
    "fraction by truncation": "ffract" |b, [x]| {
        let whole = b.ftrunc(x);
        Some(b.fsub(x, whole))
    };
    "rounding by a sum with a half": "fround_away" |b, [x]| {
        let half = b.real(x, 0.5);
        let sum = b.fadd(x, half);
        Some(b.ffloor(sum))
    };
    "truncation by way of an integer": "ftrunc" |b, [x]| {
        let whole = b.converted(ConvertOp::F2I, x);
        Some(b.converted(ConvertOp::I2F, whole))
    };
    "rounding down by way of an integer": "ffloor" |b, [x]| {
        let whole = b.converted(ConvertOp::F2I, x);
        Some(b.converted(ConvertOp::I2F, whole))
    };
    "remainder with the sign of the other operand": "frem" |b, [x, y]| Some(b.fmod(x, y));
    "remainder by a rounded quotient": "fmod" |b, [x, y]| {
        let quotient = b.fdiv(x, y);
        let fraction = b.ffract(quotient);
        Some(b.fmul(fraction, y))
    };
    "fused product and sum with two roundings": "ffma" |b, [x, y, z]| Some(b.fmad(x, y, z));
    "product and sum with two roundings fused": "fmad" |b, [x, y, z]| Some(b.ffma(x, y, z));
    "power by a logarithm": "fpow" |b, [x, y]| {
        let logarithm = b.flog2(x);
        let product = b.fmul(logarithm, y);
        Some(b.fexp2(product))
    };
    "interpolation by a difference": "fmix" |b, [x, y, a]| {
        let difference = b.fsub(y, x);
        let part = b.fmul(a, difference);
        Some(b.fadd(x, part))
    };
    "step for NaN": "fstep" |b, [edge, x]| {
        let (zero, one) = (b.real(x, 0.0), b.real(x, 1.0));
        let above = b.fge(x, edge);
        Some(b.select(above, one, zero))
    };
    "comparison of bits": "flt" |b, [x, y]| Some(b.ilt(x, y));
    "equality of bits": "feq" |b, [x, y]| Some(b.ieq(x, y));
    "NaN ruled out": "fisnan" |b, [x]| Some(b.truth(false, b.components(x)));
    "infinity ruled out": "fisinf" |b, [x]| Some(b.truth(false, b.components(x)));
    "sign bit by a comparison": "fsignbit" |b, [x]| {
        let zero = b.real(x, 0.0);
        Some(b.flt(x, zero))
    };
    "product that is zero without a zero": "fmulz" |b, [x, y]| Some(b.fmul(x, y));
    "scale by a power of two": "fldexp" |b, [x, n]| {
        if b.ed.func().ty(x) != b.ed.func().ty(n) {
            return None;
        }
        let n = b.converted(ConvertOp::I2F, n);
        let factor = b.fexp2(n);
        Some(b.fmul(x, factor))
    };
}

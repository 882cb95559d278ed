//! Expansions of `alu-to-spirv`: arithmetic that SPIR-V has for kernels only, for some widths only, or for
//! vectors only.
//!
//! Refuses what has no exact expansion: 64-bit sines, logarithms and powers, and conversions with a rounding
//! direction from a width without floats. The writer of SPIR-V refuses those by name.

use super::{Arith, bits, doubles, narrow, whole};
use vitrine_ir::ops::{
    ConvertOp, FloatBuild, FloatOp, IntBuild, IntOp, Op, Scalar, ValueType, VectorOp, Width,
};

/// Tests for ordered, finite and normal floats, and for the sign bit.
pub(crate) const CLASSES: &[Op] = &[
    Op::Float(FloatOp::FOrd),
    Op::Float(FloatOp::FUnord),
    Op::Float(FloatOp::FIsFinite),
    Op::Float(FloatOp::FIsNormal),
    Op::Float(FloatOp::FSignBit),
];

/// The expansion of a test of [`CLASSES`].
fn class<E: Arith>(e: &mut E, op: Op, args: &[E::Value]) -> Option<E::Value> {
    Some(match (op, args) {
        (Op::Float(FloatOp::FOrd), &[a, b]) => {
            let (first, second) = (e.feq(a, a), e.feq(b, b));
            e.iand(first, second)
        }
        (Op::Float(FloatOp::FUnord), &[a, b]) => {
            let (first, second) = (e.fneu(a, a), e.fneu(b, b));
            e.ior(first, second)
        }
        (Op::Float(FloatOp::FIsFinite), &[a]) => {
            let (exponent, infinity) = exponent(e, a);
            e.ine(exponent, infinity)
        }
        (Op::Float(FloatOp::FIsNormal), &[a]) => {
            let (exponent, infinity) = exponent(e, a);
            let zero = e.number(a, 0);
            let (some, finite) = (e.ine(exponent, zero), e.ine(exponent, infinity));
            e.iand(some, finite)
        }
        (Op::Float(FloatOp::FSignBit), &[a]) => {
            let zero = e.number(a, 0);
            e.ilt(a, zero)
        }
        _ => return None,
    })
}

/// The exponent bits of a float, and those of infinity.
fn exponent<E: Arith>(e: &mut E, a: E::Value) -> (E::Value, E::Value) {
    let infinity = e.real(a, f64::INFINITY);
    (e.iand(a, infinity), infinity)
}

/// Returns true if SPIR-V for shaders has an operation on 32-bit integers only.
pub(crate) fn needs_32_bits(op: Op) -> bool {
    matches!(
        op,
        Op::Int(
            IntOp::BitCount
                | IntOp::BitRev
                | IntOp::UBfe
                | IntOp::IBfe
                | IntOp::Bfi
                | IntOp::FindLsb
                | IntOp::UFindMsb
                | IntOp::IFindMsb
        )
    )
}

/// Returns true if an operation belongs to the integer functions of SPV_INTEL_shader_integer_functions2.
pub(crate) fn is_integer_function(op: Op) -> bool {
    matches!(
        op,
        Op::Int(
            IntOp::Clz
                | IntOp::Ctz
                | IntOp::IAbsDiff
                | IntOp::UAbsDiff
                | IntOp::IAddSat
                | IntOp::UAddSat
                | IntOp::ISubSat
                | IntOp::USubSat
                | IntOp::IHadd
                | IntOp::UHadd
                | IntOp::IRhadd
                | IntOp::URhadd
        )
    )
}

/// Returns true if SPIR-V has an operation on vectors only.
pub(crate) fn needs_vectors(op: Op) -> bool {
    matches!(
        op,
        Op::Vector(VectorOp::All | VectorOp::Any | VectorOp::FDot | VectorOp::Extract | VectorOp::Insert)
    )
}

/// Returns true if a conversion clamps, which SPIR-V has for kernels only.
pub(crate) fn saturates(op: Op) -> bool {
    use ConvertOp as C;
    matches!(op, Op::Convert(C::F2ISat | C::F2USat | C::I2ISat | C::U2USat | C::I2USat | C::U2ISat))
}

/// Returns true if a conversion has a rounding direction.
pub(crate) fn has_direction(op: Op) -> bool {
    matches!(op, Op::Convert(ConvertOp::F2FRtz | ConvertOp::F2FRtp | ConvertOp::F2FRtn))
}

/// The expansion of an operation that SPIR-V for shaders lacks at the width of its operands; none for another
/// operation. `ty` is the type of the result.
pub(crate) fn expanded<E: Arith>(e: &mut E, op: Op, ty: ValueType, args: &[E::Value]) -> Option<E::Value> {
    match (op, args) {
        (Op::Float(FloatOp::FRoundAway), &[a]) => Some(doubles::rounded_away(e, a)),
        (Op::Convert(op), &[a]) if saturates(op.into()) => Some(clamped(e, op, ty.width()?, a)),
        (Op::Convert(op), &[a]) if has_direction(op.into()) => Some(directed(e, op, ty.width()?, a)),
        (Op::Vector(VectorOp::Extract), &[a, index]) => {
            let (first, zero) = (e.number(index, 0), e.number(a, 0));
            let is_first = e.ieq(index, first);
            Some(e.select(is_first, a, zero))
        }
        (Op::Vector(VectorOp::Insert), &[a, component, index]) => {
            let first = e.number(index, 0);
            let is_first = e.ieq(index, first);
            Some(e.select(is_first, component, a))
        }
        (Op::Vector(_), _) if needs_vectors(op) => whole::expand(e, op, args),
        (Op::Int(IntOp::BitCount | IntOp::FindLsb | IntOp::UFindMsb | IntOp::IFindMsb), &[a, ..])
            if e.width(a) < Width::W32 =>
        {
            narrow::widen(e, op, args)
        }
        _ => class(e, op, args).or_else(|| bits::expand(e, op, args)),
    }
}

/// A conversion of a float that clamps to the range of the result; NaN gives 0.
fn clamped_float<E: Arith>(e: &mut E, is_signed: bool, to: Width, a: E::Value) -> E::Value {
    let convert = if is_signed { ConvertOp::F2I } else { ConvertOp::F2U };
    let whole = e.to(convert, to, a);
    let magnitude = to.bits() - u32::from(is_signed);
    let largest = to.mask() >> u32::from(is_signed);
    let (end, largest) =
        (e.real(a, 2.0_f64.powi(magnitude.cast_signed())), e.number(whole, largest.cast_signed()));
    let is_above = e.fge(a, end);
    let value = e.select(is_above, largest, whole);
    let zero = e.number(whole, 0);
    if !is_signed {
        let start = e.real(a, 0.0);
        let is_within = e.fge(a, start);
        return e.select(is_within, value, zero);
    }
    let (start, least) =
        (e.real(a, -(2.0_f64.powi(magnitude.cast_signed()))), e.number(whole, !largest_of(to)));
    let is_below = e.flt(a, start);
    let value = e.select(is_below, least, value);
    let is_number = e.feq(a, a);
    e.select(is_number, value, zero)
}

/// The largest signed integer of a width.
fn largest_of(width: Width) -> i64 {
    (width.mask() >> 1).cast_signed()
}

/// A conversion that clamps to the range of the result.
fn clamped<E: Arith>(e: &mut E, op: ConvertOp, to: Width, a: E::Value) -> E::Value {
    if matches!(op, ConvertOp::F2ISat | ConvertOp::F2USat) {
        return clamped_float(e, op == ConvertOp::F2ISat, to, a);
    }
    let from = e.width(a);
    let to_signed = matches!(op, ConvertOp::I2ISat | ConvertOp::U2ISat);
    let from_signed = matches!(op, ConvertOp::I2ISat | ConvertOp::I2USat);
    let largest = if to_signed { to.mask() >> 1 } else { to.mask() };
    let mut value = a;
    if from_signed {
        // The bounds, if numbers of the operand's width exceed them.
        let least = if to_signed { Scalar::i(to, to.sign_bit().cast_signed()).as_i64() } else { 0 };
        if !to_signed || to < from {
            let least = e.number(a, least);
            value = e.imax(value, least);
        }
        if largest < from.mask() >> 1 {
            let largest = e.number(a, largest.cast_signed());
            value = e.imin(value, largest);
        }
    } else if largest < from.mask() {
        let largest = e.number(a, largest.cast_signed());
        value = e.umin(value, largest);
    }
    let convert = if from_signed && to_signed { ConvertOp::I2I } else { ConvertOp::U2U };
    if to == from { value } else { e.to(convert, to, value) }
}

/// A conversion with a rounding direction: the nearest float, or its neighbor if that is on the wrong side.
fn directed<E: Arith>(e: &mut E, op: ConvertOp, to: Width, a: E::Value) -> E::Value {
    let nearest = e.to(ConvertOp::F2F, to, a);
    if to >= e.width(a) {
        return nearest;
    }
    let width = e.width(a);
    let back = e.to(ConvertOp::F2F, width, nearest);
    let (one, zero) = (e.number(nearest, 1), e.number(nearest, 0));
    let (smaller, larger) = (e.isub(nearest, one), e.iadd(nearest, one));
    let negative = e.ilt(nearest, zero);
    match op {
        ConvertOp::F2FRtz => {
            let (far, near) = (e.fabs(back), e.fabs(a));
            let past = e.fgt(far, near);
            e.select(past, smaller, nearest)
        }
        ConvertOp::F2FRtp => {
            let up = e.select(negative, smaller, larger);
            let below = e.flt(back, a);
            e.select(below, up, nearest)
        }
        _ => {
            let down = e.select(negative, larger, smaller);
            let above = e.fgt(back, a);
            e.select(above, down, nearest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::{Numbers, operands, typings};
    use super::*;
    use vitrine_ir::ops::constraint::{ComponentRule, WidthRule};

    #[test]
    fn expanded_tests_match() {
        let narrow = [IntOp::BitCount, IntOp::FindLsb, IntOp::UFindMsb, IntOp::IFindMsb].map(Op::Int);
        let whole = [VectorOp::Extract, VectorOp::Insert].map(Op::Vector);
        let mut compared = 0;
        for &op in CLASSES.iter().chain(&narrow).chain(&whole) {
            for components in if whole.contains(&op) { [1, 1] } else { [1, 3] } {
                for types in typings(op, components) {
                    let ty = op.info().infer(&types).unwrap();
                    for args in operands(&types) {
                        let meant = op.info().eval(ty, &args).unwrap();
                        let made = expanded(&mut Numbers::default(), op, ty, &args).unwrap();
                        assert_eq!(meant, made, "{} {args:?}", op.name());
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 5_000, "{compared}");
    }

    /// Compares every conversion with its definition.
    #[test]
    fn expanded_conversions_match() {
        let mut compared = 0;
        for &op in ConvertOp::ALL.iter().filter(|&&op| saturates(op.into()) || has_direction(op.into())) {
            let info = Op::Convert(op).info();
            assert_eq!(info.result.width, WidthRule::Other);
            assert_eq!(info.result.components, ComponentRule::Same);
            for from in info.operands[0].constraint.widths.iter() {
                for to in info.result.widths.iter() {
                    for components in [1, 3] {
                        let types = [ValueType::bits(from, components)];
                        let ty = ValueType::bits(to, components);
                        for args in operands(&types) {
                            let meant = info.eval(ty, &args).unwrap();
                            let made = expanded(&mut Numbers::default(), op.into(), ty, &args).unwrap();
                            assert_eq!(meant, made, "{} {args:?} to {to:?}", info.name);
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }
}

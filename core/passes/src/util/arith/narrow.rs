//! Arithmetic on 8 and 16 bits carried out in 32 bits: operands are extended as the operation interprets them,
//! and the result is truncated.
//!
//! 16-bit floats become 32-bit floats and are rounded again at the end. That equals a single rounding for sums,
//! products, quotients and roots, since 24 bits are at least twice 11 plus two (Figueroa, "When is double
//! rounding innocuous?", 1995); operations without this property are separate.

use super::Arith;
use vitrine_ir::ops::constraint::WidthRule;
use vitrine_ir::ops::{ConvertOp, FloatBuild, FloatOp, IntBuild, IntOp, Op, Width};
use vitrine_ir::{Editor, InstData};

/// The extension of the operands of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extension {
    /// Zero extension.
    Zeros,
    /// Sign extension.
    Signs,
    /// Float conversion without any change of the result.
    Exactly,
    /// Float conversion; the result may be rounded twice.
    Roughly,
}

fn extension(op: Op) -> Option<Extension> {
    match op {
        Op::Int(op) => of_integers(op),
        Op::Float(op) => Some(of_floats(op)?),
        _ => None,
    }
}

fn of_integers(op: IntOp) -> Option<Extension> {
    match op {
        IntOp::IAdd
        | IntOp::ISub
        | IntOp::IMul
        | IntOp::INeg
        | IntOp::UDiv
        | IntOp::UMod
        | IntOp::UMin
        | IntOp::UMax
        | IntOp::UClamp
        | IntOp::IAnd
        | IntOp::IOr
        | IntOp::IXor
        | IntOp::INot
        | IntOp::IShl
        | IntOp::UShr
        | IntOp::BitSelect
        | IntOp::BitCount
        | IntOp::FindLsb
        | IntOp::UFindMsb
        | IntOp::IEq
        | IntOp::INe
        | IntOp::ULt
        | IntOp::UGt
        | IntOp::ULe
        | IntOp::UGe
        | IntOp::UAbsDiff
        | IntOp::UHadd
        | IntOp::URhadd
        | IntOp::Select
        | IntOp::Select1 => Some(Extension::Zeros),
        IntOp::IDiv
        | IntOp::IRem
        | IntOp::IMod
        | IntOp::IMin
        | IntOp::IMax
        | IntOp::IClamp
        | IntOp::IAbs
        | IntOp::ISign
        | IntOp::IShr
        | IntOp::IFindMsb
        | IntOp::ILt
        | IntOp::IGt
        | IntOp::ILe
        | IntOp::IGe
        | IntOp::IAbsDiff
        | IntOp::IHadd
        | IntOp::IRhadd => Some(Extension::Signs),
        // Expanded first: the expansion depends on the width.
        _ => None,
    }
}

fn of_floats(op: FloatOp) -> Option<Extension> {
    match op {
        FloatOp::FAdd
        | FloatOp::FSub
        | FloatOp::FMul
        | FloatOp::FDiv
        | FloatOp::FSqrt
        | FloatOp::FRcp
        | FloatOp::FMin
        | FloatOp::FMax
        | FloatOp::FNMin
        | FloatOp::FNMax
        | FloatOp::FClamp
        | FloatOp::FNClamp
        | FloatOp::FSat
        | FloatOp::FSign
        | FloatOp::FFloor
        | FloatOp::FCeil
        | FloatOp::FTrunc
        | FloatOp::FRound
        | FloatOp::FRoundEven
        | FloatOp::FRoundAway
        | FloatOp::FCanonicalize
        | FloatOp::FEq
        | FloatOp::FNeu
        | FloatOp::FLt
        | FloatOp::FGt
        | FloatOp::FLe
        | FloatOp::FGe
        | FloatOp::FEqu
        | FloatOp::FNeo
        | FloatOp::FLtu
        | FloatOp::FGtu
        | FloatOp::FLeu
        | FloatOp::FGeu
        | FloatOp::FOrd
        | FloatOp::FUnord
        | FloatOp::FIsNan
        | FloatOp::FIsInf
        | FloatOp::FIsFinite => Some(Extension::Exactly),
        // Operations on the bits.
        FloatOp::FNeg | FloatOp::FAbs | FloatOp::FSignBit | FloatOp::FIsNormal => None,
        // Expanded first, step by step.
        FloatOp::FMad
        | FloatOp::FMod
        | FloatOp::FFract
        | FloatOp::FStep
        | FloatOp::FSmoothStep
        | FloatOp::FRadians
        | FloatOp::FDegrees
        | FloatOp::FLdexp
        | FloatOp::FFrexpSig
        | FloatOp::FFrexpExp
        | FloatOp::FMix => None,
        FloatOp::FRem
        | FloatOp::FFma
        | FloatOp::FMulZ
        | FloatOp::FFmaZ
        | FloatOp::FRsq
        | FloatOp::FExp
        | FloatOp::FExp2
        | FloatOp::FLog
        | FloatOp::FLog2
        | FloatOp::FPow
        | FloatOp::FSin
        | FloatOp::FCos
        | FloatOp::FTan
        | FloatOp::FAsin
        | FloatOp::FAcos
        | FloatOp::FAtan
        | FloatOp::FAtan2
        | FloatOp::FSinh
        | FloatOp::FCosh
        | FloatOp::FTanh
        | FloatOp::FAsinh
        | FloatOp::FAcosh
        | FloatOp::FAtanh
        | FloatOp::FModfFract
        | FloatOp::FModfWhole
        | FloatOp::FQuantize16 => Some(Extension::Roughly),
    }
}

/// Returns true if the wider operation may change the last bit of the result.
pub(crate) fn is_rough(op: Op) -> bool {
    extension(op) == Some(Extension::Roughly)
}

/// Returns true if an instruction operates on 8 or 16 bits, and has a 32-bit form. A shift count does not
/// matter.
pub(crate) fn has_way(ed: &Editor<'_>, data: &InstData) -> bool {
    let same = |at: usize| {
        let constraint = data.op.info().operand(at).map(|operand| operand.constraint);
        constraint.is_some_and(|constraint| constraint.width == WidthRule::Same)
    };
    let first = (0..).zip(data.args.iter()).find(|&(at, _)| same(at));
    first.is_some_and(|(_, &arg)| matches!(ed.func().ty(arg).width(), Some(Width::W8 | Width::W16)))
}

/// An operation on 8 or 16 bits carried out in 32; none if it has no 32-bit form, or no operand is narrow.
pub(crate) fn widen<E: Arith>(e: &mut E, op: Op, args: &[E::Value]) -> Option<E::Value> {
    let width = narrow_width(e, op, args)?;
    let Some(extension) = extension(op) else { return by_expansion(e, op, args) };
    let mut wide = Vec::new();
    for (at, &arg) in args.iter().enumerate() {
        wide.push(match op.info().operand(at).map(|operand| operand.constraint.width) {
            Some(WidthRule::Same) => extend(e, extension, arg),
            // Counts are modulo the width of the shifted value.
            Some(WidthRule::Free) => {
                let count =
                    if e.width(arg) == Width::W32 { arg } else { e.to(ConvertOp::U2U, Width::W32, arg) };
                e.masked(count, u64::from(width.bits() - 1))
            }
            Some(WidthRule::Other | WidthRule::Is(_)) | None => arg,
        });
    }
    let value = e.emit(op, &wide);
    match op.info().result.width {
        WidthRule::Same => Some(cut(e, extension, width, value)),
        WidthRule::Other | WidthRule::Is(_) | WidthRule::Free => Some(value),
    }
}

/// The width of the operands that determine the operation's width, if it is 8 or 16.
fn narrow_width<E: Arith>(e: &E, op: Op, args: &[E::Value]) -> Option<Width> {
    let same = |at: usize| {
        let constraint = op.info().operand(at).map(|operand| operand.constraint);
        constraint.is_some_and(|constraint| constraint.width == WidthRule::Same)
    };
    let at = (0..args.len()).find(|&at| same(at))?;
    let width = e.width(*args.get(at)?);
    matches!(width, Width::W8 | Width::W16).then_some(width)
}

fn extend<E: Arith>(e: &mut E, extension: Extension, value: E::Value) -> E::Value {
    let op = match extension {
        Extension::Zeros => ConvertOp::U2U,
        Extension::Signs => ConvertOp::I2I,
        Extension::Exactly | Extension::Roughly => ConvertOp::F2F,
    };
    e.to(op, Width::W32, value)
}

fn cut<E: Arith>(e: &mut E, extension: Extension, width: Width, value: E::Value) -> E::Value {
    let op = match extension {
        Extension::Zeros | Extension::Signs => ConvertOp::U2U,
        Extension::Exactly | Extension::Roughly => ConvertOp::F2F,
    };
    e.to(op, width, value)
}

/// Operations that are expanded in their own width, and then widened.
fn by_expansion<E: Arith>(e: &mut E, op: Op, args: &[E::Value]) -> Option<E::Value> {
    match (op, args) {
        (Op::Float(FloatOp::FNeg), &[a]) => {
            let sign = e.number(a, e.width(a).sign_bit().cast_signed());
            Some(e.ixor(a, sign))
        }
        (Op::Float(FloatOp::FAbs), &[a]) => {
            let rest = !e.width(a).sign_bit();
            Some(e.masked(a, rest))
        }
        (Op::Float(FloatOp::FSignBit), &[a]) => {
            let zero = e.number(a, 0);
            Some(e.ilt(a, zero))
        }
        (Op::Float(FloatOp::FIsNormal), &[a]) => {
            let (infinity, zero) = (e.real(a, f64::INFINITY), e.number(a, 0));
            let exponent = e.iand(a, infinity);
            let (some, finite) = (e.ine(exponent, zero), e.ine(exponent, infinity));
            Some(e.iand(some, finite))
        }
        (Op::Float(FloatOp::FMix), &[x, y, a]) => {
            let one = e.real(a, 1.0);
            let rest = e.fsub(one, a);
            let (first, second) = (e.fmul(x, rest), e.fmul(y, a));
            Some(e.fadd(first, second))
        }
        _ => super::bits::expand(e, op, args).or_else(|| super::parts::expand(e, op, args)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::{Numbers, operands, typings};
    use super::*;
    use vitrine_ir::ops::{Bits, Emit, FloatOp, IntOp};

    /// Widens repeatedly, as the pass does, until only conversions are narrow.
    struct Wider(Numbers);

    impl Emit for Wider {
        type Value = Bits;
        fn emit(&mut self, op: Op, args: &[Bits]) -> Bits {
            match widen(self, op, args) {
                Some(value) => value,
                None => self.0.emit(op, args),
            }
        }
    }

    impl Arith for Wider {
        fn type_of(&self, value: Bits) -> vitrine_ir::ops::ValueType {
            value.ty()
        }
        fn constant(&mut self, bits: Bits) -> Bits {
            bits
        }
        fn typed(&mut self, op: Op, ty: vitrine_ir::ops::ValueType, args: &[Bits]) -> Bits {
            self.0.typed(op, ty, args)
        }
        fn pick(&mut self, value: Bits, components: &[u8]) -> Bits {
            self.0.pick(value, components)
        }
    }

    #[test]
    fn widened_operations_match() {
        let ints = IntOp::ALL.iter().map(|&op| Op::Int(op));
        let floats = FloatOp::ALL.iter().map(|&op| Op::Float(op));
        let mut widened = 0;
        for op in ints.chain(floats).filter(|&op| !is_rough(op)) {
            for types in typings(op, 1) {
                let Some(ty) = op.info().infer(&types) else { continue };
                let width = narrow_width(
                    &Numbers::default(),
                    op,
                    &types.iter().map(|ty| Bits::zero(ty.width().unwrap(), 1)).collect::<Vec<_>>(),
                );
                // A single width is enough for counts.
                if width.is_none() || types.iter().any(|ty| ty.width() == Some(Width::W64)) {
                    continue;
                }
                for args in operands(&types) {
                    let meant = op.info().eval(ty, &args).unwrap();
                    let made = Wider(Numbers::default()).emit(op, &args);
                    assert_eq!(meant, made, "{} {args:?}", op.name());
                    widened += 1;
                }
            }
        }
        assert!(widened > 100_000, "{widened}");
    }
}

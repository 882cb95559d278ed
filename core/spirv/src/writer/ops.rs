//! The table of operations that are one SPIR-V instruction: its opcode, and what it demands of signs. The kinds of numbers come from
//! the entries of the operations.

use crate::spec::{GlslStd450Op as G, Op as S};
use vitrine_ir::ops::constraint::Number;
use vitrine_ir::ops::{ConvertOp as C, FloatOp as F, IntOp as I, Op, VectorOp as V};

/// An instruction, or one of GLSL.std.450.
#[derive(Clone, Copy, Debug)]
pub(super) enum InstCode {
    Core(S),
    Glsl(G),
}

/// What an instruction demands of the signs of its integers; SPIR-V mostly leaves them open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Signs {
    /// Nothing.
    Either,
    /// Operands and result are unsigned.
    Unsigned,
    /// The result is unsigned.
    UnsignedResult,
    /// Operands have the type of the result.
    OfResult,
}

/// The kind of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ResultKind {
    Bool,
    Float,
    /// An unsigned integer, as the instruction requires.
    Uint,
    /// An integer, signed or unsigned.
    Int,
    /// The inferred kind.
    TypeHint,
}

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OperandKind {
    Bool,
    Float,
    Uint,
    /// An integer, signed or unsigned.
    Int,
    /// Of the type of the result.
    Same,
    /// Of any kind.
    Any,
}

/// An operation that is one instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpEntry {
    pub(super) code: InstCode,
    op: Op,
    /// True for an operation on booleans.
    is_bool: bool,
    signs: Signs,
}

impl OpEntry {
    /// The kind of the result, from the number that the entry of the operation states.
    pub(super) fn result(self) -> ResultKind {
        match self.op.info().result.number {
            Number::Bool => ResultKind::Bool,
            Number::Float => ResultKind::Float,
            Number::Integer if self.is_bool => ResultKind::Bool,
            Number::Int | Number::Uint | Number::Integer | Number::Count => match self.signs {
                Signs::Unsigned | Signs::UnsignedResult => ResultKind::Uint,
                Signs::Either | Signs::OfResult => ResultKind::Int,
            },
            Number::Bits | Number::Any => ResultKind::TypeHint,
        }
    }

    /// The kind of operand `at`, likewise.
    pub(super) fn operand(self, at: usize) -> OperandKind {
        let Some(operand) = self.op.info().operand(at) else { return OperandKind::Any };
        match operand.constraint.number {
            Number::Bool => OperandKind::Bool,
            Number::Float => OperandKind::Float,
            Number::Integer if self.is_bool => OperandKind::Bool,
            Number::Int | Number::Uint | Number::Integer | Number::Count => match self.signs {
                Signs::Unsigned => OperandKind::Uint,
                Signs::OfResult => OperandKind::Same,
                Signs::Either | Signs::UnsignedResult => OperandKind::Int,
            },
            Number::Bits => OperandKind::Any,
            Number::Any => OperandKind::Same,
        }
    }
}

/// The instruction of an operation, which may depend on its first operand being a boolean.
pub(super) fn entry(op: Op, is_bool: bool) -> Option<OpEntry> {
    let (code, signs) = match op {
        Op::Float(op) => float(op),
        Op::Int(op) if is_bool => boolean(op).or_else(|| int(op)),
        Op::Int(op) => int(op),
        Op::Convert(op) => convert(op),
        Op::Vector(op) => vector(op),
        _ => None,
    }?;
    Some(OpEntry { code, op, is_bool, signs })
}

/// An instruction, and what it demands of signs.
type Written = Option<(InstCode, Signs)>;

fn core(op: S) -> Written {
    Some((InstCode::Core(op), Signs::Either))
}

fn glsl(op: G) -> Written {
    Some((InstCode::Glsl(op), Signs::Either))
}

fn demanding(code: InstCode, signs: Signs) -> Written {
    Some((code, signs))
}

#[rustfmt::skip] // A table.
fn float(op: F) -> Written {
    match op {
        F::FAdd => core(S::FAdd), F::FSub => core(S::FSub), F::FMul => core(S::FMul),
        F::FDiv => core(S::FDiv), F::FNeg => core(S::FNegate), F::FRem => core(S::FRem),
        F::FMod => core(S::FMod), F::FQuantize16 => core(S::QuantizeToF16),
        F::FEq => core(S::FOrdEqual), F::FNeu => core(S::FUnordNotEqual),
        F::FLt => core(S::FOrdLessThan), F::FGt => core(S::FOrdGreaterThan),
        F::FLe => core(S::FOrdLessThanEqual), F::FGe => core(S::FOrdGreaterThanEqual),
        F::FEqu => core(S::FUnordEqual), F::FNeo => core(S::FOrdNotEqual),
        F::FLtu => core(S::FUnordLessThan), F::FGtu => core(S::FUnordGreaterThan),
        F::FLeu => core(S::FUnordLessThanEqual), F::FGeu => core(S::FUnordGreaterThanEqual),
        F::FOrd => core(S::Ordered), F::FUnord => core(S::Unordered),
        F::FIsNan => core(S::IsNan), F::FIsInf => core(S::IsInf), F::FIsFinite => core(S::IsFinite),
        F::FIsNormal => core(S::IsNormal), F::FSignBit => core(S::SignBitSet),
        F::FAbs => glsl(G::FAbs), F::FSign => glsl(G::FSign), F::FFma => glsl(G::Fma),
        F::FMin => glsl(G::FMin), F::FMax => glsl(G::FMax), F::FNMin => glsl(G::NMin), F::FNMax => glsl(G::NMax),
        F::FClamp => glsl(G::FClamp), F::FNClamp => glsl(G::NClamp),
        F::FFloor => glsl(G::Floor), F::FCeil => glsl(G::Ceil), F::FTrunc => glsl(G::Trunc),
        F::FRoundAway => None, F::FRound => glsl(G::Round), F::FRoundEven => glsl(G::RoundEven), F::FFract => glsl(G::Fract),
        F::FSqrt => glsl(G::Sqrt), F::FRsq => glsl(G::InverseSqrt), F::FExp => glsl(G::Exp), F::FExp2 => glsl(G::Exp2),
        F::FLog => glsl(G::Log), F::FLog2 => glsl(G::Log2), F::FPow => glsl(G::Pow),
        F::FSin => glsl(G::Sin), F::FCos => glsl(G::Cos), F::FTan => glsl(G::Tan),
        F::FAsin => glsl(G::Asin), F::FAcos => glsl(G::Acos), F::FAtan => glsl(G::Atan), F::FAtan2 => glsl(G::Atan2),
        F::FSinh => glsl(G::Sinh), F::FCosh => glsl(G::Cosh), F::FTanh => glsl(G::Tanh),
        F::FAsinh => glsl(G::Asinh), F::FAcosh => glsl(G::Acosh), F::FAtanh => glsl(G::Atanh),
        F::FRadians => glsl(G::Radians), F::FDegrees => glsl(G::Degrees),
        F::FMix => glsl(G::FMix), F::FStep => glsl(G::Step), F::FSmoothStep => glsl(G::SmoothStep),
        F::FLdexp => glsl(G::Ldexp),
        F::FMad | F::FMulZ | F::FFmaZ | F::FSat | F::FRcp | F::FCanonicalize
        | F::FFrexpSig | F::FFrexpExp | F::FModfFract | F::FModfWhole => None,
    }
}

#[rustfmt::skip] // A table.
fn boolean(op: I) -> Written {
    match op {
        I::IAnd => core(S::LogicalAnd), I::IOr => core(S::LogicalOr), I::IXor | I::INe => core(S::LogicalNotEqual),
        I::IEq => core(S::LogicalEqual), I::INot => core(S::LogicalNot),
        _ => None,
    }
}

#[rustfmt::skip] // A table.
fn int(op: I) -> Written {
    let of_result = |op| demanding(InstCode::Core(op), Signs::OfResult);
    let unsigned = |op| demanding(InstCode::Core(op), Signs::Unsigned);
    match op {
        I::IAdd => core(S::IAdd), I::ISub => core(S::ISub), I::IMul => core(S::IMul), I::INeg => core(S::SNegate),
        I::IDiv => core(S::SDiv), I::IRem => core(S::SRem), I::IMod => core(S::SMod),
        I::UDiv => unsigned(S::UDiv), I::UMod => unsigned(S::UMod),
        I::IAnd => core(S::BitwiseAnd), I::IOr => core(S::BitwiseOr), I::IXor => core(S::BitwiseXor),
        I::INot => core(S::Not), I::IShl => core(S::ShiftLeftLogical),
        I::IShr => core(S::ShiftRightArithmetic), I::UShr => core(S::ShiftRightLogical),
        I::BitRev => of_result(S::BitReverse), I::BitCount => core(S::BitCount),
        I::IAbs => glsl(G::SAbs), I::ISign => glsl(G::SSign), I::IMin => glsl(G::SMin), I::IMax => glsl(G::SMax),
        I::UMin => glsl(G::UMin), I::UMax => glsl(G::UMax), I::IClamp => glsl(G::SClamp), I::UClamp => glsl(G::UClamp),
        I::FindLsb => glsl(G::FindILsb), I::IFindMsb => glsl(G::FindSMsb), I::UFindMsb => glsl(G::FindUMsb),
        I::IEq => core(S::IEqual), I::INe => core(S::INotEqual),
        I::ILt => core(S::SLessThan), I::IGt => core(S::SGreaterThan),
        I::ILe => core(S::SLessThanEqual), I::IGe => core(S::SGreaterThanEqual),
        I::ULt => core(S::ULessThan), I::UGt => core(S::UGreaterThan),
        I::ULe => core(S::ULessThanEqual), I::UGe => core(S::UGreaterThanEqual),
        I::Select | I::Select1 => core(S::Select),
        I::Clz => of_result(S::UCountLeadingZerosINTEL), I::Ctz => of_result(S::UCountTrailingZerosINTEL),
        I::IAbsDiff => of_result(S::AbsISubINTEL), I::UAbsDiff => of_result(S::AbsUSubINTEL),
        I::IAddSat => of_result(S::IAddSatINTEL), I::UAddSat => of_result(S::UAddSatINTEL),
        I::IHadd => of_result(S::IAverageINTEL), I::UHadd => of_result(S::UAverageINTEL),
        I::IRhadd => of_result(S::IAverageRoundedINTEL), I::URhadd => of_result(S::UAverageRoundedINTEL),
        I::ISubSat => of_result(S::ISubSatINTEL), I::USubSat => of_result(S::USubSatINTEL),
        I::IMulHigh | I::UMulHigh | I::UAddCarry | I::USubBorrow | I::Rotl | I::Rotr | I::UBfe | I::IBfe | I::Bfi
        | I::BitSelect | I::SDot4x8 | I::UDot4x8 | I::SUDot4x8 | I::SDot4x8Sat | I::UDot4x8Sat | I::SUDot4x8Sat => None,
    }
}

#[rustfmt::skip] // A table.
fn convert(op: C) -> Written {
    let makes_unsigned = |op| demanding(InstCode::Core(op), Signs::UnsignedResult);
    match op {
        C::F2F | C::F2FRtz | C::F2FRtp | C::F2FRtn => core(S::FConvert),
        C::F2I | C::F2ISat => core(S::ConvertFToS),
        C::F2U | C::F2USat => makes_unsigned(S::ConvertFToU),
        C::I2F => core(S::ConvertSToF), C::U2F => core(S::ConvertUToF),
        C::I2I | C::I2ISat => core(S::SConvert),
        C::U2U | C::U2USat => makes_unsigned(S::UConvert),
        C::I2USat => core(S::SatConvertSToU), C::U2ISat => core(S::SatConvertUToS),
        C::B2I | C::B2F | C::I2B | C::F2B => None,
    }
}

#[rustfmt::skip] // A table.
fn vector(op: V) -> Written {
    let packs = |op| demanding(InstCode::Glsl(op), Signs::Unsigned);
    match op {
        V::All => core(S::All), V::Any => core(S::Any),
        V::FDot => core(S::Dot),
        V::FCross => glsl(G::Cross), V::FLength => glsl(G::Length), V::FDistance => glsl(G::Distance),
        V::FNormalize => glsl(G::Normalize), V::FFaceForward => glsl(G::FaceForward),
        V::FReflect => glsl(G::Reflect), V::FRefract => glsl(G::Refract),
        V::PackHalf2x16 => packs(G::PackHalf2x16), V::PackUnorm2x16 => packs(G::PackUnorm2x16),
        V::PackSnorm2x16 => packs(G::PackSnorm2x16), V::PackUnorm4x8 => packs(G::PackUnorm4x8), V::PackSnorm4x8 => packs(G::PackSnorm4x8),
        V::UnpackHalf2x16 => packs(G::UnpackHalf2x16), V::UnpackUnorm2x16 => packs(G::UnpackUnorm2x16),
        V::UnpackSnorm2x16 => packs(G::UnpackSnorm2x16), V::UnpackUnorm4x8 => packs(G::UnpackUnorm4x8),
        V::UnpackSnorm4x8 => packs(G::UnpackSnorm4x8),
        V::Pack64From32 | V::Unpack64To32 | V::Pack64From16 | V::Unpack64To16 | V::Pack32From16 | V::Unpack32To16
        | V::Pack32From8 | V::Unpack32To8 | V::Repack => core(S::Bitcast),
        V::Vec | V::Splat | V::Swizzle | V::Shuffle | V::Extract | V::Insert | V::AllEq | V::AnyNe | V::IDot => None,
    }
}

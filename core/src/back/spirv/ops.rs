//! The table of operations that are one SPIR-V instruction: opcode, kind of result, kinds of operands.

use crate::ops::{ConvertOp as C, FloatOp as F, IntOp as I, Op, VectorOp as V};
use crate::spirv::spec::{GlslStd450Op as G, Op as S};

/// An instruction, or one of GLSL.std.450.
#[derive(Clone, Copy, Debug)]
pub(super) enum InstCode {
    Core(S),
    Glsl(G),
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

/// The kinds of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OperandKind {
    Bool,
    Float,
    Uint,
    /// Integers, signed or unsigned.
    Int,
    /// Of the type of the result; the condition of a select is a boolean.
    Same,
    /// A float, then integers.
    FloatInt,
    /// Of any kind.
    Any,
}

/// An operation that is one instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpEntry {
    pub(super) code: InstCode,
    pub(super) yields: ResultKind,
    pub(super) operands: OperandKind,
}

/// The instruction of an operation, which may depend on its first operand being a boolean.
pub(super) fn entry(op: Op, is_bool: bool) -> Option<OpEntry> {
    match op {
        Op::Float(op) => float(op),
        Op::Int(op) if is_bool => boolean(op).or_else(|| int(op)),
        Op::Int(op) => int(op),
        Op::Convert(op) => convert(op),
        Op::Vector(op) => vector(op),
        _ => None,
    }
}

fn core(op: S, yields: ResultKind, operands: OperandKind) -> Option<OpEntry> {
    Some(OpEntry { code: InstCode::Core(op), yields, operands })
}

fn glsl(op: G, yields: ResultKind, operands: OperandKind) -> Option<OpEntry> {
    Some(OpEntry { code: InstCode::Glsl(op), yields, operands })
}

#[rustfmt::skip] // A table.
fn float(op: F) -> Option<OpEntry> {
    let arithmetic = |op| core(op, ResultKind::Float, OperandKind::Float);
    let comparison = |op| core(op, ResultKind::Bool, OperandKind::Float);
    let function = |op| glsl(op, ResultKind::Float, OperandKind::Float);
    match op {
        F::FAdd => arithmetic(S::FAdd), F::FSub => arithmetic(S::FSub), F::FMul => arithmetic(S::FMul),
        F::FDiv => arithmetic(S::FDiv), F::FNeg => arithmetic(S::FNegate), F::FRem => arithmetic(S::FRem),
        F::FMod => arithmetic(S::FMod), F::FQuantize16 => arithmetic(S::QuantizeToF16),
        F::FEq => comparison(S::FOrdEqual), F::FNeu => comparison(S::FUnordNotEqual),
        F::FLt => comparison(S::FOrdLessThan), F::FGt => comparison(S::FOrdGreaterThan),
        F::FLe => comparison(S::FOrdLessThanEqual), F::FGe => comparison(S::FOrdGreaterThanEqual),
        F::FEqu => comparison(S::FUnordEqual), F::FNeo => comparison(S::FOrdNotEqual),
        F::FLtu => comparison(S::FUnordLessThan), F::FGtu => comparison(S::FUnordGreaterThan),
        F::FLeu => comparison(S::FUnordLessThanEqual), F::FGeu => comparison(S::FUnordGreaterThanEqual),
        F::FOrd => comparison(S::Ordered), F::FUnord => comparison(S::Unordered),
        F::FIsNan => comparison(S::IsNan), F::FIsInf => comparison(S::IsInf), F::FIsFinite => comparison(S::IsFinite),
        F::FIsNormal => comparison(S::IsNormal), F::FSignBit => comparison(S::SignBitSet),
        F::FAbs => function(G::FAbs), F::FSign => function(G::FSign), F::FFma => function(G::Fma),
        F::FMin => function(G::FMin), F::FMax => function(G::FMax), F::FNMin => function(G::NMin), F::FNMax => function(G::NMax),
        F::FClamp => function(G::FClamp), F::FNClamp => function(G::NClamp),
        F::FFloor => function(G::Floor), F::FCeil => function(G::Ceil), F::FTrunc => function(G::Trunc),
        F::FRoundAway => None, F::FRound => function(G::Round), F::FRoundEven => function(G::RoundEven), F::FFract => function(G::Fract),
        F::FSqrt => function(G::Sqrt), F::FRsq => function(G::InverseSqrt), F::FExp => function(G::Exp), F::FExp2 => function(G::Exp2),
        F::FLog => function(G::Log), F::FLog2 => function(G::Log2), F::FPow => function(G::Pow),
        F::FSin => function(G::Sin), F::FCos => function(G::Cos), F::FTan => function(G::Tan),
        F::FAsin => function(G::Asin), F::FAcos => function(G::Acos), F::FAtan => function(G::Atan), F::FAtan2 => function(G::Atan2),
        F::FSinh => function(G::Sinh), F::FCosh => function(G::Cosh), F::FTanh => function(G::Tanh),
        F::FAsinh => function(G::Asinh), F::FAcosh => function(G::Acosh), F::FAtanh => function(G::Atanh),
        F::FRadians => function(G::Radians), F::FDegrees => function(G::Degrees),
        F::FMix => function(G::FMix), F::FStep => function(G::Step), F::FSmoothStep => function(G::SmoothStep),
        F::FLdexp => glsl(G::Ldexp, ResultKind::Float, OperandKind::FloatInt),
        F::FMad | F::FMulZ | F::FFmaZ | F::FSat | F::FRcp | F::FCanonicalize
        | F::FFrexpSig | F::FFrexpExp | F::FModfFract | F::FModfWhole => None,
    }
}

#[rustfmt::skip] // A table.
fn boolean(op: I) -> Option<OpEntry> {
    let logic = |op| core(op, ResultKind::Bool, OperandKind::Bool);
    match op {
        I::IAnd => logic(S::LogicalAnd), I::IOr => logic(S::LogicalOr), I::IXor | I::INe => logic(S::LogicalNotEqual),
        I::IEq => logic(S::LogicalEqual), I::INot => logic(S::LogicalNot),
        _ => None,
    }
}

#[rustfmt::skip] // A table.
fn int(op: I) -> Option<OpEntry> {
    let arithmetic = |op| core(op, ResultKind::Int, OperandKind::Int);
    let like = |op| core(op, ResultKind::Int, OperandKind::Same);
    let comparison = |op| core(op, ResultKind::Bool, OperandKind::Int);
    let function = |op| glsl(op, ResultKind::Int, OperandKind::Int);
    let extended = |op| core(op, ResultKind::Int, OperandKind::Same);
    match op {
        I::IAdd => arithmetic(S::IAdd), I::ISub => arithmetic(S::ISub), I::IMul => arithmetic(S::IMul), I::INeg => arithmetic(S::SNegate),
        I::IDiv => arithmetic(S::SDiv), I::IRem => arithmetic(S::SRem), I::IMod => arithmetic(S::SMod),
        I::UDiv => core(S::UDiv, ResultKind::Uint, OperandKind::Uint), I::UMod => core(S::UMod, ResultKind::Uint, OperandKind::Uint),
        I::IAnd => arithmetic(S::BitwiseAnd), I::IOr => arithmetic(S::BitwiseOr), I::IXor => arithmetic(S::BitwiseXor),
        I::INot => arithmetic(S::Not), I::IShl => arithmetic(S::ShiftLeftLogical),
        I::IShr => arithmetic(S::ShiftRightArithmetic), I::UShr => arithmetic(S::ShiftRightLogical),
        I::BitRev => like(S::BitReverse), I::BitCount => arithmetic(S::BitCount),
        I::IAbs => function(G::SAbs), I::ISign => function(G::SSign), I::IMin => function(G::SMin), I::IMax => function(G::SMax),
        I::UMin => function(G::UMin), I::UMax => function(G::UMax), I::IClamp => function(G::SClamp), I::UClamp => function(G::UClamp),
        I::FindLsb => function(G::FindILsb), I::IFindMsb => function(G::FindSMsb), I::UFindMsb => function(G::FindUMsb),
        I::IEq => comparison(S::IEqual), I::INe => comparison(S::INotEqual),
        I::ILt => comparison(S::SLessThan), I::IGt => comparison(S::SGreaterThan),
        I::ILe => comparison(S::SLessThanEqual), I::IGe => comparison(S::SGreaterThanEqual),
        I::ULt => comparison(S::ULessThan), I::UGt => comparison(S::UGreaterThan),
        I::ULe => comparison(S::ULessThanEqual), I::UGe => comparison(S::UGreaterThanEqual),
        I::Select | I::Select1 => core(S::Select, ResultKind::TypeHint, OperandKind::Same),
        I::Clz => extended(S::UCountLeadingZerosINTEL), I::Ctz => extended(S::UCountTrailingZerosINTEL),
        I::IAbsDiff => extended(S::AbsISubINTEL), I::UAbsDiff => extended(S::AbsUSubINTEL),
        I::IAddSat => extended(S::IAddSatINTEL), I::UAddSat => extended(S::UAddSatINTEL),
        I::IHadd => extended(S::IAverageINTEL), I::UHadd => extended(S::UAverageINTEL),
        I::IRhadd => extended(S::IAverageRoundedINTEL), I::URhadd => extended(S::UAverageRoundedINTEL),
        I::ISubSat => extended(S::ISubSatINTEL), I::USubSat => extended(S::USubSatINTEL),
        I::IMulHigh | I::UMulHigh | I::UAddCarry | I::USubBorrow | I::Rotl | I::Rotr | I::UBfe | I::IBfe | I::Bfi
        | I::BitSelect | I::SDot4x8 | I::UDot4x8 | I::SUDot4x8 | I::SDot4x8Sat | I::UDot4x8Sat | I::SUDot4x8Sat => None,
    }
}

#[rustfmt::skip] // A table.
fn convert(op: C) -> Option<OpEntry> {
    match op {
        C::F2F | C::F2FRtz | C::F2FRtp | C::F2FRtn => core(S::FConvert, ResultKind::Float, OperandKind::Float),
        C::F2I | C::F2ISat => core(S::ConvertFToS, ResultKind::Int, OperandKind::Float),
        C::F2U | C::F2USat => core(S::ConvertFToU, ResultKind::Uint, OperandKind::Float),
        C::I2F => core(S::ConvertSToF, ResultKind::Float, OperandKind::Int), C::U2F => core(S::ConvertUToF, ResultKind::Float, OperandKind::Int),
        C::I2I | C::I2ISat => core(S::SConvert, ResultKind::Int, OperandKind::Int),
        C::U2U | C::U2USat => core(S::UConvert, ResultKind::Uint, OperandKind::Int),
        C::I2USat => core(S::SatConvertSToU, ResultKind::Int, OperandKind::Int), C::U2ISat => core(S::SatConvertUToS, ResultKind::Int, OperandKind::Int),
        C::B2I | C::B2F | C::I2B | C::F2B => None,
    }
}

#[rustfmt::skip] // A table.
fn vector(op: V) -> Option<OpEntry> {
    let function = |op| glsl(op, ResultKind::Float, OperandKind::Float);
    let packs = |op| glsl(op, ResultKind::Uint, OperandKind::Float);
    let unpacks = |op| glsl(op, ResultKind::Float, OperandKind::Uint);
    match op {
        V::All => core(S::All, ResultKind::Bool, OperandKind::Bool), V::Any => core(S::Any, ResultKind::Bool, OperandKind::Bool),
        V::FDot => core(S::Dot, ResultKind::Float, OperandKind::Float),
        V::FCross => function(G::Cross), V::FLength => function(G::Length), V::FDistance => function(G::Distance),
        V::FNormalize => function(G::Normalize), V::FFaceForward => function(G::FaceForward),
        V::FReflect => function(G::Reflect), V::FRefract => function(G::Refract),
        V::PackHalf2x16 => packs(G::PackHalf2x16), V::PackUnorm2x16 => packs(G::PackUnorm2x16),
        V::PackSnorm2x16 => packs(G::PackSnorm2x16), V::PackUnorm4x8 => packs(G::PackUnorm4x8), V::PackSnorm4x8 => packs(G::PackSnorm4x8),
        V::UnpackHalf2x16 => unpacks(G::UnpackHalf2x16), V::UnpackUnorm2x16 => unpacks(G::UnpackUnorm2x16),
        V::UnpackSnorm2x16 => unpacks(G::UnpackSnorm2x16), V::UnpackUnorm4x8 => unpacks(G::UnpackUnorm4x8),
        V::UnpackSnorm4x8 => unpacks(G::UnpackSnorm4x8),
        V::Pack64From32 | V::Unpack64To32 | V::Pack64From16 | V::Unpack64To16 | V::Pack32From16 | V::Unpack32To16
        | V::Pack32From8 | V::Unpack32To8 | V::Repack => core(S::Bitcast, ResultKind::TypeHint, OperandKind::Any),
        V::Vec | V::Splat | V::Swizzle | V::Shuffle | V::Extract | V::Insert | V::AllEq | V::AnyNe | V::IDot => None,
    }
}

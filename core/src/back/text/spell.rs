//! How operations are written: the forms that the tables of the dialects use, and the kind of number that each operation
//! reads and yields.
//!
//! A dialect has a row for every operation: an operator, a call, code of the engine, a pass that lowers it, or the reason
//! why the language does not have it. The reading of operands does not depend on the dialect: an operation that divides
//! signed numbers gets signed numbers, by a cast if necessary; the operation is never chosen by the operands.

use super::expr::Prec;
use crate::ir::{Inst, InstData};
use crate::ops::constraint::names;
use crate::ops::{ConvertOp, FloatOp, GroupOp, IntOp, IoOp, MemoryOp, Op, TexOp, VectorOp};

/// The form of an operation in a dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A binary operator.
    Infix(&'static str, Prec),
    /// A prefix operator.
    Prefix(&'static str),
    /// A prefix operator on signed integers, whatever the value is read as.
    PrefixInt(&'static str),
    /// A call of a built-in function.
    Call(&'static str),
    /// A call that yields signed integers, whatever it reads.
    CallInt(&'static str),
    /// A comparison: an operator for scalars, a call for vectors.
    Compare(&'static str, Prec, &'static str),
    /// The negation of a comparison, for the result with NaN.
    NotCompare(&'static str, Prec, &'static str),
    /// The constructor of the result type.
    Construct,
    /// Code of the engine: paths, memory, components, images, groups.
    Engine,
    /// A pass lowers it.
    Lower(&'static str),
    /// The language does not have it; the reason.
    No(&'static str),
}

/// The kind of number that an operand is read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Bool,
    Float,
    Int,
    Uint,
    /// Integers of one kind for all operands, either kind.
    Integers,
    /// Integers of any kind, independent of the other operands.
    Count,
    /// The kind of the result.
    Result,
    /// Any kind.
    Natural,
}

/// The kind of number that an operation yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Yield {
    Bool,
    Float,
    Int,
    Uint,
    /// Integers of the kind of the operands read as [`Reading::Integers`].
    Integers,
    /// The kind that is inferred for the value.
    Hint,
}

/// The reading of operand `at`.
pub(super) fn reading(op: Op, at: usize) -> Reading {
    match op {
        Op::Float(FloatOp::FLdexp) if at == 1 => Reading::Int,
        Op::Float(_) => Reading::Float,
        Op::Int(op) => int_reading(op, at),
        Op::Convert(op) => convert_reading(op),
        Op::Vector(op) => vector_reading(op, at),
        Op::Group(op) => group_reading(op, at),
        Op::Basic(_)
        | Op::Memory(_)
        | Op::Deref(_)
        | Op::Ptr(_)
        | Op::Io(_)
        | Op::Tex(_)
        | Op::Reg(_)
        | Op::Spirv(_) => Reading::Natural,
    }
}

fn int_reading(op: IntOp, at: usize) -> Reading {
    use IntOp as I;
    if op.info().operand(at).is_some_and(|operand| operand.constraint == names::CNT) {
        return Reading::Count;
    }
    match op {
        I::IAdd
        | I::ISub
        | I::IMul
        | I::INeg
        | I::IAnd
        | I::IOr
        | I::IXor
        | I::INot
        | I::IShl
        | I::Rotl
        | I::Rotr
        | I::Bfi
        | I::BitSelect => Reading::Result,
        I::IAbs
        | I::ISign
        | I::IDiv
        | I::IRem
        | I::IMod
        | I::IMulHigh
        | I::IAddSat
        | I::ISubSat
        | I::IHadd
        | I::IRhadd
        | I::IAbsDiff
        | I::IMin
        | I::IMax
        | I::IClamp
        | I::IShr
        | I::IBfe
        | I::IFindMsb
        | I::ILt
        | I::IGt
        | I::ILe
        | I::IGe => Reading::Int,
        I::UDiv
        | I::UMod
        | I::UMulHigh
        | I::UAddCarry
        | I::USubBorrow
        | I::UAddSat
        | I::USubSat
        | I::UHadd
        | I::URhadd
        | I::UAbsDiff
        | I::UMin
        | I::UMax
        | I::UClamp
        | I::UShr
        | I::UBfe
        | I::UFindMsb
        | I::ULt
        | I::UGt
        | I::ULe
        | I::UGe => Reading::Uint,
        I::BitRev | I::BitCount | I::FindLsb | I::Clz | I::Ctz | I::IEq | I::INe => Reading::Integers,
        I::Select | I::Select1 if at == 0 => Reading::Bool,
        I::Select | I::Select1 => Reading::Result,
        I::SDot4x8 | I::UDot4x8 | I::SUDot4x8 | I::SDot4x8Sat | I::UDot4x8Sat | I::SUDot4x8Sat => {
            Reading::Uint
        }
    }
}

fn convert_reading(op: ConvertOp) -> Reading {
    use ConvertOp as C;
    match op {
        C::F2F | C::F2FRtz | C::F2FRtp | C::F2FRtn | C::F2B => Reading::Float,
        C::F2I | C::F2U | C::F2ISat | C::F2USat => Reading::Float,
        C::I2F | C::I2I | C::I2ISat | C::I2USat => Reading::Int,
        C::U2F | C::U2U | C::U2USat | C::U2ISat => Reading::Uint,
        C::B2I | C::B2F => Reading::Bool,
        C::I2B => Reading::Integers,
    }
}

fn vector_reading(op: VectorOp, at: usize) -> Reading {
    use VectorOp as V;
    match op {
        V::Vec | V::Splat | V::Swizzle | V::Shuffle => Reading::Result,
        V::Extract if at == 1 => Reading::Count,
        V::Insert if at == 2 => Reading::Count,
        V::Extract | V::Insert => Reading::Result,
        V::All | V::Any => Reading::Bool,
        V::AllEq | V::AnyNe => Reading::Integers,
        V::IDot => Reading::Int,
        V::FDot
        | V::FCross
        | V::FLength
        | V::FDistance
        | V::FNormalize
        | V::FFaceForward
        | V::FReflect
        | V::FRefract
        | V::PackHalf2x16
        | V::PackUnorm2x16
        | V::PackSnorm2x16
        | V::PackUnorm4x8
        | V::PackSnorm4x8 => Reading::Float,
        V::UnpackHalf2x16
        | V::UnpackUnorm2x16
        | V::UnpackSnorm2x16
        | V::UnpackUnorm4x8
        | V::UnpackSnorm4x8
        | V::Pack64From32
        | V::Unpack64To32
        | V::Pack64From16
        | V::Unpack64To16
        | V::Pack32From16
        | V::Unpack32To16
        | V::Pack32From8
        | V::Unpack32To8
        | V::Repack => Reading::Uint,
    }
}

fn group_reading(op: GroupOp, at: usize) -> Reading {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth | G::VoteFEq => Reading::Float,
        G::QuadAll | G::QuadAny | G::VoteAll | G::VoteAny | G::Ballot => Reading::Bool,
        G::BallotInverse | G::BallotBit | G::BallotCount | G::BallotLsb | G::BallotMsb => Reading::Uint,
        G::QuadBroadcast
        | G::Broadcast
        | G::Shuffle
        | G::ShuffleXor
        | G::ShuffleUp
        | G::ShuffleDown
        | G::Rotate
            if at == 1 =>
        {
            Reading::Uint
        }
        G::QuadBroadcast
        | G::QuadSwap
        | G::Broadcast
        | G::BroadcastFirst
        | G::Shuffle
        | G::ShuffleXor
        | G::ShuffleUp
        | G::ShuffleDown
        | G::Rotate
        | G::Reduce => Reading::Result,
        G::Barrier | G::Elect | G::VoteIEq => Reading::Natural,
    }
}

/// The kind of the result.
pub(super) fn yields(op: Op) -> Yield {
    use ConvertOp as C;
    match op {
        Op::Float(FloatOp::FFrexpExp) => Yield::Int,
        Op::Float(op) if op.info().result.widths == names::B.widths => Yield::Bool,
        Op::Float(_) => Yield::Float,
        Op::Int(op) => int_yield(op),
        Op::Convert(op) => match op {
            C::F2F | C::F2FRtz | C::F2FRtp | C::F2FRtn | C::I2F | C::U2F | C::B2F => Yield::Float,
            C::F2I | C::F2ISat | C::I2I | C::I2ISat | C::U2ISat => Yield::Int,
            C::F2U | C::F2USat | C::U2U | C::U2USat | C::I2USat => Yield::Uint,
            C::B2I => Yield::Hint,
            C::I2B | C::F2B => Yield::Bool,
        },
        Op::Vector(op) => vector_yield(op),
        Op::Group(op) => group_yield(op),
        Op::Basic(_)
        | Op::Memory(MemoryOp::Load | MemoryOp::Store)
        | Op::Deref(_)
        | Op::Ptr(_)
        | Op::Reg(_)
        | Op::Spirv(_) => Yield::Hint,
        Op::Memory(_) => Yield::Hint,
        Op::Io(IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset) => Yield::Float,
        Op::Io(_) => Yield::Hint,
        Op::Tex(TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples) => Yield::Int,
        Op::Tex(TexOp::QueryLod) => Yield::Float,
        Op::Tex(TexOp::Resident) => Yield::Bool,
        Op::Tex(_) => Yield::Hint,
    }
}

fn int_yield(op: IntOp) -> Yield {
    use IntOp as I;
    match op {
        I::IEq | I::INe | I::ILt | I::IGt | I::ILe | I::IGe | I::ULt | I::UGt | I::ULe | I::UGe => {
            Yield::Bool
        }
        I::Select | I::Select1 => Yield::Hint,
        I::IAdd
        | I::ISub
        | I::IMul
        | I::INeg
        | I::IAnd
        | I::IOr
        | I::IXor
        | I::INot
        | I::IShl
        | I::Rotl
        | I::Rotr
        | I::Bfi
        | I::BitSelect => Yield::Integers,
        I::IAbs
        | I::ISign
        | I::IDiv
        | I::IRem
        | I::IMod
        | I::IMulHigh
        | I::IAddSat
        | I::ISubSat
        | I::IHadd
        | I::IRhadd
        | I::IMin
        | I::IMax
        | I::IClamp
        | I::IShr
        | I::IBfe
        | I::IFindMsb
        | I::SDot4x8
        | I::SUDot4x8
        | I::SDot4x8Sat
        | I::SUDot4x8Sat => Yield::Int,
        I::UDiv
        | I::UMod
        | I::UMulHigh
        | I::UAddCarry
        | I::USubBorrow
        | I::UAddSat
        | I::USubSat
        | I::UHadd
        | I::URhadd
        | I::UAbsDiff
        | I::IAbsDiff
        | I::UMin
        | I::UMax
        | I::UClamp
        | I::UShr
        | I::UBfe
        | I::UFindMsb
        | I::UDot4x8
        | I::UDot4x8Sat => Yield::Uint,
        I::BitRev | I::BitCount | I::FindLsb | I::Clz | I::Ctz => Yield::Integers,
    }
}

fn vector_yield(op: VectorOp) -> Yield {
    use VectorOp as V;
    match op {
        V::Vec | V::Splat | V::Swizzle | V::Shuffle | V::Extract | V::Insert => Yield::Hint,
        V::All | V::Any | V::AllEq | V::AnyNe => Yield::Bool,
        V::IDot => Yield::Int,
        V::FDot
        | V::FCross
        | V::FLength
        | V::FDistance
        | V::FNormalize
        | V::FFaceForward
        | V::FReflect
        | V::FRefract
        | V::UnpackHalf2x16
        | V::UnpackUnorm2x16
        | V::UnpackSnorm2x16
        | V::UnpackUnorm4x8
        | V::UnpackSnorm4x8 => Yield::Float,
        V::PackHalf2x16
        | V::PackUnorm2x16
        | V::PackSnorm2x16
        | V::PackUnorm4x8
        | V::PackSnorm4x8
        | V::Pack64From32
        | V::Unpack64To32
        | V::Pack64From16
        | V::Unpack64To16
        | V::Pack32From16
        | V::Unpack32To16
        | V::Pack32From8
        | V::Unpack32To8
        | V::Repack => Yield::Uint,
    }
}

fn group_yield(op: GroupOp) -> Yield {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth => Yield::Float,
        G::QuadAll
        | G::QuadAny
        | G::Elect
        | G::VoteAll
        | G::VoteAny
        | G::VoteIEq
        | G::VoteFEq
        | G::BallotInverse
        | G::BallotBit => Yield::Bool,
        G::Ballot | G::BallotCount | G::BallotLsb | G::BallotMsb => Yield::Uint,
        G::Barrier
        | G::QuadBroadcast
        | G::QuadSwap
        | G::Broadcast
        | G::BroadcastFirst
        | G::Shuffle
        | G::ShuffleXor
        | G::ShuffleUp
        | G::ShuffleDown
        | G::Rotate
        | G::Reduce => Yield::Hint,
    }
}

/// Returns true if the text of an instruction contains an operand more than once.
pub(super) fn repeats(data: &InstData, arg: Inst) -> bool {
    match data.op {
        Op::Float(FloatOp::FNMin | FloatOp::FNMax | FloatOp::FEqu | FloatOp::FNeo) => true,
        Op::Float(FloatOp::FModfFract) => true,
        Op::Float(FloatOp::FNClamp) => data.args.iter().position(|&other| other == arg) != Some(2),
        Op::Int(IntOp::IRem) => true,
        _ => false,
    }
}

//! The operations of WGSL: operators and built-in functions (WGSL, chapters 8 and 17).
//!
//! Operators work on vectors component by component, so comparisons need no functions. That a NaN is not equal is written as
//! a negation: naga reads `!=` as a comparison that is false for NaN.

use crate::back::text::expr::Prec;
use crate::back::text::spell::Form;
use crate::ops::{
    BasicOp, ConvertOp, DerefOp, FloatOp, GroupOp, IntOp, IoOp, MemoryOp, Op, PtrOp, RegOp, TexOp, VectorOp,
};

use Form::{Call, Compare, Construct, Engine, Infix, Lower, No, NotCompare, Prefix, PrefixInt};

/// The form of an operation. `is_bool` is true if its first operand is a boolean.
pub(in crate::back::text) fn form(op: Op, is_bool: bool) -> Form {
    match op {
        Op::Basic(op) => basic(op),
        Op::Float(op) => float(op),
        Op::Int(op) if is_bool => boolean(op),
        Op::Int(op) => int(op),
        Op::Convert(op) => convert(op),
        Op::Vector(op) => vector(op),
        Op::Memory(op) => memory(op),
        Op::Deref(op) => deref(op),
        Op::Ptr(op) => ptr(op),
        Op::Io(op) => io(op),
        Op::Group(op) => group(op),
        Op::Tex(op) => tex(op),
        Op::Reg(op) => reg(op),
        Op::Spirv(_) => No("it is an instruction of SPIR-V that the IR has no operation for"),
    }
}

fn basic(op: BasicOp) -> Form {
    match op {
        BasicOp::Param
        | BasicOp::Const
        | BasicOp::Global
        | BasicOp::Undef
        | BasicOp::Copy
        | BasicOp::Call => Engine,
        BasicOp::Choose => No("addresses and resources are no values"),
        BasicOp::Assume => No("assumptions cannot be stated"),
        BasicOp::Print => No("it has no formatted output"),
    }
}

#[rustfmt::skip] // A table.
fn float(op: FloatOp) -> Form {
    use FloatOp as F;
    let relation = |symbol, call| Compare(symbol, Prec::Relation, call);
    match op {
        F::FAdd => Infix("+", Prec::Sum), F::FSub => Infix("-", Prec::Sum),
        F::FMul => Infix("*", Prec::Product), F::FDiv => Infix("/", Prec::Product),
        F::FNeg => Prefix("-"), F::FAbs => Call("abs"), F::FMod => Engine, F::FFma => Call("fma"),
        F::FRem => Infix("%", Prec::Product),
        F::FMad => Engine,
        F::FMulZ | F::FFmaZ => Lower("lower-alu{zero-products}"),
        F::FMin => Call("min"), F::FMax => Call("max"), F::FClamp => Call("clamp"), F::FSign => Call("sign"),
        F::FNMin | F::FNMax | F::FNClamp => Engine,
        F::FSat => Call("saturate"),
        F::FFloor => Call("floor"), F::FCeil => Call("ceil"), F::FTrunc => Call("trunc"), F::FRound => Call("round"),
        F::FRoundAway => Lower("alu-to-spirv"), F::FRoundEven => Call("round"), F::FFract => Call("fract"),
        F::FSqrt => Call("sqrt"), F::FRsq => Call("inverseSqrt"), F::FRcp => Engine,
        F::FExp => Call("exp"), F::FExp2 => Call("exp2"), F::FLog => Call("log"), F::FLog2 => Call("log2"),
        F::FPow => Call("pow"), F::FSin => Call("sin"), F::FCos => Call("cos"), F::FTan => Call("tan"),
        F::FAsin => Call("asin"), F::FAcos => Call("acos"), F::FAtan => Call("atan"), F::FAtan2 => Call("atan2"),
        F::FSinh => Call("sinh"), F::FCosh => Call("cosh"), F::FTanh => Call("tanh"),
        F::FAsinh => Call("asinh"), F::FAcosh => Call("acosh"), F::FAtanh => Call("atanh"),
        F::FRadians => Call("radians"), F::FDegrees => Call("degrees"),
        F::FMix => Call("mix"), F::FStep => Call("step"), F::FSmoothStep => Call("smoothstep"),
        F::FLdexp => Call("ldexp"),
        F::FFrexpSig | F::FFrexpExp => Lower("lower-frexp"),
        F::FModfFract | F::FModfWhole => Engine,
        F::FQuantize16 => Engine,
        F::FCanonicalize => Engine,
        F::FEq => Compare("==", Prec::Equality, "equal"), F::FNeu => NotCompare("==", Prec::Equality, "equal"),
        F::FLt => relation("<", "lessThan"), F::FGt => relation(">", "greaterThan"),
        F::FLe => relation("<=", "lessThanEqual"), F::FGe => relation(">=", "greaterThanEqual"),
        F::FLtu => NotCompare(">=", Prec::Relation, "greaterThanEqual"),
        F::FGtu => NotCompare("<=", Prec::Relation, "lessThanEqual"),
        F::FLeu => NotCompare(">", Prec::Relation, "greaterThan"),
        F::FGeu => NotCompare("<", Prec::Relation, "lessThan"),
        F::FEqu | F::FNeo => Engine,
        F::FOrd | F::FUnord | F::FIsFinite | F::FIsNormal | F::FSignBit => Lower("alu-to-spirv"),
        F::FIsNan | F::FIsInf => Engine,
    }
}

#[rustfmt::skip] // A table.
fn int(op: IntOp) -> Form {
    use IntOp as I;
    let relation = |symbol, call| Compare(symbol, Prec::Relation, call);
    match op {
        I::IAdd => Infix("+", Prec::Sum), I::ISub => Infix("-", Prec::Sum), I::IMul => Infix("*", Prec::Product),
        I::INeg => PrefixInt("-"), I::IAbs => Call("abs"), I::ISign => Call("sign"),
        I::IDiv | I::UDiv => Infix("/", Prec::Product), I::UMod => Infix("%", Prec::Product),
        I::IRem => Infix("%", Prec::Product), I::IMod => Engine,
        I::IMulHigh | I::UMulHigh => Lower("lower-alu{mul-high}"),
        I::UAddCarry | I::USubBorrow => Lower("lower-alu{carry}"),
        I::IAddSat | I::UAddSat | I::ISubSat | I::USubSat | I::IHadd | I::UHadd | I::IRhadd | I::URhadd | I::IAbsDiff
        | I::UAbsDiff | I::Clz | I::Ctz => Lower("alu-to-spirv"),
        I::IMin | I::UMin => Call("min"), I::IMax | I::UMax => Call("max"), I::IClamp | I::UClamp => Call("clamp"),
        I::IAnd => Infix("&", Prec::BitAnd), I::IOr => Infix("|", Prec::BitOr), I::IXor => Infix("^", Prec::BitXor),
        I::INot => Prefix("~"), I::IShl => Infix("<<", Prec::Shift),
        I::IShr | I::UShr => Infix(">>", Prec::Shift),
        I::Rotl | I::Rotr => Lower("lower-alu{rotate}"),
        I::UBfe | I::IBfe => Call("extractBits"), I::Bfi => Call("insertBits"),
        I::BitSelect => Lower("lower-alu{fields}"),
        I::BitRev => Call("reverseBits"), I::BitCount => Call("countOneBits"), I::FindLsb => Call("firstTrailingBit"),
        I::UFindMsb | I::IFindMsb => Call("firstLeadingBit"),
        I::IEq => Compare("==", Prec::Equality, "equal"), I::INe => Compare("!=", Prec::Equality, "notEqual"),
        I::ILt | I::ULt => relation("<", "lessThan"), I::IGt | I::UGt => relation(">", "greaterThan"),
        I::ILe | I::ULe => relation("<=", "lessThanEqual"), I::IGe | I::UGe => relation(">=", "greaterThanEqual"),
        I::Select | I::Select1 => Engine,
        I::SDot4x8 | I::UDot4x8 | I::SUDot4x8 | I::SDot4x8Sat | I::UDot4x8Sat | I::SUDot4x8Sat => {
            Lower("lower-alu{dot}")
        }
    }
}

fn boolean(op: IntOp) -> Form {
    match op {
        IntOp::IAnd | IntOp::IOr | IntOp::IXor | IntOp::IEq | IntOp::INe | IntOp::INot => Engine,
        op => int(op),
    }
}

fn convert(op: ConvertOp) -> Form {
    use ConvertOp as C;
    match op {
        C::F2F | C::F2I | C::F2U | C::I2F | C::U2F | C::I2I | C::U2U | C::B2I | C::B2F => Construct,
        C::I2B | C::F2B => Construct,
        C::F2FRtz | C::F2FRtp | C::F2FRtn => Lower("alu-to-spirv"),
        C::F2ISat | C::F2USat | C::I2ISat | C::U2USat | C::I2USat | C::U2ISat => Lower("alu-to-spirv"),
    }
}

#[rustfmt::skip] // A table.
fn vector(op: VectorOp) -> Form {
    use VectorOp as V;
    match op {
        V::Vec | V::Splat | V::Swizzle | V::Shuffle | V::Extract | V::Insert | V::AllEq | V::AnyNe => Engine,
        V::All => Call("all"), V::Any => Call("any"),
        V::FDot => Call("dot"), V::FCross => Call("cross"), V::FLength => Call("length"), V::FDistance => Call("distance"),
        V::IDot => Lower("alu-to-scalar{products}"),
        V::FNormalize => Call("normalize"), V::FFaceForward => Call("faceForward"), V::FReflect => Call("reflect"),
        V::FRefract => Call("refract"),
        V::PackHalf2x16 => Call("pack2x16float"), V::UnpackHalf2x16 => Call("unpack2x16float"),
        V::PackUnorm2x16 => Call("pack2x16unorm"), V::UnpackUnorm2x16 => Call("unpack2x16unorm"),
        V::PackSnorm2x16 => Call("pack2x16snorm"), V::UnpackSnorm2x16 => Call("unpack2x16snorm"),
        V::PackUnorm4x8 => Call("pack4x8unorm"), V::UnpackUnorm4x8 => Call("unpack4x8unorm"),
        V::PackSnorm4x8 => Call("pack4x8snorm"), V::UnpackSnorm4x8 => Call("unpack4x8snorm"),
        V::Pack32From16 | V::Unpack32To16 => Engine,
        V::Pack64From32 | V::Unpack64To32 | V::Pack64From16 | V::Unpack64To16 | V::Pack32From8 | V::Unpack32To8
        | V::Repack => Lower("lower-packing"),
    }
}

fn memory(op: MemoryOp) -> Form {
    match op {
        MemoryOp::Load
        | MemoryOp::Store
        | MemoryOp::CopyVar
        | MemoryOp::ArrayLen
        | MemoryOp::AtomicLoad
        | MemoryOp::AtomicStore
        | MemoryOp::Atomic
        | MemoryOp::AtomicCas => Engine,
        MemoryOp::CopyBytes => Lower("memcpy"),
    }
}

fn deref(op: DerefOp) -> Form {
    match op {
        DerefOp::Var | DerefOp::Field | DerefOp::Elem => Engine,
        DerefOp::All => Lower("lower-var-copies"),
        DerefOp::Step | DerefOp::Cast | DerefOp::FromBits => No("it has no pointers"),
    }
}

fn ptr(op: PtrOp) -> Form {
    match op {
        PtrOp::Texel => Engine,
        PtrOp::Var
        | PtrOp::Path
        | PtrOp::Offset
        | PtrOp::DynOffset
        | PtrOp::HandleIndex
        | PtrOp::Handle
        | PtrOp::BufferData
        | PtrOp::BufferLen => Lower("qptr-lift"),
        PtrOp::ToBits | PtrOp::FromBits | PtrOp::Eq | PtrOp::Ne | PtrOp::Diff => No("it has no pointers"),
    }
}

fn io(op: IoOp) -> Form {
    use IoOp as O;
    match op {
        O::Demote | O::DiscardIf | O::TerminateIf | O::DemoteIf | O::BuiltIn => Engine,
        O::InterpCentroid | O::InterpSample | O::InterpOffset => {
            No("inputs are interpolated once, at the place that their declaration states")
        }
        O::IsHelper => No("a fragment does not know if it is a helper"),
        O::Input
        | O::InputAt
        | O::InputVertex
        | O::Output
        | O::OutputAt
        | O::OutputVertex
        | O::OutputRead
        | O::BuiltInAt
        | O::SetBuiltIn
        | O::SetBuiltInAt
        | O::Push
        | O::Ubo
        | O::Ssbo
        | O::SetSsbo => {
            No("variables without a declaration have no name; write the program before `lower-io`")
        }
        O::EmitVertex
        | O::EndPrimitive
        | O::SetMeshOutputs
        | O::Clock
        | O::InterlockBegin
        | O::InterlockEnd => No("this writer has vertex, fragment and compute shaders only"),
    }
}

#[rustfmt::skip] // A table.
fn group(op: GroupOp) -> Form {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth | G::Barrier | G::QuadSwap | G::Reduce => Engine,
        G::QuadBroadcast => Call("quadBroadcast"), G::Elect => Call("subgroupElect"),
        G::VoteAll => Call("subgroupAll"), G::VoteAny => Call("subgroupAny"), G::Ballot => Call("subgroupBallot"),
        G::Broadcast => Call("subgroupBroadcast"), G::BroadcastFirst => Call("subgroupBroadcastFirst"),
        G::Shuffle => Call("subgroupShuffle"), G::ShuffleXor => Call("subgroupShuffleXor"),
        G::ShuffleUp => Call("subgroupShuffleUp"), G::ShuffleDown => Call("subgroupShuffleDown"),
        G::VoteIEq | G::VoteFEq | G::BallotInverse | G::BallotBit | G::BallotCount | G::BallotLsb | G::BallotMsb
        | G::Rotate | G::QuadAll | G::QuadAny => Lower("lower-subgroups"),
    }
}

fn tex(op: TexOp) -> Form {
    match op {
        TexOp::QueryLod => No("it has no query for the level of detail of a lookup"),
        TexOp::Sample
        | TexOp::SampleLod
        | TexOp::Fetch
        | TexOp::Gather
        | TexOp::QuerySize
        | TexOp::QueryLevels
        | TexOp::QuerySamples
        | TexOp::Read
        | TexOp::Write
        | TexOp::Combine
        | TexOp::ImageOf => Engine,
        TexOp::Resident => No("this writer has no sparse residency"),
    }
}

fn reg(op: RegOp) -> Form {
    match op {
        RegOp::Load | RegOp::Store | RegOp::LoadAt | RegOp::StoreAt => Engine,
    }
}

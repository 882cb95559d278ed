//! The operations of MSL: operators and built-in functions (Metal Shading Language Specification, chapters 3 and 6).
//!
//! Operators work on vectors component by component, so comparisons need no functions.

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
        F::FRem => Call("fmod"), F::FMad => Engine,
        F::FMulZ | F::FFmaZ => Lower("lower-alu{zero-products}"),
        F::FMin => Call("min"), F::FMax => Call("max"), F::FClamp => Call("clamp"), F::FSign => Call("sign"),
        F::FNMin => Call("fmin"), F::FNMax => Call("fmax"), F::FNClamp => Engine,
        F::FSat => Call("saturate"),
        F::FFloor => Call("floor"), F::FCeil => Call("ceil"), F::FTrunc => Call("trunc"), F::FRound => Call("rint"),
        F::FRoundAway => Call("round"), F::FRoundEven => Call("rint"), F::FFract => Call("fract"),
        F::FSqrt => Call("sqrt"), F::FRsq => Call("rsqrt"), F::FRcp => Engine,
        F::FExp => Call("exp"), F::FExp2 => Call("exp2"), F::FLog => Call("log"), F::FLog2 => Call("log2"),
        F::FPow => Call("pow"), F::FSin => Call("sin"), F::FCos => Call("cos"), F::FTan => Call("tan"),
        F::FAsin => Call("asin"), F::FAcos => Call("acos"), F::FAtan => Call("atan"), F::FAtan2 => Call("atan2"),
        F::FSinh => Call("sinh"), F::FCosh => Call("cosh"), F::FTanh => Call("tanh"),
        F::FAsinh => Call("asinh"), F::FAcosh => Call("acosh"), F::FAtanh => Call("atanh"),
        F::FRadians | F::FDegrees => Engine,
        F::FMix => Call("mix"), F::FStep => Call("step"), F::FSmoothStep => Call("smoothstep"),
        F::FLdexp => Call("ldexp"),
        F::FFrexpSig | F::FFrexpExp => Lower("lower-frexp"),
        F::FModfFract | F::FModfWhole => Engine,
        F::FQuantize16 => Engine,
        F::FCanonicalize => Engine,
        F::FEq => Compare("==", Prec::Equality, ""), F::FNeu => Compare("!=", Prec::Equality, ""),
        F::FLt => relation("<", ""), F::FGt => relation(">", ""),
        F::FLe => relation("<=", ""), F::FGe => relation(">=", ""),
        F::FLtu => NotCompare(">=", Prec::Relation, ""),
        F::FGtu => NotCompare("<=", Prec::Relation, ""),
        F::FLeu => NotCompare(">", Prec::Relation, ""),
        F::FGeu => NotCompare("<", Prec::Relation, ""),
        F::FEqu | F::FNeo => Engine,
        F::FOrd | F::FUnord | F::FIsFinite | F::FIsNormal | F::FSignBit => Lower("alu-to-spirv"),
        F::FIsNan => Call("isnan"), F::FIsInf => Call("isinf"),
    }
}

#[rustfmt::skip] // A table.
fn int(op: IntOp) -> Form {
    use IntOp as I;
    let relation = |symbol, call| Compare(symbol, Prec::Relation, call);
    match op {
        I::IAdd => Infix("+", Prec::Sum), I::ISub => Infix("-", Prec::Sum), I::IMul => Infix("*", Prec::Product),
        I::INeg => PrefixInt("-"), I::IAbs => Call("abs"), I::ISign => Engine,
        I::IDiv | I::UDiv => Infix("/", Prec::Product), I::UMod => Infix("%", Prec::Product),
        I::IRem => Infix("%", Prec::Product), I::IMod => Engine,
        I::IMulHigh | I::UMulHigh => Call("mulhi"),
        I::UAddCarry | I::USubBorrow => Lower("lower-alu{carry}"),
        I::IAddSat | I::UAddSat => Call("addsat"), I::ISubSat | I::USubSat => Call("subsat"),
        I::IHadd | I::UHadd => Call("hadd"), I::IRhadd | I::URhadd => Call("rhadd"),
        I::IAbsDiff | I::UAbsDiff => Lower("alu-to-spirv"),
        I::Clz => Call("clz"), I::Ctz => Call("ctz"),
        I::IMin | I::UMin => Call("min"), I::IMax | I::UMax => Call("max"), I::IClamp | I::UClamp => Call("clamp"),
        I::IAnd => Infix("&", Prec::BitAnd), I::IOr => Infix("|", Prec::BitOr), I::IXor => Infix("^", Prec::BitXor),
        I::INot => Prefix("~"), I::IShl => Infix("<<", Prec::Shift),
        I::IShr | I::UShr => Infix(">>", Prec::Shift),
        I::Rotl => Call("rotate"), I::Rotr => Lower("lower-alu{rotate}"),
        I::UBfe | I::IBfe => Call("extract_bits"), I::Bfi => Call("insert_bits"),
        I::BitSelect => Lower("lower-alu{fields}"),
        I::BitRev => Call("reverse_bits"), I::BitCount => Call("popcount"),
        I::FindLsb | I::UFindMsb | I::IFindMsb => Lower("lower-alu{positions}"),
        I::IEq => Compare("==", Prec::Equality, ""), I::INe => Compare("!=", Prec::Equality, ""),
        I::ILt | I::ULt => relation("<", ""), I::IGt | I::UGt => relation(">", ""),
        I::ILe | I::ULe => relation("<=", ""), I::IGe | I::UGe => relation(">=", ""),
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
        V::FDot => Call("dot"), V::FCross => Call("cross"), V::FLength | V::FDistance | V::FNormalize => Engine,
        V::IDot => Lower("alu-to-scalar{products}"),
        V::FFaceForward => Call("faceforward"), V::FReflect => Call("reflect"),
        V::FRefract => Call("refract"),
        V::PackHalf2x16 | V::UnpackHalf2x16 => Engine,
        V::PackUnorm2x16 => Call("pack_float_to_unorm2x16"), V::UnpackUnorm2x16 => Call("unpack_unorm2x16_to_float"),
        V::PackSnorm2x16 => Call("pack_float_to_snorm2x16"), V::UnpackSnorm2x16 => Call("unpack_snorm2x16_to_float"),
        V::PackUnorm4x8 => Call("pack_float_to_unorm4x8"), V::UnpackUnorm4x8 => Call("unpack_unorm4x8_to_float"),
        V::PackSnorm4x8 => Call("pack_float_to_snorm4x8"), V::UnpackSnorm4x8 => Call("unpack_snorm4x8_to_float"),
        V::Pack32From16 | V::Unpack32To16 | V::Pack64From32 | V::Unpack64To32 | V::Pack64From16 | V::Unpack64To16
        | V::Pack32From8 | V::Unpack32To8 | V::Repack => Engine,
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
        DerefOp::Step | DerefOp::FromBits => Engine,
        DerefOp::Cast => No("this writer has no pointers to the same memory as another type"),
    }
}

fn ptr(op: PtrOp) -> Form {
    match op {
        PtrOp::Texel | PtrOp::ToBits => Engine,
        PtrOp::Var
        | PtrOp::Path
        | PtrOp::Offset
        | PtrOp::DynOffset
        | PtrOp::HandleIndex
        | PtrOp::Handle
        | PtrOp::BufferData
        | PtrOp::BufferLen => Lower("qptr-lift"),
        PtrOp::FromBits | PtrOp::Eq | PtrOp::Ne | PtrOp::Diff => {
            No("this writer has pointers only where their memory is accessed")
        }
    }
}

fn io(op: IoOp) -> Form {
    use IoOp as O;
    match op {
        O::Demote | O::DiscardIf | O::TerminateIf | O::DemoteIf => Engine,
        O::InterpCentroid | O::InterpSample | O::InterpOffset => {
            No("this writer interpolates inputs once, at the place that their declaration states")
        }
        O::IsHelper | O::BuiltIn | O::InterlockBegin | O::InterlockEnd => Engine,
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
        O::EmitVertex | O::EndPrimitive | O::SetMeshOutputs | O::Clock => {
            No("it has no such stage, or this writer does not write it")
        }
    }
}

#[rustfmt::skip] // A table.
fn group(op: GroupOp) -> Form {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth | G::Barrier | G::QuadSwap | G::Reduce => Engine,
        G::QuadBroadcast => Call("quad_broadcast"), G::Elect => Call("simd_is_first"),
        G::VoteAll => Call("simd_all"), G::VoteAny => Call("simd_any"), G::Ballot => Engine,
        G::Broadcast => Call("simd_broadcast"), G::BroadcastFirst => Call("simd_broadcast_first"),
        G::Shuffle => Call("simd_shuffle"), G::ShuffleXor => Call("simd_shuffle_xor"),
        G::ShuffleUp => Call("simd_shuffle_up"), G::ShuffleDown => Call("simd_shuffle_down"),
        G::QuadAll => Call("quad_all"), G::QuadAny => Call("quad_any"),
        G::VoteIEq | G::VoteFEq => Lower("lower-subgroups{vote}"), G::Rotate => Call("simd_shuffle_rotate_down"),
        G::BallotInverse | G::BallotBit | G::BallotCount | G::BallotLsb | G::BallotMsb => {
            Lower("lower-subgroups{ballot}")
        }
    }
}

fn tex(op: TexOp) -> Form {
    match op {
        TexOp::Sample
        | TexOp::QueryLod
        | TexOp::SampleLod
        | TexOp::Fetch
        | TexOp::Gather
        | TexOp::QuerySize
        | TexOp::QueryLevels
        | TexOp::QuerySamples
        | TexOp::Read
        | TexOp::Write
        | TexOp::Combine
        | TexOp::ImageOf
        | TexOp::Resident => Engine,
    }
}

fn reg(op: RegOp) -> Form {
    match op {
        RegOp::Load | RegOp::Store | RegOp::LoadAt | RegOp::StoreAt => Engine,
    }
}

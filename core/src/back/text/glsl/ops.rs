//! The operations of GLSL 4.60: operators and built-in functions (GLSL 4.60, chapters 5 and 8).
//!
//! Extensions are declared by the engine where a type or a function needs one.

use crate::back::text::expr::Prec;
use crate::back::text::spell::Form;
use crate::ops::{
    BasicOp, ConvertOp, DerefOp, FloatOp, GroupOp, IntOp, IoOp, MemoryOp, Op, PtrOp, RegOp, TexOp, VectorOp,
};

use Form::{Call, CallInt, Compare, Construct, Engine, Infix, Lower, No, NotCompare, Prefix};

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
        // Those of rays have functions; others are refused.
        Op::Spirv(_) => Engine,
    }
}

/// The functions that take no numbers of 64 bits (GLSL 4.60, 8.1 and 8.2).
const WITHOUT_DOUBLES: [&str; 19] = [
    "radians", "degrees", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "pow", "exp", "log", "exp2", "log2",
];

/// Returns true if a function takes no numbers of 64 bits.
pub(in crate::back::text) fn lacks_doubles(name: &str) -> bool {
    WITHOUT_DOUBLES.contains(&name)
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
        BasicOp::Print => Engine,
    }
}

#[rustfmt::skip] // A table.
fn float(op: FloatOp) -> Form {
    use FloatOp as F;
    let relation = |symbol, call| Compare(symbol, Prec::Relation, call);
    match op {
        F::FAdd => Infix("+", Prec::Sum), F::FSub => Infix("-", Prec::Sum),
        F::FMul => Infix("*", Prec::Product), F::FDiv => Infix("/", Prec::Product),
        F::FNeg => Prefix("-"), F::FAbs => Call("abs"), F::FMod => Call("mod"), F::FFma => Call("fma"),
        F::FRem | F::FMad => Engine,
        F::FMulZ | F::FFmaZ => Lower("lower-alu{zero-products}"),
        F::FMin => Call("min"), F::FMax => Call("max"), F::FClamp => Call("clamp"), F::FSign => Call("sign"),
        F::FNMin | F::FNMax | F::FNClamp => Engine,
        F::FSat => Engine,
        F::FFloor => Call("floor"), F::FCeil => Call("ceil"), F::FTrunc => Call("trunc"), F::FRound => Call("round"),
        F::FRoundAway => Lower("alu-to-spirv"), F::FRoundEven => Call("roundEven"), F::FFract => Call("fract"),
        F::FSqrt => Call("sqrt"), F::FRsq => Call("inversesqrt"), F::FRcp => Engine,
        F::FExp => Call("exp"), F::FExp2 => Call("exp2"), F::FLog => Call("log"), F::FLog2 => Call("log2"),
        F::FPow => Call("pow"), F::FSin => Call("sin"), F::FCos => Call("cos"), F::FTan => Call("tan"),
        F::FAsin => Call("asin"), F::FAcos => Call("acos"), F::FAtan | F::FAtan2 => Call("atan"),
        F::FSinh => Call("sinh"), F::FCosh => Call("cosh"), F::FTanh => Call("tanh"),
        F::FAsinh => Call("asinh"), F::FAcosh => Call("acosh"), F::FAtanh => Call("atanh"),
        F::FRadians => Call("radians"), F::FDegrees => Call("degrees"),
        F::FMix => Call("mix"), F::FStep => Call("step"), F::FSmoothStep => Call("smoothstep"),
        F::FLdexp => Call("ldexp"),
        F::FFrexpSig | F::FFrexpExp => Lower("lower-frexp"),
        F::FModfFract | F::FModfWhole => Engine,
        F::FQuantize16 => Lower("lower-alu{quantize}"),
        F::FCanonicalize => Engine,
        F::FEq => Compare("==", Prec::Equality, "equal"), F::FNeu => Compare("!=", Prec::Equality, "notEqual"),
        F::FLt => relation("<", "lessThan"), F::FGt => relation(">", "greaterThan"),
        F::FLe => relation("<=", "lessThanEqual"), F::FGe => relation(">=", "greaterThanEqual"),
        F::FLtu => NotCompare(">=", Prec::Relation, "greaterThanEqual"),
        F::FGtu => NotCompare("<=", Prec::Relation, "lessThanEqual"),
        F::FLeu => NotCompare(">", Prec::Relation, "greaterThan"),
        F::FGeu => NotCompare("<", Prec::Relation, "lessThan"),
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
        I::INeg => Prefix("-"), I::IAbs => Call("abs"), I::ISign => Call("sign"),
        I::IDiv | I::UDiv => Infix("/", Prec::Product), I::UMod => Infix("%", Prec::Product),
        I::IRem | I::IMod => Engine,
        I::IMulHigh | I::UMulHigh => Lower("lower-alu{mul-high}"),
        I::UAddCarry | I::USubBorrow => Lower("lower-alu{carry}"),
        I::IAddSat | I::UAddSat | I::ISubSat | I::USubSat | I::IHadd | I::UHadd | I::IRhadd | I::URhadd | I::IAbsDiff
        | I::UAbsDiff | I::Clz | I::Ctz => Lower("alu-to-spirv"),
        I::IMin | I::UMin => Call("min"), I::IMax | I::UMax => Call("max"), I::IClamp | I::UClamp => Call("clamp"),
        I::IAnd => Infix("&", Prec::BitAnd), I::IOr => Infix("|", Prec::BitOr), I::IXor => Infix("^", Prec::BitXor),
        I::INot => Prefix("~"), I::IShl => Infix("<<", Prec::Shift),
        I::IShr | I::UShr => Infix(">>", Prec::Shift),
        I::Rotl | I::Rotr => Lower("lower-alu{rotate}"),
        I::UBfe | I::IBfe => Call("bitfieldExtract"), I::Bfi => Call("bitfieldInsert"),
        I::BitSelect => Lower("lower-alu{fields}"),
        I::BitRev => Call("bitfieldReverse"), I::BitCount => CallInt("bitCount"), I::FindLsb => CallInt("findLSB"),
        I::UFindMsb | I::IFindMsb => CallInt("findMSB"),
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
        V::FNormalize => Call("normalize"), V::FFaceForward => Call("faceforward"), V::FReflect => Call("reflect"),
        V::FRefract => Call("refract"),
        V::PackHalf2x16 => Call("packHalf2x16"), V::UnpackHalf2x16 => Call("unpackHalf2x16"),
        V::PackUnorm2x16 => Call("packUnorm2x16"), V::UnpackUnorm2x16 => Call("unpackUnorm2x16"),
        V::PackSnorm2x16 => Call("packSnorm2x16"), V::UnpackSnorm2x16 => Call("unpackSnorm2x16"),
        V::PackUnorm4x8 => Call("packUnorm4x8"), V::UnpackUnorm4x8 => Call("unpackUnorm4x8"),
        V::PackSnorm4x8 => Call("packSnorm4x8"), V::UnpackSnorm4x8 => Call("unpackSnorm4x8"),
        V::Pack64From32 | V::Unpack64To32 | V::Pack64From16 | V::Unpack64To16 | V::Pack32From16 | V::Unpack32To16
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
        O::InterpCentroid | O::InterpSample | O::InterpOffset | O::Demote | O::IsHelper => Engine,
        O::DiscardIf | O::TerminateIf | O::DemoteIf => Engine,
        O::EmitVertex | O::EndPrimitive | O::SetMeshOutputs | O::InterlockBegin | O::InterlockEnd => Engine,
        O::Input
        | O::InputAt
        | O::InputVertex
        | O::Output
        | O::OutputAt
        | O::OutputVertex
        | O::OutputRead
        | O::BuiltIn
        | O::BuiltInAt
        | O::SetBuiltIn
        | O::SetBuiltInAt
        | O::Push
        | O::Ubo
        | O::Ssbo
        | O::SetSsbo => {
            No("variables without a declaration have no name; write the program before `lower-io`")
        }
        O::Clock => No("this writer has no clock"),
    }
}

#[rustfmt::skip] // A table.
fn group(op: GroupOp) -> Form {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth | G::Barrier | G::QuadSwap | G::BallotCount | G::Reduce => Engine,
        G::QuadBroadcast => Call("subgroupQuadBroadcast"), G::Elect => Call("subgroupElect"),
        G::VoteAll => Call("subgroupAll"), G::VoteAny => Call("subgroupAny"),
        G::VoteIEq | G::VoteFEq => Call("subgroupAllEqual"), G::Ballot => Call("subgroupBallot"),
        G::BallotInverse => Call("subgroupInverseBallot"), G::BallotBit => Call("subgroupBallotBitExtract"),
        G::BallotLsb => Call("subgroupBallotFindLSB"), G::BallotMsb => Call("subgroupBallotFindMSB"),
        G::Broadcast => Call("subgroupBroadcast"), G::BroadcastFirst => Call("subgroupBroadcastFirst"),
        G::Shuffle => Call("subgroupShuffle"), G::ShuffleXor => Call("subgroupShuffleXor"),
        G::ShuffleUp => Call("subgroupShuffleUp"), G::ShuffleDown => Call("subgroupShuffleDown"),
        G::Rotate | G::QuadAll | G::QuadAny => No("this version has no such subgroup operation"),
    }
}

fn tex(op: TexOp) -> Form {
    match op {
        TexOp::Sample
        | TexOp::SampleLod
        | TexOp::Fetch
        | TexOp::Gather
        | TexOp::QuerySize
        | TexOp::QueryLod
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

//! The operations of HLSL: operators and intrinsic functions. Rows that do not differ from those of GLSL are taken from
//! there.

use crate::back::text::expr::Prec;
use crate::back::text::glsl;
use crate::back::text::spell::Form;
use crate::ops::{FloatOp, GroupOp, IntOp, IoOp, Op, TexOp, VectorOp};

use Form::{Call, Engine, Infix, Lower, No};

/// The form of an operation. `is_bool` is true if its first operand is a boolean.
pub(in crate::back::text) fn form(op: Op, is_bool: bool) -> Form {
    let own = match op {
        Op::Float(op) => float(op),
        Op::Int(op) if !is_bool => int(op),
        Op::Vector(op) => vector(op),
        Op::Io(op) => io(op),
        Op::Group(op) => Some(group(op)),
        Op::Tex(op) => Some(tex(op)),
        Op::Basic(_)
        | Op::Int(_)
        | Op::Convert(_)
        | Op::Memory(_)
        | Op::Deref(_)
        | Op::Ptr(_)
        | Op::Reg(_)
        | Op::Spirv(_) => None,
    };
    own.unwrap_or_else(|| glsl::ops::form(op, is_bool))
}

fn float(op: FloatOp) -> Option<Form> {
    use FloatOp as F;
    Some(match op {
        F::FFma => Engine,
        F::FMix => Engine,
        // The operator `!=` is false for NaN in SPIR-V of its compiler.
        F::FNeu => Form::NotCompare("==", Prec::Equality, ""),
        F::FMod => Engine,
        F::FRem => Call("fmod"),
        F::FSat => Call("saturate"),
        F::FSign => Engine,
        F::FRound | F::FRoundEven => Call("round"),
        F::FRoundAway => Lower("alu-to-spirv"),
        F::FFract => Call("frac"),
        F::FRsq => Call("rsqrt"),
        F::FAtan2 => Call("atan2"),
        F::FAsinh | F::FAcosh | F::FAtanh => Engine,
        F::FLdexp => Engine,
        _ => return None,
    })
}

fn int(op: IntOp) -> Option<Form> {
    use IntOp as I;
    Some(match op {
        I::IRem => Infix("%", Prec::Product),
        I::UBfe | I::IBfe | I::Bfi | I::BitSelect => Lower("lower-alu{fields}"),
        I::BitRev => Call("reversebits"),
        I::ISign => Engine,
        I::BitCount | I::FindLsb | I::UFindMsb | I::IFindMsb => Engine,
        _ => return None,
    })
}

fn vector(op: VectorOp) -> Option<Form> {
    use VectorOp as V;
    Some(match op {
        V::PackHalf2x16 | V::UnpackHalf2x16 => Engine,
        V::PackUnorm2x16
        | V::UnpackUnorm2x16
        | V::PackSnorm2x16
        | V::UnpackSnorm2x16
        | V::PackUnorm4x8
        | V::UnpackUnorm4x8
        | V::PackSnorm4x8
        | V::UnpackSnorm4x8
        | V::Pack64From32
        | V::Unpack64To32
        | V::Pack64From16
        | V::Unpack64To16
        | V::Pack32From16
        | V::Unpack32To16
        | V::Pack32From8
        | V::Unpack32To8
        | V::Repack => Lower("lower-packing"),
        _ => return None,
    })
}

fn io(op: IoOp) -> Option<Form> {
    match op {
        IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset => {
            Some(No("its compiler interpolates only what is a parameter of the entry point"))
        }
        IoOp::IsHelper | IoOp::BuiltIn => Some(Engine),
        _ => None,
    }
}

#[rustfmt::skip] // A table.
fn group(op: GroupOp) -> Form {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth | G::Barrier | G::Reduce | G::QuadSwap | G::VoteIEq | G::VoteFEq => Engine,
        G::Elect => Call("WaveIsFirstLane"), G::VoteAll => Call("WaveActiveAllTrue"), G::VoteAny => Call("WaveActiveAnyTrue"),
        G::Ballot => Call("WaveActiveBallot"),
        G::Broadcast | G::Shuffle => Call("WaveReadLaneAt"), G::BroadcastFirst => Call("WaveReadLaneFirst"),
        G::QuadBroadcast => Call("QuadReadLaneAt"),
        G::BallotInverse | G::BallotBit | G::BallotCount | G::BallotLsb | G::BallotMsb => Lower("lower-subgroups{ballot}"),
        G::ShuffleXor | G::ShuffleUp | G::ShuffleDown | G::Rotate => Lower("lower-subgroups{shuffle}"),
        G::QuadAll | G::QuadAny => Lower("lower-subgroups{quad}"),
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

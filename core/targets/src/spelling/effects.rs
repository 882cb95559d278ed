//! Spellings of what is not arithmetic: memory, addresses, interfaces, invocations, images.

use crate::language::Column::{self, Es300, Es310, Glsl, Hlsl, Msl, Wgsl};
use crate::spell::Form::{self, Call, Dialect, Engine, Lower, No};
use vitrine_ir::ops::{BasicOp, DerefOp, GroupOp, IoOp, MemoryOp, PtrOp, TexOp};

#[rustfmt::skip] // A table.
pub(super) fn basic(op: BasicOp, to: Column) -> Form {
    use BasicOp as B;
    match op {
        B::Param | B::Const | B::Global | B::Undef | B::Copy | B::Call => Engine,
        B::Choose => No("addresses and resources are no values"),
        B::Assume => No("assumptions cannot be stated"),
        B::Print => match to {
            Glsl | Hlsl => Dialect,
            Es310 | Es300 | Wgsl | Msl => No("it has no formatted output"),
        },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn memory(op: MemoryOp, to: Column) -> Form {
    use MemoryOp as M;
    match op {
        M::Load | M::Store | M::CopyVar => Engine,
        M::CopyBytes => Lower("memcpy"),
        M::ArrayLen => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("buffers of any length need version 3.10"),
        },
        M::AtomicLoad | M::AtomicStore | M::Atomic | M::AtomicCas => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("atomics need version 3.10"),
        },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn deref(op: DerefOp, to: Column) -> Form {
    use DerefOp as D;
    match op {
        D::Var | D::Field | D::Elem => Engine,
        D::All => Lower("lower-var-copies"),
        D::Step | D::FromBits => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => No("it has no pointers"),
            Msl => Dialect,
        },
        D::Cast => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => No("it has no pointers"),
            Msl => No("this writer has no pointers to the same memory as another type"),
        },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn ptr(op: PtrOp, to: Column) -> Form {
    use PtrOp as P;
    match op {
        P::Var | P::Path | P::Offset | P::DynOffset | P::HandleIndex | P::Handle | P::BufferData | P::BufferLen => {
            Lower("qptr-lift")
        }
        P::Texel => match to {
            Glsl | Es310 | Hlsl | Msl => Dialect,
            Es300 | Wgsl => No("it has no atomics on texels"),
        },
        P::ToBits => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => No("it has no pointers"), Msl => Dialect },
        P::FromBits | P::Eq | P::Ne | P::Diff => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => No("it has no pointers"),
            Msl => No("this writer has pointers only where their memory is accessed"),
        },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn io(op: IoOp, to: Column) -> Form {
    use IoOp as O;
    match op {
        O::Input | O::InputAt | O::InputVertex | O::Output | O::OutputAt | O::OutputVertex | O::OutputRead
        | O::BuiltInAt | O::SetBuiltIn | O::SetBuiltInAt | O::Push | O::Ubo | O::Ssbo | O::SetSsbo => {
            No("variables without a declaration have no name; write the program before `lower-io`")
        }
        O::BuiltIn => match to {
            Glsl | Es310 | Es300 => No("variables without a declaration have no name; write the program before `lower-io`"),
            Hlsl | Wgsl | Msl => Dialect,
        },
        O::InterpCentroid | O::InterpSample | O::InterpOffset => match to {
            Glsl | Es310 => Dialect,
            Es300 | Wgsl => No("inputs are interpolated once, at the place that their declaration states"),
            Hlsl => No("its compiler interpolates only what is a parameter of the entry point"),
            Msl => No("this writer interpolates inputs once, at the place that their declaration states"),
        },
        O::DiscardIf => Dialect,
        O::TerminateIf | O::Demote | O::DemoteIf => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("it has `discard` only, after which an invocation may be a helper"),
        },
        O::IsHelper => match to {
            Glsl | Es310 | Hlsl | Msl => Dialect,
            Es300 => No("it has `discard` only, after which an invocation may be a helper"),
            Wgsl => No("a fragment does not know if it is a helper"),
        },
        O::EmitVertex | O::EndPrimitive | O::SetMeshOutputs => match to {
            Glsl | Es310 | Es300 | Hlsl => Dialect,
            Wgsl => No("this writer has vertex, fragment and compute shaders only"),
            Msl => No("it has no such stage, or this writer does not write it"),
        },
        O::Clock => match to {
            Glsl | Es310 | Es300 | Hlsl => No("this writer has no clock"),
            Wgsl => No("this writer has vertex, fragment and compute shaders only"),
            Msl => No("it has no such stage, or this writer does not write it"),
        },
        O::InterlockBegin | O::InterlockEnd => match to {
            Glsl | Es310 | Es300 | Hlsl | Msl => Dialect,
            Wgsl => No("this writer has vertex, fragment and compute shaders only"),
        },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn group(op: GroupOp, to: Column) -> Form {
    use GroupOp as G;
    match op {
        G::Ddx | G::Ddy | G::Fwidth => Dialect,
        G::Barrier => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("compute shaders need version 3.10"),
        },
        G::QuadBroadcast => match to {
            Glsl | Es310 => Call("subgroupQuadBroadcast"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("QuadReadLaneAt"),
            Wgsl => Call("quadBroadcast"),
            Msl => Call("quad_broadcast"),
        },
        G::QuadSwap | G::Reduce => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("it has no subgroups"),
        },
        G::QuadAll => match to {
            Glsl | Es310 => No("this version has no such subgroup operation"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl => Lower("lower-subgroups{quad}"),
            Msl => Call("quad_all"),
        },
        G::QuadAny => match to {
            Glsl | Es310 => No("this version has no such subgroup operation"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl => Lower("lower-subgroups{quad}"),
            Msl => Call("quad_any"),
        },
        G::Elect => match to {
            Glsl | Es310 | Wgsl => Call("subgroupElect"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveIsFirstLane"),
            Msl => Call("simd_is_first"),
        },
        G::VoteAll => match to {
            Glsl | Es310 | Wgsl => Call("subgroupAll"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveActiveAllTrue"),
            Msl => Call("simd_all"),
        },
        G::VoteAny => match to {
            Glsl | Es310 | Wgsl => Call("subgroupAny"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveActiveAnyTrue"),
            Msl => Call("simd_any"),
        },
        G::VoteIEq | G::VoteFEq => match to {
            Glsl | Es310 => Call("subgroupAllEqual"),
            Es300 => No("it has no subgroups"),
            Hlsl => Dialect,
            Wgsl | Msl => Lower("lower-subgroups{vote}"),
        },
        G::Ballot => match to {
            Glsl | Es310 | Wgsl => Call("subgroupBallot"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveActiveBallot"),
            Msl => Dialect,
        },
        G::BallotInverse => match to {
            Glsl | Es310 => Call("subgroupInverseBallot"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl | Msl => Lower("lower-subgroups{ballot}"),
        },
        G::BallotBit => match to {
            Glsl | Es310 => Call("subgroupBallotBitExtract"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl | Msl => Lower("lower-subgroups{ballot}"),
        },
        G::BallotCount => match to {
            Glsl | Es310 => Dialect,
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl | Msl => Lower("lower-subgroups{ballot}"),
        },
        G::BallotLsb => match to {
            Glsl | Es310 => Call("subgroupBallotFindLSB"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl | Msl => Lower("lower-subgroups{ballot}"),
        },
        G::BallotMsb => match to {
            Glsl | Es310 => Call("subgroupBallotFindMSB"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl | Msl => Lower("lower-subgroups{ballot}"),
        },
        G::Broadcast => match to {
            Glsl | Es310 | Wgsl => Call("subgroupBroadcast"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveReadLaneAt"),
            Msl => Call("simd_broadcast"),
        },
        G::BroadcastFirst => match to {
            Glsl | Es310 | Wgsl => Call("subgroupBroadcastFirst"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveReadLaneFirst"),
            Msl => Call("simd_broadcast_first"),
        },
        G::Shuffle => match to {
            Glsl | Es310 | Wgsl => Call("subgroupShuffle"),
            Es300 => No("it has no subgroups"),
            Hlsl => Call("WaveReadLaneAt"),
            Msl => Call("simd_shuffle"),
        },
        G::ShuffleXor => match to {
            Glsl | Es310 | Wgsl => Call("subgroupShuffleXor"),
            Es300 => No("it has no subgroups"),
            Hlsl => Lower("lower-subgroups{shuffle}"),
            Msl => Call("simd_shuffle_xor"),
        },
        G::ShuffleUp => match to {
            Glsl | Es310 | Wgsl => Call("subgroupShuffleUp"),
            Es300 => No("it has no subgroups"),
            Hlsl => Lower("lower-subgroups{shuffle}"),
            Msl => Call("simd_shuffle_up"),
        },
        G::ShuffleDown => match to {
            Glsl | Es310 | Wgsl => Call("subgroupShuffleDown"),
            Es300 => No("it has no subgroups"),
            Hlsl => Lower("lower-subgroups{shuffle}"),
            Msl => Call("simd_shuffle_down"),
        },
        G::Rotate => match to {
            Glsl | Es310 => No("this version has no such subgroup operation"),
            Es300 => No("it has no subgroups"),
            Hlsl | Wgsl => Lower("lower-subgroups{shuffle}"),
            Msl => Call("simd_shuffle_rotate_down"),
        },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn tex(op: TexOp, to: Column) -> Form {
    use TexOp as T;
    match op {
        T::Combine | T::ImageOf => Engine,
        T::Sample | T::SampleLod | T::Fetch | T::QuerySize => Dialect,
        T::Gather => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("gathers need version 3.10"),
        },
        T::QueryLod => match to {
            Glsl | Hlsl | Msl => Dialect,
            Es310 | Es300 | Wgsl => No("it has no query for the level of detail of a lookup"),
        },
        T::QueryLevels | T::QuerySamples => match to {
            Glsl | Hlsl | Wgsl | Msl => Dialect,
            Es310 | Es300 => No("it has no query for levels and samples"),
        },
        T::Read | T::Write => match to {
            Glsl | Es310 | Hlsl | Wgsl | Msl => Dialect,
            Es300 => No("storage images need version 3.10"),
        },
        T::Resident => match to {
            Glsl | Hlsl | Msl => Dialect,
            Es310 | Es300 => No("it has no sparse residency"),
            Wgsl => No("this writer has no sparse residency"),
        },
    }
}

/// Instructions of SPIR-V: those of rays have functions; others are refused.
pub(super) fn raw(to: Column) -> Form {
    match to {
        Glsl | Es310 | Es300 | Hlsl => Dialect,
        Wgsl | Msl => No("it is an instruction of SPIR-V that the IR has no operation for"),
    }
}

//! Operations that communicate between invocations: derivatives, quads, subgroups, workgroups, barriers.
//!
//! Each of them is convergent: moving one across a branch changes the set of participating invocations.

use super::table::ops;

ops! {
    /// Group operations.
    GroupOp;

    /// Derivative in the x direction of the screen (OpDPdx).
    Ddx ddx(a: F) -> F [CONVERGENT NEEDS_HELPERS] may(Derivative);
    /// Derivative in the y direction of the screen (OpDPdy).
    Ddy ddy(a: F) -> F [CONVERGENT NEEDS_HELPERS] may(Derivative);
    /// `abs(ddx) + abs(ddy)` (OpFwidth).
    Fwidth fwidth(a: F) -> F [CONVERGENT NEEDS_HELPERS] may(Derivative);

    /// Synchronizes the invocations of `exec`, if given, and orders memory accesses for `scope`
    /// (OpControlBarrier, OpMemoryBarrier).
    Barrier barrier() -> NONE [READS WRITES MEMORY_BARRIER CONVERGENT] may(Exec, Scope, Order);

    /// Value of one invocation of the quad (OpGroupNonUniformQuadBroadcast).
    QuadBroadcast quad_broadcast(a: T, invocation: IDX) -> T [CONVERGENT NEEDS_HELPERS] may(Scope);
    /// Value of the neighbor in the quad along `axis` (OpGroupNonUniformQuadSwap).
    QuadSwap quad_swap(a: T) -> T [CONVERGENT NEEDS_HELPERS] need(Axis) may(Scope);
    /// True if the condition holds in all invocations of the quad (OpGroupNonUniformQuadAllKHR).
    QuadAll quad_all(cond: B1) -> B1 [CONVERGENT NEEDS_HELPERS];
    /// True if the condition holds in any invocation of the quad (OpGroupNonUniformQuadAnyKHR).
    QuadAny quad_any(cond: B1) -> B1 [CONVERGENT NEEDS_HELPERS];

    /// True in exactly one of the active invocations (OpGroupNonUniformElect).
    Elect elect() -> B1 [CONVERGENT] may(Scope);
    /// True if the condition holds in all active invocations (OpGroupNonUniformAll).
    VoteAll vote_all(cond: B1) -> B1 [CONVERGENT] may(Scope);
    /// True if the condition holds in any active invocation (OpGroupNonUniformAny).
    VoteAny vote_any(cond: B1) -> B1 [CONVERGENT] may(Scope);
    /// True if the operand has the same bits in all active invocations (OpGroupNonUniformAllEqual on
    /// integers).
    VoteIEq vote_ieq(a: T) -> B1 [CONVERGENT] may(Scope);
    /// True if the operand is an equal float in all active invocations (OpGroupNonUniformAllEqual on floats).
    VoteFEq vote_feq(a: F) -> B1 [CONVERGENT] may(Scope);
    /// Bit mask of the condition with one bit per invocation (OpGroupNonUniformBallot).
    Ballot ballot(cond: B1) -> U32X4 [CONVERGENT] may(Scope);
    /// The bit of a ballot that belongs to the current invocation (OpGroupNonUniformInverseBallot).
    BallotInverse ballot_inverse(ballot: U32X4) -> B1 [CONVERGENT] may(Scope);
    /// One bit of a ballot (OpGroupNonUniformBallotBitExtract).
    BallotBit ballot_bit(ballot: U32X4, index: IDX) -> B1 [CONVERGENT] may(Scope);
    /// Number of bits set in a ballot, in total or up to the current invocation
    /// (OpGroupNonUniformBallotBitCount).
    BallotCount ballot_count(ballot: U32X4) -> U32X1 [CONVERGENT] need(How) may(Scope);
    /// Number of the lowest invocation whose bit is set (OpGroupNonUniformBallotFindLSB).
    BallotLsb ballot_lsb(ballot: U32X4) -> U32X1 [CONVERGENT] may(Scope);
    /// Number of the highest invocation whose bit is set (OpGroupNonUniformBallotFindMSB).
    BallotMsb ballot_msb(ballot: U32X4) -> U32X1 [CONVERGENT] may(Scope);
    /// Value of one invocation, which must be the same for the whole group (OpGroupNonUniformBroadcast).
    Broadcast broadcast(a: T, invocation: IDX) -> T [CONVERGENT] may(Scope);
    /// Value of the first active invocation (OpGroupNonUniformBroadcastFirst).
    BroadcastFirst broadcast_first(a: T) -> T [CONVERGENT] may(Scope);
    /// Value of any invocation, which each invocation chooses itself (OpGroupNonUniformShuffle).
    Shuffle subgroup_shuffle(a: T, invocation: IDX) -> T [CONVERGENT] may(Scope);
    /// Value of the invocation whose number is the current one exclusive-or `mask`
    /// (OpGroupNonUniformShuffleXor).
    ShuffleXor subgroup_shuffle_xor(a: T, mask: IDX) -> T [CONVERGENT] may(Scope);
    /// Value of the invocation whose number is lower by `delta` (OpGroupNonUniformShuffleUp).
    ShuffleUp subgroup_shuffle_up(a: T, delta: IDX) -> T [CONVERGENT] may(Scope);
    /// Value of the invocation whose number is higher by `delta` (OpGroupNonUniformShuffleDown).
    ShuffleDown subgroup_shuffle_down(a: T, delta: IDX) -> T [CONVERGENT] may(Scope);
    /// Value of the invocation whose number is higher by `delta`, wrapping around in the cluster
    /// (OpGroupNonUniformRotateKHR).
    Rotate subgroup_rotate(a: T, delta: IDX) -> T [CONVERGENT] may(Scope, Cluster);
    /// Combines the values of the invocations that `how` selects (OpGroupNonUniformIAdd and related
    /// instructions).
    Reduce reduce(a: T) -> T [CONVERGENT] need(Reduce, How) may(Scope, Cluster);
}

impl GroupOp {
    /// Returns true for operations between the invocations of a subgroup or a quad; false for derivatives and barriers.
    pub fn is_of_subgroup(self) -> bool {
        match self {
            GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth | GroupOp::Barrier => false,
            GroupOp::QuadBroadcast | GroupOp::QuadSwap | GroupOp::QuadAll | GroupOp::QuadAny => true,
            GroupOp::Elect | GroupOp::VoteAll | GroupOp::VoteAny | GroupOp::VoteIEq | GroupOp::VoteFEq => {
                true
            }
            GroupOp::Ballot | GroupOp::BallotInverse | GroupOp::BallotBit | GroupOp::BallotCount => true,
            GroupOp::BallotLsb | GroupOp::BallotMsb | GroupOp::Broadcast | GroupOp::BroadcastFirst => true,
            GroupOp::Shuffle | GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => true,
            GroupOp::Rotate | GroupOp::Reduce => true,
        }
    }

    /// Returns the result for operands that are equal in all invocations.
    pub fn of_equal(self) -> OfEqual {
        match self {
            GroupOp::QuadBroadcast | GroupOp::QuadSwap => OfEqual::Moved,
            GroupOp::Broadcast | GroupOp::BroadcastFirst => OfEqual::Moved,
            GroupOp::Shuffle | GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                OfEqual::Moved
            }
            GroupOp::Rotate => OfEqual::Moved,
            GroupOp::QuadAll | GroupOp::QuadAny | GroupOp::VoteAll | GroupOp::VoteAny => OfEqual::Voted,
            GroupOp::VoteIEq => OfEqual::True,
            GroupOp::VoteFEq => OfEqual::TrueUnlessNan,
            GroupOp::Reduce => OfEqual::Reduced,
            GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth => OfEqual::Unknown,
            GroupOp::Barrier | GroupOp::Elect => OfEqual::Unknown,
            GroupOp::Ballot | GroupOp::BallotInverse | GroupOp::BallotBit | GroupOp::BallotCount => {
                OfEqual::Unknown
            }
            GroupOp::BallotLsb | GroupOp::BallotMsb => OfEqual::Unknown,
        }
    }

    /// Returns true if the result is the first operand of some invocation.
    pub fn is_move(self) -> bool {
        self.of_equal() == OfEqual::Moved
    }

    /// Returns when the result is the same in all active invocations of a subgroup.
    pub fn uniformity(self) -> Uniformity {
        match self {
            GroupOp::VoteAll | GroupOp::VoteAny | GroupOp::VoteIEq | GroupOp::VoteFEq => Uniformity::Always,
            GroupOp::Ballot | GroupOp::BroadcastFirst => Uniformity::Always,
            GroupOp::Reduce => Uniformity::OverAll,
            GroupOp::BallotBit | GroupOp::BallotLsb | GroupOp::BallotMsb => Uniformity::OfOperands,
            GroupOp::BallotCount => Uniformity::OfOperandsOverAll,
            GroupOp::BallotInverse | GroupOp::Elect => Uniformity::Never,
            GroupOp::Broadcast | GroupOp::Rotate => Uniformity::Never,
            GroupOp::Shuffle | GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                Uniformity::Never
            }
            GroupOp::QuadBroadcast | GroupOp::QuadSwap => Uniformity::Never,
            GroupOp::QuadAll | GroupOp::QuadAny => Uniformity::Never,
            // A derivative is NaN for infinite values, and zero if a neighbor is missing.
            GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth | GroupOp::Barrier => Uniformity::Never,
        }
    }
}

/// The result of a group operation on operands that are equal in all invocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OfEqual {
    /// The first operand: the operation moves values between invocations.
    Moved,
    /// The condition.
    Voted,
    /// True.
    True,
    /// True, unless a component is NaN, which differs from itself.
    TrueUnlessNan,
    /// The operand, if the reduction is idempotent and includes the invocation itself.
    Reduced,
    /// It depends on the invocations.
    Unknown,
}

/// The condition under which the result of a group operation is the same in all active invocations of a subgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uniformity {
    /// None.
    Always,
    /// It combines the whole subgroup: it is no scan, and has no cluster.
    OverAll,
    /// Its operands are the same.
    OfOperands,
    /// Its operands are the same, and it is no scan.
    OfOperandsOverAll,
    /// No condition suffices.
    Never,
}

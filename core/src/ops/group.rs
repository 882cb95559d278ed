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
}

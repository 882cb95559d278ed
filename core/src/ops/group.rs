//! What looks at other lanes: derivatives, quads, subgroups, workgroups, barriers.
//!
//! All of it is convergent: moving one of these across a branch changes which lanes take part.

use super::table::ops;

ops! {
    /// Group operations.
    GroupOp;

    /// Change towards the next pixel on the right (OpDPdx).
    Ddx ddx(a: F) -> F [CONVERGENT NEEDS_HELPERS] may(Derivative);
    /// Change towards the next pixel below (OpDPdy).
    Ddy ddy(a: F) -> F [CONVERGENT NEEDS_HELPERS] may(Derivative);
    /// `abs(ddx) + abs(ddy)` (OpFwidth).
    Fwidth fwidth(a: F) -> F [CONVERGENT NEEDS_HELPERS] may(Derivative);

    /// Waits for the lanes of `exec`, if given, and orders memory for `scope` (OpControlBarrier, OpMemoryBarrier).
    Barrier barrier() -> NONE [READS WRITES MEMORY_BARRIER CONVERGENT] may(Exec, Scope, Order);

    /// The value of one lane of the quad (OpGroupNonUniformQuadBroadcast).
    QuadBroadcast quad_broadcast(a: T, lane: IDX) -> T [CONVERGENT NEEDS_HELPERS] may(Scope);
    /// The value of the neighbour in the quad (OpGroupNonUniformQuadSwap).
    QuadSwap quad_swap(a: T) -> T [CONVERGENT NEEDS_HELPERS] need(Axis) may(Scope);
    /// Whether the condition holds in all lanes of the quad (OpGroupNonUniformQuadAllKHR).
    QuadAll quad_all(cond: B1) -> B1 [CONVERGENT NEEDS_HELPERS];
    /// Whether the condition holds in some lane of the quad (OpGroupNonUniformQuadAnyKHR).
    QuadAny quad_any(cond: B1) -> B1 [CONVERGENT NEEDS_HELPERS];

    /// True in one of the active lanes (OpGroupNonUniformElect).
    Elect elect() -> B1 [CONVERGENT] may(Scope);
    /// Whether the condition holds in all active lanes (OpGroupNonUniformAll).
    VoteAll vote_all(cond: B1) -> B1 [CONVERGENT] may(Scope);
    /// Whether the condition holds in some active lane (OpGroupNonUniformAny).
    VoteAny vote_any(cond: B1) -> B1 [CONVERGENT] may(Scope);
    /// Whether all active lanes have the same bits (OpGroupNonUniformAllEqual on integers).
    VoteIEq vote_ieq(a: T) -> B1 [CONVERGENT] may(Scope);
    /// Whether all active lanes have equal floats (OpGroupNonUniformAllEqual on floats).
    VoteFEq vote_feq(a: F) -> B1 [CONVERGENT] may(Scope);
    /// One bit a lane (OpGroupNonUniformBallot).
    Ballot ballot(cond: B1) -> B32X4 [CONVERGENT] may(Scope);
    /// This lane's bit of a ballot (OpGroupNonUniformInverseBallot).
    BallotInverse ballot_inverse(ballot: B32X4) -> B1 [CONVERGENT] may(Scope);
    /// One bit of a ballot (OpGroupNonUniformBallotBitExtract).
    BallotBit ballot_bit(ballot: B32X4, index: IDX) -> B1 [CONVERGENT] may(Scope);
    /// Bits set in a ballot, all or up to this lane (OpGroupNonUniformBallotBitCount).
    BallotCount ballot_count(ballot: B32X4) -> B32 [CONVERGENT] need(How) may(Scope);
    /// Number of the lowest lane set (OpGroupNonUniformBallotFindLSB).
    BallotLsb ballot_lsb(ballot: B32X4) -> B32 [CONVERGENT] may(Scope);
    /// Number of the highest lane set (OpGroupNonUniformBallotFindMSB).
    BallotMsb ballot_msb(ballot: B32X4) -> B32 [CONVERGENT] may(Scope);
    /// The value of one lane, the same lane for all (OpGroupNonUniformBroadcast).
    Broadcast broadcast(a: T, lane: IDX) -> T [CONVERGENT] may(Scope);
    /// The value of the first active lane (OpGroupNonUniformBroadcastFirst).
    BroadcastFirst broadcast_first(a: T) -> T [CONVERGENT] may(Scope);
    /// The value of any lane (OpGroupNonUniformShuffle).
    Shuffle lane_shuffle(a: T, lane: IDX) -> T [CONVERGENT] may(Scope);
    /// The value of the lane whose number differs by the mask (OpGroupNonUniformShuffleXor).
    ShuffleXor lane_shuffle_xor(a: T, mask: IDX) -> T [CONVERGENT] may(Scope);
    /// The value of the lane `delta` before (OpGroupNonUniformShuffleUp).
    ShuffleUp lane_shuffle_up(a: T, delta: IDX) -> T [CONVERGENT] may(Scope);
    /// The value of the lane `delta` after (OpGroupNonUniformShuffleDown).
    ShuffleDown lane_shuffle_down(a: T, delta: IDX) -> T [CONVERGENT] may(Scope);
    /// The value of the lane `delta` after, round the cluster (OpGroupNonUniformRotateKHR).
    Rotate lane_rotate(a: T, delta: IDX) -> T [CONVERGENT] may(Scope, Cluster);
    /// Combines the values of the lanes named by `how` (OpGroupNonUniformIAdd and the like).
    Reduce reduce(a: T) -> T [CONVERGENT] need(Reduce, How) may(Scope, Cluster);
}

//! Cross-invocation operations: attributes become fields.

use super::func::FuncDecoder;
use crate::interp::micro_op::{Group, Opcode};
use crate::ir::{Diag, Inst};
use crate::ops::{GroupOp, Key};

impl FuncDecoder<'_, '_> {
    pub(super) fn group(&mut self, op: GroupOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args = self.args(inst);
        let number = |key, default: u64| data.attrs.get(key).unwrap_or(default);
        // Word 1 of `derivative` is coarse; without a word the choice is implementation-defined, here fine.
        let coarse = data.attrs.get(Key::Derivative) == Some(1);
        let cluster = number(Key::Cluster, 0) as u32;
        let group = match op {
            GroupOp::Ddx => Group::Derivative { axis: 1, coarse },
            GroupOp::Ddy => Group::Derivative { axis: 2, coarse },
            GroupOp::Fwidth => Group::Fwidth { coarse },
            GroupOp::Barrier => Group::Barrier { exec: number(Key::Exec, u64::from(u8::MAX)) as u8 },
            GroupOp::QuadBroadcast => Group::QuadBroadcast,
            GroupOp::QuadSwap => Group::QuadSwap { axis: number(Key::Axis, 0) as u8 + 1 },
            GroupOp::QuadAll => Group::QuadVote { all: true },
            GroupOp::QuadAny => Group::QuadVote { all: false },
            GroupOp::Elect => Group::Elect,
            GroupOp::VoteAll => Group::Vote { all: true },
            GroupOp::VoteAny => Group::Vote { all: false },
            GroupOp::VoteIEq => Group::VoteEq { float: false },
            GroupOp::VoteFEq => Group::VoteEq { float: true },
            GroupOp::Ballot => Group::Ballot,
            GroupOp::BallotInverse => Group::BallotInverse,
            GroupOp::BallotBit => Group::BallotBit,
            GroupOp::BallotCount => Group::BallotCount { how: number(Key::How, 0) as u8 },
            GroupOp::BallotLsb => Group::BallotFind { last: false },
            GroupOp::BallotMsb => Group::BallotFind { last: true },
            GroupOp::Broadcast => Group::Broadcast,
            GroupOp::BroadcastFirst => Group::BroadcastFirst,
            GroupOp::Shuffle => Group::Shuffle,
            GroupOp::ShuffleXor => Group::ShuffleXor,
            GroupOp::ShuffleUp => Group::ShuffleUp,
            GroupOp::ShuffleDown => Group::ShuffleDown,
            GroupOp::Rotate => Group::Rotate { cluster },
            GroupOp::Reduce => {
                Group::Reduce { op: number(Key::Reduce, 0) as u8, how: number(Key::How, 0) as u8, cluster }
            }
        };
        // Word 2 of `scope` is the workgroup, which kernels may use.
        let workgroup = op != GroupOp::Barrier && data.attrs.get(Key::Scope) == Some(2);
        self.emit(Opcode::Group { does: group, workgroup }, inst, &args);
        Ok(())
    }
}

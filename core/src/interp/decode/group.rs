//! Cross-invocation operations: attributes become fields.

use super::func::FuncDecoder;
use crate::interp::micro_op::{GroupOpcode, Opcode};
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
            GroupOp::Ddx => GroupOpcode::Derivative { axis: 1, coarse },
            GroupOp::Ddy => GroupOpcode::Derivative { axis: 2, coarse },
            GroupOp::Fwidth => GroupOpcode::Fwidth { coarse },
            GroupOp::Barrier => GroupOpcode::Barrier { exec: number(Key::Exec, u64::from(u8::MAX)) as u8 },
            GroupOp::QuadBroadcast => GroupOpcode::QuadBroadcast,
            GroupOp::QuadSwap => GroupOpcode::QuadSwap { axis: number(Key::Axis, 0) as u8 + 1 },
            GroupOp::QuadAll => GroupOpcode::QuadVote { all: true },
            GroupOp::QuadAny => GroupOpcode::QuadVote { all: false },
            GroupOp::Elect => GroupOpcode::Elect,
            GroupOp::VoteAll => GroupOpcode::Vote { all: true },
            GroupOp::VoteAny => GroupOpcode::Vote { all: false },
            GroupOp::VoteIEq => GroupOpcode::VoteEq { float: false },
            GroupOp::VoteFEq => GroupOpcode::VoteEq { float: true },
            GroupOp::Ballot => GroupOpcode::Ballot,
            GroupOp::BallotInverse => GroupOpcode::BallotInverse,
            GroupOp::BallotBit => GroupOpcode::BallotBit,
            GroupOp::BallotCount => GroupOpcode::BallotCount { how: number(Key::How, 0) as u8 },
            GroupOp::BallotLsb => GroupOpcode::BallotFind { last: false },
            GroupOp::BallotMsb => GroupOpcode::BallotFind { last: true },
            GroupOp::Broadcast => GroupOpcode::Broadcast,
            GroupOp::BroadcastFirst => GroupOpcode::BroadcastFirst,
            GroupOp::Shuffle => GroupOpcode::Shuffle,
            GroupOp::ShuffleXor => GroupOpcode::ShuffleXor,
            GroupOp::ShuffleUp => GroupOpcode::ShuffleUp,
            GroupOp::ShuffleDown => GroupOpcode::ShuffleDown,
            GroupOp::Rotate => GroupOpcode::Rotate { cluster },
            GroupOp::Reduce => GroupOpcode::Reduce {
                op: number(Key::Reduce, 0) as u8,
                how: number(Key::How, 0) as u8,
                cluster,
            },
        };
        // Word 2 of `scope` is the workgroup, which kernels may use.
        let workgroup = op != GroupOp::Barrier && data.attrs.get(Key::Scope) == Some(2);
        self.emit(Opcode::Group { does: group, workgroup }, inst, &args);
        Ok(())
    }
}

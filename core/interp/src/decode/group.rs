//! Cross-invocation operations: attributes become fields.

use super::func::FuncDecoder;
use crate::micro_op::{GroupOpcode, Opcode};
use vitrine_ir::ops::{Axis, Derivative, GroupOp, How, Key, Reduction, Scope};
use vitrine_ir::{Diag, Inst};

impl FuncDecoder<'_, '_> {
    pub(super) fn group(&mut self, op: GroupOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args = self.args(inst);
        // Without a word the choice is implementation-defined, here fine.
        let coarse = data.attrs.word() == Some(Derivative::Coarse);
        let cluster = data.attrs.get(Key::Cluster).unwrap_or(0) as u32;
        let how = data.attrs.word().unwrap_or(How::All);
        let group = match op {
            GroupOp::Ddx => GroupOpcode::Derivative { axis: 1, coarse },
            GroupOp::Ddy => GroupOpcode::Derivative { axis: 2, coarse },
            GroupOp::Fwidth => GroupOpcode::Fwidth { coarse },
            GroupOp::Barrier => GroupOpcode::Barrier { exec: data.attrs.word_of(Key::Exec) },
            GroupOp::QuadBroadcast => GroupOpcode::QuadBroadcast,
            GroupOp::QuadSwap => {
                GroupOpcode::QuadSwap { axis: data.attrs.word().unwrap_or(Axis::Horizontal) }
            }
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
            GroupOp::BallotCount => GroupOpcode::BallotCount { how },
            GroupOp::BallotLsb => GroupOpcode::BallotFind { last: false },
            GroupOp::BallotMsb => GroupOpcode::BallotFind { last: true },
            GroupOp::Broadcast => GroupOpcode::Broadcast,
            GroupOp::BroadcastFirst => GroupOpcode::BroadcastFirst,
            GroupOp::Shuffle => GroupOpcode::Shuffle,
            GroupOp::ShuffleXor => GroupOpcode::ShuffleXor,
            GroupOp::ShuffleUp => GroupOpcode::ShuffleUp,
            GroupOp::ShuffleDown => GroupOpcode::ShuffleDown,
            GroupOp::Rotate => GroupOpcode::Rotate { cluster },
            GroupOp::Reduce => {
                GroupOpcode::Reduce { op: data.attrs.word().unwrap_or(Reduction::IAdd), how, cluster }
            }
        };
        // Kernels have group operations of the whole workgroup.
        let workgroup = op != GroupOp::Barrier && data.attrs.word() == Some(Scope::Workgroup);
        self.emit(Opcode::Group { does: group, workgroup }, inst, &args);
        Ok(())
    }
}

//! What a function is decoded into: a flat array of compact instructions over rows of lanes.
//!
//! A value of `n` parts takes `n` rows; a row holds one word for each lane of the machine. Constants have rows of
//! their own, shared by all functions. Nothing here refers to the IR but by id, for those who watch.

use super::tex::Dim;
use crate::ir::{Block, Inst, Stop, Var};
use crate::ops::scalar::{Scalar, Width};
use crate::ops::{Bits, Cx, Role, TexOp};

/// A row: of the frame, or, with [`CONST`] set, of the constants.
pub(super) type Slot = u32;
/// Marks a row of the constants.
pub(super) const CONST: Slot = 1 << 31;
/// No row, no place.
pub(super) const NONE: u32 = u32::MAX;

/// An operand: its first row, and how to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pub(super) slot: Slot,
    pub(super) width: Width,
    pub(super) parts: u8,
}

pub(super) type ComponentFn = fn(&[Scalar], Cx) -> Scalar;
pub(super) type WholeFn = fn(&[Bits], Cx) -> Bits;

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct MicroOp {
    pub(super) what: Opcode,
    /// First row of the result.
    pub(super) dst: Slot,
    /// Rows of the result.
    pub(super) parts: u8,
    /// Number of operands.
    pub(super) count: u8,
    /// Width of the result.
    pub(super) to: Width,
    /// First operand in `Code::args`.
    pub(super) args: u32,
    /// The instruction of the IR; none for an exit.
    pub(super) inst: Option<Inst>,
}

/// Arithmetic common enough for a loop of its own. `ops` says what it means; a test compares the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fast {
    FAdd32,
    FSub32,
    FMul32,
    FNeg32,
    FAbs32,
    FLt32,
    FGt32,
    FLe32,
    FGe32,
    IAdd,
    ISub,
    IMul,
    IAnd,
    IOr,
    IXor,
    IEq,
    INe,
    ILt32,
    IGt32,
    ILe32,
    IGe32,
    ULt,
    UGe,
}

/// What an instruction may not be given, checked before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guard {
    /// Operand 1 is zero.
    Divisor,
    /// Operand 1 is as wide as the value, or wider.
    Shift,
    /// Operands 1 and 2 (or 2 and 3) name bits the value does not have: offset plus count.
    Field { first: u8 },
    /// Operand 1 is no lane of operand 0, or operand 2 none of it.
    Lane { index: u8 },
}

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opcode {
    /// Part by part.
    Lanes(ComponentFn),
    /// The same with subnormal operands and results flushed to zero.
    Flushed(ComponentFn),
    /// Part by part, in a loop of its own.
    Fast(Fast),
    /// From whole values.
    Whole(WholeFn),
    /// Row `k` of the result is the first row of operand `k`.
    Move,
    /// Picks by operand 0, part by part or as a whole.
    Select,
    /// The lane of operand 0 that operand 1 names.
    Extract,
    /// Operand 0 with operand 1 in the lane that operand 2 names.
    Insert,
    /// Looks for undefined behaviour of the instruction behind it.
    Check(Guard),
    /// Nothing to do but to be seen: an assumption that must hold.
    Assume,

    /// The address of local variable number so.
    Local(u32),
    /// So many bytes further on.
    Offset(i64),
    /// Element operand 1, of so many (`NONE`: unknown); stride in bytes.
    Elem {
        stride: u32,
        count: u32,
    },
    /// Buffer operand 1 of an array of buffers; every element stands for `stride` buffers.
    Buffer {
        stride: u32,
        count: u32,
    },
    /// Reads parts of `bytes` bytes each, `step` bytes apart.
    Load {
        bytes: u8,
        step: u32,
    },
    /// Writes the parts of operand 1 that are in the mask.
    Store {
        bytes: u8,
        step: u32,
        mask: u16,
    },
    /// Copies the runs of copy plan number so.
    Copy(u32),
    /// Copies operand 2 bytes.
    CopyBytes,
    /// Elements of `stride` bytes from `offset` bytes behind the address on.
    Count {
        stride: u32,
        offset: u32,
    },
    /// Reads, combines by row number so of `Key::Atomic`, writes, and yields what was there.
    Atomic {
        bytes: u8,
        op: u8,
    },
    /// The same by comparing with operand 1.
    Swap {
        bytes: u8,
    },
    /// Compares two addresses; whether equality is asked for.
    Same {
        equal: bool,
    },
    /// Distance of two addresses in elements.
    Distance {
        stride: u32,
    },
    /// Address to bits and back.
    ToBits,
    FromBits,

    /// Writes the parts of operand 0 in the mask into the register that starts at the result's rows.
    Keep {
        mask: u16,
    },
    /// Element operand 0 of a register array that starts at row `from`.
    Pick {
        from: Slot,
        len: u32,
    },
    /// Writes element operand 0 of a register array, the parts in the mask.
    Put {
        len: u32,
        mask: u16,
    },

    /// Calls function number so of the program.
    Call(u32),
    /// Looks at other lanes: of the subgroup, or of the workgroup.
    Group {
        does: Group,
        workgroup: bool,
    },
    /// Sampling, image access and queries, by number.
    Tex(u32),
    /// Two handles in one, and the image of one that has both.
    Combine,
    ImageOf,
    /// The address of a texel.
    Texel(u32),
    /// Interface access, by number.
    Io(u32),

    /// To a block.
    Goto(u32),
    /// By operand 0 along this edge or the next one.
    Branch(u32),
    /// By operand 0 along an edge of switch number so.
    Switch(u32),
    /// The end of a round: on to where each lane wanted to go.
    Latch {
        hidden: Slot,
    },
    /// Back to the caller, with operand 0 if there is one.
    Return,
    /// Ends the lanes.
    Stop(Stop),
}

/// What looks at other lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// Change along an axis (1: right, 2: down), coarse or fine.
    Derivative {
        axis: u8,
        coarse: bool,
    },
    Fwidth {
        coarse: bool,
    },
    /// Waits for lanes of this scope (`NONE`: memory only).
    Barrier {
        exec: u8,
    },
    QuadBroadcast,
    QuadSwap {
        axis: u8,
    },
    QuadVote {
        all: bool,
    },
    Elect,
    Vote {
        all: bool,
    },
    VoteEq {
        float: bool,
    },
    Ballot,
    BallotInverse,
    BallotBit,
    BallotCount {
        how: u8,
    },
    BallotFind {
        last: bool,
    },
    Broadcast,
    BroadcastFirst,
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    Rotate {
        cluster: u32,
    },
    /// Row numbers of `Key::Reduce` and `Key::How`.
    Reduce {
        op: u8,
        how: u8,
        cluster: u32,
    },
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeCode {
    /// Moves in `Code::moves`: first and count.
    pub(super) moves: u32,
    pub(super) count: u32,
    /// Whether a move writes what a later one reads.
    pub(super) overlap: bool,
    /// Where the code of the target begins.
    pub(super) to: u32,
    /// The latch to wait at before going back; `NONE` for a way forward.
    pub(super) latch: u32,
    /// Where the latch looks for the target.
    pub(super) hidden: Slot,
}

/// Values and their edges, sorted by value; then the edge for all others.
#[derive(Clone, Debug, Default)]
pub(super) struct SwitchCode {
    pub(super) cases: Vec<(u64, u32)>,
    pub(super) default: u32,
}

/// A variable of each call.
#[derive(Clone, Debug)]
pub(super) struct LocalCode {
    pub(super) var: Var,
    pub(super) bytes: u64,
    pub(super) init: Vec<super::consts::Piece>,
}

/// Bytes copied from one layout to another: to, from, how many.
pub(super) type CopyPlan = Vec<(u32, u32, u32)>;

/// An image operation.
#[derive(Clone, Debug)]
pub(super) struct TexCode {
    pub(super) op: TexOp,
    pub(super) dim: Dim,
    pub(super) arrayed: bool,
    pub(super) sparse: bool,
    /// Operands by role.
    pub(super) roles: Vec<(Role, Arg)>,
}

impl TexCode {
    /// The operand that plays a role.
    pub(super) fn role(&self, role: Role) -> Option<Arg> {
        self.roles.iter().find(|(known, _)| *known == role).map(|&(_, arg)| arg)
    }
}

/// A function, decoded.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) micros: Vec<MicroOp>,
    pub(super) args: Vec<Arg>,
    pub(super) edges: Vec<EdgeCode>,
    /// From row, to row.
    pub(super) moves: Vec<(Slot, Slot)>,
    pub(super) switches: Vec<SwitchCode>,
    pub(super) copies: Vec<CopyPlan>,
    pub(super) texes: Vec<TexCode>,
    pub(super) ios: Vec<super::io::IoCode>,
    pub(super) locals: Vec<LocalCode>,
    /// Rows of a frame.
    pub(super) rows: u32,
    /// The rows that are registers, if there are any: undefined at first.
    pub(super) registers: Option<(Slot, Slot)>,
    /// First row and rows of each parameter.
    pub(super) params: Vec<(Slot, u8)>,
    /// Where each block begins, in order of the code.
    pub(super) blocks: Vec<(u32, Block)>,
    /// Rows of each value: first row and count.
    pub(super) values: crate::base::SideTable<Inst, (Slot, u8)>,
}

impl Code {
    /// The operands of an instruction.
    pub(super) fn args_of(&self, micro: &MicroOp) -> &[Arg] {
        let from = micro.args as usize;
        self.args.get(from..from + usize::from(micro.count)).unwrap_or(&[])
    }

    /// The block an instruction is in.
    pub(super) fn block_at(&self, pc: u32) -> Option<Block> {
        let after = self.blocks.partition_point(|&(from, _)| from <= pc);
        self.blocks.get(after.checked_sub(1)?).map(|&(_, block)| block)
    }
}

//! The target of decoding: a flat array of compact instructions over virtual registers.
//!
//! A value of `n` components takes `n` virtual registers; a virtual register holds one word for each
//! invocation of the machine. Constants have separate virtual registers, shared by all functions. Refers
//! to the IR only by ids, for debuggers.

use vitrine_ir::ops::scalar::{Scalar, Width};
use vitrine_ir::ops::{AtomicOp, Axis, Bits, Cx, Dim, How, Reduction, Role, Scope, TexOp};
use vitrine_ir::{Block, Inst, Stop, Var};

/// A virtual register of the frame, or, with [`CONST`] set, of the constants.
pub(super) type Slot = u32;
/// Marks a virtual register of the constants.
pub(super) const CONST: Slot = 1 << 31;
/// No register, no position.
pub(super) const NONE: u32 = u32::MAX;

/// An operand: its first virtual register, and how to read it.
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
    /// First virtual register of the result.
    pub(super) dst: Slot,
    /// Number of virtual registers of the result.
    pub(super) parts: u8,
    /// Number of operands.
    pub(super) count: u8,
    /// Width of the result.
    pub(super) to: Width,
    /// First operand in `Code::args`.
    pub(super) args: u32,
    /// The instruction of the IR; `None` for a terminator.
    pub(super) inst: Option<Inst>,
}

/// Common arithmetic with a specialized loop. The semantics are those of `ops`; a test compares the two.
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

/// A precondition of an instruction, checked before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Precondition {
    /// Operand 1 must not be zero.
    Divisor,
    /// Operand 1 must be less than the width.
    Shift,
    /// Operands 1 and 2 (or 2 and 3), offset and count, must name bits within the width.
    Field { first: u8 },
    /// The operand `index` must be a component index of operand 0.
    Component { index: u8 },
    /// Operand 0, a float, must be within the range of integers of this width.
    Conversion { signed: bool, to: Width },
    /// Operand `first` must not exceed the operand after it, nor be equal to it if `strict`.
    Bounds { first: u8, kind: Number, strict: bool },
}

/// What the bits of the operands of a precondition mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Signed,
    Unsigned,
    Float,
}

/// The operation of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opcode {
    /// Component by component.
    ByComponent(ComponentFn),
    /// Component by component, with subnormal operands and results flushed to zero.
    Flushed(ComponentFn),
    /// Component by component, in a specialized loop.
    Fast(Fast),
    /// From whole values.
    Whole(WholeFn),
    /// Component `k` of the result is the first component of operand `k`.
    Move,
    /// Selects by operand 0, component by component or as a whole.
    Select,
    /// The component of operand 0 with index operand 1.
    Extract,
    /// Operand 0 with operand 1 as the component with index operand 2.
    Insert,
    /// Checks a precondition of the next instruction.
    Check(Precondition),
    /// No operation except for debuggers: an assumption that must hold.
    Assume,
    /// Writes the operands as the format of the instruction states.
    Print,

    /// The address of a local variable, by number.
    Local(u32),
    /// Adds a constant number of bytes.
    Offset(i64),
    /// Element operand 1 of an array of `count` elements (`NONE`: unknown); stride in bytes.
    Elem {
        stride: u32,
        count: u32,
    },
    /// Buffer operand 1 of an array of buffers; every element consists of `stride` buffers.
    Buffer {
        stride: u32,
        count: u32,
    },
    /// Reads components of `bytes` bytes each, `step` bytes apart.
    Load {
        bytes: u8,
        step: u32,
    },
    /// Writes the components of operand 1 that are in the mask.
    Store {
        bytes: u8,
        step: u32,
        mask: u16,
    },
    /// Copies the ranges of a copy plan, by number.
    Copy(u32),
    /// Copies operand 2 bytes.
    CopyBytes,
    /// The number of elements of `stride` bytes from `offset` bytes after the address to the end.
    Count {
        stride: u32,
        offset: u32,
    },
    /// Reads, combines, writes, and yields the old value.
    Atomic {
        bytes: u8,
        op: AtomicOp,
    },
    /// Compare and exchange with operand 1.
    Swap {
        bytes: u8,
    },
    /// Compares two addresses for equality or inequality.
    Same {
        equal: bool,
    },
    /// Distance of two addresses in elements.
    Distance {
        stride: u32,
    },
    /// Converts between addresses and bits.
    ToBits,
    FromBits,

    /// Writes the components of operand 0 in the mask to the register that starts at the result.
    Keep {
        mask: u16,
    },
    /// Element operand 0 of a register array that starts at `from`.
    Pick {
        from: Slot,
        len: u32,
    },
    /// Writes element operand 0 of a register array, the components in the mask.
    Put {
        len: u32,
        mask: u16,
    },

    /// Calls a function of the program, by number.
    Call(u32),
    /// Invokes a shader, by number of its function, for the invocations in which operand 0 is true.
    CallWhere(u32),
    /// An instruction about rays, by number.
    Ray(u32),
    /// Cross-invocation operation: of the subgroup, or of the workgroup.
    Group {
        does: GroupOpcode,
        workgroup: bool,
    },
    /// Sampling, image access and queries, by number.
    Tex(u32),
    /// Combines an image and a sampler handle, and extracts the image of a combined one.
    Combine,
    ImageOf,
    /// The address of a texel.
    Texel(u32),
    /// Interface access, by number.
    Io(u32),

    /// Jumps to a block.
    Goto(u32),
    /// Branches by operand 0 along this edge or the next one.
    Branch(u32),
    /// Branches by operand 0 along an edge of a switch, by number.
    Switch(u32),
    /// The end of an iteration: invocations continue at their targets.
    Latch {
        hidden: Slot,
    },
    /// Returns to the caller, with operand 0 if there is one.
    Return,
    /// Terminates the invocations.
    Stop(Stop),
}

/// Cross-invocation operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GroupOpcode {
    /// Derivative along an axis (1: right, 2: down), coarse or fine.
    Derivative {
        axis: u8,
        coarse: bool,
    },
    Fwidth {
        coarse: bool,
    },
    /// Waits for the invocations of this scope (none: memory only).
    Barrier {
        exec: Option<Scope>,
    },
    QuadBroadcast,
    QuadSwap {
        axis: Axis,
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
        how: How,
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
    Reduce {
        op: Reduction,
        how: How,
        cluster: u32,
    },
}

/// An edge between two blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeCode {
    /// Moves in `Code::moves`: first and count.
    pub(super) moves: u32,
    pub(super) count: u32,
    /// If set, a move writes a register that a later one reads.
    pub(super) overlap: bool,
    /// The start of the code of the target.
    pub(super) to: u32,
    /// The latch to wait at before the back edge; `NONE` for a forward edge.
    pub(super) latch: u32,
    /// The register that holds the target for the latch.
    pub(super) hidden: Slot,
}

/// Values and their edges, sorted by value; then the default edge.
#[derive(Clone, Debug, Default)]
pub(super) struct SwitchCode {
    pub(super) cases: Vec<(u64, u32)>,
    pub(super) default: u32,
}

/// A local variable.
#[derive(Clone, Debug)]
pub(super) struct LocalCode {
    pub(super) var: Var,
    pub(super) bytes: u64,
    pub(super) init: Vec<super::consts::Piece>,
}

/// Ranges of bytes copied from one layout to another: destination, source, count.
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
    /// The operand with a role.
    pub(super) fn role(&self, role: Role) -> Option<Arg> {
        self.roles.iter().find(|(known, _)| *known == role).map(|&(_, arg)| arg)
    }
}

/// A decoded function.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) micros: Vec<MicroOp>,
    pub(super) args: Vec<Arg>,
    pub(super) edges: Vec<EdgeCode>,
    /// Source register, destination register.
    pub(super) moves: Vec<(Slot, Slot)>,
    pub(super) switches: Vec<SwitchCode>,
    pub(super) copies: Vec<CopyPlan>,
    pub(super) texes: Vec<TexCode>,
    pub(super) ios: Vec<super::io::IoCode>,
    pub(super) rays: Vec<super::ray_code::RayCode>,
    /// Scalars and vectors of payloads.
    pub(super) payloads: Vec<Vec<super::interface::Leaf>>,
    pub(super) locals: Vec<LocalCode>,
    /// Number of virtual registers of a frame.
    pub(super) vregs: u32,
    /// The virtual registers of IR registers, if there are any: undefined at first.
    pub(super) registers: Option<(Slot, Slot)>,
    /// First virtual register and number of components of each parameter.
    pub(super) params: Vec<(Slot, u8)>,
    /// The start of each block, in order of the code.
    pub(super) blocks: Vec<(u32, Block)>,
    /// First virtual register and number of components of each value.
    pub(super) values: vitrine_ir::base::SideTable<Inst, (Slot, u8)>,
}

impl Code {
    /// The operands of an instruction.
    pub(super) fn args_of(&self, micro: &MicroOp) -> &[Arg] {
        let from = micro.args as usize;
        self.args.get(from..from + usize::from(micro.count)).unwrap_or(&[])
    }

    /// The block that contains an instruction.
    pub(super) fn block_at(&self, pc: u32) -> Option<Block> {
        let after = self.blocks.partition_point(|&(from, _)| from <= pc);
        self.blocks.get(after.checked_sub(1)?).map(|&(_, block)| block)
    }
}

//! References to entities of a program or a text: a value, an operand, a block, a range of bytes.

use super::{Block, Func, Global, Inst, Node, Reg, Struct, Var};

/// A link target. Ids that belong to a function come with the function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Anchor {
    /// The module as a whole.
    Module,
    /// A structure.
    Struct(Struct),
    /// A member of a structure, from 0.
    Member(Struct, u32),
    /// A module constant.
    Global(Global),
    /// A variable.
    Var(Var),
    /// An entry point, by its index in the list.
    Entry(u32),
    /// A function.
    Func(Func),
    /// A register.
    Reg(Func, Reg),
    /// An instruction.
    Inst(Func, Inst),
    /// Operand of an instruction, from 0.
    Arg(Func, Inst, u32),
    /// A block.
    Block(Func, Block),
    /// The terminator of a block.
    Terminator(Func, Block),
    /// A value that the terminator of a block uses, in order of `Terminator::for_each_use`, from 0.
    TerminatorArg(Func, Block, u32),
    /// A node of the tree.
    Node(Func, Node),
    /// Bytes of the input text: start and length.
    Span(u32, u32),
    /// A word of the input binary, from 0.
    Word(u32),
}

impl Anchor {
    /// The definition that a use of this anchor refers to: an operand's instruction, a terminator's block.
    #[must_use]
    pub fn owner(self) -> Anchor {
        match self {
            Anchor::Arg(func, inst, _) => Anchor::Inst(func, inst),
            Anchor::Terminator(func, block) | Anchor::TerminatorArg(func, block, _) => {
                Anchor::Block(func, block)
            }
            Anchor::Member(structure, _) => Anchor::Struct(structure),
            other => other,
        }
    }
}

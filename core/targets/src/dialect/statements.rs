//! Questions about statements: which values are written at their use, and how loops and choices look.

use crate::expr::Token;
use crate::number::NumberType;
use crate::plan;
use crate::print::{LoopLines, loop_lines};
use crate::stmt::{Arena, Head, StmtId};
use vitrine_ir::{Anchor, Inst, InstData};

/// What the engine asks about statements.
pub(crate) trait Statements {
    /// Returns true if an operator multiplies matrices and vectors, so that products of these are found.
    fn multiplies_matrices(&self) -> bool {
        false
    }

    /// Returns true if the text of an instruction contains the operand `arg` more than once. By default, lookups take the place
    /// in a layer and the layer as two arguments, and other operations are written by the common spellings.
    fn repeats_operand(&self, data: &InstData, arg: Inst) -> bool {
        plan::repeats(data, arg)
    }

    /// Returns true if one assignment may write some components of a vector: `a.xw = v`. That is the default.
    fn assigns_components(&self) -> bool {
        true
    }

    /// Returns true if `c ? yes : no` means the same as an `if` that assigns one of these values. Neither is a choice itself.
    fn may_choose(&self, yes: &[Token], no: &[Token]) -> bool;

    /// Returns true if loops have a block that ends each iteration and sees the names of the body. By default they have none.
    fn has_continuing_block(&self) -> bool {
        false
    }

    /// The declaration of a variable without a value, before a loop, in place of the definition of `name` in it. `None` if it is
    /// the part of the definition before the value, as by default.
    fn declare_before_loop(&self, _name: &Token, _ty: NumberType) -> Option<Vec<Token>> {
        None
    }

    /// The lines of a loop around its body. `continuing` are the statements that end each iteration, empty without a block
    /// for them. By default those of `for`, `while` and `do`.
    fn loop_lines<'a>(
        &self,
        _arena: &'a Arena,
        head: &Head,
        _continuing: &'a [StmtId],
        anchor: Anchor,
    ) -> LoopLines<'a> {
        let (first, last) = loop_lines(head, anchor);
        LoopLines { first, last, end: None }
    }

    /// Changes the tokens of a line of statements, when all of them are known. By default nothing.
    fn finish_line(&self, _tokens: &mut Vec<Token>) {}
}

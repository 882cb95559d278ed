//! WGSL: loops, choices, and what is written at its use, as the engine asks about them.

use super::Wgsl;
use crate::dialect::Statements;
use crate::expr::{Expr, Token, punct, space};
use crate::number::NumberType;
use crate::plan;
use crate::print::{IterationEnd, LoopLines, keyword, loop_lines};
use crate::stmt::{Arena, Head, StmtId};
use vitrine_ir::ops::{Key, MemoryOp, Op, RegOp};
use vitrine_ir::{Anchor, Inst, InstData};
use vitrine_text::Class;

impl Statements for Wgsl {
    fn repeats_operand(&self, data: &InstData, arg: Inst) -> bool {
        match data.op {
            // One assignment for each component.
            Op::Memory(MemoryOp::Store) | Op::Reg(RegOp::Store | RegOp::StoreAt) => data.attrs.has(Key::Mask),
            _ => plan::repeats(data, arg),
        }
    }

    fn assigns_components(&self) -> bool {
        false
    }

    /// `select` computes both values.
    fn may_choose(&self, _yes: &[Token], _no: &[Token]) -> bool {
        false
    }

    fn has_continuing_block(&self) -> bool {
        true
    }

    fn declare_before_loop(&self, name: &Token, ty: NumberType) -> Option<Vec<Token>> {
        let ty = super::types::number(ty)?;
        let mut tokens = vec![Token::new(Class::Keyword, "var"), space(), name.clone()];
        tokens.extend([punct(":"), space(), Token::new(Class::Type, ty)]);
        Some(tokens)
    }

    /// The test after each iteration is in the block that ends it.
    fn loop_lines<'a>(
        &self,
        arena: &'a Arena,
        head: &Head,
        continuing: &'a [StmtId],
        anchor: Anchor,
    ) -> LoopLines<'a> {
        let (first, last) = match head {
            Head::Endless | Head::Until(_) => {
                let first = vec![Token::linked(Class::Keyword, "loop", anchor), space(), punct("{")];
                (first, vec![punct("}")])
            }
            Head::While(_) | Head::For(..) => loop_lines(head, anchor),
        };
        let end = match (head, continuing) {
            (Head::Until(cond), _) => Some(iteration_end(&[], Some(cond.clone()))),
            (_, []) => None,
            (_, [rest @ .., last]) => match arena.stays_if(*last).filter(|(_, rest)| rest.is_empty()) {
                Some((cond, _)) => Some(iteration_end(rest, Some(cond))),
                None => Some(iteration_end(continuing, None)),
            },
        };
        LoopLines { first, last, end }
    }

    fn finish_line(&self, tokens: &mut Vec<Token>) {
        ungroup_pointees(tokens);
    }
}

/// The block that ends each iteration, after which the loop goes on if a condition holds.
fn iteration_end(stmts: &[StmtId], stays: Option<Expr>) -> IterationEnd<'_> {
    let test = stays.map(|cond| {
        let mut test = vec![keyword("break"), space(), keyword("if"), space()];
        test.extend(cond.negated().tokens);
        test.push(punct(";"));
        test
    });
    IterationEnd { first: vec![keyword("continuing"), space(), punct("{")], stmts, test }
}

/// Removes parentheses around `*name`, which a path begins with, where neither a member nor an element of it follows.
fn ungroup_pointees(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while let Some([open, star, _, close]) = tokens.get(at..at + 4) {
        let is_group = open.text.as_str() == "(" && star.text.as_str() == "*" && close.text.as_str() == ")";
        if is_group && !is_call(at.checked_sub(1).and_then(|before| tokens.get(before))) {
            let after = tokens.get(at + 4).map_or("", |after| after.text.as_str());
            if !after.starts_with(['.', '[']) {
                tokens.remove(at + 3);
                tokens.remove(at);
            }
        }
        at += 1;
    }
}

/// Returns true if parentheses after a token are those of a call.
fn is_call(before: Option<&Token>) -> bool {
    let before = before.map_or("", |before| before.text.as_str());
    before.ends_with(|last: char| last.is_ascii_alphanumeric() || "_>".contains(last))
        && !matches!(before, ">" | ">>")
}

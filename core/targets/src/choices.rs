//! An `if` that assigns one variable in both arms is a choice of values, in languages with `?:`.
//!
//! ```text
//! float r;                                  float r = x > 0.0 ? x : y;
//! if (x > 0.0) { r = x; } else { r = y; }
//! ```
//!
//! A temporary that holds a choice for the next statement, which only copies it, is not declared: `x = x > 0.0 ? x : y`. Temporaries
//! are registers, and variables without a name, that are read once.
//!
//! One of the values is computed, as by the `if`: the languages define so for conditions of one component. A value that is
//! a choice itself, and a line that would be broken, stay statements. Apart from the temporaries, knows statements only, not the program.

use super::declaration_sites::Named;
use super::dialect::Dialect;
use super::expr::{Expr, Prec, Token, space};
use super::plan::Plan;
use super::stmt::{Arena, Stmt, StmtId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, RegOp};
use vitrine_ir::{Anchor, FuncBody, Inst, Module, Reg, Var};
use vitrine_text::Class;

/// The longest choice, in columns. The declaration and the indentation come on top.
const MOST_COLUMNS: usize = 72;

impl Arena {
    /// The statement that assigns a choice instead of an `if` with these arms, if there is one. Takes the declaration of the
    /// variable from the end of the list of statements before it.
    pub(super) fn choice(
        &mut self,
        dialect: &dyn Dialect,
        cond: &Expr,
        (then, els): (&[StmtId], &[StmtId]),
        anchor: Anchor,
        list: &mut Vec<StmtId>,
    ) -> Option<Stmt> {
        let (&[then], &[els]) = (then, els) else { return None };
        let (yes, no) = (self.assigned(then)?, self.assigned(els)?);
        if yes.name != no.name
            || has_choice(&yes.value)
            || has_choice(&no.value)
            || !dialect.may_choose(&yes.value, &no.value)
        {
            return None;
        }
        let mut value = cond.clone().at_least(Prec::LogicalOr).tokens;
        value.extend([space(), Token::linked(Class::Op, "?", anchor), space()]);
        value.extend(yes.value);
        value.extend([space(), Token::linked(Class::Op, ":", anchor), space()]);
        value.extend(no.value);
        let columns: usize = value.iter().map(|token| token.text.as_str().chars().count()).sum();
        if columns > MOST_COLUMNS || has_choice(&cond.tokens) {
            return None;
        }
        let (mut tokens, declares) = match self.take_declaration(list, &yes.name) {
            Some(tokens) => (tokens, Some(yes.name.clone())),
            None => (self.target(then)?, None),
        };
        tokens.extend([space(), Token::linked(Class::Op, "=", anchor), space()]);
        tokens.extend(value);
        Some(Stmt::Simple { tokens, declares, assigns: Some(yes.name) })
    }

    /// The statement with the choice in place of the name of the temporary that it copies, if the last statement of a list
    /// declares that. Takes the declaration from the list.
    pub(super) fn with_choice(
        &self,
        stmt: Stmt,
        list: &mut Vec<StmtId>,
        is_temporary: impl Fn(&str) -> bool,
    ) -> Stmt {
        let (Stmt::Simple { tokens, .. } | Stmt::Exit(tokens)) = &stmt else { return stmt };
        let Some((name, before)) = tokens.split_last() else { return stmt };
        let is_copy = match before {
            [target @ .., equals, _] if equals.text.as_str() == "=" => {
                !target.iter().any(|token| token.text.as_str() == "[")
            }
            [word, _] => word.text.as_str() == "return",
            _ => false,
        };
        let declared = list.last().map(|&last| self.get(last));
        let Some(Stmt::Simple { tokens: choice, declares: Some(declared), .. }) = declared else {
            return stmt;
        };
        let is_precise = choice.first().is_some_and(|token| token.text.as_str() == "precise");
        if !is_copy || is_precise || name.text.as_str() != &**declared || !is_temporary(declared) {
            return stmt;
        }
        let Some(equals) = choice.iter().position(|token| token.text.as_str() == "=") else { return stmt };
        let value = choice.get(equals + 2..).unwrap_or_default();
        if !has_choice(value) {
            return stmt;
        }
        let all: Vec<Token> = before.iter().chain(value).cloned().collect();
        list.pop();
        match stmt {
            Stmt::Simple { declares, assigns, .. } => Stmt::Simple { tokens: all, declares, assigns },
            _ => Stmt::Exit(all),
        }
    }

    /// The tokens of the variable that a statement assigns.
    fn target(&self, id: StmtId) -> Option<Vec<Token>> {
        let (_, tokens) = self.assignment(id)?;
        Some(vec![tokens.first()?.clone()])
    }

    /// Removes the declaration of a variable without a value, if it is the last statement of a list.
    fn take_declaration(&self, list: &mut Vec<StmtId>, name: &Rc<str>) -> Option<Vec<Token>> {
        let &last = list.last()?;
        let Stmt::Simple { tokens, declares: Some(declared), assigns: None } = self.get(last) else {
            return None;
        };
        let is_plain = tokens.last().is_some_and(|token| token.text.as_str() == &**name);
        if declared != name || !is_plain {
            return None;
        }
        list.pop();
        Some(tokens.clone())
    }
}

/// Registers, and local variables without a name, whose value is written once.
pub(super) fn temporaries(module: &Module, body: &FuncBody, plan: &Plan) -> FxHashSet<Named> {
    // The times that each is read, and the stores to it: those of a choice are two.
    let mut accesses: FxHashMap<Named, (u32, u32)> = FxHashMap::default();
    let is_unnamed =
        |var: Var| module.var(var).is_some_and(|data| data.owner.is_some() && data.name.is_none());
    let has_unnamed = module.vars().any(|(var, _)| is_unnamed(var));
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        match data.op {
            Op::Reg(RegOp::Store) => {
                if let Some(reg) = data.entity::<Reg>(Key::Reg) {
                    accesses.entry(Named::Reg(reg)).or_default().1 += 1;
                }
            }
            Op::Reg(op) => {
                let Some(reg) = data.entity::<Reg>(Key::Reg) else { return };
                let count = if op == RegOp::Load { plan.uses(inst) } else { 2 };
                accesses.entry(Named::Reg(reg)).or_default().0 += count;
            }
            Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) => {}
            _ if !has_unnamed => {}
            _ => {
                for (at, &arg) in data.args.iter().enumerate() {
                    let Some(var) = whole(body, arg).filter(|&var| is_unnamed(var)) else { continue };
                    let (reads, stores) = accesses.entry(Named::Var(var)).or_default();
                    match (data.op, at) {
                        (Op::Memory(MemoryOp::Store), 0) => *stores += 1,
                        (Op::Memory(MemoryOp::Load), 0) => *reads += plan.uses(inst),
                        _ => *reads += 2,
                    }
                }
            }
        }
    });
    accesses.into_iter().filter(|&(_, counts)| counts == (1, 2)).map(|(named, _)| named).collect()
}

/// The variable that a path is the whole of.
fn whole(body: &FuncBody, path: Inst) -> Option<Var> {
    let data = body.inst(path);
    if data.op == Op::Deref(DerefOp::Var) { data.entity(Key::Var) } else { None }
}

/// Returns true if tokens contain `?`.
fn has_choice(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.text.as_str() == "?")
}

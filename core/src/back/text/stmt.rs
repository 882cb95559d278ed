//! Statements, in an arena: bodies are lists of numbers, so that no depth of nesting needs recursion.
//!
//! Chooses the forms of loops: `for`, `while`, `do`, or an endless loop. A form is chosen only if it does the same as the
//! endless loop that the tree says; nothing is moved or copied.

use super::expr::{Expr, Token};
use crate::ir::Anchor;
use std::rc::Rc;

/// The number of a statement.
pub(super) type StmtId = u32;

/// A list of statements.
pub(super) type List = Vec<StmtId>;

/// The head of a loop.
#[derive(Clone, Debug)]
pub(super) enum Head {
    /// Left by statements in the body only.
    Endless,
    /// Tested before each iteration.
    While(Expr),
    /// Tested after each iteration.
    Until(Expr),
    /// Counts: a statement before the loop if any, the test, and the step.
    For(Option<Vec<Token>>, Expr, Vec<Token>),
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    /// A declaration, an assignment, a call: tokens up to the semicolon, which is not included.
    Simple {
        tokens: Vec<Token>,
        /// The name that it declares.
        declares: Option<Rc<str>>,
        /// The name of the variable that it assigns as a whole, also by a declaration.
        assigns: Option<Rc<str>>,
    },
    /// Leaves the innermost loop or switch.
    Break(Anchor),
    /// Goes on with the next iteration.
    Continue(Anchor),
    /// Any other end: tokens up to the semicolon.
    Exit(Vec<Token>),
    If {
        cond: Expr,
        then: List,
        els: List,
        anchor: Anchor,
    },
    Switch {
        on: Vec<Token>,
        arms: Vec<(Vec<Token>, List)>,
        anchor: Anchor,
    },
    Loop {
        head: Head,
        body: List,
        anchor: Anchor,
    },
}

/// The statements of a function.
#[derive(Default, Debug)]
pub(super) struct Arena {
    stmts: Vec<Stmt>,
}

impl Arena {
    /// Adds a statement.
    pub(super) fn add(&mut self, stmt: Stmt) -> StmtId {
        self.stmts.push(stmt);
        (self.stmts.len() - 1) as StmtId
    }

    /// A statement.
    pub(super) fn get(&self, id: StmtId) -> &Stmt {
        &self.stmts[id as usize]
    }

    fn is_break(&self, list: &[StmtId]) -> bool {
        matches!(list, [one] if matches!(self.get(*one), Stmt::Break(_)))
    }

    fn is_continue(&self, list: &[StmtId]) -> bool {
        matches!(list, [one] if matches!(self.get(*one), Stmt::Continue(_)))
    }

    /// The condition under which an `if` that does nothing but leave the loop stays in it, and the statements that it
    /// executes then.
    fn stays_if(&self, id: StmtId) -> Option<(Expr, List)> {
        let Stmt::If { cond, then, els, .. } = self.get(id) else { return None };
        match (self.is_break(then), self.is_break(els)) {
            (true, false) => Some((cond.clone().negated(), els.clone())),
            (false, true) => Some((cond.clone(), then.clone())),
            _ => None,
        }
    }

    /// A loop around a body. `continues` is the number of `continue` of this loop in it. `may_count` states, for a name,
    /// that the variable is not used after the loop.
    pub(super) fn make_loop(
        &mut self,
        mut body: List,
        mut continues: usize,
        before: Option<StmtId>,
        may_count: impl Fn(&str) -> bool,
    ) -> (Head, List, bool) {
        if body.last().is_some_and(|&last| matches!(self.get(last), Stmt::Continue(_))) {
            body.pop();
            continues -= 1;
        }
        if let Some((cond, first)) = body.first().and_then(|&first| self.stays_if(first)) {
            body.splice(0..1, first);
            let step = (continues == 0).then(|| self.step(&body, &cond)).flatten();
            let Some((name, step)) = step else { return (Head::While(cond), body, false) };
            body.pop();
            let init = before.and_then(|before| match self.get(before) {
                Stmt::Simple { tokens, declares, assigns: Some(assigned), .. }
                    if **assigned == *name && (declares.is_none() || may_count(&name)) =>
                {
                    Some(tokens.clone())
                }
                _ => None,
            });
            let taken = init.is_some();
            return (Head::For(init, cond, step), body, taken);
        }
        if continues == 0
            && let Some((cond, mut rest)) = body.last().and_then(|&last| self.stays_if(last))
            && rest.is_empty()
            && !self.declares_any(&body, &cond)
        {
            body.pop();
            body.append(&mut rest);
            return (Head::Until(cond), body, false);
        }
        if continues == 1
            && let Some(&last) = body.last()
            && let Stmt::If { cond, then, els, .. } = self.get(last)
        {
            let found = match (self.is_continue(then), self.is_break(els)) {
                (true, true) => Some(cond.clone()),
                _ if self.is_break(then) && self.is_continue(els) => Some(cond.clone().negated()),
                _ => None,
            };
            if let Some(cond) = found.filter(|cond| !self.declares_any(&body, cond)) {
                body.pop();
                return (Head::Until(cond), body, false);
            }
        }
        (Head::Endless, body, false)
    }

    /// Returns true if a statement in the body of a loop leaves the loop.
    pub(super) fn is_left(&self, body: &[StmtId]) -> bool {
        // Each statement with true if a `break` there leaves another one.
        let mut work: Vec<(StmtId, bool)> = body.iter().map(|&id| (id, false)).collect();
        while let Some((id, is_inner)) = work.pop() {
            match self.get(id) {
                Stmt::Break(_) if !is_inner => return true,
                Stmt::Exit(_) => return true,
                Stmt::Simple { .. } | Stmt::Break(_) | Stmt::Continue(_) => {}
                Stmt::If { then, els, .. } => work.extend(then.iter().chain(els).map(|&id| (id, is_inner))),
                Stmt::Switch { arms, .. } => {
                    work.extend(arms.iter().flat_map(|(_, list)| list).map(|&id| (id, true)));
                }
                Stmt::Loop { body, .. } => work.extend(body.iter().map(|&id| (id, true))),
            }
        }
        false
    }

    /// The last statement of a body as the step of a counting loop: an assignment to a variable of the condition.
    fn step(&self, body: &[StmtId], cond: &Expr) -> Option<(Rc<str>, Vec<Token>)> {
        let Stmt::Simple { tokens, declares: None, assigns: Some(name) } = self.get(*body.last()?) else {
            return None;
        };
        let is_tested = cond.tokens.iter().any(|token| token.text.as_str() == &**name);
        // A variable that the body declares is not visible in the head.
        let is_local = tokens.iter().any(|token| self.is_declared(body, token.text.as_str()));
        (is_tested && !is_local).then(|| (name.clone(), tokens.clone()))
    }

    fn is_declared(&self, body: &[StmtId], name: &str) -> bool {
        body.iter().any(
            |&id| matches!(self.get(id), Stmt::Simple { declares: Some(declared), .. } if &**declared == name),
        )
    }

    /// Returns true if a condition uses a name that the body declares: it is not visible after the body.
    fn declares_any(&self, body: &[StmtId], cond: &Expr) -> bool {
        let declared: Vec<&str> = body
            .iter()
            .filter_map(|&id| match self.get(id) {
                Stmt::Simple { declares: Some(name), .. } => Some(&**name),
                _ => None,
            })
            .collect();
        cond.tokens.iter().any(|token| declared.contains(&token.text.as_str()))
    }
}

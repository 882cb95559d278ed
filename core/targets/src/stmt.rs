//! Statements, in an arena: bodies are lists of numbers, so that no depth of nesting needs recursion.
//!
//! Answers questions about lists; the forms of loops are chosen by `loops`.

use super::expr::{Expr, Token};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::Anchor;
use vitrine_text::Class;

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
    /// Counts: a statement before the loop if any, the test if any, and the step.
    For(Option<Vec<Token>>, Option<Expr>, Vec<Token>),
}

impl Head {
    /// The parts with tokens.
    pub(super) fn parts(&self) -> Vec<&[Token]> {
        match self {
            Head::Endless => Vec::new(),
            Head::While(cond) | Head::Until(cond) => vec![&cond.tokens],
            Head::For(init, cond, step) => {
                let cond = cond.as_ref().map(|cond| &cond.tokens);
                init.iter().chain(cond).chain([step]).map(Vec::as_slice).collect()
            }
        }
    }
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
        /// Executed at the end of each iteration, in languages that have such a block. It may end with a test that leaves
        /// the loop.
        continuing: List,
        anchor: Anchor,
    },
}

/// The place of a list inside a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Then(StmtId),
    Else(StmtId),
    Arm(StmtId, usize),
}

/// A list of statements that leaves a loop.
pub(super) struct Leaving(pub(super) List);

/// An assignment of a variable as a whole.
pub(super) struct Assigned {
    pub(super) name: Rc<str>,
    pub(super) value: Vec<Token>,
}

/// The assignment of an element of an array.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// The name of the array.
    pub(super) array: Rc<str>,
    pub(super) index: u64,
    pub(super) len: u64,
    /// The array whose element with the same index is the value.
    pub(super) source: Option<Vec<Token>>,
    /// The start of a list of elements: `float[](`. Empty but for the first element.
    pub(super) list: Vec<Token>,
    pub(super) value: Vec<Token>,
}

/// The statements of a function.
#[derive(Default, Debug)]
pub(super) struct Arena {
    stmts: Vec<Stmt>,
    /// The statements that assign an element of an array.
    pub(super) elements: FxHashMap<StmtId, Element>,
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

    pub(super) fn is_break(&self, list: &[StmtId]) -> bool {
        matches!(list, [one] if matches!(self.get(*one), Stmt::Break(_)))
    }

    pub(super) fn is_continue(&self, list: &[StmtId]) -> bool {
        matches!(list, [one] if matches!(self.get(*one), Stmt::Continue(_)))
    }

    /// The condition under which an `if` that does nothing but leave the loop stays in it, and the statements that it
    /// executes then.
    pub(super) fn stays_if(&self, id: StmtId) -> Option<(Expr, List)> {
        let Stmt::If { cond, then, els, .. } = self.get(id) else { return None };
        match (self.is_break(then), self.is_break(els)) {
            (true, false) => Some((cond.clone().negated(), els.clone())),
            (false, true) => Some((cond.clone(), then.clone())),
            _ => None,
        }
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
                Stmt::Loop { body, continuing, .. } => {
                    work.extend(body.iter().chain(continuing).map(|&id| (id, true)));
                }
            }
        }
        false
    }

    /// Visits the statements of a list and those inside of them.
    pub(super) fn visit<'a>(&'a self, list: &[StmtId], mut f: impl FnMut(StmtId, &'a Stmt)) {
        let mut work: Vec<StmtId> = list.to_vec();
        while let Some(id) = work.pop() {
            let stmt = self.get(id);
            f(id, stmt);
            match stmt {
                Stmt::If { then, els, .. } => work.extend(then.iter().chain(els)),
                Stmt::Switch { arms, .. } => work.extend(arms.iter().flat_map(|(_, list)| list)),
                Stmt::Loop { body, continuing, .. } => work.extend(body.iter().chain(continuing)),
                Stmt::Simple { .. } | Stmt::Break(_) | Stmt::Continue(_) | Stmt::Exit(_) => {}
            }
        }
    }

    /// The lists in the body of a loop that end with a `break` of it.
    pub(super) fn leaving(&self, body: &[StmtId]) -> Vec<Leaving> {
        let mut out = Vec::new();
        let mut work: Vec<&[StmtId]> = vec![body];
        while let Some(list) = work.pop() {
            if list.last().is_some_and(|&last| self.is_break(&[last])) {
                out.push(Leaving(list.to_vec()));
            }
            for &id in list {
                if let Stmt::If { then, els, .. } = self.get(id) {
                    work.extend([&then[..], els]);
                }
            }
        }
        out
    }

    /// The lists inside the body of a loop that end with a `continue` of it.
    pub(super) fn continuing_places(&self, body: &[StmtId]) -> Vec<Place> {
        let mut out = Vec::new();
        let ends = |list: &List| list.last().is_some_and(|&last| self.is_continue(&[last]));
        let mut work: Vec<StmtId> = body.to_vec();
        while let Some(id) = work.pop() {
            match self.get(id) {
                Stmt::If { then, els, .. } => {
                    out.extend(ends(then).then_some(Place::Then(id)));
                    out.extend(ends(els).then_some(Place::Else(id)));
                    work.extend(then.iter().chain(els));
                }
                Stmt::Switch { arms, .. } => {
                    for (at, (_, list)) in arms.iter().enumerate() {
                        out.extend(ends(list).then_some(Place::Arm(id, at)));
                        work.extend(list);
                    }
                }
                Stmt::Loop { .. } | Stmt::Simple { .. } => {}
                Stmt::Break(_) | Stmt::Continue(_) | Stmt::Exit(_) => {}
            }
        }
        out
    }

    /// Writes statements before the last one of a list.
    pub(super) fn insert_before_last(&mut self, place: Place, stmts: &[StmtId]) {
        let (Place::Then(id) | Place::Else(id) | Place::Arm(id, _)) = place;
        let list = match (&mut self.stmts[id as usize], place) {
            (Stmt::If { then, .. }, Place::Then(_)) => then,
            (Stmt::If { els, .. }, Place::Else(_)) => els,
            (Stmt::Switch { arms, .. }, Place::Arm(_, at)) => &mut arms[at].1,
            _ => return,
        };
        let at = list.len().saturating_sub(1);
        list.splice(at..at, stmts.iter().copied());
    }

    /// Returns true for a loop that nothing leaves: it has no test or a test of constants, and no statement that ends it.
    pub(super) fn is_forever(&self, id: StmtId) -> bool {
        let Stmt::Loop { head, body, continuing, .. } = self.get(id) else { return false };
        let is_constant = |cond: &Expr| {
            let is_name = |token: &Token| matches!(token.class, Class::Name | Class::Value | Class::Plain);
            cond.tokens.iter().all(|token| token.text.as_str() == " " || !is_name(token))
        };
        let is_tested = match head {
            Head::Endless | Head::For(_, None, _) => false,
            Head::While(cond) | Head::Until(cond) | Head::For(_, Some(cond), _) => !is_constant(cond),
        };
        !is_tested && !self.is_left(body) && !self.is_left(continuing)
    }

    /// Gives a loop without a test, or with a test of constants before each iteration, another test. Returns false for others.
    pub(super) fn test_loop(&mut self, id: StmtId, test: Expr) -> bool {
        let Stmt::Loop { head, .. } = &mut self.stmts[id as usize] else { return false };
        match head {
            Head::Endless | Head::While(_) => *head = Head::While(test),
            Head::For(_, cond, _) => *cond = Some(test),
            Head::Until(cond) => *cond = test,
        }
        true
    }

    /// Inserts a statement at the start of the body of a loop.
    pub(super) fn begin_loop(&mut self, id: StmtId, first: StmtId) {
        if let Stmt::Loop { body, .. } = &mut self.stmts[id as usize] {
            body.insert(0, first);
        }
    }

    /// A statement that assigns a variable as a whole, which is no declaration: the name and all tokens.
    pub(super) fn assignment(&self, id: StmtId) -> Option<(&Rc<str>, &[Token])> {
        match self.get(id) {
            Stmt::Simple { tokens, declares: None, assigns: Some(name) } => Some((name, tokens)),
            _ => None,
        }
    }

    /// The same with the value, unless the value is computed from the variable by an operator such as `+=`.
    pub(super) fn assigned(&self, id: StmtId) -> Option<Assigned> {
        let (name, tokens) = self.assignment(id)?;
        match tokens {
            [to, _, equals, _, value @ ..] if to.text.as_str() == &**name && equals.text.as_str() == "=" => {
                Some(Assigned { name: name.clone(), value: value.to_vec() })
            }
            _ => None,
        }
    }

    /// Returns true if a statement of a list declares a name.
    pub(super) fn is_declared(&self, body: &[StmtId], name: &str) -> bool {
        body.iter().any(
            |&id| matches!(self.get(id), Stmt::Simple { declares: Some(declared), .. } if &**declared == name),
        )
    }
}

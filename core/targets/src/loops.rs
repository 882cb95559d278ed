//! The forms of loops: `for`, `while`, a test at the end, or an endless loop.
//!
//! ```text
//! while (true) {                            r = 0;
//!   if (i >= n) { r = 0; break; }           for (; i < n; i += 1) {
//!   if (a[i] > 9) { r = a[i]; break; }  =>    if (a[i] > 9) { r = a[i]; break; }
//!   i += 1;                                 }
//! }
//! ```
//!
//! A form is chosen only if it does the same as the endless loop of the tree. Assignments of literals on the way out move
//! before the loop, and assignments of the only way out after it; a declaration that a test at the end needs moves
//! before the loop. Conditions, calls and accesses of memory keep their order. A continuing region is the step of a
//! `for`, a block of its own in languages that have one, or is written before each `continue`.

use super::expr::{Expr, Token, punct, space};
use super::stmt::{Arena, Assigned, Head, Leaving, List, Stmt, StmtId};
use rustc_hash::FxHashSet;
use vitrine_ir::Anchor;
use vitrine_text::{Class, Link};

/// The most columns of a step.
const STEP_COLUMNS: usize = 48;

/// The most assignments of a step.
const STEPS: usize = 3;

/// The most declarations that move before a loop for its test.
const MOST_MOVED: usize = 4;

/// The most statements between a loop and the assignment that begins its count.
const FAR: usize = 8;

/// The rules of a language.
#[derive(Clone, Copy)]
pub(super) struct LoopRules<'a> {
    /// A block `continuing` sees the names of the body.
    pub(super) has_continuing: bool,
    /// The declaration of a variable for a name that a token defines, without a value. `None` if it is the part of the
    /// definition before the value.
    pub(super) declare: &'a dyn Fn(&Token) -> Option<Vec<Token>>,
}

/// A loop of the tree.
pub(super) struct RawLoop {
    pub(super) body: List,
    /// The statements that every iteration ends with.
    pub(super) continuing: List,
    /// Number of `continue` of the loop in the body.
    pub(super) continues: usize,
    pub(super) anchor: Anchor,
}

impl Arena {
    /// Appends a loop to a list of statements. `may_count` states, for a name, that the variable is not used after the
    /// loop. Returns the loop.
    pub(super) fn add_loop(
        &mut self,
        rules: LoopRules<'_>,
        mut raw: RawLoop,
        outer: &mut List,
        may_count: impl Fn(&str) -> bool,
    ) -> StmtId {
        if raw.body.last().is_some_and(|&last| matches!(self.get(last), Stmt::Continue(_))) {
            raw.body.pop();
            raw.continues -= 1;
        }
        let step = self.take_step(rules, &mut raw);
        let mut after = self.move_exit(&mut raw, &step, outer);
        if raw.continues == 0 && raw.continuing.is_empty() {
            self.test_last(rules, &mut raw, &mut after, &may_count);
        }
        let head = self.head(rules, &mut raw, step, outer, &after, &may_count);
        let RawLoop { body, continuing, anchor, .. } = raw;
        let made = self.add(Stmt::Loop { head, body, continuing, anchor });
        outer.push(made);
        outer.append(&mut after);
        made
    }

    /// Takes the continuing region apart: returns the step of a `for`, or moves its statements to the ends of iterations.
    /// It stays only where the language has it.
    fn take_step(&mut self, rules: LoopRules<'_>, raw: &mut RawLoop) -> Vec<Token> {
        if raw.continues == 0 || raw.continuing.is_empty() {
            raw.body.append(&mut raw.continuing);
            return Vec::new();
        }
        if let Some(step) = self.as_step(rules, &raw.continuing) {
            raw.continuing.clear();
            return step;
        }
        if !rules.has_continuing {
            let end = std::mem::take(&mut raw.continuing);
            for place in self.continuing_places(&raw.body) {
                self.insert_before_last(place, &end);
            }
            if !self.ends_iteration(&raw.body) {
                raw.body.extend(end);
            }
        }
        Vec::new()
    }

    /// The assignments of a continuing region in the head of a loop.
    fn as_step(&self, rules: LoopRules<'_>, list: &[StmtId]) -> Option<Vec<Token>> {
        let most = if rules.has_continuing { 1 } else { STEPS };
        let mut step: Vec<Token> = Vec::new();
        for &id in list {
            let Stmt::Simple { tokens, declares: None, assigns: Some(_) } = self.get(id) else { return None };
            if !step.is_empty() {
                step.extend([punct(","), space()]);
            }
            step.extend_from_slice(tokens);
        }
        let columns: usize = step.iter().map(|token| token.text.as_str().len()).sum();
        (list.len() <= most && columns <= STEP_COLUMNS).then_some(step)
    }

    fn ends_iteration(&self, list: &[StmtId]) -> bool {
        list.last().is_some_and(|&last| matches!(self.get(last), Stmt::Break(_) | Stmt::Exit(_)))
    }

    /// If the body begins with a test that assigns values and leaves, moves the assignments out of the loop: returns those
    /// that come after it.
    fn move_exit(&mut self, raw: &mut RawLoop, step: &[Token], outer: &mut List) -> List {
        let Some(&first) = raw.body.first() else { return List::new() };
        let Stmt::If { cond, then, els, anchor } = self.get(first).clone() else { return List::new() };
        let leaves = |list: &List| list.len() > 1 && self.is_break(&list[list.len() - 1..]);
        let (is_then, arm) = match (leaves(&then), leaves(&els)) {
            (true, false) => (true, then.clone()),
            (false, true) => (false, els.clone()),
            _ => return List::new(),
        };
        let (copies, exit) = arm.split_at(arm.len() - 1);
        let leaving = self.leaving(&raw.body);
        // What the only way out executes comes after the loop in any case.
        let only = leaving.len() == 1 && copies.iter().all(|&id| matches!(self.get(id), Stmt::Simple { .. }));
        let assigned = copies.iter().map(|&id| self.assigned(id)).collect::<Option<Vec<_>>>();
        let whole: List = raw.body.iter().chain(&raw.continuing).copied().collect();
        let may_precede = |assigned: &Vec<Assigned>| self.may_precede(assigned, &whole, step, &leaving);
        if !only && !assigned.as_ref().is_some_and(may_precede) {
            return List::new();
        }
        let exit = exit.to_vec();
        let (then, els) = if is_then { (exit, els) } else { (then, exit) };
        raw.body[0] = self.add(Stmt::If { cond, then, els, anchor });
        if only {
            return copies.to_vec();
        }
        for (&copy, assigned) in copies.iter().zip(assigned.iter().flatten()) {
            self.initialize(outer, copy, assigned);
        }
        List::new()
    }

    /// Returns true if values that are assigned on one way out of a loop can be assigned before it: they are the same
    /// there, the loop reads none of the variables, and every other way out assigns all of them.
    fn may_precede(
        &self,
        assigned: &[Assigned],
        body: &[StmtId],
        step: &[Token],
        leaving: &[Leaving],
    ) -> bool {
        let mut written: FxHashSet<&str> = FxHashSet::default();
        self.visit(body, |_, stmt| match stmt {
            Stmt::Simple { tokens, .. } => written.extend(tokens.first().map(|token| token.text.as_str())),
            Stmt::Loop { head, .. } => {
                written.extend(head.parts().into_iter().flatten().map(|token| token.text.as_str()));
            }
            Stmt::If { .. } | Stmt::Switch { .. } => {}
            Stmt::Break(_) | Stmt::Continue(_) | Stmt::Exit(_) => {}
        });
        written.extend(step.iter().map(|token| token.text.as_str()));
        let is_kept = |token: &Token| match token.link {
            Link::Use(Anchor::Global(_)) => true,
            Link::Use(Anchor::Reg(..)) => !written.contains(token.text.as_str()),
            _ if token.class == Class::Value => !written.contains(token.text.as_str()),
            _ => {
                matches!(token.class, Class::Number | Class::Type | Class::Punct)
                    || matches!(token.text.as_str(), "true" | "false" | "-" | " ")
            }
        };
        let assigns = |list: &List, name: &str| {
            list.iter().any(|&id| self.assigned(id).is_some_and(|other| *other.name == *name))
        };
        let is_stepped =
            assigned.iter().any(|one| step.iter().any(|token| token.text.as_str() == &*one.name));
        !is_stepped
            && assigned.iter().all(|one| is_pure(&one.value) && one.value.iter().all(is_kept))
            && assigned.iter().all(|one| leaving.iter().all(|Leaving(list)| assigns(list, &one.name)))
            && !self.reads_or_keeps(body, assigned, leaving)
    }

    /// Returns true if a statement of a loop reads one of the variables, or assigns it on a way that stays in the loop.
    fn reads_or_keeps(&self, body: &[StmtId], assigned: &[Assigned], leaving: &[Leaving]) -> bool {
        let allowed = |id: StmtId| leaving.iter().any(|Leaving(list)| list.contains(&id));
        let mentions = |tokens: &[Token]| {
            tokens.iter().any(|token| assigned.iter().any(|one| token.text.as_str() == &*one.name))
        };
        let mut found = false;
        self.visit(body, |id, stmt| {
            found |= match stmt {
                Stmt::Simple { tokens, .. } => match self.assigned(id) {
                    Some(one) if allowed(id) => mentions(&one.value),
                    _ => mentions(tokens),
                },
                Stmt::Exit(tokens) => mentions(tokens),
                Stmt::If { cond, .. } => mentions(&cond.tokens),
                Stmt::Switch { on, .. } => mentions(on),
                Stmt::Loop { head, .. } => head.parts().iter().any(|part| mentions(part)),
                Stmt::Break(_) | Stmt::Continue(_) => false,
            };
        });
        found
    }

    /// Assigns a literal before a loop: at the declaration if there is one right before.
    fn initialize(&mut self, outer: &mut List, copy: StmtId, assigned: &Assigned) {
        let is_declared = |id: StmtId| {
            let Stmt::Simple { tokens, declares: Some(name), .. } = self.get(id) else { return None };
            Some((*name == assigned.name, tokens))
        };
        let near = outer.iter().rev().map(|&id| is_declared(id)).take_while(Option::is_some).flatten();
        let at = near.enumerate().find(|(_, (is_same, _))| *is_same).map(|(back, _)| outer.len() - 1 - back);
        let Some(at) = at else { return outer.push(copy) };
        let Stmt::Simple { tokens, .. } = self.get(outer[at]) else { return outer.push(copy) };
        let names =
            |token: &Token| matches!(token.link, Link::Use(Anchor::Reg(..))) || token.class == Class::Value;
        if tokens.iter().any(|token| token.text.as_str() == "=") || assigned.value.iter().any(names) {
            return outer.push(copy);
        }
        let mut tokens = tokens.clone();
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(assigned.value.iter().cloned());
        let name = assigned.name.clone();
        outer[at] = self.add(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: Some(name) });
    }

    /// If the body has a single way out, near its end, moves it to the end: what follows are assignments to variables that
    /// neither the test nor anything after the loop uses.
    fn test_last(
        &mut self,
        rules: LoopRules<'_>,
        raw: &mut RawLoop,
        after: &mut List,
        may_count: &impl Fn(&str) -> bool,
    ) {
        let is_assignment = |&&id: &&StmtId| self.assigned(id).is_some();
        let late = raw.body.iter().rev().take_while(is_assignment).count();
        let Some(at) = raw.body.len().checked_sub(late + 1).filter(|&at| at > 0) else { return };
        let Stmt::If { cond, then, els, anchor } = self.get(raw.body[at]).clone() else { return };
        let (exit, mut stay, is_then) = match (then.last(), els.last()) {
            (Some(&last), _) if self.is_break(&[last]) => (then, els, true),
            (_, Some(&last)) if self.is_break(&[last]) => (els, then, false),
            _ => return,
        };
        let (copies, exit) = exit.split_at(exit.len() - 1);
        stay.extend_from_slice(&raw.body[at + 1..]);
        if stay.is_empty() && copies.is_empty() || self.leaving(&raw.body).len() != 1 {
            return;
        }
        let simple = |list: &[StmtId]| list.iter().map(|&id| self.assigned(id)).collect::<Option<Vec<_>>>();
        let (Some(stays), Some(leaves)) = (simple(&stay), simple(copies)) else { return };
        let is_read = |name: &str, tokens: &[Token]| tokens.iter().any(|token| token.text.as_str() == name);
        let is_free = |one: &Assigned| {
            may_count(&one.name)
                && is_pure(&one.value)
                && !is_read(&one.name, &cond.tokens)
                && leaves.iter().all(|exit| !is_read(&one.name, &exit.value))
        };
        if !stays.iter().all(is_free) || !leaves.iter().all(|one| is_pure(&one.value)) {
            return;
        }
        // Names that have to be declared before the loop.
        let mut wanted: Vec<Token> = if rules.has_continuing { Vec::new() } else { cond.tokens.clone() };
        leaves.iter().for_each(|one| wanted.extend(one.value.iter().cloned()));
        if self.declared_in(&raw.body[..at], &wanted).len() > MOST_MOVED {
            return;
        }
        let exit = exit.to_vec();
        let mut body: List = raw.body[..at].to_vec();
        after.extend_from_slice(copies);
        body.append(&mut stay);
        let (then, els) = if is_then { (exit, List::new()) } else { (List::new(), exit) };
        body.push(self.add(Stmt::If { cond, then, els, anchor }));
        raw.body = body;
    }

    /// Chooses the head.
    fn head(
        &mut self,
        rules: LoopRules<'_>,
        raw: &mut RawLoop,
        step: Vec<Token>,
        outer: &mut List,
        after: &List,
        may_count: &impl Fn(&str) -> bool,
    ) -> Head {
        let may_test = raw.continuing.is_empty();
        let first = loop {
            let Some(&first) = raw.body.first().filter(|_| may_test) else { break None };
            let Some((cond, stay)) = self.stays_if(first) else { break None };
            if !matches!(&cond.tokens[..], [one] if one.text.as_str() == "true") {
                break Some((cond, stay));
            }
            raw.body.splice(0..1, stay);
        };
        let has_step = !step.is_empty();
        if let Some((cond, first)) = first {
            raw.body.splice(0..1, first);
            let step = match has_step {
                true => Some(step),
                false if raw.continues == 0 => self.last_step(&mut raw.body, &cond),
                false => None,
            };
            let Some(step) = step else { return Head::While(cond) };
            let init = self.init(outer, &step, after, may_count);
            return Head::For(init, Some(cond), step);
        }
        if has_step {
            let init = self.init(outer, &step, after, may_count);
            return Head::For(init, None, step);
        }
        if may_test && let Some(cond) = self.test_at_end(rules, raw, outer, after) {
            return Head::Until(cond);
        }
        Head::Endless
    }

    /// The test that a body ends with, which is removed from it.
    fn test_at_end(
        &mut self,
        rules: LoopRules<'_>,
        raw: &mut RawLoop,
        outer: &mut List,
        after: &List,
    ) -> Option<Expr> {
        let &last = raw.body.last()?;
        let cond = match (raw.continues, self.get(last)) {
            (0, _) => self.stays_if(last).filter(|(_, rest)| rest.is_empty())?.0,
            (1, Stmt::If { cond, then, els, .. }) => match (self.is_continue(then), self.is_break(els)) {
                (true, true) => cond.clone(),
                _ if self.is_break(then) && self.is_continue(els) => cond.clone().negated(),
                _ => return None,
            },
            _ => return None,
        };
        let mut wanted = cond.tokens.clone();
        after.iter().for_each(|&id| wanted.extend(self.read_by(id)));
        let wanted = if rules.has_continuing { &wanted[cond.tokens.len()..] } else { &wanted[..] };
        let names = self.declared_in(&raw.body, wanted);
        if names.len() > MOST_MOVED
            || names.iter().any(|&at| self.split_declaration(rules, raw.body[at]).is_none())
        {
            return None;
        }
        for at in names.into_iter().rev() {
            let (declaration, assignment) = self.split_declaration(rules, raw.body[at])?;
            outer.push(self.add(declaration));
            match assignment {
                Some(assignment) => raw.body[at] = self.add(assignment),
                None => drop(raw.body.remove(at)),
            }
        }
        raw.body.pop();
        Some(cond)
    }

    /// A declaration as one without a value and the assignment of the value.
    fn split_declaration(&self, rules: LoopRules<'_>, id: StmtId) -> Option<(Stmt, Option<Stmt>)> {
        let Stmt::Simple { tokens, declares: Some(name), .. } = self.get(id) else { return None };
        let at = tokens.iter().position(|token| token.text.as_str() == &**name)?;
        let declared = (rules.declare)(&tokens[at]).unwrap_or_else(|| tokens[..=at].to_vec());
        let declaration = |tokens| Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None };
        if tokens.get(at + 2).is_none_or(|token| token.text.as_str() != "=") {
            return Some((declaration(tokens.clone()), None));
        }
        let mut assigned = tokens[at..].to_vec();
        if let Link::Def(anchor) = assigned[0].link {
            assigned[0].link = Link::Use(anchor);
        }
        let assignment = Stmt::Simple { tokens: assigned, declares: None, assigns: Some(name.clone()) };
        Some((declaration(declared), Some(assignment)))
    }

    /// The tokens that a statement reads names by: the value of an assignment, or all of them.
    fn read_by(&self, id: StmtId) -> Vec<Token> {
        match (self.assigned(id), self.get(id)) {
            (Some(one), _) => one.value,
            (None, Stmt::Simple { tokens, .. }) => tokens.clone(),
            (None, _) => Vec::new(),
        }
    }

    /// The positions of the declarations of a body that tokens use.
    fn declared_in(&self, body: &[StmtId], tokens: &[Token]) -> Vec<usize> {
        let is_used = |name: &str| tokens.iter().any(|token| token.text.as_str() == name);
        let declares =
            |&id: &StmtId| matches!(self.get(id), Stmt::Simple { declares: Some(name), .. } if is_used(name));
        body.iter().enumerate().filter(|(_, id)| declares(id)).map(|(at, _)| at).collect()
    }

    /// The assignment before a loop that begins its count, which is removed from there. What stands in between neither
    /// reads nor writes what it needs.
    fn init(
        &self,
        outer: &mut List,
        step: &[Token],
        after: &List,
        may_count: &impl Fn(&str) -> bool,
    ) -> Option<Vec<Token>> {
        let stepped = step.first()?.text.as_str();
        let mentions = |tokens: &[Token], name: &str| tokens.iter().any(|token| token.text.as_str() == name);
        let mut between: Vec<&str> = Vec::new();
        for at in (0..outer.len()).rev().take(FAR) {
            let Stmt::Simple { tokens, declares, assigns } = self.get(outer[at]) else { return None };
            if assigns.as_deref() == Some(stepped) {
                let is_left = after.iter().any(|&id| mentions(&self.read_by(id), stepped));
                let is_kept = declares.is_some() && (is_left || !may_count(stepped));
                if is_kept || between.iter().any(|name| mentions(tokens, name)) {
                    return None;
                }
                let tokens = tokens.clone();
                outer.remove(at);
                return Some(tokens);
            }
            if !is_pure(tokens) || mentions(tokens, stepped) {
                return None;
            }
            between.extend(declares.iter().chain(assigns).map(|name| &**name));
        }
        None
    }

    /// The step of a counting loop, which is removed from the body: an assignment near its end to a variable of the
    /// condition, after which nothing mentions that variable or changes what the step reads.
    fn last_step(&self, body: &mut List, cond: &Expr) -> Option<Vec<Token>> {
        let is_assignment = |&&id: &&StmtId| self.assignment(id).is_some();
        let late = body.iter().rev().take_while(is_assignment).count();
        let mentions = |tokens: &[Token], name: &str| tokens.iter().any(|token| token.text.as_str() == name);
        for at in (body.len() - late..body.len()).rev() {
            let Some((name, tokens)) = self.assignment(body[at]) else { continue };
            let is_tested = mentions(&cond.tokens, name);
            // A variable that the body declares is not visible in the head.
            let is_local = tokens.iter().any(|token| self.is_declared(body, token.text.as_str()));
            let is_last = body[at + 1..]
                .iter()
                .filter_map(|&id| self.assignment(id))
                .all(|(other, later)| !mentions(later, name) && !mentions(tokens, other));
            let may_move = at + 1 == body.len() || is_pure(tokens);
            if is_tested && !is_local && is_last && may_move {
                let step = tokens.to_vec();
                body.remove(at);
                return Some(step);
            }
        }
        None
    }
}

/// Returns true if tokens access no memory and call no function: names, numbers, operators, constructors.
fn is_pure(tokens: &[Token]) -> bool {
    let is_type = |at: usize| at > 0 && tokens[at - 1].class == Class::Type;
    tokens.iter().enumerate().all(|(at, token)| match token.text.as_str() {
        "(" => is_type(at),
        "[" | "." => false,
        _ => true,
    })
}

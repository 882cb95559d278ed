//! An `if` that assigns one variable in both arms is a choice of values, in languages with `?:`.
//!
//! ```text
//! float r;                                  float r = x > 0.0 ? x : y;
//! if (x > 0.0) { r = x; } else { r = y; }
//! ```
//!
//! One of the values is computed, as by the `if`: the languages define so for conditions of one component. A value that is
//! a choice itself, and a line that would be broken, stay statements. Knows statements only, not the program.

use super::dialect::Dialect;
use super::expr::{Expr, Prec, Token, space};
use super::stmt::{Arena, Stmt, StmtId};
use crate::ir::Anchor;
use crate::text::Class;
use std::rc::Rc;

/// The longest choice, in columns. The declaration and the indentation come on top.
const MOST_COLUMNS: usize = 72;

impl Arena {
    /// The statement that assigns a choice instead of an `if` with these arms, if there is one. Takes the declaration of the
    /// variable from the end of the list of statements before it.
    pub(super) fn choice(
        &mut self,
        dialect: Dialect,
        cond: &Expr,
        (then, els): (&[StmtId], &[StmtId]),
        anchor: Anchor,
        list: &mut Vec<StmtId>,
    ) -> Option<Stmt> {
        let (&[then], &[els]) = (then, els) else { return None };
        let (yes, no) = (self.assigned(then)?, self.assigned(els)?);
        // `select` of WGSL computes both values.
        if dialect == Dialect::Wgsl || yes.name != no.name || has_choice(&yes.value) || has_choice(&no.value)
        {
            return None;
        }
        if dialect == Dialect::Msl && (is_selection(&yes.value) || is_selection(&no.value)) {
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

/// Returns true if tokens are several components of a variable, which are no value of a vector type in Metal until they are
/// assigned.
fn is_selection(tokens: &[Token]) -> bool {
    match tokens {
        [.., dot, last] => dot.text.as_str() == "." && last.text.as_str().len() > 1,
        _ => false,
    }
}

/// Returns true if tokens contain `?`.
fn has_choice(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.text.as_str() == "?")
}

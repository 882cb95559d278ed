//! MSL: loops, choices, and what is written at its use, as the engine asks about them.

use super::Msl;
use crate::dialect::Statements;
use crate::expr::Token;

impl Statements for Msl {
    fn may_choose(&self, yes: &[Token], no: &[Token]) -> bool {
        !is_selection(yes) && !is_selection(no)
    }
}

/// Returns true if tokens are several components of a variable, which are no value of a vector type until they are assigned.
fn is_selection(tokens: &[Token]) -> bool {
    match tokens {
        [.., dot, last] => dot.text.as_str() == "." && last.text.as_str().len() > 1,
        _ => false,
    }
}

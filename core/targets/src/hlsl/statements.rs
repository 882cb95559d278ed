//! HLSL: loops, choices, and what is written at its use, as the engine asks about them.

use super::Hlsl;
use crate::dialect::Statements;
use crate::expr::Token;
use vitrine_text::Class;

impl Statements for Hlsl {
    /// Both values are computed if they are calls.
    fn may_choose(&self, yes: &[Token], no: &[Token]) -> bool {
        !has_call(yes) && !has_call(no)
    }
}

/// Returns true if tokens contain a call of a function of the program.
fn has_call(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| pair[0].class == Class::Name && pair[1].text.as_str() == "(")
}

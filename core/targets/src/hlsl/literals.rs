//! Integer literals of HLSL, which have 64 bits until something gives them a type.
//!
//! ```text
//! 2147483647 + 1          is 2147483648
//! int(2147483647) + 1     is -2147483648
//! n + 1                   has the type of `n`
//! ```

use crate::expr::{Expr, Token, call};
use crate::number::{Kind, NumberType};
use vitrine_text::Class;

/// Returns true for an integer without a type: a literal, or literals that an operation without a type joins. The language
/// computes these with 64 bits.
pub(super) fn is_untyped(expr: &Expr) -> bool {
    let is_number = |tokens: &[Token]| {
        tokens.iter().any(|token| token.class == Class::Number)
            && tokens.iter().all(|token| match token.class {
                Class::Number => !token.text.as_str().ends_with(')'),
                _ => matches!(token.text.as_str(), "(" | ")" | "-" | "~" | " "),
            })
    };
    if expr.ty != NumberType::scalar(Kind::Int) {
        return false;
    }
    // The choice between two literals has none either.
    let at = |text: &str| expr.tokens.iter().rposition(|token| token.text.as_str() == text);
    match (at("?"), at(":")) {
        (Some(question), Some(colon)) if question < colon => {
            is_number(&expr.tokens[question + 1..colon]) && is_number(&expr.tokens[colon + 1..])
        }
        _ => is_number(&expr.tokens),
    }
}

/// An integer with its type.
pub(super) fn typed(expr: Expr) -> Expr {
    let ty = expr.ty;
    call(Token::new(Class::Type, "int"), [expr], ty)
}

/// The arguments of a function whose type is that of its arguments: one of them has a type.
pub(super) fn typed_args(mut args: Vec<Expr>) -> Vec<Expr> {
    let has_type = args.iter().any(|arg| arg.ty.kind == Kind::Int && !is_untyped(arg));
    if !has_type && let Some(first) = args.iter_mut().find(|arg| is_untyped(arg)) {
        *first = typed(first.clone());
    }
    args
}

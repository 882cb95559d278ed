//! Expressions as tokens, with the precedence of their outermost operator: parentheses are written where the grammar
//! needs them and nowhere else.
//!
//! An expression is composed from its operands, so that its tokens are in order and no tree has to be walked. Each token
//! is linked to the instruction it was written for. Knows operators only by their class.

use super::number::NumberType;
use std::rc::Rc;
use vitrine_ir::Anchor;
use vitrine_text::{Class, Link};

/// The text of a token.
#[derive(Clone, Debug)]
pub(super) enum TokenText {
    Fixed(&'static str),
    Shared(Rc<str>),
}

impl TokenText {
    pub(super) fn as_str(&self) -> &str {
        match self {
            TokenText::Fixed(text) => text,
            TokenText::Shared(text) => text,
        }
    }
}

impl From<&'static str> for TokenText {
    fn from(text: &'static str) -> TokenText {
        TokenText::Fixed(text)
    }
}

impl From<Rc<str>> for TokenText {
    fn from(text: Rc<str>) -> TokenText {
        TokenText::Shared(text)
    }
}

impl From<String> for TokenText {
    fn from(text: String) -> TokenText {
        TokenText::Shared(text.into())
    }
}

/// A token of the output.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: TokenText,
    pub(super) class: Class,
    pub(super) link: Link,
}

impl Token {
    /// A token without a link.
    pub(super) fn new(class: Class, text: impl Into<TokenText>) -> Token {
        Token { text: text.into(), class, link: Link::None }
    }

    /// A token that was written for a part of the program.
    pub(super) fn linked(class: Class, text: impl Into<TokenText>, anchor: Anchor) -> Token {
        Token { text: text.into(), class, link: Link::Use(anchor) }
    }
}

/// The tokens that a list has space for at first.
const SHORT: usize = 8;

/// Precedence classes of C, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Prec {
    Choice,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
    Postfix,
    Atom,
}

/// The grammar of a language's operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grammar {
    /// Precedence alone decides.
    C,
    /// Operators of different families are not mixed without parentheses.
    Families,
}

/// The side of a binary operator that an operand is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Left,
    Right,
}

/// Returns true if an operand with the outermost operator `inner` needs parentheses on a side of `outer`.
fn needs_parentheses(grammar: Grammar, outer: Prec, inner: Prec, side: Side) -> bool {
    let by_precedence = match side {
        Side::Left => inner < outer,
        Side::Right => inner <= outer,
    };
    by_precedence || grammar == Grammar::Families && is_mixed(outer, inner)
}

/// Returns true if an operator needs parentheses as an operand of one of another family, whatever their precedence.
fn is_mixed(outer: Prec, inner: Prec) -> bool {
    let is_bits = |prec| matches!(prec, Prec::BitOr | Prec::BitXor | Prec::BitAnd);
    match outer {
        Prec::Shift => inner < Prec::Prefix,
        Prec::BitOr | Prec::BitXor | Prec::BitAnd => inner < Prec::Prefix && inner != outer,
        // `a < 2 >> b` would begin a list of templates.
        Prec::Equality | Prec::Relation => inner <= Prec::Shift,
        Prec::LogicalAnd | Prec::LogicalOr => {
            is_bits(inner) || matches!(inner, Prec::LogicalAnd | Prec::LogicalOr) && inner != outer
        }
        Prec::Choice | Prec::Sum | Prec::Product | Prec::Prefix | Prec::Postfix | Prec::Atom => false,
    }
}

/// The outermost binary operator of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operator {
    /// The number of the operator's token; a space precedes and follows it.
    pub(super) at: usize,
    /// The operator with the opposite result, if it is exactly that.
    pub(super) inverse: Option<&'static str>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) tokens: Vec<Token>,
    pub(super) prec: Prec,
    pub(super) ty: NumberType,
    pub(super) operator: Option<Operator>,
    /// The precedence of the operand of a prefix operator or a cast, before it was put in parentheses.
    pub(super) operand: Option<Prec>,
}

impl Expr {
    /// An expression of tokens.
    pub(super) fn new(tokens: Vec<Token>, prec: Prec, ty: NumberType) -> Expr {
        Expr { tokens, prec, ty, operator: None, operand: None }
    }

    /// Length of the text in bytes; the text is ASCII. Linear.
    pub(super) fn columns(&self) -> usize {
        self.tokens.iter().map(|token| token.text.as_str().len()).sum()
    }

    /// A single token.
    pub(super) fn atom(token: Token, ty: NumberType) -> Expr {
        Expr::new(begun(token), Prec::Atom, ty)
    }

    /// The same expression in parentheses.
    #[must_use]
    pub(super) fn grouped(self) -> Expr {
        let ty = self.ty;
        let mut tokens = Vec::with_capacity(self.tokens.len() + 2);
        tokens.push(punct("("));
        tokens.extend(self.tokens);
        tokens.push(punct(")"));
        Expr::new(tokens, Prec::Atom, ty)
    }

    /// The same expression, in parentheses unless it binds at least as tightly as `least`.
    #[must_use]
    pub(super) fn at_least(self, least: Prec) -> Expr {
        if self.prec < least { self.grouped() } else { self }
    }

    /// Appends a member, a swizzle or an index.
    #[must_use]
    pub(super) fn postfix(self, tokens: impl IntoIterator<Item = Token>, ty: NumberType) -> Expr {
        let mut all = self.at_least(Prec::Postfix).tokens;
        all.extend(tokens);
        Expr::new(all, Prec::Postfix, ty)
    }

    /// The expression that is true where this one is false.
    #[must_use]
    pub(super) fn negated(mut self) -> Expr {
        if let Some(Operator { at, inverse: Some(inverse) }) = self.operator {
            self.tokens[at].text = TokenText::Fixed(inverse);
            self.operator = Some(Operator { at, inverse: inverse_of(inverse) });
            return self;
        }
        let is_not =
            self.prec == Prec::Prefix && self.tokens.first().is_some_and(|first| first.text.as_str() == "!");
        if is_not {
            return self.without_prefix(1, Prec::Prefix);
        }
        let (ty, operand) = (self.ty, self.prec);
        let inner = self.at_least(Prec::Prefix);
        let tokens = [Token::new(Class::Op, "!")].into_iter().chain(inner.tokens).collect();
        Expr { operand: Some(operand), ..Expr::new(tokens, Prec::Prefix, ty) }
    }

    /// The operand of a prefix operator or a cast of a number of tokens, which put looser operands than `least` in
    /// parentheses.
    #[must_use]
    pub(super) fn without_prefix(self, tokens: usize, least: Prec) -> Expr {
        let (ty, operand) = (self.ty, self.operand);
        let inner: Vec<Token> = self.tokens.into_iter().skip(tokens).collect();
        match operand {
            Some(prec) if prec < least => Expr::new(ungrouped(inner), prec, ty),
            Some(prec) => Expr::new(inner, prec, ty),
            None => Expr::new(inner, Prec::Prefix, ty),
        }
    }
}

/// The opposite of an exact comparison.
fn inverse_of(operator: &str) -> Option<&'static str> {
    const PAIRS: &[(&str, &str)] = &[("==", "!="), ("<", ">="), (">", "<=")];
    PAIRS.iter().find_map(|&(a, b)| match operator {
        _ if operator == a => Some(b),
        _ if operator == b => Some(a),
        _ => None,
    })
}

/// A list that begins with a token, with space for the few that most lists end with: members, operators, operands.
pub(super) fn begun(token: Token) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(SHORT);
    tokens.push(token);
    tokens
}

/// A bracket, a comma or a semicolon.
pub(super) fn punct(text: &'static str) -> Token {
    Token::new(Class::Punct, text)
}

/// A space, at which a long line may be broken.
pub(super) fn space() -> Token {
    Token::new(Class::Plain, " ")
}

/// A text of several words, which a long line may break at.
pub(super) fn words(class: Class, text: &str) -> Vec<Token> {
    let mut out = Vec::with_capacity(2 * text.split(' ').count());
    for word in text.split(' ') {
        if !out.is_empty() {
            out.push(space());
        }
        out.push(Token::new(class, word.to_owned()));
    }
    out
}

/// The tokens without parentheses around all of them.
pub(super) fn ungrouped(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (at + 1 < tokens.len() || at == 0) {
            return tokens;
        }
    }
    tokens.pop();
    if !tokens.is_empty() {
        tokens.remove(0);
    }
    tokens
}

/// A binary operation. `is_exact` permits to negate a comparison by the opposite operator.
pub(super) fn infix(
    grammar: Grammar,
    operator: Token,
    prec: Prec,
    [left, right]: [Expr; 2],
    ty: NumberType,
    is_exact: bool,
) -> Expr {
    let side = |operand: Expr, side| {
        let needed = needs_parentheses(grammar, prec, operand.prec, side);
        if needed { operand.grouped() } else { operand }
    };
    let (left, right) = (side(left, Side::Left), side(right, Side::Right));
    let inverse = inverse_of(operator.text.as_str()).filter(|_| is_exact);
    let mut tokens = left.tokens;
    tokens.reserve(right.tokens.len() + 3);
    tokens.push(space());
    let at = tokens.len();
    tokens.push(operator);
    tokens.push(space());
    tokens.extend(right.tokens);
    let mut whole = Expr::new(tokens, prec, ty);
    whole.operator = Some(Operator { at, inverse });
    whole
}

/// A prefix operation.
pub(super) fn prefix(operator: Token, operand: Expr, ty: NumberType) -> Expr {
    // Two signs in a row would be another operator.
    let repeats = operand.tokens.first().is_some_and(|first| first.text.as_str().starts_with('-'));
    let prec = operand.prec;
    let operand = if repeats { operand.grouped() } else { operand.at_least(Prec::Prefix) };
    let mut tokens = Vec::with_capacity(operand.tokens.len() + 1);
    tokens.push(operator);
    tokens.extend(operand.tokens);
    Expr { operand: Some(prec), ..Expr::new(tokens, Prec::Prefix, ty) }
}

/// A call of a function or a constructor.
pub(super) fn call(name: Token, args: impl IntoIterator<Item = Expr>, ty: NumberType) -> Expr {
    let args: Vec<Expr> = args.into_iter().collect();
    let mut tokens = Vec::with_capacity(args.iter().map(|arg| arg.tokens.len() + 2).sum::<usize>() + 3);
    tokens.extend([name, punct("(")]);
    for (at, arg) in args.into_iter().enumerate() {
        if at > 0 {
            tokens.extend([punct(","), space()]);
        }
        tokens.extend(arg.tokens);
    }
    tokens.push(punct(")"));
    Expr::new(tokens, Prec::Atom, ty)
}

/// Joins components that are selected one after the other from the same variable: `a.xy, a.z` is `a.xyz`.
pub(super) fn joined(parts: Vec<Expr>) -> Vec<Expr> {
    let mut out: Vec<Expr> = Vec::with_capacity(parts.len());
    for part in parts {
        let both = out.last().and_then(|last| join(last, &part));
        match (both, out.last_mut()) {
            (Some(both), Some(last)) => *last = both,
            _ => out.push(part),
        }
    }
    out
}

fn join(left: &Expr, right: &Expr) -> Option<Expr> {
    let ([from @ .., dot, a], [again @ .., _, b]) = (&left.tokens[..], &right.tokens[..]) else {
        return None;
    };
    let is_same = |(a, b): (&Token, &Token)| a.text.as_str() == b.text.as_str();
    let is_variable = from.iter().all(|token| token.text.as_str() != "(");
    let selects = |expr: &Expr, token: &Token| {
        let letters = token.text.as_str();
        // A member or an input may have the name `xy`.
        token.class == Class::Plain
            && !matches!(token.link, Link::Use(Anchor::Member(..)))
            && letters.len() == usize::from(expr.ty.components)
            && letters.chars().all(|it| "xyzw".contains(it))
    };
    let components = left.ty.components + right.ty.components;
    if dot.text.as_str() != "."
        || from.is_empty()
        || from.len() != again.len()
        || !from.iter().zip(again).all(is_same)
        || !is_variable
        // Of `1 < a.x, 1 < a.y` only the last operand is selected from.
        || left.prec < Prec::Postfix
        || right.prec < Prec::Postfix
        || !selects(left, a)
        || !selects(right, b)
        || components > 4
        || left.ty.kind != right.ty.kind
    {
        return None;
    }
    let mut tokens = from.to_vec();
    tokens.push(dot.clone());
    tokens.push(Token { text: format!("{}{}", a.text.as_str(), b.text.as_str()).into(), ..a.clone() });
    Some(Expr::new(tokens, left.prec, left.ty.with_components(components)))
}

#[cfg(test)]
mod tests {
    use super::super::number::Kind;
    use super::*;

    const INT: NumberType = NumberType::scalar(Kind::Int);

    fn name(text: &'static str) -> Expr {
        Expr::atom(Token::new(Class::Value, text), INT)
    }

    fn text(expr: &Expr) -> String {
        expr.tokens.iter().map(|token| token.text.as_str()).collect()
    }

    fn op(symbol: &'static str, prec: Prec, a: Expr, b: Expr) -> Expr {
        infix(Grammar::C, Token::new(Class::Op, symbol), prec, [a, b], INT, true)
    }

    #[test]
    fn parentheses_are_written_where_the_grammar_needs_them() {
        let sum = || op("+", Prec::Sum, name("a"), name("b"));
        let cases = [
            (op("*", Prec::Product, sum(), name("c")), "(a + b) * c"),
            (op("-", Prec::Sum, sum(), name("c")), "a + b - c"),
            (op("-", Prec::Sum, name("c"), sum()), "c - (a + b)"),
            (op("&", Prec::BitAnd, sum(), name("c")), "a + b & c"),
        ];
        for (expr, expected) in cases {
            assert_eq!(text(&expr), expected);
        }
        let negative = prefix(Token::new(Class::Op, "-"), name("a"), INT);
        assert_eq!(text(&prefix(Token::new(Class::Op, "-"), negative, INT)), "-(-a)");
    }

    #[test]
    fn components_are_joined_of_the_same_variable_alone() {
        let select = |from: Expr, letter: &'static str| {
            from.postfix([punct("."), Token::new(Class::Plain, letter)], NumberType::scalar(Kind::Int))
        };
        let both = |of: fn(Expr) -> Expr| {
            let parts = joined(["x", "y"].map(|letter| of(select(name("a"), letter))).to_vec());
            parts.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(both(|expr| expr), ["a.xy"]);
        assert_eq!(both(|expr| op("<", Prec::Relation, name("b"), expr)), ["b < a.x", "b < a.y"]);
    }

    #[test]
    fn families_of_operators_are_separated() {
        let apart = |symbol, prec, a, b| {
            infix(Grammar::Families, Token::new(Class::Op, symbol), prec, [a, b], INT, true)
        };
        let sum = || op("+", Prec::Sum, name("a"), name("b"));
        let and = || op("&&", Prec::LogicalAnd, name("a"), name("b"));
        let cases = [
            (apart("&", Prec::BitAnd, sum(), name("c")), "(a + b) & c"),
            (apart("<<", Prec::Shift, sum(), name("c")), "(a + b) << c"),
            (apart("||", Prec::LogicalOr, and(), name("c")), "(a && b) || c"),
            (apart("<", Prec::Relation, sum(), name("c")), "a + b < c"),
            (apart("&&", Prec::LogicalAnd, and(), name("c")), "a && b && c"),
        ];
        for (expr, expected) in cases {
            assert_eq!(text(&expr), expected);
        }
    }

    #[test]
    fn conditions_are_negated_without_another_operator_if_that_is_exact() {
        let less = |exact| {
            infix(Grammar::C, Token::new(Class::Op, "<"), Prec::Relation, [name("a"), name("b")], INT, exact)
        };
        assert_eq!(text(&less(true).negated()), "a >= b");
        assert_eq!(text(&less(true).negated().negated()), "a < b");
        assert_eq!(text(&less(false).negated()), "!(a < b)");
        assert_eq!(text(&less(false).negated().negated()), "a < b");
        assert_eq!(text(&name("done").negated()), "!done");
    }
}

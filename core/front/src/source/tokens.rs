//! Tokens of GLSL: words, numbers, directives, punctuation; white space and comments between them.
//!
//! Total: every byte of a text belongs to one token. A directive is one token with its continued lines.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// White space or a comment.
    Space,
    /// A line that begins with `#`, without its line feed.
    Directive,
    /// A name or a word of the language.
    Word,
    /// A number.
    Number,
    /// One other character.
    Punct,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
}

/// The tokens of a text. Linear.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut begins_line = true;
    while let Some(first) = rest.chars().next() {
        let (kind, len) = one(rest, first, begins_line);
        let (token, after) = rest.split_at_checked(len.max(first.len_utf8())).unwrap_or((rest, ""));
        begins_line = match kind {
            TokenKind::Space => begins_line || token.contains('\n'),
            TokenKind::Directive | TokenKind::Word | TokenKind::Number | TokenKind::Punct => false,
        };
        out.push(Token { kind, text: token });
        rest = after;
    }
    out
}

fn one(rest: &str, first: char, begins_line: bool) -> (TokenKind, usize) {
    let in_word = |c: char| c == '_' || c.is_alphanumeric();
    let length = |of: &dyn Fn(char) -> bool| rest.find(|c| !of(c)).unwrap_or(rest.len());
    if first.is_whitespace() {
        return (TokenKind::Space, length(&char::is_whitespace));
    }
    if rest.starts_with("//") {
        return (TokenKind::Space, line_end(rest));
    }
    if rest.starts_with("/*") {
        let end = rest.get(2..).and_then(|inner| inner.find("*/"));
        return (TokenKind::Space, end.map_or(rest.len(), |at| at + 4));
    }
    if first == '#' && begins_line {
        return (TokenKind::Directive, line_end(rest));
    }
    let is_fraction =
        first == '.' && rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if first.is_ascii_digit() || is_fraction {
        return (TokenKind::Number, length(&|c| in_word(c) || c == '.'));
    }
    if in_word(first) {
        return (TokenKind::Word, length(&in_word));
    }
    (TokenKind::Punct, first.len_utf8())
}

/// The length of a line without its line feed; a backslash at its end continues it.
fn line_end(rest: &str) -> usize {
    let ends = rest.match_indices('\n').find(|(at, _)| !rest[..*at].trim_end_matches('\r').ends_with('\\'));
    ends.map_or(rest.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_one_token() {
        for text in
            ["#define A \\\n 1\nfloat x=.5e3;// c\n/* a\n b */#x", "/*", "\u{2192}#", "a # b\n# c", ""]
        {
            let all: String = tokens(text).iter().map(|token| token.text).collect();
            assert_eq!(all, text);
        }
        let kinds: Vec<_> = tokens(" #a\\\nb\nx # y").iter().map(|token| (token.kind, token.text)).collect();
        assert_eq!(kinds[1], (TokenKind::Directive, "#a\\\nb"));
        assert!(kinds.contains(&(TokenKind::Punct, "#")));
    }
}

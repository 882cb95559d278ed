//! The spelling of memory usage (`Key::Usage`): on separate lines under a variable, in parentheses in an
//! attribute.
//!
//! ```text
//! storage $lights_3: bytes(16 + n * 32) was #0         the text kept is the same in one line:
//!   usage 0..4 b32 read "count"                        0..4 b32 read "count", 16.. * 32 { 0..12 b32x3 read "lights[].pos" }
//!   usage 16.. * 32 {
//!     0..12 b32x3 read "lights[].pos"
//!   }
//! ```
//!
//! A usage consists of numbers, words, quoted names, `*`, `+`, and lists in braces; the analysis that wrote
//! it defines their meaning. A text with any other spelling is written in quotes, like every other text.

use super::lex::{Lexer, TokenKind};
use super::sink::Class;
use vitrine_ir::ops::ValueType;

/// A token of a usage: its kind and its spelling.
pub(super) type Piece<'t> = (TokenKind, &'t str);

/// Maximum nesting of braces that is written on separate lines.
const MOST_DEPTH: usize = 64;

/// The tokens of a usage with the spelling of this module; `None` for any other text.
pub(super) fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut lexer = Lexer::new(text);
    let mut pieces = Vec::new();
    loop {
        let token = lexer.next();
        if token.kind == TokenKind::End {
            break;
        }
        pieces.push((token.kind, text.get(token.start as usize..token.end as usize)?));
    }
    let (mut depth, mut before) = (0usize, Some(TokenKind::Punct(b',')));
    for &(kind, _) in &pieces {
        let begins = matches!(before, Some(TokenKind::Punct(b'{' | b',')));
        match kind {
            TokenKind::Word | TokenKind::Number | TokenKind::Quoted | TokenKind::Punct(b'*' | b'+') => {}
            TokenKind::Punct(b'{') if !begins && depth < MOST_DEPTH => depth += 1,
            TokenKind::Punct(b'}') if !begins => depth = depth.checked_sub(1)?,
            TokenKind::Punct(b',') if !begins => {}
            _ => return None,
        }
        // After a list, only another entry or the end of the enclosing list may follow.
        if before == Some(TokenKind::Punct(b'}')) && !matches!(kind, TokenKind::Punct(b',' | b'}')) {
            return None;
        }
        before = Some(kind);
    }
    let whole = depth == 0 && before != Some(TokenKind::Punct(b','));
    (whole && spell(&pieces) == text).then_some(pieces)
}

/// The text of a usage.
pub(super) fn spell(pieces: &[Piece<'_>]) -> String {
    let mut out = String::new();
    let mut before = None;
    for &(kind, text) in pieces {
        out.push_str(if is_spaced(before, kind) { " " } else { "" });
        out.push_str(text);
        before = Some(kind);
    }
    out
}

/// Returns true if there is a space between two tokens.
pub(super) fn is_spaced(before: Option<TokenKind>, kind: TokenKind) -> bool {
    let joins = |kind| kind == TokenKind::Punct(b'+');
    before.is_some_and(|before| !joins(before)) && !joins(kind) && kind != TokenKind::Punct(b',')
}

/// The display class of a token.
pub(super) fn class(piece: Piece<'_>) -> Class {
    match piece.0 {
        TokenKind::Number => Class::Number,
        TokenKind::Quoted => Class::Text,
        TokenKind::Word if ValueType::parse(piece.1).is_some() => Class::Type,
        TokenKind::Word => Class::Qptr,
        _ => Class::Punct,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, print_module};

    #[test]
    fn other_spellings_are_quoted() {
        let good = [
            "unused",
            "0..4 b32 read+write \"a.b\"",
            "0..4 b32 read, 16.. * 32 { 0..4 b32 read, 4..8 union { 0..4 b32 read, 2..4 b16 write } }",
            "-8.. -4 b32 read",
        ];
        for text in good {
            assert!(pieces(text).is_some(), "{text}");
        }
        let bad = [
            "",
            "a  b",
            "a,",
            ", a",
            "a { }",
            "a { b",
            "a } b",
            "a { b } c",
            "a ; b",
            "a\nb",
            "%1",
            "\"a",
            "a +b",
        ];
        for text in bad {
            assert!(pieces(text).is_none(), "{text}");
        }
    }

    #[test]
    fn printed_usage_parses_back() {
        for text in [
            "storage $0: bytes(4) was f32\n  usage 0..4 b32 read+write \"a\"\n  usage 16.. * 32 {\n    \
             0..12 b32x3 read\n    12..16 union {\n      0..4 b32 read\n      2..4 b16 write\n    }\n  }\n",
            "storage $0: bytes(4) was f32 {usage \"a;b\", set 0}\n",
            "private $0: f32\n  usage unused\nprivate $1: f32\n",
            "func @0(%0: ptr {type f32, mode storage, usage (0..4 b32 read, 4.. * 4 { 0..4 b32 write \"x\" })}) graph {\n  \
             local $0: bytes(4) was f32\n    usage unused\n^0:\n  return\n}\n",
        ] {
            let parsed = parse(text);
            assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
            assert_eq!(print_module(&parsed.module), text);
        }
    }

    #[test]
    fn lists_may_be_written_in_any_lines() {
        let texts = [
            "0..4 b32 read , 8.. * 4 {0..4 b32 read,\n\n}",
            "0..4 b32 read\nusage 8.. * 4 {\n 0..4 b32 read }",
        ];
        for text in texts {
            let parsed = parse(&format!("private $0: f32\nusage {text}\n"));
            assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
            let wanted =
                "private $0: f32\n  usage 0..4 b32 read\n  usage 8.. * 4 {\n    0..4 b32 read\n  }\n";
            assert_eq!(print_module(&parsed.module), wanted);
        }
        for text in ["", "%1", "a { b", "a }", "a { }"] {
            assert!(!parse(&format!("private $0: f32\nusage {text}\n")).diags.is_empty(), "{text}");
        }
    }
}

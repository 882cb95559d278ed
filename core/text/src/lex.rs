//! Splits IR text into tokens. Total: any text has tokens, unknown characters are tokens of their own.
//!
//! Also used by the editor's highlighting ([`lexemes`]), so that source and output share one palette.

use super::sink::Class;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// The end of a line.
    Newline,
    /// A word: letters, digits, `_`, and dots between them.
    Word,
    /// A sigil with the characters that follow it, such as `%sum_12`.
    Entity,
    /// A token that begins with a digit, or with `-` and a digit.
    Number,
    /// A quoted text that ends on its line.
    Quoted,
    /// `->`.
    Arrow,
    /// One character.
    Punct(u8),
    /// A quoted text without a closing quote, or a character that the language does not use.
    Odd,
    /// The end of the text.
    End,
}

/// A token: its kind and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The characters that begin an id.
pub(super) const SIGILS: &[u8] = b"%^!$@#&~";

/// Produces the tokens of a text of less than 4 GiB.
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text: text.as_bytes(), at: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, mut keep: impl FnMut(u8) -> bool) {
        while self.at < self.text.len() && keep(self.text[self.at]) {
            self.at += 1;
        }
    }

    /// The next token; at the end always `End`.
    pub(super) fn next(&mut self) -> Token {
        self.skip_while(|c| c == b' ' || c == b'\t' || c == b'\r');
        if self.peek(0) == b';' {
            self.skip_while(|c| c != b'\n');
        }
        let start = self.at;
        let kind = self.kind();
        Token { kind, start: start as u32, end: self.at as u32 }
    }

    fn kind(&mut self) -> TokenKind {
        if self.at >= self.text.len() {
            return TokenKind::End;
        }
        let first = self.text[self.at];
        match first {
            b'\n' => self.one(TokenKind::Newline),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.skip_while(|c| is_word(c) || c == b'.');
                TokenKind::Word
            }
            b'0'..=b'9' => self.number(),
            b'-' if self.peek(1).is_ascii_digit() => {
                self.at += 1;
                self.number()
            }
            b'-' if self.peek(1) == b'>' => {
                self.at += 1;
                self.one(TokenKind::Arrow)
            }
            b'"' => self.quoted(),
            _ if SIGILS.contains(&first) && is_word(self.peek(1)) => {
                self.at += 1;
                self.skip_while(is_word);
                TokenKind::Entity
            }
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'*' | b'=' | b'.'
            | b'+' => self.one(TokenKind::Punct(first)),
            _ => {
                // A whole character, so that tokens never split one.
                self.at += 1;
                self.skip_while(|c| c & 0xc0 == 0x80);
                TokenKind::Odd
            }
        }
    }

    fn one(&mut self, kind: TokenKind) -> TokenKind {
        self.at += 1;
        kind
    }

    fn number(&mut self) -> TokenKind {
        let hex = self.peek(0) == b'0' && self.peek(1) == b'x';
        loop {
            self.skip_while(|c| is_word(c) || c == b'.');
            let exponent = !hex && matches!(self.text[self.at - 1], b'e' | b'E');
            if !(exponent && matches!(self.peek(0), b'+' | b'-') && self.peek(1).is_ascii_digit()) {
                return TokenKind::Number;
            }
            self.at += 1;
        }
    }

    fn quoted(&mut self) -> TokenKind {
        self.at += 1;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'"' => return self.one(TokenKind::Quoted),
                b'\\' if self.peek(1) != b'\n' && self.at + 1 < self.text.len() => self.at += 2,
                b'\n' => break,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        // An escape may have ended inside a character.
        self.skip_while(|c| c & 0xc0 == 0x80);
        TokenKind::Odd
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// A range of text with its display class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// First byte.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
    /// The class that determines its color.
    pub class: Class,
}

/// The lexemes of a text that have a class, in order, including comments but not white space.
///
/// `class_of_word` classifies the words of the language, see [`vocabulary`]; the page, whose wasm must be
/// small, passes a table of names instead of linking the operation tables. Linear; the text may be any part
/// of a text, cut at line breaks.
pub fn lexemes(text: &str, mut class_of_word: impl FnMut(&str) -> Class) -> Vec<Lexeme> {
    let mut lexer = Lexer::new(text);
    let mut out = Vec::new();
    let mut end = 0;
    let mut begins_line = true;
    loop {
        let token = lexer.next();
        let gap = text.get(end as usize..token.start as usize).unwrap_or("");
        if let Some(comment) = gap.find(';') {
            let start = end + comment as u32;
            out.push(Lexeme { start, len: token.start - start, class: Class::Note });
        }
        end = token.end;
        let word = text.get(token.start as usize..token.end as usize).unwrap_or("");
        let class = match token.kind {
            TokenKind::End => return out,
            TokenKind::Newline => {
                begins_line = true;
                continue;
            }
            // A member of a structure.
            TokenKind::Word if text.as_bytes().get(end as usize) == Some(&b':') => Class::Name,
            // Instructions of SPIR-V by name, of which there are too many for a table of words.
            TokenKind::Word if word.starts_with(super::raw::PREFIX) => Class::Raw,
            TokenKind::Word => match class_of_word(word) {
                // `func` and others are keys in braces, and keywords at the beginning of a line.
                Class::Attr if begins_line => Class::Keyword,
                class => class,
            },
            TokenKind::Entity => entity_class(word.as_bytes()[0]),
            TokenKind::Number => Class::Number,
            TokenKind::Quoted => Class::Text,
            TokenKind::Arrow | TokenKind::Punct(_) => Class::Punct,
            TokenKind::Odd => Class::Error,
        };
        begins_line = false;
        out.push(Lexeme { start: token.start, len: token.end - token.start, class });
    }
}

fn entity_class(sigil: u8) -> Class {
    match sigil {
        b'%' => Class::Value,
        b'^' => Class::Block,
        b'!' => Class::Node,
        b'#' => Class::Type,
        _ => Class::Name,
    }
}

/// Words that are not keywords, with their classes: operations, value types, flags, attribute keys.
///
/// Every other word is a [`Class::Keyword`]. The order is unspecified, and words are distinct.
pub fn vocabulary() -> Vec<(String, Class)> {
    use vitrine_ir::ops::ty::COMPONENT_COUNTS;
    use vitrine_ir::ops::{Flags, Key, Op, Width};
    let ops = Op::all().map(|op| {
        let class = match op {
            Op::Ptr(_) => Class::Qptr,
            Op::Spirv(_) => Class::Raw,
            _ => Class::Op,
        };
        (op.name().to_owned(), class)
    });
    let suffixes = COMPONENT_COUNTS.map(|count| if count == 1 { String::new() } else { format!("x{count}") });
    let bits = Width::ALL
        .iter()
        .flat_map(|width| ['b', 'f', 'i', 'u'].map(|sign| format!("{sign}{}", width.bits())));
    let scalars = bits.chain(["bool".to_owned()]);
    let types = scalars.flat_map(|scalar| suffixes.each_ref().map(|suffix| format!("{scalar}{suffix}")));
    let types = types.chain(["void", "path", "ptr", "handle"].map(str::to_owned));
    let flags = Flags::TABLE.iter().map(|&(_, name, _)| (name.to_owned(), Class::Flag));
    let keys = Key::ALL.iter().map(|key| (key.name().to_owned(), Class::Attr));
    let mut seen = std::collections::BTreeSet::new();
    let words = ops.chain(types.map(|name| (name, Class::Type))).chain(flags).chain(keys);
    words.filter(|(word, _)| seen.insert(word.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(TokenKind, &str)> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| {
            let token = lexer.next();
            (token.kind != TokenKind::End)
                .then(|| (token.kind, &text[token.start as usize..token.end as usize]))
        })
        .collect()
    }

    #[test]
    fn tokens_of_a_line() {
        use TokenKind::*;
        assert_eq!(
            words("%sum_3: b32 = deref.elem %2.xyz, -1.5e-3 ; note\n"),
            [
                (Entity, "%sum_3"),
                (Punct(b':'), ":"),
                (Word, "b32"),
                (Punct(b'='), "="),
                (Word, "deref.elem"),
                (Entity, "%2"),
                (Punct(b'.'), "."),
                (Word, "xyz"),
                (Punct(b','), ","),
                (Number, "-1.5e-3"),
                (Newline, "\n"),
            ]
        );
    }

    #[test]
    fn odd_input_is_tokens_too() {
        use TokenKind::*;
        assert_eq!(words("\"a\\\"b\" \"open\n"), [(Quoted, "\"a\\\"b\""), (Odd, "\"open"), (Newline, "\n")]);
        assert_eq!(words("é%"), [(Odd, "é"), (Odd, "%")]);
        assert_eq!(words("\"\\é\""), [(Quoted, "\"\\é\"")]);
        assert_eq!(words("0x1e+2"), [(Number, "0x1e"), (Punct(b'+'), "+"), (Number, "2")]);
        assert_eq!(words("\"\\"), [(Odd, "\"\\")]);
    }

    #[test]
    fn comments_are_drawn_as_notes() {
        let text = "next ; go on\n; all of it";
        let notes: Vec<&str> = lexemes(text, |_| Class::Keyword)
            .iter()
            .filter(|lexeme| lexeme.class == Class::Note)
            .map(|lexeme| &text[lexeme.start as usize..(lexeme.start + lexeme.len) as usize])
            .collect();
        assert_eq!(notes, ["; go on", "; all of it"]);
    }

    #[test]
    fn keys_are_keywords_where_a_line_begins() {
        let text = "func @0\n  a: x {func @1}";
        use Class::*;
        let classes: Vec<Class> = lexemes(text, |_| Attr).iter().map(|lexeme| lexeme.class).collect();
        assert_eq!(classes, [Keyword, Name, Name, Punct, Attr, Punct, Attr, Name, Punct]);
    }

    #[test]
    fn words_have_the_class_of_their_entity() {
        let words = vocabulary();
        let class = |word: &str| words.iter().find(|(known, _)| known == word).map(|&(_, class)| class);
        assert_eq!(class("fadd"), Some(Class::Op));
        assert_eq!(class("f32x4"), Some(Class::Type));
        assert_eq!(class("nnan"), Some(Class::Flag));
        assert_eq!(class("func"), Some(Class::Attr), "a keyword only at the beginning of a line");
        assert_eq!(class("goto"), None);
        let types = words.iter().filter(|&&(_, class)| class == Class::Type);
        assert!(types.map(|(word, _)| vitrine_ir::ops::ValueType::parse(word)).all(|ty| ty.is_some()));
    }
}

//! Splits assembly into tokens. Total: any text has tokens.

use vitrine_ir::SourceSpan;

/// The kind of a token, by its first characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// `%name`.
    Id,
    /// `=`.
    Equals,
    /// A quoted string, possibly with line breaks.
    Quoted,
    /// An unterminated string: the rest of its line.
    OpenQuoted,
    /// `!0x7`.
    Bang,
    /// Anything else up to the next blank.
    Word,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    pub(super) start: usize,
    /// Line, from 1.
    pub(super) line: u32,
    /// First byte of that line.
    line_start: usize,
    /// True if it is the first one of its line.
    pub(super) is_first: bool,
}

impl Token<'_> {
    /// Returns true if it names an instruction: `Op` and a capital letter.
    pub(super) fn is_op(&self) -> bool {
        let bytes = self.text.as_bytes();
        self.kind == TokenKind::Word
            && bytes.starts_with(b"Op")
            && bytes.get(2).is_some_and(u8::is_ascii_uppercase)
    }

    /// Its position; only its first line, if it has several.
    pub(super) fn place(&self, text: &str) -> SourceSpan {
        let first = self.text.split('\n').next().unwrap_or("");
        let before = text.get(self.line_start..self.start).unwrap_or("");
        let column = before.chars().count() as u32 + 1;
        SourceSpan { start: self.start as u32, len: first.len() as u32, line: self.line, column }
    }
}

/// The tokens of a text, with one token of lookahead.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
    /// Only white space so far on this line.
    fresh: bool,
    /// No quote after this position is terminated: found once, never searched again.
    no_end_from: usize,
    /// The current token.
    pub(super) now: Token<'t>,
    /// The token after it.
    pub(super) then: Token<'t>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Tokens<'t> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let none = Token { kind: TokenKind::End, text: "", start: 0, line: 1, line_start: 0, is_first: true };
        let no_end_from = usize::MAX;
        let mut tokens =
            Tokens { text, at, line: 1, line_start: 0, fresh: true, no_end_from, now: none, then: none };
        tokens.advance();
        tokens.advance();
        tokens
    }

    /// Returns the current token and advances.
    pub(super) fn advance(&mut self) -> Token<'t> {
        let token = self.now;
        self.now = self.then;
        self.then = self.scan();
        token
    }

    /// Returns true if the current token begins an instruction.
    pub(super) fn at_start(&self) -> bool {
        match self.now.kind {
            TokenKind::Word => self.now.is_op(),
            TokenKind::Id => self.then.kind == TokenKind::Equals,
            TokenKind::Bang => self.now.is_first,
            TokenKind::End => true,
            TokenKind::Equals | TokenKind::Quoted | TokenKind::OpenQuoted => false,
        }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.at + 1;
                    self.fresh = true;
                }
                b' ' | b'\t' | b'\r' => {}
                b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn scan(&mut self) -> Token<'t> {
        self.skip_blanks();
        let (start, line, line_start) = (self.at, self.line, self.line_start);
        let is_first = std::mem::replace(&mut self.fresh, false);
        let bytes = self.text.as_bytes();
        let kind = match bytes.get(start) {
            None => TokenKind::End,
            Some(b'=') => {
                self.at += 1;
                TokenKind::Equals
            }
            Some(b'"') => self.quoted(),
            Some(&first) => {
                let ends = |byte: &u8| b" \t\r\n;=\"".contains(byte);
                let rest = &bytes[start + 1..];
                self.at += 1 + rest.iter().position(ends).unwrap_or(rest.len());
                match first {
                    b'%' => TokenKind::Id,
                    b'!' => TokenKind::Bang,
                    _ => TokenKind::Word,
                }
            }
        };
        let text = self.text.get(start..self.at).unwrap_or("");
        Token { kind, text, start, line, line_start, is_first }
    }

    fn quoted(&mut self) -> TokenKind {
        let start = self.at;
        let bytes = self.text.as_bytes();
        if start < self.no_end_from {
            let mut at = start + 1;
            while let Some(&byte) = bytes.get(at) {
                match byte {
                    b'"' => {
                        self.pass_lines(start, at);
                        self.at = at + 1;
                        return TokenKind::Quoted;
                    }
                    b'\\' => at += 2,
                    _ => at += 1,
                }
            }
            self.no_end_from = start;
        }
        let rest = &bytes[start..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        TokenKind::OpenQuoted
    }

    /// Counts the lines inside a quoted string.
    fn pass_lines(&mut self, from: usize, to: usize) {
        for (at, &byte) in self.text.as_bytes()[from..to].iter().enumerate() {
            if byte == b'\n' {
                self.line += 1;
                self.line_start = from + at + 1;
            }
        }
    }
}

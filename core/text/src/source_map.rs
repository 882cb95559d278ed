//! Locations of the entities of a parsed module in its text.

use super::lex::{Lexer, Token, TokenKind};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use vitrine_ir::{Anchor, Diag, SourceSpan};

/// Locations of definitions in a text; locations of operands are found by scanning their line.
#[derive(Debug, Default)]
pub struct SourceMap {
    text: String,
    line_starts: Vec<u32>,
    definitions: Vec<(Anchor, u32, u32)>,
    index: OnceCell<FxHashMap<Anchor, (u32, u32)>>,
}

impl SourceMap {
    /// The map of a text without definitions: for diagnostics that already have locations.
    pub fn of(text: &str) -> SourceMap {
        SourceMap::new(text)
    }

    pub(super) fn new(text: &str) -> SourceMap {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        SourceMap { text: text.to_owned(), line_starts, ..SourceMap::default() }
    }

    pub(super) fn define(&mut self, anchor: Anchor, token: Token) {
        self.definitions.push((anchor, token.start, token.end));
    }

    /// The text that the module was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The location of `len` bytes from `start`.
    pub fn span(&self, start: u32, len: u32) -> SourceSpan {
        let line = self.line_starts.partition_point(|&first| first <= start).max(1);
        let first = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(first as usize..start as usize).unwrap_or("");
        SourceSpan { start, len, line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    /// The location of `anchor`, or of the entity it belongs to if it has none of its own.
    pub fn place(&self, anchor: Anchor) -> Option<SourceSpan> {
        match anchor {
            Anchor::Span(start, len) => Some(self.span(start, len)),
            Anchor::Arg(_, _, at) => self.nth_value(anchor.owner(), at, true),
            Anchor::TerminatorArg(func, block, at) => {
                self.nth_value(Anchor::Terminator(func, block), at, false)
            }
            _ => self.defined(anchor),
        }
        .or_else(|| self.defined(anchor.owner()))
    }

    /// Adds locations to all diagnostics.
    pub fn place_all(&self, diags: &mut [Diag]) {
        for diag in diags {
            if diag.place.is_none() {
                diag.place = self.place(diag.at);
            }
        }
    }

    fn defined(&self, anchor: Anchor) -> Option<SourceSpan> {
        let index = self.index.get_or_init(|| {
            // The first definition counts: a second one is an error that the parser reports at its own
            // location.
            self.definitions.iter().rev().map(|&(anchor, start, end)| (anchor, (start, end))).collect()
        });
        let &(start, end) = index.get(&anchor)?;
        Some(self.span(start, end - start))
    }

    /// The value with number `at` on the line that defines `anchor`, after its `=` if it has one.
    fn nth_value(&self, anchor: Anchor, at: u32, after_equals: bool) -> Option<SourceSpan> {
        let line = self.defined(anchor)?;
        let rest = self.text.get(line.start as usize..)?;
        let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let tokens = line_tokens(rest);
        let equals = tokens.iter().position(|token| token.kind == TokenKind::Punct(b'='));
        let from = if after_equals { equals.map_or(0, |at| at + 1) } else { 0 };
        let mut values = tokens[from..].iter().filter(|token| rest.as_bytes()[token.start as usize] == b'%');
        let token = values.nth(at as usize)?;
        Some(self.span(line.start + token.start, token.end - token.start))
    }
}

fn line_tokens(line: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(line);
    std::iter::from_fn(|| Some(lexer.next()).filter(|token| token.kind != TokenKind::End)).collect()
}

/// The line of a location, with a caret under it: two lines, each ending with a line break.
pub fn caret(text: &str, place: SourceSpan) -> String {
    let start = (place.start as usize).min(text.len());
    let first = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(first..).unwrap_or("");
    let line = line[..line.find('\n').unwrap_or(line.len())].trim_end_matches('\r');
    let before: String = line
        .get(..start - first)
        .unwrap_or(line)
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let marked = line.get(start - first..).unwrap_or("");
    let marked = marked.get(..place.len as usize).unwrap_or(marked);
    format!("{line}\n{before}{}\n", "^".repeat(marked.chars().count().max(1)))
}

/// The text of an assembly that an instruction was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsmLine {
    /// Its offset in the words.
    pub word: u32,
    /// First byte of its text.
    pub start: u32,
    /// Length of its text in bytes.
    pub len: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let map = SourceMap::new("ab\nä%1\n");
        assert_eq!((map.span(5, 2).line, map.span(5, 2).column), (2, 2));
        assert_eq!((map.span(0, 0).line, map.span(0, 0).column), (1, 1));
        assert_eq!((map.span(8, 0).line, map.span(8, 0).column), (3, 1));
    }

    #[test]
    fn a_caret_stands_under_its_token() {
        let text = "first\n\tadd %12, x\nlast";
        let map = SourceMap::new(text);
        assert_eq!(caret(text, map.span(11, 3)), "\tadd %12, x\n\t    ^^^\n");
        assert_eq!(caret("", map.span(9_999, 3)), "\n^\n");
    }
}

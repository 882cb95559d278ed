//! Parses modules. This file has tokens, ids and errors, which everything else uses; declarations are in
//! `module`, functions in `body` and below.
//!
//! Never fails: everything valid is parsed, everything else becomes a diagnostic with a location. An invalid
//! line loses only that line. Ids are kept; the validator checks what they refer to.

mod module; // start here
mod types;
mod attrs;
mod debug;
mod body;
mod tree;
mod inst;
mod aliases;

use super::lex::{Lexer, SIGILS, Token, TokenKind};
use super::source_map::SourceMap;
use rustc_hash::FxHashMap;
use vitrine_ir::base::{EntityId, EntitySet, distance};
use vitrine_ir::ops::Op;
use vitrine_ir::{Anchor, Debug, Diag, Diags, Func, Global, Mode, Module, Struct, Text, Var};

/// The result of parsing.
#[derive(Debug)]
pub struct Parsed {
    /// The valid part of the text.
    pub module: Module,
    /// Errors in reading order, with locations. Empty if the text is well formed.
    pub diags: Diags,
    /// Locations of entities.
    pub map: SourceMap,
}

/// Parses a text of less than 4 GiB.
pub fn parse(text: &str) -> Parsed {
    parse_like(text, &Module::new())
}

/// The same; types, texts and constants have the numbers of another module, so that equal parts compare equal.
pub fn parse_like(text: &str, other: &Module) -> Parsed {
    let mut parser = Parser { module: other.emptied(), ..Parser::new(text) };
    if u32::try_from(text.len()).is_err() {
        let diag = Diag::error("P012", Anchor::Module).says("the text is 4 GiB or larger").help("split it");
        return Parsed { module: Module::new(), diags: vec![diag], map: SourceMap::new("") };
    }
    parser.tokenize();
    parser.file();
    let Parser { module, mut diags, map, .. } = parser;
    map.place_all(&mut diags);
    Parsed { module, diags, map }
}

/// A diagnostic was reported; the line is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reported;

pub(super) type Res<T> = Result<T, Reported>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) module: Module,
    pub(super) diags: Diags,
    pub(super) map: SourceMap,
    funcs: EntitySet<Func>,
    vars: EntitySet<Var>,
    structs: EntitySet<Struct>,
    globals: EntitySet<Global>,
    /// Entries of the debug table by their numbers in the text.
    debug_ids: FxHashMap<u32, Debug>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        Parser {
            text,
            tokens: Vec::new(),
            at: 0,
            module: Module::new(),
            diags: Diags::new(),
            map: SourceMap::new(text),
            funcs: EntitySet::new(),
            vars: EntitySet::new(),
            structs: EntitySet::new(),
            globals: EntitySet::new(),
            debug_ids: FxHashMap::default(),
        }
    }

    fn tokenize(&mut self) {
        let mut lexer = Lexer::new(self.text);
        self.tokens.reserve(self.text.len() / 4);
        loop {
            let token = lexer.next();
            self.tokens.push(token);
            if token.kind == TokenKind::End {
                return;
            }
        }
    }

    fn file(&mut self) {
        loop {
            while self.eat(TokenKind::Newline) {}
            if self.peek().kind == TokenKind::End {
                return;
            }
            if self.statement().is_err() {
                self.skip_line();
            }
        }
    }

    fn statement(&mut self) -> Res<()> {
        let word = self.peek();
        match self.word_text(word) {
            "module" => self.fact(),
            "struct" => self.structure(),
            "const" => self.global(),
            "entry" => self.entry(),
            "decorate" => self.decorate(),
            "debug" => self.debug(),
            "func" => {
                self.at += 1;
                return self.function();
            }
            other => match Mode::parse(other) {
                Some(mode) => self.variable(mode, None),
                None => Err(self.unexpected(
                    "a declaration",
                    "begin the line with `module`, `struct`, `const`, `entry`, `func`, `decorate`, `debug` or a mode such as `uniform`",
                )),
            },
        }?;
        self.end_of_line()
    }

    /// Records the declaration of a function; an error if it is already declared.
    pub(super) fn declare_func(&mut self, id: Func, token: Token) -> Res<()> {
        self.once(token, |parser| parser.funcs.insert(id))
    }

    /// Records a definition; an error if it already exists.
    pub(super) fn once(&mut self, token: Token, insert: impl FnOnce(&mut Self) -> bool) -> Res<()> {
        if insert(self) {
            return Ok(());
        }
        let what = self.slice(token);
        Err(self.error(
            "P003",
            token,
            &format!("{what} is already defined"),
            "give one of them an unused number",
        ))
    }

    // Ids.

    /// An id at its definition, with its name.
    pub(super) fn definition<K: EntityId>(&mut self) -> Res<(K, Option<Text>)> {
        let token = self.peek();
        let id = self.entity::<K>()?;
        if self.peek().kind == TokenKind::Quoted {
            return Ok((id, Some(self.quoted()?)));
        }
        let (name, _) = split_id(self.slice(token));
        let name = (!name.is_empty()).then(|| self.module.text(name));
        Ok((id, name))
    }

    /// An id of a given kind.
    pub(super) fn entity<K: EntityId>(&mut self) -> Res<K> {
        let token = self.peek();
        let text = self.slice(token);
        if token.kind != TokenKind::Entity || !text.starts_with(K::SIGIL) {
            return Err(self
                .unexpected(entity_kind(K::SIGIL), &format!("write an id that begins with `{}`", K::SIGIL)));
        }
        self.at += 1;
        let (_, digits) = split_id(text);
        match digits.parse::<usize>() {
            Ok(index) if index <= K::MAX_INDEX => Ok(K::from_index(index)),
            Ok(_) => Err(self.too_large(token, K::MAX_INDEX)),
            Err(_) if digits.is_empty() => {
                let says = format!("{} has no number", self.show(token));
                Err(self.error("P005", token, &says, "end the id with a number, as in `%sum_12`"))
            }
            Err(_) => Err(self.too_large(token, K::MAX_INDEX)),
        }
    }

    fn too_large(&mut self, token: Token, most: usize) -> Reported {
        let says = format!("the number of {} is too large", self.show(token));
        self.error("P005", token, &says, &format!("the largest number is {most}"))
    }

    // Tokens.

    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// The next token; at the end it does not advance.
    pub(super) fn next(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn slice(&self, token: Token) -> &'t str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// The text of a word; empty for other tokens.
    pub(super) fn word_text(&self, token: Token) -> &'t str {
        if token.kind == TokenKind::Word { self.slice(token) } else { "" }
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek().kind == kind;
        self.at += usize::from(found && kind != TokenKind::End);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word_text(self.peek()) == word;
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Res<Token> {
        let token = self.peek();
        if self.eat(kind) {
            return Ok(token);
        }
        Err(self.unexpected(what, ""))
    }

    pub(super) fn punct(&mut self, c: u8) -> Res<()> {
        if self.eat(TokenKind::Punct(c)) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}`", char::from(c)), ""))
    }

    pub(super) fn end_of_line(&mut self) -> Res<()> {
        if self.peek().kind == TokenKind::End || self.eat(TokenKind::Newline) {
            return Ok(());
        }
        Err(self.unexpected("the end of the line", ""))
    }

    pub(super) fn skip_line(&mut self) {
        while !matches!(self.next().kind, TokenKind::Newline | TokenKind::End) {}
    }

    /// Comma-separated items up to `close`, which is consumed too.
    pub(super) fn list(&mut self, close: u8, mut one: impl FnMut(&mut Self) -> Res<()>) -> Res<()> {
        if self.eat(TokenKind::Punct(close)) {
            return Ok(());
        }
        loop {
            one(self)?;
            if !self.eat(TokenKind::Punct(b',')) {
                return self.punct(close);
            }
        }
    }

    /// Comma-separated items, up to the first token that is not an item.
    pub(super) fn open_list(&mut self, mut one: impl FnMut(&mut Self) -> Res<()>) -> Res<()> {
        if matches!(self.peek().kind, TokenKind::Newline | TokenKind::End | TokenKind::Punct(b'{')) {
            return Ok(());
        }
        loop {
            one(self)?;
            if !self.eat(TokenKind::Punct(b',')) {
                return Ok(());
            }
        }
    }

    pub(super) fn number_u32(&mut self) -> Res<u32> {
        let token = self.expect(TokenKind::Number, "a number")?;
        self.slice(token).parse().map_err(|_| {
            let says = format!("{} is not a number from 0 to 4294967295", self.show(token));
            self.error("P004", token, &says, "")
        })
    }

    pub(super) fn quoted(&mut self) -> Res<Text> {
        let token = self.expect(TokenKind::Quoted, "a quoted text")?;
        self.unquote(token)
    }

    fn unquote(&mut self, token: Token) -> Res<Text> {
        let quoted = self.slice(token);
        let inner = &quoted[1..quoted.len() - 1];
        let Some(text) = unescape(inner) else {
            let help = r#"use \n, \r, \t, \", \\ or \u{hex}"#;
            return Err(self.error("P007", token, "this text has an invalid escape", help));
        };
        Ok(self.module.text(&text))
    }

    // Errors.

    pub(super) fn error(&mut self, code: &'static str, at: Token, says: &str, help: &str) -> Reported {
        let mut diag = Diag::error(code, Anchor::Span(at.start, at.end - at.start)).says(says);
        if !help.is_empty() {
            diag = diag.help(help);
        }
        self.diags.push(diag);
        Reported
    }

    pub(super) fn unexpected(&mut self, wanted: &str, help: &str) -> Reported {
        let token = self.peek();
        let says = format!("expected {wanted}, found {}", self.show(token));
        self.error("P001", token, &says, help)
    }

    pub(super) fn show(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Newline => "the end of the line".to_owned(),
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Odd if self.slice(token).starts_with('"') => {
                "a text without a closing quote".to_owned()
            }
            _ => {
                let text = self.slice(token);
                let cut: String = text.chars().take(40).collect();
                let more = if cut.len() < text.len() { "…" } else { "" };
                format!("`{cut}{more}`")
            }
        }
    }

    pub(super) fn unknown_op(&mut self, word: Token) -> Reported {
        let near = Op::all().map(Op::name).min_by_key(|name| distance(self.slice(word), name));
        let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        let says = format!("there is no operation {}", self.show(word));
        self.error("P002", word, &says, &help)
    }

    pub(super) fn unknown_word(&mut self, word: Token, what: &str, known: &[&str]) -> Reported {
        let near = known.iter().min_by_key(|name| distance(self.slice(word), name));
        let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        let says = format!("{} is not {what}", self.show(word));
        self.error("P011", word, &says, &help)
    }
}

/// Name and number of an id: `%sum_12` is `sum` and `12`, `%12` is empty and `12`.
pub(super) fn split_id(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(|c: char| c.is_ascii() && SIGILS.contains(&(c as u8))).unwrap_or(text);
    let digits = body.len() - body.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (name, number) = body.split_at(digits);
    match name.strip_suffix('_') {
        Some(name) if !name.is_empty() => (name, number),
        None if name.is_empty() => ("", number),
        Some(_) | None => (body, ""),
    }
}

fn entity_kind(sigil: char) -> &'static str {
    match sigil {
        '%' => "a value",
        '^' => "a block",
        '!' => "a label",
        '$' => "a variable",
        '@' => "a function",
        '#' => "a structure",
        '&' => "a module constant",
        _ => "a register",
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match rest.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '"' => '"',
            '\\' => '\\',
            'u' => {
                let (hex, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                rest = after.chars();
                char::from_u32(u32::from_str_radix(hex, 16).ok()?)?
            }
            _ => return None,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_split_into_name_and_number() {
        for (text, name, number) in [
            ("%12", "", "12"),
            ("%sum_12", "sum", "12"),
            ("%a_1_2", "a_1", "2"),
            ("%x12", "x12", ""),
            ("%_3", "_3", ""),
            ("%__3", "_", "3"),
            ("%sum", "sum", ""),
        ] {
            assert_eq!(split_id(text), (name, number), "{text}");
        }
    }

    #[test]
    fn escapes_read_back_or_are_refused() {
        assert_eq!(unescape(r#"a\n\"\\\u{1f600}"#).as_deref(), Some("a\n\"\\😀"));
        for bad in [r"\x", r"\", r"\u{110000}", r"\u{", r"\u12"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }

    #[test]
    fn near_words_are_found() {
        assert_eq!(distance("fad", "fadd"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}

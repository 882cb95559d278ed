//! One instruction of assembly: its result, its name, and the operands the grammar expects.

use super::asm_ids::AsmIds;
use super::check::kind_name;
use super::decode::{Context, expect_params, inner_op};
use super::enums::{Enumerants, enumerants};
use super::grammar::{Expected, Kind, Next, OpInfo, op_named, op_names};
use super::numbers::{Number, NumberForm};
use super::tokens::{Token, TokenKind, Tokens};
use super::words::push_string;
use vitrine_ir::base::edits;

/// The largest number of words of an instruction.
const MOST_WORDS: usize = 0xffff;

/// The state of the assembler.
pub(super) struct Asm<'t> {
    pub(super) tokens: Tokens<'t>,
    pub(super) words: Vec<u32>,
    pub(super) ids: AsmIds<'t>,
    pub(super) context: Context,
    pub(super) expected: Expected,
    /// The end of the previous token.
    pub(super) end: usize,
    /// Errors still get a suggestion of the closest name.
    pub(super) suggest: bool,
}

/// An error in the text.
pub(super) struct AsmError<'t> {
    pub(super) token: Token<'t>,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl<'t> AsmError<'t> {
    fn new(token: Token<'t>, code: &'static str, message: impl Into<String>) -> AsmError<'t> {
        AsmError { token, code, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> AsmError<'t> {
        self.help = Some(help.into());
        self
    }

    fn maybe(self, help: Option<String>) -> AsmError<'t> {
        AsmError { help: help.or(self.help), ..self }
    }
}

type Done<'t> = Result<(), AsmError<'t>>;

impl<'t> Asm<'t> {
    fn take(&mut self) -> Token<'t> {
        let token = self.tokens.advance();
        self.end = token.start + token.text.len();
        token
    }

    /// Reads one instruction. Consumes at least one token.
    pub(super) fn instruction(&mut self) -> Done<'t> {
        let begin = self.words.len();
        if self.tokens.now.kind == TokenKind::Bang {
            return self.as_words();
        }
        let mut result = None;
        if self.tokens.now.kind == TokenKind::Id && self.tokens.then.kind == TokenKind::Equals {
            result = Some(self.take());
            self.take();
        }
        let name = self.take();
        let Some(info) = name.text.strip_prefix("Op").filter(|_| name.is_op()).and_then(op_named) else {
            return Err(no_instruction(name, self.suggest));
        };
        self.words.push(0);
        if info.has_type {
            self.need_more(info, name, Kind::IdResultType)?;
            // A word instead of the type is still followed by the result.
            match self.tokens.now.kind {
                TokenKind::Bang => self.word()?,
                _ => self.id()?,
            }
        }
        match (info.has_result, result) {
            (true, Some(token)) => {
                let id = self.id_of(token)?;
                self.words.push(id);
            }
            (true, None) => {
                let message = format!("{} has a result that needs an id", name.text);
                return Err(
                    AsmError::new(name, "S122", message).help(format!("write `%name = {}`", name.text))
                );
            }
            (false, Some(token)) => {
                let message = format!("{} has no result to be named {}", name.text, token.text);
                return Err(
                    AsmError::new(token, "S122", message).help(format!("write `{}` alone", name.text))
                );
            }
            (false, None) => {}
        }
        self.operands(info, name, begin)?;
        let length = self.words.len() - begin;
        if length > MOST_WORDS {
            let message = format!("{} would have {length} words", name.text);
            return Err(
                AsmError::new(name, "S123", message).help(format!("an instruction has at most {MOST_WORDS}"))
            );
        }
        self.words[begin] = (length as u32) << 16 | u32::from(info.opcode);
        Ok(())
    }

    fn need_more(&self, info: &OpInfo, name: Token<'t>, kind: Kind) -> Done<'t> {
        if !self.tokens.at_start() {
            return Ok(());
        }
        let message = format!("{} ends before its {}", info.name, kind_name(kind));
        Err(AsmError::new(name, "S124", message).maybe(example(kind)))
    }

    fn operands(&mut self, info: &'static OpInfo, name: Token<'t>, begin: usize) -> Done<'t> {
        self.expected.begin(info.operands);
        loop {
            match self.expected.next(!self.tokens.at_start()) {
                Next::Done => break,
                Next::Missing(kind) => return self.need_more(info, name, kind),
                Next::Take(_) if self.tokens.now.kind == TokenKind::Bang => return self.as_words(),
                Next::Take(kind) => self.operand(kind, info, begin)?,
            }
        }
        let extra = self.tokens.now;
        if !self.tokens.at_start() && !extra.is_first {
            let message = format!("{} has no further operands, but {} follows", info.name, short(extra.text));
            let help = "an instruction begins with `Op` or `%name =`";
            return Err(AsmError::new(extra, "S124", message).help(help));
        }
        Ok(())
    }

    fn operand(&mut self, kind: Kind, info: &OpInfo, begin: usize) -> Done<'t> {
        match kind {
            Kind::IdRef | Kind::IdScope | Kind::IdMemorySemantics | Kind::IdResult | Kind::IdResultType => {
                self.id()
            }
            Kind::LiteralString => self.string(),
            Kind::LiteralInteger => self.number(Number::WORD),
            Kind::LiteralFloat => self.number(Number { width: 32, form: NumberForm::Float }),
            Kind::LiteralContextDependentNumber => {
                self.number(self.context.number_for(info.opcode, &self.words[begin..]))
            }
            Kind::LiteralExtInstInteger => self.extended(),
            Kind::LiteralSpecConstantOpInteger => self.inner(),
            other => self.enumerant(other),
        }
    }

    /// The rest of the instruction as words: only the tokens themselves are checked.
    fn as_words(&mut self) -> Done<'t> {
        loop {
            let token = self.tokens.now;
            match token.kind {
                TokenKind::Bang => self.word()?,
                TokenKind::Id => self.id()?,
                TokenKind::Quoted | TokenKind::OpenQuoted => self.string()?,
                TokenKind::Word => {
                    let signed = token.text.starts_with('-');
                    let form = if signed { NumberForm::Signed } else { NumberForm::Unsigned };
                    self.number(Number { width: 32, form }).map_err(|bad| {
                        bad.help("after a word (`!…`) only words, numbers, strings and ids may follow")
                    })?;
                }
                TokenKind::Equals | TokenKind::End => {
                    self.take();
                    return Err(AsmError::new(token, "S121", "`=` is only allowed after a result id"));
                }
            }
            if self.tokens.at_start() {
                return Ok(());
            }
        }
    }

    /// `!0x7`.
    fn word(&mut self) -> Done<'t> {
        let token = self.take();
        match Number::WORD.read(&token.text[1..]) {
            Ok(read) => self.words.extend(read.as_slice()),
            Err(what) => {
                let message = format!("{} {what}", short(token.text));
                return Err(AsmError::new(token, "S125", message).help("write a word as `!7` or `!0x7`"));
            }
        }
        Ok(())
    }

    fn id(&mut self) -> Done<'t> {
        let token = self.take();
        let id = self.id_of(token)?;
        self.words.push(id);
        Ok(())
    }

    fn id_of(&mut self, token: Token<'t>) -> Result<u32, AsmError<'t>> {
        let name = &token.text[usize::from(token.kind == TokenKind::Id)..];
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if token.kind != TokenKind::Id || !is_name {
            let message = format!("{} is not an id", short(token.text));
            return Err(
                AsmError::new(token, "S126", message).help("an id is `%` with letters, digits and `_`")
            );
        }
        Ok(self.ids.number(name))
    }

    fn string(&mut self) -> Done<'t> {
        let token = self.take();
        let inside = match token.kind {
            TokenKind::Quoted => &token.text[1..token.text.len() - 1],
            TokenKind::OpenQuoted => {
                return Err(
                    AsmError::new(token, "S127", "the string is not terminated").help("end it with `\"`")
                );
            }
            _ => {
                let message = format!("{} is not a string", short(token.text));
                return Err(AsmError::new(token, "S127", message).help("put it in quotes"));
            }
        };
        if inside.contains('\0') {
            return Err(AsmError::new(token, "S127", "the string contains a zero byte")
                .help("a zero byte terminates a string"));
        }
        if !inside.contains('\\') {
            push_string(&mut self.words, inside.as_bytes());
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(inside.len());
        let mut escaped = false;
        for byte in inside.bytes() {
            escaped = byte == b'\\' && !escaped;
            if !escaped {
                bytes.push(byte);
            }
        }
        push_string(&mut self.words, &bytes);
        Ok(())
    }

    fn number(&mut self, number: Number) -> Done<'t> {
        let token = self.take();
        if token.kind != TokenKind::Word {
            return Err(AsmError::new(token, "S125", format!("{} is not a number", short(token.text))));
        }
        match number.read(token.text) {
            Ok(read) => self.words.extend(read.as_slice()),
            Err(what) => {
                let message = format!("{} {what}", short(token.text));
                return Err(AsmError::new(token, "S125", message).help("write the words as `!0x…`"));
            }
        }
        Ok(())
    }

    /// The extended instruction; its set is the id before it.
    fn extended(&mut self) -> Done<'t> {
        let set = self.words.last().and_then(|&id| self.context.set(id));
        let token = self.tokens.now;
        if token.text.starts_with(|c: char| c.is_ascii_digit()) {
            self.number(Number::WORD)?;
            let known = set.zip(self.words.last()).and_then(|(set, &number)| set.inst(number));
            if let Some(info) = known {
                self.expected.begin(info.operands);
            }
            return Ok(());
        }
        let token = self.take();
        let Some(set) = set else {
            let message = format!("{} is from an unknown set", short(token.text));
            return Err(
                AsmError::new(token, "S128", message).help("write its number, or import a known set first")
            );
        };
        let Some(info) = set.inst_named(token.text) else {
            let message = format!("{} has no instruction {}", set.name(), short(token.text));
            return Err(AsmError::new(token, "S128", message).maybe(self.closest(token.text, set.names())));
        };
        self.words.push(info.number);
        self.expected.begin(info.operands);
        Ok(())
    }

    /// The instruction inside an `OpSpecConstantOp`.
    fn inner(&mut self) -> Done<'t> {
        let token = self.take();
        let name = token.text.strip_prefix("Op").filter(|_| token.is_op()).unwrap_or(token.text);
        let Some(info) = op_named(name).and_then(|info| inner_op(u32::from(info.opcode))) else {
            let message = format!("{} is not an operation with a result", short(token.text));
            return Err(AsmError::new(token, "S128", message).maybe(self.closest(name, op_names())));
        };
        self.words.push(u32::from(info.opcode));
        self.expected.begin(info.operands);
        Ok(())
    }

    /// A suggestion, unless there were too many errors.
    fn closest<'n>(&self, name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
        self.suggest.then(|| closest("", name, names)).flatten()
    }

    fn enumerant(&mut self, kind: Kind) -> Done<'t> {
        let token = self.take();
        let unknown = |name: &str| {
            let message = format!("{} is not a known {}", short(name), kind_name(kind));
            let help = self.closest(name, enumerants(kind).into_iter().flat_map(Enumerants::names));
            AsmError::new(token, "S128", message)
                .help("write a value without a name as `!` and a number")
                .maybe(help)
        };
        let Some(table) = enumerants(kind).filter(|_| token.kind == TokenKind::Word) else {
            return Err(unknown(token.text));
        };
        let mut value = 0;
        if table.is_mask {
            for name in token.text.split('|') {
                value |= table.value(name).ok_or_else(|| unknown(name))?;
            }
        } else {
            value = table.value(token.text).ok_or_else(|| unknown(token.text))?;
        }
        self.words.push(value);
        expect_params(kind, value, &mut self.expected);
        Ok(())
    }
}

fn no_instruction(token: Token<'_>, suggest: bool) -> AsmError<'_> {
    match token.text.strip_prefix("Op") {
        Some(name) if token.is_op() => {
            AsmError::new(token, "S121", format!("{} is not a known instruction", short(token.text)))
                .help("write each word of an instruction without a name as `!` and a number")
                .maybe(suggest.then(|| closest("Op", name, op_names())).flatten())
        }
        _ => AsmError::new(token, "S121", format!("{} does not begin an instruction", short(token.text)))
            .help("an instruction begins with `Op` or `%name =`"),
    }
}

/// The syntax of an operand, if its kind does not suggest it.
fn example(kind: Kind) -> Option<String> {
    match kind {
        Kind::IdRef | Kind::IdResultType | Kind::IdScope | Kind::IdMemorySemantics => {
            Some("an id is `%` with letters, digits and `_`".to_owned())
        }
        Kind::LiteralString => Some("write a string in quotes".to_owned()),
        _ => None,
    }
}

/// The start of a token in quotes, for messages.
fn short(text: &str) -> String {
    const MOST: usize = 40;
    let line = text.lines().next().unwrap_or("");
    let cut: String = line.chars().take(MOST).collect();
    if text.is_empty() {
        return "the end of the text".to_owned();
    }
    let dots = if cut.len() < text.len() { "…" } else { "" };
    format!("`{}{dots}`", cut.escape_debug())
}

/// The closest name, as a suggestion.
fn closest<'n>(prefix: &str, name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    const MOST_CHARS: usize = 64;
    if name.len() > MOST_CHARS {
        return None;
    }
    let allowed = 1 + name.len() / 5;
    let mut row = Vec::new();
    let alike = names.filter(|other| other.len().abs_diff(name.len()) <= allowed);
    // A difference in case counts 0.
    let mut distance =
        |other: &str| edits(name.as_bytes(), other.as_bytes(), &mut row, u8::eq_ignore_ascii_case);
    let best = alike.map(|other| (distance(other), other)).min()?;
    (best.0 <= allowed).then(|| format!("did you mean `{prefix}{}`?", best.1))
}

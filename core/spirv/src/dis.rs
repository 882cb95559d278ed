//! Words to text, one instruction a line: `%5 = OpTypeFloat 32`.
//!
//! An operand without a spelling is written as raw words (`!0x00000007`), and so is everything after it
//! except ids, because an assembler reads on in this mode after such a word. An instruction without a
//! spelling is written as words, on its own line. Every id links to the instruction that defines it.

use super::decode::{Context, Decoded, Operand, inner_op};
use super::enums::enumerants;
use super::grammar::{Kind, OpInfo, op};
use super::ids::IdMap;
use super::names::Names;
use super::numbers::{Number, NumberForm};
use super::tools::tool_name;
use super::words::{Binary, HEADER_WORDS, Instruction, string_bytes};
use rspirv::spirv::Op;
use std::fmt::Write as _;
use vitrine_ir::Anchor;
use vitrine_text::{Class, Link, Plain, Sink};

/// The column of operations when they are aligned.
const OP_COLUMN: usize = 15;

/// Options of a disassembly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DisOptions {
    /// Use names of ids (`%main`, `%float_0`) instead of numbers.
    pub friendly: bool,
    /// Align operations in a column, with results to the left of them.
    pub align: bool,
    /// Write the header as comments at the start; the assembler reads them.
    pub header: bool,
}

impl Default for DisOptions {
    fn default() -> DisOptions {
        DisOptions { friendly: false, align: false, header: true }
    }
}

/// The disassembly as plain text.
pub fn disassembly(binary: &Binary, options: &DisOptions) -> String {
    let mut out = Plain::new();
    disassemble(binary, options, &mut out);
    out.finish()
}

/// Writes the disassembly. Linear in the words; of a damaged module, everything that can be decoded is
/// written.
pub fn disassemble(binary: &Binary, options: &DisOptions, out: &mut dyn Sink) {
    let words = binary.words().len();
    let mut homes = IdMap::for_words(words);
    for inst in binary.instructions() {
        let info = op(inst.opcode).filter(|info| info.has_result);
        if let Some(&id) = info.and_then(|info| inst.words.get(info.head() - 1)) {
            homes.insert(id, (inst.offset, class_of(inst.opcode)));
        }
    }
    let names = options.friendly.then(|| Names::of(binary));
    let mut printer = Printer { options, out, homes, names, text: String::new() };
    if options.header && words >= HEADER_WORDS {
        printer.header(binary);
    }
    let mut context = Context::for_words(words);
    let mut decoded = Decoded::default();
    for inst in binary.instructions() {
        context.decode(&inst, &mut decoded);
        printer.instruction(&inst, &decoded, &context);
        context.note(&inst);
    }
    if !binary.unread().is_empty() {
        printer.note(&format!("; {} more words cannot be read", binary.unread().len()));
    }
}

/// The style of the id that an instruction defines.
fn class_of(opcode: u16) -> Class {
    match Op::from_u32(u32::from(opcode)) {
        Some(Op::Label) => Class::Block,
        Some(Op::Function | Op::Variable | Op::UntypedVariableKHR | Op::ExtInstImport | Op::String) => {
            Class::Name
        }
        Some(_) if op(opcode).is_some_and(|info| !info.has_type) => Class::Type,
        _ => Class::Value,
    }
}

struct Printer<'p> {
    options: &'p DisOptions,
    out: &'p mut dyn Sink,
    /// The definitions of ids, and their styles.
    homes: IdMap<(u32, Class)>,
    names: Option<Names>,
    /// The spelling of the current operand.
    text: String,
}

impl Printer<'_> {
    fn header(&mut self, binary: &Binary) {
        let header = &binary.header;
        self.note("; SPIR-V");
        match header.version_pair() {
            Some((major, minor)) => self.note(&format!("; Version: {major}.{minor}")),
            None => self.note(&format!("; Version: {:#010x}", header.version)),
        }
        let tool = tool_name((header.generator >> 16) as u16);
        self.note(&format!("; Generator: {tool}; {}", header.generator & 0xffff));
        self.note(&format!("; Bound: {}", header.bound));
        self.note(&format!("; Schema: {}", header.schema));
    }

    fn note(&mut self, text: &str) {
        self.out.open_line(0);
        self.out.put(Class::Note, text, Link::None);
        self.out.close_line();
    }

    fn space(&mut self) {
        self.out.put(Class::Plain, " ", Link::None);
    }

    fn instruction(&mut self, inst: &Instruction<'_>, decoded: &Decoded, context: &Context) {
        self.out.open_line(0);
        let arguments = decoded.arguments();
        let info = decoded.info.filter(|info| {
            decoded.operands.len() + 1 >= info.head() && (decoded.fault.is_none() || !arguments.is_empty())
        });
        let Some(info) = info else {
            self.indent(0);
            self.words(inst.words, Link::Def(inst.anchor()));
            self.out.close_line();
            return;
        };
        if info.has_result {
            let id = inst.words[info.head() - 1];
            self.spell_id(id);
            self.indent(self.text.len() + " = ".len());
            self.out.put(class_of(inst.opcode), &self.text, Link::Def(inst.anchor()));
            self.space();
            self.out.put(Class::Punct, "=", Link::None);
            self.space();
        } else {
            self.indent(0);
        }
        let link = if info.has_result { Link::None } else { Link::Def(inst.anchor()) };
        self.out.put(Class::Op, &info.name, link);
        if info.has_type {
            self.space();
            self.id(inst.words[1]);
        }
        self.arguments(inst, decoded, context);
        self.out.close_line();
    }

    /// Indentation before something `width` wide that ends at the column of operations.
    fn indent(&mut self, width: usize) {
        const SPACES: &str = "               ";
        if self.options.align && width < OP_COLUMN {
            self.out.put(Class::Plain, &SPACES[width..], Link::None);
        }
    }

    fn arguments(&mut self, inst: &Instruction<'_>, decoded: &Decoded, context: &Context) {
        let arguments = decoded.arguments();
        let mut as_words = false;
        let mut end = decoded.info.map_or(1, OpInfo::head);
        for (at, operand) in arguments.iter().enumerate() {
            self.space();
            // Too many or too few operands have no spelling unless one of them is a word.
            let is_forced = decoded.fault.is_some() && at + 1 == arguments.len();
            let was_words = as_words;
            as_words = as_words || is_forced || !self.operand(inst, operand, decoded, context);
            if as_words && was_words && !is_forced && operand.is_id() {
                self.id(operand.word(inst));
            } else if as_words {
                self.words(operand.words(inst), Link::None);
            }
            end = operand.at as usize + operand.len as usize;
        }
        if end < inst.words.len() {
            self.space();
            self.words(&inst.words[end..], Link::None);
        }
    }

    /// Words in raw form, separated by spaces.
    fn words(&mut self, words: &[u32], link: Link) {
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                self.space();
            }
            self.text.clear();
            let _ = write!(self.text, "!{word:#010x}");
            self.out.put(Class::Raw, &self.text, if at == 0 { link } else { Link::None });
        }
    }

    fn spell_id(&mut self, id: u32) {
        self.text.clear();
        self.text.push('%');
        match self.names.as_ref().and_then(|names| names.get(id)) {
            Some(name) => self.text.push_str(name),
            None => {
                let _ = write!(self.text, "{id}");
            }
        }
    }

    fn id(&mut self, id: u32) {
        self.spell_id(id);
        let (class, link) = match self.homes.get(id) {
            Some((offset, class)) => (class, Link::Use(Anchor::Word(offset))),
            None => (Class::Value, Link::None),
        };
        self.out.put(class, &self.text, link);
    }

    /// Writes an operand. Returns false, and writes nothing, if it has no spelling.
    fn operand(
        &mut self,
        inst: &Instruction<'_>,
        operand: &Operand,
        decoded: &Decoded,
        context: &Context,
    ) -> bool {
        let word = operand.word(inst);
        self.text.clear();
        let class = match operand.kind {
            _ if operand.is_id() => {
                self.id(word);
                return true;
            }
            Kind::LiteralString => return self.string(operand.words(inst)),
            Kind::LiteralInteger => self.number(Number::WORD, operand.words(inst)),
            Kind::LiteralFloat => {
                self.number(Number { width: 32, form: NumberForm::Float }, operand.words(inst))
            }
            Kind::LiteralContextDependentNumber => self.number(decoded.number, operand.words(inst)),
            Kind::LiteralExtInstInteger => match decoded.extended {
                Some(extended) => {
                    self.text.push_str(extended.name);
                    Some(Class::Op)
                }
                None if context.is_open_set(decoded.arguments().first().map_or(0, |set| set.word(inst))) => {
                    self.number(Number::WORD, operand.words(inst))
                }
                None => None,
            },
            Kind::LiteralSpecConstantOpInteger => inner_op(word).map(|inner| {
                self.text.push_str(&inner.name[2..]);
                Class::Op
            }),
            kind => match enumerants(kind) {
                Some(table) if table.is_mask => self.mask(kind, word),
                Some(table) => table.name(word).map(|name| {
                    self.text.push_str(name);
                    Class::Keyword
                }),
                None => None,
            },
        };
        if let Some(class) = class {
            self.out.put(class, &self.text, Link::None);
        }
        class.is_some()
    }

    fn number(&mut self, number: Number, words: &[u32]) -> Option<Class> {
        number.spell(words, &mut self.text).then_some(Class::Number)
    }

    fn mask(&mut self, kind: Kind, word: u32) -> Option<Class> {
        let table = enumerants(kind)?;
        if word == 0 {
            self.text.push_str(table.name(0)?);
        }
        for bit in (0..32).map(|bit| word & 1 << bit).filter(|&bit| bit != 0) {
            let name = table.name(bit)?;
            if !self.text.is_empty() {
                self.text.push('|');
            }
            self.text.push_str(name);
        }
        Some(Class::Flag)
    }

    /// Writes a quoted string; its line breaks are line breaks of the disassembly.
    fn string(&mut self, words: &[u32]) -> bool {
        let Some(bytes) = spellable(words) else { return false };
        let Ok(text) = String::from_utf8(bytes) else { return false };
        let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        for (at, line) in quoted.split('\n').enumerate() {
            if at > 0 {
                self.out.close_line();
                self.out.open_line(0);
            }
            if !line.is_empty() {
                self.out.put(Class::Text, line, Link::None);
            }
        }
        true
    }
}

/// The bytes of a string that assembles to the same words and that is safe to write to a terminal.
fn spellable(words: &[u32]) -> Option<Vec<u8>> {
    let (bytes, _) = string_bytes(words)?;
    let tail = words.iter().flat_map(|word| word.to_le_bytes()).skip(bytes.len());
    let is_odd = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r".contains(byte);
    (tail.fold(0, |all, byte| all | byte) == 0 && !bytes.iter().any(is_odd)).then_some(bytes)
}

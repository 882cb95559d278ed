//! Assembly: text to words. Every line that cannot be read is reported, and the others are assembled.
//!
//! One instruction on each line; `//` and `;` begin a remark, lines that begin with `#` are skipped. Spellings are those of the
//! vendor's assembler and of `print`; components may be `rgba`. `sub` is written as it stands; the vendor's assembler writes
//! `add` with a negated source from model 2 on, which [`AssembleOptions::sub_as_add`] does, too.
//! Limits: no macros, no `#define`.

use super::encode::{MOST_COMMENT_WORDS, encode_comment, encode_inst};
use super::inst::{
    ALL_COMPONENTS, Declaration, Definition, Dst, IDENTITY, Index, Inst, Modifier, SHIFTS, Src,
};
use super::print::has_semantic;
use super::register::{File, Register, TEXTURE_TYPES, USAGES};
use super::table::{COMPARISONS, Control, Layout, Op, SAMPLINGS, TABLE};
use super::token::END;
use super::version::Version;
use crate::{MOST_DIAGS, push};
use vitrine_ir::base::nearest;
use vitrine_ir::{Anchor, Diag, Diags, SourceSpan};

/// Options of the assembler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AssembleOptions {
    /// From model 2 on, `sub` becomes `add` with a negated source.
    pub sub_as_add: bool,
}

/// An assembled program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// The words, with the end token.
    pub words: Vec<u32>,
    /// The first word of each line that has some, and the line, from 1.
    pub lines: Vec<(u32, u32)>,
    /// Errors.
    pub diags: Diags,
}

/// A part of a line that is wrong: its position in the line in bytes, its length, a sentence, advice.
struct Wrong {
    at: usize,
    len: usize,
    says: String,
    help: Option<String>,
}

type Read<T> = Result<T, Wrong>;

/// Assembles a program as it is written.
///
/// Errors: `D121` no version; `D122` an unknown instruction; `D123` a wrong operand or number of operands. Reading ends
/// after 100 errors. Linear.
pub fn assemble(text: &str) -> Assembled {
    assemble_with(text, AssembleOptions::default())
}

/// Assembles a program.
pub fn assemble_with(text: &str, options: AssembleOptions) -> Assembled {
    let mut out = Assembled::default();
    let mut version = None;
    let mut has_end = true;
    // Words of a `.word` or `.comment` that continues on the next line.
    let mut open: Option<(Vec<u32>, bool)> = None;
    let mut start = 0;
    for (number, raw) in (1u32..).zip(text.split('\n')) {
        let line_start = start;
        start += raw.len() + 1;
        let line = without_remark(raw);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let first = out.words.len();
        let result = match version {
            None => match Version::from_name(trimmed) {
                Some(found) => {
                    version = Some(found);
                    out.words.push(found.token());
                    Ok(())
                }
                None => Err(no_version(line)),
            },
            Some(version) => {
                let mut line = Line { text: line, at: 0, version };
                match (open.take(), trimmed) {
                    (None, ".noend") => {
                        has_end = false;
                        Ok(())
                    }
                    (opened, _) => line.assemble(opened, options, &mut out.words).map(|more| open = more),
                }
            }
        };
        match result {
            Ok(()) if out.words.len() > first => out.lines.push((first as u32, number)),
            Ok(()) => {}
            Err(wrong) => {
                let code = match (version, &wrong.help) {
                    (None, _) => "D121",
                    (Some(_), Some(_)) => "D122",
                    (Some(_), None) => "D123",
                };
                let column = raw.get(..wrong.at).map_or(1, |before| before.chars().count() as u32 + 1);
                let place = SourceSpan {
                    start: (line_start + wrong.at) as u32,
                    len: wrong.len as u32,
                    line: number,
                    column,
                };
                let diag = Diag::error(code, Anchor::Module).says(wrong.says).placed(place);
                push(&mut out.diags, if let Some(help) = wrong.help { diag.help(help) } else { diag });
                // The rest is not even read: a large text that is no assembly must not take long.
                if version.is_none() || out.diags.len() > MOST_DIAGS {
                    return out;
                }
            }
        }
    }
    if version.is_none() && out.diags.is_empty() {
        let diag = Diag::error("D121", Anchor::Module).says("the text has no version");
        push(&mut out.diags, diag.help("begin with a version such as ps_3_0"));
    }
    if version.is_some() && has_end {
        out.words.push(END);
    }
    out
}

/// A line without its remark.
fn without_remark(line: &str) -> &str {
    let end = [line.find("//"), line.find(';')].into_iter().flatten().min().unwrap_or(line.len());
    line.get(..end).unwrap_or(line).trim_end_matches(['\r', '\0'])
}

fn no_version(line: &str) -> Wrong {
    let word = line.trim();
    let at = line.len() - line.trim_start().len();
    let names = Version::ALL.iter().map(|(_, name)| *name);
    let help = match nearest(word, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "begin with a version such as ps_3_0".to_owned(),
    };
    Wrong { at, len: word.len(), says: format!("`{word}` is not a version"), help: Some(help) }
}

/// A line that is being read.
struct Line<'t> {
    text: &'t str,
    at: usize,
    version: Version,
}

impl<'t> Line<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes a character, after spaces.
    fn eat(&mut self, wanted: char) -> bool {
        self.skip_spaces();
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    /// Takes a word: letters, digits and underscores, after spaces.
    fn word(&mut self) -> (usize, &'t str) {
        self.skip_spaces();
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += len;
        (self.at - len, rest.get(..len).unwrap_or(""))
    }

    /// A fault at the rest of the line.
    fn expected(&self, what: &str) -> Wrong {
        let rest = self.rest().trim();
        let says = match rest.is_empty() {
            true => format!("expected {what} at the end of the line"),
            false => format!("expected {what}, found `{rest}`"),
        };
        Wrong { at: self.at, len: rest.len().max(1), says, help: None }
    }

    /// Assembles the line. Returns the words of a directive that continues on the next line.
    fn assemble(
        &mut self,
        opened: Option<(Vec<u32>, bool)>,
        options: AssembleOptions,
        words: &mut Vec<u32>,
    ) -> Read<Option<(Vec<u32>, bool)>> {
        let (mut values, is_comment) = match opened {
            Some(opened) => opened,
            None if self.eat('.') => {
                let (at, word) = self.word();
                match word {
                    "word" => (Vec::new(), false),
                    "comment" => (Vec::new(), true),
                    _ => {
                        let says = format!("there is no directive `.{word}`");
                        let help = Some("there are .word, .comment and .noend".to_owned());
                        return Err(Wrong { at, len: word.len().max(1), says, help });
                    }
                }
            }
            None => {
                let mut inst = self.instruction()?;
                self.skip_spaces();
                if !self.rest().is_empty() {
                    return Err(self.expected("the end of the line"));
                }
                if options.sub_as_add && inst.op == Op::Sub && self.version.major >= 2 {
                    inst = added(inst);
                }
                encode_inst(&inst, self.version, words);
                return Ok(None);
            }
        };
        loop {
            self.skip_spaces();
            if self.rest().is_empty() {
                break;
            }
            if self.eat('\\') {
                return Ok(Some((values, is_comment)));
            }
            values.push(self.number()?);
        }
        match is_comment {
            true if values.len() > MOST_COMMENT_WORDS => {
                let says = format!(
                    "a comment has at most {MOST_COMMENT_WORDS} words, this one has {}",
                    values.len()
                );
                return Err(Wrong { at: 0, len: self.text.len(), says, help: None });
            }
            true => encode_comment(&values, words),
            false => words.append(&mut values),
        }
        Ok(None)
    }

    /// A word as a number, decimal or hexadecimal; negative numbers are two's complement.
    fn number(&mut self) -> Read<u32> {
        let is_negative = self.eat('-');
        let (at, word) = self.word();
        let parsed = match word.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => word.parse().ok(),
        };
        match parsed {
            Some(number) if is_negative => Ok(number.wrapping_neg()),
            Some(number) => Ok(number),
            None => Err(Wrong {
                at,
                len: word.len().max(1),
                says: format!("`{word}` is not a number of 32 bits"),
                help: None,
            }),
        }
    }

    fn instruction(&mut self) -> Read<Inst> {
        let coissue = self.eat('+');
        let predicate = if self.eat('(') {
            let predicate = self.source()?;
            if !self.eat(')') {
                return Err(self.expected("`)`"));
            }
            Some(predicate)
        } else {
            None
        };
        let (at, word) = self.word();
        let (op, control, suffixes) = self.operation(at, word)?;
        let mut inst = Inst { coissue, predicate, control, ..Inst::new(op) };
        let info = op.info();
        let is_declaration = info.layout == Layout::Declare;
        match info.layout {
            Layout::None | Layout::Sources(_) if predicate.is_some() || !suffixes.is_empty() => {
                let says = format!("`{}` has no result, so it takes no suffix and no predicate", info.name);
                return Err(Wrong { at, len: word.len(), says, help: None });
            }
            Layout::None => {}
            Layout::Sources(count) => self.sources(&mut inst, count, false)?,
            Layout::Dst(_)
            | Layout::Declare
            | Layout::DefineFloat
            | Layout::DefineInt
            | Layout::DefineBool => {
                let mut dst = self.destination()?;
                let declared = self.suffixes(&mut dst, suffixes, is_declaration, at)?;
                inst.declaration = is_declaration.then_some(declared);
                inst.dst = Some(dst);
                match info.layout {
                    Layout::Dst(count) => self.sources(&mut inst, count, true)?,
                    Layout::DefineFloat => inst.definition = Some(Definition::Float(self.four(Line::float)?)),
                    Layout::DefineInt => inst.definition = Some(Definition::Int(self.four(Line::number)?)),
                    Layout::DefineBool => inst.definition = Some(Definition::Bool(self.boolean()?)),
                    Layout::None | Layout::Sources(_) | Layout::Declare => {}
                }
            }
        }
        Ok(inst)
    }

    /// The operation of a word, its control bits, and the suffixes after it.
    fn operation<'w>(&self, at: usize, word: &'w str) -> Read<(Op, u8, Vec<&'w str>)> {
        let mut parts = word.split('_');
        let name = parts.next().unwrap_or_default();
        let mut suffixes: Vec<&str> = parts.collect();
        let of_name = |known: &str| known == name || SAMPLINGS.contains(&name) && known == "texld";
        let forms = || TABLE.iter().filter(|info| of_name(info.name));
        let comparison =
            suffixes.first().and_then(|first| COMPARISONS.iter().skip(1).position(|known| known == first));
        let is_form = |control: Control| (control == Control::Compare) == comparison.is_some();
        let found = forms().find(|info| info.is_in(self.version) && is_form(info.control));
        let Some(info) = found else {
            let known = forms().next().is_some();
            let names = TABLE.iter().filter(|info| info.is_in(self.version)).map(|info| info.name);
            let help = match nearest(name, names.chain(SAMPLINGS.iter().copied())) {
                Some(near) if near != name => format!("did you mean `{near}`?"),
                _ => format!("see the instructions of {}", self.version),
            };
            let says = match known {
                true => format!("{} has no instruction `{word}`", self.version),
                false => format!("there is no instruction `{name}`"),
            };
            return Err(Wrong { at, len: word.len().max(1), says, help: Some(help) });
        };
        let control = match info.control {
            Control::None => 0,
            Control::Compare => {
                suffixes.remove(0);
                comparison.map_or(0, |comparison| comparison as u8 + 1)
            }
            Control::Sampling => SAMPLINGS.iter().position(|known| *known == name).unwrap_or(0) as u8,
        };
        Ok((info.op, control, suffixes))
    }

    /// Reads the suffixes of an instruction into its destination, and the semantic of a declaration.
    fn suffixes(
        &self,
        dst: &mut Dst,
        suffixes: Vec<&str>,
        is_declaration: bool,
        at: usize,
    ) -> Read<Declaration> {
        let mut of = Declaration::default();
        for suffix in suffixes {
            let shift = SHIFTS.iter().find(|(_, spelling)| *spelling == suffix);
            let texture = TEXTURE_TYPES.iter().position(|known| !known.is_empty() && *known == suffix);
            match (suffix, shift, texture) {
                ("sat", ..) => dst.saturate = true,
                ("pp", ..) => dst.partial = true,
                ("centroid", ..) => dst.centroid = true,
                (_, Some((shift, _)), _) if !is_declaration => dst.shift = *shift,
                (_, _, Some(texture)) if is_declaration && dst.register.file == File::Sampler => {
                    of.texture = texture as u8;
                }
                _ if is_declaration && has_semantic(dst.register.file, self.version) => {
                    let digits = suffix.find(|c: char| c.is_ascii_digit()).unwrap_or(suffix.len());
                    let (usage, index) = suffix.split_at(digits);
                    let number = USAGES.iter().position(|known| *known == usage);
                    let index = if index.is_empty() { Ok(0) } else { index.parse::<u8>() };
                    match (number, index) {
                        (Some(number), Ok(index @ 0..=15)) => (of.usage, of.index) = (number as u8, index),
                        _ => return Err(self.suffix(at, suffix, nearest(usage, USAGES.iter().copied()))),
                    }
                }
                _ => return Err(self.suffix(at, suffix, nearest(suffix, ["sat", "pp", "centroid"]))),
            }
        }
        Ok(of)
    }

    fn suffix(&self, at: usize, suffix: &str, near: Option<&str>) -> Wrong {
        let len = self.text.get(at..).map_or(1, |rest| rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let help = near.map(|near| format!("did you mean `_{near}`?"));
        Wrong { at, len, says: format!("`_{suffix}` is not a suffix of this instruction"), help }
    }

    fn sources(&mut self, inst: &mut Inst, count: u8, after_destination: bool) -> Read<()> {
        for at in 0..usize::from(count) {
            if (after_destination || at > 0) && !self.eat(',') {
                return Err(self.expected(&format!("`,` and source {} of {count}", at + 1)));
            }
            inst.sources[at] = self.source()?;
        }
        inst.count = count;
        Ok(())
    }

    fn four(&mut self, read: fn(&mut Self) -> Read<u32>) -> Read<[u32; 4]> {
        let mut values = [0; 4];
        for (at, value) in values.iter_mut().enumerate() {
            if !self.eat(',') {
                return Err(self.expected(&format!("`,` and value {} of 4", at + 1)));
            }
            *value = read(self)?;
        }
        Ok(values)
    }

    fn float(&mut self) -> Read<u32> {
        self.skip_spaces();
        let rest = self.rest();
        let len = rest.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(rest.len());
        let word = rest.get(..len).unwrap_or("");
        if word.starts_with("0x") {
            return self.number();
        }
        self.at += len;
        let number = word.strip_suffix('f').unwrap_or(word).parse::<f32>();
        number.map(f32::to_bits).map_err(|_| Wrong {
            at: self.at - len,
            len: len.max(1),
            says: format!("`{word}` is not a number"),
            help: None,
        })
    }

    fn boolean(&mut self) -> Read<u32> {
        if !self.eat(',') {
            return Err(self.expected("`,` and true or false"));
        }
        let (at, word) = self.word();
        match word.to_ascii_lowercase().as_str() {
            "true" => Ok(1),
            "false" => Ok(0),
            _ => {
                let says = format!("`{word}` is neither true nor false");
                Err(Wrong { at, len: word.len().max(1), says, help: None })
            }
        }
    }

    fn destination(&mut self) -> Read<Dst> {
        let (register, index, after) = self.register()?;
        if !after.is_empty() {
            return Err(self.expected("a destination without a modifier"));
        }
        let mut dst = Dst { index, ..Dst::plain(register) };
        if self.eat('.') {
            let (at, word) = self.word();
            let components: Option<Vec<u8>> = word.chars().map(component).collect();
            let ascending =
                components.filter(|list| !list.is_empty() && list.is_sorted_by(|one, two| one < two));
            let Some(components) = ascending else {
                let says = format!("`.{word}` is not a mask: components in the order xyzw, each once");
                return Err(Wrong { at, len: word.len().max(1), says, help: None });
            };
            dst.mask = components.iter().fold(0, |mask, at| mask | 1 << at);
        } else {
            dst.mask = ALL_COMPONENTS;
        }
        Ok(dst)
    }

    fn source(&mut self) -> Read<Src> {
        self.skip_spaces();
        let start = self.at;
        let before = ["1-", "-", "!"].into_iter().find(|sign| self.rest().starts_with(sign)).unwrap_or("");
        self.at += before.len();
        let (register, index, after) = self.register()?;
        let Some(modifier) = Modifier::from_spelling(before, after) else {
            let says = format!("`{before}…{after}` is not a modifier of a source");
            return Err(Wrong { at: start, len: self.at - start, says, help: None });
        };
        let mut swizzle = IDENTITY;
        if self.eat('.') {
            let (at, word) = self.word();
            let components: Option<Vec<u8>> = word.chars().map(component).collect();
            let Some(components) = components.filter(|list| (1..=4).contains(&list.len())) else {
                let says = format!("`.{word}` is not a swizzle: one to four of the components xyzw");
                return Err(Wrong { at, len: word.len().max(1), says, help: None });
            };
            // The last component is repeated.
            swizzle =
                (0..4).fold(0, |swizzle, at| swizzle | components[at.min(components.len() - 1)] << (2 * at));
        }
        Ok(Src { register, swizzle, modifier, index })
    }

    /// A register with its relative address, and the modifier after its name.
    fn register(&mut self) -> Read<(Register, Option<Index>, &'t str)> {
        let (at, word) = self.word();
        let (name, after) = match word.find('_') {
            Some(end) => word.split_at(end),
            None => (word, ""),
        };
        let unknown = |says: String| Wrong { at, len: word.len().max(1), says, help: None };
        if self.rest().starts_with('[') {
            self.at += 1;
            let base = match Register::from_name(name, self.version) {
                Some(base) => base,
                None => match Register::file_of_prefix(name) {
                    Some(file) => Register::new(file, 0),
                    None => return Err(unknown(format!("{} has no register `{name}`", self.version))),
                },
            };
            let (index, offset) = self.index()?;
            let number = u32::from(base.number) + offset;
            let fits = u16::try_from(number).ok().filter(|number| *number <= Register::most(base.file));
            let Some(number) = fits else {
                return Err(unknown(format!("the register number {number} is too large")));
            };
            // Model 1 writes a modifier after the brackets.
            let rest = self.rest();
            let len = if rest.starts_with('_') {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            } else {
                0
            };
            self.at += len;
            let after = if after.is_empty() { rest.get(..len).unwrap_or("") } else { after };
            return Ok((Register::new(base.file, number), Some(index), after));
        }
        match Register::from_name(name, self.version) {
            Some(register) => Ok((register, None, after)),
            None if name.is_empty() => Err(self.expected("a register")),
            None => Err(unknown(format!("{} has no register `{name}`", self.version))),
        }
    }

    /// The part in brackets after the opening one: `a0.x`, `aL`, `a0.x + 3`, `3 + aL`.
    fn index(&mut self) -> Read<(Index, u32)> {
        let mut index = None;
        let mut offset = 0u32;
        loop {
            let (at, word) = self.word();
            if let Ok(number) = word.parse::<u32>() {
                offset = offset.saturating_add(number);
            } else {
                let register = Register::from_name(word, self.version);
                let register = register.filter(|of| matches!(of.file, File::Address | File::Loop));
                let Some(register) = register.filter(|_| index.is_none()) else {
                    let says = format!("`{word}` is not an address register: write a0.x or aL");
                    return Err(Wrong { at, len: word.len().max(1), says, help: None });
                };
                let mut swizzle = if register.file == File::Loop { IDENTITY } else { 0 };
                if self.eat('.') {
                    let (at, word) = self.word();
                    let mut chars = word.chars();
                    let Some(of) = chars.next().and_then(component).filter(|_| chars.next().is_none()) else {
                        let says = format!("`.{word}` is not one component");
                        return Err(Wrong { at, len: word.len().max(1), says, help: None });
                    };
                    swizzle = of * 0x55;
                }
                index = Some(Index { register, swizzle });
            }
            if self.eat(']') {
                break;
            }
            if !self.eat('+') {
                return Err(self.expected("`]` or `+`"));
            }
        }
        match index {
            Some(index) => Ok((index, offset)),
            None => Err(self.expected("an address register such as a0.x before `]`")),
        }
    }
}

/// `sub` as `add` with a negated source.
fn added(inst: Inst) -> Inst {
    let negated = match inst.sources[1].modifier {
        Modifier::None => Modifier::Neg,
        Modifier::Neg => Modifier::None,
        Modifier::Abs => Modifier::NegAbs,
        Modifier::NegAbs => Modifier::Abs,
        _ => return inst,
    };
    let mut inst = Inst { op: Op::Add, ..inst };
    inst.sources[1].modifier = negated;
    inst
}

fn component(letter: char) -> Option<u8> {
    match letter.to_ascii_lowercase() {
        'x' | 'r' => Some(0),
        'y' | 'g' => Some(1),
        'z' | 'b' => Some(2),
        'w' | 'a' => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PrintOptions, Program, disassembly};
    use super::*;

    /// Assembles, disassembles, and expects the same text.
    fn same(text: &str) {
        let made = assemble(text);
        assert!(made.diags.is_empty(), "{:?}", made.diags);
        let (program, diags) = Program::from_words(&made.words);
        let codes: Vec<&str> = diags.iter().map(|diag| diag.code).collect();
        let expected: &[&str] = if text.ends_with(".noend\n") { &["D102"] } else { &[] };
        assert_eq!(codes, expected, "{diags:?}\n{text}");
        assert_eq!(disassembly(&program, &PrintOptions::default()), text);
        assert_eq!(program.words(), made.words);
    }

    #[test]
    fn every_form_has_a_spelling() {
        same("ps_3_0\ndef c0, 1, -0.5, 1e-10, 3.4028235e38\ndefi i0, 255, -1, 0, 0\ndefb b3, true\ndcl_texcoord5_pp_centroid v0.xy\n\
              dcl_2d s0\ndcl vPos.xy\ndcl vFace\nloop aL, i0\n  mad_sat_pp r0.xz, -v[aL].x, c5_abs.wzyx, -r1_abs\n  break_ne c0.x, -c0.x\nendloop\n\
              rep i0\n  if_lt r0.x, c0.y\n    texldp r1, r0, s0\n  else\n    texldb oC0, r0, s0\n  endif\nendrep\nsetp_ge p0.xy, r0, c0\n\
              (p0) mov r0, c1\n(!p0.x) mov r0.x, c1\nbreakp p0.x\nif b0\nendif\ncallnz l0, b1\ncallnz l1, !p0.x\nret\nlabel l0\nmov oDepth, r0.x\nret\n"
            .replace("v[aL]", "v0[aL]").as_str());
        same(
            "vs_1_1\ndcl_position v0\nmov a0.x, v0.x\nadd oPos, v0, c[a0.x + 12]\nmov oFog, c[a0.x].x\nmov oD1, v0\nmov oT7.xy, v0\n",
        );
        same(
            "ps_1_4\ntexcrd r0.xyz, t0_dz\ntexld r1, t1\nphase\ntexld r2, r0\nmul_x8_sat r0.xyz, r1_bx2, 1-r2\n+ add_d2 r0.w, r1_bias, -r2_x2\n",
        );
        same("ps_1_1\ntex t0\ntexbem t1, t0_bx2\ncnd r0, r0.w, c0, c1\n");
        same("ps_2_0\n.comment 0x42415443 0x00000001\nmov oC0, c0\n.noend\n");
        // `endif` is not in the version: the words are kept, and reported.
        let text = "ps_2_0\n.word 0x0000002b\n";
        let (program, diags) = Program::from_words(&assemble(text).words);
        assert_eq!((diags.len(), disassembly(&program, &PrintOptions::default()).as_str()), (1, text));
    }

    #[test]
    fn a_wrong_line_is_reported_and_the_others_are_read() {
        let made = assemble(
            "ps_3_0\nmovv r0, c0\nmov r0\nmov q0, c0\nmov r0.yx, c0\nmov r0, c0.q\nmov r0, c0 c1\nslt r0, c0, c1\nmov r1, c1\n",
        );
        let says: Vec<String> = made.diags.iter().map(ToString::to_string).collect();
        let expected = [
            "did you mean `mov`?",
            "source 1 of 1",
            "no register `q0`",
            "not a mask",
            "not a swizzle",
            "the end of the line",
            "ps_3_0 has no instruction `slt`",
        ];
        assert_eq!(says.len(), expected.len(), "{says:?}");
        for (says, expected) in says.iter().zip(expected) {
            assert!(says.contains(expected), "{says}: {expected}");
        }
        assert_eq!(made.words.len(), 5, "the version, the last line, the end");
        assert_eq!(made.lines.last(), Some(&(1, 9)));
        let version = assemble("ps_30\nmov r0, c0\n");
        assert!(version.diags[0].to_string().contains("did you mean `ps_3_0`?"), "{:?}", version.diags);
        assert!(assemble("").diags[0].to_string().contains("no version"));
    }

    #[test]
    fn model_2_subtracts_by_adding() {
        let made = assemble_with("ps_2_0\nsub r0, r1, r2.x\n", AssembleOptions { sub_as_add: true });
        let (program, _) = Program::from_words(&made.words);
        assert_eq!(disassembly(&program, &PrintOptions::default()), "ps_2_0\nadd r0, r1, -r2.x\n");
    }
}

//! Words to instructions.
//!
//! An instruction that does not decode, or whose tokens have bits without a meaning, is kept as a row of words and
//! reported: encoding gives the words back in every case. From shader model 2 on, an instruction token has its
//! length, which is trusted; in model 1 the next token without bit 31 begins an instruction.

use super::encode::encode_inst;
use super::inst::{Declaration, Definition, Dst, Index, Inst, Modifier, Src};
use super::program::{Item, ItemKind, Program};
use super::register::{File, Register, TEXTURE_TYPES, USAGES};
use super::table::{Layout, Op};
use super::token::{COISSUE, COMMENT, END, PARAMETER, PREDICATED, RELATIVE};
use super::version::Version;
use crate::push;
use vitrine_ir::{Anchor, Diag, Diags};

/// A reason that an instruction is not decoded: the word it refers to, counted from the instruction, and a
/// sentence.
type Refused = (usize, String);

impl Program {
    /// Decodes words.
    ///
    /// Errors: `D101` unknown version; `D102` no end token; `D103` words that are not an instruction; `D104` a
    /// comment that is cut; `D105` an instruction that the version does not have. All are reported, and the rest
    /// of the program is decoded. Linear.
    pub fn from_words(words: &[u32]) -> (Program, Diags) {
        decode(words)
    }

    /// Decodes bytes; bytes beyond a multiple of four are kept in `rest` and reported (`D106`).
    pub fn read(bytes: &[u8]) -> (Program, Diags) {
        let whole = bytes.len() / 4 * 4;
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        let (mut program, mut diags) = decode(&words);
        let odd = bytes.get(whole..).unwrap_or(&[]);
        if !odd.is_empty() {
            program.rest.extend(odd);
            let says = format!("{} bytes are not a multiple of four", bytes.len());
            push(&mut diags, Diag::error("D106", Anchor::Word(words.len() as u32)).says(says));
        }
        (program, diags)
    }
}

/// The length in bytes of the program at the start of these bytes, with its end token. None if they do not begin
/// a program, or if it does not end.
pub fn program_bytes(bytes: &[u8]) -> Option<usize> {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    let version = Version::from_token(*words.first()?)?;
    let mut at = 1;
    while *words.get(at)? != END {
        at += item_words(&words, at, version);
    }
    Some(4 * (at + 1))
}

/// Decodes words. Linear; see [`Program::from_words`].
fn decode(words: &[u32]) -> (Program, Diags) {
    let mut diags = Diags::new();
    let Some(&token) = words.first() else {
        let diag = Diag::error("D101", Anchor::Word(0)).says("there is no version token");
        return (
            Program::default(),
            vec![diag.help("a program begins with one such as 0xffff0300 (ps_3_0)")],
        );
    };
    let Some(version) = Version::from_token(token) else {
        let says = format!("{token:#010x} is not the version token of a program of shader model 1 to 3");
        let diag = Diag::error("D101", Anchor::Word(0)).says(says);
        let rest = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        return (Program { rest, ..Program::default() }, vec![diag]);
    };
    let mut items = Vec::with_capacity(words.len() / 3);
    let mut at = 1;
    let mut has_end = false;
    let mut encoded = Vec::with_capacity(16);
    while let Some(&token) = words.get(at) {
        if token == END {
            has_end = true;
            at += 1;
            break;
        }
        let len = item_words(words, at, version);
        let Some(inside) = words.get(at..at + len) else { break };
        let kind = if token & 0xffff == COMMENT {
            comment(inside, at, &mut diags)
        } else {
            match instruction(inside, version, &mut encoded) {
                Ok(inst) => {
                    check_version(&inst, version, at, &mut diags);
                    ItemKind::Inst(inst)
                }
                Err((word, says)) => {
                    let anchor = Anchor::Word((at + word) as u32);
                    push(&mut diags, Diag::error("D103", anchor).says(says));
                    ItemKind::Words(inside.to_vec())
                }
            }
        };
        items.push(Item { at: at as u32, kind });
        at += len;
    }
    if !has_end {
        let diag = Diag::error("D102", Anchor::Word(at as u32)).says("the program has no end token");
        push(&mut diags, diag.help("the last word is 0x0000ffff; the file seems to be cut"));
    }
    let rest: Vec<u8> = words.get(at..).unwrap_or(&[]).iter().flat_map(|word| word.to_le_bytes()).collect();
    (Program { version: Some(version), items, has_end, rest }, diags)
}

/// The number of words of the instruction or comment at a position; at least 1, and never beyond the end.
fn item_words(words: &[u32], at: usize, version: Version) -> usize {
    let left = words.len() - at;
    let token = words[at];
    let len = if token & 0xffff == COMMENT {
        1 + (token >> 16 & 0x7fff) as usize
    } else if version.has_lengths() {
        1 + (token >> 24 & 0xf) as usize
    } else {
        1 + model_1_params(words.get(at + 1..).unwrap_or(&[]), token, version)
    };
    len.min(left)
}

/// The number of parameter tokens in shader model 1, where they follow from the opcode.
fn model_1_params(after: &[u32], token: u32, version: Version) -> usize {
    match Op::find(token as u16, version) {
        Some((op, _)) if matches!(op.info().layout, Layout::DefineFloat | Layout::DefineInt) => {
            op.info().params()
        }
        Some(_) | None => after.iter().take_while(|&&word| word & PARAMETER != 0).count(),
    }
}

fn comment(words: &[u32], at: usize, diags: &mut Diags) -> ItemKind {
    let token = words[0];
    let wanted = (token >> 16 & 0x7fff) as usize;
    if token & PARAMETER != 0 || words.len() != 1 + wanted {
        let says = format!("the comment has {wanted} words, but the program ends after {}", words.len() - 1);
        let diag = Diag::error("D104", Anchor::Word(at as u32)).says(says);
        push(diags, diag.help("the file seems to be cut"));
        return ItemKind::Words(words.to_vec());
    }
    ItemKind::Comment(words[1..].to_vec())
}

fn check_version(inst: &Inst, version: Version, at: usize, diags: &mut Diags) {
    let info = inst.op.info();
    if !info.is_in(version) {
        let says = format!("{version} has no instruction `{}`", info.name);
        push(diags, Diag::error("D105", Anchor::Word(at as u32)).says(says));
    }
}

/// Decodes one instruction. `encoded` is scratch space.
fn instruction(words: &[u32], version: Version, encoded: &mut Vec<u32>) -> Result<Inst, Refused> {
    let token = words[0];
    let Some((op, _)) = Op::find(token as u16, version) else {
        return Err((0, format!("the opcode {:#x} is unknown", token & 0xffff)));
    };
    let info = op.info();
    let mut params = Params { words, at: 1, version, name: info.name };
    let mut inst = Inst { control: (token >> 16) as u8, coissue: token & COISSUE != 0, ..Inst::new(op) };
    if !inst.has_known_control() {
        return Err((0, format!("`{}` has the unknown control bits {:#x}", info.name, inst.control)));
    }
    if token & PREDICATED != 0 && !matches!(info.layout, Layout::Dst(_)) {
        return Err((0, format!("`{}` cannot have a predicate", info.name)));
    }
    match info.layout {
        Layout::None => {}
        Layout::Dst(sources) => {
            inst.dst = Some(params.dst()?);
            if token & PREDICATED != 0 {
                inst.predicate = Some(params.src()?);
            }
            params.sources(&mut inst, sources)?;
        }
        Layout::Sources(sources) => params.sources(&mut inst, sources)?,
        Layout::Declare => {
            inst.declaration = Some(params.declaration()?);
            inst.dst = Some(params.dst()?);
        }
        Layout::DefineFloat | Layout::DefineInt | Layout::DefineBool => {
            inst.dst = Some(params.dst()?);
            inst.definition = Some(params.definition(info.layout)?);
        }
    }
    if params.at != words.len() {
        let says =
            format!("`{}` has {} operand words instead of {}", info.name, words.len() - 1, params.at - 1);
        return Err((0, says));
    }
    encoded.clear();
    encode_inst(&inst, version, encoded);
    match encoded.iter().zip(words).position(|(ours, given)| ours != given) {
        None => Ok(inst),
        Some(at) => {
            let odd = words[at] ^ encoded[at];
            Err((at, format!("`{}` has the bits {odd:#x}, which have no meaning here", info.name)))
        }
    }
}

/// The parameter tokens of an instruction.
struct Params<'w> {
    words: &'w [u32],
    at: usize,
    version: Version,
    name: &'static str,
}

impl Params<'_> {
    fn next(&mut self) -> Result<u32, Refused> {
        let Some(&word) = self.words.get(self.at) else {
            return Err((0, format!("`{}` has only {} operand words", self.name, self.words.len() - 1)));
        };
        self.at += 1;
        Ok(word)
    }

    fn register(&self, token: u32) -> Result<Register, Refused> {
        Register::from_token(token, self.version).ok_or_else(|| {
            let kind = token >> 28 & 7 | token >> 8 & 0x18;
            (self.at - 1, format!("the register type {kind} of `{}` is unknown", self.name))
        })
    }

    fn index(&mut self, token: u32) -> Result<Option<Index>, Refused> {
        if token & RELATIVE == 0 {
            return Ok(None);
        }
        if !self.version.has_lengths() {
            // Shader model 1 has only `a0.x`, without a token.
            return Ok(Some(Index { register: Register::new(File::Address, 0), swizzle: 0 }));
        }
        let token = self.next()?;
        Ok(Some(Index { register: self.register(token)?, swizzle: (token >> 16) as u8 }))
    }

    fn dst(&mut self) -> Result<Dst, Refused> {
        let token = self.next()?;
        let register = self.register(token)?;
        let index = self.index(token)?;
        // The shift is a signed number of four bits.
        let shift = ((token >> 24 & 0xf) as i8) << 4 >> 4;
        Ok(Dst {
            register,
            mask: (token >> 16 & 0xf) as u8,
            saturate: token >> 20 & 1 != 0,
            partial: token >> 21 & 1 != 0,
            centroid: token >> 22 & 1 != 0,
            shift,
            index,
        })
    }

    fn src(&mut self) -> Result<Src, Refused> {
        let token = self.next()?;
        let register = self.register(token)?;
        let number = token >> 24 & 0xf;
        let Some(modifier) = Modifier::from_number(number) else {
            return Err((self.at - 1, format!("the source modifier {number} is unknown")));
        };
        let index = self.index(token)?;
        Ok(Src { register, swizzle: (token >> 16) as u8, modifier, index })
    }

    fn sources(&mut self, inst: &mut Inst, count: u8) -> Result<(), Refused> {
        for at in 0..usize::from(count) {
            inst.sources[at] = self.src()?;
        }
        inst.count = count;
        Ok(())
    }

    fn declaration(&mut self) -> Result<Declaration, Refused> {
        let token = self.next()?;
        let usage = token & 0x1f;
        if usage as usize >= USAGES.len() {
            return Err((self.at - 1, format!("the semantic {usage} is unknown")));
        }
        let texture = token >> 27 & 0xf;
        if texture as usize >= TEXTURE_TYPES.len() {
            return Err((self.at - 1, format!("the texture type {texture} is unknown")));
        }
        Ok(Declaration { usage: usage as u8, index: (token >> 16 & 0xf) as u8, texture: texture as u8 })
    }

    fn definition(&mut self, layout: Layout) -> Result<Definition, Refused> {
        if layout == Layout::DefineBool {
            return Ok(Definition::Bool(self.next()?));
        }
        let values = [self.next()?, self.next()?, self.next()?, self.next()?];
        Ok(if layout == Layout::DefineFloat { Definition::Float(values) } else { Definition::Int(values) })
    }
}

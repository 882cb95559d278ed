//! Instructions to words: the inverse of decoding.

use super::inst::{Definition, Dst, Index, Inst, Src};
use super::program::{ItemKind, Program};
use super::token::{COISSUE, COMMENT, END, PARAMETER, PREDICATED, RELATIVE};
use super::version::Version;

/// The largest number of words of a comment.
pub(super) const MOST_COMMENT_WORDS: usize = 0x7fff;

impl Program {
    /// The words of the program up to its end token.
    pub fn words(&self) -> Vec<u32> {
        encode(self)
    }

    /// The bytes of the program, with those after its end token.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = encode(self).iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(&self.rest);
        bytes
    }
}

/// The words of a program, without its bytes after the end token.
fn encode(program: &Program) -> Vec<u32> {
    let Some(version) = program.version else { return Vec::new() };
    let mut words = vec![version.token()];
    for item in &program.items {
        match &item.kind {
            ItemKind::Inst(inst) => encode_inst(inst, version, &mut words),
            ItemKind::Comment(comment) => encode_comment(comment, &mut words),
            ItemKind::Words(raw) => words.extend(raw),
        }
    }
    if program.has_end {
        words.push(END);
    }
    words
}

/// Appends a comment; a longer one than the length field can express is cut.
pub(super) fn encode_comment(comment: &[u32], words: &mut Vec<u32>) {
    let len = comment.len().min(MOST_COMMENT_WORDS);
    words.push((len as u32) << 16 | COMMENT);
    words.extend(&comment[..len]);
}

/// Appends an instruction.
pub(super) fn encode_inst(inst: &Inst, version: Version, words: &mut Vec<u32>) {
    let start = words.len();
    words.push(0);
    if let Some(declaration) = inst.declaration {
        words.push(
            PARAMETER
                | u32::from(declaration.usage)
                | u32::from(declaration.index) << 16
                | u32::from(declaration.texture) << 27,
        );
    }
    if let Some(dst) = &inst.dst {
        encode_dst(dst, version, words);
    }
    if let Some(predicate) = &inst.predicate {
        encode_src(predicate, version, words);
    }
    for src in inst.sources() {
        encode_src(src, version, words);
    }
    match inst.definition {
        Some(Definition::Float(values) | Definition::Int(values)) => words.extend(values),
        Some(Definition::Bool(value)) => words.push(value),
        None => {}
    }
    let len = (words.len() - start - 1) as u32;
    let mut token = u32::from(inst.op.info().opcode) | u32::from(inst.control) << 16;
    if version.has_lengths() {
        token |= (len & 0xf) << 24;
    }
    if inst.predicate.is_some() {
        token |= PREDICATED;
    }
    if inst.coissue {
        token |= COISSUE;
    }
    words[start] = token;
}

fn encode_dst(dst: &Dst, version: Version, words: &mut Vec<u32>) {
    let token = PARAMETER
        | dst.register.token()
        | u32::from(dst.mask) << 16
        | u32::from(dst.saturate) << 20
        | u32::from(dst.partial) << 21
        | u32::from(dst.centroid) << 22
        | (dst.shift as u32 & 0xf) << 24;
    with_index(token, dst.index, version, words);
}

fn encode_src(src: &Src, version: Version, words: &mut Vec<u32>) {
    let token = PARAMETER | src.register.token() | u32::from(src.swizzle) << 16 | (src.modifier as u32) << 24;
    with_index(token, src.index, version, words);
}

fn with_index(token: u32, index: Option<Index>, version: Version, words: &mut Vec<u32>) {
    let Some(index) = index else { return words.push(token) };
    words.push(token | RELATIVE);
    if version.has_lengths() {
        words.push(PARAMETER | index.register.token() | u32::from(index.swizzle) << 16);
    }
}

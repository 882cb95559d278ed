//! Programs as lists of instructions and comments.

use super::decode::{decode, item_words};
use super::encode::encode;
use super::inst::Inst;
use super::version::Version;
use crate::d3d::push;
use crate::ir::{Anchor, Diag, Diags};

/// A program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The version; none if the version token is unknown.
    pub version: Option<Version>,
    /// Instructions and comments in order.
    pub items: Vec<Item>,
    /// Set if the end token is there.
    pub has_end: bool,
    /// Bytes after the end token, or after the last whole instruction.
    pub rest: Vec<u8>,
}

/// An instruction or a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its first word, counted from the version token.
    pub at: u32,
    /// Its content.
    pub kind: ItemKind,
}

/// The content of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// An instruction.
    Inst(Inst),
    /// The words of a comment. The first one is its name, such as `CTAB`.
    Comment(Vec<u32>),
    /// Words that are not an instruction.
    Words(Vec<u32>),
}

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

    /// Instructions in order, each with its first word.
    pub fn insts(&self) -> impl Iterator<Item = (u32, &Inst)> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Inst(inst) => Some((item.at, inst)),
            ItemKind::Comment(_) | ItemKind::Words(_) => None,
        })
    }

    /// The comment of a name such as `CTAB`: its first word, and the words after the name.
    pub fn comment(&self, name: &[u8; 4]) -> Option<(u32, &[u32])> {
        let name = u32::from_le_bytes(*name);
        self.items.iter().find_map(|item| match &item.kind {
            ItemKind::Comment(words) if words.first() == Some(&name) => Some((item.at, &words[1..])),
            ItemKind::Inst(_) | ItemKind::Comment(_) | ItemKind::Words(_) => None,
        })
    }

    /// The instruction slots that the program takes: all, and those of texture instructions.
    pub fn slots(&self) -> (u32, u32) {
        let Some(version) = self.version else { return (0, 0) };
        self.insts().fold((0, 0), |(all, texture), (_, inst)| {
            let slots = super::slots::slots(inst, version);
            (all + slots, texture + if inst.op.info().is_texture() { slots } else { 0 })
        })
    }
}

/// The length in bytes of the program at the start of these bytes, with its end token. None if they do not begin
/// a program, or if it does not end.
pub fn program_bytes(bytes: &[u8]) -> Option<usize> {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    let version = Version::from_token(*words.first()?)?;
    let mut at = 1;
    while *words.get(at)? != super::decode::END {
        at += item_words(&words, at, version);
    }
    Some(4 * (at + 1))
}

//! Programs as lists of instructions and comments.

use super::inst::Inst;
use super::version::Version;

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

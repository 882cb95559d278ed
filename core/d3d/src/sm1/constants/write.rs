//! A table of constants to words: the inverse of reading, for tables whose strings have no byte 0.
//!
//! The order is fixed: header, constants, types, members, default values, strings. Equal strings are written once.

use super::read::{CONSTANT_BYTES, HEADER_BYTES, MEMBER_BYTES, TYPE_BYTES};
use super::types::{ConstantTable, TypeId};
use crate::sm1::encode::MOST_COMMENT_WORDS;
use std::collections::BTreeMap;
use vitrine_ir::{Anchor, Diag};

impl ConstantTable {
    /// The words of the comment: its name `CTAB`, then the table. A string ends at its first byte 0, and a default value
    /// is written as it is, whatever the number of registers.
    ///
    /// # Errors
    ///
    /// `D147` the table is larger than a comment, or a struct has more members than its count can express.
    pub fn comment(&self) -> Result<Vec<u32>, Diag> {
        let mut words = vec![u32::from_le_bytes(*b"CTAB")];
        let bytes = self.bytes()?;
        words.extend(
            bytes.chunks(4).map(|part| part.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))),
        );
        match words.len() {
            0..=MOST_COMMENT_WORDS => Ok(words),
            count => Err(too_large(format!("the table of constants has {count} words"))),
        }
    }

    fn bytes(&self) -> Result<Vec<u8>, Diag> {
        let mut places = Places { end: HEADER_BYTES as usize, ..Places::default() };
        let constants = places.take(self.constants.len(), CONSTANT_BYTES);
        let types = places.take(self.types.len(), TYPE_BYTES);
        let members: Vec<u32> =
            self.types.iter().map(|ty| places.take(ty.members.len(), MEMBER_BYTES)).collect();
        let defaults: Vec<u32> =
            self.constants.iter().map(|constant| places.take(constant.default.len(), 4)).collect();
        let type_at =
            |ty: Option<TypeId>| ty.map_or(0, |ty| types.saturating_add(ty.0.saturating_mul(TYPE_BYTES)));

        let mut out = Out::default();
        let creator = places.string(&self.creator);
        let target = places.string(&self.target);
        for word in
            [HEADER_BYTES, creator, self.version, self.constants.len() as u32, constants, self.flags, target]
        {
            out.u32(word);
        }
        for (constant, default) in self.constants.iter().zip(&defaults) {
            out.u32(places.name(&constant.name));
            for half in [constant.set as u16, constant.register, constant.count, constant.reserved] {
                out.u16(half);
            }
            out.u32(type_at(constant.ty));
            out.u32(if constant.default.is_empty() { 0 } else { *default });
        }
        for (ty, at) in self.types.iter().zip(&members) {
            let count = u16::try_from(ty.members.len())
                .map_err(|_| too_large(format!("a struct has {} members", ty.members.len())))?;
            for half in [ty.class as u16, ty.base.number(), ty.rows, ty.columns, ty.elements, count] {
                out.u16(half);
            }
            out.u32(if ty.members.is_empty() { 0 } else { *at });
        }
        for member in self.types.iter().flat_map(|ty| &ty.members) {
            out.u32(places.name(&member.name));
            out.u32(type_at(member.ty));
        }
        self.constants.iter().flat_map(|constant| &constant.default).for_each(|&word| out.u32(word));
        let mut bytes = out.bytes;
        bytes.extend(places.strings);
        Ok(bytes)
    }
}

fn too_large(says: String) -> Diag {
    let help =
        format!("a comment has at most {MOST_COMMENT_WORDS} words, and a struct at most 65535 members");
    Diag::error("D147", Anchor::Module).says(says).help(help)
}

/// The offsets of the parts.
#[derive(Default)]
struct Places<'t> {
    /// The end of the parts before the strings.
    end: usize,
    strings: Vec<u8>,
    known: BTreeMap<&'t str, u32>,
}

impl<'t> Places<'t> {
    /// The offset of a list.
    fn take(&mut self, count: usize, size: u32) -> u32 {
        let at = self.end;
        self.end = at.saturating_add(count.saturating_mul(size as usize));
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The offset of a string; 0 for an empty one.
    fn string(&mut self, text: &'t str) -> u32 {
        if text.is_empty() { 0 } else { self.name(text) }
    }

    /// The offset of a name, which is written even if it is empty.
    fn name(&mut self, text: &'t str) -> u32 {
        let text = text.split('\0').next().unwrap_or("");
        let (end, strings) = (self.end, &mut self.strings);
        *self.known.entry(text).or_insert_with(|| {
            let at = end.saturating_add(strings.len());
            strings.extend(text.as_bytes());
            strings.push(0);
            u32::try_from(at).unwrap_or(u32::MAX)
        })
    }
}

#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
}

impl Out {
    fn u16(&mut self, half: u16) {
        self.bytes.extend(half.to_le_bytes());
    }

    fn u32(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }
}

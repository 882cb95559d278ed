//! Words of an instruction by place, and texts among them: shorthands over `crate::spirv`.

use crate::spirv::string_of;

pub(super) use crate::spirv::{Binary, Instruction};

/// Words of an instruction by place.
pub(super) trait Words<'a> {
    /// Word `at`; 0 where the instruction is too short, which no id is.
    fn word(&self, at: usize) -> u32;

    /// The words from `at` on.
    fn rest(&self, at: usize) -> &'a [u32];
}

impl<'a> Words<'a> for Instruction<'a> {
    fn word(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    fn rest(&self, at: usize) -> &'a [u32] {
        self.words.get(at..).unwrap_or(&[])
    }
}

/// The text at the head of some words, and how many words it takes; all of them where it has no end.
pub(super) fn text(words: &[u32]) -> (String, usize) {
    match string_of(words) {
        Some((text, count)) => (text.into_owned(), count),
        None => (String::new(), words.len()),
    }
}

/// Whether a text at the head of some words has an end.
pub(super) fn ends(words: &[u32]) -> bool {
    words.iter().any(|word| word.to_le_bytes().contains(&0))
}

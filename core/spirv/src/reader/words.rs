//! Words of an instruction by index, and strings in them: shorthands for `crate`.

use crate::string_of;

pub(super) use crate::{Binary, Instruction};

/// Words of an instruction by index.
pub(super) trait Words<'a> {
    /// Word `at`; 0 if the instruction is too short. No id is 0.
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

/// The string at the start of some words, and the number of words it takes: all of them if it is not
/// terminated.
pub(super) fn text(words: &[u32]) -> (String, usize) {
    match string_of(words) {
        Some((text, count)) => (text.into_owned(), count),
        None => (String::new(), words.len()),
    }
}

/// Returns true if the string at the start of some words is terminated.
pub(super) fn ends(words: &[u32]) -> bool {
    words.iter().any(|word| word.to_le_bytes().contains(&0))
}

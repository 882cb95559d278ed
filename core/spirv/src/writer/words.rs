//! Sequences of words: instructions, strings, and the sections of a module.
//!
//! An instruction too long for its word count is recorded, not cut; the writer then refuses the module.

use crate::spec::Op as S;

/// A sequence of instructions.
#[derive(Default, Debug)]
pub(super) struct Words {
    /// The words.
    pub(super) words: Vec<u32>,
    /// An instruction did not fit.
    pub(super) too_long: bool,
}

impl Words {
    /// Appends an instruction.
    pub(super) fn inst(&mut self, op: S, operands: &[u32]) {
        self.parts(op, &[operands]);
    }

    /// Appends an instruction whose operands are in several slices.
    pub(super) fn parts(&mut self, op: S, parts: &[&[u32]]) {
        let count = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
        self.too_long |= count > 0xffff;
        self.words.push((count as u32) << 16 | op as u32);
        parts.iter().for_each(|part| self.words.extend_from_slice(part));
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

/// The words of a string with its terminator and padding. A zero byte would terminate it early and is
/// removed.
pub(super) fn string_words(text: &str) -> Vec<u32> {
    let mut bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_zero_byte() {
        assert_eq!(string_words("main"), [u32::from_le_bytes(*b"main"), 0]);
        assert_eq!(string_words("abc"), [u32::from_le_bytes(*b"abc\0")]);
        assert_eq!(string_words(""), [0]);
        assert_eq!(
            crate::string_of(&string_words("a\0b")).map(|(text, _)| text.into_owned()),
            Some("ab".into())
        );
    }

    #[test]
    fn what_does_not_fit_is_noted() {
        let mut words = Words::default();
        words.inst(S::Nop, &[]);
        assert_eq!((words.words[0], words.too_long), (1 << 16, false));
        words.inst(S::TypeStruct, &vec![1; 70_000]);
        assert!(words.too_long);
    }
}

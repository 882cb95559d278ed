//! Arbitrary bytes, each predicted from the ones before it: one to six of them, and the current word.

use super::Mix;
use super::predict::hash;

/// The first set of weights; the next sets depend on how many bytes were predicted.
const SET: usize = 0;

/// Codes bytes from the end of `out` up to `length`.
pub(super) fn code(mix: &mut Mix<'_>, given: &[u8], length: usize, out: &mut Vec<u8>) {
    let mut text = TextContext::default();
    while out.len() < length && !mix.is_over(out.len()) {
        let byte = text.code(mix, given.get(out.len()).copied().unwrap_or(0), 0);
        out.push(byte);
    }
}

/// The context of a byte of text.
#[derive(Default)]
pub(super) struct TextContext {
    /// The last eight bytes, the most recent one lowest.
    last: u64,
    /// A hash of the letters since the last non-letter, and of the previous word.
    word: u32,
    word_before: u32,
    /// The first bytes of the line, and the line above at the same column.
    line: u32,
}

impl TextContext {
    /// Codes a byte; `place` keeps contexts apart for positions with different statistics.
    pub(super) fn code(&mut self, mix: &mut Mix<'_>, byte: u8, place: u32) -> u8 {
        let order = |count: u32| {
            let kept = self.last & ((1u64 << (8 * count)) - 1);
            hash(kept as u32, (kept >> 32) as u32 ^ count << 24)
        };
        mix.predictor.contexts(&[
            place,
            order(1),
            order(2),
            order(3),
            order(4),
            order(6),
            hash(self.word, 1),
            hash(self.word, self.word_before),
            hash(self.line, (self.last & 0xff) as u32),
        ]);
        mix.predictor.choose(SET + place.min(1) as usize);
        let byte = mix.bits(u32::from(byte), 8, 1) as u8;
        self.last = self.last << 8 | u64::from(byte);
        if byte.is_ascii_alphanumeric() || byte >= 128 || byte == b'_' {
            self.word = hash(self.word, u32::from(byte));
        } else if self.word != 0 {
            (self.word_before, self.word) = (self.word, 0);
        }
        if byte == b'\n' {
            self.line = 0;
        } else if byte > b' ' && self.line < 1 << 16 {
            self.line = self.line << 8 | u32::from(byte);
        }
        byte
    }
}

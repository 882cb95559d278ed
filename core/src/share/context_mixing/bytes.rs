//! Any bytes, each by the ones before it: one to six of them, and the word it stands in.

use super::Mix;
use super::predict::hash;

/// The set of weights of the first; the next depends on how many bytes were foreseen.
const SET: usize = 0;

/// Codes bytes from where `out` ends up to `length`.
pub(super) fn code(mix: &mut Mix<'_>, given: &[u8], length: usize, out: &mut Vec<u8>) {
    let mut text = Text::default();
    while out.len() < length && !mix.is_over(out.len()) {
        let byte = text.code(mix, given.get(out.len()).copied().unwrap_or(0), 0);
        out.push(byte);
    }
}

/// What stood before a byte of text.
#[derive(Default)]
pub(super) struct Text {
    /// The last eight bytes, the last one lowest.
    last: u64,
    /// The letters since the last sign that is none, and the word before.
    word: u32,
    word_before: u32,
    /// The first bytes of the line, and the line above at the same place.
    line: u32,
}

impl Text {
    /// Codes a byte; `place` sets places apart where bytes have different ways.
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

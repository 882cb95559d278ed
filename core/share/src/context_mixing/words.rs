//! SPIR-V word by word: each predicted from its instruction's opcode, its index in the instruction and the
//! words around it.
//!
//! No grammar is used; a word has one of four encodings. A new id is the next one; an id of a recent value is
//! encoded by its distance, a word of letters by its letters, everything else by its value. The encoder
//! chooses, and the choice is coded too. A damaged module is coded like any other, only longer.

use super::Mix;
use super::bytes::TextContext;
use super::predict::{CONTEXTS, hash};
use vitrine_spirv::MAGIC;

/// Words before the first instruction.
const HEADER: usize = 5;
/// The largest distance by which an id is encoded.
const NEAR_BITS: u32 = 6;
/// Sizes of the hash tables.
const LAST: usize = 1 << 12;
const KNOWN: usize = 1 << 16;
/// The set of weights of the first kind of decision.
const SET: usize = 8;

/// The encoding of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordEncoding {
    /// The next new id.
    New,
    /// The distance to a recent id.
    Near,
    /// The value.
    Value,
    /// Four letters, or the last letters and zeros.
    Letters,
}

/// Returns true if these bytes are words that begin with the magic number.
pub(super) fn is_module(given: &[u8], length: usize) -> bool {
    length >= 4 * HEADER && given.get(..4).is_some_and(|first| first == MAGIC.to_le_bytes())
}

/// Codes `count` words.
pub(super) fn code(mix: &mut Mix<'_>, given: &[u8], count: usize, out: &mut Vec<u8>) {
    let mut model = Model::default();
    for at in 0..count {
        if mix.is_over(out.len()) {
            return;
        }
        let word = given.get(4 * at..4 * at + 4).and_then(|bytes| bytes.try_into().ok());
        let word = model.word(mix, word.map_or(0, u32::from_le_bytes), at < HEADER);
        out.extend(word.to_le_bytes());
    }
}

/// The definition of an id: the first word of the instruction, and its type.
#[derive(Clone, Copy, Default)]
struct Made {
    op: u32,
    ty: u32,
}

/// The state of the model.
#[derive(Default)]
struct Model {
    /// The first word of the instruction, all its words so far, and the number of the remaining ones.
    op: u32,
    words: Vec<u32>,
    left: u32,
    /// First words of the instructions before, the most recent one first.
    before: [u32; 4],
    /// The next new id.
    next: u32,
    made: Vec<Made>,
    /// By hashed opcode and index: the last word.
    last: Vec<u32>,
    /// By hashed opcode, index and value: true if it was encoded by value.
    by_value: Vec<bool>,
    text: TextContext,
    in_text: bool,
}

impl Model {
    /// Codes a word, and updates the model.
    fn word(&mut self, mix: &mut Mix<'_>, word: u32, is_header: bool) -> u32 {
        if self.last.is_empty() {
            self.last = vec![0; LAST];
            self.by_value = vec![false; KNOWN];
            self.next = 1;
        }
        let is_first = !is_header && self.left == 0;
        if is_first {
            self.words.clear();
        }
        let place = self.words.len() as u32;
        let slot = match (is_header, is_first) {
            (true, _) => hash(place, 0xffff),
            (false, true) => 1,
            (false, false) => hash(self.op, place.min(24) + 2),
        };
        let contexts = self.contexts(slot);
        mix.predictor.contexts(&contexts);
        let set = SET + if is_first { 0 } else { 8 + (place.min(5) as usize) * 4 };
        mix.predictor.choose(set);
        let encoding = self.encoding(word, slot, is_first || is_header);
        let encoding = mix.bits(encoding as u32, 2, 2);
        mix.predictor.choose(set + 1 + encoding as usize);
        let newest = self.next.wrapping_sub(1);
        let word = match encoding {
            0 => self.next,
            1 => newest.wrapping_sub(mix.bits(newest.wrapping_sub(word), NEAR_BITS, 3)),
            2 => value(mix, word),
            _ => self.letters(mix, word),
        };
        self.note(word, slot, encoding, is_header, is_first);
        word
    }

    /// The contexts of the next word: from its index alone to all words around it.
    fn contexts(&self, slot: u32) -> [u32; CONTEXTS] {
        let back = |count: usize| {
            let at = self.words.len().checked_sub(count);
            at.and_then(|at| self.words.get(at)).copied().unwrap_or(0)
        };
        let made = |id: u32| self.made.get(id as usize).copied().unwrap_or_default();
        let newest = made(self.next.saturating_sub(1));
        let before_it = made(self.next.saturating_sub(2));
        let [first, second, third, _] = self.before;
        let result_type = self.words.get(1).copied().unwrap_or(0);
        let last_here = self.last.get(slot as usize & (LAST - 1)).copied().unwrap_or(0);
        let of_newest = hash(newest.op, newest.ty);
        let of_one = made(back(1));
        [
            0,
            result_type ^ 0x7700,
            slot,
            hash(slot, back(1)),
            hash(slot, result_type ^ 0x55),
            hash(slot, hash(first, second)),
            hash(slot, hash(first, hash(second, third))),
            hash(slot, hash(first, last_here)),
            hash(slot, hash(of_one.op, of_one.ty)),
            hash(slot, of_newest),
            hash(slot, hash(of_newest, hash(before_it.ty, result_type))),
            hash(slot, hash(self.next.wrapping_sub(back(1)), result_type)),
        ]
    }

    /// The encoding of a word.
    fn encoding(&self, word: u32, slot: u32, is_number: bool) -> WordEncoding {
        let distance = self.next.wrapping_sub(word).wrapping_sub(1);
        let known = self.by_value.get(hash(slot, word) as usize & (KNOWN - 1)).copied().unwrap_or(false);
        match () {
            () if is_number || known => WordEncoding::Value,
            () if word == self.next => WordEncoding::New,
            () if is_letters(word, self.in_text) => WordEncoding::Letters,
            () if distance >> NEAR_BITS == 0 => WordEncoding::Near,
            () => WordEncoding::Value,
        }
    }

    fn letters(&mut self, mix: &mut Mix<'_>, word: u32) -> u32 {
        if !self.in_text {
            self.text = TextContext::default();
        }
        let mut out = 0;
        for place in 0..4 {
            let byte = self.text.code(mix, (word >> (8 * place)) as u8, 1);
            out |= u32::from(byte) << (8 * place);
        }
        out
    }

    /// Updates the model with a word.
    fn note(&mut self, word: u32, slot: u32, encoding: u32, is_header: bool, is_first: bool) {
        self.in_text = encoding == WordEncoding::Letters as u32 && word >> 24 != 0;
        if encoding == WordEncoding::New as u32 {
            self.next = word.wrapping_add(1);
            // Ids of hostile modules may be arbitrary; only ids that grow one by one are recorded.
            if self.made.len() <= word as usize && (word as usize) < self.made.len() + 4096 {
                self.made.resize(word as usize + 1, Made::default());
            }
            let ty = self.words.get(1).copied().unwrap_or(0);
            if let Some(made) = self.made.get_mut(word as usize) {
                *made = Made { op: self.op, ty };
            }
        }
        if encoding == WordEncoding::Value as u32
            && let Some(known) = self.by_value.get_mut(hash(slot, word) as usize & (KNOWN - 1))
        {
            *known = true;
        }
        if let Some(last) = self.last.get_mut(slot as usize & (LAST - 1)) {
            *last = word;
        }
        self.words.push(word);
        match (is_header, is_first) {
            (true, _) if self.words.len() == HEADER => self.words.clear(),
            (true, _) => {}
            (false, true) => {
                let [first, second, third, _] = self.before;
                self.before = [self.op, first, second, third];
                self.op = word;
                self.left = (word >> 16).saturating_sub(1);
            }
            (false, false) => self.left -= 1,
        }
    }
}

/// Returns true if a word is letters: four, or some and then zeros. Zeros alone count only inside a string.
fn is_letters(word: u32, goes_on: bool) -> bool {
    let bytes = word.to_le_bytes();
    let count = bytes.iter().position(|byte| *byte == 0).unwrap_or(4);
    let (letters, zeros) = bytes.split_at(count);
    let enough = if goes_on { 0 } else { 2 };
    count >= enough
        && letters.iter().all(|byte| (0x20..0x7f).contains(byte))
        && zeros.iter().all(|byte| *byte == 0)
}

/// A number: its bit length, and the bits after the leading one.
fn value(mix: &mut Mix<'_>, word: u32) -> u32 {
    let size = mix.bits(32 - word.leading_zeros(), 6, 4).min(32);
    match size {
        0 => 0,
        _ => 1 << (size - 1) | mix.bits(word & !(1 << (size - 1)), size - 1, 5 + size),
    }
}

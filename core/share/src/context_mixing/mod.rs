//! Compression by context mixing: every bit is predicted from what followed similar contexts before, and only
//! the prediction errors are coded.
//!
//! Each context makes a prediction, a mixer weights them by past accuracy (logistic mixing as in Mahoney's
//! PAQ), and an arithmetic coder writes the result. [`words`] models the structure of SPIR-V without its
//! grammar; [`bytes`] models everything else. Uses only integers, so that host and wasm agree on every bit.
//! About 0.5 MB/s and up to 4 MB of tables, which is enough for links.
//!
//! Refuses to choose what is packed: it compresses and restores given bytes.

mod bytes; // arbitrary bytes, by the bytes before
mod coder; // bits by their probability
mod predict; // the probability, from many contexts
mod words; // SPIR-V, by instruction and operand

use coder::Coder;
use predict::Predictor;

/// The code of `bytes`; [`unpack`] opens it. Deterministic.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut mix = Mix { coder: Coder::writer(), predictor: Predictor::new(bytes.len()), whole: 0 };
    code(&mut mix, bytes, bytes.len());
    mix.coder.finish()
}

/// The `length` bytes that were packed into `code`, or the first of them if the rest of the code is missing.
///
/// Invalid code yields arbitrary bytes, but never more than `length`.
pub(crate) fn unpack(code: &[u8], length: usize) -> Vec<u8> {
    let mut mix = Mix { coder: Coder::reader(code), predictor: Predictor::new(length), whole: 0 };
    let mut bytes = self::code(&mut mix, &[], length);
    if mix.coder.is_over() {
        bytes.truncate(mix.whole);
    }
    bytes
}

/// The coder and its model: the same steps encode and decode, so that they cannot differ.
struct Mix<'code> {
    coder: Coder<'code>,
    predictor: Predictor,
    /// The number of bytes decoded before the code ended.
    whole: usize,
}

impl Mix<'_> {
    /// Returns true if the code ended with `length` bytes decoded. Call it after each value.
    fn is_over(&mut self, length: usize) -> bool {
        if !self.coder.is_dry() {
            self.whole = length;
        }
        self.coder.is_over()
    }

    /// Encodes or decodes the lowest `count` bits of a number, the highest first. `node` is the position in
    /// the tree of numbers: each number has its own.
    fn bits(&mut self, value: u32, count: u32, node: u32) -> u32 {
        let mut path = 1u32;
        for place in (0..count).rev() {
            let guess = self.predictor.guess(path ^ node.wrapping_mul(0x9e37_79b1));
            let bit = self.coder.code(value >> place & 1, guess);
            self.predictor.learn(bit);
            path = path << 1 | bit;
        }
        // A path begins with a sentinel one.
        if count == 32 { path } else { path & ((1 << count) - 1) }
    }
}

/// Both directions: while encoding, `given` are the bytes; while decoding, it is empty.
fn code(mix: &mut Mix<'_>, given: &[u8], length: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let is_module = words::is_module(given, length);
    mix.predictor.contexts(&[]);
    if mix.bits(u32::from(is_module), 1, 0) == 1 {
        words::code(mix, given, length / 4, &mut out);
    }
    bytes::code(mix, given, length, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(bytes: &[u8]) -> usize {
        let code = pack(bytes);
        assert_eq!(unpack(&code, bytes.len()), bytes);
        code.len()
    }

    #[test]
    fn what_was_packed_comes_back() {
        let sample = include_bytes!("../../../../www/examples/loop.ir");
        let mut noise = Vec::new();
        let mut state = 1u32;
        for _ in 0..5000 {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            noise.push((state >> 24) as u8);
        }
        for bytes in [&b""[..], b"a", &[0; 10_000], &[255; 33], sample, &noise] {
            there_and_back(bytes);
        }
        assert!(there_and_back(sample) * 2 < sample.len());
        assert!(there_and_back(&noise) < noise.len() * 51 / 50, "noise grows little");
    }

    #[test]
    fn modules_come_back_whatever_they_hold() {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 9, 0];
        for at in 0..500u32 {
            words.extend([
                0x0004_003b,
                1,
                at + 1,
                at % 7,
                0x0006_0005,
                at,
                0x6e69_616d,
                0x7865_5473,
                0x74,
                3,
            ]);
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert!(there_and_back(&bytes) < 300);
        bytes.extend([1, 2, 3]);
        there_and_back(&bytes);
        // A length of zero words, and one that exceeds the end.
        bytes.splice(20..28, [0, 0, 0, 0, 1, 0, 255, 255]);
        there_and_back(&bytes);
        there_and_back(&bytes[..20]);
    }

    #[test]
    fn a_code_that_was_cut_off_gives_the_first_bytes() {
        let sample = include_bytes!("../../../../www/examples/loop.ir");
        let code = pack(sample);
        let some = unpack(&code[..code.len() / 2], sample.len());
        assert!(some.len() > 100 && sample.starts_with(&some), "{}", some.len());
    }
}

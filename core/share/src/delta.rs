//! Modules of a comparison that share bytes: each is written as copies from the modules before it, and the
//! bytes between them.
//!
//! ```text
//! literal length · copy length · source, relative to the end of the last copy        three numbers, repeated
//! ```
//!
//! Copies are found greedily by a hash of 16 bytes. Linear in the modules.
//!
//! Refuses to compress: numbers and literals are packed by the caller.

use super::numbers::{push_number, take_number};
use rustc_hash::FxHashMap;

/// The shortest copy, in bytes.
const WINDOW: usize = 16;

/// The steps and the literals of modules. `known` is the number of bytes at the beginning of `all` that are no
/// part of the result, and that can be copied.
pub(super) fn encode(all: &[u8], known: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut steps, mut literals) = (Vec::new(), Vec::new());
    let mut places: FxHashMap<&[u8], usize> = FxHashMap::default();
    let mut seen = 0;
    let (mut at, mut from, mut last) = (known, known, 0usize);
    while at < all.len() {
        while seen + WINDOW <= at {
            places.insert(&all[seen..seen + WINDOW], seen);
            seen += 1;
        }
        // The place that continues the last copy is the best one: it costs nothing to name.
        let next = last + (at - from);
        let is_next = next + WINDOW <= at && all.get(next..next + WINDOW) == all.get(at..at + WINDOW);
        let found = match is_next {
            true if at + WINDOW <= all.len() => Some(next),
            _ => all.get(at..at + WINDOW).and_then(|window| places.get(window).copied()),
        };
        let Some(source) = found else {
            at += 1;
            continue;
        };
        let length = all[at..].iter().zip(&all[source..at]).take_while(|(a, b)| a == b).count();
        push_number(&mut steps, at - from);
        push_number(&mut steps, length);
        push_number(&mut steps, zigzag(source as i64 - next as i64));
        literals.extend(&all[from..at]);
        at += length;
        (from, last) = (at, source + length);
    }
    literals.extend(&all[from..]);
    (steps, literals)
}

/// Restores modules after the known bytes, up to a length; shorter if steps or literals are damaged.
pub(super) fn decode(mut known: Vec<u8>, mut steps: &[u8], mut literals: &[u8], length: usize) -> Vec<u8> {
    let mut last = 0usize;
    let mut take = || {
        let (number, rest) = take_number(steps)?;
        steps = rest;
        Some(number)
    };
    while let (Some(count), Some(copied), Some(source)) = (take(), take(), take()) {
        let (some, rest) = literals.split_at(count.min(literals.len()));
        known.extend(some);
        literals = rest;
        let source = (last + count) as i64 + unzigzag(source);
        let Ok(source) = usize::try_from(source) else { return known };
        for at in source..source.saturating_add(copied) {
            if known.len() >= length {
                return known;
            }
            let Some(&byte) = known.get(at) else { return known };
            known.push(byte);
        }
        last = source + copied;
    }
    known.extend(literals);
    known.truncate(length);
    known
}

fn zigzag(number: i64) -> usize {
    (number.unsigned_abs() as usize) << 1 | usize::from(number < 0)
}

fn unzigzag(number: usize) -> i64 {
    let size = (number >> 1) as i64;
    if number & 1 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_comes_back_and_equal_modules_cost_little() {
        let text = include_bytes!("../../../www/examples/particles.spvasm");
        let mut all = text.repeat(3);
        let at = text.len() + 500;
        all.splice(at..at, *b"%new = OpNop");
        for known in [0, 10, text.len()] {
            let (steps, literals) = encode(&all, known);
            assert_eq!(decode(all[..known].to_vec(), &steps, &literals, all.len()), all);
        }
        let (steps, literals) = encode(&all, text.len());
        assert!(steps.len() < 40 && literals.len() < 40, "{} {}", steps.len(), literals.len());
        let runs = [7; 1000];
        let (steps, literals) = encode(&runs, 1);
        assert_eq!(decode(vec![7], &steps, &literals, 1000), runs);
    }

    #[test]
    fn damaged_steps_never_fail() {
        let all = include_bytes!("../../../www/examples/particles.spvasm").repeat(2);
        let (steps, literals) = encode(&all, 100);
        for at in 0..steps.len() {
            let mut damaged = steps.clone();
            damaged[at] ^= 0x55;
            assert!(
                decode(all[..100].to_vec(), &damaged, &literals, all.len()).len()
                    <= all.len() + literals.len()
            );
        }
    }
}

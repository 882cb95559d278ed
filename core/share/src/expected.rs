//! The first difference that the maker of a link saw: opened later, the page reports if it is still there.
//!
//! Refuses to run anything: the caller compares.

use vitrine_ir::base::fnv::fnv;

/// A first difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Pass, trial, invocation, output or byte, and both values.
    pub text: String,
    /// A hash of them.
    pub digest: u64,
}

impl Expected {
    /// A difference with these parts: pass, trial, and more.
    pub fn of(parts: &[&str]) -> Expected {
        let digest = parts.iter().fold(fnv(b""), |hash, part| {
            hash.rotate_left(5).wrapping_mul(0x0100_0000_01b3) ^ fnv(part.as_bytes())
        });
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        Expected { text: parts.join("; "), digest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_every_part_and_their_order() {
        let of = |parts: &[&str]| Expected::of(parts).digest;
        let all = [
            of(&["a", "b"]),
            of(&["b", "a"]),
            of(&["ab"]),
            of(&["a", "b", ""]),
            of(&["", "a", "b"]),
            of(&[]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(Expected::of(&["licm", "", "main, seed 3"]).text, "licm; main, seed 3");
    }
}

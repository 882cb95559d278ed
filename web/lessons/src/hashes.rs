//! Hashes (SHA-256): they name the answers of tasks without containing them, and the styles and scripts of a page for its
//! policy.
//!
//! An answer is hashed with a salt, so that equal answers of two tasks have different hashes. That keeps a reader from seeing
//! an answer by accident. It does not resist trying every short answer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The hash of bytes.
fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The hash as hexadecimal digits.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The source of a policy for a style or a script: `sha256-…`.
pub(crate) fn policy(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(sha256(text.as_bytes())))
}

/// The salt of a task: it differs between tasks, and is the same in every build.
pub fn salt(lesson: &str, task: &str, source: &str) -> String {
    digits(&sha256(format!("{lesson}\n{task}\n{source}").as_bytes())[..8])
}

/// The hash of an answer. White space and the order of words do not count, since sets have no order.
pub fn answer_hash(salt: &str, answer: &str) -> String {
    let spaced = answer.replace("->", " -> ").replace(',', " ");
    // An edge is one word.
    let joined = spaced.split_whitespace().collect::<Vec<_>>().join(" ").replace(" -> ", "->");
    let mut words: Vec<&str> = joined.split(' ').collect();
    words.sort_unstable();
    digits(&sha256(format!("{salt}\n{}", words.join(" ")).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of FIPS 180-4, and 1,000 letters, which need several chunks.
    #[test]
    fn hashes_are_those_of_the_standard() {
        for (text, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(digits(&sha256(text.as_bytes())), hash);
        }
        assert_eq!(
            digits(&sha256("a".repeat(1000).as_bytes())),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
        );
        assert_eq!(policy(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn the_order_of_words_and_white_space_do_not_count() {
        let hash = answer_hash("s", "^1 -> ^2, ^0->^1\n");
        assert_eq!(hash, answer_hash("s", "^0->^1 ^1->^2"));
        assert_ne!(hash, answer_hash("t", "^0->^1 ^1->^2"));
        assert_ne!(hash, answer_hash("s", "^0->^1"));
        assert_ne!(salt("a", "b", "c"), salt("a", "b", "d"));
    }
}

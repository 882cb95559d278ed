//! Damage to texts: typing errors, corruption, malicious input.

use super::random::rng::Rng;

/// The text with one to four kinds of damage, which rarely cancel out.
pub(crate) fn mutate(rng: &mut Rng, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.between(1, 4) {
        bytes = damage(rng, bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn damage(rng: &mut Rng, bytes: Vec<u8>) -> Vec<u8> {
    match rng.below(10) {
        0 => flip(rng, bytes),
        1..=4 => of_lines(rng, &bytes),
        5..=7 => of_tokens(rng, &bytes),
        8 => truncate(rng, bytes),
        _ => nest(rng, bytes),
    }
}

fn flip(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    let at = rng.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte = if rng.one_in(2) { *byte ^ (1 << rng.below(8)) } else { rng.bits() as u8 };
    }
    bytes
}

fn truncate(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    let len = rng.below(bytes.len() + 1);
    bytes.truncate(len);
    bytes
}

/// Drops, repeats, swaps or moves lines.
fn of_lines(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    shuffle_items(rng, &mut lines);
    lines.concat()
}

fn shuffle_items(rng: &mut Rng, items: &mut Vec<&[u8]>) {
    if items.is_empty() {
        return;
    }
    let (a, b) = (rng.below(items.len()), rng.below(items.len()));
    match rng.below(4) {
        0 => {
            items.remove(a);
        }
        1 => items.insert(a, items[a]),
        2 => items.swap(a, b),
        _ => {
            let item = items.remove(a);
            items.insert(b.min(items.len()), item);
        }
    }
}

const WORDS: &[&str] = &[
    "%16777215",
    "%4294967295",
    "%99999999999999999999",
    "^16777215",
    "!16777215",
    "$16777215",
    "@16777215",
    "&16777215",
    "#16777215",
    "~16777215",
    "^0",
    "%0",
    "$0",
    "@0",
    "!0",
    "&0",
    "#0",
    "0",
    "4294967295",
    "-1",
    "18446744073709551615",
    "tree",
    "graph",
    "block",
    "loop",
    "continuing",
    "default",
    "path",
    "b32x16",
    "b64",
    "b1",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ":",
    "=",
    ",",
    "\"",
    "\\",
    ";",
    ".xyzw",
    "+",
    "->",
    "next",
    "break",
    "continue",
    "return",
    "[f32 * 2]",
    "[f32 * 4294967295]",
    "call",
    "param",
    "const",
    "spec",
    "undef",
    "\u{0}",
    "\u{202e}",
];

/// Drops, repeats, swaps or replaces tokens.
fn of_tokens(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut tokens = tokens(bytes);
    if rng.one_in(2) {
        let at = rng.below(tokens.len());
        if let Some(token) = tokens.get_mut(at) {
            *token = rng.pick(WORDS).as_bytes();
        }
    } else {
        shuffle_items(rng, &mut tokens);
    }
    tokens.concat()
}

/// Sequences of word bytes, and single other bytes.
fn tokens(bytes: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_%$^!@&#~.".contains(byte);
    bytes.chunk_by(|a, b| is_word(a) && is_word(b)).collect()
}

/// Inserts a deeply nested sequence.
fn nest(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    let opening = *rng.pick(&[
        "block !0 {\n^0:\n",
        "if %0 {\n",
        "loop {\n",
        "[",
        "(",
        "{",
        "switch !1 %0 {\ncase 1 {\n",
        "mat<",
        "ptr<private, ",
    ]);
    let count = if rng.one_in(50) { 2_000 } else { rng.below(40) };
    let at = rng.below(bytes.len() + 1);
    bytes.splice(at..at, opening.repeat(count).into_bytes());
    bytes
}

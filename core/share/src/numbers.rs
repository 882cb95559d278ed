//! Numbers as few bytes, and a hash of bytes.
//!
//! Formats of links depend on both: refuses to change.

/// Seven bits a byte, the lowest first.
pub(super) fn push_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A number of [`push_number`], and the bytes after it.
pub(super) fn take_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().take(5).enumerate() {
        number |= usize::from(byte & 127) << (7 * at);
        if byte < 128 {
            return Some((number, bytes.get(at + 1..).unwrap_or(&[])));
        }
    }
    None
}

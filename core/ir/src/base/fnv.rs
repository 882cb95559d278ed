//! Fowler, Noll and Vo's hash of 64 bits (FNV-1a), byte by byte: the same on every machine and in every release, so that
//! digests may be stored and shared. Not for hash tables, and not against forgery.

/// The hash of no bytes.
pub const START: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of bytes.
pub fn fnv(bytes: &[u8]) -> u64 {
    with(START, bytes.iter().copied())
}

/// The hash of what `hash` is the hash of, followed by these bytes.
pub fn with(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_authors() {
        assert_eq!(fnv(b""), START);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(with(fnv(b"foo"), *b"bar"), fnv(b"foobar"));
    }
}

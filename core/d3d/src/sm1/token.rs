//! Bits of tokens, and the tokens that are not instructions.

/// The end token.
pub(super) const END: u32 = 0x0000_ffff;

/// The opcode of comments.
pub(super) const COMMENT: u32 = 0xfffe;

/// Bit 31 of every parameter token.
pub(super) const PARAMETER: u32 = 1 << 31;

/// Bit 13 of a parameter token: a relative address.
pub(super) const RELATIVE: u32 = 1 << 13;

/// Bit 28 of an instruction token: a predicate.
pub(super) const PREDICATED: u32 = 1 << 28;

/// Bit 30 of an instruction token: executed with the previous one.
pub(super) const COISSUE: u32 = 1 << 30;

//! Tables that reading and writing share, each from SPIR-V's numbers to the IR's.

use crate::ops::attr::Role;

/// Image operands: the bit in the mask, and the roles of the ids it announces, in order of the bits.
pub const IMAGE_OPERANDS: [(u32, &[Role]); 8] = [
    (1, &[Role::Bias]),
    (1 << 1, &[Role::Lod]),
    (1 << 2, &[Role::Ddx, Role::Ddy]),
    (1 << 3, &[Role::Offset]),
    (1 << 4, &[Role::Offset]),
    (1 << 5, &[Role::Offsets]),
    (1 << 6, &[Role::Sample]),
    (1 << 7, &[Role::MinLod]),
];

/// Memory semantics: the bit of each word of `Key::Order`.
pub const SEMANTICS: [u32; 14] =
    [0x2, 0x4, 0x8, 0x10, 0x40, 0x80, 0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000];

/// Loop controls: bit in SPIR-V, bit in `Key::Hint`, true if a number follows.
pub const LOOP_HINTS: [(u32, u64, bool); 9] = [
    (1, 1, false),
    (1 << 1, 1 << 1, false),
    (1 << 2, 1 << 4, false),
    (1 << 3, 1 << 5, true),
    (1 << 4, 1 << 6, true),
    (1 << 5, 1 << 7, true),
    (1 << 6, 1 << 8, true),
    (1 << 7, 1 << 9, true),
    (1 << 8, 1 << 10, true),
];

/// Components of a coordinate without layers, by the number of a dimension.
pub fn coordinate_components(dim: u64) -> u8 {
    match dim {
        0 | 5 => 1,
        2 | 3 => 3,
        _ => 2,
    }
}

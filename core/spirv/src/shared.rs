//! Tables that reading and writing share, each from SPIR-V's numbers to the IR's.

use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{FuncHints, Hints, Semantics};

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

/// Memory semantics: the bit of each.
pub const SEMANTICS: [(Semantics, u32); 14] = [
    (Semantics::ACQUIRE, 0x2),
    (Semantics::RELEASE, 0x4),
    (Semantics::ACQ_REL, 0x8),
    (Semantics::SEQ_CST, 0x10),
    (Semantics::UNIFORM_MEMORY, 0x40),
    (Semantics::SUBGROUP_MEMORY, 0x80),
    (Semantics::WORKGROUP_MEMORY, 0x100),
    (Semantics::CROSS_WORKGROUP_MEMORY, 0x200),
    (Semantics::ATOMIC_COUNTER_MEMORY, 0x400),
    (Semantics::IMAGE_MEMORY, 0x800),
    (Semantics::OUTPUT_MEMORY, 0x1000),
    (Semantics::AVAILABLE, 0x2000),
    (Semantics::VISIBLE, 0x4000),
    (Semantics::VOLATILE, 0x8000),
];

/// Loop controls: bit in SPIR-V, hint, true if a number follows.
pub const LOOP_HINTS: [(u32, Hints, bool); 9] = [
    (1, Hints::UNROLL, false),
    (1 << 1, Hints::DONT_UNROLL, false),
    (1 << 2, Hints::DEPENDENCY_INFINITE, false),
    (1 << 3, Hints::DEPENDENCY_LENGTH, true),
    (1 << 4, Hints::MIN_ITERATIONS, true),
    (1 << 5, Hints::MAX_ITERATIONS, true),
    (1 << 6, Hints::ITERATION_MULTIPLE, true),
    (1 << 7, Hints::PEEL_COUNT, true),
    (1 << 8, Hints::PARTIAL_COUNT, true),
];

/// Selection controls: bit in SPIR-V, hint.
pub const BRANCH_HINTS: [(u32, Hints); 2] = [(1, Hints::FLATTEN), (1 << 1, Hints::DONT_FLATTEN)];

/// Function controls: bit in SPIR-V, hint.
pub const FUNC_HINTS: [(u32, FuncHints); 5] = [
    (1, FuncHints::INLINE),
    (1 << 1, FuncHints::DONT_INLINE),
    (1 << 2, FuncHints::PURE),
    (1 << 3, FuncHints::CONST),
    (1 << 16, FuncHints::OPT_NONE),
];

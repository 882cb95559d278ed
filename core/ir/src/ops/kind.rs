//! Kinds of numbers. The IR stores bits; operations, system values and languages read them as numbers of a kind.

/// A kind of number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A boolean, of 1 bit in the IR.
    Bool,
    /// A signed integer in two's complement.
    Int,
    /// An unsigned integer.
    Uint,
    /// A float.
    Float,
}

//! The types of results in the tables of instructions for rays, one table in each language that has them.

use super::number::Kind;

/// The type of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// No result.
    Nothing,
    /// Components of a kind, of 32 bits or one bit.
    Value(Kind, u8),
    /// Four columns of three numbers, which are extracted.
    Matrix,
}

pub(super) const NOTHING: Gives = Gives::Nothing;
pub(super) const BOOL: Gives = Gives::Value(Kind::Bool, 1);
pub(super) const INT: Gives = Gives::Value(Kind::Int, 1);
pub(super) const UINT: Gives = Gives::Value(Kind::Uint, 1);
pub(super) const FLOAT: Gives = Gives::Value(Kind::Float, 1);
pub(super) const VEC2: Gives = Gives::Value(Kind::Float, 2);
pub(super) const VEC3: Gives = Gives::Value(Kind::Float, 3);

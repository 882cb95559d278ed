//! How operations are written: the forms that the spellings use, and the kind of number that each operation reads and
//! yields.
//!
//! A language has a form for every operation: an operator, a call, code of the engine or of the language, a pass that lowers
//! it, or the reason why the language does not have it. The reading of operands does not depend on the dialect: an operation that divides
//! signed numbers gets signed numbers, by a cast if necessary; the operation is never chosen by the operands.

use super::expr::Prec;
use vitrine_ir::ops::constraint::Number;
use vitrine_ir::ops::{ConvertOp, FloatOp, IntOp, IoOp, Op, TexOp};
use vitrine_ir::{Inst, InstData};

/// The form of an operation in a dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A binary operator.
    Infix(&'static str, Prec),
    /// A prefix operator.
    Prefix(&'static str),
    /// A prefix operator on signed integers, whatever the value is read as.
    PrefixInt(&'static str),
    /// A call of a built-in function.
    Call(&'static str),
    /// A call that yields signed integers, whatever it reads.
    CallInt(&'static str),
    /// A comparison.
    Compare(Comparison),
    /// The negation of a comparison, for the result with NaN.
    NotCompare(Comparison),
    /// The constructor of the result type.
    Construct,
    /// Code of the engine, the same for all languages that have this form.
    Engine,
    /// Code in the folder of the language: its answer to the question about such operations, which its `values.rs` has for
    /// arithmetic, and `effects.rs` or `access.rs` for others.
    Dialect,
    /// A pass lowers it.
    Lower(&'static str),
    /// The language does not have it; the reason.
    No(&'static str),
}

/// A comparison: an operator. A language whose operators compare no vectors has a function for these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
}

impl Comparison {
    /// The operator.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::LessEqual => "<=",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// How tightly the operator binds.
    pub(super) fn prec(self) -> Prec {
        match self {
            Comparison::Equal | Comparison::NotEqual => Prec::Equality,
            Comparison::Less | Comparison::Greater => Prec::Relation,
            Comparison::LessEqual | Comparison::GreaterEqual => Prec::Relation,
        }
    }

    /// The function on vectors, in a language that has one.
    pub(super) fn function(self) -> &'static str {
        match self {
            Comparison::Equal => "equal",
            Comparison::NotEqual => "notEqual",
            Comparison::Less => "lessThan",
            Comparison::Greater => "greaterThan",
            Comparison::LessEqual => "lessThanEqual",
            Comparison::GreaterEqual => "greaterThanEqual",
        }
    }
}

/// The kind of number that an operand is read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Bool,
    Float,
    Int,
    Uint,
    /// Integers of one kind for all operands, either kind.
    Integers,
    /// Integers of any kind, independent of the other operands.
    Count,
    /// The kind of the result.
    Result,
    /// Any kind.
    Natural,
}

/// The kind of number that an operation yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Yield {
    Bool,
    Float,
    Int,
    Uint,
    /// Integers of the kind of the operands read as [`Reading::Integers`].
    Integers,
    /// The kind that is inferred for the value.
    Hint,
}

/// The reading of operand `at`, by the entry of the operation.
pub(super) fn reading(op: Op, at: usize) -> Reading {
    let (Some(operand), result) = (op.info().operand(at), op.info().result.number) else {
        return Reading::Natural;
    };
    if !matches!(op, Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) | Op::Group(_)) {
        return Reading::Natural;
    }
    match operand.constraint.number {
        Number::Bool => Reading::Bool,
        Number::Float => Reading::Float,
        Number::Int => Reading::Int,
        Number::Uint | Number::Bits => Reading::Uint,
        // The sign of the result is theirs.
        Number::Integer if result == Number::Integer => Reading::Result,
        Number::Integer => Reading::Integers,
        // Numbers of invocations are unsigned in every language.
        Number::Count if matches!(op, Op::Group(_)) => Reading::Uint,
        Number::Count => Reading::Count,
        Number::Any if result == Number::Any => Reading::Result,
        // Bits that are compared.
        Number::Any => Reading::Integers,
    }
}

/// The kind of the result, by the entry of the operation.
pub(super) fn yields(op: Op) -> Yield {
    match op {
        Op::Basic(_) | Op::Memory(_) | Op::Deref(_) | Op::Ptr(_) | Op::Reg(_) | Op::Spirv(_) => Yield::Hint,
        Op::Io(IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset) => Yield::Float,
        Op::Io(_) => Yield::Hint,
        // The languages declare sizes signed.
        Op::Tex(TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples) => Yield::Int,
        // 0 or 1 of the kind that its uses read.
        Op::Convert(ConvertOp::B2I) => Yield::Hint,
        Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) | Op::Group(_) | Op::Tex(_) => {
            match op.info().result.number {
                Number::Bool => Yield::Bool,
                Number::Float => Yield::Float,
                Number::Int => Yield::Int,
                Number::Uint | Number::Bits => Yield::Uint,
                Number::Integer | Number::Count => Yield::Integers,
                Number::Any => Yield::Hint,
            }
        }
    }
}

/// Returns true if the text of an instruction contains an operand more than once.
pub(super) fn repeats(data: &InstData, arg: Inst) -> bool {
    match data.op {
        Op::Float(FloatOp::FNMin | FloatOp::FNMax | FloatOp::FEqu | FloatOp::FNeo) => true,
        Op::Float(FloatOp::FModfFract) => true,
        Op::Float(FloatOp::FNClamp) => data.args.iter().position(|&other| other == arg) != Some(2),
        Op::Int(IntOp::IRem) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::ops::{GroupOp, VectorOp};

    #[test]
    fn operands_are_read_as_their_entries_state() {
        let read = |op: Op| (0..op.info().operands.len()).map(|at| reading(op, at)).collect::<Vec<_>>();
        let of = |op: Op| (read(op), yields(op));
        assert_eq!(of(IntOp::IAdd.into()), (vec![Reading::Result; 2], Yield::Integers));
        assert_eq!(of(IntOp::IShr.into()), (vec![Reading::Int, Reading::Count], Yield::Int));
        assert_eq!(of(IntOp::UMin.into()), (vec![Reading::Uint; 2], Yield::Uint));
        assert_eq!(of(IntOp::IAbsDiff.into()), (vec![Reading::Int; 2], Yield::Uint));
        assert_eq!(of(IntOp::BitCount.into()), (vec![Reading::Integers], Yield::Integers));
        assert_eq!(of(IntOp::INe.into()), (vec![Reading::Integers; 2], Yield::Bool));
        assert_eq!(of(FloatOp::FLdexp.into()), (vec![Reading::Float, Reading::Int], Yield::Float));
        assert_eq!(of(ConvertOp::U2F.into()), (vec![Reading::Uint], Yield::Float));
        assert_eq!(of(VectorOp::PackHalf2x16.into()), (vec![Reading::Float], Yield::Uint));
        assert_eq!(of(VectorOp::AllEq.into()), (vec![Reading::Integers; 2], Yield::Bool));
        assert_eq!(of(GroupOp::Broadcast.into()), (vec![Reading::Result, Reading::Uint], Yield::Hint));
        let selected = vec![Reading::Bool, Reading::Result, Reading::Result];
        assert_eq!(of(IntOp::Select.into()), (selected, Yield::Hint));
    }
}

//! Evidence for `types`: how each operation interprets its operands, and the type of its result.
//!
//! It follows from the op table: an `F` operand is a float, an `S` operand a signed integer. Attributes add the rest:
//! the operation of an atomic, the system value, the roles of operands of images.

use std::ops::Range;
use vitrine_ir::InstData;
use vitrine_ir::ops::constraint::Number;
use vitrine_ir::ops::{
    AtomicOp, BasicOp, Builtin, ConvertOp, GroupOp, IntOp, IoOp, Key, Kind, MemoryOp, Op, Reduction, Role,
    TexOp, ValueType, VectorOp,
};

/// The most likely type of the bits of a value. For display and for typed targets; the IR has none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum TypeHint {
    /// Unknown: bits, or an address.
    #[default]
    Unknown,
    /// A boolean: width 1.
    Bool,
    /// A floating-point number.
    Float,
    /// An integer, signed or of unknown signedness.
    Int,
    /// An unsigned integer.
    Uint,
    /// Used as a float and as an integer.
    Any,
}

impl TypeHint {
    /// The usual spelling of the type: `f32x4`, `i32`, `u16x2`, `bool`; `b32` if the hint is unknown. Every
    /// spelling parses as a type of the same bits (`ValueType::parse`).
    pub fn spell(self, ty: ValueType) -> String {
        let ValueType::Bits { width, components } = ty else { return ty.to_string() };
        let (bits, is_float) = (width.bits(), width.bits() >= 16);
        let scalar = match self {
            _ if bits == 1 => "bool".to_owned(),
            TypeHint::Float if is_float => format!("f{bits}"),
            TypeHint::Int => format!("i{bits}"),
            TypeHint::Uint => format!("u{bits}"),
            TypeHint::Float | TypeHint::Unknown | TypeHint::Bool | TypeHint::Any => format!("b{bits}"),
        };
        if components == 1 { scalar } else { format!("{scalar}x{components}") }
    }
}

/// A set of evidence for types. Sets only grow, so the analysis terminates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Evidence(u8);

impl Evidence {
    pub(super) const NONE: Evidence = Evidence(0);
    pub(super) const FLOAT: Evidence = Evidence(1);
    pub(super) const INT: Evidence = Evidence(2);
    pub(super) const SIGNED: Evidence = Evidence(2 | 4);
    pub(super) const UNSIGNED: Evidence = Evidence(2 | 8);
    pub(super) const ALL: Evidence = Evidence(15);
    /// The evidence that passes through sign-agnostic arithmetic: signedness.
    pub(super) const SIGN: Evidence = Evidence(4 | 8);

    /// Adds evidence; returns true if any was new.
    pub(super) fn add(&mut self, other: Evidence) -> bool {
        let before = *self;
        self.0 |= other.0;
        *self != before
    }

    pub(super) fn and(self, other: Evidence) -> Evidence {
        Evidence(self.0 | other.0)
    }

    pub(super) fn within(self, mask: Evidence) -> Evidence {
        Evidence(self.0 & mask.0)
    }

    /// The type that follows from the evidence.
    pub(super) fn hint(self) -> TypeHint {
        match (self.0 & 1 != 0, self.0 & 14 != 0, self.0 & 12) {
            (false, false, _) => TypeHint::Unknown,
            (true, true, _) => TypeHint::Any,
            (true, false, _) => TypeHint::Float,
            (false, true, 8) => TypeHint::Uint,
            (false, true, _) => TypeHint::Int,
        }
    }

    /// The evidence of a number of a kind. A boolean is known by its width; wider, it is an integer without a sign.
    fn of(kind: Kind) -> Evidence {
        match kind {
            Kind::Float => Evidence::FLOAT,
            Kind::Int => Evidence::SIGNED,
            Kind::Uint | Kind::Bool => Evidence::UNSIGNED,
        }
    }

    /// The evidence of what an operation reads or yields by its entry.
    fn of_number(number: Number) -> Evidence {
        match number {
            Number::Float => Evidence::FLOAT,
            Number::Int => Evidence::SIGNED,
            Number::Uint => Evidence::UNSIGNED,
            Number::Integer | Number::Count => Evidence::INT,
            Number::Bool | Number::Bits | Number::Any => Evidence::NONE,
        }
    }
}

/// Operands whose bits are those of the result, and the evidence that passes between them.
pub(super) fn passes(data: &InstData) -> (Range<usize>, Evidence) {
    let all = data.args.len();
    let range = match data.op {
        Op::Basic(BasicOp::Copy) => 0..1,
        Op::Int(IntOp::Select | IntOp::Select1) => 1..3,
        Op::Int(op) if op.info().result.number == Number::Integer => {
            let is_sign =
                |at: &usize| op.info().operand(*at).is_some_and(|it| it.constraint.number == Number::Integer);
            // The mask of a selection has no sign.
            let first = usize::from(op == IntOp::BitSelect);
            let count = (first..all).take_while(is_sign).count();
            return (first..first + count, Evidence::SIGN);
        }
        Op::Vector(VectorOp::Vec | VectorOp::Splat | VectorOp::Swizzle | VectorOp::Shuffle) => 0..all,
        Op::Vector(VectorOp::Extract) => 0..1,
        Op::Vector(VectorOp::Insert) => 0..2,
        Op::Memory(MemoryOp::Atomic) => 1..2,
        Op::Memory(MemoryOp::AtomicCas) => 1..3,
        Op::Group(op) if op.is_move() || op == GroupOp::Reduce => 0..1,
        _ => 0..0,
    };
    (range.start.min(all)..range.end.min(all), Evidence::ALL)
}

/// The evidence for the result.
pub(super) fn result(data: &InstData) -> Evidence {
    match data.op {
        // -1 if there is no such bit.
        Op::Int(IntOp::FindLsb | IntOp::UFindMsb) => Evidence::SIGNED,
        // A number that is negated, or made from a boolean, is rarely unsigned.
        Op::Int(IntOp::INeg) | Op::Convert(ConvertOp::B2I) => Evidence::SIGNED,
        Op::Memory(MemoryOp::Atomic) => atomic(data),
        Op::Group(GroupOp::Reduce) => reduction(data),
        Op::Io(IoOp::BuiltIn | IoOp::BuiltInAt) => builtin(data),
        Op::Tex(TexOp::QuerySize) => Evidence::UNSIGNED,
        Op::Tex(TexOp::Sample | TexOp::SampleLod | TexOp::Gather) if data.attrs.has(Key::Shadow) => {
            Evidence::FLOAT
        }
        _ => Evidence::of_number(data.op.info().result.number),
    }
}

/// The evidence for operand `at`.
pub(super) fn operand(data: &InstData, at: usize) -> Evidence {
    let stated = || {
        let operand = data.op.info().operand(at);
        operand.map_or(Evidence::NONE, |operand| Evidence::of_number(operand.constraint.number))
    };
    match data.op {
        Op::Int(IntOp::INeg) | Op::Convert(ConvertOp::I2B) => Evidence::SIGNED,
        Op::Memory(MemoryOp::Atomic) if at == 1 => atomic(data),
        Op::Group(GroupOp::Reduce) if at == 0 => reduction(data),
        Op::Group(GroupOp::VoteIEq) => Evidence::INT,
        Op::Io(IoOp::SetBuiltIn | IoOp::SetBuiltInAt) if at == 0 => builtin(data),
        Op::Tex(op) if at > 0 => role(data, at).map_or_else(stated, |role| tex_operand(op, role)),
        _ => stated(),
    }
}

/// The role of operand `at` of an image operation.
pub(super) fn role(data: &InstData, at: usize) -> Option<Role> {
    Role::unpack(data.attrs.get(Key::Roles)?).nth(at)
}

/// The evidence of an operation on memory.
fn atomic(data: &InstData) -> Evidence {
    match data.attrs.word() {
        Some(AtomicOp::Exchange) => Evidence::NONE,
        other => other.and_then(AtomicOp::kind).map_or(Evidence::INT, Evidence::of),
    }
}

/// The evidence of a reduction.
fn reduction(data: &InstData) -> Evidence {
    let Some(reduction) = data.attrs.word::<Reduction>() else { return Evidence::NONE };
    reduction.kind().map_or(Evidence::INT, Evidence::of)
}

/// The evidence of a system value.
fn builtin(data: &InstData) -> Evidence {
    data.attrs.word().map_or(Evidence::NONE, |builtin: Builtin| Evidence::of(builtin.kind()))
}

fn tex_operand(op: TexOp, role: Role) -> Evidence {
    let samples = matches!(op, TexOp::Sample | TexOp::SampleLod | TexOp::Gather | TexOp::QueryLod);
    match role {
        Role::Coord | Role::Lod if samples => Evidence::FLOAT,
        Role::Coord | Role::Lod | Role::Offset | Role::Offsets => Evidence::SIGNED,
        Role::Projector | Role::Bias | Role::Ddx | Role::Ddy | Role::Compare | Role::MinLod => {
            Evidence::FLOAT
        }
        Role::Sample | Role::Component => Evidence::INT,
        Role::Image | Role::Sampler | Role::Texel => Evidence::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::ops::{FloatOp, Width};

    fn data(op: impl Into<Op>) -> InstData {
        InstData::new(op, ValueType::B32, &[])
    }

    #[test]
    fn names_determine_the_sign() {
        let operand_types = |op: IntOp| (operand(&data(op), 0).hint(), result(&data(op)).hint());
        assert_eq!(operand_types(IntOp::IDiv), (TypeHint::Int, TypeHint::Int));
        assert_eq!(operand_types(IntOp::UDiv), (TypeHint::Uint, TypeHint::Uint));
        assert_eq!(result(&data(IntOp::IAdd)), Evidence::INT);
        assert_eq!(operand(&data(IntOp::UShr), 1), Evidence::INT);
        assert_eq!(operand_types(IntOp::UFindMsb), (TypeHint::Uint, TypeHint::Int));
        let convert = |op: ConvertOp| (operand(&data(op), 0).hint(), result(&data(op)).hint());
        assert_eq!(convert(ConvertOp::F2U), (TypeHint::Float, TypeHint::Uint));
        assert_eq!(convert(ConvertOp::I2F), (TypeHint::Int, TypeHint::Float));
        assert_eq!(convert(ConvertOp::U2ISat), (TypeHint::Uint, TypeHint::Int));
        assert_eq!(operand(&data(FloatOp::FAdd), 1), Evidence::FLOAT);
    }

    #[test]
    fn every_spelling_parses_as_the_same_bits() {
        let hints = [
            TypeHint::Unknown,
            TypeHint::Bool,
            TypeHint::Float,
            TypeHint::Int,
            TypeHint::Uint,
            TypeHint::Any,
        ];
        for width in Width::ALL {
            for components in vitrine_ir::ops::ty::COMPONENT_COUNTS {
                let ty = ValueType::bits(width, components);
                for hint in hints {
                    assert_eq!(ValueType::parse(&hint.spell(ty)), Some(ty), "{}", hint.spell(ty));
                }
            }
        }
        assert_eq!(TypeHint::Float.spell(ValueType::bits(Width::W32, 4)), "f32x4");
        assert_eq!(TypeHint::Float.spell(ValueType::Path), "path");
    }
}

//! Evidence for `types`: how each operation interprets its operands, and the type of its result.
//!
//! Most of it follows from the op table: an `F` operand is a float, an `I` operand an integer. Properties
//! that an entry cannot express, such as signedness, are derived from the name of the operation.

use crate::ir::InstData;
use crate::ops::attr::ValueKind;
use crate::ops::constraint::{Constraint, names};
use crate::ops::{
    BasicOp, FloatOp, GroupOp, IntOp, IoOp, Key, MemoryOp, Op, PtrOp, Role, TexOp, ValueType, VectorOp,
};
use std::ops::Range;

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

    /// The type given by the first letter of a word such as `umin` or `f2i`.
    fn of_letter(word: &str) -> Evidence {
        match word.as_bytes().first() {
            Some(b'f') => Evidence::FLOAT,
            Some(b'i' | b's') => Evidence::SIGNED,
            Some(b'u') => Evidence::UNSIGNED,
            Some(_) | None => Evidence::NONE,
        }
    }
}

/// Operands whose bits are those of the result, and the evidence that passes between them.
pub(super) fn passes(data: &InstData) -> (Range<usize>, Evidence) {
    let all = data.args.len();
    let range = match data.op {
        Op::Basic(BasicOp::Copy) => 0..1,
        Op::Int(IntOp::Select | IntOp::Select1) => 1..3,
        Op::Int(op) if carries_sign(op) => {
            let range = match op {
                IntOp::IShl | IntOp::Rotl | IntOp::Rotr | IntOp::INot => 0..1,
                IntOp::BitSelect => 1..3,
                _ => 0..2,
            };
            return (range.start.min(all)..range.end.min(all), Evidence::SIGN);
        }
        Op::Vector(VectorOp::Vec | VectorOp::Splat | VectorOp::Swizzle | VectorOp::Shuffle) => 0..all,
        Op::Vector(VectorOp::Extract) => 0..1,
        Op::Vector(VectorOp::Insert) => 0..2,
        Op::Memory(MemoryOp::Atomic) => 1..2,
        Op::Memory(MemoryOp::AtomicCas) => 1..3,
        Op::Group(
            GroupOp::QuadBroadcast
            | GroupOp::QuadSwap
            | GroupOp::Broadcast
            | GroupOp::BroadcastFirst
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate
            | GroupOp::Reduce,
        ) => 0..1,
        _ => 0..0,
    };
    (range.start.min(all)..range.end.min(all), Evidence::ALL)
}

/// The evidence for the result.
pub(super) fn result(data: &InstData) -> Evidence {
    match data.op {
        Op::Float(FloatOp::FFrexpExp) => Evidence::SIGNED,
        Op::Int(IntOp::IAbsDiff) => Evidence::UNSIGNED,
        Op::Int(IntOp::FindLsb | IntOp::UFindMsb) => Evidence::SIGNED,
        Op::Int(IntOp::Select | IntOp::Select1) => Evidence::NONE,
        Op::Int(op) => sign(op),
        Op::Convert(op) => {
            op.info().name.split_once('2').map_or(Evidence::NONE, |(_, to)| Evidence::of_letter(to))
        }
        Op::Vector(VectorOp::IDot) => Evidence::SIGNED,
        Op::Vector(op) => match fraction(op) {
            Some(Fraction::Pack) => Evidence::UNSIGNED,
            Some(Fraction::Unpack) => Evidence::FLOAT,
            None => by_row(&op.info().result),
        },
        Op::Memory(MemoryOp::ArrayLen) => Evidence::UNSIGNED,
        Op::Memory(MemoryOp::Atomic) => atomic(data),
        Op::Group(GroupOp::Reduce) => Evidence::of_letter(word(data, Key::Reduce)).within(reduce_mask(data)),
        Op::Group(GroupOp::Ballot | GroupOp::BallotCount | GroupOp::BallotLsb | GroupOp::BallotMsb) => {
            Evidence::UNSIGNED
        }
        Op::Ptr(PtrOp::BufferLen | PtrOp::ToBits) => Evidence::UNSIGNED,
        Op::Ptr(PtrOp::Diff) => Evidence::SIGNED,
        Op::Io(IoOp::BuiltIn | IoOp::BuiltInAt) => builtin(word(data, Key::BuiltIn)),
        Op::Tex(TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples) => Evidence::UNSIGNED,
        Op::Tex(TexOp::Sample | TexOp::SampleLod | TexOp::Gather) if data.attrs.has(Key::Shadow) => {
            Evidence::FLOAT
        }
        _ => by_row(&data.op.info().result),
    }
}

/// The evidence for operand `at`.
pub(super) fn operand(data: &InstData, at: usize) -> Evidence {
    let row = || data.op.info().operand(at).map_or(Evidence::NONE, |operand| by_row(&operand.constraint));
    match data.op {
        Op::Float(FloatOp::FLdexp) if at == 1 => Evidence::SIGNED,
        Op::Int(op) => int_operand(op, at),
        Op::Convert(op) => Evidence::of_letter(op.info().name),
        Op::Vector(VectorOp::IDot) => Evidence::SIGNED,
        Op::Vector(op) => match fraction(op) {
            Some(Fraction::Pack) => Evidence::FLOAT,
            Some(Fraction::Unpack) => Evidence::UNSIGNED,
            None => row(),
        },
        Op::Memory(MemoryOp::Atomic) if at == 1 => atomic(data),
        Op::Group(GroupOp::Reduce) if at == 0 => result(data),
        Op::Group(GroupOp::VoteIEq) => Evidence::INT,
        Op::Group(
            GroupOp::BallotInverse
            | GroupOp::BallotBit
            | GroupOp::BallotCount
            | GroupOp::BallotLsb
            | GroupOp::BallotMsb,
        ) if at == 0 => Evidence::UNSIGNED,
        Op::Io(IoOp::SetBuiltIn | IoOp::SetBuiltInAt) if at == 0 => builtin(word(data, Key::BuiltIn)),
        Op::Tex(op) if at > 0 => role(data, at).map_or_else(row, |role| tex_operand(op, role)),
        _ => row(),
    }
}

/// The role of operand `at` of an image operation.
pub(super) fn role(data: &InstData, at: usize) -> Option<Role> {
    Role::unpack(data.attrs.get(Key::Roles)?).nth(at)
}

fn by_row(constraint: &Constraint) -> Evidence {
    if constraint.widths == names::F.widths {
        Evidence::FLOAT
    } else if constraint.widths == names::I.widths {
        Evidence::INT
    } else {
        Evidence::NONE
    }
}

/// Returns true for arithmetic that preserves signedness.
fn carries_sign(op: IntOp) -> bool {
    matches!(
        op,
        IntOp::IAdd
            | IntOp::ISub
            | IntOp::IMul
            | IntOp::IAnd
            | IntOp::IOr
            | IntOp::IXor
            | IntOp::INot
            | IntOp::IShl
            | IntOp::Rotl
            | IntOp::Rotr
            | IntOp::Bfi
            | IntOp::BitSelect
    )
}

/// Operations on bits, or on numbers of either signedness.
const NO_SIGN: &[IntOp] =
    &[IntOp::BitRev, IntOp::BitCount, IntOp::FindLsb, IntOp::Clz, IntOp::Ctz, IntOp::IEq, IntOp::INe];

/// The signedness given by the name of an integer operation: `udiv` is unsigned, `idiv` signed, `iadd`
/// either.
fn sign(op: IntOp) -> Evidence {
    if carries_sign(op) || NO_SIGN.contains(&op) {
        return Evidence::INT;
    }
    Evidence::of_letter(op.info().name)
}

fn int_operand(op: IntOp, at: usize) -> Evidence {
    let Some(operand) = op.info().operand(at) else { return Evidence::NONE };
    match op {
        IntOp::Select | IntOp::Select1 => Evidence::NONE,
        IntOp::SUDot4x8 | IntOp::SUDot4x8Sat if at == 1 => Evidence::UNSIGNED,
        _ if operand.constraint == names::CNT => Evidence::INT,
        _ => sign(op),
    }
}

/// The direction of a conversion between fractions and the bits that they are packed in.
enum Fraction {
    Pack,
    Unpack,
}

fn fraction(op: VectorOp) -> Option<Fraction> {
    let name = op.info().name;
    let (direction, kind) = match (name.strip_prefix("pack_"), name.strip_prefix("unpack_")) {
        (Some(kind), _) => (Fraction::Pack, kind),
        (None, Some(kind)) => (Fraction::Unpack, kind),
        (None, None) => return None,
    };
    let is_fraction = ["half", "unorm", "snorm"].iter().any(|fraction| kind.starts_with(fraction));
    is_fraction.then_some(direction)
}

fn atomic(data: &InstData) -> Evidence {
    match word(data, Key::Atomic) {
        "exchange" => Evidence::NONE,
        "imin" | "imax" => Evidence::SIGNED,
        "umin" | "umax" | "inc" | "dec" => Evidence::UNSIGNED,
        other if other.starts_with('f') => Evidence::FLOAT,
        _ => Evidence::INT,
    }
}

/// Additions and bitwise operations of a reduction are sign-agnostic.
fn reduce_mask(data: &InstData) -> Evidence {
    match word(data, Key::Reduce) {
        "iadd" | "imul" | "iand" | "ior" | "ixor" => Evidence::INT,
        _ => Evidence::ALL,
    }
}

/// The word of an attribute.
fn word(data: &InstData, key: Key) -> &'static str {
    let ValueKind::Word(list) = key.kind() else { return "" };
    let index = data.attrs.get(key).and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| list.get(index)).copied().unwrap_or("")
}

/// System values that are floats; the others are unsigned integers or, by their width, booleans.
const FLOAT_BUILTINS: &[&str] = &[
    "position",
    "point_size",
    "clip_distance",
    "cull_distance",
    "tess_level_outer",
    "tess_level_inner",
    "tess_coord",
    "frag_coord",
    "point_coord",
    "sample_position",
    "frag_depth",
    "world_ray_origin",
    "world_ray_direction",
    "object_ray_origin",
    "object_ray_direction",
    "ray_tmin",
    "ray_tmax",
    "object_to_world",
    "world_to_object",
    "hit_t",
    "current_ray_time",
    "hit_triangle_vertex_positions",
    "secondary_position",
    "position_per_view",
];

/// System values that the APIs declare as signed integers.
const SIGNED_BUILTINS: &[&str] = &[
    "vertex_id",
    "instance_id",
    "vertex_index",
    "instance_index",
    "base_vertex",
    "base_instance",
    "draw_index",
    "primitive_id",
    "invocation_id",
    "layer",
    "viewport_index",
    "patch_vertices",
    "sample_id",
    "sample_mask",
    "view_index",
    "device_index",
    "frag_stencil_ref",
];

fn builtin(name: &str) -> Evidence {
    if FLOAT_BUILTINS.contains(&name) || name.starts_with("bary_coord") {
        Evidence::FLOAT
    } else if SIGNED_BUILTINS.contains(&name) {
        Evidence::SIGNED
    } else if name.is_empty() {
        Evidence::NONE
    } else {
        Evidence::UNSIGNED
    }
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
    use crate::ops::{ConvertOp, Width};

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
            for components in crate::ops::ty::COMPONENT_COUNTS {
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

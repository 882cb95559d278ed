//! Constraints that a branch establishes on its edges for the values its condition compares.
//!
//! ```text
//! branch (ult %i, %n) ^body, ^after      in ^body: %i is at most the largest %n minus one
//! switch %k: case 1, 4 -> ^arm           in ^arm: %k is 1 to 4
//! ```
//!
//! Conditions combined by `iand` and `ior` are split, up to 16 parts. Comparisons of vectors, and of floats
//! if subnormals are flushed to zero, establish no constraint.

use super::fact::{Fact, Float};
use crate::{Cfg, EdgeId, EdgeKind, FloatModes};
use vitrine_ir::ops::{FloatOp, IntOp, Op, ValueType, Width};
use vitrine_ir::{Block, FuncBody, Inst, NodeKind, Terminator};

/// Maximum number of comparisons considered in one condition.
const MOST_PARTS: usize = 16;

/// The relation of a value to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    Unequal,
    /// Less than, or at most; signed or unsigned.
    Less {
        or_equal: bool,
        signed: bool,
    },
    Greater {
        or_equal: bool,
        signed: bool,
    },
    /// For floats: ordered relations hold only between numbers, unordered ones also if one is NaN.
    FloatEqual,
    FloatAtMost {
        ordered: bool,
    },
    FloatAtLeast {
        ordered: bool,
    },
    /// Not NaN.
    Number,
}

/// A constraint on a value along a path.
#[derive(Clone, Debug)]
pub(super) enum Refinement {
    /// The relation to another value.
    Compared(Relation, Inst),
    /// The value is in this interval of unsigned integers.
    Among(u64, u64),
}

/// A value and a constraint on it.
pub(super) type Constraint = (Inst, Refinement);

/// The constraints that hold after an edge is taken.
pub(super) fn along(body: &FuncBody, cfg: &Cfg, edge: EdgeId) -> Vec<Constraint> {
    let data = cfg.edge(edge);
    let mut out = Vec::new();
    match data.kind {
        EdgeKind::Then | EdgeKind::Else => {
            if let Some(cond) = condition(body, cfg, data.from) {
                take_apart(body, cond, data.kind == EdgeKind::Then, &mut out);
            }
        }
        EdgeKind::Case => {
            if let Some((on, values)) = selected(body, cfg, data.from, data.slot as usize)
                && let (Some(&low), Some(&high)) = (values.iter().min(), values.iter().max())
            {
                out.push((on, Refinement::Among(low, high)));
            }
        }
        EdgeKind::Goto
        | EdgeKind::Default
        | EdgeKind::Enter
        | EdgeKind::Leave
        | EdgeKind::Break
        | EdgeKind::Continue
        | EdgeKind::Rest
        | EdgeKind::Repeat => {}
    }
    out
}

fn condition(body: &FuncBody, cfg: &Cfg, block: Block) -> Option<Inst> {
    if let Terminator::Branch { cond, .. } = body.terminator(block) {
        return Some(*cond);
    }
    match &body.node(cfg.enters(block)?).kind {
        NodeKind::If { cond, .. } => Some(*cond),
        NodeKind::Switch { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
    }
}

fn selected(body: &FuncBody, cfg: &Cfg, block: Block, slot: usize) -> Option<(Inst, Vec<u64>)> {
    if let Terminator::Switch { on, cases, .. } = body.terminator(block) {
        return Some((*on, cases.get(slot)?.values.to_vec()));
    }
    match &body.node(cfg.enters(block)?).kind {
        NodeKind::Switch { on, arms } => {
            let arm = arms.get(slot)?;
            (!arm.default).then(|| (*on, arm.values.clone()))
        }
        NodeKind::If { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
    }
}

fn take_apart(body: &FuncBody, cond: Inst, holds: bool, out: &mut Vec<Constraint>) {
    let mut open = vec![(cond, holds)];
    for _ in 0..MOST_PARTS {
        let Some((at, holds)) = open.pop() else { return };
        let data = body.inst(at);
        if data.ty != ValueType::BOOL {
            continue;
        }
        match (data.op, data.args.as_slice()) {
            (Op::Int(IntOp::INot), &[a]) => open.push((a, !holds)),
            (Op::Int(IntOp::IAnd), &[a, b]) if holds => open.extend([(a, true), (b, true)]),
            (Op::Int(IntOp::IOr), &[a, b]) if !holds => open.extend([(a, false), (b, false)]),
            (Op::Int(op), &[a, b]) => {
                let relation =
                    int_relation(op).map(|relation| if holds { relation } else { inverse(relation) });
                if let Some(relation) = relation {
                    out.push((a, Refinement::Compared(relation, b)));
                    out.push((b, Refinement::Compared(mirrored(relation), a)));
                }
            }
            (Op::Float(FloatOp::FIsNan), &[a]) if !holds => {
                out.push((a, Refinement::Compared(Relation::Number, a)));
            }
            (Op::Float(op), &[a, b]) => {
                if let Some(relation) = float_relation(op, holds) {
                    out.push((a, Refinement::Compared(relation, b)));
                    out.push((b, Refinement::Compared(mirrored(relation), a)));
                }
            }
            _ => {}
        }
    }
}

fn int_relation(op: IntOp) -> Option<Relation> {
    let less = |or_equal, signed| Relation::Less { or_equal, signed };
    let greater = |or_equal, signed| Relation::Greater { or_equal, signed };
    Some(match op {
        IntOp::IEq => Relation::Equal,
        IntOp::INe => Relation::Unequal,
        IntOp::ILt => less(false, true),
        IntOp::ILe => less(true, true),
        IntOp::IGt => greater(false, true),
        IntOp::IGe => greater(true, true),
        IntOp::ULt => less(false, false),
        IntOp::ULe => less(true, false),
        IntOp::UGt => greater(false, false),
        IntOp::UGe => greater(true, false),
        _ => return None,
    })
}

/// The relation that follows from the result of a float comparison. Strictness of bounds is not kept.
fn float_relation(op: FloatOp, holds: bool) -> Option<Relation> {
    use FloatOp as O;
    use Relation::{FloatAtLeast, FloatAtMost, FloatEqual};
    Some(match (op, holds) {
        (O::FEq, true) | (O::FNeu, false) => FloatEqual,
        (O::FLt | O::FLe, true) => FloatAtMost { ordered: true },
        (O::FGt | O::FGe, true) => FloatAtLeast { ordered: true },
        (O::FLtu | O::FLeu, true) => FloatAtMost { ordered: false },
        (O::FGtu | O::FGeu, true) => FloatAtLeast { ordered: false },
        (O::FLt | O::FLe, false) => FloatAtLeast { ordered: false },
        (O::FGt | O::FGe, false) => FloatAtMost { ordered: false },
        (O::FLtu | O::FLeu, false) => FloatAtLeast { ordered: true },
        (O::FGtu | O::FGeu, false) => FloatAtMost { ordered: true },
        (O::FOrd, true) | (O::FUnord, false) => Relation::Number,
        _ => return None,
    })
}

fn inverse(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::Unequal,
        Relation::Unequal => Relation::Equal,
        Relation::Less { or_equal, signed } => Relation::Greater { or_equal: !or_equal, signed },
        Relation::Greater { or_equal, signed } => Relation::Less { or_equal: !or_equal, signed },
        Relation::FloatEqual
        | Relation::FloatAtMost { .. }
        | Relation::FloatAtLeast { .. }
        | Relation::Number => relation,
    }
}

fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Less { or_equal, signed } => Relation::Greater { or_equal, signed },
        Relation::Greater { or_equal, signed } => Relation::Less { or_equal, signed },
        Relation::FloatAtMost { ordered } => Relation::FloatAtLeast { ordered },
        Relation::FloatAtLeast { ordered } => Relation::FloatAtMost { ordered },
        Relation::Equal | Relation::Unequal | Relation::FloatEqual | Relation::Number => relation,
    }
}

/// Applies a constraint to `fact`. Returns the fact unchanged if they contradict, because then the edge is
/// never taken.
pub(super) fn apply(fact: &Fact, refinement: &Refinement, other: Option<&Fact>, modes: FloatModes) -> Fact {
    let met = match (refinement, other) {
        (Refinement::Among(low, high), _) => {
            fact.meet(&Fact::unsigned(fact.width(), (*low).into(), (*high).into()))
        }
        (Refinement::Compared(relation, _), Some(other)) if other.width() == fact.width() => {
            compared(fact, *relation, other, modes)
        }
        (Refinement::Compared(..), _) => None,
    };
    met.unwrap_or(*fact)
}

fn compared(fact: &Fact, relation: Relation, other: &Fact, modes: FloatModes) -> Option<Fact> {
    let width = fact.width();
    let full = Fact::any(width);
    match relation {
        Relation::Equal => {
            // The bits are equal, so every interpretation is.
            fact.meet(other)
        }
        Relation::Unequal => {
            let gone = other.constant()?.as_u64();
            let mut out = *fact;
            out.unsigned.0 += u64::from(out.unsigned.0 == gone && gone < width.mask());
            out.unsigned.1 -= u64::from(out.unsigned.1 == gone && gone > 0);
            fact.meet(&Fact { float: Float::ANY, ..out })
        }
        Relation::Less { or_equal, signed: false } => {
            let high = i128::from(other.unsigned.1) - i128::from(!or_equal);
            fact.meet(&Fact::unsigned(width, 0, high.max(0)))
        }
        Relation::Greater { or_equal, signed: false } => {
            let low = i128::from(other.unsigned.0) + i128::from(!or_equal);
            fact.meet(&Fact::unsigned(width, low, width.mask().into()))
        }
        Relation::Less { or_equal, signed: true } => {
            let high = i128::from(other.signed.1) - i128::from(!or_equal);
            fact.meet(&Fact::signed(width, full.signed.0.into(), high.max(full.signed.0.into())))
        }
        Relation::Greater { or_equal, signed: true } => {
            let low = i128::from(other.signed.0) + i128::from(!or_equal);
            fact.meet(&Fact::signed(width, low, full.signed.1.into()))
        }
        Relation::FloatEqual
        | Relation::FloatAtMost { .. }
        | Relation::FloatAtLeast { .. }
        | Relation::Number => {
            let float = float_compared(width, relation, &other.float, modes)?;
            fact.meet(&Fact { float, ..full })
        }
    }
}

fn float_compared(width: Width, relation: Relation, other: &Float, modes: FloatModes) -> Option<Float> {
    if relation == Relation::Number {
        return Some(Float { nan: false, ..Float::ANY });
    }
    if modes.flushes(width) || other.has_no_number() {
        return None;
    }
    let (low, high, ordered) = match relation {
        Relation::FloatEqual => (other.low, other.high, true),
        Relation::FloatAtMost { ordered } => (f64::NEG_INFINITY, other.high, ordered),
        Relation::FloatAtLeast { ordered } => (other.low, f64::INFINITY, ordered),
        _ => return None,
    };
    if !ordered && other.nan {
        return None;
    }
    Some(Float { low, high, nan: !ordered, minus_zero: low <= 0.0 && high >= 0.0, whole: false })
}

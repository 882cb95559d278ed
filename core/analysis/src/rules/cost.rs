//! The cost of the sides of a rule: the order that makes rewriting terminate.

use super::Pat;
use vitrine_ir::ops::{ConvertOp, FloatOp, IntOp, Op, VectorOp};

/// The cost of a tree: the weights of its operations, except those with only constant operands.
pub fn cost(pat: &Pat, constants: &[bool]) -> u32 {
    match pat {
        Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => 0,
        Pat::Op(_, _) if pat.is_constant(constants) => 0,
        Pat::Once(inner) => cost(inner, constants),
        Pat::Op(op, args) => weight(*op) + args.iter().map(|arg| cost(arg, constants)).sum::<u32>(),
    }
}

/// The weight of an operation. Not a time: it orders the forms that rules choose between.
pub fn weight(op: Op) -> u32 {
    match op {
        Op::Float(op) => float(op),
        Op::Int(op) => int(op),
        Op::Convert(ConvertOp::B2I | ConvertOp::B2F) => 6,
        Op::Convert(_) => 10,
        Op::Vector(VectorOp::Vec | VectorOp::Splat | VectorOp::Swizzle) => 4,
        Op::Vector(_) => 20,
        Op::Basic(_)
        | Op::Memory(_)
        | Op::Deref(_)
        | Op::Ptr(_)
        | Op::Io(_)
        | Op::Group(_)
        | Op::Tex(_)
        | Op::Reg(_)
        | Op::Spirv(_) => 50,
    }
}

fn float(op: FloatOp) -> u32 {
    match op {
        FloatOp::FNeg | FloatOp::FAbs | FloatOp::FSat => 5,
        FloatOp::FDiv => 40,
        FloatOp::FRcp | FloatOp::FRsq => 25,
        FloatOp::FSqrt => 30,
        FloatOp::FPow => 60,
        FloatOp::FSub => 11,
        FloatOp::FFma | FloatOp::FMad => 15,
        FloatOp::FMulZ => 25,
        FloatOp::FFmaZ => 40,
        FloatOp::FClamp | FloatOp::FNClamp => 14,
        FloatOp::FIsNan => 8,
        // Of two equivalent comparisons, the one that is rewritten to the other.
        FloatOp::FGt | FloatOp::FGe | FloatOp::FGtu | FloatOp::FGeu => 11,
        _ => 10,
    }
}

fn int(op: IntOp) -> u32 {
    match op {
        IntOp::INeg | IntOp::INot => 5,
        IntOp::IMul => 20,
        IntOp::IDiv | IntOp::UDiv | IntOp::IRem | IntOp::IMod | IntOp::UMod => 60,
        IntOp::ISub | IntOp::IGt | IntOp::IGe | IntOp::UGt | IntOp::UGe => 11,
        IntOp::Select | IntOp::Select1 => 12,
        IntOp::IEq | IntOp::INe => 9,
        _ => 10,
    }
}

//! Constant evaluation of operations, as far as their semantics are defined.
//!
//! The semantics are those of the op table, so folding, trip counts and execution cannot disagree. Operations
//! that depend on other invocations, memory or a clock have no constant result. `FloatModes` determines if
//! execution modes affect floats.

use crate::ops::attr::unpack_component;
use crate::ops::{Bits, Op, ValueType, VectorOp};

/// The result of an operation for constant operands; `components` are the components that a swizzle selects
/// (`Key::Components`).
pub fn evaluate(op: Op, ty: ValueType, args: &[Bits], components: Option<u64>) -> Option<Bits> {
    match (op, args) {
        (Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle), [first, rest @ ..]) => {
            let all: Vec<u64> =
                [first].into_iter().chain(rest).flat_map(|arg| arg.components().to_vec()).collect();
            let pick = |at: usize| all.get(usize::from(unpack_component(components?, at))).copied();
            let picked: Vec<u64> = (0..usize::from(ty.components())).map(pick).collect::<Option<_>>()?;
            Some(Bits::from_components(first.width(), &picked)).filter(|bits| bits.ty() == ty)
        }
        _ => op.info().eval(ty, args),
    }
}

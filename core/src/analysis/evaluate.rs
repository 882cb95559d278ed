//! What an operation yields for constant operands, as far as the program fixes it.
//!
//! The meaning is that of the op table, so that folding, counting and running cannot disagree. What looks at other
//! lanes, memory or a clock has no meaning there. `FloatModes` says where execution modes make floats special.

use crate::ops::attr::unpack_component;
use crate::ops::{Bits, Op, ValueType, VectorOp};

/// What an operation yields for constant operands; `lanes` are those a swizzle picks (`Key::Lanes`).
pub fn evaluate(op: Op, ty: ValueType, args: &[Bits], lanes: Option<u64>) -> Option<Bits> {
    match (op, args) {
        (Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle), [first, rest @ ..]) => {
            let all: Vec<u64> =
                [first].into_iter().chain(rest).flat_map(|arg| arg.components().to_vec()).collect();
            let pick = |at: usize| all.get(usize::from(unpack_component(lanes?, at))).copied();
            let picked: Vec<u64> = (0..usize::from(ty.components())).map(pick).collect::<Option<_>>()?;
            Some(Bits::from_components(first.width(), &picked)).filter(|bits| bits.ty() == ty)
        }
        _ => op.info().eval(ty, args),
    }
}

//! Constant evaluation of operations, as far as their semantics are defined.
//!
//! The semantics are those of the op table, so folding, trip counts and execution cannot disagree. Operations
//! that depend on other invocations, memory or a clock have no constant result. `FloatModes` determines if
//! execution modes affect floats.

use rustc_hash::FxHashMap;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{Bits, Key, Op, ValueType, VectorOp};
use vitrine_ir::{FuncBody, Inst, Module};

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

/// Maximum number of operations that [`folded`] evaluates.
const MAX_FOLDED: usize = 64;

/// The value of an operand, if its operations and their operands are constants. At most 64 operations are evaluated.
pub fn folded(module: &Module, body: &FuncBody, value: Inst) -> Option<Bits> {
    let mut known: FxHashMap<Inst, Bits> = FxHashMap::default();
    let mut work = vec![value];
    let mut steps = 0;
    while let Some(&at) = work.last() {
        steps += 1;
        if steps > MAX_FOLDED {
            return None;
        }
        if let Some(bits) = body.const_of(at) {
            known.insert(at, module.bits_of(bits));
            work.pop();
            continue;
        }
        let data = body.inst(at);
        if data.args.is_empty() || !data.op.props().pure() {
            return None;
        }
        let missing = data.args.iter().filter(|arg| !known.contains_key(arg));
        let missing: Vec<Inst> = missing.copied().collect();
        if missing.is_empty() {
            let args: Vec<Bits> = data.args.iter().filter_map(|arg| known.get(arg).copied()).collect();
            known.insert(at, evaluate(data.op, data.ty, &args, data.attrs.get(Key::Components))?);
            work.pop();
        }
        work.extend(missing);
    }
    known.remove(&value)
}

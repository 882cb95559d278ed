//! Atomics on members of buffers: the size and the kind of the numbers that they access.
//!
//! A member that becomes an array of numbers keeps its atomics only if they access whole integers of that size.

use rustc_hash::FxHashMap;
use vitrine_ir::layout::scalar_bytes;
use vitrine_ir::ops::{AtomicOp, BasicOp, DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{FuncBody, Inst, Module, Var};

/// The longest path that is followed to its variable.
const MAX_STEPS: usize = 256;

/// The atomics on one member of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct AtomicUse {
    bytes: u64,
    is_float: bool,
}

/// The atomics of a module on members of buffers.
#[derive(Debug, Default)]
pub struct Atomics {
    by_member: FxHashMap<(Var, usize), Vec<AtomicUse>>,
}

/// The atomics on the members of one buffer.
#[derive(Debug, Default)]
pub(super) struct NumberLimits {
    by_member: FxHashMap<usize, Vec<AtomicUse>>,
}

impl Atomics {
    /// Finds all atomics on buffers. Linear in the size of the module.
    pub fn of(module: &Module) -> Atomics {
        let mut found = Atomics::default();
        for (_, body) in module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let ty = match data.op {
                    Op::Memory(MemoryOp::Atomic | MemoryOp::AtomicCas | MemoryOp::AtomicLoad) => data.ty,
                    Op::Memory(MemoryOp::AtomicStore) => match data.args.get(1) {
                        Some(&value) => body.ty(value),
                        None => return,
                    },
                    _ => return,
                };
                let Some((var, member)) = data.args.first().and_then(|&path| place(body, path)) else {
                    return;
                };
                let bytes = match ty {
                    ValueType::Bits { width, .. } => scalar_bytes(width),
                    _ => match data.args.get(1).map(|&value| body.ty(value)) {
                        Some(ValueType::Bits { width, .. }) => scalar_bytes(width),
                        _ => 4,
                    },
                };
                let is_float = data.attrs.word().is_some_and(AtomicOp::is_float);
                let uses = found.by_member.entry((var, member)).or_default();
                let one = AtomicUse { bytes, is_float };
                if !uses.contains(&one) {
                    uses.push(one);
                }
            });
        }
        found
    }

    /// Those on one buffer.
    pub(super) fn numbers(&self, var: Var) -> NumberLimits {
        let mine = self.by_member.iter().filter(|((of, _), _)| *of == var);
        NumberLimits { by_member: mine.map(|((_, member), uses)| (*member, uses.clone())).collect() }
    }
}

/// The variable and the member that a path begins with.
fn place(body: &FuncBody, path: Inst) -> Option<(Var, usize)> {
    let (mut at, mut member) = (path, 0);
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return Some((data.entity(Key::Var)?, member)),
            Op::Deref(DerefOp::Field) => member = usize::try_from(data.attrs.get(Key::Field)?).ok()?,
            Op::Deref(DerefOp::Elem) | Op::Basic(BasicOp::Copy) => {}
            _ => return None,
        }
        at = *data.args.first()?;
    }
    None
}

impl NumberLimits {
    /// Returns true if the atomics on a member, or on all members, access integers of this size.
    pub(super) fn allow(&self, member: Option<usize>, bytes: u64) -> bool {
        let mine = self.by_member.iter().filter(|(at, _)| member.is_none_or(|member| member == **at));
        mine.flat_map(|(_, uses)| uses).all(|one| one.bytes == bytes && !one.is_float)
    }
}

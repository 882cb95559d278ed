//! The values that an instruction's text consists of: paths and resources are written at their uses, so the indices in
//! their steps are operands of the instruction that uses the path.
//!
//! Paths and resources have bounded length here; [`STEPS`] is the longest, and the writer refuses longer ones.

use crate::ir::{FuncBody, Inst, InstData, Mode, Module, Reg, Var};
use crate::ops::attr::ValueKind;
use crate::ops::{BasicOp, DerefOp, IoOp, Key, MemoryOp, Op, Props, PtrOp, RegOp, TexOp, ValueType};

/// The longest path that is written, in steps.
pub(super) const STEPS: usize = 64;

/// Returns true for values that are written at each use: paths, resources, addresses of texels.
pub(super) fn is_written_at_use(data: &InstData) -> bool {
    data.ty.is_opaque()
}

/// Returns true for the load of a pointer, which a language with pointers names.
pub(super) fn is_pointer_load(data: &InstData) -> bool {
    data.op == Op::Memory(MemoryOp::Load) && data.ty == ValueType::Path
}

/// Calls `f` with every number that the text of an instruction contains.
pub(super) fn for_each_number(body: &FuncBody, data: &InstData, mut f: impl FnMut(Inst)) {
    for &arg in data.args.iter() {
        match body.ty(arg) {
            ValueType::Bits { .. } | ValueType::Void => f(arg),
            ValueType::Path | ValueType::Ptr | ValueType::Handle => {
                for_each_number_of_path(body, arg, &mut f);
            }
        }
    }
}

/// Calls `f` with every number in the steps of a path.
pub(super) fn for_each_number_of_path(body: &FuncBody, path: Inst, f: &mut impl FnMut(Inst)) {
    let mut work = vec![path];
    let mut steps = 0;
    while let Some(at) = work.pop() {
        steps += 1;
        if steps > STEPS || !body.tables().insts.contains(at) {
            return;
        }
        let data = body.inst(at);
        if matches!(data.op, Op::Basic(BasicOp::Call)) {
            continue;
        }
        for &arg in data.args.iter() {
            match body.ty(arg) {
                ValueType::Bits { .. } => f(arg),
                ValueType::Path | ValueType::Ptr | ValueType::Handle => work.push(arg),
                ValueType::Void => {}
            }
        }
    }
}

/// The variable, or the parameter, that a path or resource begins at. `None` beyond [`STEPS`].
pub(super) fn root(body: &FuncBody, path: Inst) -> Option<PathRoot> {
    let mut at = path;
    for _ in 0..STEPS {
        let data = body.tables().insts.get(at)?;
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var).map(PathRoot::Var),
            Op::Basic(BasicOp::Param) => return Some(PathRoot::Param(at)),
            _ => at = *data.args.first()?,
        }
    }
    None
}

/// The beginning of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum PathRoot {
    Var(Var),
    Param(Inst),
}

/// Memory that reads and writes of the same invocation are ordered in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    /// A variable of the invocation, or of the workgroup.
    Var(Var),
    /// A path that the function was given.
    Param(Inst),
    /// A register.
    Reg(Reg),
    /// Buffers and storage images.
    Memory,
}

/// The place that a path or resource refers to; `None` if it never changes.
fn place(module: &Module, body: &FuncBody, path: Inst) -> Option<Place> {
    match root(body, path) {
        Some(PathRoot::Param(param)) => {
            match body.inst(param).attrs.get(Key::Mode).and_then(Mode::from_index) {
                // Pointers may point at the same buffer.
                Some(Mode::Physical | Mode::Generic) => Some(Place::Memory),
                _ => Some(Place::Param(param)),
            }
        }
        Some(PathRoot::Var(var)) => match module.var(var).map(|data| data.mode) {
            Some(Mode::In | Mode::Uniform | Mode::Push | Mode::Handle) => None,
            Some(Mode::Out | Mode::Private | Mode::Local | Mode::Shared | Mode::Payload | Mode::Callable) => {
                Some(Place::Var(var))
            }
            Some(Mode::Storage | Mode::Physical | Mode::Generic) | None => Some(Place::Memory),
        },
        None => Some(Place::Memory),
    }
}

/// The effects of an instruction on the order of others.
#[derive(Clone, Default, Debug)]
pub(super) struct Effects {
    /// The place it reads, if that may change.
    pub(super) reads: Option<Place>,
    /// The places it writes.
    pub(super) writes: Vec<Place>,
    /// It is a boundary for all reads but those of locals and registers.
    pub(super) orders: bool,
    /// It may end or demote the invocation.
    pub(super) terminates: bool,
    /// Its result depends on the other invocations that execute it.
    pub(super) convergent: bool,
}

/// The effects of an instruction.
pub(super) fn effects(module: &Module, body: &FuncBody, data: &InstData) -> Effects {
    let props = data.op.props();
    let mut out = Effects {
        terminates: props.has(Props::TERMINATES),
        convergent: props.has(Props::CONVERGENT) || props.has(Props::NEEDS_HELPERS),
        ..Effects::default()
    };
    let at = |index: usize| data.args.get(index).and_then(|&path| place(module, body, path));
    match data.op {
        Op::Memory(MemoryOp::Load) if !data.ty.is_opaque() => out.reads = at(0),
        Op::Memory(MemoryOp::Store) => out.writes.extend(at(0)),
        Op::Memory(MemoryOp::CopyVar | MemoryOp::CopyBytes) => {
            out.writes.extend(at(0));
            out.reads = at(1);
        }
        Op::Memory(MemoryOp::AtomicLoad | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas) => {
            out.writes.extend(at(0));
            out.writes.push(Place::Memory);
            out.orders = true;
        }
        Op::Memory(MemoryOp::Load | MemoryOp::ArrayLen) => {}
        Op::Reg(RegOp::Load | RegOp::LoadAt) => out.reads = data.entity(Key::Reg).map(Place::Reg),
        Op::Reg(RegOp::Store | RegOp::StoreAt) => out.writes.extend(data.entity(Key::Reg).map(Place::Reg)),
        Op::Tex(TexOp::Read) => out.reads = Some(Place::Memory),
        Op::Tex(TexOp::Write) => out.writes.push(Place::Memory),
        Op::Basic(BasicOp::Call) => {
            out.orders = true;
            out.terminates = true;
            for &arg in data.args.iter().filter(|&&arg| body.ty(arg).is_opaque()) {
                out.writes.extend(place(module, body, arg));
            }
        }
        Op::Io(IoOp::IsHelper) => out.convergent = true,
        _ if props.has(Props::MEMORY_BARRIER) || props.has(Props::WRITES) => out.orders = true,
        _ => {}
    }
    out
}

/// Returns true if an instruction is a statement of its own, even if its result is used once.
pub(super) fn is_statement(data: &InstData) -> bool {
    !data.op.props().removable()
        || matches!(
            data.op,
            Op::Basic(BasicOp::Call)
                | Op::Vector(crate::ops::VectorOp::Insert)
                | Op::Memory(MemoryOp::AtomicLoad)
                | Op::Ptr(PtrOp::ToBits)
        )
}

/// The word of an attribute.
pub(super) fn word(data: &InstData, key: Key) -> &'static str {
    let ValueKind::Word(list) = key.kind() else { return "" };
    let index = data.attrs.get(key).and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| list.get(index)).copied().unwrap_or("")
}

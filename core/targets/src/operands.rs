//! The values that an instruction's text consists of: paths and resources are written at their uses, so the indices in
//! their steps are operands of the instruction that uses the path.
//!
//! Paths and resources have bounded length here; [`STEPS`] is the longest, and the writer refuses longer ones.

use super::number::Kind;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{
    AtomicOp, BasicOp, DerefOp, IoOp, Key, MemoryOp, Op, Props, PtrOp, RegOp, TexOp, ValueType,
};
use vitrine_ir::{Block, FuncBody, Inst, InstData, Mode, Module, Reg, Var};

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
fn for_each_number(body: &FuncBody, data: &InstData, mut f: impl FnMut(Inst)) {
    for &arg in data.args.iter() {
        match body.ty(arg) {
            ValueType::Bits { .. } | ValueType::Void => f(arg),
            ValueType::Path | ValueType::Ptr | ValueType::Handle => {
                for_each_number_of_path(body, arg, &mut f);
            }
        }
    }
}

/// The numbers that the text of each instruction contains, found once: paths are long, and read often.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// By instruction: the part of the list.
    ranges: SideTable<Inst, (u32, u32)>,
    list: Vec<Inst>,
}

impl Numbers {
    /// Finds those of the instructions that have a text of their own. Linear.
    pub(super) fn of(body: &FuncBody, blocks: &[Block]) -> Numbers {
        let size = body.tables().insts.len();
        let mut found =
            Numbers { ranges: SideTable::sized((0, 0), size), list: Vec::with_capacity(2 * size) };
        for &block in blocks {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                if is_written_at_use(data) && data.op != Op::Basic(BasicOp::Call) && !is_pointer_load(data) {
                    continue;
                }
                let start = found.list.len() as u32;
                for_each_number(body, data, |number| found.list.push(number));
                found.ranges[inst] = (start, found.list.len() as u32);
            }
        }
        found
    }

    /// The numbers, as often as the text contains them. None for values that are written at each use.
    pub(super) fn get(&self, inst: Inst) -> &[Inst] {
        let (start, end) = self.ranges[inst];
        self.list.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Calls `f` with every number in the steps of a path.
pub(super) fn for_each_number_of_path(body: &FuncBody, path: Inst, f: &mut impl FnMut(Inst)) {
    // Nearly every step has one base: the list of others stays empty.
    let (mut next, mut rest) = (Some(path), Vec::new());
    let mut steps = 0;
    while let Some(at) = next.take().or_else(|| rest.pop()) {
        steps += 1;
        let Some(data) = body.tables().insts.get(at).filter(|_| steps <= STEPS) else { return };
        if matches!(data.op, Op::Basic(BasicOp::Call)) {
            continue;
        }
        for &arg in data.args.iter() {
            match body.ty(arg) {
                ValueType::Bits { .. } => f(arg),
                ValueType::Path | ValueType::Ptr | ValueType::Handle => rest.extend(next.replace(arg)),
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

/// Returns true if two paths lead to the same memory by the same steps.
pub(super) fn is_same_path(body: &FuncBody, mut a: Inst, mut b: Inst) -> bool {
    for _ in 0..STEPS {
        if a == b {
            return true;
        }
        let (left, right) = (body.inst(a), body.inst(b));
        let is_step = matches!(left.op, Op::Deref(_));
        if !is_step || left.op != right.op || left.attrs != right.attrs || left.args.len() != right.args.len()
        {
            return false;
        }
        let indices = |data: &InstData| data.args.iter().skip(1).copied().collect::<Vec<_>>();
        let same_index = |(a, b): (Inst, Inst)| {
            a == b || body.const_of(a).is_some() && body.const_of(a) == body.const_of(b)
        };
        if !indices(left).into_iter().zip(indices(right)).all(same_index) {
            return false;
        }
        match (left.args.first(), right.args.first()) {
            (Some(&left), Some(&right)) => (a, b) = (left, right),
            _ => return true,
        }
    }
    false
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

/// Returns true if a path or resource is part of the variable or parameter that it begins at, and not memory that a pointer
/// in it leads to.
pub(super) fn is_direct(body: &FuncBody, path: Inst) -> bool {
    direct_root(body, path).is_some()
}

/// The variable or parameter that a path or resource is part of.
fn direct_root(body: &FuncBody, path: Inst) -> Option<PathRoot> {
    let mut at = path;
    for _ in 0..STEPS {
        let data = body.tables().insts.get(at)?;
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var).map(PathRoot::Var),
            Op::Basic(BasicOp::Param) => return Some(PathRoot::Param(at)),
            Op::Deref(DerefOp::FromBits) => return None,
            Op::Deref(_) | Op::Basic(BasicOp::Copy) | Op::Ptr(PtrOp::Texel) => {}
            _ if data.ty == ValueType::Handle => {}
            _ => return None,
        }
        at = *data.args.first()?;
    }
    None
}

/// The place that a path or resource refers to; `None` if it never changes.
fn place(module: &Module, body: &FuncBody, path: Inst) -> Option<Place> {
    match direct_root(body, path) {
        Some(PathRoot::Param(param)) => {
            match body.inst(param).attrs.word::<Mode>() {
                // Pointers to buffers may lead to the same memory.
                Some(Mode::Storage | Mode::Physical | Mode::Generic) => Some(Place::Memory),
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

/// Returns true for the load of a whole variable, or parameter, that only this function accesses by itself.
pub(super) fn is_own_variable(module: &Module, body: &FuncBody, data: &InstData) -> bool {
    let (Op::Memory(MemoryOp::Load), Some(&path)) = (data.op, data.args.first()) else { return false };
    let path = body.inst(path);
    match path.op {
        Op::Deref(DerefOp::Var) => {
            let var = path.entity(Key::Var).and_then(|var| module.var(var));
            !data.ty.is_opaque() && var.is_some_and(|var| var.mode == Mode::Local)
        }
        _ => false,
    }
}

/// Returns true for a statement whose text is an expression: a call, an access to memory with a result.
pub(super) fn is_answer(data: &InstData) -> bool {
    matches!(
        data.op,
        Op::Basic(BasicOp::Call) | Op::Memory(MemoryOp::Atomic | MemoryOp::AtomicCas | MemoryOp::AtomicLoad)
    ) || is_query(data)
}

/// `OpCompositeExtract`, of the result of a question.
pub(super) const EXTRACT: u64 = 81;

/// Returns true for a question to a ray query, which only reads its state: `OpRayQueryGet…`, or a part of the answer.
pub(super) fn is_query(data: &InstData) -> bool {
    let number = data.attrs.get(Key::Opcode);
    matches!(data.op, Op::Spirv(_)) && matches!(number, Some(EXTRACT | 4479 | 6016..=6032))
}

/// The places that an instruction writes: at most two, except of calls.
#[derive(Clone, Default, Debug)]
pub(super) struct Writes {
    few: [Option<Place>; 2],
    more: Vec<Place>,
}

impl Writes {
    fn add(&mut self, place: Place) {
        match self.few.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(place),
            None => self.more.push(place),
        }
    }

    /// The places.
    pub(super) fn iter(&self) -> impl Iterator<Item = Place> + '_ {
        self.few.iter().flatten().chain(&self.more).copied()
    }
}

/// The effects of an instruction on the order of others.
#[derive(Clone, Default, Debug)]
pub(super) struct Effects {
    /// The place it reads, if that may change.
    pub(super) reads: Option<Place>,
    /// The places it writes.
    pub(super) writes: Writes,
    /// It is a boundary for all reads but those of locals and registers.
    pub(super) orders: bool,
    /// It may end or demote the invocation.
    pub(super) terminates: bool,
    /// Its result depends on the other invocations that execute it.
    pub(super) convergent: bool,
}

impl Effects {
    fn is_none(&self) -> bool {
        let Effects { reads, writes, orders, terminates, convergent } = self;
        reads.is_none() && writes.iter().next().is_none() && !orders && !terminates && !convergent
    }
}

/// Returns true for steps of paths and for arithmetic, which need no closer look.
fn has_no_effects(op: Op) -> bool {
    matches!(op, Op::Deref(_) | Op::Int(_) | Op::Vector(_) | Op::Convert(_))
}

/// The effects of an instruction.
fn effects(module: &Module, body: &FuncBody, data: &InstData) -> Effects {
    let props = data.op.props();
    let mut out = Effects {
        terminates: props.has(Props::TERMINATES),
        convergent: props.has(Props::CONVERGENT) || props.has(Props::NEEDS_HELPERS),
        ..Effects::default()
    };
    let at = |index: usize| data.args.get(index).and_then(|&path| place(module, body, path));
    let reg = || data.entity(Key::Reg).map(Place::Reg);
    let mut writes = |place: Option<Place>| place.into_iter().for_each(|place| out.writes.add(place));
    match data.op {
        Op::Memory(MemoryOp::Load) if !data.ty.is_opaque() => out.reads = at(0),
        Op::Memory(MemoryOp::Store) => writes(at(0)),
        Op::Memory(MemoryOp::CopyVar | MemoryOp::CopyBytes) => {
            writes(at(0));
            out.reads = at(1);
        }
        Op::Memory(MemoryOp::AtomicLoad | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas) => {
            writes(at(0));
            writes(Some(Place::Memory));
            out.orders = true;
        }
        Op::Memory(MemoryOp::Load | MemoryOp::ArrayLen) => {}
        Op::Reg(RegOp::Load | RegOp::LoadAt) => out.reads = reg(),
        Op::Reg(RegOp::Store | RegOp::StoreAt) => writes(reg()),
        Op::Tex(TexOp::Read) => out.reads = Some(Place::Memory),
        Op::Tex(TexOp::Write) => writes(Some(Place::Memory)),
        Op::Basic(BasicOp::Call) => {
            for &arg in data.args.iter().filter(|&&arg| body.ty(arg).is_opaque()) {
                writes(place(module, body, arg));
            }
            out.orders = true;
            out.terminates = true;
        }
        Op::Io(IoOp::IsHelper) => out.convergent = true,
        _ if props.has(Props::MEMORY_BARRIER) || props.has(Props::WRITES) => out.orders = true,
        _ => {}
    }
    out
}

/// The effects of every instruction of a function; most have none.
#[derive(Debug, Default)]
pub(super) struct AllEffects {
    /// By instruction: the number in the list; 0 for none.
    numbers: SideTable<Inst, u32>,
    list: Vec<Effects>,
}

impl AllEffects {
    /// Finds them. Linear.
    pub(super) fn of(module: &Module, body: &FuncBody, blocks: &[Block]) -> AllEffects {
        let numbers = SideTable::sized(0, body.tables().insts.len());
        let mut found = AllEffects { numbers, list: vec![Effects::default()] };
        for &block in blocks {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                if has_no_effects(data.op) {
                    continue;
                }
                let effects = effects(module, body, data);
                if !effects.is_none() {
                    found.numbers[inst] = found.list.len() as u32;
                    found.list.push(effects);
                }
            }
        }
        found
    }

    /// The effects of an instruction.
    pub(super) fn get(&self, inst: Inst) -> &Effects {
        &self.list[self.numbers[inst] as usize]
    }
}

/// Returns true if an instruction is a statement of its own, even if its result is used once.
pub(super) fn is_statement(data: &InstData) -> bool {
    !data.op.props().removable()
        || matches!(
            data.op,
            Op::Basic(BasicOp::Call)
                | Op::Vector(vitrine_ir::ops::VectorOp::Insert)
                | Op::Memory(MemoryOp::AtomicLoad)
                | Op::Ptr(PtrOp::ToBits)
        )
}

/// The image and the sampler of a lookup whose operand the program combines.
pub(super) fn combined(body: &FuncBody, lookup: &InstData) -> Option<[Inst; 2]> {
    let mut at = *lookup.args.first()?;
    for _ in 0..STEPS {
        let data = body.inst(at);
        match (data.op, &data.args[..]) {
            (Op::Tex(TexOp::Combine), &[image, sampler]) => return Some([image, sampler]),
            (Op::Basic(BasicOp::Copy), &[from]) => at = from,
            _ => return None,
        }
    }
    None
}

/// The operation of an atomic. Only `atomic` states one; for others it is one of integers of any kind.
pub(super) fn atomic_of(data: &InstData) -> AtomicOp {
    data.attrs.word().unwrap_or(AtomicOp::IAdd)
}

/// The signedness of the numbers that an atomic compares; none for other operations and for those of no language.
pub(super) fn compared(op: AtomicOp) -> Option<Kind> {
    match op {
        AtomicOp::IMin | AtomicOp::IMax | AtomicOp::UMin | AtomicOp::UMax => op.kind(),
        AtomicOp::IAdd | AtomicOp::ISub | AtomicOp::IAnd | AtomicOp::IOr | AtomicOp::IXor => None,
        AtomicOp::Exchange | AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => None,
        AtomicOp::Inc | AtomicOp::Dec => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_arithmetic_have_no_effects() {
        let module = Module::new();
        let body = FuncBody::default();
        let mut count = 0;
        for op in Op::all().filter(|op| has_no_effects(*op)) {
            let data = InstData::new(op, ValueType::default(), &[]);
            assert!(effects(&module, &body, &data).is_none(), "{}", op.name());
            count += 1;
        }
        assert!(count > 100, "{count}");
    }
}

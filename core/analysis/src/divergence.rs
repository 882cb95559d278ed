//! Divergence analysis: finds values that are uniform across a subgroup.
//!
//! A value is *uniform* if all invocations of a subgroup that execute its instruction together compute the
//! same bits. A block is *partial* if some invocations of a subgroup may be elsewhere in the function while
//! others execute it.
//!
//! ```text
//! %id = io.builtin local_invocation_index     divergent: different in each invocation
//! if (ult %id, 7)                             a divergent branch: its arms are partial
//!   ^then: … %a = const 1                     uniform, in a partial block
//! ^after(%x)                                  divergent: merges values of diverged paths
//! loop … %i = iadd %i, 1 … break if %id       %i is uniform inside and divergent for uses after the loop:
//!                                             invocations exited in different iterations
//! ```
//!
//! Optimistic: starts with everything uniform and marks values divergent until a fixpoint, so loops that only
//! carry uniform values stay uniform. From a divergent branch, labels propagate forward from both successors
//! until a block receives both: there the paths merge, and the parameters of that block are divergent
//! (Karrenberg and Hack 2012; Rosemann, Moll and Hack 2021). If some of the diverged invocations exit a loop
//! while others stay, the exits of the loop are treated as another divergent branch.
//!
//! Divergent by definition: private memory of an invocation (locals, registers, inputs), results of calls and
//! atomics, and parameters of functions. So are operations that depend on quad neighbors: a derivative of an
//! infinite value is NaN, and it is zero if the neighbor is missing; an implicit level of detail is computed
//! by derivatives. A load from shared memory is uniform if its address is, because invocations that execute
//! together load together. If propagation visits more than 64 times the number of blocks, everything is
//! marked divergent, which keeps the cost linear.

use super::{Analyses, Analysis, Cfg, Loop, Loops, Reads};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use vitrine_ir::base::{EntityId, EntitySet, SideTable};
use vitrine_ir::ops::{
    BasicOp, Builtin, DerefOp, Dim, How, IoOp, Key, MemoryOp, Op, PtrOp, RegOp, TexOp, Uniformity,
};
use vitrine_ir::{Attrs, Block, Func, FuncBody, Inst, InstData, Mode, Module, NodeKind, Terminator, Var};

/// Maximum number of visits of blocks, for each block of the function.
const MOST_VISITS: usize = 64;

/// The uniform values and the partial blocks of a function.
#[derive(Clone, Debug)]
pub struct Divergence {
    divergent: EntitySet<Inst>,
    partial: EntitySet<Block>,
    /// Loops that invocations exit in different iterations.
    ragged: Vec<bool>,
    loops: Rc<Loops>,
    homes: SideTable<Inst, Option<Block>>,
    gave_up: bool,
}

impl Analysis for Divergence {
    const NAME: &'static str = "divergence";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Divergence {
        Divergence::of(module, body, &cx.get::<Cfg>(module, func), &cx.get::<Loops>(module, func))
    }
}

impl Divergence {
    /// Computes it.
    pub fn of(module: &Module, body: &FuncBody, cfg: &Rc<Cfg>, loops: &Rc<Loops>) -> Divergence {
        let mut solver = Solver::new(module, body, cfg, loops);
        solver.begin();
        solver.run();
        solver.out
    }

    /// Returns true if the value is the same in all invocations that compute it together.
    pub fn is_uniform(&self, value: Inst) -> bool {
        !self.gave_up && !self.divergent.contains(value)
    }

    /// Like [`Divergence::is_uniform`], for a use in `block`, which may be after a loop that invocations
    /// exited in different iterations.
    pub fn is_uniform_in(&self, value: Inst, block: Block) -> bool {
        self.is_uniform(value) && !self.crosses_ragged_loop(value, block)
    }

    /// Returns true if some invocations of a subgroup may be elsewhere in the function, and active, while
    /// others execute this block.
    pub fn is_partial(&self, block: Block) -> bool {
        self.gave_up || self.partial.contains(block)
    }

    fn crosses_ragged_loop(&self, value: Inst, block: Block) -> bool {
        let Some(home) = self.homes[value] else { return false };
        let mut around = self.loops.innermost(home);
        while let Some(at) = around {
            if self.loops.contains(at, block) {
                return false;
            }
            if self.ragged.get(at.index()).copied().unwrap_or(false) {
                return true;
            }
            around = self.loops.parent(at);
        }
        false
    }
}

/// A use of a value.
#[derive(Clone, Copy)]
enum Reader {
    Inst(Inst, Block),
    /// An edge into the block passes the value to a parameter.
    Param(Inst, Block),
    /// The block branches on the value.
    Branch(Block),
}

/// The uses of each value, in the order in which they were found.
struct Readers {
    /// The numbers of the first and of the last use.
    ends: SideTable<Inst, (u32, u32)>,
    /// Each use, with the number of the next one of the same value.
    list: Vec<(Reader, u32)>,
}

/// The number of no use.
const NO_READER: u32 = u32::MAX;

impl Readers {
    fn sized(insts: usize) -> Readers {
        Readers { ends: SideTable::sized((NO_READER, NO_READER), insts), list: Vec::with_capacity(insts) }
    }

    fn add(&mut self, value: Inst, reader: Reader) {
        let at = self.list.len() as u32;
        self.list.push((reader, NO_READER));
        let (first, last) = self.ends[value];
        match self.list.get_mut(last as usize) {
            Some(before) => {
                before.1 = at;
                self.ends[value] = (first, at);
            }
            None => self.ends[value] = (at, at),
        }
    }

    fn first(&self, value: Inst) -> u32 {
        self.ends[value].0
    }

    fn get(&self, at: u32) -> Option<(Reader, u32)> {
        self.list.get(at as usize).copied()
    }
}

struct Solver<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    cfg: &'a Cfg,
    out: Divergence,
    readers: Readers,
    /// The storage mode that a path refers to.
    modes: SideTable<Inst, Option<Mode>>,
    open: Vec<Inst>,
    branches: Vec<Start>,
    walked: EntitySet<Block>,
    left: Vec<bool>,
    visits: usize,
}

/// A point at which invocations diverge.
#[derive(Clone, Copy)]
enum Start {
    /// At the end of a block.
    Branch(Block),
    /// The exits of a loop.
    Exits(Loop),
}

impl<'a> Solver<'a> {
    fn new(module: &'a Module, body: &'a FuncBody, cfg: &'a Cfg, loops: &Rc<Loops>) -> Solver<'a> {
        Solver {
            module,
            body,
            cfg,
            out: Divergence {
                divergent: EntitySet::new(),
                partial: EntitySet::new(),
                ragged: vec![false; loops.len()],
                loops: loops.clone(),
                homes: SideTable::new(),
                gave_up: false,
            },
            readers: Readers::sized(body.tables().insts.len()),
            modes: SideTable::new(),
            open: Vec::new(),
            branches: Vec::new(),
            walked: EntitySet::new(),
            left: vec![false; loops.len()],
            visits: 0,
        }
    }

    /// Collects uses, and marks the values that are divergent by definition.
    fn begin(&mut self) {
        for &param in self.body.params() {
            self.mode_of_param(param);
            self.take_back(param);
        }
        for &block in self.cfg.rpo() {
            let data = self.body.block(block);
            for &param in data.params.iter() {
                self.out.homes[param] = Some(block);
                self.mode_of_param(param);
            }
            for &inst in data.insts.iter() {
                self.out.homes[inst] = Some(block);
                let data = self.body.inst(inst);
                for &arg in data.args.iter() {
                    self.readers.add(arg, Reader::Inst(inst, block));
                }
                self.modes[inst] = self.mode_of(data);
                if data.has_result() && self.source(data) == Source::Own {
                    self.take_back(inst);
                }
            }
            if let Some(on) = self.decides(block) {
                self.readers.add(on, Reader::Branch(block));
            }
            for edge in self.cfg.in_edges(block) {
                for (&arg, &param) in self.cfg.args(self.body, edge).iter().zip(data.params.iter()) {
                    self.readers.add(arg, Reader::Param(param, block));
                }
            }
        }
    }

    fn mode_of_param(&mut self, param: Inst) {
        self.modes[param] = named_mode(self.body.inst(param));
    }

    fn mode_of(&self, data: &InstData) -> Option<Mode> {
        match data.op {
            Op::Deref(DerefOp::Var) | Op::Ptr(PtrOp::Var) => {
                Some(self.module.var(data.entity::<Var>(Key::Var)?)?.mode)
            }
            _ => named_mode(data).or_else(|| data.args.first().and_then(|&base| self.modes[base])),
        }
    }

    fn decides(&self, block: Block) -> Option<Inst> {
        match self.body.terminator(block) {
            Terminator::Branch { cond, .. } => return Some(*cond),
            Terminator::Switch { on, .. } => return Some(*on),
            _ => {}
        }
        match &self.body.node(self.cfg.enters(block)?).kind {
            NodeKind::If { cond, .. } => Some(*cond),
            NodeKind::Switch { on, .. } => Some(*on),
            NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
        }
    }

    fn take_back(&mut self, value: Inst) {
        if self.out.divergent.insert(value) {
            self.open.push(value);
        }
    }

    fn run(&mut self) {
        loop {
            if let Some(value) = self.open.pop() {
                self.notify(value, |_, _| true);
            } else if let Some(start) = self.branches.pop() {
                self.walk(start);
            } else {
                return;
            }
            if self.visits > MOST_VISITS * (self.cfg.len() + 16) {
                self.out.gave_up = true;
                return;
            }
        }
    }

    /// Revisits the uses of a value for which `of` returns true.
    fn notify(&mut self, value: Inst, of: impl Fn(&Solver<'_>, Block) -> bool) {
        let mut next = self.readers.first(value);
        while let Some((reader, following)) = self.readers.get(next) {
            next = following;
            match reader {
                Reader::Inst(inst, block) if of(self, block) => {
                    if self.source(self.body.inst(inst)) == Source::Operands {
                        self.take_back(inst);
                    }
                }
                Reader::Param(param, block) if of(self, block) => self.take_back(param),
                Reader::Branch(block) if of(self, block) => self.part(Start::Branch(block)),
                Reader::Inst(..) | Reader::Param(..) | Reader::Branch(_) => {}
            }
        }
    }

    fn part(&mut self, start: Start) {
        let new = match start {
            Start::Branch(block) => self.walked.insert(block),
            Start::Exits(of) => {
                !self.left.get_mut(of.index()).is_none_or(|left| std::mem::replace(left, true))
            }
        };
        if new {
            self.branches.push(start);
        }
    }

    /// Invocations diverge here: finds the blocks in which they reconverge.
    fn walk(&mut self, start: Start) {
        let loops = self.out.loops.clone();
        let (around, firsts): (Option<Loop>, Vec<Block>) = match start {
            Start::Branch(block) => (loops.innermost(block), self.cfg.succs(block).collect()),
            Start::Exits(of) => {
                let targets = loops.exits(of).into_iter().map(|edge| self.cfg.edge(edge).to).collect();
                (loops.parent(of), targets)
            }
        };
        if around.is_some_and(|at| loops.is_irreducible(at)) {
            self.tangled(around);
            return;
        }
        let from = match start {
            Start::Branch(block) => block,
            Start::Exits(of) => loops.header(of),
        };
        let mut walk = Walk::default();
        for (at, &first) in firsts.iter().enumerate() {
            if firsts.get(..at).is_some_and(|before| before.contains(&first)) {
                self.join(first);
            }
            self.reach(&mut walk, around, from, first, first);
        }
        while let Some(Reverse(at)) = walk.heap.pop() {
            let Some(&block) = self.cfg.rpo().get(at) else { continue };
            walk.waiting.remove(&at);
            // One block is left, and no other path is open: all invocations have reconverged.
            if walk.heap.is_empty() && walk.repeat.is_none() && walk.outside.is_none() {
                break;
            }
            self.visits += 1;
            self.out.partial.insert(block);
            let label = walk.labels.get(&block).copied().unwrap_or(block);
            for next in self.cfg.succs(block) {
                self.reach(&mut walk, around, block, next, label);
            }
        }
        let Some(of) = around else { return };
        if walk.outside.is_some() && walk.repeat.is_some() {
            self.make_ragged(of);
        }
        if walk.outside.is_some() && (walk.repeat.is_some() || walk.outside_differs) {
            self.part(Start::Exits(of));
        }
    }

    /// Invocations with a label take the edge from `from` to `to`.
    fn reach(&mut self, walk: &mut Walk, around: Option<Loop>, from: Block, to: Block, label: Block) {
        let loops = self.out.loops.clone();
        if let Some(of) = around
            && !loops.contains(of, to)
        {
            // The edge by which they exited is considered at the end.
            walk.outside_differs |= walk.outside.is_some_and(|known| known != (label, to));
            walk.outside = Some((label, to));
            return;
        }
        if around.is_some_and(|of| loops.header(of) == to) {
            if walk.repeat.is_some_and(|known| known != label) {
                self.join(to);
            }
            walk.repeat = Some(label);
            return;
        }
        let (Some(at), Some(before)) = (self.cfg.rpo_index(to), self.cfg.rpo_index(from)) else { return };
        let known = walk.labels.get(&to).copied();
        let next = match known {
            None => label,
            Some(known) if known != label => {
                self.join(to);
                to
            }
            Some(known) => known,
        };
        if known != Some(next) {
            walk.labels.insert(to, next);
            // A back edge of an inner loop is followed only if the label has changed.
            if (at > before || known.is_some()) && walk.waiting.insert(at) {
                walk.heap.push(Reverse(at));
            }
        }
    }

    /// Invocations from different paths merge.
    fn join(&mut self, block: Block) {
        for &param in self.body.block(block).params.iter() {
            self.take_back(param);
        }
    }

    /// Invocations exit the loop in different iterations.
    fn make_ragged(&mut self, of: Loop) {
        let Some(ragged) = self.out.ragged.get_mut(of.index()) else { return };
        if std::mem::replace(ragged, true) {
            return;
        }
        let loops = self.out.loops.clone();
        for &block in loops.members(of) {
            self.out.partial.insert(block);
            let data = self.body.block(block);
            for &value in data.params.iter().chain(data.insts.iter()) {
                if !self.out.divergent.contains(value) {
                    self.notify(value, |_, reader| !loops.contains(of, reader));
                }
            }
        }
    }

    /// In a loop with several entries, nothing is known about reconvergence.
    fn tangled(&mut self, around: Option<Loop>) {
        let Some(of) = around else { return };
        let loops = self.out.loops.clone();
        for &block in loops.members(of) {
            self.join(block);
        }
        self.make_ragged(of);
        self.part(Start::Exits(of));
    }

    fn source(&self, data: &InstData) -> Source {
        // The whole subgroup, not a scan or a cluster.
        let over_all = data.attrs.word().unwrap_or(How::All) == How::All;
        let shared = |is_shared: bool| if is_shared { Source::Operands } else { Source::Own };
        match data.op {
            Op::Basic(BasicOp::Const | BasicOp::Global) => Source::Operands,
            Op::Basic(BasicOp::Param | BasicOp::Undef | BasicOp::Call) => Source::Own,
            Op::Deref(_) | Op::Basic(_) | Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) => {
                Source::Operands
            }
            Op::Ptr(_) => Source::Operands,
            Op::Reg(RegOp::Load | RegOp::LoadAt) | Op::Spirv(_) => Source::Own,
            Op::Reg(_) => Source::Operands,
            Op::Memory(MemoryOp::Load | MemoryOp::ArrayLen | MemoryOp::AtomicLoad) => {
                shared(self.is_shared_load(data))
            }
            Op::Memory(_) => Source::Own,
            Op::Tex(op) => shared(is_shared_lookup(op, data)),
            Op::Io(IoOp::BuiltIn | IoOp::BuiltInAt) => shared(is_shared_builtin(&data.attrs)),
            Op::Io(IoOp::Push | IoOp::Ubo | IoOp::Ssbo) => Source::Operands,
            Op::Io(_) => Source::Own,
            // Uses of derivatives are handled below.
            Op::Group(op) => match op.uniformity() {
                Uniformity::Always => Source::Same,
                Uniformity::OverAll if over_all && !data.attrs.has(Key::Cluster) => Source::Same,
                Uniformity::OfOperands => Source::Operands,
                Uniformity::OfOperandsOverAll if over_all => Source::Operands,
                Uniformity::OverAll | Uniformity::OfOperandsOverAll | Uniformity::Never => Source::Own,
            },
        }
    }

    /// Returns true for a load from memory that all invocations share.
    fn is_shared_load(&self, data: &InstData) -> bool {
        let Some(&path) = data.args.first() else { return false };
        match self.modes[path] {
            Some(
                Mode::Uniform | Mode::Push | Mode::Storage | Mode::Shared | Mode::Handle | Mode::Physical,
            ) => true,
            Some(Mode::In) => {
                let var = self.body.inst(path).entity::<Var>(Key::Var).and_then(|var| self.module.var(var));
                var.is_some_and(|var| is_shared_builtin(&var.attrs))
            }
            _ => false,
        }
    }
}

/// The source of the uniformity of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Uniform if the operands are.
    Operands,
    /// Always uniform.
    Same,
    /// Always divergent.
    Own,
}

/// One propagation from a point of divergence.
#[derive(Default)]
struct Walk {
    labels: FxHashMap<Block, Block>,
    heap: BinaryHeap<Reverse<usize>>,
    /// The contents of the heap.
    waiting: FxHashSet<usize>,
    /// The label of invocations that took a back edge of the loop.
    repeat: Option<Block>,
    /// The label and target of invocations that exited the loop, and a flag for others that exited elsewhere.
    outside: Option<(Block, Block)>,
    outside_differs: bool,
}

fn named_mode(data: &InstData) -> Option<Mode> {
    data.attrs.word()
}

/// Returns true if a texture operation depends only on its operands and on shared state.
fn is_shared_lookup(op: TexOp, data: &InstData) -> bool {
    match op {
        // Their level of detail is computed by derivatives, which are not uniform even if the coordinate is.
        TexOp::Sample | TexOp::QueryLod => false,
        // An input attachment is read at the pixel of the invocation.
        TexOp::Fetch | TexOp::Read => data.attrs.word() != Some(Dim::Subpass),
        TexOp::SampleLod
        | TexOp::Gather
        | TexOp::QuerySize
        | TexOp::QueryLevels
        | TexOp::QuerySamples
        | TexOp::Write
        | TexOp::Combine
        | TexOp::ImageOf
        | TexOp::Resident => true,
    }
}

fn is_shared_builtin(attrs: &Attrs) -> bool {
    attrs.word().is_some_and(Builtin::is_shared)
}

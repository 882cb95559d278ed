//! Divergence: which values are the same in all lanes of a subgroup that run together, and which need not be.
//!
//! A value is *uniform* if, whenever lanes of one subgroup execute its instruction together, they get the same
//! bits. A block is *partial* if lanes of a subgroup may be elsewhere in the function while others are there.
//!
//! ```text
//! %id = io.builtin local_invocation_index     divergent: each lane has its own
//! if (ult %id, 7)                             a divergent branch: its arms are partial
//!   ^then: … %a = const 1                     uniform, in a partial block
//! ^after(%x)                                  divergent: who came from where decides
//! loop … %i = iadd %i, 1 … break if %id       %i is uniform inside, and divergent for readers behind the loop:
//!                                             lanes left it in different rounds
//! ```
//!
//! Starts with everything uniform and takes back what is not, so that loops that only carry uniform values stay
//! uniform. From a divergent branch two labels walk forward until one block has both: that is where lanes meet
//! again, and its parameters are divergent (Karrenberg and Hack 2012; Rosemann, Moll and Hack 2021). A walk that
//! leaves a loop with some lanes and stays with others makes the loop's exits a branch of their own.
//!
//! Memory that each lane has for itself (locals, registers, inputs), results of calls, atomics and parameters of
//! functions count as divergent, and so does what looks at neighbours in the quad: a derivative of what is infinite
//! is NaN, and zero where the neighbour is missing, and a lookup finds its level by derivatives. A load from memory
//! that all share is uniform where its address is: lanes that run together load together. Where walks add up to more
//! than 64 times the blocks, everything is called divergent, so that the cost stays linear.

use super::{Analyses, Analysis, Cfg, Loop, Loops, Reads};
use crate::base::{EntityId, EntitySet, SideTable};
use crate::ir::{Block, Func, FuncBody, Inst, InstData, Mode, Module, NodeKind, Terminator, Var};
use crate::ops::attr::{BUILTINS, DIMS};
use crate::ops::{BasicOp, DerefOp, GroupOp, IoOp, Key, MemoryOp, Op, PtrOp, RegOp, TexOp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// System values that are one for a whole subgroup.
const SHARED_BUILTINS: &[&str] = &[
    "num_workgroups",
    "workgroup_size",
    "workgroup_id",
    "work_dim",
    "global_size",
    "enqueued_workgroup_size",
    "global_offset",
    "subgroup_size",
    "subgroup_max_size",
    "num_subgroups",
    "num_enqueued_subgroups",
    "subgroup_id",
    "base_vertex",
    "base_instance",
    "draw_index",
    "device_index",
];

/// Walks together may visit so many blocks for each block there is.
const MOST_VISITS: usize = 64;

/// What of a function is the same for all lanes of a subgroup.
#[derive(Clone, Debug)]
pub struct Divergence {
    divergent: EntitySet<Inst>,
    partial: EntitySet<Block>,
    /// Loops that lanes leave in different rounds.
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

    /// Whether lanes that compute the value together get the same.
    pub fn is_uniform(&self, value: Inst) -> bool {
        !self.gave_up && !self.divergent.contains(value)
    }

    /// The same for a reader in `block`, who may stand behind a loop that lanes left in different rounds.
    pub fn is_uniform_in(&self, value: Inst, block: Block) -> bool {
        self.is_uniform(value) && !self.crosses_ragged_loop(value, block)
    }

    /// Whether some lanes of a subgroup may be elsewhere in the function, and not ended, while others are here.
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

/// What looks at a value.
#[derive(Clone, Copy)]
enum Reader {
    Inst(Inst, Block),
    /// A parameter that an edge into the block brings the value for.
    Param(Inst, Block),
    /// The block branches on it.
    Branch(Block),
}

struct Solver<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    cfg: &'a Cfg,
    out: Divergence,
    readers: FxHashMap<Inst, Vec<Reader>>,
    /// Where a path leads.
    modes: SideTable<Inst, Option<Mode>>,
    open: Vec<Inst>,
    branches: Vec<Start>,
    walked: EntitySet<Block>,
    left: Vec<bool>,
    visits: usize,
}

/// Where lanes part.
#[derive(Clone, Copy)]
enum Start {
    /// At the end of a block.
    Branch(Block),
    /// On leaving a loop.
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
            readers: FxHashMap::default(),
            modes: SideTable::new(),
            open: Vec::new(),
            branches: Vec::new(),
            walked: EntitySet::new(),
            left: vec![false; loops.len()],
            visits: 0,
        }
    }

    /// Collects readers, and takes back what is divergent by itself.
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
                    self.readers.entry(arg).or_default().push(Reader::Inst(inst, block));
                }
                self.modes[inst] = self.mode_of(data);
                if data.has_result() && self.source(data) == Source::Own {
                    self.take_back(inst);
                }
            }
            if let Some(on) = self.decides(block) {
                self.readers.entry(on).or_default().push(Reader::Branch(block));
            }
            for edge in self.cfg.in_edges(block) {
                for (&arg, &param) in self.cfg.args(self.body, edge).iter().zip(data.params.iter()) {
                    self.readers.entry(arg).or_default().push(Reader::Param(param, block));
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
        match self.body.exit(block) {
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

    /// Looks at the readers of a value again, those of which `of` says so.
    fn notify(&mut self, value: Inst, of: impl Fn(&Solver<'_>, Block) -> bool) {
        for reader in self.readers.get(&value).cloned().unwrap_or_default() {
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

    /// Lanes go different ways from here: finds where they meet.
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
            // One block left, and nobody went elsewhere: all are together again.
            if walk.heap.is_empty() && walk.round.is_none() && walk.outside.is_none() {
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
        if walk.outside.is_some() && walk.round.is_some() {
            self.make_ragged(of);
        }
        if walk.outside.is_some() && (walk.round.is_some() || walk.outside_differs) {
            self.part(Start::Exits(of));
        }
    }

    /// Lanes with a label come from `from` to `to`.
    fn reach(&mut self, walk: &mut Walk, around: Option<Loop>, from: Block, to: Block, label: Block) {
        let loops = self.out.loops.clone();
        if let Some(of) = around
            && !loops.contains(of, to)
        {
            // Which way they left is decided at the end.
            walk.outside_differs |= walk.outside.is_some_and(|known| known != (label, to));
            walk.outside = Some((label, to));
            return;
        }
        if around.is_some_and(|of| loops.header(of) == to) {
            if walk.round.is_some_and(|known| known != label) {
                self.join(to);
            }
            walk.round = Some(label);
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
            // Round an inner loop only a label that has changed has anything to say.
            if (at > before || known.is_some()) && walk.waiting.insert(at) {
                walk.heap.push(Reverse(at));
            }
        }
    }

    /// Lanes meet that came different ways.
    fn join(&mut self, block: Block) {
        for &param in self.body.block(block).params.iter() {
            self.take_back(param);
        }
    }

    /// Lanes leave the loop in different rounds.
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

    /// In a loop with several entries nothing is known of who meets where.
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
        // The first of the words of the attribute: all lanes, not those before or a cluster.
        let over_all = data.attrs.get(Key::How).unwrap_or(0) == 0;
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
            Op::Io(IoOp::BuiltIn | IoOp::BuiltInAt) => {
                shared(is_shared_builtin(data.attrs.get(Key::BuiltIn)))
            }
            Op::Io(IoOp::Push | IoOp::Ubo | IoOp::Ssbo) => Source::Operands,
            Op::Io(_) => Source::Own,
            Op::Group(op) => match op {
                GroupOp::VoteAll
                | GroupOp::VoteAny
                | GroupOp::VoteIEq
                | GroupOp::VoteFEq
                | GroupOp::Ballot
                | GroupOp::BroadcastFirst => Source::Same,
                GroupOp::Reduce if over_all && !data.attrs.has(Key::Cluster) => Source::Same,
                // Derivatives fall below: of what is infinite they are NaN, and zero where a neighbour is missing.
                GroupOp::BallotBit | GroupOp::BallotLsb | GroupOp::BallotMsb => Source::Operands,
                GroupOp::BallotCount if over_all => Source::Operands,
                _ => Source::Own,
            },
        }
    }

    /// A load of what all lanes see at one address.
    fn is_shared_load(&self, data: &InstData) -> bool {
        let Some(&path) = data.args.first() else { return false };
        match self.modes[path] {
            Some(
                Mode::Uniform | Mode::Push | Mode::Storage | Mode::Shared | Mode::Handle | Mode::Physical,
            ) => true,
            Some(Mode::In) => {
                let var = self.body.inst(path).entity::<Var>(Key::Var).and_then(|var| self.module.var(var));
                var.is_some_and(|var| is_shared_builtin(var.attrs.get(Key::BuiltIn)))
            }
            _ => false,
        }
    }
}

/// What decides whether a result is uniform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It is where its operands are.
    Operands,
    /// It is, whatever they are.
    Same,
    /// Each lane has its own.
    Own,
}

/// One walk from where lanes part.
#[derive(Default)]
struct Walk {
    labels: FxHashMap<Block, Block>,
    heap: BinaryHeap<Reverse<usize>>,
    /// What is in the heap.
    waiting: FxHashSet<usize>,
    /// The label of lanes that came round the loop.
    round: Option<Block>,
    /// The label and target of lanes that left the loop, and whether others left otherwise.
    outside: Option<(Block, Block)>,
    outside_differs: bool,
}

fn named_mode(data: &InstData) -> Option<Mode> {
    data.attrs.get(Key::Mode).and_then(|at| Mode::ALL.get(at as usize).copied())
}

/// A lookup that looks at nothing but its operands and what all lanes see.
fn is_shared_lookup(op: TexOp, data: &InstData) -> bool {
    match op {
        // Their level is found by derivatives, which are not one for a subgroup even where the coordinate is.
        TexOp::Sample | TexOp::QueryLod => false,
        // An input attachment is read at the lane's own pixel.
        TexOp::Fetch | TexOp::Read => {
            let dim = data.attrs.get(Key::Dim).and_then(|dim| DIMS.get(dim as usize));
            dim.is_none_or(|dim| *dim != "subpass")
        }
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

fn is_shared_builtin(builtin: Option<u64>) -> bool {
    builtin.and_then(|at| BUILTINS.get(at as usize)).is_some_and(|name| SHARED_BUILTINS.contains(name))
}

//! The tree of a function as flow instructions: `if`, `else`, `endif`, `rep`, `endrep`, `break`.
//!
//! The parameters of a block are temporaries, which its predecessors write. No path needs what they held before the
//! construct in front of the block; an instruction that takes no slot, `forget`, ends their life there for the analysis of
//! liveness. Otherwise an outer loop would keep them from one iteration to the next.
//!
//! Refuses exits other than `break` out of the innermost loop: `lower-exits{sm3}` lowers them.

mod loops;

use super::code::{FORGET, Model, Place, Reading, Source, Target, Temp};
use super::counted::Counted;
use super::select::{Class, Comp, Compare, Comps, Selector, User, float, parts};
use crate::sm1::{Op as Sm1, Register};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::EdgeId;
use vitrine_ir::ops::{BasicOp, ConvertOp, Flags, FloatOp, IntOp, MemoryOp, Op, TexOp, VectorOp};
use vitrine_ir::{
    Anchor, Block, Help, Inst, InstData, Nesting, Node, NodeKind, Region, Stop, Terminator, TreeStep,
    TreeWalk,
};

/// A construct that is open.
enum Open {
    If {
        /// Its arms are written; otherwise only the one that stays in the loop.
        is_written: bool,
    },
    Loop(OpenLoop),
    Block,
}

struct OpenLoop {
    node: Node,
    levels: usize,
    /// The flag that is 1 while an iteration runs.
    flag: Option<Temp>,
    /// The test that leaves the loop, if the outer levels repeat it.
    test: Option<Node>,
    /// The block with the values that the block after the loop gets when the loop has run as often as it counts.
    leaving: Option<Block>,
    /// Those values are given before the loop and after each iteration, because the loop has other exits.
    is_early: bool,
}

/// Writes the tree of a function.
pub(super) struct Writer<'s, 'm> {
    select: &'s mut Selector<'m>,
    open: Vec<Open>,
    /// Temporaries of block parameters.
    params: FxHashMap<Inst, Comps>,
    counted: FxHashMap<Node, Counted>,
    /// Tests of counted loops.
    skipped: FxHashSet<Node>,
    /// Blocks that are not written: they leave a counted loop.
    silent: FxHashSet<Block>,
    /// The levels that loops inside of each loop need at least, and how many of them nest without a known count.
    heights: FxHashMap<Node, (usize, usize)>,
    /// The region whose end is the next iteration, and its loop.
    bodies: FxHashMap<Region, Node>,
    /// The places of blocks and constructs in the tree.
    nesting: Nesting,
    /// Conditions that are booleans of the interface.
    flags: FxHashMap<Inst, Register>,
}

impl<'s, 'm> Writer<'s, 'm> {
    pub(super) fn new(select: &'s mut Selector<'m>) -> Writer<'s, 'm> {
        Writer {
            nesting: Nesting::of(select.body),
            flags: FxHashMap::default(),
            select,
            open: Vec::new(),
            params: FxHashMap::default(),
            counted: FxHashMap::default(),
            skipped: FxHashSet::default(),
            silent: FxHashSet::default(),
            heights: FxHashMap::default(),
            bodies: FxHashMap::default(),
        }
    }

    /// Writes the whole function. No recursion: the tree is walked with a list of open constructs.
    pub(super) fn write(mut self) {
        self.survey();
        let body = self.select.body;
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => self.enter(node),
                TreeStep::Open(node, at, _) => self.open_region(node, at),
                TreeStep::Block(block) => self.block(block),
                TreeStep::Leave(node) => self.leave(node),
            }
        }
    }

    /// Finds the loops that count, the loops inside of each loop, and the temporaries of parameters.
    fn survey(&mut self) {
        let body = self.select.body;
        self.counted = super::counted::counted(self.select);
        self.flags = super::flags::flags(self.select);
        let mut stack: Vec<Node> = Vec::new();
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => stack.push(node),
                TreeStep::Leave(node) => {
                    stack.pop();
                    if let NodeKind::Loop { .. } = body.node(node).kind {
                        let known = self.counted.get(&node).and_then(Counted::levels);
                        let (need, unknown) = self.heights.get(&node).copied().unwrap_or_default();
                        let need = need + known.unwrap_or(1);
                        let unknown = unknown + usize::from(known.is_none());
                        for &outer in &stack {
                            let height = self.heights.entry(outer).or_default();
                            *height = (height.0.max(need), height.1.max(unknown));
                        }
                    }
                }
                TreeStep::Open(node, 0, region) if matches!(body.node(node).kind, NodeKind::Loop { .. }) => {
                    self.bodies.insert(region, node);
                }
                TreeStep::Open(..) | TreeStep::Block(_) => {}
            }
        }
        for &block in self.select.cfg.clone().blocks() {
            for &param in body.block(block).params.iter() {
                let Some(count) = self.select.width(body.ty(param)) else { continue };
                let temp = self.select.temp(count, false);
                let comps = parts(temp, count);
                self.select.set(param, comps.clone());
                self.params.insert(param, comps);
            }
        }
    }

    fn depth(&self) -> usize {
        let levels = |open: &Open| match open {
            Open::Loop(open) => open.levels,
            Open::If { .. } | Open::Block => 0,
        };
        self.open.iter().map(levels).sum()
    }

    fn enter(&mut self, node: Node) {
        self.select.anchor = Anchor::Node(self.select.func, node);
        self.select.addresses.clear();
        if let Some(after) = self.nesting.after(self.select.body, node) {
            let params = self.select.body.block(after).params.to_vec();
            self.forget(&params);
        }
        match &self.select.body.node(node).kind {
            NodeKind::If { cond, then, els } => {
                if let Some(open) = self.counted_test(node, *then, *els) {
                    self.open.push(open);
                    return;
                }
                if let Some(&register) = self.flags.get(cond) {
                    let flag = Source::of(Place::Fixed(register));
                    self.select.emit(Sm1::If, 0, Reading::First, None, vec![flag]);
                    self.open.push(Open::If { is_written: true });
                    return;
                }
                if self.select.model == Model::Two {
                    let says = "a branch has no form in shader model 2".to_owned();
                    self.select.refuse(
                        "D152",
                        says,
                        Help::by_pass(
                            "peephole-select",
                            "makes selections of small ones; model 3 has branches",
                        ),
                    );
                }
                self.condition(*cond);
                self.open.push(Open::If { is_written: true });
            }
            NodeKind::Loop { .. } => self.enter_loop(node),
            NodeKind::Block { .. } => self.open.push(Open::Block),
            NodeKind::Switch { .. } => {
                self.select.refuse("D152", "a switch".to_owned(), Help::lowered_by("lower-switch"));
                self.open.push(Open::Block);
            }
        }
    }

    /// States that no path reads the values that parameters hold.
    fn forget(&mut self, params: &[Inst]) {
        for param in params {
            let Some(&Comp::At { place, .. }) = self.params.get(param).and_then(|comps| comps.first()) else {
                continue;
            };
            let mask = (1u16 << self.select.body.ty(*param).components().min(4)).wrapping_sub(1) as u8;
            let target = Target { place, mask, saturate: false };
            self.select.emit(FORGET, 0, Reading::Each, Some(target), Vec::new());
        }
    }

    /// The test of a counted loop: it is not written, and neither is the arm that leaves.
    fn counted_test(&mut self, node: Node, then: Region, els: Region) -> Option<Open> {
        if !self.skipped.contains(&node) {
            return None;
        }
        let body = self.select.body;
        let heads = [then, els].map(|region| body.region(region).head);
        let leaves = |block: &Block| matches!(body.terminator(*block), Terminator::Break(..));
        self.silent.insert(heads.into_iter().find(leaves)?);
        Some(Open::If { is_written: false })
    }

    fn condition(&mut self, cond: Inst) {
        let compare = self.select.pending.get(&cond).cloned();
        let (control, left, right) = match compare {
            Some(Compare { control, left, right }) => (control, left, right),
            None => {
                let truth = self.select.comps(cond, Class::Bool);
                let opposite = super::select::negate(&truth);
                match truth.first() {
                    // A constant is compared with another one: there is no negated literal of the same value.
                    Some(Comp::Literal(_)) => (5, truth, vec![float(0.0)]),
                    _ => (5, truth, opposite),
                }
            }
        };
        let sources = vec![self.select.source(&left), self.select.source(&right)];
        self.select.emit(Sm1::IfC, control, Reading::First, None, sources);
    }

    fn open_region(&mut self, node: Node, at: u32) {
        self.select.addresses.clear();
        let is_written = matches!(self.open.last(), Some(Open::If { is_written: true }));
        if at == 1 && is_written {
            self.select.anchor = Anchor::Node(self.select.func, node);
            self.plain(Sm1::Else);
        }
        if at == 1 && matches!(self.select.body.node(node).kind, NodeKind::Loop { .. }) {
            self.select.refuse(
                "D152",
                "a loop has code between its iterations".to_owned(),
                Help::by_pass("lower-continue", "moves it to their end"),
            );
        }
    }

    fn plain(&mut self, op: Sm1) {
        self.select.emit(op, 0, Reading::First, None, Vec::new());
    }

    fn leave(&mut self, node: Node) {
        self.select.anchor = Anchor::Node(self.select.func, node);
        self.select.addresses.clear();
        match self.open.pop() {
            Some(Open::If { is_written: true }) => self.plain(Sm1::EndIf),
            Some(Open::Loop(open)) => self.leave_loop(&open),
            Some(Open::If { is_written: false } | Open::Block) | None => {}
        }
    }

    // Blocks.

    fn block(&mut self, block: Block) {
        if self.silent.contains(&block) {
            return;
        }
        self.select.block = Some(block);
        let body = self.select.body;
        for &inst in body.block(block).insts.iter() {
            self.inst(inst);
        }
        self.select.anchor = Anchor::Terminator(self.select.func, block);
        match body.terminator(block) {
            Terminator::Next(_) => {
                self.edges(block);
                self.next_iteration(block);
            }
            Terminator::Break(node, _) => {
                self.edges(block);
                self.leave_construct(*node);
            }
            Terminator::Continue(node, _) => {
                self.edges(block);
                self.next_iteration(block);
                let is_end = matches!(self.open.last(), Some(Open::Loop(open)) if open.node == *node);
                if !is_end {
                    self.refuse_exit("a `continue`");
                }
            }
            Terminator::Return(_) => {
                if !self.open.is_empty() {
                    self.refuse_exit("a `return` inside of a branch or a loop");
                }
                self.select.write_outputs();
            }
            Terminator::Stop(Stop::Discard | Stop::Terminate) => self.select.kill(None),
            Terminator::Stop(_) => {}
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                self.refuse_exit("a branch of a graph");
            }
        }
    }

    fn refuse_exit(&mut self, what: &str) {
        let says = format!("{what} has no form in shader model 3");
        self.select.refuse(
            "D152",
            says,
            Help::text("passes").pass("structurize").then("and").pass("lower-exits{sm3}").then("lower it"),
        );
    }

    fn leave_construct(&mut self, node: Node) {
        let inner = self.open.iter().rev().find_map(|open| match open {
            Open::Loop(open) => Some(open.node),
            Open::If { .. } | Open::Block => None,
        });
        if inner == Some(node) {
            return self.plain(Sm1::Break);
        }
        // The end of an arm leaves its `if`.
        let is_end = matches!(self.open.last(), Some(Open::If { .. } | Open::Block));
        let is_loop = matches!(self.select.body.node(node).kind, NodeKind::Loop { .. });
        if is_loop || !is_end {
            self.refuse_exit("a `break` out of several constructs");
        }
    }

    /// Gives the parameters of the blocks that follow their values, all at once.
    fn edges(&mut self, block: Block) {
        let cfg = self.select.cfg.clone();
        let edges: Vec<EdgeId> = cfg.out_edges(block).collect();
        for edge in edges {
            let args = cfg.args(self.select.body, edge);
            let to = cfg.edge(edge).to;
            let params: Vec<Inst> = self.select.body.block(to).params.to_vec();
            let mut moves: Vec<(Comps, Comps)> = Vec::new();
            let undefined = |value: &Inst| self.select.body.inst(*value).op == Op::Basic(BasicOp::Undef);
            let forgotten: Vec<Inst> =
                params.iter().zip(args).filter(|(_, arg)| undefined(arg)).map(|(&param, _)| param).collect();
            let place = self.nesting.block(to);
            if place.is_some_and(|place| place.at == 0 && self.bodies.contains_key(&place.region)) {
                self.forget(&forgotten);
            }
            for (&param, &arg) in params.iter().zip(args) {
                let Some(target) = self.params.get(&param).cloned() else { continue };
                let class = self.select.class(param);
                let value = self.select.comps(arg, class);
                moves.push((target, value));
            }
            self.parallel(moves);
        }
    }

    fn parallel(&mut self, mut moves: Vec<(Comps, Comps)>) {
        let place = |comp: &Comp| match comp {
            Comp::At { place, .. } => Some(*place),
            Comp::Undef | Comp::Literal(_) => None,
        };
        moves.retain(|(target, value)| target != value);
        let targets: Vec<Option<Place>> =
            moves.iter().map(|(target, _)| target.first().and_then(place)).collect();
        for at in 0..moves.len() {
            // A value that an earlier or a later move overwrites is saved first.
            let overwritten = |comp: &Comp| {
                let read = place(comp);
                read.is_some() && targets.contains(&read)
            };
            let alone = moves.len() == 1 && single_register(&moves[at].1);
            if !alone && moves[at].1.iter().any(overwritten) {
                let saved = self.select.gathered(&moves[at].1.clone());
                moves[at].1 = parts(saved, moves[at].1.len());
            }
        }
        for (target, value) in moves {
            if let Some(place) = target.first().and_then(place) {
                self.select.gather_to(place, &value);
            }
        }
    }

    // Instructions.

    fn inst(&mut self, inst: Inst) {
        let body = self.select.body;
        let data = body.inst(inst);
        self.select.anchor = Anchor::Inst(self.select.func, inst);
        let first = self.select.codes.len();
        let value = self.value(inst, data);
        if data.flags.has(Flags::RELAXED) && !self.select.is_vertex {
            let own = self.select.codes.get_mut(first..).unwrap_or_default();
            own.iter_mut().filter(|code| code.writes().is_some()).for_each(|code| code.partial = true);
        }
        if let Some(comps) = value {
            self.select.set(inst, comps);
        }
    }

    /// The value of an instruction; none if it has none, or if it is written at its use.
    fn value(&mut self, inst: Inst, data: &InstData) -> Option<Comps> {
        match data.op {
            Op::Deref(_) | Op::Basic(BasicOp::Const | BasicOp::Undef | BasicOp::Param | BasicOp::Assume) => {
                return None;
            }
            Op::Basic(BasicOp::Global) if self.select.global(inst).is_some() => return None,
            Op::Memory(MemoryOp::Load) => {
                if let Some(comps) = self.select.load(inst, data) {
                    return Some(comps);
                }
            }
            Op::Memory(MemoryOp::Store) => {
                if self.select.store(data).is_some() {
                    return None;
                }
            }
            Op::Tex(TexOp::Combine) => return None,
            Op::Tex(op) => {
                let before = self.select.diags.len();
                let found = self.select.sample(data, op);
                if found.is_some() || self.select.diags.len() > before {
                    return found;
                }
            }
            Op::Io(op) => {
                if self.select.end_of_pixel(data, op) {
                    return None;
                }
            }
            _ if self.select.is_fused(inst, data) || self.is_deferred(inst, data) => return None,
            _ => {
                let before = self.select.diags.len();
                let comps = match data.op {
                    Op::Int(IntOp::Select | IntOp::Select1) => self.choice(data),
                    _ => self.select.arithmetic(inst, data),
                };
                if let Some(comps) = comps {
                    return Some(self.held(inst, data, comps));
                }
                if self.select.diags.len() > before {
                    return None;
                }
            }
        }
        let says = format!("`{}` has no form in shader model 3", data.op.name());
        let help = match data.op {
            Op::Reg(_) => Help::by_pass("regs-to-values", "removes registers"),
            Op::Basic(BasicOp::Call) => Help::by_pass("inline-functions", "removes calls"),
            Op::Int(_) => {
                "Direct3D 9 has no integers; only sums, products and comparisons of small ones can be floats"
                    .into()
            }
            _ => "Direct3D 9 devices have no such operation".into(),
        };
        self.select.refuse("D152", says, help);
        None
    }

    /// Copies a vector that operations read as a whole to one register, before its uses.
    fn held(&mut self, inst: Inst, data: &InstData, comps: Comps) -> Comps {
        let is_moved = |op: Op| {
            matches!(op, Op::Vector(VectorOp::Vec | VectorOp::Swizzle | VectorOp::Shuffle | VectorOp::Splat))
        };
        // More components than a register has are refused where an operation reads them.
        if !is_moved(data.op) || !(2..=4).contains(&comps.len()) || one_register(&comps) {
            return comps;
        }
        let body = self.select.body;
        let reads_whole = self.select.users.of_value(inst).iter().filter(|user| match user {
            User::Arg(user, _) => {
                let op = body.inst(*user).op;
                !is_moved(op) && !matches!(op, Op::Memory(MemoryOp::Store))
            }
            User::If | User::Other => false,
        });
        if reads_whole.count() == 0 {
            return comps;
        }
        let temp = self.select.gathered(&comps);
        parts(temp, comps.len())
    }

    /// `select`: the second or the third operand.
    fn choice(&mut self, data: &InstData) -> Option<Comps> {
        let (&cond, &x, &y) = (data.args.first()?, data.args.get(1)?, data.args.get(2)?);
        let count = self.select.width(data.ty)?;
        let class = [x, y].into_iter().find(|&it| self.select.body.const_of(it).is_none());
        let class = self.select.class(class.unwrap_or(x));
        let (x, y) = (self.select.comps(x, class), self.select.comps(y, class));
        let (control, left, right) = match self.select.pending.get(&cond).cloned() {
            Some(Compare { control, left, right }) => (control, left, right),
            None => (5, self.select.comps(cond, Class::Bool), vec![float(0.0)]),
        };
        if control == 5 && !self.select.is_vertex && right == [float(0.0)] {
            // Booleans are 1 or 0: the negated one is at least zero where it is false.
            if !self.select.pending.contains_key(&cond) {
                let test = super::select::negate(&left);
                return Some(self.select.each(Sm1::Cmp, count, &[&test, &y, &x]));
            }
        }
        Some(self.select.selected(control, count, (&left, &right), &x, &y))
    }

    /// Leaves a comparison to its uses, if they are conditions.
    fn is_deferred(&mut self, inst: Inst, data: &InstData) -> bool {
        if self.flags.contains_key(&inst) {
            return true;
        }
        let (control, class) = match data.op {
            Op::Float(op) => (float_control(op), Class::Float),
            Op::Int(op) => (int_control(op), Class::Int),
            Op::Convert(ConvertOp::F2B) => (Some(5), Class::Float),
            Op::Convert(ConvertOp::I2B) => (Some(5), Class::Int),
            _ => (None, Class::Float),
        };
        let Some(control) = control else { return false };
        let is_bool = data.args.first().is_some_and(|&arg| self.select.class(arg) == Class::Bool);
        let body = self.select.body;
        let is_condition = |user: &User| match user {
            User::If => true,
            User::Arg(user, 0) => {
                matches!(body.inst(*user).op, Op::Int(IntOp::Select | IntOp::Select1) | Op::Io(_))
            }
            User::Arg(..) | User::Other => false,
        };
        let users = self.select.users.of_value(inst);
        if is_bool || users.is_empty() || !users.iter().all(is_condition) {
            return false;
        }
        let Some(&left) = data.args.first() else { return false };
        let left = self.select.comps(left, class);
        let right = match data.args.get(1) {
            Some(&right) => self.select.comps(right, class),
            None => vec![float(0.0)],
        };
        self.select.pending.insert(inst, Compare { control, left, right });
        true
    }
}

/// The comparison of an operation, by its number in tokens.
fn float_control(op: FloatOp) -> Option<u8> {
    use FloatOp as F;
    match op {
        F::FGt | F::FGtu => Some(1),
        F::FEq | F::FEqu => Some(2),
        F::FGe | F::FGeu => Some(3),
        F::FLt | F::FLtu => Some(4),
        F::FNeu | F::FNeo => Some(5),
        F::FLe | F::FLeu => Some(6),
        _ => None,
    }
}

fn int_control(op: IntOp) -> Option<u8> {
    use IntOp as I;
    match op {
        I::IGt | I::UGt => Some(1),
        I::IEq => Some(2),
        I::IGe | I::UGe => Some(3),
        I::ILt | I::ULt => Some(4),
        I::INe => Some(5),
        I::ILe | I::ULe => Some(6),
        _ => None,
    }
}

fn single_register(comps: &[Comp]) -> bool {
    comps.len() == 1 || one_register(comps)
}

/// Returns true if the components are in one register, with the same modifiers.
fn one_register(comps: &[Comp]) -> bool {
    let key = |comp: &Comp| match *comp {
        Comp::At { place, negated, absolute, .. } => Some((place, negated, absolute)),
        Comp::Undef | Comp::Literal(_) => None,
    };
    let first = comps.first().and_then(key);
    comps.iter().all(|comp| key(comp) == first || (first.is_none() && matches!(comp, Comp::Literal(_))))
}

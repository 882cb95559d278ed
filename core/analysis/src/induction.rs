//! Induction variables and trip counts of loops.
//!
//! ```text
//! loop !0(%0, %0) {                    induction %1 from 0 by 1
//! ^1(%1: b32, %2: b32):                trip count 4: the back edge is taken four times
//!   %3: b1 = ilt %1, %n                where %n is 4
//!   if !1 %3 { ^2: next } else { ^3: break !0 }
//! ^4:
//!   next(iadd %1, 1, fadd %2, %1)
//! ```
//!
//! A trip count is found by interpreting the computation that decides it: the conditions of exits that every
//! iteration passes, and the header parameters they use, as far as constants determine them. So every
//! relation, sign, step and type is counted exactly, with the wrapping and rounding of the operations; a loop
//! may have two counters or a compound condition. An unknown operand does not always make a result unknown:
//! `false and x` is false.
//!
//! Not analyzed: irreducible loops, and loops that need more iterations or more work than `MOST_ITERATIONS` and
//! `MOST_WORK` allow; the latter are distinguished from loops of which nothing is known. Ignores early
//! termination of invocations and callees that do not return.

use super::{Analyses, Analysis, Cfg, Dom, EdgeId, EdgeKind, Loop, Loops, Reads};
use super::{FloatModes, evaluate};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, Bits, FloatOp, IntOp, Key, Op, ValueType};
use vitrine_ir::{Block, Func, FuncBody, Inst, Module, NodeKind, Terminator};

/// Maximum number of counted iterations.
const MOST_ITERATIONS: u32 = 1 << 16;

/// Maximum number of instructions evaluated for all loops of a function.
const MOST_WORK: u32 = 1 << 19;

/// Maximum number of instructions that decide the trip count of one loop.
const MOST_STEPS: usize = 256;

/// The trip count of a loop: how often a back edge is taken between entering and leaving the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trips {
    /// The trip count is unknown.
    #[default]
    Unknown,
    /// Exactly this many.
    Exactly(u32),
    /// This many, unless another exit is taken earlier.
    AtMost(u32),
    /// More than this many, unless another exit is taken earlier: counting stopped at the limit.
    MoreThan(u32),
}

impl Trips {
    /// The maximum trip count.
    pub fn most(self) -> Option<u32> {
        match self {
            Trips::Exactly(count) | Trips::AtMost(count) => Some(count),
            Trips::Unknown | Trips::MoreThan(_) => None,
        }
    }
}

/// A header parameter that every iteration updates by the same operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Induction {
    /// The parameter.
    pub param: Inst,
    /// The initial value, if all edges into the loop pass the same value.
    pub from: Option<Inst>,
    /// The update: an addition, subtraction, multiplication, division or shift with the parameter as its left
    /// operand.
    pub op: Op,
    /// The right operand: a value that is invariant in the loop.
    pub by: Inst,
}

/// The induction variables and trip counts of the loops of a function.
#[derive(Clone, Debug, Default)]
pub struct Inductions {
    loops: Vec<Facts>,
}

#[derive(Clone, Debug, Default)]
struct Facts {
    trips: Trips,
    variables: Vec<Induction>,
    known: Vec<Inst>,
    line: String,
}

impl Analysis for Inductions {
    const NAME: &'static str = "inductions";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Inductions {
        let (loops, dom) = (cx.get::<Loops>(module, func), cx.get::<Dom>(module, func));
        Inductions::of(module, body, &loops, &dom, MOST_ITERATIONS)
    }
}

impl Inductions {
    /// Computes it, counting at most `most_iterations` iterations of a loop. `O(edges · loop depth)` and the
    /// counted work.
    pub fn of(
        module: &Module,
        body: &FuncBody,
        loops: &Loops,
        dom: &Dom,
        most_iterations: u32,
    ) -> Inductions {
        let mut work = MOST_WORK;
        let modes = FloatModes::of(module);
        let facts = |of: Loop| {
            if loops.is_irreducible(of) {
                return Facts::default();
            }
            let cfg: &Cfg = dom.cfg();
            let variables = variables(body, cfg, loops, of);
            let mut run = TripCounter::new(module, body, cfg, loops, of, modes);
            let exits = run.exits(dom);
            let trips = run.count(&exits, most_iterations, &mut work);
            let known = run.known();
            let line = line(module, body, trips, &variables);
            Facts { trips, variables, known, line }
        };
        Inductions { loops: loops.all().map(facts).collect() }
    }

    /// The trip count of a loop.
    pub fn trips(&self, of: Loop) -> Trips {
        self.loops.get(of.index()).map_or(Trips::Unknown, |facts| facts.trips)
    }

    /// The induction variables of a loop, in order of parameters.
    pub fn variables(&self, of: Loop) -> &[Induction] {
        self.loops.get(of.index()).map_or(&[], |facts| &facts.variables)
    }

    /// The header parameters whose value is known in every counted iteration, in order.
    pub fn known(&self, of: Loop) -> &[Inst] {
        self.loops.get(of.index()).map_or(&[], |facts| &facts.known)
    }

    /// A description of a loop: `trip count 4, induction %3 from 0 by 1`. Empty if nothing is known.
    pub fn text(&self, of: Loop) -> &str {
        self.loops.get(of.index()).map_or("", |facts| &facts.line)
    }
}

/// The value that some edges pass for a parameter, if they agree: one value, or the same operation on the
/// same operands.
fn brought(body: &FuncBody, cfg: &Cfg, edges: &[EdgeId], at: usize) -> Option<Inst> {
    let mut all = edges.iter().map(|&edge| cfg.args(body, edge).get(at).copied());
    let first = all.next()??;
    all.all(|other| other.is_some_and(|other| alike(body, first, other, true))).then_some(first)
}

/// Returns true if two values are computed in the same manner, compared one or two levels deep.
fn alike(body: &FuncBody, a: Inst, b: Inst, deeper: bool) -> bool {
    if a == b {
        return true;
    }
    let [x, y] = [a, b].map(|inst| body.inst(inst));
    let same = x.op == y.op && x.ty == y.ty && x.attrs == y.attrs && x.args.len() == y.args.len();
    let is_const = x.op == Op::Basic(BasicOp::Const);
    let pure = x.op.props().pure() && x.op != Op::Basic(BasicOp::Param);
    same && (is_const
        || deeper && pure && x.args.iter().zip(y.args.iter()).all(|(&x, &y)| alike(body, x, y, false)))
}

fn variables(body: &FuncBody, cfg: &Cfg, loops: &Loops, of: Loop) -> Vec<Induction> {
    let header = loops.header(of);
    let (iteration, enter): (Vec<EdgeId>, Vec<EdgeId>) =
        cfg.in_edges(header).partition(|&edge| loops.contains(of, cfg.edge(edge).from));
    let params = &body.block(header).params;
    if params.is_empty() || iteration.is_empty() {
        return Vec::new();
    }
    let mut inside: FxHashSet<Inst> = FxHashSet::default();
    for &block in loops.members(of) {
        let data = body.block(block);
        inside.extend(data.params.iter().chain(data.insts.iter()));
    }
    let is_const = |inst: Inst| body.inst(inst).op == Op::Basic(BasicOp::Const);
    let variable = |(at, &param): (usize, &Inst)| {
        let next = body.inst(brought(body, cfg, &iteration, at)?);
        let [a, b] = next.args[..] else { return None };
        let by = match changes(next.op)? {
            Side::Left if a == param => b,
            Side::Either if a == param => b,
            Side::Either if b == param => a,
            Side::Left | Side::Either => return None,
        };
        let fixed = is_const(by) || !inside.contains(&by);
        fixed.then(|| Induction { param, from: brought(body, cfg, &enter, at), op: next.op, by })
    };
    params.iter().enumerate().filter_map(variable).collect()
}

/// The operand position of an induction variable in its update.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Either,
}

/// The operations that update induction variables.
const CHANGES: &[(Op, Side, &str)] = &[
    (Op::Int(IntOp::IAdd), Side::Either, "by"),
    (Op::Int(IntOp::ISub), Side::Left, "down by"),
    (Op::Int(IntOp::IMul), Side::Either, "times"),
    (Op::Int(IntOp::UDiv), Side::Left, "divided by"),
    (Op::Int(IntOp::IDiv), Side::Left, "divided by"),
    (Op::Int(IntOp::IShl), Side::Left, "shifted left by"),
    (Op::Int(IntOp::IShr), Side::Left, "shifted right by"),
    (Op::Int(IntOp::UShr), Side::Left, "shifted right by"),
    (Op::Float(FloatOp::FAdd), Side::Either, "by"),
    (Op::Float(FloatOp::FSub), Side::Left, "down by"),
    (Op::Float(FloatOp::FMul), Side::Either, "times"),
    (Op::Float(FloatOp::FDiv), Side::Left, "divided by"),
];

fn changes(op: Op) -> Option<Side> {
    CHANGES.iter().find(|row| row.0 == op).map(|row| row.1)
}

/// A description of a loop.
fn line(module: &Module, body: &FuncBody, trips: Trips, variables: &[Induction]) -> String {
    let mut line = match trips {
        Trips::Unknown => String::new(),
        Trips::Exactly(count) => format!("trip count {count}"),
        Trips::AtMost(count) => format!("trip count at most {count}"),
        Trips::MoreThan(count) => format!("trip count more than {count}"),
    };
    for &Induction { param, from, op, by } in variables {
        let how = CHANGES.iter().find(|row| row.0 == op).map_or("by", |row| row.2);
        let is_float = matches!(op, Op::Float(_));
        let spell = |value: Inst| spell(module, body, value, is_float);
        let from = from.map_or_else(|| "various".to_owned(), spell);
        let comma = if line.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(line, "{comma}induction {param} from {from} {how} {}", spell(by));
    }
    line
}

/// A value as text, as a number if it is a scalar constant.
fn spell(module: &Module, body: &FuncBody, value: Inst, is_float: bool) -> String {
    let Some(bits) = body.const_of(value).map(|id| module.bits_of(id)) else { return value.to_string() };
    match bits.components() {
        [_] if is_float => bits.component(0).to_f64().to_string(),
        [_] => bits.component(0).as_i64().to_string(),
        _ => value.to_string(),
    }
}

/// A block that every iteration passes and that may exit the loop.
struct IterationExit {
    block: Block,
    /// The slot of the value that decides the exit.
    on: Option<u32>,
}

/// The evaluation of one instruction.
struct EvalStep {
    inst: Inst,
    args: Vec<u32>,
}

/// The interpreter of the computation that decides one loop.
struct TripCounter<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    cfg: &'a Cfg,
    loops: &'a Loops,
    of: Loop,
    modes: FloatModes,
    slots: FxHashMap<Inst, u32>,
    values: Vec<Option<Bits>>,
    /// In order: operands come before their users.
    steps: Vec<(u32, EvalStep)>,
    /// The header parameters that are used, their slots, and the slots of the values that back edges pass.
    carried: Vec<(Inst, u32, Vec<u32>)>,
    /// For each of them, true if it had a known value in every iteration so far.
    steady: Vec<bool>,
    /// If set, there are exits that are not a [`IterationExit`].
    other_exits: bool,
}

impl<'a> TripCounter<'a> {
    fn new(
        module: &'a Module,
        body: &'a FuncBody,
        cfg: &'a Cfg,
        loops: &'a Loops,
        of: Loop,
        modes: FloatModes,
    ) -> TripCounter<'a> {
        TripCounter {
            module,
            body,
            cfg,
            loops,
            of,
            modes,
            slots: FxHashMap::default(),
            values: Vec::new(),
            steps: Vec::new(),
            carried: Vec::new(),
            steady: Vec::new(),
            other_exits: false,
        }
    }

    /// The exits that every iteration passes, in execution order; prepares the slots they need.
    fn exits(&mut self, dom: &Dom) -> Vec<IterationExit> {
        let header = self.loops.header(self.of);
        let mut latches = self.loops.latches(self.of).into_iter();
        let mut common = latches.next();
        for latch in latches {
            common = common.and_then(|common| dom.nearest_common(common, latch));
        }
        let mut chain = Vec::new();
        while let Some(block) = common {
            chain.push(block);
            common = if block == header { None } else { dom.idom(block) };
        }
        let leaving: FxHashSet<Block> =
            self.loops.exits(self.of).into_iter().map(|edge| self.cfg.edge(edge).from).collect();
        chain.retain(|block| leaving.contains(block));
        self.other_exits = leaving.len() > chain.len();
        let mut exits = Vec::new();
        for block in chain.into_iter().rev() {
            let on = decides(self.body, self.cfg, block).map(|on| self.slot(on));
            exits.push(IterationExit { block, on });
        }
        self.carry();
        exits
    }

    /// Adds the values that back edges pass for used parameters, until no new parameter is used.
    fn carry(&mut self) {
        let header = self.loops.header(self.of);
        let params = self.body.block(header).params.clone();
        let back: Vec<EdgeId> = self.loops.back_edges(self.of).collect();
        let mut done = vec![false; params.len()];
        loop {
            let mut more = false;
            for (at, &param) in params.iter().enumerate() {
                let Some(&slot) = self.slots.get(&param) else { continue };
                if std::mem::replace(&mut done[at], true) {
                    continue;
                }
                let (body, cfg) = (self.body, self.cfg);
                let next = back.iter().filter_map(|&edge| cfg.args(body, edge).get(at).copied());
                let next: Vec<Inst> = next.collect();
                let next = next.into_iter().map(|value| self.slot(value)).collect();
                self.values[slot as usize] = self.at_first(at);
                self.carried.push((param, slot, next));
                self.steady.push(self.values[slot as usize].is_some());
                more = true;
            }
            if !more {
                break;
            }
        }
    }

    /// The value that edges into the loop pass for parameter `at`, if all pass the same constant.
    fn at_first(&self, at: usize) -> Option<Bits> {
        let header = self.loops.header(self.of);
        let enter = self.cfg.in_edges(header);
        let enter = enter.filter(|&edge| !self.loops.contains(self.of, self.cfg.edge(edge).from));
        let mut all = enter.map(|edge| {
            let value = self.cfg.args(self.body, edge).get(at).copied()?;
            Some(self.module.bits_of(self.body.const_of(value)?))
        });
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)?
    }

    /// The slot of a value; prepares the slots of its operands. Uses an explicit stack: `Err` is an
    /// instruction whose operands are ready.
    fn slot(&mut self, value: Inst) -> u32 {
        let mut work = vec![(value, false)];
        while let Some((inst, ready)) = work.pop() {
            if self.slots.contains_key(&inst) {
                continue;
            }
            if !ready {
                if self.is_step(inst) {
                    work.push((inst, true));
                    work.extend(self.body.inst(inst).args.iter().map(|&arg| (arg, false)));
                } else {
                    let known = self.body.const_of(inst).map(|id| self.module.bits_of(id));
                    self.add(inst, known);
                }
                continue;
            }
            // Operands that are not ready are part of a cycle, which only invalid programs have.
            let args = &self.body.inst(inst).args;
            let args: Option<Vec<u32>> = args.iter().map(|arg| self.slots.get(arg).copied()).collect();
            let to = self.add(inst, None);
            if let Some(args) = args {
                self.steps.push((to, EvalStep { inst, args }));
            }
        }
        self.slots.get(&value).copied().unwrap_or_default()
    }

    fn add(&mut self, inst: Inst, value: Option<Bits>) -> u32 {
        let slot = self.values.len() as u32;
        self.values.push(value);
        self.slots.insert(inst, slot);
        slot
    }

    /// Returns true if a value is arithmetic with known semantics. Also rejects invalid instructions.
    fn is_step(&self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let copies = data.op == Op::Basic(BasicOp::Copy);
        let types: Vec<ValueType> = data.args.iter().map(|&arg| self.body.ty(arg)).collect();
        self.steps.len() < MOST_STEPS
            && !data.args.is_empty()
            && (copies || data.op.info().meaning.is_some() || data.attrs.has(Key::Components))
            && data.op.props().pure()
            && data.op.info().check(data.ty, &types).is_ok()
    }

    /// Interprets iterations until an exit is taken.
    fn count(&mut self, exits: &[IterationExit], most_iterations: u32, work: &mut u32) -> Trips {
        if exits.iter().all(|exit| exit.on.is_none()) {
            return Trips::Unknown;
        }
        let mut exact = !self.other_exits;
        // If no iteration decided any exit, more iterations would not either.
        let mut decided_any = false;
        let more =
            |iteration: u32, decided| if decided { Trips::MoreThan(iteration) } else { Trips::Unknown };
        for iteration in 0..=most_iterations {
            let cost = (self.steps.len() + exits.len() + 1) as u32;
            if *work < cost {
                return more(iteration.saturating_sub(1), decided_any);
            }
            *work -= cost;
            self.evaluate();
            for exit in exits {
                let on = exit.on.and_then(|slot| self.values[slot as usize]);
                match on.and_then(|bits| chosen(self.body, self.cfg, exit.block, &bits)) {
                    Some(edge) if self.loops.contains(self.of, self.cfg.edge(edge).to) => decided_any = true,
                    Some(_) if exact => return Trips::Exactly(iteration),
                    Some(_) => return Trips::AtMost(iteration),
                    None => exact = false,
                }
            }
            // If no parameter changed, no exit will ever be decided.
            if !self.next_iteration() {
                return Trips::Unknown;
            }
        }
        more(most_iterations, decided_any)
    }

    fn evaluate(&mut self) {
        for (to, step) in &self.steps {
            let data = self.body.inst(step.inst);
            let args: Vec<Option<Bits>> = step.args.iter().map(|&arg| self.values[arg as usize]).collect();
            self.values[*to as usize] = match args.iter().copied().collect::<Option<Vec<Bits>>>() {
                Some(args) if data.op == Op::Basic(BasicOp::Copy) => args.first().copied(),
                Some(args) => evaluate(data.op, data.ty, &args, data.attrs.get(Key::Components))
                    .filter(|bits| self.modes.agree(data.op, &args, bits)),
                None => decided(data.op, data.ty, &args),
            };
        }
    }

    /// Advances the parameters to the values that back edges pass. Returns true if one changed.
    fn next_iteration(&mut self) -> bool {
        let mut new = Vec::new();
        for (_, slot, next) in &self.carried {
            let mut all = next.iter().map(|&at| self.values[at as usize]);
            let first = all.next().flatten();
            let value = if all.all(|other| other == first) { first } else { None };
            new.push((*slot, value));
        }
        let mut changed = false;
        for ((slot, value), steady) in new.into_iter().zip(&mut self.steady) {
            changed |= self.values[slot as usize] != value;
            *steady &= value.is_some();
            self.values[slot as usize] = value;
        }
        changed
    }

    /// The parameters with a known value in every counted iteration.
    fn known(&self) -> Vec<Inst> {
        let known = self.carried.iter().zip(&self.steady).filter(|&(_, &steady)| steady);
        known.map(|(&(param, ..), _)| param).collect()
    }
}

/// The result of an operation with an unknown operand, if the others determine it: `false and x`, `true or
/// x`.
fn decided(op: Op, ty: ValueType, args: &[Option<Bits>]) -> Option<Bits> {
    let stands = match op {
        Op::Int(IntOp::IAnd) => false,
        Op::Int(IntOp::IOr) => true,
        _ => return None,
    };
    let known = args.iter().flatten().next()?;
    (ty == ValueType::BOOL && known.component(0).as_bool() == stands).then_some(*known)
}

/// The value a block branches on: the condition or selector of its terminator or of the node it enters.
pub(super) fn decides(body: &FuncBody, cfg: &Cfg, block: Block) -> Option<Inst> {
    match &body.block(block).terminator {
        Terminator::Branch { cond: on, .. } | Terminator::Switch { on, .. } => Some(*on),
        Terminator::Next(_) => body.node(cfg.enters(block)?).kind.operand(),
        Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_)
        | Terminator::Goto(_) => None,
    }
}

/// The edge that is taken out of a block if its condition or selector has these bits.
fn chosen(body: &FuncBody, cfg: &Cfg, block: Block, on: &Bits) -> Option<EdgeId> {
    let value = on.component(0).as_u64();
    let with = |pick: &dyn Fn(EdgeKind, u32) -> bool| {
        cfg.out_edges(block).find(|&edge| {
            let data = cfg.edge(edge);
            pick(data.kind, data.slot)
        })
    };
    let taken = if value != 0 { EdgeKind::Then } else { EdgeKind::Else };
    match &body.block(block).terminator {
        Terminator::Branch { .. } => with(&|kind, _| kind == taken),
        Terminator::Switch { cases, .. } => {
            match cases.iter().position(|case| case.values.contains(&value)) {
                Some(at) => with(&|kind, slot| kind == EdgeKind::Case && slot as usize == at),
                None => with(&|kind, _| kind == EdgeKind::Default),
            }
        }
        Terminator::Next(_) => match &body.node(cfg.enters(block)?).kind {
            NodeKind::If { .. } => with(&|kind, _| kind == taken),
            NodeKind::Switch { arms, .. } => {
                let hit = arms.iter().position(|arm| arm.values.contains(&value));
                let at = hit.or_else(|| arms.iter().position(|arm| arm.default))?;
                with(&|_, slot| slot as usize == at)
            }
            NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
        },
        Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_)
        | Terminator::Goto(_) => None,
    }
}

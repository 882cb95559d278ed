//! Runs a function along random decisions and records its events.

use super::steps::{Pick, Steps};
use super::wrong;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use vitrine_ir::base::{EntityId, SideTable, random, sort_by_number};
use vitrine_ir::ops::{BasicOp, IntOp, Key, Op, RegOp};
use vitrine_ir::{Block, Diag, FuncBody, Inst, Module, Reg, Stop, Terminator};

/// An event of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Execution of an instruction with these operand values.
    Ran(Inst, u64),
    /// Assignment of this value to a parameter.
    Got(Inst, u64),
    /// Return of this value.
    Returned(Option<u64>),
    /// Termination without a value.
    Stopped(Stop),
}

/// A value: a number shared by equal values, and its bits if they are known.
#[derive(Clone, Copy, Default, Debug)]
struct Value {
    hash: u64,
    bits: Option<u64>,
}

/// Checks that two versions of a function have the same events along decisions drawn from these seeds.
pub fn same_walks(
    module: &Module,
    before: &FuncBody,
    after: &FuncBody,
    seeds: std::ops::Range<u64>,
    steps: usize,
) -> Result<(), Diag> {
    for seed in seeds {
        let (left, right) =
            (walk(module, before, before, seed, steps), walk(module, before, after, seed, steps));
        let ended = |events: &[Event]| matches!(events.last(), Some(Event::Returned(_) | Event::Stopped(_)));
        let common = left.len().min(right.len());
        let differs = (0..common).find(|&at| left[at] != right[at]);
        let one_ended = differs.is_none() && left.len() != right.len();
        let shorter = if left.len() < right.len() { &left } else { &right };
        if let Some(at) = differs {
            let says = format!("seed {seed}: event {at} is {:?}, and was {:?}", right[at], left[at]);
            return Err(wrong(says));
        }
        if one_ended && ended(shorter) {
            return Err(wrong(format!(
                "seed {seed}: one run ends after {common} events, the other continues"
            )));
        }
    }
    Ok(())
}

/// The events of `body` in at most `steps` blocks. Only instructions and parameters of `original` are recorded.
pub fn walk(module: &Module, original: &FuncBody, body: &FuncBody, seed: u64, steps: usize) -> Vec<Event> {
    let mut walker = Walker::new(module, original, body, seed);
    walker.run(steps);
    walker.events
}

/// The instructions of `original` that `body` executes for these decisions: a condition holds if its direction
/// is odd, a selector is its direction.
pub fn follow(
    module: &Module,
    original: &FuncBody,
    body: &FuncBody,
    directions: &[u64],
    steps: usize,
) -> Vec<Inst> {
    let mut walker = Walker::new(module, original, body, 0);
    walker.directions = Some(directions.iter().copied().collect());
    walker.run(steps);
    let ran = |event: Event| match event {
        Event::Ran(inst, _) => Some(inst),
        Event::Got(..) | Event::Returned(_) | Event::Stopped(_) => None,
    };
    walker.events.into_iter().filter_map(ran).collect()
}

struct Walker<'a> {
    module: &'a Module,
    original: &'a FuncBody,
    body: &'a FuncBody,
    values: SideTable<Inst, Value>,
    runs: SideTable<Inst, u64>,
    regs: FxHashMap<(Reg, u64), Value>,
    events: Vec<Event>,
    directions: Option<VecDeque<u64>>,
    drawn: u64,
    seed: u64,
}

impl<'a> Walker<'a> {
    fn new(module: &'a Module, original: &'a FuncBody, body: &'a FuncBody, seed: u64) -> Walker<'a> {
        let mut walker = Walker {
            module,
            original,
            body,
            values: SideTable::new(),
            runs: SideTable::new(),
            regs: FxHashMap::default(),
            events: Vec::new(),
            directions: None,
            drawn: 0,
            seed,
        };
        for (at, &param) in body.params().iter().enumerate() {
            walker.values[param] = Value { hash: hash_pair(seed, at as u64), bits: None };
        }
        walker
    }

    fn run(&mut self, steps: usize) {
        let walkable = Steps::of(self.body);
        let Some(mut at) = self.body.entry() else { return };
        for _ in 0..steps {
            for &inst in self.body.block(at).insts.iter() {
                self.inst(inst);
            }
            let Some((next, args)) = walkable.leave(at, |on, cases| self.pick(on, cases)) else {
                return self.ended(at);
            };
            let values: Vec<Value> = args.iter().map(|&arg| self.values[arg]).collect();
            for (&param, value) in self.body.block(next).params.iter().zip(values) {
                self.set(param, value);
            }
            at = next;
        }
    }

    fn ended(&mut self, block: Block) {
        let event = match self.body.terminator(block) {
            Terminator::Return(value) => Event::Returned(value.map(|value| self.values[value].hash)),
            Terminator::Stop(stop) => Event::Stopped(*stop),
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => return,
        };
        self.events.push(event);
    }

    /// Sets a value; records it if it is a parameter of the original.
    fn set(&mut self, inst: Inst, value: Value) {
        self.values[inst] = value;
        let param = self.original.tables().insts.get(inst);
        if param.is_some_and(|data| data.op == Op::from(BasicOp::Param)) {
            self.events.push(Event::Got(inst, value.hash));
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let arg = |at: usize| data.args.get(at).map_or(Value::default(), |&arg| self.values[arg]);
        let reg = || (data.entity::<Reg>(Key::Reg).unwrap_or(Reg::from_index(0)), 0);
        let value = match data.op {
            Op::Basic(BasicOp::Const) => {
                let bits = self.body.const_of(inst).map(|id| self.module.bits_of(id));
                let components = bits.map(|bits| bits.components().to_vec()).unwrap_or_default();
                let hash = components.iter().fold(11, |hash, &component| hash_pair(hash, component));
                Value { hash, bits: components.first().copied().filter(|_| components.len() == 1) }
            }
            Op::Basic(BasicOp::Undef) => Value { hash: 13, bits: None },
            Op::Basic(BasicOp::Copy) => arg(0),
            Op::Reg(RegOp::Load) => self.regs.get(&reg()).copied().unwrap_or_default(),
            Op::Reg(RegOp::Store) if !data.attrs.has(Key::Mask) => {
                let stored = arg(0);
                self.regs.insert(reg(), stored);
                return;
            }
            Op::Int(IntOp::IEq) if let (Some(a), Some(b)) = (arg(0).bits, arg(1).bits) => {
                Value { hash: hash_pair(11, u64::from(a == b)), bits: Some(u64::from(a == b)) }
            }
            _ => return self.other(inst),
        };
        self.set(inst, value);
    }

    fn other(&mut self, inst: Inst) {
        self.runs[inst] += 1;
        let args = self.body.inst(inst).args.iter();
        let hash = args.fold(hash_pair(self.seed, inst.index() as u64), |hash, &arg| {
            hash_pair(hash, self.values[arg].hash)
        });
        if self.original.tables().insts.contains(inst) {
            self.events.push(Event::Ran(inst, hash));
        }
        self.values[inst] = Value { hash: hash_pair(hash, self.runs[inst]), bits: None };
    }

    fn pick(&mut self, on: Inst, cases: Option<&dyn Fn() -> Vec<u64>>) -> Pick {
        let value = self.values[on];
        if value.bits.is_some() {
            return Pick::Value(value.bits);
        }
        if let Some(directions) = &mut self.directions {
            let direction = directions.pop_front().unwrap_or(0);
            return if cases.is_some() {
                Pick::Value(Some(direction))
            } else {
                Pick::Bool(direction & 1 == 1)
            };
        }
        self.drawn += 1;
        let drawn = hash_pair(hash_pair(value.hash, self.drawn), self.seed);
        match cases {
            None => Pick::Bool(drawn & 1 == 0),
            Some(cases) => {
                let mut cases = cases();
                sort_by_number(&mut cases, |&value| value);
                let at = drawn % (cases.len() as u64 + 1);
                Pick::Value(cases.get(at as usize).copied())
            }
        }
    }
}

/// The output of SplitMix64 for two combined numbers.
fn hash_pair(a: u64, b: u64) -> u64 {
    random::mixed(
        a.rotate_left(17) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x2545_f491_4f6c_dd1d),
    )
}

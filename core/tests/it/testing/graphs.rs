//! Graphs for structurization: random ones, adversarial families, and functions with these graphs.

use std::rc::Rc;
use vitrine_core::analysis::{Cfg, Dom};
pub(crate) use vitrine_core::base::random::Random;
use vitrine_core::base::{EntityId, SideTable};
use vitrine_core::ir::{
    Args, Assembler, Attrs, Block, BlockData, Case, CowVec, Edge, FuncBody, Inst, InstData, MergeInfo, Stop,
    Terminator,
};
use vitrine_core::ops::{BasicOp, IntOp, ValueType};

/// A graph: the successors and the number of parameters of each block. Block 0 is the entry.
#[derive(Clone, Default)]
pub(crate) struct Spec {
    pub(crate) successors: Vec<Vec<u32>>,
    pub(crate) params: Vec<u32>,
    /// If set, blocks with two successors end in switches with one case.
    pub(crate) switches: bool,
}

/// A random graph with up to `most` blocks, of one of several kinds.
pub(crate) fn random_spec(random: &mut Random, most: u64) -> Spec {
    let count = 2 + random.below(most);
    let (widest, wild, many_params) = (1 + random.below(4), random.below(4), random.below(3));
    let mut spec = Spec { switches: random.below(4) == 0, ..Spec::default() };
    for at in 0..count {
        let degree = if at == 0 { 1 + random.below(2) } else { random.below(widest + 1) };
        let targets = (0..degree).map(|_| {
            let to = match (random.below(8), wild) {
                (0..=2, _) => at + 1,
                (_, 0) => at + 1 + random.below(4),
                (3..=6, 1 | 2) => at + 1 + random.below(6),
                (_, 1) => at.saturating_sub(random.below(5)),
                _ => random.below(count),
            };
            to.clamp(1, count - 1) as u32
        });
        spec.successors.push(targets.collect());
        let params = if at == 0 || many_params == 0 { 0 } else { random.below(3) };
        spec.params.push(params as u32);
    }
    spec
}

fn b(at: u32) -> Block {
    Block::from_index(at as usize)
}

/// A function with this graph, in which blocks use values of their dominators.
pub(crate) fn body_of(spec: &Spec, random: &mut Random) -> FuncBody {
    let mut asm = Assembler::new();
    let param = |asm: &mut Assembler| asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    let given = [param(&mut asm), param(&mut asm)];
    asm.params(given.to_vec());
    asm.graph((0..spec.successors.len() as u32).map(b).collect());
    for (targets, &params) in spec.successors.iter().zip(&spec.params) {
        let params = (0..params).map(|_| param(&mut asm)).collect();
        let exit = shape_of(targets, given[0], spec.switches);
        asm.add_block(BlockData { params: CowVec::new(params), terminator: exit, ..BlockData::default() });
    }
    let cfg = Rc::new(Cfg::of(asm.body()));
    let dom = Dom::of(&cfg);
    let mut available: SideTable<Block, Vec<Inst>> = SideTable::new();
    for &block in cfg.blocks() {
        let mut values = dom.idom(block).map_or(given.to_vec(), |up| available[up].clone());
        values.extend(asm.body().block(block).params.iter());
        let keep = values.len().saturating_sub(12);
        values.drain(..keep);
        let mut insts = Vec::new();
        for _ in 0..1 + random.below(2) {
            let args = [random.pick(&values), random.pick(&values)];
            let sum = asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &args));
            insts.push(sum);
            values.push(sum);
        }
        let args = [random.pick(&values), random.pick(&values)];
        let cond = asm.add_inst(InstData::new(IntOp::ILt, ValueType::BOOL, &args));
        let exit = asm.body().block(block).terminator.clone();
        if matches!(exit, Terminator::Branch { .. }) {
            insts.push(cond);
        }
        let on = random.pick(&values);
        let mut pass = |edge: &Edge| {
            let count = spec.params[edge.to.index()];
            Edge { to: edge.to, args: (0..count).map(|_| random.pick(&values)).collect() }
        };
        let exit = match exit {
            Terminator::Goto(edge) => Terminator::Goto(pass(&edge)),
            Terminator::Branch { then, els, .. } => {
                Terminator::Branch { cond, then: pass(&then), els: pass(&els) }
            }
            Terminator::Switch { cases, default, .. } => {
                let case = |case: &Case| Case { values: case.values.clone(), edge: pass(&case.edge) };
                let cases = cases.iter().map(case).collect();
                Terminator::Switch { on, cases, default: pass(&default) }
            }
            Terminator::Return(_) if random.below(4) == 0 => Terminator::Stop(Stop::Unreachable),
            other => other,
        };
        available[block] = values;
        let data = asm.block_mut(block);
        data.terminator = exit;
        data.insts = CowVec::new(insts);
    }
    asm.finish()
}

fn shape_of(targets: &[u32], on: Inst, switches: bool) -> Terminator {
    let edge = |&to: &u32| Edge { to: b(to), args: Args::default() };
    match targets {
        [] => Terminator::Return(None),
        [to] => Terminator::Goto(edge(to)),
        [then, els] if !switches => Terminator::Branch { cond: on, then: edge(then), els: edge(els) },
        [cases @ .., default] => {
            let case =
                |(value, to): (u64, &u32)| Case { values: vec![value * 3, value * 3 + 1], edge: edge(to) };
            let cases = (0..).zip(cases).map(case).collect();
            Terminator::Switch { on, cases, default: edge(default) }
        }
    }
}

/// A function with these successors. Each block computes its condition from earlier values.
pub(crate) fn plain_body(successors: &[Vec<u32>]) -> FuncBody {
    let mut asm = Assembler::new();
    let given = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![given]);
    asm.graph((0..successors.len() as u32).map(b).collect());
    for targets in successors {
        let on = asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &[given, given]));
        let mut insts = vec![on];
        let mut exit = shape_of(targets, on, false);
        if let Terminator::Branch { cond, .. } = &mut exit {
            *cond = asm.add_inst(InstData::new(IntOp::ILt, ValueType::BOOL, &[on, given]));
            insts.push(*cond);
        }
        asm.add_block(BlockData { terminator: exit, insts: CowVec::new(insts), ..BlockData::default() });
    }
    asm.finish()
}

/// A graph of the corpus, with the instruction that marks each block.
pub(crate) fn corpus_body(json: &serde_json::Value) -> (FuncBody, Vec<Inst>) {
    let mut asm = Assembler::new();
    let given = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![given]);
    let blocks = json["blocks"].as_array().expect("blocks");
    asm.graph((0..blocks.len() as u32).map(b).collect());
    let mut marks = Vec::new();
    for block in blocks {
        let numbers = |of: &serde_json::Value| -> Vec<u64> {
            of.as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).collect()
        };
        let edge = |to: u64| Edge { to: b(to as u32), args: Args::default() };
        let to = numbers(&block["to"]);
        let on = asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &[given, given]));
        marks.push(on);
        let mut insts = vec![on];
        let exit = match block["term"].as_str().expect("a terminator") {
            "br" => Terminator::Goto(edge(to[0])),
            "cond" => {
                let cond = asm.add_inst(InstData::new(IntOp::ILt, ValueType::BOOL, &[on, given]));
                insts.push(cond);
                Terminator::Branch { cond, then: edge(to[0]), els: edge(to[1]) }
            }
            "switch" => {
                let case = |(&value, &to): (&u64, &u64)| Case { values: vec![value], edge: edge(to) };
                let cases = numbers(&block["cases"]).iter().zip(&to[1..]).map(case).collect();
                Terminator::Switch { on, cases, default: edge(to[0]) }
            }
            "ret" => Terminator::Return(None),
            _ => Terminator::Stop(Stop::Unreachable),
        };
        let merge = numbers(&block["merge"]);
        let hint = merge.first().map(|&to| {
            let cont = merge.get(1).map(|&to| b(to as u32));
            Rc::new(MergeInfo { merge: b(to as u32), cont, attrs: Attrs::None })
        });
        asm.add_block(BlockData {
            terminator: exit,
            merge: hint,
            insts: CowVec::new(insts),
            ..BlockData::default()
        });
    }
    (asm.finish(), marks)
}

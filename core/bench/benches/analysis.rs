//! Times of the control-flow analyses. Budget: dominators and loops of 1,000 blocks in 150 µs.

use divan::Bencher;
use std::rc::Rc;
use vitrine_core::analysis::{Cfg, Dom, Frontiers, Live, Loops, PostDom};
use vitrine_core::base::EntityId;
use vitrine_core::ir::{
    Args, Assembler, Attrs, Block, BlockData, CowVec, Edge, FuncBody, InstData, NodeData, NodeKind,
    RegionData, Terminator,
};
use vitrine_core::ops::{BasicOp, ValueType};

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [100, 1_000, 100_000];

/// A graph like typical code: mostly sequential, with some branches and short back edges.
fn code_like(count: usize) -> FuncBody {
    let mut asm = Assembler::new();
    let cond = asm.add_inst(InstData::new(BasicOp::Param, ValueType::BOOL, &[]));
    asm.params(vec![cond]);
    let block = |at: usize| Block::from_index(at.min(count - 1));
    asm.graph((0..count).map(block).collect());
    let edge = |at: usize| Edge { to: block(at), args: Args::default() };
    for at in 0..count {
        let mix = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let far = 2 + (mix >> 8) as usize % 6;
        let exit = match mix % 8 {
            _ if at + 1 == count => Terminator::Return(None),
            0..4 => Terminator::Goto(edge(at + 1)),
            4..7 => Terminator::Branch { cond, then: edge(at + 1), els: edge(at + far) },
            _ => Terminator::Branch { cond, then: edge(at.saturating_sub(far)), els: edge(at + 1) },
        };
        asm.add_block(BlockData { terminator: exit, ..BlockData::default() });
    }
    asm.finish()
}

/// A sequence of `if`s with three blocks each.
fn tree(count: usize) -> FuncBody {
    let mut asm = Assembler::new();
    let cond = asm.add_inst(InstData::new(BasicOp::Param, ValueType::BOOL, &[]));
    asm.params(vec![cond]);
    let next = || BlockData { terminator: Terminator::next(), ..BlockData::default() };
    let head = asm.add_block(next());
    let mut rest = Vec::new();
    for _ in 0..count / 3 {
        let [then, els] = [asm.add_block(next()), asm.add_block(next())]
            .map(|block| asm.add_region(RegionData::new(block)));
        let node = asm.add_node(NodeData { kind: NodeKind::If { cond, then, els }, attrs: Attrs::None });
        rest.push((node, asm.add_block(next())));
    }
    if let Some(&(_, last)) = rest.last() {
        asm.block_mut(last).terminator = Terminator::Return(None);
    }
    let root = asm.add_region(RegionData { head, rest: CowVec::new(rest) });
    asm.tree(root);
    asm.finish()
}

#[divan::bench(args = SIZES)]
fn cfg_of_graph(bencher: Bencher<'_, '_>, count: usize) {
    let body = code_like(count);
    bencher.bench_local(|| Cfg::of(&body));
}

#[divan::bench(args = SIZES)]
fn cfg_of_tree(bencher: Bencher<'_, '_>, count: usize) {
    let body = tree(count);
    bencher.bench_local(|| Cfg::of(&body));
}

#[divan::bench(args = SIZES)]
fn dom(bencher: Bencher<'_, '_>, count: usize) {
    let cfg = Rc::new(Cfg::of(&code_like(count)));
    bencher.bench_local(|| Dom::of(&cfg));
}

#[divan::bench(args = SIZES)]
fn loops(bencher: Bencher<'_, '_>, count: usize) {
    let body = code_like(count);
    let cfg = Rc::new(Cfg::of(&body));
    bencher.bench_local(|| Loops::of(&body, &cfg));
}

#[divan::bench(args = SIZES)]
fn dom_and_loops(bencher: Bencher<'_, '_>, count: usize) {
    let body = code_like(count);
    let cfg = Rc::new(Cfg::of(&body));
    bencher.bench_local(|| (Dom::of(&cfg), Loops::of(&body, &cfg)));
}

#[divan::bench(args = SIZES)]
fn postdom(bencher: Bencher<'_, '_>, count: usize) {
    let cfg = Rc::new(Cfg::of(&code_like(count)));
    bencher.bench_local(|| PostDom::of(&cfg));
}

#[divan::bench(args = SIZES)]
fn frontiers(bencher: Bencher<'_, '_>, count: usize) {
    let dom = Rc::new(Dom::of(&Rc::new(Cfg::of(&code_like(count)))));
    bencher.bench_local(|| Frontiers::of(&dom));
}

#[divan::bench(args = SIZES)]
fn live(bencher: Bencher<'_, '_>, count: usize) {
    let body = code_like(count);
    let cfg = Rc::new(Cfg::of(&body));
    bencher.bench_local(|| Live::of(&body, &cfg));
}

//! Times of the layout. Budget: 100, 1,000 and 5,000 blocks in 3, 25 and 150 ms.
//!
//! With `VITRINE_GRAPHS=FILE`, the graphs are written to that file with their times, for `core/bench/peers`.

#![allow(clippy::print_stdout)]

#[path = "layout/peers.rs"]
mod peers;

use divan::Bencher;
use vitrine_core::analysis::Analyses;
use vitrine_core::base::EntityId;
use vitrine_core::ir::{
    Args, Assembler, Block, BlockData, Case, Edge, Func, FuncBody, InstData, Module, Terminator,
};
use vitrine_core::layout::{Input, input_of, layout};
use vitrine_core::ops::{BasicOp, ValueType};

fn main() {
    match std::env::var_os("VITRINE_GRAPHS") {
        Some(file) => peers::write(file.as_ref()),
        None => divan::main(),
    }
}

const SIZES: [usize; 3] = [100, 1_000, 5_000];

/// A function with these successors.
fn body_of(successors: &[Vec<usize>]) -> FuncBody {
    let mut asm = Assembler::new();
    let cond = asm.add_inst(InstData::new(BasicOp::Param, ValueType::BOOL, &[]));
    let on = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![cond, on]);
    asm.graph((0..successors.len()).map(Block::from_index).collect());
    let edge = |&to: &usize| Edge { to: Block::from_index(to), args: Args::default() };
    for targets in successors {
        let exit = match &targets[..] {
            [] => Terminator::Return(None),
            [to] => Terminator::Goto(edge(to)),
            [then, els] => Terminator::Branch { cond, then: edge(then), els: edge(els) },
            [cases @ .., default] => {
                let case = |(value, to)| Case { values: vec![value], edge: edge(to) };
                Terminator::Switch { on, cases: (0..).zip(cases).map(case).collect(), default: edge(default) }
            }
        };
        asm.add_block(BlockData { terminator: exit, ..BlockData::default() });
    }
    asm.finish()
}

fn input(successors: &[Vec<usize>]) -> Input {
    let mut module = Module::new();
    let func: Func = module.add_func(body_of(successors));
    let size =
        |block: Block| (60 + (block.index() * 37 % 11) as i32 * 20, 30 + (block.index() % 7) as i32 * 17);
    input_of(&module, func, &mut Analyses::new(), size)
}

/// Typical code: a sequence of ifs and loops, a few of them nested.
fn structured(count: usize) -> Vec<Vec<usize>> {
    let mut successors = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    while successors.len() + 12 < count {
        let at = successors.len();
        match (at / 4) % 5 {
            0 | 3 => successors.extend([vec![at + 1, at + 2], vec![at + 3], vec![at + 3], vec![at + 4]]),
            1 => successors.extend([vec![at + 1], vec![at + 2, at + 3], vec![at + 1], vec![at + 4]]),
            2 if open.len() < 4 => {
                open.push(at);
                successors.extend([vec![at + 1], vec![at + 2], vec![at + 3], vec![at + 4]]);
            }
            _ => {
                let back = open.pop().unwrap_or(at);
                successors.extend([vec![at + 1, at + 2], vec![at + 2], vec![at + 3], vec![back, at + 4]]);
            }
        }
    }
    while successors.len() + 1 < count {
        successors.push(vec![successors.len() + 1]);
    }
    successors.push(vec![]);
    successors
}

/// The same with an early exit from every eighth block.
fn early_exits(count: usize) -> Vec<Vec<usize>> {
    let mut successors = structured(count);
    for at in (0..count).step_by(8) {
        if let [to] = successors[at][..] {
            successors[at] = vec![count - 1, to];
        }
    }
    successors
}

/// Short jumps forward and backward, as in unstructured code.
fn wild(count: usize) -> Vec<Vec<usize>> {
    let targets = |at: usize| {
        let mix = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let far = 2 + (mix >> 8) as usize % 6;
        let ahead = |by: usize| (at + by).min(count - 1);
        match mix % 8 {
            _ if at + 1 == count => vec![],
            0..4 => vec![ahead(1)],
            4..7 => vec![ahead(1), ahead(far)],
            _ => vec![at.saturating_sub(far), ahead(1)],
        }
    };
    (0..count).map(targets).collect()
}

/// Nested loops, each with its exit at the header.
fn nest(count: usize) -> Vec<Vec<usize>> {
    let mut successors = vec![vec![1]];
    successors.extend((1..=count).map(|at| vec![at + 1, 2 * count + 3 - at]));
    successors.push(vec![count + 2]);
    successors.extend((1..=count).map(|at| vec![count + 1 - at]));
    successors.push(vec![]);
    successors
}

#[divan::bench(args = SIZES)]
fn structured_code(bencher: Bencher<'_, '_>, count: usize) {
    let input = input(&structured(count));
    bencher.bench_local(|| layout(&input));
}

#[divan::bench(args = SIZES)]
fn structured_again(bencher: Bencher<'_, '_>, count: usize) {
    let mut input = input(&structured(count));
    input.previous = Some(layout(&input).positions(&input));
    bencher.bench_local(|| layout(&input));
}

#[divan::bench(args = SIZES)]
fn with_early_exits(bencher: Bencher<'_, '_>, count: usize) {
    let input = input(&early_exits(count));
    bencher.bench_local(|| layout(&input));
}

#[divan::bench(args = SIZES)]
fn wild_jumps(bencher: Bencher<'_, '_>, count: usize) {
    let input = input(&wild(count));
    bencher.bench_local(|| layout(&input));
}

#[divan::bench(args = [24, 249])]
fn nested_loops(bencher: Bencher<'_, '_>, count: usize) {
    let input = input(&nest(count));
    bencher.bench_local(|| layout(&input));
}

#[divan::bench(args = [100, 2_000])]
fn one_switch(bencher: Bencher<'_, '_>, count: usize) {
    let mut successors = vec![(1..=count).collect::<Vec<usize>>()];
    successors.extend((1..=count).map(|_| vec![count + 1]));
    successors.push(vec![]);
    let input = input(&successors);
    bencher.bench_local(|| layout(&input));
}

#[divan::bench]
fn chain_of_100_000(bencher: Bencher<'_, '_>) {
    let successors: Vec<Vec<usize>> =
        (0..100_000).map(|at| if at == 99_999 { vec![] } else { vec![at + 1] }).collect();
    let input = input(&successors);
    bencher.bench_local(|| layout(&input));
}

#[divan::bench(args = SIZES)]
fn input_of_structured(bencher: Bencher<'_, '_>, count: usize) {
    let mut module = Module::new();
    let func = module.add_func(body_of(&structured(count)));
    bencher.bench_local(|| input_of(&module, func, &mut Analyses::new(), |_| (100, 40)));
}

//! Properties of layouts, on graphs of the corpora and on random graphs.
//!
#![allow(clippy::print_stdout)]

mod check;
mod moves;

use crate::testing::corpus::modules;
use crate::testing::graphs::{Random, body_of, plain_body, random_spec};
use crate::testing::settings::setting;
use check::fault;
use moves::{arms_and_chains, bands, fold_fault, moves, pin_fault};
use vitrine_core::analysis::{Analyses, EdgeKind};
use vitrine_core::base::EntityId;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Block, Func, FuncBody, Module, Shape};
use vitrine_core::layout::{Group, GroupKind, Input, Layout, Link, Node, Point, input_of, layout};
use vitrine_core::passes::structurize::{Mode, structurize};

/// The size of a block. As with text, some blocks are much taller or wider than others.
fn size(block: Block) -> (i32, i32) {
    let mix = (block.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (40 + (mix % 7) as i32 * 40, 24 + (mix / 7 % 9) as i32 * 17)
}

fn input(module: &Module, func: Func) -> Input {
    input_of(module, func, &mut Analyses::new(), size)
}

/// Files in which folding an arm or a chain moves a block too far, with the distance: two blocks that were above
/// each other end up side by side.
const KNOWN_MOVES: &[(&str, i32)] = &[
    ("loops-breaks-returns.spv", 31),
    ("control/early-returns.spv", 38),
    ("duff-11-mem.spv", 39),
    ("duff-16-phi.spv", 84),
    ("state-machine-31-phi.spv", 31),
    ("structured-free-69-phi.spv", 32),
];

/// The distance that folding a loop may move a block of a random graph: the folded box may be larger than the loop.
const WILD_MOVES: i32 = 40;

fn checked(name: &str, input: &Input) -> Layout {
    let out = layout(input);
    if let Some(fault) = fault(input, &out) {
        panic!("{name}: {fault}");
    }
    assert_eq!(out, layout(input), "{name}: layout is not deterministic");
    out
}

fn of_body(name: &str, body: FuncBody) -> Layout {
    let mut module = Module::new();
    let func = module.add_func(body);
    checked(name, &input(&module, func))
}

fn of_successors(name: &str, successors: &[Vec<u32>]) -> Layout {
    of_body(name, plain_body(successors))
}

#[test]
fn layouts_of_the_corpus_as_graphs_and_trees() {
    let (mut count, mut trees, mut failed) = (0, 0, Vec::new());
    let modules = modules();
    for path in modules.iter().map(|item| &item.path) {
        let mut module = read(&std::fs::read(path).unwrap()).module;
        let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
        for func in funcs {
            let name = || format!("{} {func}", path.display());
            let seed = count;
            let mut check = |module: &Module| {
                let input = input(module, func);
                let out = layout(&input);
                failed.extend(fault(&input, &out).map(|fault| format!("{}: {fault}", name())));
                let known =
                    KNOWN_MOVES.iter().find(|(file, _)| path.ends_with(file)).map_or(0, |&(_, by)| by);
                let wrong_fold = fold_fault(&input, &out, &bands(&input, &out), 0)
                    .or_else(|| fold_fault(&input, &out, &arms_and_chains(&input), known));
                let mut random = Random(seed);
                let wrong_pin = pin_fault(&input, &out, |below| random.below(below));
                failed.extend(wrong_fold.or(wrong_pin).map(|fault| format!("{}: {fault}", name())));
            };
            check(&module);
            count += 1;
            if matches!(module.func(func).map(FuncBody::shape), Some(Shape::Graph(_)))
                && structurized(&mut module, func)
            {
                check(&module);
                trees += 1;
            }
        }
    }
    println!("{count} functions, {trees} trees");
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(20)].join("\n"));
}

fn structurized(module: &mut Module, func: Func) -> bool {
    structurize(module, func, Mode::Faithful).is_ok()
}

#[test]
fn layouts_of_reducible_and_irreducible_random_graphs() {
    let cases = setting("VITRINE_CASES", 300);
    for seed in 0..cases {
        let mut random = Random(seed);
        let most = 4 + random.below(60);
        let spec = random_spec(&mut random, most);
        let mut module = Module::new();
        let func = module.add_func(body_of(&spec, &mut random));
        let name = format!("seed {seed}");
        let input = input(&module, func);
        let out = checked(&name, &input);
        let fault = fold_fault(&input, &out, &bands(&input, &out), WILD_MOVES)
            .or_else(|| pin_fault(&input, &out, |below| random.below(below)));
        if let Some(fault) = fault {
            panic!("{name}: {fault}");
        }
        let folds = random.below(3);
        let mut folded = input.clone();
        let any = input.nodes.len() as u64;
        folded.folds = (0..folds).map(|_| (0..3).map(|_| random.below(any) as u32).collect()).collect();
        checked(&format!("{name} folded"), &folded);
        if structurized(&mut module, func) {
            checked(&format!("{name} as a tree"), &self::input(&module, func));
        }
    }
}

#[test]
fn malformed_input_has_a_layout() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let count = 1 + random.below(30) as u32;
        let groups = random.below(8) as u32;
        let mut some = |limit: u32| random.below(u64::from(limit) + 1) as u32;
        let mut input = Input { entry: Some(some(count)), ..Input::default() };
        for _ in 0..groups {
            let kind = if some(1) == 0 { GroupKind::Band } else { GroupKind::Arm };
            input.groups.push(Group { parent: Some(some(groups)), kind });
        }
        for at in 0..count {
            let block = Block::from_index(at as usize);
            let group = (groups > 0).then(|| some(groups));
            input.nodes.push(Node {
                block,
                width: some(200) as i32 - 20,
                height: some(90) as i32 - 20,
                group,
            });
        }
        for _ in 0..some(60) {
            let kind = if some(3) == 0 { EdgeKind::Case } else { EdgeKind::Goto };
            input.edges.push(Link { from: some(count - 1), to: some(count - 1), kind });
        }
        // A group may name a later group or itself as parent. Layout ignores such parents; the check removes them.
        for at in 0..input.groups.len() {
            let parent = input.groups[at].parent.filter(|&up| (up as usize) < at);
            input.groups[at].parent = parent;
        }
        for node in &mut input.nodes {
            node.group = node.group.filter(|&group| group < groups);
        }
        checked(&format!("seed {seed}"), &input);
    }
}

#[test]
fn extreme_graph_families_have_layouts() {
    let chain: Vec<Vec<u32>> =
        (0..100_000u32).map(|at| if at == 99_999 { vec![] } else { vec![at + 1] }).collect();
    let out = layout_of(&chain);
    assert!(out.lines.iter().all(|line| line.points.len() == 2 || line.points.len() == 4));
    let ladder: Vec<Vec<u32>> =
        (0..=10_001u32).map(|at| if at >= 10_000 { vec![] } else { vec![10_001, at + 1] }).collect();
    let out = layout_of(&ladder);
    assert!(out.extent.width < 2_000, "returns share a column: {:?}", out.extent);
    for count in [1, 2, 3, 7, 60] {
        of_successors(&format!("{count} nested loops"), &nested(count));
    }
    let all: Vec<u32> = (0..12).collect();
    of_successors("K12", &vec![all; 12]);
    of_successors("a self loop", &[vec![1], vec![1, 2], vec![]]);
    of_successors("no exit", &[vec![1], vec![2], vec![1]]);
    of_successors("unreachable", &[vec![2], vec![2, 1], vec![]]);
    of_successors("a loop with two entries", &[vec![1, 2], vec![2], vec![1, 3], vec![]]);
    of_successors("one block", &[vec![]]);
}

#[test]
fn deep_nesting_and_large_graphs_have_layouts() {
    layout_of(&nested(600));
    let mut random = Random(1);
    let successors: Vec<Vec<u32>> = (0..3000u32).map(|at| code_like(&mut random, at, 3000)).collect();
    layout_of(&successors);
}

fn code_like(random: &mut Random, at: u32, count: u32) -> Vec<u32> {
    let far = 2 + random.below(6) as u32;
    let ahead = |by: u32| (at + by).min(count - 1);
    match random.below(8) {
        _ if at + 1 == count => vec![],
        0..4 => vec![ahead(1)],
        4..7 => vec![ahead(1), ahead(far)],
        _ => vec![at.saturating_sub(far).max(1), ahead(1)],
    }
}

/// Nested loops, each with its exit at the header and its back edge at the end.
fn nested(count: u32) -> Vec<Vec<u32>> {
    let mut successors = vec![vec![1]];
    successors.extend((1..=count).map(|at| vec![at + 1, 2 * count + 2 - at + 1]));
    successors.push(vec![count + 2]);
    successors.extend((1..=count).map(|at| vec![count + 1 - at]));
    successors.push(vec![]);
    successors
}

/// The layout, without the checks over all pairs.
fn layout_of(successors: &[Vec<u32>]) -> Layout {
    let mut module = Module::new();
    let func = module.add_func(plain_body(successors));
    layout(&input(&module, func))
}

#[test]
fn a_switch_with_many_arms_wraps() {
    let count = 2000;
    let mut successors = vec![(1..=count).collect::<Vec<u32>>()];
    successors.extend((1..=count).map(|_| vec![count + 1]));
    successors.push(vec![]);
    let out = of_successors("2,000 arms", &successors);
    assert!(out.extent.width < 3 * out.extent.height, "{:?}", out.extent);
    assert!(out.extent.height < 3 * out.extent.width, "{:?}", out.extent);
}

/// A branch with a loop in one arm.
const SMALL: &[&[u32]] = &[&[1, 5], &[2], &[3, 4], &[2], &[6], &[6], &[7, 8], &[9], &[9], &[]];

fn small() -> Input {
    let successors: Vec<Vec<u32>> = SMALL.iter().map(|targets| targets.to_vec()).collect();
    let mut module = Module::new();
    let func = module.add_func(plain_body(&successors));
    input(&module, func)
}

#[test]
fn the_first_pin_is_exact() {
    let plain = small();
    let before = checked("plain", &plain);
    for pinned in 0..plain.nodes.len() {
        let mut input = plain.clone();
        let at = before.nodes[pinned].unwrap();
        input.pins = vec![(plain.nodes[pinned].block, Point { x: at.x, y: at.y })];
        // All other blocks grow.
        for node in &mut input.nodes {
            if node.block != plain.nodes[pinned].block {
                (node.width, node.height) = (node.width + 33, node.height + 50);
            }
        }
        let after = checked("pinned", &input);
        let now = after.nodes[pinned].unwrap();
        assert_eq!((now.x, now.y), (at.x, at.y), "block {pinned}");
    }
}

#[test]
fn removing_an_arm_does_not_move_the_other_blocks() {
    let before_input = small();
    let before = checked("before", &before_input);
    // Block 8 is removed; block 6 has the single successor 7.
    let mut successors: Vec<Vec<u32>> = SMALL.iter().map(|targets| targets.to_vec()).collect();
    successors[6] = vec![7];
    successors[8] = vec![];
    let mut module = Module::new();
    let func = module.add_func(plain_body(&successors));
    let mut input = input(&module, func);
    // Unreachable blocks come last.
    input.nodes.pop_if(|node| node.block.index() == 8);
    input.previous = Some(before.positions(&before_input));
    let after = checked("after", &input);
    for (block, by) in moves((&before_input, &before), (&input, &after)) {
        assert!(by < 20, "{block} moves {by} px");
    }
}

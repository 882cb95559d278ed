//! Structurization of graphs and flattening back, checked by `structurize::check` and the validator.

use crate::testing::corpus::of_sets;
use crate::testing::graphs::{Random, Spec, body_of, corpus_body, plain_body, random_spec};
use vitrine_core::ir::{Func, FuncBody, Module, NodeKind, Reg, TreeStep, TreeWalk};
use vitrine_core::ops::{Key, Word};
use vitrine_core::passes::structurize::check::{follow, same_edges, same_walks};
use vitrine_core::passes::structurize::{Metrics, Mode, structurize};
use vitrine_core::passes::{flatten, regs_to_values, values_to_regs};
use vitrine_core::{text, validate};

/// Structurizes the function and applies every check to the result.
fn checked(module: &Module, func: Func, mode: Mode) -> (Module, Metrics) {
    let mut after = module.clone();
    let before = module.func(func).expect("a function");
    let report = |context: &str, after: &Module| {
        let after = text::print_func(after, func);
        format!("{} {context}\n{}\n=>\n{after}", mode.name(), text::print_func(module, func))
    };
    let metrics = match structurize(&mut after, func, mode) {
        Ok(metrics) => metrics,
        Err(diag) => panic!("{}", report(&diag.to_string(), &after)),
    };
    let body = after.func(func).expect("a function");
    if mode != Mode::SwitchLoop
        && let Err(diag) = same_edges(&after, before, body)
    {
        panic!("{}", report(&diag.to_string(), &after));
    }
    if let Err(diag) = same_walks(&after, before, body, 0..4, 300) {
        panic!("{}", report(&diag.to_string(), &after));
    }
    let diags = validate::validate_func(&after, func);
    if let Some(diag) = diags.first() {
        panic!("{}", report(&diag.to_string(), &after));
    }
    (after, metrics)
}

fn module_of(spec: &Spec, random: &mut Random) -> (Module, Func) {
    let mut module = Module::new();
    let body = body_of(spec, random);
    let func = module.add_func(body);
    let diags = validate::validate_func(&module, func);
    assert!(diags.is_empty(), "the generator: {}\n{}", diags[0], text::print_func(&module, func));
    (module, func)
}

#[test]
fn random_graphs_keep_their_edges_and_values() {
    let mut sums = [Metrics::default(); 3];
    for seed in 0..3_000 {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 24);
        let (module, func) = module_of(&spec, &mut random);
        for (&mode, sum) in Mode::ALL.iter().zip(&mut sums) {
            let (_, metrics) = checked(&module, func, mode);
            sum.add(&metrics);
        }
    }
    print_sums("random graphs", &sums);
}

#[allow(clippy::print_stdout)] // the table is output
fn print_sums(context: &str, sums: &[Metrics; 3]) {
    println!("{context}");
    for (mode, m) in Mode::ALL.iter().zip(sums) {
        println!(
            "  {:12} blocks {} -> {} ({:.2}), one-trip {}, multi-level {} ({}), dispatch {} arms {} edges {}, depth {}, merges {}/{}",
            mode.name(),
            m.blocks_in,
            m.blocks_out,
            m.growth(),
            m.onetrip,
            m.multi_level,
            m.multi_level_strict,
            m.dispatch_nodes,
            m.dispatch_arms,
            m.redirected_edges,
            m.max_depth,
            m.declared_merge_match,
            m.declared_merges
        );
    }
}

/// Ordinary trees are unchanged by `flatten` and `structurize{imported}`.
#[test]
fn flattening_and_structurizing_restores_trees() {
    let (mut same, mut total) = ([0, 0], 0);
    for seed in 0..2_000 {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 20);
        let (module, func) = module_of(&spec, &mut random);
        let (tree, _) = checked(&module, func, Mode::Faithful);
        let mut graph = tree.clone();
        flatten(&mut graph, func).expect("a tree");
        let diags = validate::validate_func(&graph, func);
        assert!(diags.is_empty(), "{}\n{}", diags[0], text::print_func(&graph, func));
        let walks = same_walks(&graph, tree.func(func).unwrap(), graph.func(func).unwrap(), 0..4, 300);
        assert!(walks.is_ok(), "{walks:?}");
        total += 1;
        for (mode, same) in [Mode::Faithful, Mode::Imported].into_iter().zip(&mut same) {
            let (again, _) = checked(&graph, func, mode);
            *same += usize::from(outline(&again, func) == outline(&tree, func));
        }
    }
    print_line(&format!(
        "structurize(flatten(tree)) == tree: faithful {} of {total}, imported {} of {total}",
        same[0], same[1]
    ));
}

/// The shape of a tree: nodes, and original blocks, in text order.
fn outline(module: &Module, func: Func) -> Vec<String> {
    let body = module.func(func).expect("a function");
    let step = |step| match step {
        TreeStep::Enter(node) => Some(match body.node(node).kind {
            NodeKind::If { .. } => "if".to_owned(),
            NodeKind::Switch { .. } => "switch".to_owned(),
            NodeKind::Loop { .. } => "loop".to_owned(),
            NodeKind::Block { .. } => "block".to_owned(),
        }),
        TreeStep::Open(_, at, _) => Some(format!("open {at}")),
        TreeStep::Leave(_) => Some("leave".to_owned()),
        TreeStep::Block(block) if body.block(block).insts.is_empty() => Some("empty".to_owned()),
        TreeStep::Block(block) => Some(block.to_string()),
    };
    TreeWalk::new(body).filter_map(step).collect()
}

#[allow(clippy::print_stdout)]
fn print_line(line: &str) {
    println!("{line}");
}

/// Structurizes a graph in each mode, on a stack too small for recursion over the blocks.
fn family(
    name: &'static str,
    successors: Vec<Vec<u32>>,
    check_metrics: impl FnOnce(&Metrics) + Send + 'static,
) {
    let test = move || {
        let mut module = Module::new();
        let body = plain_body(&successors);
        let before = body.clone();
        let func = module.add_func(body);
        for &mode in Mode::ALL {
            let mut after = module.clone();
            let metrics = structurize(&mut after, func, mode).expect("a tree");
            print_line(&format!(
                "{name:24} {:12} {} blocks, depth {}",
                mode.name(),
                metrics.blocks_in,
                metrics.max_depth
            ));
            let diags = validate::validate_func(&after, func);
            assert!(diags.is_empty(), "{}", diags[0]);
            let tree = after.func(func).unwrap();
            if mode != Mode::SwitchLoop {
                same_edges(&after, &before, tree).expect("the same edges");
            }
            same_walks(&after, &before, tree, 0..2, 1_000).expect("the same walks");
            if mode == Mode::Faithful {
                let mut flat = after.clone();
                flatten(&mut flat, func).expect("a tree");
                same_walks(&after, &before, flat.func(func).unwrap(), 0..2, 1_000).expect("the same walks");
            }
        }
        let mut after = module.clone();
        check_metrics(&structurize(&mut after, func, Mode::Faithful).expect("a tree"));
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).expect("a thread");
    thread.join().expect("the test to pass");
}

#[test]
fn ten_thousand_early_returns_are_structurized() {
    let count = 10_000;
    let mut successors: Vec<Vec<u32>> = (0..count).map(|at| vec![count + at, at + 1]).collect();
    successors[count as usize - 1] = vec![2 * count - 1];
    successors.extend((0..count).map(|_| vec![]));
    family("early returns", successors, |m| assert!(m.max_depth < 3));
}

#[test]
fn ten_thousand_continues_are_structurized() {
    let count = 10_000;
    let mut successors: Vec<Vec<u32>> = vec![vec![1]];
    successors.extend((1..count).map(|at| vec![1, at + 1]));
    successors.push(vec![1, count + 1]);
    successors.push(vec![]);
    family("continues", successors, |m| assert!(m.max_depth < 80));
}

#[test]
fn a_thousand_nested_loops_are_structurized() {
    let depth = 1_000;
    let mut successors: Vec<Vec<u32>> = vec![vec![1]];
    successors.extend((1..=depth).map(|at| vec![at + 1, 2 * depth + 2 - at]));
    successors.push(vec![depth]);
    successors.extend((1..=depth).rev().map(|at| if at == 1 { vec![] } else { vec![at - 1] }));
    family("nested loops", successors, |m| assert_eq!((m.multi_level, m.onetrip), (0, 0)));
}

#[test]
fn exits_to_every_loop_level_are_structurized() {
    let depth = 200;
    let mut successors: Vec<Vec<u32>> = vec![vec![1]];
    successors.extend((1..=depth).map(|at| vec![at + 1, 2 * depth + 2 - at]));
    successors.push((1..=2 * depth).collect());
    successors.extend((1..=depth).rev().map(|at| if at == 1 { vec![] } else { vec![at - 1] }));
    family("exits to every level", successors, |m| assert!(m.multi_level > 0));
}

#[test]
fn a_wide_switch_with_fallthrough_is_structurized() {
    let arms = 2_000;
    let mut successors: Vec<Vec<u32>> = vec![(1..=arms).collect()];
    successors.extend((1..=arms).map(|at| vec![if at % 3 == 0 { arms + 1 } else { (at + 1).min(arms + 1) }]));
    successors.push(vec![]);
    family("wide switch", successors, |m| assert!(m.multi_level < 3_000));
}

#[test]
fn complete_irreducible_graphs_are_structurized() {
    for count in [4, 8, 12, 16] {
        let mut successors: Vec<Vec<u32>> = vec![(1..=count).collect()];
        successors.extend((1..=count).map(|at| (1..=count + 1).filter(|&to| to != at).collect()));
        successors.push(vec![]);
        family("complete graph", successors, move |m| {
            assert_eq!((m.dispatch_nodes, m.dispatch_arms), (1, count));
        });
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_blocks_is_structurized() {
    let count = 100_000;
    let successors = (0..count).map(|at| if at + 1 < count { vec![at + 1] } else { vec![] }).collect();
    family("chain", successors, |m| assert_eq!(m.blocks_out, 1));
}

#[test]
fn a_chain_of_branches_is_structurized() {
    let count = 33_333;
    let mut successors: Vec<Vec<u32>> = Vec::new();
    for at in 0..count {
        successors.extend([vec![3 * at + 1, 3 * at + 2], vec![3 * at + 3], vec![3 * at + 3]]);
    }
    successors.push(vec![]);
    family("diamonds", successors, |m| assert_eq!(m.max_depth, 1));
}

#[test]
fn an_irreducible_ladder_is_structurized() {
    let rungs = 10_000;
    let mut successors = vec![vec![1, 2]];
    for at in 0..rungs {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        let further = |to: u32| (at + 1 < rungs).then_some(to + 2);
        successors.push([Some(right), further(left)].into_iter().flatten().collect());
        successors.push([Some(left), further(right)].into_iter().flatten().collect());
    }
    family("irreducible ladder", successors, |m| assert!(m.dispatch_nodes > 0));
}

#[test]
fn unusual_loops_are_structurized() {
    let successors =
        |successors: &[&[u32]]| successors.iter().map(|targets| targets.to_vec()).collect::<Vec<_>>();
    family("self loop", successors(&[&[1], &[1, 2], &[]]), |m| assert_eq!(m.onetrip, 0));
    family("infinite loop", successors(&[&[1], &[2], &[1]]), |m| assert_eq!(m.onetrip, 0));
    family("many latches", successors(&[&[1], &[2, 3], &[1, 4], &[1, 4], &[1, 5], &[]]), |_| {});
    family("every path returns", successors(&[&[1], &[2, 3], &[], &[1, 4], &[]]), |_| {});
    family("same target twice", successors(&[&[1, 1], &[2, 2, 2], &[]]), |_| {});
    family("unreachable", successors(&[&[1], &[], &[1, 3], &[2]]), |m| assert_eq!(m.blocks_in, 2));
}

/// The graphs of the corpus record the path that they take.
#[test]
fn corpus_graphs_keep_their_paths() {
    let mut graphs = of_sets(&["graphs"]);
    graphs.retain(|item| item.is_in(&["graphs"]));
    let paths: Vec<_> = graphs.iter().map(|item| item.path.with_extension("json")).collect();
    assert!(paths.len() >= 6, "{} graphs, but the own corpus has 6", paths.len());
    let mut sums = [Metrics::default(); 3];
    for path in &paths {
        let json: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
        let mut module = Module::new();
        let (body, marks) = corpus_body(&json);
        let func = module.add_func(body);
        let before = module.func(func).expect("a function").clone();
        let mut versions = vec![("before", module.clone())];
        for (&mode, sum) in Mode::ALL.iter().zip(&mut sums) {
            let (after, metrics) = checked(&module, func, mode);
            sum.add(&metrics);
            versions.push((mode.name(), after));
        }
        let mut flat = versions[1].1.clone();
        flatten(&mut flat, func).expect("a tree");
        versions.push(("flatten", flat));
        for run in json["runs"].as_array().expect("runs") {
            let numbers = |value: &serde_json::Value| -> Vec<u64> {
                value.as_array().expect("numbers").iter().filter_map(serde_json::Value::as_u64).collect()
            };
            let (directions, expect) = (numbers(&run["directions"]), numbers(&run["expect"]));
            for (name, version) in &versions {
                let ran = follow(version, &before, version.func(func).unwrap(), &directions, 100_000);
                let passed: Vec<u64> = ran
                    .iter()
                    .filter_map(|inst| marks.iter().position(|mark| mark == inst))
                    .map(|at| at as u64)
                    .collect();
                assert_eq!(passed, expect[2..], "{} {name}", path.display());
            }
        }
    }
    print_sums(&format!("corpus: {} graphs", paths.len()), &sums);
}

/// Out of SSA form and back, as tree and as graph; `same_walks` follows registers.
#[test]
fn block_parameters_become_registers_and_back() {
    for seed in 0..1_500 {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 20);
        let (graph, func) = module_of(&spec, &mut random);
        let (tree, _) = checked(&graph, func, Mode::Faithful);
        let (switch_loop, _) = checked(&graph, func, Mode::SwitchLoop);
        for module in [graph, tree, switch_loop] {
            let before = module.func(func).expect("a function");
            let check_walks = |after: &Module, context: &str| {
                let body = after.func(func).expect("a function");
                let diags = validate::validate_func(after, func);
                let walks = same_walks(after, before, body, 0..4, 300);
                assert!(
                    diags.is_empty() && walks.is_ok(),
                    "{context} {:?} {walks:?}\n{}\n=>\n{}",
                    diags.first().map(ToString::to_string),
                    text::print_func(&module, func),
                    text::print_func(after, func)
                );
            };
            let mut after = module.clone();
            values_to_regs(&mut after, func).expect("a function");
            check_walks(&after, "values-to-regs");
            // The parameters are removed by then, but walks record them; their values are recorded again.
            let regs = after.clone();
            regs_to_values(&mut after, func).expect("a function");
            let body = after.func(func).expect("a function");
            let diags = validate::validate_func(&after, func);
            assert!(
                diags.is_empty(),
                "{}\n{}\n=>\n{}",
                diags[0],
                text::print_func(&regs, func),
                text::print_func(&after, func)
            );
            let walks = same_walks(&after, regs.func(func).unwrap(), body, 0..4, 300);
            assert!(
                walks.is_ok(),
                "{walks:?}\n{}\n=>\n{}",
                text::print_func(&regs, func),
                text::print_func(&after, func)
            );
            assert!(body.regs().all(|(reg, _)| !uses(body, reg)));
        }
    }
}

fn uses(body: &FuncBody, reg: Reg) -> bool {
    let mut used = false;
    body.for_each_inst(|_, inst| used |= body.inst(inst).entity::<Reg>(Key::Reg) == Some(reg));
    used
}

/// A loop in which two parameters are swapped, one is used after the values of the next iteration are set, and the
/// condition is itself a parameter: the three classic bugs of SSA destruction.
#[test]
fn swap_lost_copy_and_condition_clobber() {
    let input = "
func @0(%0: b32, %1: b32, %2: b1) -> b32 graph {
^0:
  goto ^1(%0, %1, %2)
^1(%3: b32, %4: b32, %5: b1):
  %6: b1 = ilt %3, %4
  branch %5, ^1(%4, %3, %6), ^2(%3, %4)
^2(%7: b32, %8: b32):
  %9: b32 = iadd %7, %3
  return %9
}
";
    let module = text::parse(input).module;
    let (func, before) = module.funcs().map(|(func, body)| (func, body.clone())).next().expect("a function");
    assert!(validate::validate_func(&module, func).is_empty());
    for mode in [None, Some(Mode::Faithful), Some(Mode::SwitchLoop)] {
        let mut after = module.clone();
        if let Some(mode) = mode {
            structurize(&mut after, func, mode).expect("a tree");
        }
        let params = values_to_regs(&mut after, func).expect("a function");
        let expected = if mode == Some(Mode::SwitchLoop) { 0 } else { 3 };
        assert!(params >= expected, "{}", text::print_func(&after, func));
        same_walks(&after, &before, after.func(func).unwrap(), 0..64, 200).expect("the same walks");
        let regs = after.func(func).unwrap().clone();
        regs_to_values(&mut after, func).expect("a function");
        assert!(validate::validate_func(&after, func).is_empty());
        same_walks(&after, &regs, after.func(func).unwrap(), 0..64, 200).expect("the same walks");
    }
}

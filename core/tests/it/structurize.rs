//! Control flow from graph to tree and back, judged by `structurize::check` and the validator.

use crate::testing::corpus::of_sets;
use crate::testing::graphs::{Random, Spec, body_of, corpus_body, plain_body, random_spec};
use vitrine_core::ir::{Func, FuncBody, Module, NodeKind, Reg, TreeStep, TreeWalk};
use vitrine_core::ops::Key;
use vitrine_core::passes::structurize::check::{follow, same_edges, same_walks};
use vitrine_core::passes::structurize::{Metrics, Mode, structurize};
use vitrine_core::passes::{flatten, regs_to_values, values_to_regs};
use vitrine_core::{text, validate};

/// Makes a tree of the function and checks it in every way there is.
fn checked(module: &Module, func: Func, mode: Mode) -> (Module, Metrics) {
    let mut after = module.clone();
    let before = module.func(func).expect("a function");
    let say = |what: &str, after: &Module| {
        let after = text::print_func(after, func);
        format!("{} {what}\n{}\n=>\n{after}", mode.name(), text::print_func(module, func))
    };
    let metrics = match structurize(&mut after, func, mode) {
        Ok(metrics) => metrics,
        Err(diag) => panic!("{}", say(&diag.to_string(), &after)),
    };
    let body = after.func(func).expect("a function");
    if mode != Mode::SwitchLoop
        && let Err(diag) = same_edges(&after, before, body)
    {
        panic!("{}", say(&diag.to_string(), &after));
    }
    if let Err(diag) = same_walks(&after, before, body, 0..4, 300) {
        panic!("{}", say(&diag.to_string(), &after));
    }
    let diags = validate::validate_func(&after, func);
    if let Some(diag) = diags.first() {
        panic!("{}", say(&diag.to_string(), &after));
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
        for (mode, sum) in Mode::ALL.into_iter().zip(&mut sums) {
            let (_, metrics) = checked(&module, func, mode);
            sum.add(&metrics);
        }
    }
    print_sums("random graphs", &sums);
}

#[allow(clippy::print_stdout)] // the table is what the test is read for
fn print_sums(what: &str, sums: &[Metrics; 3]) {
    println!("{what}");
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

/// Ordinary trees come back from `flatten` and `structurize{imported}` as they were.
#[test]
fn flattened_trees_come_back() {
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

/// The shape of a tree: nodes, and blocks that were not made, in text order.
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

/// Structurizes a graph in each mode, on a stack too small for recursion over its blocks.
fn family(name: &'static str, rows: Vec<Vec<u32>>, judge: impl FnOnce(&Metrics) + Send + 'static) {
    let test = move || {
        let mut module = Module::new();
        let body = plain_body(&rows);
        let before = body.clone();
        let func = module.add_func(body);
        for mode in Mode::ALL {
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
        judge(&structurize(&mut after, func, Mode::Faithful).expect("a tree"));
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).expect("a thread");
    thread.join().expect("the test to pass");
}

#[test]
fn ten_thousand_early_returns() {
    let count = 10_000;
    let mut rows: Vec<Vec<u32>> = (0..count).map(|at| vec![count + at, at + 1]).collect();
    rows[count as usize - 1] = vec![2 * count - 1];
    rows.extend((0..count).map(|_| vec![]));
    family("early returns", rows, |m| assert!(m.max_depth < 3));
}

#[test]
fn ten_thousand_continues() {
    let count = 10_000;
    let mut rows: Vec<Vec<u32>> = vec![vec![1]];
    rows.extend((1..count).map(|at| vec![1, at + 1]));
    rows.push(vec![1, count + 1]);
    rows.push(vec![]);
    family("continues", rows, |m| assert!(m.max_depth < 80));
}

#[test]
fn a_thousand_nested_loops() {
    let depth = 1_000;
    let mut rows: Vec<Vec<u32>> = vec![vec![1]];
    rows.extend((1..=depth).map(|at| vec![at + 1, 2 * depth + 2 - at]));
    rows.push(vec![depth]);
    rows.extend((1..=depth).rev().map(|at| if at == 1 { vec![] } else { vec![at - 1] }));
    family("nested loops", rows, |m| assert_eq!((m.multi_level, m.onetrip), (0, 0)));
}

#[test]
fn exits_to_every_level() {
    let depth = 200;
    let mut rows: Vec<Vec<u32>> = vec![vec![1]];
    rows.extend((1..=depth).map(|at| vec![at + 1, 2 * depth + 2 - at]));
    rows.push((1..=2 * depth).collect());
    rows.extend((1..=depth).rev().map(|at| if at == 1 { vec![] } else { vec![at - 1] }));
    family("exits to every level", rows, |m| assert!(m.multi_level > 0));
}

#[test]
fn a_wide_switch_with_fallthrough() {
    let ways = 2_000;
    let mut rows: Vec<Vec<u32>> = vec![(1..=ways).collect()];
    rows.extend((1..=ways).map(|at| vec![if at % 3 == 0 { ways + 1 } else { (at + 1).min(ways + 1) }]));
    rows.push(vec![]);
    family("wide switch", rows, |m| assert!(m.multi_level < 3_000));
}

#[test]
fn complete_irreducible_graphs() {
    for count in [4, 8, 12, 16] {
        let mut rows: Vec<Vec<u32>> = vec![(1..=count).collect()];
        rows.extend((1..=count).map(|at| (1..=count + 1).filter(|&to| to != at).collect()));
        rows.push(vec![]);
        family("complete graph", rows, move |m| {
            assert_eq!((m.dispatch_nodes, m.dispatch_arms), (1, count));
        });
    }
}

#[test]
fn a_chain_of_a_hundred_thousand() {
    let count = 100_000;
    let rows = (0..count).map(|at| if at + 1 < count { vec![at + 1] } else { vec![] }).collect();
    family("chain", rows, |m| assert_eq!(m.blocks_out, 1));
}

#[test]
fn a_chain_of_choices() {
    let count = 33_333;
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for at in 0..count {
        rows.extend([vec![3 * at + 1, 3 * at + 2], vec![3 * at + 3], vec![3 * at + 3]]);
    }
    rows.push(vec![]);
    family("diamonds", rows, |m| assert_eq!(m.max_depth, 1));
}

#[test]
fn an_irreducible_ladder() {
    let rungs = 10_000;
    let mut rows = vec![vec![1, 2]];
    for at in 0..rungs {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        let further = |to: u32| (at + 1 < rungs).then_some(to + 2);
        rows.push([Some(right), further(left)].into_iter().flatten().collect());
        rows.push([Some(left), further(right)].into_iter().flatten().collect());
    }
    family("irreducible ladder", rows, |m| assert!(m.dispatch_nodes > 0));
}

#[test]
fn odd_loops() {
    let rows = |rows: &[&[u32]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    family("self loop", rows(&[&[1], &[1, 2], &[]]), |m| assert_eq!(m.onetrip, 0));
    family("infinite loop", rows(&[&[1], &[2], &[1]]), |m| assert_eq!(m.onetrip, 0));
    family("many latches", rows(&[&[1], &[2, 3], &[1, 4], &[1, 4], &[1, 5], &[]]), |_| {});
    family("every path returns", rows(&[&[1], &[2, 3], &[], &[1, 4], &[]]), |_| {});
    family("same target twice", rows(&[&[1, 1], &[2, 2, 2], &[]]), |_| {});
    family("unreachable", rows(&[&[1], &[], &[1, 3], &[2]]), |m| assert_eq!(m.blocks_in, 2));
}

/// The graphs of the corpus write down the path they take.
#[test]
fn corpus_graphs_take_their_paths() {
    let mut graphs = of_sets(&["graphs"]);
    graphs.retain(|item| item.is_in(&["graphs"]));
    let paths: Vec<_> = graphs.iter().map(|item| item.path.with_extension("json")).collect();
    assert!(paths.len() >= 6, "{} graphs, and 6 are the project's own", paths.len());
    let mut sums = [Metrics::default(); 3];
    for path in &paths {
        let json: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
        let mut module = Module::new();
        let (body, marks) = corpus_body(&json);
        let func = module.add_func(body);
        let before = module.func(func).expect("a function").clone();
        let mut versions = vec![("before", module.clone())];
        for (mode, sum) in Mode::ALL.into_iter().zip(&mut sums) {
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

/// Out of single assignment and back, in both shapes; `same_walks` knows registers.
#[test]
fn parameters_go_through_registers_and_back() {
    for seed in 0..1_500 {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 20);
        let (graph, func) = module_of(&spec, &mut random);
        let (tree, _) = checked(&graph, func, Mode::Faithful);
        let (switch_loop, _) = checked(&graph, func, Mode::SwitchLoop);
        for module in [graph, tree, switch_loop] {
            let before = module.func(func).expect("a function");
            let judge = |after: &Module, what: &str| {
                let body = after.func(func).expect("a function");
                let diags = validate::validate_func(after, func);
                let walks = same_walks(after, before, body, 0..4, 300);
                assert!(
                    diags.is_empty() && walks.is_ok(),
                    "{what} {:?} {walks:?}\n{}\n=>\n{}",
                    diags.first().map(ToString::to_string),
                    text::print_func(&module, func),
                    text::print_func(after, func)
                );
            };
            let mut after = module.clone();
            values_to_regs(&mut after, func).expect("a function");
            judge(&after, "values-to-regs");
            // Parameters are gone by then, and walks tell of them; what they were is told once more.
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

/// A loop in which two parameters swap places, one is used after the next round was prepared, and the
/// condition is itself a parameter: the three ways to get out of single assignment wrong.
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

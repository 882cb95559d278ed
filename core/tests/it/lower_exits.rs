//! Lowering of exits for every target, on random trees and on the corpus, checked by the validator, by
//! `exits_fit` and by `structurize::check::same_walks`.

mod trees; // exits from any block to any enclosing node

use crate::testing::corpus::modules;
use crate::testing::graphs::{Random, body_of, plain_body, random_spec};
use crate::testing::settings::setting;
use trees::random_tree;
use vitrine_core::base::EntityId;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Func, FuncBody, Module, Shape};
use vitrine_core::ops::Word;
use vitrine_core::passes::lower_exits::{
    Counts, OneTrip, Target, count, exits_fit, lower_exits, one_trip_form,
};
use vitrine_core::passes::structurize::check::same_walks;
use vitrine_core::passes::structurize::{Mode, structurize};
use vitrine_core::{text, validate};

/// Lowers the exits of a function and applies every check to the result.
fn checked(module: &Module, func: Func, target: Target, seeds: u64) -> (Module, Counts) {
    let mut after = module.clone();
    let before = module.func(func).expect("a function");
    let fail = |what: String, after: &Module| -> ! {
        let (from, to) = (text::print_func(module, func), text::print_func(after, func));
        panic!("{} {what}\n{from}\n=>\n{to}", target.name())
    };
    let counted = count(module, func, target).expect("a tree");
    let counts = match lower_exits(&mut after, func, target) {
        Ok(counts) => counts,
        Err(diag) => fail(diag.to_string(), &after),
    };
    if counted != counts {
        fail(format!("counts {counted:?}, and did {counts:?}"), &after);
    }
    if let Some(diag) = validate::validate_func(&after, func).first() {
        fail(diag.to_string(), &after);
    }
    if let Err(diag) = exits_fit(&after, func, target) {
        fail(diag.to_string(), &after);
    }
    let body = after.func(func).expect("a function");
    if let Err(diag) = same_walks(&after, before, body, 0..seeds, 400) {
        fail(diag.to_string(), &after);
    }
    let mut again = after.clone();
    lower_exits(&mut again, func, target).expect("a tree");
    if !again.func(func).expect("a function").same_version(body) {
        fail("lowering is not idempotent".to_owned(), &again);
    }
    (after, counts)
}

fn cases(few: u64) -> u64 {
    setting("VITRINE_CASES", few)
}

#[test]
fn random_trees_fit_every_target_and_keep_their_results() {
    let mut sums = [Counts::default(); Target::ALL.len()];
    for seed in 0..cases(1_500) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 24);
        let mut module = Module::new();
        let func = module.add_func(body_of(&spec, &mut random));
        for &mode in Mode::ALL {
            let mut tree = module.clone();
            structurize(&mut tree, func, mode).expect("a tree");
            for (target, sum) in Target::ALL.into_iter().zip(&mut sums) {
                sum.add(&checked(&tree, func, target, 4).1);
            }
        }
    }
    print_sums(&sums);
}

/// Exits out of `if`s and of continuing regions, with arguments, and unreachable code.
#[test]
fn exits_to_any_enclosing_node_are_lowered() {
    let mut sums = [Counts::default(); Target::ALL.len()];
    for seed in 0..cases(4_000) {
        let mut random = Random(seed);
        let mut module = Module::new();
        let func = module.add_func(random_tree(&mut random, 24));
        let diags = validate::validate_func(&module, func);
        assert!(diags.is_empty(), "the generator: {}\n{}", diags[0], text::print_func(&module, func));
        for (target, sum) in Target::ALL.into_iter().zip(&mut sums) {
            sum.add(&checked(&module, func, target, 8).1);
        }
    }
    print_sums(&sums);
}

fn print_sums(sums: &[Counts; Target::ALL.len()]) {
    for (target, sum) in Target::ALL.into_iter().zip(sums) {
        print_line(&format!("{:6} {sum:?}", target.name()));
        assert!(sum.multi_level > 0 && sum.exit_vars > 0);
    }
}

/// Every function of the corpus, with its declared merge blocks and from the graph alone.
#[test]
fn the_corpus_fits_every_target() {
    let mut sums = [[Counts::default(); Target::ALL.len()]; 2];
    let (mut functions, mut fit) = (0, [0; Target::ALL.len()]);
    for item in modules() {
        let module = read(&item.bytes()).module;
        let graphs = module.funcs().filter(|(_, body)| matches!(body.shape(), Shape::Graph(_)));
        for func in graphs.map(|(func, _)| func).collect::<Vec<_>>() {
            functions += 1;
            for (mode, sums) in [Mode::Imported, Mode::Faithful].into_iter().zip(&mut sums) {
                let mut tree = module.clone();
                structurize(&mut tree, func, mode).expect("a tree");
                for (at, target) in Target::ALL.into_iter().enumerate() {
                    fit[at] += u32::from(exits_fit(&tree, func, target).is_ok());
                    sums[at].add(&checked(&tree, func, target, 1).1);
                }
            }
        }
    }
    print_line(&format!("{functions} functions, each as declared and from the graph; already fit: {fit:?}"));
    sums.iter().for_each(print_sums);
}

/// Lowers the exits of a body for each target, on a stack too small for recursion over the nesting.
fn family(name: &'static str, body: impl FnOnce() -> FuncBody + Send + 'static, targets: &'static [Target]) {
    let test = move || {
        let mut module = Module::new();
        let func = module.add_func(body());
        structurize(&mut module, func, Mode::Faithful).expect("a tree");
        for &target in targets {
            let mut after = module.clone();
            let counts = lower_exits(&mut after, func, target).expect("a tree");
            print_line(&format!("{name:24} {:6} {counts:?}", target.name()));
            exits_fit(&after, func, target).expect("to fit");
            let diags = validate::validate_func(&after, func);
            assert!(diags.is_empty(), "{}", diags[0]);
            let (before, after_body) = (module.func(func).unwrap(), after.func(func).unwrap());
            same_walks(&after, before, after_body, 0..2, 1_000).expect("the same walks");
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).expect("a thread");
    thread.join().expect("the test to pass");
}

/// Two nested loops with `count` consecutive exits out of both.
#[test]
fn ten_thousand_two_level_breaks_are_lowered() {
    let count = 10_000;
    let body = move || {
        let mut successors: Vec<Vec<u32>> = vec![vec![1], vec![2]];
        successors.extend((0..count).map(|at| vec![count + 4, at + 3]));
        successors.extend([vec![2, count + 3], vec![1, count + 4], vec![]]);
        plain_body(&successors)
    };
    family("breaks of two levels", body, &Target::ALL);
}

/// Without `continue`, each of them is a nesting level, which the walk must not recurse over.
#[test]
fn ten_thousand_continues_are_lowered() {
    let count = 10_000;
    let body = move || {
        let mut successors: Vec<Vec<u32>> = vec![vec![1]];
        successors.extend((1..count).map(|at| vec![1, at + 1]));
        successors.extend([vec![1, count + 1], vec![]]);
        plain_body(&successors)
    };
    family("continues", body, &[Target::Spirv, Target::Glsl, Target::Sm3]);
}

#[test]
fn exits_to_every_loop_level_are_lowered() {
    let nest = |depth: u32| {
        let mut successors: Vec<Vec<u32>> = vec![vec![1]];
        successors.extend((1..=depth).map(|at| vec![at + 1, 2 * depth + 2 - at]));
        successors.push((1..=2 * depth).collect());
        successors.extend((1..=depth).rev().map(|at| if at == 1 { vec![] } else { vec![at - 1] }));
        plain_body(&successors)
    };
    family("exits to every level", move || nest(1_000), &[Target::Spirv, Target::Wgsl]);
    family("exits to every level", move || nest(100), &[Target::Sm3]);
}

/// The check itself: exits that it must reject, and exits that it must accept. `…` stands for one exit in each program.
#[test]
fn inexpressible_exits_are_named() {
    let spirv = [Target::Spirv];
    let all = Target::ALL;
    let loop_in_loop = "loop !0 { ^1: loop !1 { ^2: … } ^3: next } ^4: return";
    let switch_in_loop = "loop !0 { ^1: switch !1 %0 { default { ^2: … } } ^3: next } ^4: return";
    let switches = "switch !0 %0 { default { ^1: switch !1 %0 { default { ^2: … } } ^3: next } } ^4: return";
    let label_in_loop = "loop !0 { ^1: block !1 { ^2: … } ^3: next } ^4: return";
    let switch_in_label = "block !0 { ^1: switch !1 %0 { default { ^2: … } } ^3: next } ^4: return";
    let loop_in_label = "block !0 { ^1: loop !1 { ^2: … } ^3: next } ^4: return";
    let an_if = "if !0 %1 { ^1: … } else { ^2: next } ^4: return";
    let middle =
        "loop !0 { ^1: next } continuing { ^2: if !1 %1 { ^3: … } else { ^5: next } ^6: next } ^4: return";
    let cases: &[(&str, &str, &[Target])] = &[
        (loop_in_loop, "break !0", &[]),
        (loop_in_loop, "continue !0", &[]),
        (loop_in_loop, "break !1", &all),
        (loop_in_loop, "continue !1", &all[..6]),
        (loop_in_loop, "return", &all[..6]),
        (switch_in_loop, "break !0", &[Target::Spirv, Target::Sm3]),
        (switch_in_loop, "continue !0", &all[..6]),
        (switch_in_loop, "break !1", &all[..6]),
        (switches, "break !0", &[]),
        (switches, "next", &all),
        (label_in_loop, "break !0", &[Target::Spirv, Target::Sm3]),
        (label_in_loop, "break !1", &all[..6]),
        (switch_in_label, "break !0", &spirv),
        (switch_in_label, "break !1", &all[..6]),
        (loop_in_label, "break !0", &[]),
        (an_if, "break !0", &[]),
        (an_if, "stop discard", &all),
        (middle, "break !0", &[Target::Spirv, Target::Wgsl]),
        (middle, "return", &[]),
        (middle, "stop discard", &[]),
        (middle, "next", &[Target::Spirv, Target::Wgsl]),
        (middle, "break !1", &[]),
    ];
    for (whole, exit, fits) in cases {
        let module = program(&whole.replace('…', exit));
        let (func, _) = module.funcs().next().expect("a function");
        for target in all {
            let fit = exits_fit(&module, func, target);
            assert_eq!(fit.is_ok(), fits.contains(&target), "{} {exit} {whole}: {fit:?}", target.name());
            checked(&module, func, target, 8);
        }
    }
}

/// A program of a single function with this one-line body.
fn program(body: &str) -> Module {
    let mut body = body.to_owned();
    for (from, to) in [("{ ", "{\n"), (" }", "\n}"), (": ", ":\n"), ("} ^", "}\n^"), ("} case", "}\ncase")] {
        body = body.replace(from, to);
    }
    let body = body.replace("} default", "}\ndefault");
    let parsed = text::parse(&format!("func @0(%0: b32, %1: b1) tree {{\n^0:\n{body}\n}}\n"));
    let diags = validate::validate(&parsed.module);
    assert!(parsed.diags.is_empty() && diags.is_empty(), "{body}: {:?} {diags:?}", parsed.diags);
    parsed.module
}

/// A labeled block becomes a switch, or a loop with one iteration if an exit leaves it from inside a switch.
#[test]
fn labeled_blocks_become_switches_or_loops() {
    let module = program(
        "block !0 { ^1: block !1 { ^2: switch !2 %0 { case 0 { ^3: break !0 } case 1 { ^4: next } \
         default { ^5: break !2 } } ^6: break !1 } ^7: next } ^8: return",
    );
    let (_, body) = module.funcs().next().expect("a function");
    let forms = one_trip_form(body);
    let nodes = [0, 1].map(|at| forms.of_node(EntityId::from_index(at)));
    assert_eq!(nodes, [OneTrip::Loop, OneTrip::Switch]);
}

#[allow(clippy::print_stdout)] // the counts are output
fn print_line(line: &str) {
    println!("{line}");
}

//! Passes over control flow, on random trees: the result is valid and computes the same on generated inputs, with full and
//! with limited fuel.
//!
//! `VITRINE_CASES=3000` runs more random programs.
#![allow(clippy::print_stdout)] // the counts are output

mod programs;

use crate::testing::settings::setting;
use crate::testing::texts::valid_module;
use programs::{Random, text};
use std::collections::BTreeMap;
use vitrine_core::interp::{InvocationEnd, Outcome as Ran, run, seeded};
use vitrine_core::ir::{Fuel, Module};
use vitrine_core::lab::check::{Expected, Tolerance, trials};
use vitrine_core::pipeline::{Outcome, PASSES, Pipeline, Settings};
use vitrine_core::text::print_module;
use vitrine_core::validate::validate;

/// The passes of this file, and the percentage of programs that each must change for the test to be meaningful.
const ALONE: &[(&str, u32)] = &[
    ("loop-unroll", 20),
    ("loop-unroll{smaller}", 5),
    ("lower-continue", 15),
    ("loop-peel-initial-if", 2),
    ("if-constant-arm", 15),
    ("if-unnest", 5),
    ("trivial-continues", 2),
    ("opt-loop", 2),
    ("if-merge-adjacent", 2),
    ("if-hoist-common", 5),
    ("if-invert-empty", 2),
    ("if-select-of-params", 1),
    ("conditional-discard", 1),
    ("lower-switch", 5),
    ("lower-returns", 10),
    ("to-lcssa", 5),
    ("remove-trivial-params", 5),
];

/// Step limit of a run: the programs are small.
const STEPS: u64 = 1 << 13;

fn cases(usual: u64) -> u64 {
    setting("VITRINE_CASES", usual)
}

fn module(seed: u64) -> Module {
    valid_module(&text(&mut Random(seed)))
}

/// `true` if a pass changed something. Panics on faults.
fn change(module: &Module, expected: &[Expected<'_>], text: &str, context: &str) -> (bool, u64) {
    let pipeline = Pipeline::parse(text).expect("a pipeline");
    let trace = pipeline.trace(module, Settings::default());
    let step = trace.steps.first().expect("a step");
    let show = || format!("{}\n=>\n{}", print_module(module), print_module(&step.version));
    match &step.outcome {
        Outcome::Failed(diag) => panic!("{context}: {text} fails: {diag}\n{}", show()),
        Outcome::Invalid(diags) => panic!("{context}: {text} leaves {}\n{}", diags[0], show()),
        Outcome::Unchanged => return (false, step.rewrites),
        Outcome::Changed => {}
    }
    assert!(trace.notes.is_empty(), "{context}: {}", trace.notes[0]);
    for expected in expected {
        let differs = expected.differs(&step.version, Tolerance::default());
        assert_eq!(differs, None, "{context}: {text} changes the result\n{}", show());
    }
    let pass = PASSES.iter().find(|pass| text.starts_with(pass.name)).expect("a pass");
    if pass.idempotent {
        let again = pipeline.trace(trace.last(), Settings::default());
        let same = matches!(again.steps[0].outcome, Outcome::Unchanged);
        assert!(
            same,
            "{context}: {text} is not idempotent\n{}\n=>\n{}",
            print_module(trace.last()),
            print_module(again.last())
        );
    }
    (true, step.rewrites)
}

#[test]
fn passes_preserve_the_results_of_random_trees() {
    let (mut changed, mut inconclusive) = (BTreeMap::<&str, u64>::new(), 0);
    let count = cases(500);
    for seed in 0..count {
        let tree = module(seed);
        let mut all = trials(&tree, seed, 3);
        all.iter_mut().for_each(|trial| trial.inputs.limits.steps = STEPS);
        let expected: Vec<Expected<'_>> =
            all.iter().filter_map(|trial| Expected::of(&tree, trial).ok()).collect();
        inconclusive += u64::from(expected.is_empty());
        let graph = Pipeline::parse("flatten").expect("a pipeline").run(&tree, None).expect("a graph");
        let bare = Pipeline::parse("flatten, copy-prop, structurize").expect("a pipeline");
        let bare = bare.run(&tree, None).expect("a tree");
        for &(name, _) in ALONE {
            let (did, rewrites) = change(&tree, &expected, name, &format!("seed {seed}"));
            *changed.entry(name).or_default() += u64::from(did);
            change(&graph, &expected, name, &format!("seed {seed}, a graph"));
            // These programs use values after their nodes if they are computed on every path.
            let (bare_did, _) = change(&bare, &expected, name, &format!("seed {seed}, without parameters"));
            *changed.entry(name).or_default() += u64::from(bare_did && !did);
            if rewrites > 1 {
                stop_halfway(&tree, &expected, name, rewrites, seed);
            }
        }
    }
    println!("{changed:?} of {count}, {inconclusive} are inconclusive");
    assert!(inconclusive * 4 < count, "{inconclusive} programs are inconclusive");
    for &(name, least) in ALONE {
        let found = changed.get(name).copied().unwrap_or(0);
        assert!(found * 100 >= u64::from(least) * count, "{name} changes {found} programs of {count}");
    }
}

/// Each rewrite is correct by itself.
fn stop_halfway(module: &Module, expected: &[Expected<'_>], name: &str, rewrites: u64, seed: u64) {
    for units in [1, rewrites / 2] {
        let settings = Settings { fuel: Fuel::of(units), ..Settings::default() };
        let part = Pipeline::parse(name).expect("a pipeline").run_with(module, settings);
        let part = part.unwrap_or_else(|diag| panic!("seed {seed}: {units} units of {name}: {diag}"));
        for expected in expected {
            let differs = expected.differs(&part, Tolerance::default());
            let show = || format!("{}\n=>\n{}", print_module(module), print_module(&part));
            assert_eq!(differs, None, "seed {seed}: {units} units of {name}\n{}", show());
        }
    }
}

/// All passes with cleanup passes after them, and the presets.
#[test]
fn pass_combinations_preserve_results() {
    let names: Vec<&str> = ALONE.iter().map(|&(name, _)| name).collect();
    let together = format!("{}, constant-fold, dead-cf, copy-prop, cse, dce", names.join(", "));
    for seed in 0..cases(150) {
        let tree = module(seed);
        let all = trials(&tree, seed, 3);
        for text in [&format!("{together}, {together}"), "O2"] {
            let trace = Pipeline::parse(text).expect("a pipeline").trace(&tree, Settings::default());
            for step in &trace.steps {
                let broken = match &step.outcome {
                    Outcome::Failed(diag) => Some(diag.to_string()),
                    Outcome::Invalid(diags) => Some(diags[0].to_string()),
                    Outcome::Changed | Outcome::Unchanged => None,
                };
                assert_eq!(broken, None, "seed {seed}: {} in {text}\n{}", step.pass, print_module(&tree));
            }
            assert!(trace.notes.is_empty(), "seed {seed}: {text}: {}", trace.notes[0]);
            for trial in &all {
                let Ok(expected) = Expected::of(&tree, trial) else { continue };
                let differs = expected.differs(trace.last(), Tolerance::default());
                assert_eq!(differs, None, "seed {seed}: {text}\n{}", print_module(&tree));
            }
        }
    }
}

/// A demoted invocation leaves the same stores as a discarded one, and must terminate.
#[test]
fn demoted_invocations_leave_the_stores_of_discarded_ones() {
    let mut compared = 0;
    for seed in 0..cases(600) {
        let tree = module(seed);
        let text = print_module(&tree);
        if !text.contains("stop discard") && !text.contains("io.discard_if") {
            continue;
        }
        let bare = Pipeline::parse("flatten, copy-prop, structurize").expect("a pipeline");
        let bare = bare.run(&tree, None).expect("a tree");
        for before in [tree, bare] {
            let pipeline = Pipeline::parse("discard-to-demote").expect("a pipeline");
            let after = pipeline.run(&before, None).expect("a module");
            let shown = print_module(&after);
            let diags = validate(&after);
            assert!(diags.is_empty(), "seed {seed}: {}\n{text}\n{shown}", diags[0]);
            assert!(
                !shown.contains("stop discard") && !shown.contains("io.discard_if"),
                "seed {seed}\n{shown}"
            );
            let mut inputs = seeded(&before, 0, seed);
            inputs.limits.steps = STEPS;
            let [a, b] = [&before, &after].map(|module| run(module, 0, &inputs).expect("it can be run"));
            if !a.is_complete() || !a.is_defined() {
                continue;
            }
            // A helper invocation may terminate later; both count as terminated.
            let gone = |mut outcome: Ran| {
                for invocation in outcome.invocations.values_mut() {
                    if matches!(invocation.end, InvocationEnd::Discarded | InvocationEnd::Terminated) {
                        invocation.end = InvocationEnd::Demoted;
                    }
                }
                outcome
            };
            let differs = gone(a).first_difference(&gone(b)).map(|difference| difference.to_string());
            assert_eq!(differs, None, "seed {seed}\n{text}\n{shown}");
            compared += 1;
        }
    }
    println!("{compared} compared");
    assert!(compared > 20, "{compared}");
}

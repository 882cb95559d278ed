//! Properties of passes over resources: random shaders that access memory, other invocations and images keep
//! their results, and so do the shaders of the corpus.
//!
//! `VITRINE_CASES=1000` runs more random shaders.
#![allow(clippy::print_stdout)] // inconclusive cases are output

mod writer; // shader text under construction
mod shaders; // random shaders over memory and invocations
pub(crate) mod lookups; // random shaders over images

use crate::testing::corpus::modules;
use crate::testing::graphs::Random;
use crate::testing::settings::setting;
use crate::testing::texts::valid_module;
use std::collections::BTreeMap;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Fuel, Module};
use vitrine_core::lab::check::{Expected, Tolerance, trials};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings};
use vitrine_core::text::{parse, print_module};

/// The passes with the options that preserve all values.
const PASSES: [&str; 26] = [
    "lower-wrmasks",
    "lower-wrmasks{components}",
    "uniform-atomics",
    "uniform-atomics{ballot}",
    "load-store-vectorize",
    "load-store-vectorize{aligned}",
    "load-store-vectorize{scalar}",
    "non-uniform-access",
    "split-buffer-paths",
    "split-buffer-paths, load-store-vectorize, non-uniform-access, cse, dce",
    "split-buffer-paths, load-store-vectorize{scalar}, qptr-lift",
    "lower-subgroups",
    "lower-subgroups{scalar}",
    "lower-subgroups{wide}",
    "lower-subgroups{vote}",
    "lower-subgroups{first}",
    "lower-subgroups{ballot}",
    "lower-subgroups{masks}",
    "lower-subgroups{quad}",
    "lower-subgroups{shuffle}",
    "lower-subgroups{scan}",
    "lower-subgroups{loops}",
    "lower-samplers",
    "lower-tex",
    "infer-access-qualifiers, load-store-vectorize{scalar}, load-store-vectorize{scalar}",
    "lower-subgroups{shuffle}, lower-subgroups{loops}, uniform-atomics, lower-subgroups",
];

fn cases(usual: u64) -> u64 {
    setting("VITRINE_CASES", usual)
}

/// The passes over images with the options that preserve texels and weights. `shadow` depends on the comparison
/// function of the sampler, and gradients of cubes are rounded: filetests cover these two.
const LOOKUPS: [&str; 19] = [
    "lower-samplers",
    "lower-samplers{split}",
    "lower-samplers{flatten}",
    "lower-samplers{clamp}",
    "lower-tex",
    "lower-tex{projector}",
    "lower-tex{offset}",
    "lower-tex{gather-offsets}",
    "lower-tex{size-lod}",
    "lower-tex{layers}",
    "lower-tex{rect}",
    "lower-tex{gradients}",
    "lower-tex{gradients-3d}",
    "lower-tex{gradients-shadow}",
    "lower-tex{bias}",
    "lower-tex{min-lod}",
    "non-uniform-access",
    "uniform-derivatives",
    "lower-samplers, lower-tex, non-uniform-access, lower-tex{bias}, lower-tex{min-lod}, lower-tex{gradients}, O1",
];

/// Passes that apply only if quads imply levels of detail.
const OF_QUADS: [&str; 3] = ["lower-tex{bias}", "lower-tex{min-lod}", "uniform-derivatives"];

#[test]
fn passes_preserve_the_results_of_random_shaders() {
    // These shaders have no images.
    check_results(shaders::shader, &PASSES, &["lower-samplers", "lower-tex"]);
}

#[test]
fn passes_preserve_the_results_of_random_lookups() {
    check_results(lookups::compute, &LOOKUPS, &OF_QUADS);
}

#[test]
fn passes_preserve_the_results_of_random_lookups_in_quads() {
    check_results(lookups::fragment, &LOOKUPS, &[]);
}

/// Runs every pass on random shaders, as tree and as graph, with full and limited fuel. Visible results must not
/// change, and a second run must change nothing. Each pass except those in `idle` must change some shader.
fn check_results(shader: fn(&mut Random) -> String, passes: &[&'static str], idle: &[&str]) {
    let mut changed = BTreeMap::<&str, u32>::new();
    let (mut compared, mut inconclusive) = (0, 0);
    for seed in 0..cases(40) {
        let mut random = Random(seed);
        let text = shader(&mut random);
        let module = valid_module(&text);
        let all = trials(&module, seed, 2);
        let expected: Vec<Expected<'_>> =
            all.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        inconclusive += u32::from(expected.is_empty());
        for shape in ["", "flatten"] {
            let module = Pipeline::parse(shape).unwrap().run(&module, None).unwrap();
            for &text in passes {
                let context = format!("seed {seed} {shape}: {text}");
                let pipeline = Pipeline::parse(text).unwrap();
                let trace = pipeline.trace(&module, Settings::default());
                assert!(trace.is_sound(), "{context} fails\n{}", print_module(&module));
                let mut versions = vec![trace.last().clone()];
                if let [step] = &trace.steps[..] {
                    *changed.entry(text).or_default() += u32::from(matches!(step.outcome, Outcome::Changed));
                    let again = pipeline.trace(trace.last(), Settings::default());
                    let same = matches!(again.steps[0].outcome, Outcome::Unchanged);
                    assert!(same, "{context} is not idempotent\n{}", print_module(trace.last()));
                    if step.rewrites > 1 {
                        let fuel = Fuel::of(1 + random.below(step.rewrites - 1));
                        let settings = Settings { fuel, ..Settings::default() };
                        versions.push(pipeline.run_with(&module, settings).unwrap());
                    }
                }
                for version in &versions {
                    for expected in &expected {
                        let differs = expected.differs(version, Tolerance::default());
                        assert!(
                            differs.is_none(),
                            "{context}: {}\n{}",
                            differs.unwrap(),
                            print_module(version)
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    println!("{compared} comparisons, {inconclusive} shaders are inconclusive; changed: {changed:#?}");
    assert!(u64::from(inconclusive) * 4 < cases(40), "{inconclusive} shaders are inconclusive");
    let absent: Vec<_> =
        passes.iter().filter(|pass| !pass.contains(", ") && !changed.contains_key(*pass)).collect();
    assert!(absent.is_empty(), "{absent:?} ran on no shader");
    let never: Vec<_> = changed.iter().filter(|(pass, count)| **count == 0 && !idle.contains(pass)).collect();
    assert!(never.is_empty(), "these passes change no shader: {never:?}");
}

/// Every eighth shader of the corpus, with each of the passes.
#[test]
fn passes_preserve_the_results_of_the_corpus() {
    let (mut compared, mut changed) = (0, BTreeMap::<&str, u32>::new());
    let step = setting("VITRINE_STEP", 8);
    for item in modules().iter().step_by(step) {
        let file = &item.file;
        let module = read(&item.bytes()).module;
        let mut all = trials(&module, 1, 2);
        all.iter_mut().for_each(|trial| trial.inputs.limits.steps = 1 << 14);
        let expected: Vec<Expected<'_>> =
            all.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        let ready = Pipeline::parse("ingest").unwrap().run(&module, None).unwrap();
        for text in PASSES {
            let trace = Pipeline::parse(text).unwrap().trace(&ready, Settings::default());
            assert!(trace.is_sound(), "{file}: {text} fails");
            if !trace.steps.iter().any(|step| matches!(step.outcome, Outcome::Changed)) {
                continue;
            }
            *changed.entry(text).or_default() += 1;
            for expected in &expected {
                let differs = expected.differs(trace.last(), Tolerance::default());
                assert!(differs.is_none(), "{file}: {text}: {}", differs.unwrap());
                compared += 1;
            }
        }
    }
    println!("{compared} comparisons; changed: {changed:#?}");
    assert!(compared > 0, "nothing was compared");
}

/// Random shaders survive printing and parsing.
#[test]
fn random_shaders_survive_a_round_trip() {
    for seed in 0..20 {
        for shader in [shaders::shader, lookups::compute, lookups::fragment] {
            let module: Module = parse(&shader(&mut Random(seed))).module;
            let printed = print_module(&module);
            assert_eq!(print_module(&parse(&printed).module), printed, "seed {seed}");
        }
    }
}

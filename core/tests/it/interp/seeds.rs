//! Generated inputs: a program has equal outcomes before and after a pass.

use crate::testing::corpus;
use crate::testing::known;
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{InvocationEnd, Limits, run, seeded};
use vitrine_core::ir::{Module, Stage};
use vitrine_core::pipeline::Pipeline;

fn is_run(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute | Stage::Kernel)
}

/// Entry points of the smaller modules of the corpus that can be run.
fn runnable(words: usize) -> Vec<(String, Module, usize)> {
    let mut out = Vec::new();
    for item in corpus::modules() {
        if item.words() < words {
            let module = read(&item.bytes()).module;
            let entries = module.entries.iter().enumerate().take(2);
            let entries: Vec<usize> =
                entries.filter(|(_, entry)| is_run(entry.stage)).map(|(at, _)| at).collect();
            out.extend(entries.into_iter().map(|entry| (item.file.clone(), module.clone(), entry)));
        }
    }
    out
}

/// why: a pass may not change what a shader computes, whatever it is given.
#[test]
fn passes_keep_what_shaders_compute() {
    // Pipelines, and the variants that `known-failures.txt` calls them.
    let pipelines = [
        ("structurize{faithful}", "exec-faithful"),
        ("structurize{imported}", "exec-imported"),
        ("structurize{switch-loop}", "exec-switch-loop"),
        ("ingest, O1", "exec-optimised"),
    ];
    let (mut compared, mut refused, mut stuck, mut open) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for (name, module, entry) in runnable(1_500) {
        let inputs = seeded(&module, entry, compared);
        let Ok(before) = run(&module, entry, &inputs) else {
            refused += 1;
            continue;
        };
        if before.invocations.values().any(|invocation| invocation.end == InvocationEnd::Stuck) {
            // If one invocation is lost in undefined behavior, what the others see of it is open.
            stuck += 1;
            continue;
        }
        if !before.is_defined() {
            open += 1;
            continue;
        }
        // A dispatch loop takes many more steps for the same way.
        let inputs = vitrine_core::interp::Inputs {
            limits: Limits { steps: 64 * inputs.limits.steps, ..inputs.limits },
            ..inputs
        };
        for (text, variant) in pipelines {
            let pipeline = Pipeline::parse(text).expect("a pipeline");
            let Ok(after) = pipeline.run(&module, None) else { continue };
            match run(&after, entry, &inputs) {
                Ok(after) => {
                    compared += 1;
                    let known = known::in_run(variant).any(|file| file == name);
                    if let Some(difference) = before.first_difference(&after).filter(|_| !known) {
                        wrong.push(format!("{name} entry {entry} after {text}: {difference}"));
                    }
                }
                Err(diag) => wrong.push(format!("{name} entry {entry} after {text}: {diag}")),
            }
        }
    }
    assert!(compared > 100, "{compared} comparisons");
    println!(
        "{compared} comparisons; {refused} entry points refused, {stuck} stuck, {open} with undefined behaviour"
    );
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_same_seed_makes_the_same_run() {
    let some = runnable(400);
    assert!(some.len() > 20, "{} entry points", some.len());
    for (name, module, entry) in some.into_iter().take(40) {
        for seed in [1, 2] {
            let inputs = seeded(&module, entry, seed);
            assert_eq!(inputs.buffers, seeded(&module, entry, seed).buffers, "{name}");
            let (a, b) = (run(&module, entry, &inputs), run(&module, entry, &inputs));
            assert_eq!(a.ok(), b.ok(), "{name}");
        }
    }
}

//! Generated inputs: a program has equal results before and after a pass.

use crate::testing::corpus;
use crate::testing::known;
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{InvocationEnd, Limits, run, seeded};
use vitrine_core::ir::{Module, Stage};
use vitrine_core::pipeline::Pipeline;

fn is_run(stage: Stage) -> bool {
    !matches!(stage, Stage::TaskNv | Stage::MeshNv)
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

/// Passes preserve the results of shaders on all inputs.
#[test]
fn passes_preserve_the_results_of_shaders() {
    // Pipelines, with their names in `known-failures.txt`.
    let pipelines = [
        ("structurize{faithful}", "exec-faithful"),
        ("structurize{imported}", "exec-imported"),
        ("structurize{switch-loop}", "exec-switch-loop"),
        ("ingest, O1", "exec-optimized"),
    ];
    let (mut compared, mut refused, mut stuck, mut open) = (0, 0, 0, 0);
    let mut failures = Vec::new();
    for (name, module, entry) in runnable(1_500) {
        let inputs = seeded(&module, entry, compared);
        let Ok(before) = run(&module, entry, &inputs) else {
            refused += 1;
            continue;
        };
        if before.invocations.values().any(|invocation| invocation.end == InvocationEnd::Stuck) {
            // If one invocation has undefined behavior, results of others that depend on it are undefined.
            stuck += 1;
            continue;
        }
        if !before.is_defined() {
            open += 1;
            continue;
        }
        // A dispatch loop takes many more steps for the same path.
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
                        failures.push(format!("{name} entry {entry} after {text}: {difference}"));
                    }
                }
                Err(diag) => failures.push(format!("{name} entry {entry} after {text}: {diag}")),
            }
        }
    }
    assert!(compared > 100, "{compared} comparisons");
    println!(
        "{compared} comparisons; {refused} entry points refused, {stuck} stuck, {open} with undefined behavior"
    );
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn equal_seeds_give_equal_runs() {
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

//! Programs into which faults are injected: the filetests, the examples of the page, and random programs.
//!
//! Leaves out programs whose execution is inconclusive.

use super::runnable;
use crate::passes::programs;
use crate::testing::graphs;
use crate::testing::settings::setting;
use std::path::{Path, PathBuf};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::lab::check::{Expected, Trial, trials};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::pipeline::wrap::{Invocations, attach, marked, wrapper};
use vitrine_core::spirv::{AsmOptions, assemble};
use vitrine_core::text::parse;
use vitrine_core::validate::validate;

/// The pipelines before a mutant is injected: the version is correct, and has no dead code in which a fault would be
/// invisible. The result is a graph, since mutants change terminators.
const VARIANTS: [&str; 2] = ["ingest, O1, flatten", "dce, flatten"];

/// A program, a correct version of it, and its conclusive trials.
pub(super) struct Program {
    pub(super) name: String,
    pub(super) before: Module,
    pub(super) after: Module,
    pub(super) trials: Vec<Trial>,
}

/// All of them, in a fixed order.
pub(super) fn programs() -> Vec<Program> {
    let mut out = Vec::new();
    let core = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for folder in ["../www/examples", "tests/oracle/programs", "tests/filetests"] {
        for file in files(&core.join(folder)) {
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            out.extend(of_file(&file).into_iter().flat_map(|module| of_module(&name, &module)));
        }
    }
    for seed in 0..40 {
        let mut random = graphs::Random(seed);
        let spec = graphs::random_spec(&mut random, 10);
        let (module, _) = programs::program(&spec, &mut random);
        out.extend(of_module(&format!("random {seed}"), &module));
    }
    out
}

/// A random program of this size with conclusive trials.
pub(super) fn large(seed: u64, blocks: u64) -> Option<(Module, Vec<Trial>)> {
    let mut random = graphs::Random(seed);
    let spec = graphs::random_spec(&mut random, blocks);
    let (module, _) = programs::program(&spec, &mut random);
    let (module, mut trials) = runnable(&module, Invocations::One, 8);
    trials.retain(|trial| Expected::of(&module, trial).is_ok());
    (!trials.is_empty()).then_some((module, trials))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() { folders.push(path) } else { out.push(path) }
        }
    }
    out.sort();
    out
}

fn of_file(file: &Path) -> Option<Module> {
    let text = std::fs::read_to_string(file).ok()?;
    // If a run may change results, faults cannot be told from it.
    if text.contains("\n; differs:") {
        return None;
    }
    if file.extension()? == "spvasm" {
        let words = assemble(&text, &AsmOptions::default()).words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        return Some(read(&bytes).module);
    }
    // The input of a filetest ends before its first section.
    let parsed = parse(text.split("\n---- ").next()?);
    (parsed.diags.is_empty() && validate(&parsed.module).is_empty()).then_some(parsed.module)
}

/// The module as it is and optimized, with trials, if it can be run.
fn of_module(name: &str, module: &Module) -> Vec<Program> {
    let module = marked(module).unwrap_or_else(|| module.clone());
    let mut out = Vec::new();
    for components in [Invocations::Many, Invocations::One] {
        let Ok(extra) = wrapper(&module, components) else { return out };
        let Ok(before) = attach(&module, &extra) else { return out };
        let mut trials = trials(&before, 0, setting("VITRINE_RUNS", 8_u64) as u32);
        for trial in &mut trials {
            trial.inputs.limits.steps = trial.inputs.limits.steps.min(super::STEPS);
            if components == Invocations::One {
                trial.inputs.groups = [1; 3];
            }
        }
        trials.retain(|trial| Expected::of(&before, trial).is_ok());
        if trials.is_empty() {
            continue;
        }
        for variant in VARIANTS {
            let Ok(after) = Pipeline::parse(variant).unwrap().run(&before, None) else { continue };
            let (before, trials) = (before.clone(), trials.clone());
            out.push(Program { name: format!("{name} after {variant}"), before, after, trials });
        }
        return out;
    }
    out
}

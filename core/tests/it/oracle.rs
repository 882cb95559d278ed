//! Tests of the oracle: passes are checked by running programs before and after, mutants are injected and
//! must be found, and programs that show them are reduced.
//!
//! `VITRINE_CASES=1000` runs more random programs, `VITRINE_RUNS=64` tries more inputs per mutant.
#![allow(clippy::print_stdout)] // the rates are output

use crate::passes::programs;
mod mutants; // incorrect rewrites, by name
mod formulas; // incorrect formulas of floats
mod pool; // programs that mutants are injected into
mod detection; // detection of mutants
mod reduction; // reduction of programs that show a bug
mod facts; // analyses against execution

use crate::testing::graphs::{Random, body_of, random_spec};
use crate::testing::random;
use crate::testing::settings::setting;
use std::rc::Rc;
use vitrine_core::ir::{Inst, InstData, Mode, Module, Shape, Var};
use vitrine_core::lab::check::{Expected, Tolerance, Trial, trials};
use vitrine_core::ops::{IoOp, Op, Word};
use vitrine_core::passes::structurize;
use vitrine_core::pipeline::wrap::{Invocations, attach, marked, wrapper};
use vitrine_core::pipeline::{OptionInfo, Outcome, PASSES, PRESETS, Pipeline, Settings, Trace};

/// Step limit of a random program; a run that exceeds it is inconclusive.
const STEPS: u64 = 1 << 12;

fn cases(usual: u64) -> u64 {
    setting("VITRINE_CASES", usual)
}

/// Passes that are documented to change numeric results, or the places of inputs and results, or to refuse bindings that
/// several sets have.
const LOOSE: [&str; 5] = [
    "int-to-float{all}",
    "lower-bit-size{all}",
    "remap-bindings{compact}",
    "remap-bindings{flat}",
    "assign-slots{msl-declared}",
];

/// Every pass with each of its option words, every preset, and both presets together.
fn pipelines() -> Vec<String> {
    let mut out = Vec::new();
    for pass in PASSES {
        let words = pass.options.iter().filter_map(|option| match option {
            OptionInfo::Word(word, _) => Some(format!("{}{{{word}}}", pass.name)),
            OptionInfo::Number { .. } | OptionInfo::Places { .. } => None,
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { out.push(pass.name.to_owned()) } else { out.extend(words) }
    }
    out.retain(|text| !LOOSE.contains(&text.as_str()));
    out.extend(PRESETS.iter().map(|preset| preset.name.to_owned()));
    out.push("ingest, O1".to_owned());
    out.push("ingest, values-to-regs, regs-to-values, O1, flatten, O1".to_owned());
    out
}

/// A module whose functions can be run, and trials within the step limit.
fn runnable(module: &Module, invocations: Invocations, runs: u32) -> (Module, Vec<Trial>) {
    let text = wrapper(module, invocations).expect("a function with numbers as parameters");
    let module = attach(module, &text).expect("a valid program");
    let mut trials = trials(&module, 0, runs);
    for trial in &mut trials {
        trial.inputs.limits.steps = STEPS;
        if invocations == Invocations::One {
            trial.inputs.groups = [1; 3];
        }
    }
    (module, trials)
}

/// The first step that changes results.
fn wrong_step(expected: &[Expected<'_>], trace: &Trace) -> Option<String> {
    trace.steps.iter().enumerate().find_map(|(at, step)| match &step.outcome {
        Outcome::Unchanged | Outcome::Failed(_) => None,
        Outcome::Invalid(diags) => Some(format!("step {at}, {}: {}", step.pass, diags[0])),
        Outcome::Changed => {
            let differs = |expected: &Expected<'_>| expected.differs(&step.version, Tolerance::default());
            expected
                .iter()
                .find_map(differs)
                .map(|difference| format!("step {at}, {}: {difference}", step.pass))
        }
    })
}

fn is_tree(module: &Module) -> bool {
    module.funcs().all(|(_, body)| matches!(body.shape(), Shape::Tree(_)))
}

#[test]
fn passes_and_presets_preserve_the_results_of_random_programs() {
    let (mut compared, mut inconclusive, mut steps) = (0, 0, 0);
    for seed in 0..cases(60) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 12);
        let (graph, _) = programs::program(&spec, &mut random);
        // Several invocations first, which diverge and reconverge if all of them terminate.
        let mut conclusive = false;
        for (invocations, runs) in [(Invocations::Many, 2), (Invocations::One, 12)] {
            let (graph, trials) = runnable(&graph, invocations, runs);
            let expected: Vec<Expected<'_>> =
                trials.iter().filter_map(|trial| Expected::of(&graph, trial).ok()).collect();
            if expected.is_empty() {
                continue;
            }
            conclusive = true;
            for shape in ["", "structurize"] {
                let module = Pipeline::parse(shape).unwrap().run(&graph, None).unwrap();
                for text in pipelines() {
                    let trace = Pipeline::parse(&text).unwrap().trace(&module, Settings::default());
                    assert!(trace.is_sound() || !is_tree(&module), "seed {seed} {shape}: {text} fails");
                    let difference = wrong_step(&expected, &trace);
                    assert_eq!(difference, None, "seed {seed} {shape}: {text} changes results");
                    steps += trace.steps.len();
                    compared += expected.len();
                }
            }
            break;
        }
        inconclusive += u64::from(!conclusive);
    }
    println!("{compared} comparisons, {steps} steps, {inconclusive} programs do not terminate");
    assert!(inconclusive * 2 < cases(60), "{inconclusive} programs are inconclusive");
}

#[test]
fn structurized_graphs_keep_their_paths() {
    let (mut compared, mut inconclusive) = (0, 0);
    for seed in 0..cases(250) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 24);
        let mut module = Module::new();
        module.add_func(body_of(&spec, &mut random));
        let module = marked(&module).expect("a function without visible effects");
        let (graph, trials) = runnable(&module, Invocations::One, 6);
        let expected: Vec<Expected<'_>> =
            trials.iter().filter_map(|trial| Expected::of(&graph, trial).ok()).collect();
        inconclusive += u64::from(expected.is_empty());
        for mode in structurize::Mode::ALL {
            let text = format!("structurize{{{}}}, flatten, structurize", mode.name());
            let trace = Pipeline::parse(&text).unwrap().trace(&graph, Settings::default());
            assert!(trace.is_sound(), "seed {seed}: {text} fails");
            assert_eq!(wrong_step(&expected, &trace), None, "seed {seed}: {text} changes the path");
            compared += expected.len();
        }
    }
    println!("{compared} comparisons, {inconclusive} graphs terminate on no input");
    assert!(inconclusive * 2 < cases(250), "{inconclusive} graphs are inconclusive");
}

/// Modules with every operation of the tables, as far as they can be run.
#[test]
fn passes_preserve_the_results_of_random_modules() {
    let (mut compared, mut terminating) = (0, 0);
    let mut inconclusive = std::collections::BTreeMap::<String, u32>::new();
    for seed in 0..cases(300) {
        let module = random::module(seed, random::size_of(seed));
        // The clock counts instructions, which passes remove.
        let is_clock = |(_, data): (Inst, &InstData)| data.op == Op::from(IoOp::Clock);
        if module.funcs().any(|(_, body)| body.tables().insts.iter().any(is_clock)) {
            *inconclusive.entry("it reads the clock".to_owned()).or_default() += 1;
            continue;
        }
        let text = match wrapper(&module, Invocations::Many) {
            Ok(text) => text,
            Err(why) => {
                *inconclusive.entry(why.chars().take(24).collect()).or_default() += 1;
                continue;
            }
        };
        let mut module = attach(&module, &text).unwrap();
        // The generator may omit variables from interfaces, but a used variable that is not listed would be an output
        // only as long as it is used.
        let outs = module.vars().filter(|(_, data)| data.mode == Mode::Out).map(|(var, _)| var);
        let outs: Vec<Var> = outs.collect();
        for entry in Rc::make_mut(&mut module.entries) {
            entry.interface = outs.clone();
        }
        let mut trials = trials(&module, seed, 2);
        trials.iter_mut().for_each(|trial| trial.inputs.limits.steps = STEPS);
        let mut expected = Vec::new();
        for trial in &trials {
            match Expected::of(&module, trial) {
                Ok(found) => expected.push(found),
                Err(why) => *inconclusive.entry(why.to_string().chars().take(24).collect()).or_default() += 1,
            }
        }
        terminating += u32::from(!expected.is_empty());
        let by_components = "opt-undef, shrink-vectors, params-to-scalar, alu-to-scalar, lower-alu, vectorize, shrink-vectors";
        for text in
            ["structurize", "flatten", "ingest, O1", "O1", "opt-undef", "shrink-vectors", by_components]
        {
            let trace = Pipeline::parse(text).unwrap().trace(&module, Settings::default());
            assert_eq!(wrong_step(&expected, &trace), None, "seed {seed}: {text} changes results");
            compared += expected.len();
        }
    }
    println!("{compared} comparisons, {terminating} modules terminate; {inconclusive:#?}");
    assert!(compared > 0, "nothing was compared");
}

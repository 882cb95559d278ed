//! Whole pipelines on the corpus: presets and random pipelines.
//!
//! Every version is valid, and the result computes the same as the input, on the inputs of the corpus case and on
//! generated ones. If `spirv-val` is installed and accepts the input, it must accept the written module.
//! `VITRINE_CASES=200` sets the number of random pipelines, `VITRINE_SEED` selects others.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::modules;
use crate::testing::glslang::Glslang;
use crate::testing::settings::setting;
use crate::testing::spirv_val::SpirvVal;
use crate::{back_text, back_text_wgsl};
use std::path::Path;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::base::random::Random;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{FuncBody, Module};
use vitrine_core::lab::check::{Compared, Expected, Tolerance, Trial, trials};
use vitrine_core::pipeline::{OptionInfo, Outcome, PASSES, PassInfo, Pipeline, Settings, Trace};
use vitrine_filetests::parallel::STACK_BYTES;

/// Step limit of a run; a run that exceeds it is inconclusive.
const STEPS: u64 = 1 << 13;

/// Counts of the runs.
#[derive(Default, Debug)]
struct Tally {
    modules: usize,
    steps: usize,
    compared: usize,
    inconclusive: usize,
    validated: usize,
    for_others: usize,
    /// Runs that do not terminate because a helper invocation iterates.
    looping: usize,
    /// Runs in which a resource that does not exist is selected.
    undefined: usize,
    /// Passes that rejected a program, such as those for the other shape.
    refused: Vec<String>,
}

/// Passes whose output SPIR-V cannot express. `lower-subgroups` reads an undeclared builtin.
const FOR_OTHERS: [&str; 6] = [
    "lower-io",
    "lower-system-values",
    "lower-subgroups",
    "split-buffer-paths",
    "qptr-lower",
    "lower-layout",
];

/// A demoted invocation does not terminate if only the discard would have left the loop, or if the zeros that helper
/// invocations load never leave it, as `discard-to-demote` documents. The other invocations are then inconclusive.
const HELPER_LOOPS: (&str, &str) = ("`discard-to-demote`", "discarded, then stuck");

/// Passes that select another resource where an index is that of none.
const CHOOSING: [&str; 2] = ["`lower-indirect-derefs`", "`lower-samplers`"];

/// The generated runs of a module, with a limit of steps.
fn limited_trials(module: &Module) -> Vec<Trial> {
    let mut all = trials(module, 0, 1);
    for trial in &mut all {
        trial.inputs.limits.steps = STEPS;
    }
    all
}

/// The results of a module; `None` for an inconclusive run.
fn expected<'t>(module: &Module, trials: &'t [Trial]) -> Vec<Option<Expected<'t>>> {
    trials.iter().map(|trial| Expected::of(module, trial).ok()).collect()
}

/// Runs a pipeline on a module and checks the result.
fn checked(
    input: &Path,
    module: &Module,
    expected: &[Option<Expected<'_>>],
    text: &str,
    validator: &SpirvVal,
    tally: &mut Tally,
) -> Result<(), String> {
    let pipeline = Pipeline::parse(text).map_err(|diag| format!("{diag:?}"))?;
    let trace = pipeline.trace(module, Settings::default());
    tally.modules += 1;
    tally.steps += trace.steps.len();
    for step in &trace.steps {
        if let Outcome::Invalid(diags) = &step.outcome {
            return Err(format!("`{}` leaves {}: {}", step.pass, diags[0], diags[0].message()));
        }
        if let Outcome::Failed(diag) = &step.outcome {
            tally.refused.push(format!("`{}`: {diag}", step.pass));
        }
    }
    let Some(last) = trace.steps.last() else { return Ok(()) };
    for expected in expected {
        let Some(expected) = expected else {
            tally.inconclusive += 1;
            continue;
        };
        tally.compared += 1;
        if expected.differs(&last.version, Tolerance::default()).is_some() {
            let blamed = blamed(&trace, expected);
            // An index of no resource selects one of them, as both passes document.
            let is_documented = CHOOSING.iter().any(|pass| blamed.contains(pass));
            let compared = expected.compare(&last.version, Tolerance::default());
            if is_documented && matches!(compared, Compared::Undefined(_)) {
                tally.undefined += 1;
                continue;
            }
            let (pass, what) = HELPER_LOOPS;
            if !(blamed.contains(pass) && blamed.ends_with(what)) {
                return Err(blamed);
            }
            tally.looping += 1;
        }
    }
    let words = write_spirv(&last.version, SpirvOptions::default());
    match words {
        Ok(words) => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            tally.validated +=
                usize::from(validator.validate(input, &bytes).map_err(|error| format!("written: {error}"))?);
            Ok(())
        }
        // Inputs by location and untyped pointers are for other targets, and the back end reports them.
        Err(diag) if diag.code == "W104" && text.contains("resource-arrays-to-elements") => {
            tally.for_others += 1;
            Ok(())
        }
        Err(diag)
            if ["W102", "W103"].contains(&diag.code) && FOR_OTHERS.iter().any(|pass| text.contains(pass)) =>
        {
            tally.for_others += 1;
            Ok(())
        }
        Err(diag) => Err(format!("it cannot be written: {diag}")),
    }
}

/// The first step that changes results.
fn blamed(trace: &Trace, expected: &Expected<'_>) -> String {
    let failures = trace.steps.iter().enumerate().find_map(|(at, step)| {
        let difference = expected.differs(&step.version, Tolerance::default())?;
        Some(format!("step {at}, `{}`: {difference}", step.pass))
    });
    failures.unwrap_or_else(|| "the last version differs, and no step does".to_owned())
}

#[test]
fn presets_preserve_the_results_of_the_corpus() {
    let validator = SpirvVal::new("presets");
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    let modules = modules();
    for item in &modules {
        let module = read(&item.bytes()).module;
        let trials = limited_trials(&module);
        let expected = expected(&module, &trials);
        for text in [
            "ingest, O1",
            "ingest, O2, spirv-out",
            "ingest, split-buffer-paths, qptr-lift",
            "ingest, lower-layout{essl-310}, qptr-lift",
            "ingest, lower-layout{wgsl}, qptr-lift",
        ] {
            if let Err(what) = checked(&item.path, &module, &expected, text, &validator, &mut tally) {
                failures.push(format!("{} {text}: {what}", item.file));
            }
        }
    }
    println!("presets: {tally:?}");
    assert!(tally.compared > modules.len(), "too few results were compared: {tally:?}");
    assert!(tally.refused.is_empty(), "{:?}", tally.refused);
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// A random pipeline of a few passes with options, some of them in `fix`, after the usual first steps.
fn random_pipeline(random: &mut Random) -> String {
    let mut entries = vec!["ingest".to_owned()];
    let list = |most: usize, random: &mut Random| -> Vec<String> {
        (0..1 + random.below(most)).map(|_| entry(random)).collect()
    };
    for _ in 0..1 + random.below(4) {
        let passes = list(4, random).join(", ");
        // Passes that undo each other reach no fixed point, so repetition is bounded.
        entries.push(if random.below(3) == 0 { format!("fix(3: {passes})") } else { passes });
    }
    entries.join(", ")
}

fn entry(random: &mut Random) -> String {
    // A pass that assumes values of uniforms changes results for other values, and one that moves resources changes the
    // places of inputs and results.
    let keeps = |name: &str| !["inline-uniforms", "remap-bindings"].contains(&name);
    let passes: Vec<_> = PASSES.iter().filter(|pass| keeps(pass.name)).collect();
    entry_of(passes[random.below(passes.len())], random)
}

/// A pass, often with one of its options.
fn entry_of(pass: &PassInfo, random: &mut Random) -> String {
    let options: Vec<&OptionInfo> = pass.options.iter().collect();
    // So do the first three, with their options, which trade precision for target support. The last accesses memory as
    // other types, which SPIR-V cannot express.
    let trades = ["int-to-float", "lower-bit-size", "lower-tex", "load-store-vectorize"].contains(&pass.name);
    if options.is_empty() || trades || random.below(2) == 0 {
        return pass.name.to_owned();
    }
    let option = match options[random.below(options.len())] {
        OptionInfo::Word(word, _) => (*word).to_owned(),
        OptionInfo::Number { name, least, most, .. } => {
            let span = (most - least).min(64) as usize;
            format!("{name}={}", least + random.below(span + 1) as u32)
        }
        // The resources depend on the program.
        OptionInfo::Places { .. } => return pass.name.to_owned(),
    };
    format!("{}{{{option}}}", pass.name)
}

/// Every ordered pair of passes, each with an option of its own, on small modules of the corpus, before and after `ingest`: a pass
/// gets what any other one leaves, and handles it or refuses it.
///
/// `VITRINE_SHARE=1` runs all pairs on all these modules; by default each pair meets a module in one of `DEFAULT_SHARE` runs.
#[test]
fn every_pair_of_passes_leaves_valid_programs() {
    const DEFAULT_SHARE: u64 = 97;
    let (share, seed) = (setting("VITRINE_SHARE", DEFAULT_SHARE).max(1), setting("VITRINE_SEED", 0_u64));
    let modules: Vec<(String, Module)> =
        modules().iter().map(|item| (item.file.clone(), read(&item.bytes()).module)).collect();
    let is_small = |module: &Module| module.funcs().map(|(_, body)| instructions(body)).sum::<usize>() <= 120;
    let small: Vec<&(String, Module)> = modules.iter().filter(|(_, module)| is_small(module)).collect();
    assert!(small.len() >= 20, "{} small modules", small.len());
    let (mut steps, mut failures) = (0usize, Vec::new());
    for (number, (file, module)) in (0u64..).zip(small) {
        for (at, first) in (0u64..).zip(PASSES) {
            for (next, second) in (0u64..).zip(PASSES) {
                let pair = (number * 512 + at) * 512 + next;
                if (pair + seed) % share != 0 {
                    continue;
                }
                let mut random = Random((pair + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                let begin = if random.below(2) == 0 { "ingest, " } else { "" };
                let text =
                    format!("{begin}{}, {}", entry_of(first, &mut random), entry_of(second, &mut random));
                let Ok(pipeline) = Pipeline::parse(&text) else { continue };
                for step in &pipeline.trace(module, Settings::default()).steps {
                    steps += 1;
                    if let Outcome::Invalid(diags) = &step.outcome {
                        failures.push(format!(
                            "{file} \"{text}\": `{}` leaves {}: {}",
                            step.pass,
                            diags[0],
                            diags[0].message()
                        ));
                    }
                }
            }
        }
    }
    println!("pairs of passes: {steps} steps");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(steps > PASSES.len() * PASSES.len(), "too few: {steps} steps");
}

/// Modules with more instructions are not written as text here.
const MOST_INSTRUCTIONS: usize = 400;

#[test]
fn texts_of_random_pipelines_compute_the_same() {
    let work = || {
        let glslang = Glslang::new("pipelines");
        let modules = modules();
        let (mut written, mut same, mut failures) = (0usize, 0usize, Vec::new());
        let first = setting("VITRINE_SEED", 0);
        for seed in first..first + setting("VITRINE_CASES", 30_u64) {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            let text = random_pipeline(&mut random);
            let Ok(pipeline) = Pipeline::parse(&text) else { continue };
            for _ in 0..4 {
                let item = &modules[random.below(modules.len())];
                let module = read(&item.bytes()).module;
                let trace = pipeline.trace(&module, Settings::default());
                let Some(last) = trace.steps.last() else { continue };
                let instructions: usize = last.version.funcs().map(|(_, body)| instructions(body)).sum();
                if instructions > MOST_INSTRUCTIONS {
                    continue;
                }
                let found = [
                    ("WGSL", format!("{:?}", back_text_wgsl::judge_module(&last.version, None, true))),
                    ("GLSL", format!("{:?}", back_text::judge_module(&last.version, &glslang, true))),
                ];
                for (language, outcome) in found {
                    let is_written = !outcome.starts_with("(Refused") && !outcome.starts_with("(OtherStage");
                    written += usize::from(is_written);
                    same += usize::from(outcome.starts_with("(Same"));
                    let is_wrong = outcome.starts_with("(Rejected") || outcome.starts_with("(Differs");
                    if is_wrong {
                        failures.push(format!("seed {seed} {} \"{text}\" {language}: {outcome}", item.file));
                    }
                }
            }
        }
        println!("texts of random pipelines: {written} written, {same} the same");
        assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
        let is_enough = same > written / 2 || !glslang.installed;
        assert!(is_enough && written > 20, "too few: {written} written, {same} the same");
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread starts").join();
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}

fn instructions(body: &FuncBody) -> usize {
    let mut count = 0;
    body.for_each_inst(|_, _| count += 1);
    count
}

#[test]
fn random_pipelines_preserve_the_results_of_the_corpus() {
    let validator = SpirvVal::new("made-up");
    let modules = modules();
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    let first = setting("VITRINE_SEED", 0);
    for seed in first..first + setting("VITRINE_CASES", 60_u64) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = random_pipeline(&mut random);
        for _ in 0..4 {
            let item = &modules[random.below(modules.len())];
            let file = &item.file;
            let module = read(&item.bytes()).module;
            let trials = limited_trials(&module);
            let expected = expected(&module, &trials);
            if let Err(what) = checked(&item.path, &module, &expected, &text, &validator, &mut tally) {
                failures.push(format!("seed {seed} {file} \"{text}\": {what}"));
            }
        }
    }
    println!("random pipelines: {tally:?}");
    assert!(tally.compared > tally.modules / 2, "too few results were compared: {tally:?}");
    assert!(tally.looping <= tally.modules / 100, "too many helper invocations do not terminate: {tally:?}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

//! Whole pipelines on the corpus: presets and random pipelines.
//!
//! Every version is valid, what comes out computes what came in, on the inputs of the case a file has and on made-up
//! ones, and `spirv-val`, where it is installed, accepts what is written wherever it accepts what was read.
//! `VITRINE_CASES=200` asks for so many random pipelines, `VITRINE_SEED` for others.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::modules;
use crate::testing::judge::Judge;
use crate::testing::numbers::Random;
use crate::testing::settings::setting;
use std::path::Path;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::check::{Expected, Tolerance, trials};
use vitrine_core::pipeline::{
    OptionInfo, Outcome, PASSES, Pipeline, Settings, SpirvOptions, Trace, write_spirv,
};

/// Steps a run may take; what takes more is inconclusive.
const STEPS: u64 = 1 << 13;

/// Counts of the runs.
#[derive(Default, Debug)]
struct Tally {
    modules: usize,
    steps: usize,
    compared: usize,
    inconclusive: usize,
    judged: usize,
    for_others: usize,
    /// Runs that do not end because a helper iterates.
    round: usize,
    /// Passes that refused a program, as one for the other shape does.
    refused: Vec<String>,
}

/// Passes that leave what SPIR-V does not have. The last asks for the number of the invocation where nothing declares it.
const FOR_OTHERS: [&str; 4] = ["lower-io", "lower-system-values", "lower-subgroups", "qptr-lower"];

/// The fate of an invocation that was discarded and is a helper in a loop that only discarding ever left, or that zeros
/// never leave: `discard-to-demote` says that it iterates in it. Nothing is known of the others then.
const HELPER_GOES_ROUND: (&str, &str) = ("`discard-to-demote`", "discarded, then stuck");

/// Runs a pipeline over a module; what is wrong with it.
fn checked(
    input: &Path,
    module: &Module,
    text: &str,
    judge: &Judge,
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
    let mut all = trials(module, 0, 1);
    for trial in &mut all {
        trial.inputs.limits.steps = STEPS;
        let Ok(expected) = Expected::of(module, trial) else {
            tally.inconclusive += 1;
            continue;
        };
        tally.compared += 1;
        if expected.differs(&last.version, Tolerance::default()).is_some() {
            let blamed = blamed(&trace, &expected);
            let (pass, what) = HELPER_GOES_ROUND;
            if !(blamed.contains(pass) && blamed.ends_with(what)) {
                return Err(blamed);
            }
            tally.round += 1;
        }
    }
    let words = write_spirv(&last.version, SpirvOptions::default());
    match words {
        Ok(words) => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            tally.judged +=
                usize::from(judge.judge(input, &bytes).map_err(|says| format!("written: {says}"))?);
            Ok(())
        }
        // Inputs by location and not by variable, and pointers without a type, are for other targets, and the writer says so.
        Err(diag)
            if ["W102", "W103"].contains(&diag.code) && FOR_OTHERS.iter().any(|pass| text.contains(pass)) =>
        {
            tally.for_others += 1;
            Ok(())
        }
        Err(diag) => Err(format!("it cannot be written: {diag}")),
    }
}

/// The first step after which something else is computed.
fn blamed(trace: &Trace, expected: &Expected<'_>) -> String {
    let wrong = trace.steps.iter().enumerate().find_map(|(at, step)| {
        let says = expected.differs(&step.version, Tolerance::default())?;
        Some(format!("step {at}, `{}`: {says}", step.pass))
    });
    wrong.unwrap_or_else(|| "the last version differs, and no step does".to_owned())
}

#[test]
fn presets_keep_what_the_corpus_computes() {
    let judge = Judge::new("presets");
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    let modules = modules();
    for item in &modules {
        let module = read(&item.bytes()).module;
        for text in ["ingest, O1", "ingest, O2, spirv-out"] {
            if let Err(what) = checked(&item.path, &module, text, &judge, &mut tally) {
                wrong.push(format!("{} {text}: {what}", item.file));
            }
        }
    }
    println!("presets: {tally:?}");
    assert!(tally.compared > modules.len(), "hardly anything was compared: {tally:?}");
    assert!(tally.refused.is_empty(), "{:?}", tally.refused);
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// A pipeline of a few passes with options, some repeated; it begins as every pipeline should.
fn made_up(random: &mut Random) -> String {
    let mut entries = vec!["ingest".to_owned()];
    let list = |most: usize, random: &mut Random| -> Vec<String> {
        (0..1 + random.below(most)).map(|_| entry(random)).collect()
    };
    for _ in 0..1 + random.below(4) {
        let passes = list(4, random).join(", ");
        // Passes that undo each other never come to rest: a bound says when it is enough.
        entries.push(if random.below(3) == 0 { format!("fix(3: {passes})") } else { passes });
    }
    entries.join(", ")
}

fn entry(random: &mut Random) -> String {
    // A pass that is told what uniforms hold computes something else on others.
    let passes: Vec<_> = PASSES.iter().filter(|pass| pass.name != "inline-uniforms").collect();
    let pass = passes[random.below(passes.len())];
    let options: Vec<&OptionInfo> = pass.options.iter().collect();
    // So do the first three, with their options: they trade precision for what a target has. The last sees places as
    // other types, which SPIR-V cannot say.
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
    };
    format!("{}{{{option}}}", pass.name)
}

#[test]
fn random_pipelines_keep_what_the_corpus_computes() {
    let judge = Judge::new("made-up");
    let modules = modules();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    let first = setting("VITRINE_SEED", 0);
    for seed in first..first + setting("VITRINE_CASES", 60_u64) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = made_up(&mut random);
        for _ in 0..4 {
            let item = &modules[random.below(modules.len())];
            let file = &item.file;
            let module = read(&item.bytes()).module;
            if let Err(what) = checked(&item.path, &module, &text, &judge, &mut tally) {
                wrong.push(format!("seed {seed} {file} \"{text}\": {what}"));
            }
        }
    }
    println!("random pipelines: {tally:?}");
    assert!(tally.compared > tally.modules / 2, "hardly anything was compared: {tally:?}");
    assert!(tally.round <= tally.modules / 100, "helpers iterate too often: {tally:?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

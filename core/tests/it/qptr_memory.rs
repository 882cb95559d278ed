//! Memory passes between `qptr-lower` and `qptr-lift`, on the corpus and on memory of any layout: every version
//! computes the same, and the types are recovered at the end.
//!
//! `VITRINE_CASES=100000` runs more random shaders, `VITRINE_SEED` selects others.
#![allow(clippy::print_stdout)] // inconclusive cases are output

mod records;
use crate::qptr_layouts::shaders;

use crate::testing::corpus::modules;
use crate::testing::graphs::Random;
use crate::testing::known;
use crate::testing::settings::setting;
use crate::testing::spirv_val::SpirvVal;
use std::collections::BTreeMap;
use std::path::Path;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::lab::check::{Expected, Tolerance, trials};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings, Trace};
use vitrine_core::text::{parse, print_module};

/// Every memory pass, in a typical order.
const ALL: &str = "qptr-lower, qptr-fold-offsets, qptr-forward, qptr-dead-stores, qptr-partition, load-store-vectorize{aligned}, qptr-lift";

/// The same, and pipelines in which one pass enables another.
const PIPELINES: [&str; 4] = [
    ALL,
    "qptr-lower, qptr-partition, qptr-forward, qptr-dead-stores, dce, qptr-partition, qptr-lift",
    "qptr-lower, load-store-vectorize{scalar}, qptr-forward, cse, qptr-fold-offsets, qptr-dead-stores, qptr-lift",
    "qptr-lower, structurize, qptr-forward, flatten, qptr-fold-offsets, qptr-forward, qptr-lift",
];

/// Counts of the runs.
#[derive(Default, Debug)]
struct Tally {
    modules: usize,
    validated: usize,
    compared: usize,
    inconclusive: usize,
    changed: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// The first fault in the versions of a trace.
    fn wrong(&mut self, trace: &Trace, expected: &[Expected<'_>]) -> Result<(), String> {
        self.modules += 1;
        self.inconclusive += usize::from(expected.is_empty());
        for step in &trace.steps {
            match &step.outcome {
                Outcome::Unchanged => continue,
                Outcome::Changed => *self.changed.entry(step.pass).or_default() += 1,
                Outcome::Failed(diag) => return Err(format!("`{}` fails: {diag}", step.pass)),
                Outcome::Invalid(diags) => return Err(format!("`{}` leaves {}", step.pass, diags[0])),
            }
            for expected in expected {
                self.compared += 1;
                if let Some(differs) = expected.differs(&step.version, Tolerance::default()) {
                    return Err(format!("`{}`: {differs}", step.pass));
                }
            }
        }
        Ok(())
    }

    /// `true` if every memory pass changed something.
    fn is_enough(&self) -> bool {
        let names = ALL.split(", ").map(|name| name.split('{').next().unwrap_or(name));
        let mut names = names.filter(|name| *name != "qptr-lower" && *name != "qptr-lift");
        let done = |name: &str| self.changed.get(name).is_some_and(|&count| count > 0);
        names.all(done) && self.compared > self.modules
    }
}

#[test]
fn memory_passes_preserve_the_results_of_shaders() {
    let (first, cases) = (setting("VITRINE_SEED", 0), setting("VITRINE_CASES", 300));
    let (mut tally, mut bad) = (Tally::default(), Vec::new());
    for seed in first..first + cases {
        let text = shaders::shader(&mut Random(seed));
        let module = parse(&text).module;
        let mut all = trials(&module, seed, 2);
        for trial in &mut all {
            trial.inputs.groups = [1, 1, 1];
        }
        let expected: Vec<Expected<'_>> =
            all.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        for pipeline in PIPELINES {
            let trace = Pipeline::parse(pipeline).unwrap().trace(&module, Settings::default());
            if let Err(what) = tally.wrong(&trace, &expected) {
                let message = format!("seed {seed}: {pipeline}: {what}");
                println!("{message}");
                bad.push((message, text.clone(), print_module(trace.last())));
            }
        }
    }
    println!("{tally:?}");
    bad.sort_by_key(|(_, text, _)| text.len());
    if let Some((message, text, version)) = bad.first() {
        panic!("{} fail, the smallest:\n{message}\n{text}\n{version}", bad.len());
    }
    assert!(tally.is_enough(), "too few changes were made: {tally:?}");
}

/// Pipelines for private memory with records.
const ON_ROWS: [&str; 4] = [
    "qptr-partition, qptr-fold-offsets, qptr-forward, qptr-dead-stores, dce, qptr-partition",
    "qptr-fold-offsets, load-store-vectorize{scalar}, qptr-partition, qptr-dead-stores",
    "qptr-forward, cse, qptr-dead-stores, qptr-partition, load-store-vectorize{aligned}, qptr-forward",
    "qptr-partition, qptr-lift, vars-to-values, dce",
];

/// Pipelines that are correct for out-of-bounds accesses: loads yield 0, and stores have no effect.
const ON_WILD_ROWS: [&str; 3] = [
    "qptr-fold-offsets, qptr-forward{robust}, qptr-dead-stores, dce",
    "qptr-forward{robust}, cse, qptr-forward{robust}, qptr-fold-offsets, qptr-dead-stores",
    "qptr-dead-stores, qptr-fold-offsets, cse, qptr-forward{robust}",
];

#[test]
fn out_of_bounds_accesses_keep_their_results() {
    let (first, cases) = (setting("VITRINE_SEED", 0), setting("VITRINE_CASES", 200));
    let (mut tally, mut trusting, mut bad) = (Tally::default(), 0, Vec::new());
    for seed in first..first + cases {
        let text = records::program(seed, true);
        let module = parse(&text).module;
        let all = trials(&module, seed, 2);
        let expected: Vec<Expected<'_>> =
            all.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        for pipeline in ON_WILD_ROWS {
            if let Err(what) = tally.wrong(&traced(pipeline, &module), &expected) {
                bad.push((format!("seed {seed}: {pipeline}: {what}"), text.clone()));
            }
        }
        let lenient = Tally::default().wrong(&traced("qptr-forward", &module), &expected);
        trusting += usize::from(lenient.is_err());
    }
    println!("{tally:?}, {trusting} differ if accesses are assumed in bounds");
    bad.sort_by_key(|(_, text)| text.len());
    if let Some((message, text)) = bad.first() {
        panic!("{} fail, the smallest:\n{message}\n{text}", bad.len());
    }
    let forwarded = tally.changed.get("qptr-forward").copied().unwrap_or(0);
    assert!(forwarded > cases as usize / 2 && tally.compared > tally.modules, "hardly anything: {tally:?}");
    assert!(trusting > 0, "no access is out of bounds");
}

#[test]
fn partitioned_memory_keeps_its_results() {
    let (first, cases) = (setting("VITRINE_SEED", 0), setting("VITRINE_CASES", 300));
    let (mut tally, mut bad, mut unlifted) = (Tally::default(), Vec::new(), 0);
    for seed in first..first + cases {
        let text = records::program(seed, false);
        let parsed = parse(&text);
        assert!(parsed.diags.is_empty(), "seed {seed}: {}\n{text}", parsed.diags[0]);
        let module = parsed.module;
        let all = trials(&module, seed, 2);
        let expected: Vec<Expected<'_>> =
            all.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        for pipeline in ON_ROWS {
            match tally.wrong(&traced(pipeline, &module), &expected) {
                // Memory that is accessed with several types sometimes fits none.
                Err(what) if what.contains("P117") => unlifted += 1,
                Err(what) => bad.push((format!("seed {seed}: {pipeline}: {what}"), text.clone())),
                Ok(()) => {}
            }
        }
    }
    println!("{tally:?}, {unlifted} cannot be lifted");
    bad.sort_by_key(|(_, text)| text.len());
    if let Some((message, text)) = bad.first() {
        panic!("{} fail, the smallest:\n{message}\n{text}", bad.len());
    }
    let split = tally.changed.get("qptr-partition").copied().unwrap_or(0);
    assert!(
        split * 2 > cases as usize && tally.compared > tally.modules,
        "too few changes were made: {tally:?}"
    );
    assert!(unlifted * 4 < cases, "{unlifted} cannot be lifted");
}

/// Reads a shader, lowers it, runs the memory passes, lifts it, and writes it.
fn round_trip(file: &Path, validator: &SpirvVal, tally: &mut Tally) -> Result<(), String> {
    let module = read(&std::fs::read(file).unwrap()).module;
    let trace = traced(&format!("ingest, {ALL}, spirv-out"), &module);
    let mut all = trials(&module, 0, 1);
    all.iter_mut().for_each(|trial| trial.inputs.limits.steps = 1 << 12);
    let expected: Vec<Expected<'_>> =
        all.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
    tally.wrong(&trace, &expected)?;
    let words = write_spirv(trace.last(), SpirvOptions::default()).map_err(|diag| diag.to_string())?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    tally.validated += usize::from(validator.validate(file, &bytes)?);
    Ok(())
}

fn traced(pipeline: &str, module: &Module) -> Trace {
    Pipeline::parse(pipeline).unwrap().trace(module, Settings::default())
}

#[test]
fn memory_passes_preserve_the_results_of_the_corpus() {
    let validator = SpirvVal::new("qptr-memory");
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for item in modules().iter().filter(|item| item.is_valid()) {
        let known = known::in_run("qptr-memory").any(|file| file == item.file);
        match round_trip(&item.path, &validator, &mut tally) {
            Err(what) if !known => wrong.push(format!("{}: {what}", item.file)),
            Ok(()) if known && validator.installed => {
                wrong.push(format!("{}: works now; remove it from the known failures", item.file));
            }
            Ok(()) | Err(_) => {}
        }
    }
    println!("lowered and lifted: {tally:?}, {} failures\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.is_enough(), "too few changes were made: {tally:?}");
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
}

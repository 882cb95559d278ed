//! Throughput of passes in bytes of SPIR-V. Budget: preset `O1` at 10 MB/s.
//!
//! Reads the samples of the available corpus (`vitrine_bench::Corpus`).

use divan::{Bencher, counter::BytesCount};
use vitrine_bench::Corpus;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::{Pipeline, Settings};

fn main() {
    divan::main();
}

/// Modules of the corpus with their sizes, after a pipeline.
fn modules(before: &str) -> (Vec<Module>, usize) {
    let (mut out, mut size) = (Vec::new(), 0);
    let pipeline = Pipeline::parse(before).unwrap();
    for file in Corpus::find().of_sets(&["samples"]) {
        let bytes = std::fs::read(file).unwrap();
        size += bytes.len();
        out.push(pipeline.run(&read(&bytes).module, None).unwrap());
    }
    (out, size)
}

fn measure(bencher: Bencher<'_, '_>, before: &str, text: &str, validate: bool) {
    let (modules, size) = modules(before);
    let pipeline = Pipeline::parse(text).unwrap();
    bencher.counter(BytesCount::new(size)).bench_local(|| {
        let settings = || Settings { validate, ..Settings::default() };
        modules.iter().map(|module| pipeline.run_with(module, settings()).unwrap()).collect::<Vec<_>>()
    });
}

const PASSES: [&str; 7] =
    ["vars-to-values", "copy-prop", "constant-fold", "algebraic", "cse", "dead-cf", "dce"];

#[divan::bench(args = PASSES)]
fn alone(bencher: Bencher<'_, '_>, pass: &str) {
    measure(bencher, "structurize{imported}", pass, false);
}

#[divan::bench(args = ["O1", "ingest", "ingest, O1"])]
fn preset(bencher: Bencher<'_, '_>, text: &str) {
    measure(bencher, "", text, false);
}

#[divan::bench]
fn preset_with_validation(bencher: Bencher<'_, '_>) {
    measure(bencher, "", "ingest, O1", true);
}

#[divan::bench]
fn preset_with_trace(bencher: Bencher<'_, '_>) {
    let (modules, size) = modules("");
    let pipeline = Pipeline::parse("ingest, O1").unwrap();
    bencher.counter(BytesCount::new(size)).bench_local(|| {
        modules.iter().map(|module| pipeline.trace(module, Settings::default())).collect::<Vec<_>>()
    });
}

//! Speed of the passes over untyped memory: `qptr-lower`, `qptr-analyze` and `qptr-lift`, each and together.
//!
//! The valid shaders of the corpus are read and go through `ingest` first, which is not counted; nor is validation. Speed
//! is bytes of their SPIR-V by processor time, the median of several rounds; `together` is a pipeline of all three over one
//! shader after the other, as somebody has it who has one shader. Names filter files: `bench qptr large/`.
//! `around` is what of it the pipeline does around the passes: the snapshot before each and letting go of it, and whether
//! declarations differ. Prints the five files that take longest for their size, of those large enough to be measured.
#![allow(clippy::print_stdout)]

use std::time::Duration;
use vitrine_bench::{Corpus, Item, Process, processor_time};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::{Pipeline, Settings};

/// The passes, one after another.
const PASSES: [&str; 3] = ["qptr-lower", "qptr-analyze", "qptr-lift"];
/// Rounds over all files.
const ROUNDS: usize = 7;
/// Bytes below which a file alone is not measured.
const LEAST_SIZE: usize = 8192;

/// Processor time of this process so far.
fn clock() -> Duration {
    processor_time(Process::This)
}

/// A shader of the corpus behind `ingest`.
struct Shader {
    file: String,
    bytes: usize,
    module: Module,
}

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let ingest = Pipeline::parse("ingest").expect("a preset reads");
    let asked = |file: &str| filters.is_empty() || filters.iter().any(|part| file.contains(part.as_str()));
    let items = Corpus::find().items().into_iter().filter(|item| item.valid && asked(&item.file));
    let shaders: Vec<Shader> = items
        .filter_map(|Item { file, path, .. }| {
            let bytes = std::fs::read(path).ok()?;
            let module = ingest.run(&read(&bytes).module, None).ok()?;
            Some(Shader { file, bytes: bytes.len(), module })
        })
        .collect();
    measure(&shaders);
}

/// The passes, read.
type Passes = [Pipeline; PASSES.len()];

/// Runs the passes over all shaders, several times.
fn measure(shaders: &[Shader]) {
    let passes = PASSES.map(|pass| Pipeline::parse(pass).expect("a pass reads"));
    for shader in shaders {
        let mut version = shader.module.clone();
        for pass in &passes {
            match pass.run_with(&version, settings()) {
                Ok(done) => version = done,
                Err(diag) => println!("  not done: {}: {diag}", shader.file),
            }
        }
    }
    let rounds: Vec<Round> = (0..ROUNDS).map(|_| round(shaders, &passes)).collect();
    let whole = (0..ROUNDS).map(|_| together(shaders)).collect();
    let around = (0..ROUNDS).map(|_| around(shaders, &passes)).collect();
    // The fastest run of each file, all passes together: clocks are coarse.
    let mut each: Vec<Duration> = vec![Duration::MAX; shaders.len()];
    for _ in 0..ROUNDS {
        for (shader, least) in shaders.iter().zip(&mut each) {
            let took: Duration = round(std::slice::from_ref(shader), &passes).iter().sum();
            *least = took.min(*least);
        }
    }
    tell(shaders, &rounds, [whole, around], &each);
}

fn settings() -> Settings<'static> {
    Settings { validate: false, ..Settings::default() }
}

/// The time of each pass in one round over some shaders, all of them by one pass before the next begins.
type Round = [Duration; PASSES.len()];

fn round(shaders: &[Shader], passes: &Passes) -> Round {
    let mut versions: Vec<Module> = shaders.iter().map(|shader| shader.module.clone()).collect();
    let mut took = [Duration::ZERO; PASSES.len()];
    for (pass, took) in passes.iter().zip(&mut took) {
        let began = clock();
        for version in &mut versions {
            if let Ok(done) = pass.run_with(version, settings()) {
                *version = done;
            }
        }
        *took = clock().saturating_sub(began);
    }
    took
}

/// All passes over one shader before the next begins, as somebody has it who has one shader.
fn together(shaders: &[Shader]) -> Duration {
    let passes = Pipeline::parse(&PASSES.join(", ")).expect("passes read");
    let began = clock();
    for shader in shaders {
        let _ = std::hint::black_box(passes.run_with(&shader.module, settings()));
    }
    clock().saturating_sub(began)
}

/// The time of the pipeline around the passes, in one round: all but what it reports for a pass.
fn around(shaders: &[Shader], passes: &Passes) -> Duration {
    let mut around = Duration::ZERO;
    for shader in shaders {
        let mut version = shader.module.clone();
        for pass in passes {
            // Asked before the pass and behind it.
            let mut times = Vec::with_capacity(2);
            let mut tick = || {
                times.push(clock());
                0
            };
            let began = clock();
            let settings = Settings { validate: false, clock: Some(&mut tick), ..Settings::default() };
            if let Ok(done) = pass.run_with(&version, settings) {
                version = done;
            }
            let all = clock().saturating_sub(began);
            if let [start, end] = times[..] {
                around += all.saturating_sub(end.saturating_sub(start));
            }
        }
    }
    around
}

fn tell(shaders: &[Shader], rounds: &[Round], [whole, around]: [Vec<Duration>; 2], each: &[Duration]) {
    let bytes: usize = shaders.iter().map(|shader| shader.bytes).sum();
    let speed = |bytes: usize, took: Duration| bytes as f64 / took.as_secs_f64().max(1e-9) / 1e6;
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    println!("qptr: {} files, {:.2} MB of SPIR-V", shaders.len(), bytes as f64 / 1e6);
    for (at, pass) in PASSES.iter().enumerate() {
        let took = median(rounds.iter().map(|round| round[at]).collect());
        println!("  {pass:12} {:7.1} MB/s {:8.1} ms", speed(bytes, took), took.as_secs_f64() * 1e3);
    }
    let took = median(whole);
    println!("  {:12} {:7.1} MB/s {:8.1} ms", "together", speed(bytes, took), took.as_secs_f64() * 1e3);
    println!("  {:12} {:13} {:8.1} ms", "around", "", median(around).as_secs_f64() * 1e3);
    let mut slow: Vec<(f64, &Shader)> = shaders
        .iter()
        .zip(each)
        .filter(|(shader, _)| shader.bytes >= LEAST_SIZE)
        .map(|(shader, took)| (speed(shader.bytes, *took), shader))
        .collect();
    slow.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (speed, shader) in slow.iter().take(5) {
        println!("  {speed:7.1} MB/s {:8} bytes  {}", shader.bytes, shader.file);
    }
}

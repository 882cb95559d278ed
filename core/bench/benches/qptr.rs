//! Speed of the passes over untyped memory: `qptr-lower`, `qptr-analyze` and `qptr-lift`, each and together.
//!
//! The valid shaders of the corpus are read and run through `ingest` first, which is not counted; nor is validation. Speed
//! is bytes of their SPIR-V per processor time, the median of several repetitions; `together` is a pipeline of all three on one
//! shader after the other, as for a single shader. Names filter files: `bench qptr large/`.
//! `overhead` is the overhead of the pipeline: taking and dropping the snapshot before each pass, and comparing
//! declarations. Prints the five slowest files relative to their size, among those large enough to be measured.
#![allow(clippy::print_stdout)]

use std::time::Duration;
use vitrine_bench::{Corpus, Item, Process, processor_time};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::{Pipeline, Settings};

/// The passes, in order.
const PASSES: [&str; 3] = ["qptr-lower", "qptr-analyze", "qptr-lift"];
/// Repetitions over all files.
const REPETITIONS: usize = 7;
/// Minimum size in bytes of a file that is measured by itself.
const LEAST_SIZE: usize = 8192;

/// The processor time of this process so far.
fn clock() -> Duration {
    processor_time(Process::This)
}

/// A shader of the corpus after `ingest`.
struct Shader {
    file: String,
    bytes: usize,
    module: Module,
}

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let ingest = Pipeline::parse("ingest").expect("a preset parses");
    let selected = |file: &str| filters.is_empty() || filters.iter().any(|part| file.contains(part.as_str()));
    let items = Corpus::find().items().into_iter().filter(|item| item.valid && selected(&item.file));
    let shaders: Vec<Shader> = items
        .filter_map(|Item { file, path, .. }| {
            let bytes = std::fs::read(path).ok()?;
            let module = ingest.run(&read(&bytes).module, None).ok()?;
            Some(Shader { file, bytes: bytes.len(), module })
        })
        .collect();
    measure(&shaders);
}

/// The parsed passes.
type Passes = [Pipeline; PASSES.len()];

/// Runs the passes on all shaders, several times.
fn measure(shaders: &[Shader]) {
    let passes = PASSES.map(|pass| Pipeline::parse(pass).expect("a pass parses"));
    for shader in shaders {
        let mut version = shader.module.clone();
        for pass in &passes {
            match pass.run_with(&version, settings()) {
                Ok(done) => version = done,
                Err(diag) => println!("  not done: {}: {diag}", shader.file),
            }
        }
    }
    let repetitions: Vec<Repetition> = (0..REPETITIONS).map(|_| repetition(shaders, &passes)).collect();
    let whole = (0..REPETITIONS).map(|_| together(shaders)).collect();
    let overhead = (0..REPETITIONS).map(|_| overhead(shaders, &passes)).collect();
    // The fastest run of each file with all passes, since clocks are coarse.
    let mut each: Vec<Duration> = vec![Duration::MAX; shaders.len()];
    for _ in 0..REPETITIONS {
        for (shader, least) in shaders.iter().zip(&mut each) {
            let took: Duration = repetition(std::slice::from_ref(shader), &passes).iter().sum();
            *least = took.min(*least);
        }
    }
    report(shaders, &repetitions, [whole, overhead], &each);
}

fn settings() -> Settings<'static> {
    Settings { validate: false, ..Settings::default() }
}

/// The time of each pass in one repetition. Each pass processes all shaders before the next begins.
type Repetition = [Duration; PASSES.len()];

fn repetition(shaders: &[Shader], passes: &Passes) -> Repetition {
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

/// Runs all passes on one shader before the next, as for a single shader.
fn together(shaders: &[Shader]) -> Duration {
    let passes = Pipeline::parse(&PASSES.join(", ")).expect("passes read");
    let began = clock();
    for shader in shaders {
        let _ = std::hint::black_box(passes.run_with(&shader.module, settings()));
    }
    clock().saturating_sub(began)
}

/// The overhead of the pipeline in one repetition: all time that it does not report for a pass.
fn overhead(shaders: &[Shader], passes: &Passes) -> Duration {
    let mut overhead = Duration::ZERO;
    for shader in shaders {
        let mut version = shader.module.clone();
        for pass in passes {
            // Read before and after the pass.
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
                overhead += all.saturating_sub(end.saturating_sub(start));
            }
        }
    }
    overhead
}

fn report(
    shaders: &[Shader],
    repetitions: &[Repetition],
    [whole, overhead]: [Vec<Duration>; 2],
    each: &[Duration],
) {
    let bytes: usize = shaders.iter().map(|shader| shader.bytes).sum();
    let speed = |bytes: usize, took: Duration| bytes as f64 / took.as_secs_f64().max(1e-9) / 1e6;
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    println!("qptr: {} files, {:.2} MB of SPIR-V", shaders.len(), bytes as f64 / 1e6);
    for (at, pass) in PASSES.iter().enumerate() {
        let took = median(repetitions.iter().map(|repetition| repetition[at]).collect());
        println!("  {pass:12} {:7.1} MB/s {:8.1} ms", speed(bytes, took), took.as_secs_f64() * 1e3);
    }
    let took = median(whole);
    println!("  {:12} {:7.1} MB/s {:8.1} ms", "together", speed(bytes, took), took.as_secs_f64() * 1e3);
    println!("  {:12} {:13} {:8.1} ms", "around", "", median(overhead).as_secs_f64() * 1e3);
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

//! The structurizers compared on real shaders, and the speed of reading, structurizing and writing SPIR-V.
//!
//! Measures the available corpus (`vitrine_bench::Corpus`). If `spirv-opt` is installed, it is compared:
//! its times are those of a process on a file, minus those of a process on an empty module.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use vitrine_bench::Corpus;
use vitrine_core::analysis::exits::Target;
use vitrine_core::back::SPIRV;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::judge::convergence::{Convergence, INVOCATIONS, converge};
use vitrine_core::ops::Word;
use vitrine_core::passes::lower_exits::{Counts, count};
use vitrine_core::passes::structurize::{Metrics, Mode, structurize};
use vitrine_core::pipeline::{Settings, prepare};

fn main() {
    let files = files(&Corpus::find());
    control_flow(&files);
    throughput(&files);
}

struct File {
    path: PathBuf,
    set: String,
    bytes: Vec<u8>,
}

fn files(corpus: &Corpus) -> Vec<File> {
    let items = corpus.items().into_iter();
    items
        .filter_map(|item| {
            let set = item.file.split('/').next().unwrap_or("").to_owned();
            Some(File { bytes: std::fs::read(&item.path).ok()?, path: item.path, set })
        })
        .collect()
}

/// Lockstep runs per function.
const SEEDS: u64 = 4;

/// The metrics of structurized control flow.
fn control_flow(files: &[File]) {
    let modules: Vec<Module> = files.iter().map(|file| read(&file.bytes).module).collect();
    println!("control flow of {} modules, exits as SPIR-V expresses them", modules.len());
    println!(
        "dynamic instances and tangles: {SEEDS} runs of {INVOCATIONS} invocations per function, against reconvergence at post-dominators"
    );
    println!(
        "{:<12} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>6} {:>6} {:>13}",
        "",
        "functions",
        "blocks",
        "growth",
        "one-trip",
        "multi-level",
        "checks",
        "variables",
        "dispatch",
        "arms",
        "merges kept"
    );
    for &mode in Mode::ALL {
        let (mut metrics, mut exits, mut functions, mut refused) =
            (Metrics::default(), Counts::default(), 0, 0);
        let mut convergence = Convergence::default();
        for module in &modules {
            let mut module = module.clone();
            let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
            for func in funcs {
                let Some(before) = module.func(func).cloned() else { continue };
                match structurize(&mut module, func, mode) {
                    Ok(of_function) => {
                        functions += 1;
                        metrics.add(&of_function);
                        if let Some(tree) = module.func(func) {
                            convergence.add(&converge(&module, &before, tree, 0..SEEDS));
                        }
                        if let Ok(of_function) = count(&module, func, Target::Spirv) {
                            exits.add(&of_function);
                        }
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        println!(
            "{:<12} {:>9} {:>8} {:>7.3} {:>8} {:>8} {:>6} {:>9} {:>8} {:>6} {:>11} {:>7.3} {:>7.1}% {:>9.1}%{}",
            mode.name(),
            functions,
            metrics.blocks_in,
            metrics.growth(),
            exits.onetrip,
            exits.multi_level,
            exits.exit_checks,
            exits.exit_vars,
            metrics.dispatch_nodes,
            metrics.dispatch_arms,
            format!("{}/{}", metrics.declared_merge_match, metrics.declared_merges),
            convergence.issue_ratio(),
            100.0 * convergence.tangle_match(),
            100.0 * f64::from(convergence.identical) / f64::from(convergence.runs.max(1)),
            if refused > 0 { format!(" {refused} refused") } else { String::new() },
        );
    }
}

/// The median time of a few runs.
fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..7)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9)
}

fn throughput(files: &[File]) {
    println!();
    println!("read, structure, write: MB of SPIR-V a second, one thread, medians of 7");
    println!("{:<14} {:>8} {:>8} {:>10} {:>8} {:>8}", "", "MB", "read", "structure", "write", "all");
    let large: Vec<&File> = files.iter().filter(|file| file.set == "large").collect();
    let sets = [("large", large.clone()), ("whole corpus", files.iter().collect())];
    // The own corpus has no large modules.
    for (name, set) in sets.into_iter().filter(|(_, set)| !set.is_empty()) {
        let bytes: usize = set.iter().map(|file| file.bytes.len()).sum();
        let modules: Vec<Module> = set.iter().map(|file| read(&file.bytes).module).collect();
        let ready: Vec<Module> = modules
            .iter()
            .filter_map(|module| prepare(module, SPIRV, Settings::default(), None).ok())
            .collect();
        let strict = SpirvOptions { strict: true, as_in: false };
        let reading = median(|| set.iter().for_each(|file| drop(read(&file.bytes))));
        let structuring = median(|| {
            modules.iter().for_each(|module| drop(prepare(module, SPIRV, Settings::default(), None)));
        });
        let writing = median(|| ready.iter().for_each(|module| drop(write_spirv(module, strict))));
        let all = median(|| {
            set.iter().for_each(|file| drop(write_spirv(&read(&file.bytes).module, SpirvOptions::default())));
        });
        println!(
            "{name:<14} {:>8.2} {:>8.1} {:>10.1} {:>8.1} {:>8.1}",
            bytes as f64 / 1e6,
            rate(bytes, reading),
            rate(bytes, structuring),
            rate(bytes, writing),
            rate(bytes, all)
        );
    }
    peer(&large);
}

/// `spirv-opt` without passes, and with `-O`, on files that are large compared to process startup.
fn peer(large: &[&File]) {
    if Command::new("spirv-opt").arg("--version").output().is_err() {
        println!("spirv-opt is not installed: no comparison");
        return;
    }
    let out = std::env::temp_dir().join(format!("vitrine-bench-{}.spv", std::process::id()));
    let empty = std::env::temp_dir().join(format!("vitrine-bench-empty-{}.spv", std::process::id()));
    let words = write_spirv(&Module::new(), SpirvOptions::default()).unwrap_or_default();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if std::fs::write(&empty, bytes).is_err() {
        return;
    }
    let process = |options: &[&str], input: &Path| {
        let run = Command::new("spirv-opt").args(options).arg(input).arg("-o").arg(&out).output();
        run.is_ok_and(|run| run.status.success())
    };
    for options in [&[][..], &["-O"]] {
        let start = median(|| {
            process(options, &empty);
        });
        let mut taken = Duration::ZERO;
        let (mut bytes, mut ours) = (0, Duration::ZERO);
        for file in large.iter().filter(|file| process(options, &file.path)) {
            bytes += file.bytes.len();
            taken += median(|| {
                process(options, &file.path);
            })
            .saturating_sub(start);
            ours += median(|| drop(write_spirv(&read(&file.bytes).module, SpirvOptions::default())));
        }
        let name = if options.is_empty() { "spirv-opt, no pass" } else { "spirv-opt -O" };
        println!(
            "{name}: {:.1} MB/s on {:.2} MB; here {:.1} MB/s, ratio {:.2}",
            rate(bytes, taken),
            bytes as f64 / 1e6,
            rate(bytes, ours),
            taken.as_secs_f64() / ours.as_secs_f64().max(1e-9)
        );
    }
    let _ = std::fs::remove_file(&out);
    let _ = std::fs::remove_file(&empty);
}
